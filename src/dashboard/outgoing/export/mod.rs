//! Export of charts: as a picture or as numbers, with their origin.
//!
//! - [`charts`]: every chart of the page as an [`Export`]; `pictures`: figures of the charts that the page draws as
//!   strips;
//! - [`menu`]: the menu of a chart; `settings`: the settings that made it; `json`: the export as JSON; `png`: text
//!   chunks of a PNG file.

pub mod charts;
mod json;
pub mod menu;
pub mod own_data;
pub(in crate::dashboard) mod pictures;
pub mod png;
mod settings;

use crate::dashboard::outgoing::script::Language;
use crate::dashboard::words::table::Table;
use crate::figure::Size;
use crate::figure::sheet::{Paper, Picture, Sheet};
use crate::figure::svg::{DrawingBackend, Strokes, sheet_svg};
use crate::figure::theme::Theme;
use fedsysid_say::between;

pub use settings::Setting;

/// Name and version of this program, for files.
pub const PROGRAM: &str = concat!("FedSysID live ", env!("CARGO_PKG_VERSION"));

/// Width and height of a picture in a file, in CSS pixels, without the text around it.
pub const PICTURE: (f64, f64) = (960.0, 540.0);

/// A chart with its origin, ready to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// Name of the chart in a file name: "explore", "tradeoff-eps".
    pub slug: String,
    /// Title.
    pub title: String,
    /// What the chart shows, and how it was made.
    pub caption: String,
    /// The settings that made it.
    pub settings: Vec<Setting>,
    /// Address of the page with these settings.
    pub link: String,
    /// The picture.
    pub picture: Picture,
    /// The numbers of the picture.
    pub table: Table,
}

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A picture in pixels.
    Png,
    /// A picture in vectors and text.
    Svg,
    /// The table.
    Csv,
    /// The table with all texts of the export.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Png, Self::Svg, Self::Csv, Self::Json];

    /// File extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Name.
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
    /// A file name that identifies the run: `fedsysid-explore-M50-N25-eps0.3-K10-seed7.png`.
    pub fn file_name(&self, ending: &str) -> String {
        const TELLING: [&str; 6] = ["M", "N", "eps", "K", "seed", "systems"];
        let of = |key: &&str| self.settings.iter().find(|setting| setting.key == *key && setting.is_single);
        let settings = TELLING.iter().filter_map(of).map(|setting| format!("-{}{}", setting.key, setting.value));
        let name = format!("fedsysid-{}{}", self.slug, settings.collect::<String>());
        // Only characters that every file system accepts.
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '-' };
        format!("{}.{ending}", name.chars().map(plain).collect::<String>())
    }

    /// The picture with its texts.
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

    /// Program, title, caption, link and settings, one line each.
    pub fn about(&self) -> Vec<String> {
        let head = [PROGRAM.to_owned(), self.title.clone(), self.caption.clone(), format!("link: {}", self.link)];
        let settings = self.settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value));
        head.into_iter().chain(settings).collect()
    }

    /// The table as comma-separated values, after comment lines that begin with `#`.
    pub fn csv(&self) -> String {
        format!("# {}\r\n{}", self.about().join("\r\n# "), self.table.csv())
    }

    /// A JSON object with `program`, `title`, `caption`, `link`, `settings`, `columns`, `rows`.
    pub fn json(&self) -> String {
        json::of(self)
    }

    /// A self-contained SVG document, drawn on [`Strokes`] or on another backend of a page.
    pub fn svg<B: DrawingBackend + From<Strokes>>(&self, look: (&Theme, Paper)) -> String {
        let (width, height) = PICTURE;
        sheet_svg::<B>(&self.sheet(), look, Size::new(width, height, 1.0), &self.about().join("\n"))
    }

    /// Text chunks of a PNG file, to be placed after its header.
    pub fn png_texts(&self) -> Vec<u8> {
        let about = self.about().join("\n");
        png::texts(&[("Title", &self.title), ("Description", &about), ("Software", PROGRAM), ("Source", &self.link)])
    }

    /// File name of the program that reproduces the numbers. MATLAB allows no dots or dashes in it.
    pub fn program_name(&self, language: Language) -> String {
        let name = self.file_name("");
        let name: String =
            name.trim_end_matches('.').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{name}.{}", language.ending())
    }
}

#[cfg(test)]
mod tests;
