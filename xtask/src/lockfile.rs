//! Versions as `Cargo.lock` fixes them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Lockfile {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// The version of `name` in the `Cargo.lock` of `root`.
pub(crate) fn version_of(name: &str, root: &Path) -> Result<String> {
    let path = root.join("Cargo.lock");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text, name).with_context(|| format!("cannot use {}", path.display()))
}

fn parse(text: &str, name: &str) -> Result<String> {
    let lockfile: Lockfile = toml::from_str(text).context("it is not a Cargo.lock")?;
    let package = lockfile.package.into_iter().find(|package| package.name == name);
    let package = package.with_context(|| format!("it names no package {name}"))?;
    Ok(package.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
        version = 4
        [[package]]
        name = "wasm-bindgen-shared"
        version = "0.2.1"
        [[package]]
        name = "wasm-bindgen"
        version = "0.2.130"
        dependencies = ["wasm-bindgen-shared"]
    "#;

    #[track_caller]
    fn check(text: &str, name: &str, expected: Result<&str, &str>) {
        let found = parse(text, name).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn reads_the_version_of_exactly_the_named_package() {
        check(LOCK, "wasm-bindgen", Ok("0.2.130"));
        check(LOCK, "wasm-bindgen-shared", Ok("0.2.1"));
        check(LOCK, "wasm", Err("it names no package wasm"));
        check("", "wasm", Err("it names no package wasm"));
        check("[[package", "wasm", Err("it is not a Cargo.lock"));
    }

    #[test]
    fn this_checkout_pins_wasm_bindgen() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let version = version_of(crate::pins::WASM_BINDGEN_LIBRARY, &root).unwrap();
        assert!(version.starts_with("0.2."), "{version}");
    }
}
