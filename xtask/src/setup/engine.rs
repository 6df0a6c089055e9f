//! The engines that the page is tested in: what each needs, and how the tests are told of it.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
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
    /// All of them, in the order they are tested.
    pub(crate) const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::Webkit];

    /// Whether nothing is tested without it, whoever asks.
    fn is_indispensable(self) -> bool {
        self == Self::Chromium
    }

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

/// The engines that tests are run in, and why they are not run in others.
#[derive(Debug, Default)]
pub(crate) struct Engines {
    /// Those that are set up.
    pub(crate) ready: Vec<Ready>,
    /// One sentence for each of the others.
    pub(crate) missing: Vec<String>,
}

impl Engines {
    /// Sets up the engines that are asked for, which then must be there; without a word all that can be.
    pub(crate) fn set_up(project: &Project, asked: &[Engine]) -> Result<Self> {
        let mut engines = Self::default();
        for &engine in if asked.is_empty() { &Engine::ALL[..] } else { asked } {
            engines.add(engine, !asked.is_empty(), engine.ready(project))?;
        }
        Ok(engines)
    }

    /// Adds what came of setting up an engine. One that nobody asked for, and that did not come to be, is no error: it may lack
    /// a network, or rights.
    fn add(&mut self, engine: Engine, is_asked_for: bool, outcome: Result<Result<Ready, String>>) -> Result<()> {
        let reason = match outcome {
            Ok(Ok(ready)) => {
                self.ready.push(ready);
                return Ok(());
            }
            Ok(Err(reason)) => reason,
            Err(error) => format!("{error:#}"),
        };
        if is_asked_for || engine.is_indispensable() {
            bail!(reason);
        }
        self.missing.push(format!("not tested in {engine}: {reason}"));
        Ok(())
    }
}

/// An engine that is set up.
#[derive(Debug)]
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
    fn an_engine_that_cannot_be_had_is_named_unless_it_is_asked_for() {
        let nothing_helps = || Ok(Err("Firefox is missing: there is no Firefox\n  what to do: install it".to_owned()));
        let no_network = || Err(anyhow::anyhow!("no network").context("WebKitGTK could not be installed"));
        let mut engines = Engines::default();
        let ready = Ready { engine: Engine::Chromium, variables: Vec::new() };
        engines.add(Engine::Chromium, false, Ok(Ok(ready))).unwrap();
        engines.add(Engine::Firefox, false, nothing_helps()).unwrap();
        engines.add(Engine::Webkit, false, no_network()).unwrap();
        assert_eq!(engines.ready.iter().map(|ready| ready.engine).collect::<Vec<_>>(), [Engine::Chromium]);
        assert_eq!(
            engines.missing,
            [
                "not tested in Firefox: Firefox is missing: there is no Firefox\n  what to do: install it",
                "not tested in WebKit: WebKitGTK could not be installed: no network",
            ]
        );
        for (engine, is_asked_for) in [(Engine::Chromium, false), (Engine::Chromium, true), (Engine::Webkit, true)] {
            assert!(engines.add(engine, is_asked_for, nothing_helps()).is_err(), "{engine}");
            assert!(engines.add(engine, is_asked_for, no_network()).is_err(), "{engine}");
        }
    }

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
