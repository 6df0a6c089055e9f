//! The menu of a chart: what can be saved or copied, and how it looks.

use super::{Export, Format, PICTURE};
use crate::dashboard::outgoing::script::Language;
use crate::dashboard::words::html::options;
use crate::figure::sheet::Paper;
use crate::figure::theme::Theme;
use fedsysid_say::say;

/// Look of a saved picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureLook {
    /// Dark on white.
    #[default]
    Light,
    /// Dark on a transparent background: for slides and pages with a light background of their own.
    Clear,
    /// Light on a dark background.
    Dark,
    /// Larger type and thicker lines, on white.
    Projector,
}

impl PictureLook {
    /// All looks.
    pub const ALL: [Self; 4] = [Self::Light, Self::Clear, Self::Dark, Self::Projector];

    fn word(self) -> &'static str {
        match self {
            Self::Light => say!("light"),
            Self::Clear => say!("light, transparent"),
            Self::Dark => say!("dark"),
            Self::Projector => say!("projector"),
        }
    }

    /// Theme of the sheet, and its background.
    pub fn theme(self) -> (&'static Theme, Paper) {
        match self {
            Self::Light => (&Theme::LIGHT, Paper::Opaque),
            Self::Clear => (&Theme::LIGHT, Paper::Clear),
            Self::Dark => (&Theme::DARK, Paper::Opaque),
            Self::Projector => (&Theme::PROJECTOR, Paper::Opaque),
        }
    }
}

/// Pixels of a saved picture per CSS pixel.
pub const SCALES: [f64; 3] = [1.0, 2.0, 3.0];

/// The last choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    look: usize,
    scale: usize,
    language: usize,
}

/// Two pixels per CSS pixel: sharp on every screen.
impl Default for Choices {
    fn default() -> Self {
        Self { look: 0, scale: 1, language: 0 }
    }
}

impl Choices {
    /// Reads a text made by [`Choices::words`]; unreadable parts have their defaults.
    pub fn of(words: &str) -> Self {
        let mut choices = Self::default();
        for (name, place) in NAMES.iter().zip(words.split(' ')) {
            choices
                .choose(name, place.bytes().next().map_or(usize::MAX, |digit| usize::from(digit.wrapping_sub(b'0'))));
        }
        choices
    }

    /// The chosen indices as a text to be stored.
    pub fn words(self) -> String {
        format!("{} {} {}", self.look, self.scale, self.language)
    }

    /// Chooses an option by its index; an index beyond the list is ignored.
    pub fn choose(&mut self, name: &str, place: usize) {
        let (chosen, count) = match name {
            "look" => (&mut self.look, PictureLook::ALL.len()),
            "scale" => (&mut self.scale, SCALES.len()),
            "language" => (&mut self.language, Language::ALL.len()),
            _ => return,
        };
        if place < count {
            *chosen = place;
        }
    }

    /// The chosen look.
    pub fn look(self) -> PictureLook {
        PictureLook::ALL.get(self.look).copied().unwrap_or_default()
    }

    /// Pixels per CSS pixel.
    pub fn scale(self) -> f64 {
        SCALES.get(self.scale).copied().unwrap_or(1.0)
    }

    /// The language of the program.
    pub fn language(self) -> Language {
        Language::ALL.get(self.language).copied().unwrap_or(Language::Python)
    }
}

const NAMES: [&str; 3] = ["look", "scale", "language"];

/// Action of a button in the menu, by its `data-act`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Saves a file.
    Save(Format),
    /// Copies the table.
    CopyNumbers,
    /// Copies the program.
    CopyProgram,
    /// Saves the program.
    SaveProgram,
}

impl Act {
    /// All actions and their words.
    const ALL: [(Self, &'static str); 7] = [
        (Self::Save(Format::Png), "png"),
        (Self::Save(Format::Svg), "svg"),
        (Self::Save(Format::Csv), "csv"),
        (Self::Save(Format::Json), "json"),
        (Self::CopyNumbers, "copy-numbers"),
        (Self::CopyProgram, "copy-program"),
        (Self::SaveProgram, "save-program"),
    ];

    /// The action with this word.
    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, other)| *other == word).map(|(act, _)| *act)
    }
}

/// Markup of the menu. Its lists have `data-choice`, its buttons `data-act`.
pub fn menu(choices: Choices, has_program: bool) -> String {
    let list = |name: &str, label: &str, words: &[String], chosen: usize| {
        format!(
            "<label><span>{label}</span><select data-choice={name}>{}</select></label>",
            options(words, Some(chosen))
        )
    };
    let button = |act: &str, words: &str| format!("<button type=button class=set-step data-act={act}>{words}</button>");
    let looks = PictureLook::ALL.map(|look| look.word().to_owned());
    let sizes = SCALES.map(|scale| say!("{scale}×, {} px wide", scale * PICTURE.0));
    let row = |title: &str, parts: &[String]| {
        format!("<div class=save-row role=group aria-label=\"{title}\"><h3>{title}</h3>{}</div>", parts.concat())
    };
    let picture = [
        list("look", say!("theme"), &looks, choices.look),
        list("scale", say!("PNG’s size"), &sizes, choices.scale),
        button("png", say!("Save PNG")),
        button("svg", say!("Save SVG")),
    ];
    let numbers =
        [button("csv", say!("Save CSV")), button("json", say!("Save JSON")), button("copy-numbers", say!("Copy"))];
    let languages = Language::ALL.map(|language| language.name().to_owned());
    let program = [
        list("language", say!("copy as"), &languages, choices.language),
        button("copy-program", say!("Copy")),
        button("save-program", say!("Save")),
        format!(
            "<p class=quiet>{}</p>",
            say!(
                "Finds the final errors of the run at these settings again, from the formulas and the moments of its data."
            )
        ),
    ];
    let program = if has_program { row(say!("Program"), &program) } else { String::new() };
    row(say!("Picture"), &picture) + &row(say!("Numbers"), &numbers) + &program
}

impl Export {
    /// The table as spreadsheets take it from the clipboard: cells separated by tabs.
    pub fn copied(&self) -> String {
        let rows = std::iter::once(&self.table.header).chain(&self.table.rows);
        rows.map(|row| row.join("\t") + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_kept_and_what_is_not_understood_has_its_default() {
        let mut choices = Choices::default();
        choices.choose("look", 2);
        choices.choose("scale", 0);
        choices.choose("language", 3);
        choices.choose("look", 9);
        choices.choose("other", 0);
        assert_eq!((choices.look(), choices.language()), (PictureLook::Dark, Language::Rust));
        assert_eq!(Choices::of(&choices.words()), choices);
        for words in ["", "9 9 9", "x", "7", " 1"] {
            assert_eq!(Choices::of(words).language(), Language::Python, "{words}");
        }
        assert_eq!(Choices::of(""), Choices::default());
    }

    #[test]
    fn every_button_of_the_menu_does_something_and_everything_has_a_button() {
        let menu = menu(Choices::default(), true);
        let words: Vec<_> = menu.split("data-act=").skip(1).filter_map(|rest| rest.split('>').next()).collect();
        assert_eq!(words.len(), Act::ALL.len());
        assert!(words.iter().all(|word| Act::by_word(word).is_some()));
        let mut lists = menu.split("data-choice=").skip(1).filter_map(|rest| rest.split('>').next());
        assert!(lists.by_ref().eq(NAMES));
        assert!(!super::menu(Choices::default(), false).contains("language"));
    }

    /// Text in a file is as legible as on the page, in every theme of the page.
    #[test]
    fn every_look_brings_the_paper_that_its_ink_is_for() {
        for look in PictureLook::ALL {
            let (theme, paper) = look.theme();
            assert!(paper == Paper::Opaque || theme.name == Theme::LIGHT.name, "{look:?}");
        }
    }
}
