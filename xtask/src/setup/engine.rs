//! The engines that the page is tested in: what each needs, and how the tests are told of it.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::ValueEnum;

use super::browser::{Browser, CHROME_VARIABLE, DRIVER_VARIABLE};
use super::firefox::{FIREFOX_VARIABLE, Firefox, GECKODRIVER_VARIABLE};
use super::webkit::{WEBKIT_DRIVER_VARIABLE, WEBKIT_VARIABLE, WebKit, XVFB_VARIABLE};
use super::{Plan, Requirement, ensure};
use crate::project::Project;

/// An engine of browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Chrome or Chromium.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK, the engine of Safari.
    Webkit,
}

/// The variable that tells the tests which engine is meant.
const ENGINE_VARIABLE: &str = "FEDSYSID_ENGINE";

impl Engine {
    /// Sets it up: the variables that name it to the tests. If only a person can, the reason why it is not there.
    pub(crate) fn ready(self, project: &Project) -> Result<Result<Ready, String>> {
        let variables = match self {
            Self::Chromium => available(project, &Browser { project })?
                .map(|pair| vec![(CHROME_VARIABLE, pair.chrome.path), (DRIVER_VARIABLE, pair.driver.path)]),
            Self::Firefox => available(project, &Firefox { project })?
                .map(|found| vec![(FIREFOX_VARIABLE, found.firefox.path), (GECKODRIVER_VARIABLE, found.driver.path)]),
            Self::Webkit => available(project, &WebKit { project })?.map(|found| {
                vec![
                    (WEBKIT_VARIABLE, found.browser),
                    (WEBKIT_DRIVER_VARIABLE, found.driver),
                    (XVFB_VARIABLE, found.screen),
                ]
            }),
        };
        Ok(variables.map(|variables| Ready { engine: self, variables }))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
            Self::Webkit => "WebKit",
        })
    }
}

/// What there is, installing it where that can be done; the reason where only a person can.
fn available<R: Requirement>(project: &Project, requirement: &R) -> Result<Result<R::Found, String>> {
    if requirement.find().is_none()
        && let Plan::Advise(advice) = requirement.plan()
    {
        return Ok(Err(format!("{} is missing: {advice}", requirement.name())));
    }
    ensure(project, requirement).map(Ok)
}

/// An engine that is set up.
pub(crate) struct Ready {
    /// Which one.
    pub(crate) engine: Engine,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Ready {
    /// Tells `command` which engine is meant, and where all of it is.
    pub(crate) fn apply(&self, command: &mut Command) {
        let name = self.engine.to_possible_value();
        let name = name.as_ref().map_or("", |name| name.get_name());
        command.env(ENGINE_VARIABLE, name).envs(self.variables.iter().map(|(variable, path)| (variable, path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_are_told_the_engine_and_its_programs() {
        let ready = Ready { engine: Engine::Firefox, variables: vec![(FIREFOX_VARIABLE, "/usr/bin/firefox".into())] };
        let mut command = Command::new("cargo");
        ready.apply(&mut command);
        let told: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_str(), value.and_then(|v| v.to_str()))).collect();
        assert_eq!(
            told,
            [(Some("FEDSYSID_ENGINE"), Some("firefox")), (Some("FEDSYSID_FIREFOX"), Some("/usr/bin/firefox"))]
        );
    }
}
