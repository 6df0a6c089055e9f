//! A chart to be taken away: as a picture, as numbers, with all that tells where it comes from.
//!
//! - [`charts`]: every chart of the page as an [`Export`]; `pictures`: those that the page draws otherwise;
//! - [`menu`]: what can be done with it; `settings`: the settings that made it; `json`: the same as JSON; `png`: what a picture of pixels says of itself.

pub mod charts;
mod json;
pub mod menu;
pub(in crate::dashboard) mod pictures;
pub mod png;
mod settings;

use super::script::Language;
use super::table::Table;
use crate::figure::Size;
use crate::figure::sheet::{Paper, Picture, Sheet};
use crate::figure::svg::{DrawingBackend, Strokes, sheet_svg};
use crate::figure::theme::Theme;
use fedsysid_say::{between, say};

pub use settings::Setting;

/// This program, as files name it.
pub const PROGRAM: &str = concat!("FedSysID live ", env!("CARGO_PKG_VERSION"));

/// Width and height of a picture in a file, in CSS pixels, without the words around it.
pub const PICTURE: (f64, f64) = (960.0, 540.0);

/// A chart to be taken away.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// What it is, in a file's name: "explore", "tradeoff-eps".
    pub slug: String,
    /// What it shows.
    pub title: String,
    /// What is seen, and how it was made.
    pub caption: String,
    /// The settings that made it.
    pub settings: Vec<Setting>,
    /// The page's address with these settings.
    pub link: String,
    /// The picture.
    pub picture: Picture,
    /// Its numbers.
    pub table: Table,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Lines and words.
    Svg,
    /// The table.
    Csv,
    /// The table with all that is said of it.
    Json,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Png, Self::Svg, Self::Csv, Self::Json];

    /// How a file's name ends.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Svg => "SVG",
            Self::Csv => "CSV",
            Self::Json => "JSON",
        }
    }
}

impl Export {
    /// A name that tells the run: `fedsysid-explore-M50-N25-eps0.3-K10-seed7.png`.
    pub fn file_name(&self, ending: &str) -> String {
        const TELLING: [&str; 6] = ["M", "N", "eps", "K", "seed", "systems"];
        let of = |key: &&str| self.settings.iter().find(|setting| setting.key == *key && setting.is_single);
        let settings = TELLING.iter().filter_map(of).map(|setting| format!("-{}{}", setting.key, setting.value));
        let name = format!("fedsysid-{}{}", self.slug, settings.collect::<String>());
        // Nothing that a file system could refuse.
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '-' };
        format!("{}.{ending}", name.chars().map(plain).collect::<String>())
    }

    /// The picture with its words.
    pub fn sheet(&self) -> Sheet {
        let settings: Vec<_> = self.settings.iter().map(|setting| setting.words.as_str()).collect();
        Sheet {
            title: self.title.clone(),
            settings: settings.join(between()),
            picture: self.picture.clone(),
            caption: self.caption.clone(),
            source: vec![PROGRAM.into(), self.link.clone()],
        }
    }

    /// What is said of it beside the numbers, a line each.
    pub fn about(&self) -> Vec<String> {
        let head = [PROGRAM.to_owned(), self.title.clone(), self.caption.clone(), format!("link: {}", self.link)];
        let settings = self.settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value));
        head.into_iter().chain(settings).collect()
    }

    /// The table as comma-separated values, after comments that begin with `#`.
    pub fn csv(&self) -> String {
        format!("# {}\r\n{}", self.about().join("\r\n# "), self.table.csv())
    }

    /// One object: `program`, `title`, `caption`, `link`, `settings`, `columns`, `rows`.
    pub fn json(&self) -> String {
        json::of(self)
    }

    /// A self-contained document, drawn on [`Strokes`] or on what else a page draws on.
    pub fn svg<B: DrawingBackend + From<Strokes>>(&self, look: (&Theme, Paper)) -> String {
        let (width, height) = PICTURE;
        sheet_svg::<B>(&self.sheet(), look, Size::new(width, height, 1.0), &self.about().join("\n"))
    }

    /// What a picture of pixels says of itself, as chunks to stand after its header.
    pub fn png_texts(&self) -> Vec<u8> {
        let about = self.about().join("\n");
        png::texts(&[
            (say!("Title"), &self.title),
            (say!("Description"), &about),
            (say!("Software"), PROGRAM),
            (say!("Source"), &self.link),
        ])
    }

    /// The name of a program that finds its numbers again. MATLAB takes no dots or dashes in it.
    pub fn program_name(&self, language: Language) -> String {
        let name = self.file_name("");
        let name: String =
            name.trim_end_matches('.').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{name}.{}", language.ending())
    }
}

#[cfg(test)]
mod tests;
