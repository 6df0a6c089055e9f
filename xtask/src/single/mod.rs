//! The page as one file that needs no server: everything that lies beside `index.html` is put into it.
//!
//! Its scripts are one, inline, since workers are made of the text of scripts that have no address (`src/web/worker.rs`).
//! Inline scripts that are modules wait for the end of the document, as the several files' scripts do.

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use lol_html::html_content::{ContentType, Element};
use lol_html::{RewriteStrSettings, element, rewrite_str};

use crate::report;

/// The file's name, in `dist/`.
pub(crate) const NAME: &str = "fedsysid.html";

/// Undoes what is packed.
const UNPACK: &str = include_str!("unpack.js");

/// Makes one file of a built page, beside it.
pub(crate) fn make(dist: &Path) -> Result<()> {
    let html = fs::read_to_string(dist.join("index.html")).context("cannot read the built page")?;
    let read = |name: &str| {
        let path = dist.join(name.trim_start_matches("./"));
        fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let whole = whole(&html, &read)?;
    let path = dist.join(NAME);
    fs::write(&path, &whole).with_context(|| format!("cannot write {}", path.display()))?;
    report::note(&format!("{}: {} kB, opens without a server", path.display(), whole.len() / 1_000));
    Ok(())
}

/// A page with everything in it that it names.
fn whole(html: &str, read: &dyn Fn(&str) -> Result<Vec<u8>>) -> Result<String> {
    let text = |name: &str| Ok::<_, anyhow::Error>(String::from_utf8(read(name)?)?);
    // It stands before the glue in the page, and behind it in the one script.
    let boot = RefCell::new(String::new());
    let style = |link: &mut Element| {
        let css = text(&attribute(link, "href")?)?;
        link.replace(&format!("<style>{}</style>", within("style", css)?), ContentType::Html);
        Ok(())
    };
    let icon = |link: &mut Element| {
        let svg = BASE64_STANDARD.encode(read(&attribute(link, "href")?)?);
        link.set_attribute("href", &format!("data:image/svg+xml;base64,{svg}"))?;
        Ok(())
    };
    let first = |script: &mut Element| {
        boot.replace(text(&attribute(script, "src")?)?);
        script.remove();
        Ok(())
    };
    let program = |script: &mut Element| {
        let glue = text(&attribute(script, "src")?)?;
        let module = packed(&read(&attribute(script, "data-wasm")?)?)?;
        let program = within("script", format!("{glue}\n{}", boot.borrow()))?;
        let scripts = format!(
            "<script type=\"application/gzip\" id=\"packed\">{module}</script>\
             <script type=\"module\">{UNPACK}</script>\
             <script type=\"module\" data-boot data-glue>{program}</script>"
        );
        script.replace(&scripts, ContentType::Html);
        Ok(())
    };
    let texts = |link: &mut Element| {
        let (tag, script) = (attribute(link, "data-texts")?, text(&attribute(link, "href")?)?);
        // What `boot.js` would find there once the script has run.
        let said = script.split_once('=').map(|(_, value)| value.trim().trim_end_matches(';')).unwrap_or_default();
        let said: String = serde_json::from_str(said).with_context(|| format!("the texts of {tag} are none"))?;
        let element = format!("<script type=\"text/plain\" data-texts=\"{tag}\">{}</script>", within("script", said)?);
        link.replace(&element, ContentType::Html);
        Ok(())
    };
    let without = |link: &mut Element| {
        link.remove();
        Ok(())
    };
    let settings = RewriteStrSettings::new()
        .append_element_content_handler(element!("link[rel=stylesheet]", style))
        .append_element_content_handler(element!("link[rel=icon]", icon))
        .append_element_content_handler(element!("link[data-texts]", texts))
        .append_element_content_handler(element!("link[rel=manifest]", without))
        .append_element_content_handler(element!("link[rel=apple-touch-icon]", without))
        .append_element_content_handler(element!("script[data-boot]", first))
        .append_element_content_handler(element!("script[data-glue]", program));
    let whole = rewrite_str(html, settings).context("the built page cannot be put into one file")?;
    ensure!(!boot.borrow().is_empty() && whole.contains(UNPACK), "the built page names no scripts");
    Ok(whole)
}

fn attribute(element: &Element, name: &str) -> Result<String> {
    element.get_attribute(name).with_context(|| format!("an element has no {name}"))
}

/// A text that can stand within an element of this name as it is.
fn within(name: &str, text: String) -> Result<String> {
    let lower = text.to_ascii_lowercase();
    let ends = [format!("</{name}"), "<!--".into()].into_iter().find(|end| lower.contains(end.as_str()));
    ensure!(ends.is_none(), "a {name} cannot stand in the page: it has {}", ends.unwrap_or_default());
    Ok(text)
}

fn packed(bytes: &[u8]) -> Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(BASE64_STANDARD.encode(gzip.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html><link rel=icon href=./icon.svg><link rel=manifest href=./m.json>\
        <link rel=stylesheet href=./a.css><link data-texts=de href=t.js>\
        <script data-boot defer src=./boot.js></script><script data-glue data-wasm=./p.wasm defer src=./p.js></script><p>Text";

    fn read(name: &str) -> Result<Vec<u8>> {
        Ok(match name {
            "./a.css" => "p > a { margin: 0 }",
            "./boot.js" => "boot(1 < 2 && \"a\")",
            "./p.js" => "let wasm_bindgen",
            "./p.wasm" => "module",
            "./icon.svg" => "<svg/>",
            "t.js" => "fedsysidTexts = \"de ,\\n1 eins\\n\";\n",
            _ => anyhow::bail!("{name} is not there"),
        }
        .into())
    }

    #[test]
    fn everything_that_is_named_is_within() {
        let whole = whole(PAGE, &read).unwrap();
        assert!(whole.contains("<style>p > a { margin: 0 }</style>"), "{whole}");
        assert!(whole.contains("data-glue>let wasm_bindgen\nboot(1 < 2 && \"a\")</script>"), "{whole}");
        assert!(whole.contains(&packed(b"module").unwrap()) && whole.contains("base64,PHN2Zy8+"), "{whole}");
        assert!(whole.contains("<script type=\"text/plain\" data-texts=\"de\">de ,\n1 eins\n</script>"), "{whole}");
        assert!(!whole.contains("./") && !whole.contains("manifest") && whole.ends_with("<p>Text"), "{whole}");
    }

    #[test]
    fn what_would_end_an_element_is_refused() {
        let close = |name: &str| if name == "./p.js" { Ok(b"'</SCRIPT>'".to_vec()) } else { read(name) };
        let error = format!("{:#}", whole(PAGE, &close).unwrap_err());
        assert!(error.contains("a script cannot stand in the page: it has </script"), "{error}");
        let error = format!("{:#}", whole("<p>", &read).unwrap_err());
        assert_eq!(error, "the built page names no scripts");
        let missing = PAGE.replace("a.css", "b.css");
        let error = format!("{:#}", whole(&missing, &read).unwrap_err());
        assert!(error.contains("./b.css is not there"), "{error}");
    }
}
