//! The texts of other languages than English, each as a script of its own that `src/web/boot.js` loads where it is wanted.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use fedsysid_say::{TABLES, packed};

use crate::{PAGE, by_content};

/// Writes a script a language, whose texts begin with the language's tag and its decimal mark in a line of their own.
pub(crate) fn write(folder: &Path) -> Result<()> {
    for (tag, mark, json) in TABLES {
        fs::write(folder.join(format!("texts-{tag}.js")), script(tag, mark, json)?)?;
    }
    Ok(())
}

/// Names the scripts of a built page by their content, as its other files are: servers may have browsers keep them for ever.
pub(crate) fn name(folder: &Path) -> Result<()> {
    let path = folder.join(PAGE);
    let mut page = fs::read_to_string(&path)?;
    for (tag, ..) in TABLES {
        let plain = format!("texts-{tag}.js");
        let name = by_content(&format!("texts-{tag}"), &fs::read_to_string(folder.join(&plain))?, "js");
        fs::rename(folder.join(&plain), folder.join(&name))?;
        page = page.replace(&plain, &name);
    }
    fs::write(path, page)
}

fn script(tag: &str, mark: char, json: &str) -> Result<String> {
    let table: BTreeMap<String, String> = serde_json::from_str(json)?;
    let texts = packed(table).map_err(|fault| Error::other(format!("src/say/{tag}.json: {fault}")))?;
    Ok(format!("fedsysidTexts = {};\n", serde_json::to_string(&format!("{tag} {mark}\n{texts}"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_holds_the_language_and_its_texts() {
        let made = script("de", ',', r#"{ "Stop": "Anhalten \"jetzt\"" }"#).unwrap();
        assert!(made.starts_with("fedsysidTexts = \"de ,\\n") && made.ends_with("\\n\";\n"), "{made}");
        assert!(made.contains(r#" Anhalten \"jetzt\""#), "{made}");
    }

    #[test]
    fn the_page_names_scripts_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join(PAGE);
        write(folder.path()).unwrap();
        fs::write(&page, "<link href=texts-de.js data-texts=de rel=alternate>").unwrap();
        name(folder.path()).unwrap();
        let named = fs::read_to_string(&page).unwrap();
        let name = named.split("href=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        assert!(name.len() > 25 && fs::read_to_string(folder.path().join(name)).unwrap().starts_with("fedsysidTexts"));
        assert!(!folder.path().join("texts-de.js").exists());
    }

    #[test]
    fn a_table_that_cannot_be_used_is_named() {
        let error = script("de", ',', r#"{ "{n} points": "Punkte" }"#).unwrap_err().to_string();
        assert_eq!(error, "src/say/de.json: “Punkte” does not use the same placeholders as “{n} points”");
        assert!(script("de", ',', "no JSON").is_err());
    }

    #[test]
    fn every_language_is_named_by_the_page() {
        let page = include_str!("../../../index.html");
        for (tag, ..) in TABLES {
            assert!(page.contains(&format!("href=\"texts-{tag}.js\" data-texts=\"{tag}\"")), "{tag}");
        }
    }
}
