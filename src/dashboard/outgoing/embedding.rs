//! The code that embeds the present page into another one: a frame, or the element of `fedsysid-figure.js`.
//!
//! [`Embedding`] holds an author's choices; its form is markup, whose fields report changes by their names.

use fedsysid_say::say;
use std::fmt::Write;

use crate::dashboard::words::html::word_options;
use crate::params::Word;
use crate::params::embed::{self, Embed, Framing, Language, Look, OPTIONS, TABS};
use crate::params::link::{pairs as decoded, query};
use crate::params::table::Group;
use crate::params::{Lesson, Param, State, View, keys};
use crate::text::escaped;

/// The script that defines the element, beside the page.
pub const SCRIPT: &str = "fedsysid-figure.js";

/// Limits of width and height, in CSS pixels.
const SIZES: (u32, u32) = (200, 4_000);

/// Height of a frame whose needed height is not known yet, in CSS pixels.
const USUAL_HEIGHT: u32 = 360;

/// Permissions of a sandboxed frame: run scripts, open the whole page, save files.
const SANDBOX: &str = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads";

/// An author's choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Whether the code uses the element, instead of a plain frame.
    is_element: bool,
    /// Width in CSS pixels; without one, the full width.
    width: Option<u32>,
    /// Height in CSS pixels; without one, the height that the content needs.
    height: Option<u32>,
    is_sandboxed: bool,
    /// Allowed origins, as typed.
    origins: String,
    is_of_lesson: bool,
    embed: Embed,
}

/// The controls of a frame whose author has not chosen any: the two settings of the trade-off, or a lesson's own.
fn usual(is_of_lesson: bool) -> Vec<&'static str> {
    if is_of_lesson { Vec::new() } else { vec!["M", "eps"] }
}

/// A frame with the usual controls.
impl Default for Embedding {
    fn default() -> Self {
        let embed = Embed { is_on: true, show: usual(false), ..Embed::default() };
        let (width, height, origins) = (None, None, String::new());
        Self { is_element: false, width, height, is_sandboxed: false, origins, is_of_lesson: false, embed }
    }
}

impl Embedding {
    /// Takes up the usual controls of a lesson, or of none, unless the author has chosen others.
    pub fn fit(&mut self, lesson: Lesson) {
        let is_of_lesson = lesson != Lesson::None;
        if self.embed.show == usual(self.is_of_lesson) {
            self.embed.show = usual(is_of_lesson);
        }
        self.is_of_lesson = is_of_lesson;
    }

    /// Applies a changed field of the form: its name, its text or the chosen option, and whether it is ticked.
    pub fn choose(&mut self, name: &str, value: &str, is_ticked: bool) {
        match name {
            "code" => self.is_element = value == "element",
            "width" => self.width = pixels(value),
            "height" => self.height = pixels(value),
            "sandbox" => self.is_sandboxed = is_ticked,
            "caption" => self.embed.has_caption = is_ticked,
            "autorun" => self.embed.runs_at_once = is_ticked,
            "theme" => self.embed.look = Look::by_word(value),
            "lang" => self.embed.language = Language::by_word(value),
            "show" => tick(&mut self.embed.show, value, is_ticked),
            "lock" => tick(&mut self.embed.lock, value, is_ticked),
            "origin" => {
                let pairs = value.split_whitespace().map(|origin| (name.to_owned(), origin.to_owned()));
                self.embed.origins = Embed::take(&mut pairs.collect(), Framing::Alone).0.origins;
                value.clone_into(&mut self.origins);
            }
            _ => {}
        }
    }

    /// Which choices cannot be used, in words.
    pub fn problem(&self) -> String {
        let pairs = self.origins.split_whitespace().map(|origin| ("origin".to_owned(), origin.to_owned()));
        let (_, notices) = Embed::take(&mut pairs.collect(), Framing::Alone);
        notices.iter().map(ToString::to_string).map(|notice| notice + ". ").collect()
    }

    /// Query of the frame's link: the choices and the state.
    pub fn query(&self, state: &State) -> String {
        query(self.embed.pairs().into_iter().chain(state.pairs()))
    }

    /// The code. `page` is the page's address without a query, `measured` the needed height of the frame, if known.
    pub fn code(&self, page: &str, state: &State, measured: Option<u32>) -> String {
        if self.is_element { self.element(page, state) } else { self.frame(page, state, measured) }
    }

    fn frame(&self, page: &str, state: &State, measured: Option<u32>) -> String {
        let mut html = String::from("<iframe");
        put(&mut html, "src", &format!("{page}?{}", self.query(state)));
        put(&mut html, "title", &title(state));
        self.put_size(&mut html, measured);
        put(&mut html, "loading", "lazy");
        if self.is_sandboxed {
            put(&mut html, "sandbox", SANDBOX);
        }
        put(&mut html, "style", "border: 0; max-width: 100%");
        html + "></iframe>"
    }

    /// The element: its attributes are the keys of the link. Keys that a link has several times stay in the address.
    fn element(&self, page: &str, state: &State) -> String {
        let pairs: Vec<_> = self.embed.pairs().into_iter().skip(1).chain(state.pairs()).collect();
        let is_single = |key: &str| pairs.iter().filter(|(other, _)| *other == key).count() == 1;
        let several = pairs.iter().filter(|(key, _)| !is_single(key)).cloned();
        let several = query(several);
        let (folder, _) = page.rsplit_once('/').unwrap_or_default();
        let mut html = String::from("<script");
        put(&mut html, "src", &format!("{folder}/{SCRIPT}"));
        html += " async></script>\n<fedsysid-figure";
        let question = if several.is_empty() { "" } else { "?" };
        put(&mut html, "src", &format!("{page}{question}{several}"));
        // The element encodes its attributes itself.
        for (key, value) in decoded(&query(pairs.clone())).iter().filter(|(key, _)| is_single(key)) {
            put(&mut html, key, value);
        }
        for (name, pixels) in [("width", self.width), ("height", self.height)] {
            if let Some(pixels) = pixels {
                put(&mut html, name, &pixels.to_string());
            }
        }
        let sandbox = if self.is_sandboxed { " sandbox" } else { "" };
        html + sandbox + "></fedsysid-figure>"
    }

    fn put_size(&self, html: &mut String, measured: Option<u32>) {
        put(html, "width", &self.width.map_or_else(|| "100%".into(), |width| width.to_string()));
        put(html, "height", &self.height.or(measured).unwrap_or(USUAL_HEIGHT).to_string());
    }

    /// Markup of the frame at its chosen size. Each text makes a new frame: a frame whose address changed would add
    /// entries to the history.
    pub fn preview(&self, page: &str, state: &State) -> String {
        let mut html = String::from("<iframe");
        put(&mut html, "src", &format!("{page}?{}", self.query(state)));
        put(&mut html, "title", say!("Preview"));
        self.put_size(&mut html, None);
        html + "></iframe>"
    }

    /// Whether the frame's height follows its content.
    pub fn has_own_height(&self) -> bool {
        self.height.is_none()
    }

    /// Markup of the form.
    pub fn form(&self, view: View) -> String {
        let size = |name: &str, label: &str, value: Option<u32>, without: &str| {
            let value = value.map(|value| value.to_string()).unwrap_or_default();
            let (least, most) = SIZES;
            format!(
                "<label><span>{label}</span><input type=number name={name} min={least} max={most} value=\"{value}\" placeholder=\"{without}\"> px</label>"
            )
        };
        let theme = readers("theme", say!("theme"), &word_options(self.embed.look));
        let language = readers("lang", say!("language"), &word_options(self.embed.language));
        let mut origin = format!("<label>{} <input type=text", say!("messages from"));
        put(&mut origin, "name", "origin");
        put(&mut origin, "value", &self.origins);
        put(&mut origin, "placeholder", say!("any page"));
        origin += " spellcheck=false></label>";
        let fields = [
            size("width", say!("width"), self.width, say!("all")),
            size("height", say!("height"), self.height, say!("as needed")),
            theme,
            language,
            tickbox("caption", "", say!("caption"), self.embed.has_caption),
            tickbox("autorun", "", say!("computes at once"), self.embed.runs_at_once),
            tickbox("sandbox", "", "sandbox", self.is_sandboxed),
            origin,
        ];
        let words = format!("<legend>{}</legend>", say!("Controls: there, or fixed"));
        format!(
            "<div class=embed-fields>{}</div><fieldset class=embed-controls>{words}{}</fieldset>",
            fields.concat(),
            self.controls(view)
        )
    }

    /// One row per control: whether the frame shows it, and whether it is locked.
    fn controls(&self, view: View) -> String {
        let rows = keys::rows();
        let row = |key: &'static str| {
            let name = match key {
                TABS => say!("all views"),
                OPTIONS => say!("the view’s own choices"),
                _ => rows.iter().find(|row| row.key == key).map_or("", |row| &row.name),
            };
            let there = tickbox("show", key, &escaped(name), self.embed.show.contains(&key));
            let is_setting = ![TABS, OPTIONS].contains(&key);
            let fixed = is_setting.then(|| tickbox("lock", key, say!("fixed"), self.embed.lock.contains(&key)));
            format!("<div>{there}{}</div>", fixed.unwrap_or_default())
        };
        embed::controls().filter(|key| is_in(view, key)).map(row).collect()
    }

    /// Radio buttons for the kind of code.
    pub fn kinds(&self) -> String {
        let kind = |value: &str, words: &str, is_chosen: bool| {
            let chosen = if is_chosen { " checked" } else { "" };
            format!("<label><input type=radio name=code value={value}{chosen}> {words}</label>")
        };
        kind("frame", say!("plain frame"), !self.is_element)
            + &kind("element", say!("element: as high as it needs to be"), self.is_element)
    }
}

/// Whether a view has a control.
fn is_in(view: View, key: &str) -> bool {
    match view {
        _ if [TABS, OPTIONS].contains(&key) => true,
        // The Paper view has fixed settings; the Data view and the list of lessons have none.
        View::Paper | View::Data | View::Lesson => false,
        View::Systems => true,
        View::Explore | View::TradeOff | View::Map => {
            Param::by_link(key).is_none_or(|param| param.group != Group::Systems)
        }
    }
}

/// Title of the frame, for screen readers: its lesson or its view.
fn title(state: &State) -> String {
    let (lesson, view) = (state.views.guide.lesson, state.views.view);
    let name = if lesson == Lesson::None { view.name() } else { lesson.name() };
    say!("FedSysID live: {name}")
}

fn pixels(text: &str) -> Option<u32> {
    let pixels: u32 = text.trim().parse().ok()?;
    Some(pixels.clamp(SIZES.0, SIZES.1))
}

fn tick(list: &mut Vec<&'static str>, key: &str, is_ticked: bool) {
    let before = list.clone();
    let stays = |other: &&str| if *other == key { is_ticked } else { before.contains(other) };
    *list = embed::controls().filter(stays).collect();
}

/// A list whose first option leaves the choice to the reader.
fn readers(name: &str, label: &str, options: &str) -> String {
    let theirs = say!("the reader’s");
    format!("<label><span>{label}</span><select name={name}><option value=\"\">{theirs}{options}</select></label>")
}

fn tickbox(name: &str, value: &str, words: &str, is_ticked: bool) -> String {
    let ticked = if is_ticked { " checked" } else { "" };
    let says = if name == "lock" { format!(" aria-label=\"{}\"", say!("{value} fixed")) } else { String::new() };
    format!("<label><input type=checkbox name={name} value=\"{value}\"{says}{ticked}> {words}</label>")
}

/// Writes an attribute and escapes its value.
fn put(html: &mut String, name: &str, value: &str) {
    let _ = write!(html, " {name}=\"{}\"", escaped(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://a.example/live/";

    fn chosen(fields: &[(&str, &str, bool)]) -> Embedding {
        let mut embedding = Embedding::default();
        for (name, value, is_ticked) in fields {
            embedding.choose(name, value, *is_ticked);
        }
        embedding
    }

    fn state(query: &str) -> State {
        State::from_query(query).0
    }

    #[test]
    fn a_frame_is_one_line() {
        let code = Embedding::default().code(PAGE, &state("view=tradeoff&M=20"), Some(412));
        assert_eq!(
            code,
            "<iframe src=\"https://a.example/live/?embed=1&amp;show=M,eps&amp;view=tradeoff&amp;M=20\" title=\"FedSysID live: Trade-off\" \
             width=\"100%\" height=\"412\" loading=\"lazy\" style=\"border: 0; max-width: 100%\"></iframe>"
        );
    }

    #[test]
    fn a_lesson_has_its_own_controls_and_name() {
        let mut embedding = Embedding::default();
        embedding.fit(Lesson::Joining);
        let code = embedding.code(PAGE, &state("lesson=joining&step=2"), None);
        let expected = "live/?embed=1&amp;lesson=joining&amp;step=2\" title=\"FedSysID live: When does joining pay?\"";
        assert!(code.contains(expected), "{code}");
        embedding.fit(Lesson::None);
        assert_eq!(embedding, Embedding::default());
        embedding.choose("show", "K", true);
        embedding.fit(Lesson::Joining);
        let code = embedding.code(PAGE, &state("lesson=joining"), None);
        assert!(code.contains("show=M,eps,K&amp;lesson") || code.contains("show=M,K,eps&amp;lesson"), "{code}");
    }

    #[test]
    fn every_choice_is_in_the_code() {
        let embedding = chosen(&[
            ("width", "640", false),
            ("height", "1", false),
            ("theme", "dark", false),
            ("caption", "", false),
            ("autorun", "", false),
            ("sandbox", "", true),
            ("show", "eps", false),
            ("show", "alg", true),
            ("lock", "K", true),
            ("origin", "https://a.example  http://b.example:81", false),
            ("other", "x", true),
        ]);
        let code = embedding.code(PAGE, &state(""), Some(412));
        let link = "embed=1&amp;show=alg,M&amp;lock=K&amp;theme=dark&amp;caption=0&amp;autorun=0&amp;origin=https://a.example&amp;origin=http://b.example:81\"";
        for part in [link, "width=\"640\" height=\"200\"", "sandbox=\"allow-scripts "] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
        assert_eq!(embedding.problem(), "");
    }

    /// The element encodes its attributes itself.
    #[test]
    fn an_elements_attributes_are_not_encoded() {
        let state = state("pin=M:5~name:before+%CE%B5+%3D+0.1");
        let code = chosen(&[("code", "element", false)]).code(PAGE, &state, None);
        assert!(code.contains(" pin=\"M:5~name:before ε = 0.1\""), "{code}");
    }

    #[test]
    fn an_elements_attributes_are_the_keys_of_the_link() {
        let code = chosen(&[("code", "element", false), ("height", "300", false)]).code(
            "https://a.example/live/index.html",
            &state("M=20&eps=0.1&pin=M:5&pin=M:6"),
            Some(412),
        );
        assert_eq!(
            code,
            "<script src=\"https://a.example/live/fedsysid-figure.js\" async></script>\n\
             <fedsysid-figure src=\"https://a.example/live/index.html?pin=M:5~name:A&amp;pin=M:6~name:B\" show=\"M,eps\" M=\"20\" eps=\"0.1\" \
             height=\"300\"></fedsysid-figure>"
        );
    }

    /// HTML attributes lose their case: no two keys may differ in case only.
    #[test]
    fn keys_are_themselves_in_any_case() {
        let mut keys: Vec<_> =
            keys::rows().iter().chain(&keys::frame_rows()).map(|row| row.key.to_ascii_lowercase()).collect();
        let n_keys = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), n_keys);
        let (lower, notices) = State::from_query("m=7&k=3&t=9&r=50&a=0.5&b=1");
        assert_eq!((lower, notices), (state("M=7&K=3&T=9&R=50&A=0.5&B=1"), vec![]));
    }

    /// The name of a pinned run may hold any text.
    #[test]
    fn nothing_breaks_out_of_an_attribute() {
        let state = state("pin=M:5~name:%22%3E%3Cscript%3Ealert(1)%3C/script%3E%26amp;");
        for form in ["frame", "element"] {
            let code = chosen(&[("code", form, false)]).code("https://a.example/\"><b>/", &state, None);
            let inside: Vec<_> = code.split('"').skip(1).step_by(2).collect();
            assert!(!inside.iter().any(|value| value.contains(['<', '"'])), "{code}");
            assert!(!code.contains("<b>") && !code.contains("<script>"), "{code}");
        }
        assert!(!chosen(&[("origin", "\"><b>", false)]).form(View::Explore).contains("\"><b>\""));
    }

    #[test]
    fn a_mistyped_origin_is_named() {
        let embedding = chosen(&[("origin", "course.example", false)]);
        assert!(embedding.problem().starts_with("origin = course.example is not among"), "{}", embedding.problem());
        assert!(embedding.query(&state("")).contains("origin=nobody"));
    }

    /// Reopened, the form shows all choices.
    #[test]
    fn the_form_shows_what_is_chosen() {
        let form =
            chosen(&[("width", "640", false), ("lock", "K", true), ("theme", "dark", false)]).form(View::Explore);
        for part in [
            "max=4000 value=\"640\"",
            "<option value=dark selected>dark",
            "value=\"K\" aria-label=\"K fixed\" checked",
            "value=\"M\" checked",
        ] {
            assert!(form.contains(part), "{part} is not in {form}");
        }
        let of_paper = Embedding::default().form(View::Paper);
        assert!(of_paper.contains("value=\"views\"") && !of_paper.contains("value=\"eps\""));
    }

    /// The generated link is read back as the same choices.
    #[test]
    fn the_link_says_what_was_chosen() {
        let (embedding, state) =
            (chosen(&[("lock", "seed", true), ("theme", "light", false)]), state("eps=0.2&seed=7"));
        let mut pairs = crate::params::link::pairs(&embedding.query(&state));
        let (embed, notices) = Embed::take(&mut pairs, Framing::Alone);
        assert_eq!((embed, notices), (embedding.embed, vec![]));
        assert_eq!(State::from_pairs(pairs), (state, vec![]));
    }
}
