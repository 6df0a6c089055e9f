//! The service worker of a built page, told which files are of its version.
//!
//! `src/web/offline.js` keeps all files of one version, each with the hash of its content, or none; this is who writes the
//! hashes into it. Without them, as while one works on the page, it keeps nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// The service worker's script.
const SCRIPT: &str = "offline.js";

/// The page itself, under the name that servers know best.
const PAGE: (&str, &str) = ("index.html", "./");

/// What a page has that is served while one works on it: it loads itself anew.
const RELOADS: &str = ".well-known/trunk/ws";

const NO_VERSION: &str = "const VERSION = \"\";";
const NO_FILES: &str = "const FILES = {};";

/// Files of a version by their addresses, with hashes as browsers check them.
type Files = BTreeMap<String, String>;

/// Writes the version of a built page, and what belongs to it, into the page's service worker. A page that is served while one
/// works on it has none.
///
/// # Errors
/// If a file cannot be read or written, or the script has no place for what is to be written.
pub fn fill(folder: &Path) -> Result<()> {
    if is_served_at_work(folder)? {
        return Ok(());
    }
    let mut files = Files::new();
    collect(folder, "", &mut files)?;
    let path = folder.join(SCRIPT);
    fs::write(&path, filled(&fs::read_to_string(&path)?, &files)?)
}

/// Whether the page is one that is served while one works on it.
pub(crate) fn is_served_at_work(folder: &Path) -> Result<bool> {
    Ok(fs::read_to_string(folder.join(PAGE.0))?.contains(RELOADS))
}

fn collect(folder: &Path, below: &str, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else if name != SCRIPT {
            let address = if name == PAGE.0 { PAGE.1.to_owned() } else { name };
            files.insert(address, integrity(&fs::read(entry.path())?));
        }
    }
    Ok(())
}

fn integrity(content: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(content)))
}

fn filled(script: &str, files: &Files) -> Result<String> {
    // Written as Rust writes them, names are JavaScript's too.
    let list = format!("{files:?}");
    let version = integrity(list.as_bytes());
    let places = [(NO_VERSION, format!("const VERSION = {version:?};")), (NO_FILES, format!("const FILES = {list};"))];
    places.into_iter().try_fold(script.to_owned(), |script, (place, line)| {
        let lacks = || Error::other(format!("{SCRIPT} has no line `{place}`"));
        script.contains(place).then(|| script.replacen(place, &line, 1)).ok_or_else(lacks)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of two files.
    #[track_caller]
    fn built(html: &str, style: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("// Keeps.\n{NO_VERSION}\n{NO_FILES}\nkeep();\n");
        for (name, content) in [("index.html", html), ("main.css", style), (SCRIPT, &script)] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        fill(folder.path()).unwrap();
        fs::read_to_string(folder.path().join(SCRIPT)).unwrap()
    }

    #[test]
    fn every_file_but_the_worker_itself_is_named_with_its_hash() {
        let script = built("<p>", "p {}");
        assert!(script.contains(r#""main.css": "sha256-"#), "{script}");
        assert!(script.contains(r#""./": "sha256-"#) && !script.contains("index.html"), "{script}");
        assert!(!script.contains(SCRIPT) && script.ends_with("keep();\n"), "{script}");
        assert!(!script.contains(NO_VERSION) && !script.contains(NO_FILES), "{script}");
        assert_eq!(integrity(b""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn a_version_is_another_one_when_anything_differs() {
        let version = |html, style| {
            let script = built(html, style);
            script.lines().find(|line| line.starts_with("const VERSION")).unwrap().to_owned()
        };
        let first = version("<p>", "p {}");
        assert_eq!(first, version("<p>", "p {}"));
        assert_ne!(first, version("<p>", "p { margin: 0 }"));
        assert_ne!(first, version("<p> ", "p {}"));
    }

    #[test]
    fn while_one_works_on_it_nothing_is_kept() {
        let script = built("<script>'.well-known/trunk/ws'</script>", "p {}");
        assert!(script.contains(NO_VERSION) && script.contains(NO_FILES), "{script}");
    }

    #[test]
    fn a_script_without_a_place_is_refused() {
        let error = filled("keep();", &Files::new()).unwrap_err().to_string();
        assert_eq!(error, "offline.js has no line `const VERSION = \"\";`");
        let ours = include_str!("../../../src/web/offline.js");
        assert!(filled(ours, &Files::new()).is_ok());
    }
}
