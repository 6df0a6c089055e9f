//! The page embedded in another one: compact, with the controls that the author of the outer page chooses.

use super::choice::{ALGORITHMS_LINK, CHOICES};
use super::notice::Notice;
use super::table::TABLE;
use super::word::{Word, set_word};
use fedsysid_say::say;
use form_urlencoded::byte_serialize;

/// The look of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Look {
    /// Light or dark, as the system is set.
    #[default]
    System,
    /// Ink on paper.
    Light,
    /// For dark rooms.
    Dark,
    /// Larger type and thicker lines, for the back row.
    Projector,
}

impl Word for Look {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::System, "system", "system"),
        (Self::Light, "light", "light"),
        (Self::Dark, "dark", "dark"),
        (Self::Projector, "projector", "projector"),
    ];
}

/// The language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// The language of the source code.
    #[default]
    English,
    /// Translated by `src/say/de.json`.
    German,
}

impl Word for Language {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::English, "en", "English"), (Self::German, "de", "Deutsch")];
}

/// Whether the page is in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// In a window of its own.
    Alone,
    /// In a frame; there, a link without `embed` gives the compact page.
    Framed,
}

/// How the page is embedded. Outside a frame everything has its default, and the page is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// Whether the page is framed.
    pub framing: Framing,
    /// Whether the page is compact: one view, and only the controls in `show` and `lock`.
    pub is_on: bool,
    /// Keys of the controls that are shown, in the order of the page.
    pub show: Vec<&'static str>,
    /// Keys of the controls that are shown but cannot be changed.
    pub lock: Vec<&'static str>,
    /// The look, if the author chose one.
    pub look: Option<Look>,
    /// The language, if the author chose one; else the reader's.
    pub language: Option<Language>,
    /// Whether the caption is shown.
    pub has_caption: bool,
    /// Whether the page computes at once, instead of waiting until somebody touches it.
    pub runs_at_once: bool,
    /// Origins of pages that may send messages to this one; any origin if the list is empty.
    pub origins: Vec<String>,
    /// The name by which this page identifies itself in its messages.
    pub instance: String,
}

impl Default for Embed {
    fn default() -> Self {
        let (show, lock, origins, instance) = (Vec::new(), Vec::new(), Vec::new(), String::new());
        let (framing, is_on, look, language) = (Framing::Alone, false, None, None);
        Self { framing, is_on, show, lock, look, language, has_caption: true, runs_at_once: true, origins, instance }
    }
}

/// Keys of embedding in a link.
pub(super) const EMBED: &str = "embed";
pub(super) const SHOW: &str = "show";
pub(super) const LOCK: &str = "lock";
pub(super) const LOOK: &str = "theme";
/// The key of the language. `boot.js` reads it too, before the program has loaded.
pub const LANGUAGE: &str = "lang";
pub(super) const CAPTION: &str = "caption";
pub(super) const AUTORUN: &str = "autorun";
pub(super) const ORIGIN: &str = "origin";
pub(super) const INSTANCE: &str = "instance";
/// All keys of embedding.
pub const KEYS: [&str; 9] = [EMBED, SHOW, LOCK, LOOK, LANGUAGE, CAPTION, AUTORUN, ORIGIN, INSTANCE];

/// The most characters of an instance name.
pub const INSTANCE_CHARS: usize = 100;

/// The key of the tabs of the views, which can be shown like settings.
pub const TABS: &str = "views";

/// The key of the options inside a view: the parameter along the axis, the map, the paper's figure.
pub const OPTIONS: &str = "choices";

/// The controls of a frame whose link has no `embed`: somebody has pasted an address.
pub(super) const USUAL: [&str; 4] = [TABS, OPTIONS, "M", "eps"];

/// The keys of everything that can be shown, in the order of the page.
pub fn controls() -> impl Iterator<Item = &'static str> {
    [TABS, OPTIONS].into_iter().chain(settings())
}

/// The keys of everything that can be locked: settings.
pub fn settings() -> impl Iterator<Item = &'static str> {
    let numbers = TABLE.iter().map(|param| param.link);
    [ALGORITHMS_LINK].into_iter().chain(numbers).chain(CHOICES.iter().map(|spec| spec.link))
}

/// The default of a key, in words; `None` if it is not a key of embedding.
pub(super) fn usual(key: &str) -> Option<String> {
    let ours = KEYS.into_iter().find(|ours| ours.eq_ignore_ascii_case(key))?;
    Some(
        match ours {
            EMBED => say!("0; 1 in a frame"),
            SHOW | LOCK => say!("none"),
            LOOK | LANGUAGE => say!("as chosen last"),
            CAPTION | AUTORUN => "1",
            ORIGIN => say!("any"),
            _ => say!("empty"),
        }
        .to_owned(),
    )
}

impl Embed {
    /// Removes the keys of embedding from the pairs of a link, and reads them. The notices name values that cannot be
    /// used.
    pub fn take(pairs: &mut Vec<(String, String)>, framing: Framing) -> (Self, Vec<Notice>) {
        let (mut embed, mut notices) = (Self { framing, ..Self::default() }, Vec::new());
        let mut said = Vec::new();
        pairs.retain(|(key, given)| {
            let ours = KEYS.into_iter().find(|ours| ours.eq_ignore_ascii_case(key.trim()));
            if let Some(key) = ours {
                notices.extend(embed.set(key, given));
                said.push(key);
            }
            ours.is_none()
        });
        // `boot.js` decides the same before the program has loaded.
        if framing == Framing::Framed && !said.contains(&EMBED) {
            embed.is_on = true;
            if !said.contains(&SHOW) {
                embed.show = USUAL.to_vec();
            }
        }
        (embed, notices)
    }

    /// The pairs (key, value) that differ from the defaults, percent-encoded for a link; in a frame, a page that is not
    /// compact says so.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let list = |key, words: &[&'static str]| (!words.is_empty()).then(|| (key, words.join(",")));
        let flag = |key, is_default: bool, word: &str| (!is_default).then(|| (key, word.to_owned()));
        let origins = self.origins.iter().map(|origin| (ORIGIN, origin.clone()));
        let encoded = || byte_serialize(self.instance.as_bytes()).collect();
        let instance = (!self.instance.is_empty()).then(|| (INSTANCE, encoded()));
        let pairs = [
            flag(EMBED, !self.is_on && self.framing == Framing::Alone, if self.is_on { "1" } else { "0" }),
            list(SHOW, &self.show),
            list(LOCK, &self.lock),
            self.look.map(|look| (LOOK, look.word().to_owned())),
            self.language.map(|language| (LANGUAGE, language.word().to_owned())),
            flag(CAPTION, self.has_caption, "0"),
            flag(AUTORUN, self.runs_at_once, "0"),
        ];
        pairs.into_iter().flatten().chain(origins).chain(instance).collect()
    }

    /// Whether a control is shown on the page.
    pub fn shows(&self, key: &str) -> bool {
        !self.is_on || self.show.contains(&key) || self.lock.contains(&key)
    }

    /// Whether a control is shown but cannot be changed.
    pub fn locks(&self, key: &str) -> bool {
        self.is_on && self.lock.contains(&key)
    }

    /// Whether the page waits until somebody touches it. A whole page never waits: nothing on it would tell people to
    /// touch it.
    pub fn rests(&self) -> bool {
        self.is_on && !self.runs_at_once
    }

    /// Whether a page of this origin may send messages to this one.
    pub fn hears(&self, origin: &str) -> bool {
        self.origins.is_empty() || self.origins.iter().any(|allowed| allowed == origin)
    }

    fn set(&mut self, key: &'static str, given: &str) -> Option<Notice> {
        match key {
            EMBED => set_flag(&mut self.is_on, key, given),
            CAPTION => set_flag(&mut self.has_caption, key, given),
            AUTORUN => set_flag(&mut self.runs_at_once, key, given),
            SHOW => set_list(&mut self.show, key, given, &controls().collect::<Vec<_>>()),
            LOCK => set_list(&mut self.lock, key, given, &settings().collect::<Vec<_>>()),
            LOOK => set_optional(&mut self.look, key, given),
            LANGUAGE => self.set_language(given),
            INSTANCE => self.set_instance(given),
            _ => self.set_origin(given),
        }
    }

    /// Sets the language of a tag: "de-AT" is German.
    fn set_language(&mut self, given: &str) -> Option<Notice> {
        let (language, _) = given.split_once('-').unwrap_or((given, ""));
        let notice = set_optional(&mut self.language, LANGUAGE, language);
        notice.map(|notice| Notice { given: given.to_owned(), ..notice })
    }

    fn set_instance(&mut self, given: &str) -> Option<Notice> {
        self.instance = given.chars().take(INSTANCE_CHARS).collect();
        let allowed = say!("a text of up to {INSTANCE_CHARS} characters");
        (self.instance != given).then(|| Notice::not_a_choice(INSTANCE, given, &self.instance, allowed))
    }

    /// Adds an origin: a scheme, a host, and a port unless it is the default one.
    fn set_origin(&mut self, given: &str) -> Option<Notice> {
        // As browsers write it: in small letters, and without the scheme's own port.
        let origin = given.trim().to_ascii_lowercase();
        let port = if origin.starts_with("https") { ":443" } else { ":80" };
        let origin = origin.strip_suffix(port).unwrap_or(&origin);
        let host = origin.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme));
        let is_origin = host.is_some_and(|(_, host)| !host.is_empty() && !host.contains(['/', '?', '#', ' ', '*']));
        if is_origin {
            self.origins.push(origin.to_owned());
            return None;
        }
        // A mistyped origin must not let all origins in.
        self.origins.push("nobody".into());
        Some(Notice::not_a_choice(ORIGIN, given, "nobody", say!("an origin such as https://course.example.org")))
    }
}

fn set_optional<W: Word>(word: &mut Option<W>, key: &str, given: &str) -> Option<Notice> {
    let mut chosen = word.unwrap_or_default();
    let mut notice = set_word(&mut chosen, key, given);
    match (&mut notice, *word) {
        (None, _) => *word = Some(chosen),
        (Some(notice), None) => notice.set_used(say!("as chosen last")),
        (Some(_), Some(_)) => {}
    }
    notice
}

fn set_flag(flag: &mut bool, key: &str, given: &str) -> Option<Notice> {
    match given.trim() {
        "1" => *flag = true,
        "0" => *flag = false,
        _ => return Some(Notice::not_a_choice(key, given, if *flag { "1" } else { "0" }, say!("0 or 1"))),
    }
    None
}

/// Sets a list of controls by their keys, in the order of the page; the notice names unknown keys.
fn set_list(list: &mut Vec<&'static str>, key: &str, given: &str, all: &[&'static str]) -> Option<Notice> {
    let words: Vec<_> = given.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    let is_named = |control: &&'static str| words.iter().any(|word| word.eq_ignore_ascii_case(control));
    *list = all.iter().copied().filter(is_named).collect();
    let all_known = words.iter().all(|word| all.iter().any(|control| word.eq_ignore_ascii_case(control)));
    let used = if list.is_empty() { "none".to_owned() } else { list.join(",") };
    (!all_known).then(|| Notice::not_a_choice(key, given, &used, all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::link;

    fn read(query: &str) -> (Embed, Vec<String>, usize) {
        read_in(query, Framing::Alone)
    }

    fn read_in(query: &str, framing: Framing) -> (Embed, Vec<String>, usize) {
        let mut pairs = link::pairs(query);
        let (embed, notices) = Embed::take(&mut pairs, framing);
        (embed, notices.iter().map(Notice::to_string).collect(), pairs.len())
    }

    #[test]
    fn an_author_says_what_is_shown() {
        let query = "embed=1&show=M,eps&lock=K&theme=dark&caption=0&autorun=0&origin=https://a.example&origin=http://b.example:81&instance=fig 1";
        let (embed, notices, left) = read(&format!("{query}&M=5"));
        assert_eq!((notices, left), (vec![], 1));
        assert!(embed.is_on && !embed.has_caption && !embed.runs_at_once && embed.instance == "fig 1");
        assert_eq!(["M", "eps", "K", "alpha", "alg"].map(|key| embed.shows(key)), [true, true, true, false, false]);
        assert!(embed.locks("K") && !embed.locks("M"));
        assert_eq!(
            ["https://a.example", "http://b.example:81", "http://a.example"].map(|o| embed.hears(o)),
            [true, true, false]
        );
        assert_eq!(link::query(embed.pairs()), query.replace("fig 1", "fig+1"));
        for name in ["Fig #3", "A&B", "A+B=C", "50 %", "Bild „2“"] {
            let embed = Embed { is_on: true, instance: name.to_owned(), ..Embed::default() };
            assert_eq!(read(&link::query(embed.pairs())).0.instance, name);
        }
    }

    #[test]
    fn an_origin_is_the_one_that_browsers_write() {
        let hears = |given: &str, origin: &str| read(&format!("embed=1&origin={given}")).0.hears(origin);
        assert!(hears("https://Course.Example.org", "https://course.example.org"));
        assert!(hears("HTTPS://course.example.org:443", "https://course.example.org"));
        assert!(hears("http://course.example.org:80", "http://course.example.org"));
        assert!(hears("http://course.example.org:443", "http://course.example.org:443"));
        assert!(!hears("https://course.example.org:80", "https://course.example.org"));
    }

    #[test]
    fn a_tag_of_a_country_is_its_language() {
        let (embed, notices, _) = read("lang=de-AT");
        assert_eq!((embed.language.map(Language::word), notices), (Some("de"), vec![]));
        let (_, notices, _) = read("lang=fr-CA");
        assert!(notices.len() == 1 && notices[0].starts_with("lang = fr-CA is not among the choices: "), "{notices:?}");
    }

    #[test]
    fn without_a_frame_all_is_there() {
        let (embed, notices, _) = read("");
        assert_eq!((embed.pairs(), notices), (vec![], vec![]));
        assert!(controls().all(|key| embed.shows(key) && !embed.locks(key)) && embed.hears("https://any.example"));
    }

    /// Keys of embedding do not restrict a whole page: a link that has lost its `embed=1` still works.
    #[test]
    fn a_whole_page_is_not_held_back() {
        let (whole, ..) = read("show=M&lock=K&autorun=0");
        assert!(!whole.rests() && !whole.locks("K") && whole.shows("eps"));
        assert!(read("embed=1&autorun=0").0.rests());
    }

    /// An address pasted into a frame gives a page that fits there; keys of embedding in the address keep their
    /// meaning.
    #[test]
    fn a_frame_without_a_word_is_compact() {
        #[track_caller]
        fn check(query: &str, expected: &str) {
            let (embed, notices, _) = read_in(query, Framing::Framed);
            let written = link::query(embed.pairs());
            assert_eq!((written.as_str(), notices), (expected, vec![]));
            assert_eq!(read_in(&written, Framing::Framed).0, embed);
        }
        assert!(USUAL.iter().all(|key| controls().any(|control| control == *key)));
        check("M=5", "embed=1&show=views,choices,M,eps");
        check("show=K", "embed=1&show=K");
        check("show=", "embed=1");
        check("lock=K", "embed=1&show=views,choices,M,eps&lock=K");
        check("embed=1", "embed=1");
        check("Embed=0&show=K", "embed=0&show=K");
        assert_eq!(read("M=5").0, Embed::default());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        #[track_caller]
        fn check(query: &str, expected: &str) {
            let (_, notices, _) = read(query);
            assert!(notices.len() == 1 && notices[0].starts_with(expected), "{notices:?}");
        }
        check("embed=yes", "embed = yes is not among the choices: allowed 0 or 1, using 0");
        check("caption=", "caption without a value is not among the choices: allowed 0 or 1, using 1");
        check(
            "theme=blue",
            "theme = blue is not among the choices: allowed system, light, dark, projector, using as chosen last",
        );
        check("show=eps,color", "show = eps,color is not among the choices: allowed views, choices, alg, M, N, eps");
        check("lock=views", "lock = views is not among the choices: allowed alg, M, N, eps");
        check(
            "origin=*",
            "origin = * is not among the choices: allowed an origin such as https://course.example.org, using nobody",
        );
    }

    #[test]
    fn a_name_is_cut_to_its_length() {
        let (embed, notices, _) = read(&format!("instance={}", "é".repeat(101)));
        assert_eq!(embed.instance.chars().count(), INSTANCE_CHARS);
        assert!(notices.len() == 1 && notices[0].contains("a text of up to 100 characters"), "{notices:?}");
    }

    #[test]
    fn a_mistyped_origin_opens_the_page_to_nobody() {
        for bad in ["*", "course.example.org", "https://", "https://a/b", "javascript://x"] {
            let (embed, ..) = read(&format!("origin={bad}"));
            assert!(!embed.hears("https://course.example.org") && !embed.hears("null"), "{bad}");
        }
    }

    #[test]
    fn shown_controls_stand_in_the_order_of_the_page() {
        assert_eq!(read("show=schedule EPS,m,alg,views").0.show, ["views", "alg", "M", "eps", "schedule"]);
    }
}
