//! Firefox and geckodriver, which steers any version of it.

use std::env;
use std::fmt;

use anyhow::{Context, Result, bail};

use super::apt::Apt;
use super::browser::candidates;
use super::tool::{Program, Tool};
use super::{Plan, Requirement};
use crate::pins::{APT_FIREFOX, GECKODRIVER};
use crate::project::Project;

/// Firefox with geckodriver.
pub(crate) struct Firefox<'a> {
    pub(crate) project: &'a Project,
}

/// The two programs.
pub(crate) struct FoundFirefox {
    /// The browser.
    pub(crate) firefox: Program,
    /// What steers it.
    pub(crate) driver: Program,
}

impl fmt::Display for FoundFirefox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { firefox, driver } = self;
        write!(f, "{firefox} {}, {driver} {}", firefox.version, driver.version)
    }
}

/// The variables that name the two programs, for this tool and for the tests it starts.
pub(crate) const FIREFOX_VARIABLE: &str = "FEDSYSID_FIREFOX";
pub(crate) const GECKODRIVER_VARIABLE: &str = "FEDSYSID_GECKODRIVER";

const NAMES: [&str; 2] = ["firefox", "firefox-esr"];

/// Where installers put the browser without touching the search path.
const PLACES: [&str; 3] = [
    "/Applications/Firefox.app/Contents/MacOS/firefox",
    r"C:\Program Files\Mozilla Firefox\firefox.exe",
    r"C:\Program Files (x86)\Mozilla Firefox\firefox.exe",
];

const ADVICE: &str = "there is no Firefox
  what to do: install it:
    Debian          apt install firefox-esr
    Fedora          dnf install firefox
    Arch            pacman -S firefox
    macOS           brew install --cask firefox
    Windows         winget install Mozilla.Firefox
  or name the program in FEDSYSID_FIREFOX; geckodriver is compiled where there is none";

impl Firefox<'_> {
    fn browser() -> Option<Program> {
        candidates(FIREFOX_VARIABLE, &NAMES, &PLACES).into_iter().next()
    }

    fn driver(&self) -> Option<Program> {
        let given = candidates(GECKODRIVER_VARIABLE, &["geckodriver"], &[]).into_iter().next();
        given.or_else(|| Program::ask(Tool::geckodriver(self.project).cached()))
    }
}

impl Requirement for Firefox<'_> {
    type Found = FoundFirefox;

    fn name(&self) -> String {
        "Firefox with geckodriver".to_owned()
    }

    fn find(&self) -> Option<FoundFirefox> {
        Some(FoundFirefox { firefox: Self::browser()?, driver: self.driver()? })
    }

    fn plan(&self) -> Plan {
        let compile = format!("compiling geckodriver {GECKODRIVER} (a minute or two, once)");
        match (Self::browser(), self.driver()) {
            (Some(_), _) => Plan::Install(compile),
            (None, _) if env::var_os(FIREFOX_VARIABLE).is_some() || Apt::find().is_none() => {
                Plan::Advise(ADVICE.to_owned())
            }
            (None, Some(_)) => Plan::Install(format!("installing {} by apt-get", APT_FIREFOX[0].concat())),
            (None, None) => Plan::Install(format!("installing {} by apt-get and {compile}", APT_FIREFOX[0].concat())),
        }
    }

    fn install(&self) -> Result<()> {
        if Self::browser().is_none() {
            let apt = Apt::find().context(ADVICE)?;
            if !apt.install_first(self.project, &APT_FIREFOX)? {
                bail!("this distribution has no package for it: {ADVICE}");
            }
        }
        if self.driver().is_none() {
            Tool::geckodriver(self.project).install()?;
        }
        Ok(())
    }
}
