//! A WebAssembly compiler out of Debian's packages, for machines that rustup's server cannot help.
//!
//! Debian ships a recent second Rust with the source of its standard library, but without that
//! library for WebAssembly. It is compiled once, and a folder in the cache is made to look like a
//! toolchain: the system's compiler, told to look for libraries in that folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use which::which;

use super::apt::Apt;
use crate::pins::{self, DEBIAN_RUST, WASM_TARGET};
use crate::process::{Logged, capture};
use crate::project::Project;

const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const LIBRARIES: &str = "/usr/lib/rustlib";

/// Which parts of the standard library a page that aborts on panic needs.
const BUILD_STD: &str = "-Zbuild-std=std,panic_abort";

pub(super) struct DebianRust<'a> {
    pub(super) project: &'a Project,
}

impl DebianRust<'_> {
    /// The assembled toolchain, if it is there and belongs to the system's present compiler.
    pub(super) fn find(&self) -> Option<PathBuf> {
        let folder = self.folder();
        let stamp = fs::read_to_string(folder.join(STAMP)).ok()?;
        let current = stamp == identity()? && holds_standard_library(&library(&folder));
        current.then_some(folder)
    }

    /// What [`DebianRust::install`] would do; `None` where it cannot.
    pub(super) fn plan() -> Option<String> {
        Apt::find().map(|_| {
            format!("Debian's {} by apt-get and compiling the standard library (some minutes, once)", DEBIAN_RUST[0])
        })
    }

    pub(super) fn install(&self) -> Result<()> {
        let apt = Apt::find()
            .context("Debian's packages cannot be used (no apt-get, or neither root nor `sudo` without a password)")?;
        apt.update(self.project)?;
        if !Apt::offers(&DEBIAN_RUST) {
            bail!("this distribution has no package {}", DEBIAN_RUST[0]);
        }
        apt.install(self.project, &DEBIAN_RUST)?;
        let linker = linker_package(&fs::read_link("/usr/bin/rust-lld").unwrap_or_default())
            .context("the linker's package cannot be told from /usr/bin/rust-lld")?;
        apt.install(self.project, &[&linker])?;
        check_age(&identity().context("the installed /usr/bin/rustc does not run")?)?;
        self.assemble()
    }

    fn folder(&self) -> PathBuf {
        self.project.cache.join("wasm-toolchain")
    }

    /// Builds beside the final place and renames at the end: half a toolchain is never found.
    fn assemble(&self) -> Result<()> {
        let workshop = self.project.cache.join("wasm-toolchain.partial");
        drop(fs::remove_dir_all(&workshop));
        let toolchain = workshop.join("toolchain");
        let compiled = self.compile_std(&workshop.join("std"))?;
        copy_libraries(&compiled, &library(&toolchain))?;
        link_host_libraries(&toolchain)?;
        write_programs(&toolchain, &self.folder())?;
        let stamp = identity().context("the compiler does not run")?;
        fs::write(toolchain.join(STAMP), stamp).context("cannot write into the cache")?;
        drop(fs::remove_dir_all(self.folder()));
        fs::rename(&toolchain, self.folder()).context("cannot rename within the cache")?;
        fs::remove_dir_all(&workshop).context("cannot clean the cache")
    }

    /// Compiles the standard library as a dependency of an empty crate.
    fn compile_std(&self, package: &Path) -> Result<PathBuf> {
        write_empty_crate(package)?;
        let mut command = Command::new(CARGO);
        command
            .args(["build", "--release", "--target", WASM_TARGET, BUILD_STD])
            .current_dir(package)
            // The system's toolchain alone, whatever the variables say for another one.
            .env("RUSTC", RUSTC)
            .env("CARGO_TARGET_DIR", package.join("target"))
            .env_remove("CARGO")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("RUSTUP_TOOLCHAIN")
            // Building the standard library is not yet stable.
            .env("RUSTC_BOOTSTRAP", "1")
            // Without its bitcode the page cannot be optimized as a whole.
            .env("RUSTFLAGS", "-Cembed-bitcode=yes");
        Logged { log: self.project.log("wasm-std"), limit: pins::COMPILE_LIMIT }.run(&mut command)?;
        Ok(package.join("target").join(WASM_TARGET).join("release/deps"))
    }
}

/// The file that names the compiler a toolchain was assembled for.
const STAMP: &str = "compiler.txt";

/// What the system's compiler says it is; libraries of another one are useless to it.
fn identity() -> Option<String> {
    which(RUSTC).ok()?;
    capture(Command::new(RUSTC).arg("-vV").env_remove("LD_LIBRARY_PATH"))
}

fn check_age(identity: &str) -> Result<()> {
    let version = release(identity).context("the compiler does not tell its version")?;
    let oldest = major_and_minor(pins::OLDEST_RUST).context("rust-version is no version")?;
    if version < oldest {
        bail!("Debian's Rust {}.{} is older than the {} that is needed", version.0, version.1, pins::OLDEST_RUST);
    }
    Ok(())
}

/// Major and minor version out of what `rustc -vV` prints.
fn release(identity: &str) -> Option<(u32, u32)> {
    major_and_minor(identity.lines().find_map(|line| line.strip_prefix("release: "))?)
}

/// The first two numbers of a version.
fn major_and_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The package of the linker that `/usr/bin/rust-lld` points to: `lld-22`, or a path through
/// `llvm-22`.
fn linker_package(target: &Path) -> Option<String> {
    let version = target.iter().find_map(|part| {
        let part = part.to_str()?;
        let number = part.strip_prefix("lld-").or_else(|| part.strip_prefix("llvm-"))?;
        number.parse::<u32>().ok()
    })?;
    Some(format!("lld-{version}"))
}

fn library(toolchain: &Path) -> PathBuf {
    toolchain.join("lib/rustlib").join(WASM_TARGET).join("lib")
}

fn write_empty_crate(package: &Path) -> Result<()> {
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n";
    fs::create_dir_all(package.join("src"))
        .and_then(|()| fs::write(package.join("Cargo.toml"), manifest))
        .and_then(|()| fs::write(package.join("src/lib.rs"), "#![no_std]\n"))
        .with_context(|| format!("cannot write {}", package.display()))
}

fn copy_libraries(from: &Path, to: &Path) -> Result<()> {
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            let is_library = path.extension().is_some_and(|extension| extension == "rlib");
            if is_library && !name.to_string_lossy().starts_with("libempty-") {
                fs::copy(&path, to.join(name))?;
            }
        }
        Ok(())
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Build scripts and macros run on this machine: its own libraries must be found as well.
fn link_host_libraries(toolchain: &Path) -> Result<()> {
    let entries = fs::read_dir(LIBRARIES).with_context(|| format!("cannot read {LIBRARIES}"))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {LIBRARIES}"))?;
        let link = toolchain.join("lib/rustlib").join(entry.file_name());
        if !link.exists() {
            symlink(&entry.path(), &link)?;
        }
    }
    Ok(())
}

/// `bin/cargo`, and a `bin/rustc` that looks for libraries in `home`.
fn write_programs(toolchain: &Path, home: &Path) -> Result<()> {
    let bin = toolchain.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("cannot create {}", bin.display()))?;
    symlink(Path::new(CARGO), &bin.join("cargo"))?;
    let script = format!("#!/bin/sh\nexec {RUSTC} --sysroot {} \"$@\"\n", quoted(home));
    write_executable(&bin.join("rustc"), &script)
}

/// `path` as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(unix)]
fn symlink(original: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(original, link).with_context(|| format!("cannot create the link {}", link.display()))
}

#[cfg(unix)]
fn write_executable(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(not(unix))]
fn symlink(_original: &Path, link: &Path) -> Result<()> {
    bail!("{} would be a link, which only Debian needs", link.display())
}

#[cfg(not(unix))]
fn write_executable(path: &Path, _text: &str) -> Result<()> {
    bail!("{} would be a script, which only Debian needs", path.display())
}

/// Whether `folder` holds a compiled `std`.
pub(super) fn holds_standard_library(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linkers_package_is_told_from_the_link() {
        #[track_caller]
        fn check(target: &str, expected: Option<&str>) {
            assert_eq!(linker_package(Path::new(target)).as_deref(), expected);
        }
        check("lld-22", Some("lld-22"));
        check("../lib/llvm-19/bin/lld", Some("lld-19"));
        check("lld", None);
        check("", None);
    }

    #[test]
    fn the_compilers_release_is_read() {
        #[track_caller]
        fn check(identity: &str, expected: Option<(u32, u32)>) {
            assert_eq!(release(identity), expected);
        }
        check("rustc 1.96.0 (x)\nrelease: 1.96.0\nLLVM version: 22.1.8", Some((1, 96)));
        check("release: 1.97.0-nightly", Some((1, 97)));
        check("rustc 1.96.0", None);
    }

    #[test]
    fn an_old_compiler_is_refused_in_words() {
        assert!(check_age("release: 1.96.0").is_ok());
        let error = check_age("release: 1.85.1").unwrap_err().to_string();
        assert!(error.contains("Debian's Rust 1.85 is older than"), "{error}");
    }

    #[test]
    fn the_compiled_libraries_are_copied_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("deps"), folder.path().join("a/lib"));
        fs::create_dir(&from).unwrap();
        for name in ["libstd-1f.rlib", "libcore-2e.rlib", "libempty-3d.rlib", "libstd-1f.rmeta", "std-1f.d"] {
            fs::write(from.join(name), name).unwrap();
        }
        copy_libraries(&from, &to).unwrap();
        let mut copied: Vec<_> = fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        copied.sort();
        assert_eq!(copied, ["libcore-2e.rlib", "libstd-1f.rlib"]);
        assert!(holds_standard_library(&to));
        assert!(!holds_standard_library(&folder.path().join("a")));
        assert!(!holds_standard_library(&folder.path().join("none")));
    }

    #[test]
    fn paths_survive_the_shell() {
        assert_eq!(quoted(Path::new("/a b")), "'/a b'");
        assert_eq!(quoted(Path::new("/it's")), r"'/it'\''s'");
    }
}
