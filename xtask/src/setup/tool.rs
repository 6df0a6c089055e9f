//! Tools from crates.io at exact versions: on the search path, else in the cache.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use which::which;

use super::{Plan, Requirement};
use crate::process::{self, Logged, capture};
use crate::project::Project;
use crate::{lockfile, pins};

/// A program that `cargo install` provides.
pub(crate) struct Tool<'a> {
    project: &'a Project,
    package: &'static str,
    program: &'static str,
    version: String,
    features: &'static [&'static str],
}

/// A program that is there.
#[derive(Debug)]
pub(crate) struct Program {
    /// Where.
    pub(crate) path: PathBuf,
    /// Which one; empty where it cannot be asked.
    pub(crate) version: String,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.display().to_string())
    }
}

impl Program {
    /// Asks the program at `path` for its version.
    pub(crate) fn ask(path: PathBuf) -> Option<Self> {
        let answer = capture(Command::new(&path).arg("--version"))?;
        let version = first_version(&answer)?.to_owned();
        Some(Self { path, version })
    }
}

/// The first word of `text` that starts with a digit: "trunk 0.21.14" says "0.21.14".
pub(crate) fn first_version(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

impl<'a> Tool<'a> {
    /// The bundler.
    pub(crate) fn trunk(project: &'a Project) -> Self {
        Self {
            project,
            package: "trunk",
            program: "trunk",
            version: pins::TRUNK.to_owned(),
            // Without its own check for updates; TLS that needs no system library.
            features: &["--no-default-features", "--features", "rustls"],
        }
    }

    /// What steers Firefox.
    pub(crate) fn geckodriver(project: &'a Project) -> Self {
        Self {
            project,
            package: "geckodriver",
            program: "geckodriver",
            version: pins::GECKODRIVER.to_owned(),
            features: &[],
        }
    }

    /// The tool that makes the module's JavaScript side.
    pub(crate) fn wasm_bindgen(project: &'a Project) -> Result<Self> {
        Ok(Self {
            project,
            package: "wasm-bindgen-cli",
            program: "wasm-bindgen",
            version: lockfile::version_of(pins::WASM_BINDGEN_LIBRARY, &project.root)?,
            features: &[],
        })
    }

    /// Where tools are compiled.
    pub(crate) fn build_folder(project: &Project) -> PathBuf {
        project.cache.join("build")
    }

    /// One folder a version: an upgrade never disturbs another checkout.
    fn folder(&self) -> PathBuf {
        let name = format!("{}-{}", self.package, self.version);
        self.project.cache.join(name)
    }

    /// Where it is once it was compiled.
    pub(crate) fn cached(&self) -> PathBuf {
        let file = format!("{}{}", self.program, std::env::consts::EXE_SUFFIX);
        self.folder().join("bin").join(file)
    }

    fn is_this(&self, program: &Program) -> bool {
        program.version == self.version
    }

    fn cargo_install(&self, extra: &[&str], log: &str) -> Result<()> {
        let mut command = process::cargo();
        command
            .args(["install", self.package, "--version", &self.version])
            // An optimized build takes three times as long and saves a second a run.
            .arg("--debug")
            .args(self.features)
            .args(extra)
            .arg("--root")
            .arg(self.folder())
            .arg("--target-dir")
            .arg(Self::build_folder(self.project))
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("CARGO_BUILD_TARGET")
            // Outside the checkout, whose settings are none of the tool's.
            .current_dir(&self.project.cache);
        self.logged(log).run(&mut command)
    }

    fn logged(&self, log: &str) -> Logged {
        Logged { log: self.project.log(log), limit: pins::COMPILE_LIMIT }
    }
}

impl Requirement for Tool<'_> {
    type Found = Program;

    fn name(&self) -> String {
        format!("{} {}", self.program, self.version)
    }

    fn find(&self) -> Option<Program> {
        let on_path = which(self.program).ok();
        on_path.into_iter().chain([self.cached()]).filter_map(Program::ask).find(|program| self.is_this(program))
    }

    fn plan(&self) -> Plan {
        let folder = self.folder();
        Plan::Install(format!("compiling it into {} (some minutes, once)", folder.display()))
    }

    fn install(&self) -> Result<()> {
        // Its own lock first. A registry without one of the locked versions refuses; then the
        // newest compatible ones have to do.
        self.cargo_install(&["--locked"], &format!("{}-locked", self.package))
            .or_else(|_| self.cargo_install(&[], self.package))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_the_very_version_is_good_enough() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        #[track_caller]
        fn check(printed: &str, expected: bool) {
            let folder = tempfile::tempdir().unwrap();
            let project = Project { root: "/".into(), target: "/".into(), cache: folder.path().to_owned() };
            let tool = Tool {
                project: &project,
                package: "a-tool",
                program: "a-tool-of-no-search-path",
                version: "1.2.3".to_owned(),
                features: &[],
            };
            assert!(tool.find().is_none());
            fs::create_dir_all(tool.folder().join("bin")).unwrap();
            fs::write(tool.cached(), format!("#!/bin/sh\necho a-tool {printed}\n")).unwrap();
            fs::set_permissions(tool.cached(), fs::Permissions::from_mode(0o755)).unwrap();
            let found = tool.find().map(|program| program.path);
            assert_eq!(found, expected.then(|| tool.cached()));
        }
        check("1.2.3", true);
        check("1.2.30", false);
        check("", false);
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(first_version(text), expected);
    }

    #[test]
    fn versions_are_read_from_what_programs_print() {
        check("trunk 0.21.14", Some("0.21.14"));
        check("wasm-bindgen 0.2.130 (5d1a2b3)", Some("0.2.130"));
        check("Chromium 156.0.8078.108 built on Debian GNU/Linux 12", Some("156.0.8078.108"));
        check("ChromeDriver 156.0.8078.108 (730482-refs)", Some("156.0.8078.108"));
        check("no version", None);
    }
}
