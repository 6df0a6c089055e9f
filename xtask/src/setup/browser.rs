//! Chrome or Chromium, and the driver that belongs to it.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use which::which;

use super::apt::Apt;
use super::tool::Program;
use super::{Plan, Requirement};
use crate::pins::APT_BROWSERS;
use crate::project::Project;

/// Chrome or Chromium, and a `ChromeDriver` of the same major version.
pub(crate) struct Browser<'a> {
    pub(crate) project: &'a Project,
}

/// The two programs.
pub(crate) struct BrowserPair {
    /// Chrome or Chromium.
    pub(crate) chrome: Program,
    /// What steers it.
    pub(crate) driver: Program,
}

impl fmt::Display for BrowserPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chrome, driver } = self;
        write!(f, "{chrome} {}, {driver} {}", chrome.version, driver.version)
    }
}

/// What the browser is called on a search path.
const CHROME_NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/// Where installers put the browser without touching the search path.
const CHROME_PLACES: [&str; 6] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
];

const DRIVER_PLACES: [&str; 4] = [
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/snap/bin/chromium.chromedriver",
    "/opt/homebrew/bin/chromedriver",
];

/// The variables that name the two programs, for this tool and for the tests it starts.
pub(crate) const CHROME_VARIABLE: &str = "FEDSYSID_CHROME";
pub(crate) const DRIVER_VARIABLE: &str = "FEDSYSID_CHROMEDRIVER";

impl Requirement for Browser<'_> {
    type Found = BrowserPair;

    fn name(&self) -> String {
        "Chrome with ChromeDriver".to_owned()
    }

    fn find(&self) -> Option<BrowserPair> {
        pair(chromes(), drivers())
    }

    fn plan(&self) -> Plan {
        let chosen_by_hand = [CHROME_VARIABLE, DRIVER_VARIABLE].iter().any(|variable| env::var_os(variable).is_some());
        if chosen_by_hand || Apt::find().is_none() {
            return Plan::Advise(advice());
        }
        Plan::Install(format!("installing {} by apt-get", APT_BROWSERS[0].join(" and ")))
    }

    fn install(&self) -> Result<()> {
        let apt = Apt::find().with_context(advice)?;
        if !apt.install_first(self.project, &APT_BROWSERS)? {
            bail!("this distribution has no package for it: {}", advice());
        }
        if self.find().is_none() {
            bail!("the installed packages do not fit together: {}", advice());
        }
        Ok(())
    }
}

/// What there is and what to do, for a person.
fn advice() -> String {
    let chrome = presence("Chrome or Chromium", CHROME_VARIABLE, &chromes());
    let driver = presence("ChromeDriver", DRIVER_VARIABLE, &drivers());
    format!("{chrome}, {driver}\n{ADVICE}")
}

fn presence(name: &str, variable: &str, found: &[Program]) -> String {
    match (found.first(), env::var_os(variable)) {
        (Some(program), _) => format!("{program} is {name} {}", program.version),
        (None, Some(path)) => format!("{variable} names {}, which does not run", path.display()),
        (None, None) => format!("there is no {name}"),
    }
}

const ADVICE: &str = "  what to do: install both, of the same major version:
    Debian          apt install chromium chromium-driver
    Ubuntu          snap install chromium
    Fedora          dnf install chromium chromedriver
    Arch            pacman -S chromium
    macOS           brew install --cask google-chrome chromedriver
    Windows         winget install Google.Chrome Chromium.ChromeDriver
    anywhere        npx @puppeteer/browsers install chromedriver@stable
  or name the programs in FEDSYSID_CHROME and FEDSYSID_CHROMEDRIVER";

fn chromes() -> Vec<Program> {
    candidates(CHROME_VARIABLE, &CHROME_NAMES, &CHROME_PLACES)
}

fn drivers() -> Vec<Program> {
    candidates(DRIVER_VARIABLE, &["chromedriver"], &DRIVER_PLACES)
}

/// The programs that are there: the one `variable` names alone, else those on the search path,
/// else those in well-known places.
pub(super) fn candidates(variable: &str, names: &[&str], places: &[&str]) -> Vec<Program> {
    let paths: Vec<_> = match env::var_os(variable) {
        // The tests run in a folder of their own.
        Some(path) => std::path::absolute(path).into_iter().collect(),
        None => names
            .iter()
            .filter_map(|name| which(name).ok())
            .chain(places.iter().map(PathBuf::from))
            .filter(|path| path.is_file())
            .collect(),
    };
    paths.into_iter().filter_map(ask).collect()
}

fn ask(path: PathBuf) -> Option<Program> {
    if cfg!(windows) && is_browser(&path) {
        // On Windows the browser answers the question for its version by opening a window.
        let version = String::new();
        return Some(Program { path, version });
    }
    Program::ask(path)
}

fn is_browser(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == "chrome" || name == "firefox")
}

/// The first browser and the first driver that belong together.
fn pair(chromes: Vec<Program>, drivers: Vec<Program>) -> Option<BrowserPair> {
    let mut drivers = drivers;
    chromes.into_iter().find_map(|chrome| {
        let fitting = drivers.iter().position(|driver| fit(&chrome.version, &driver.version))?;
        let driver = drivers.swap_remove(fitting);
        Some(BrowserPair { chrome, driver })
    })
}

/// Whether the major versions agree; an unknown version is given the benefit of the doubt.
fn fit(chrome: &str, driver: &str) -> bool {
    let major = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
    chrome.is_empty() || major(chrome) == major(driver)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(list: &[(&str, &str)]) -> Vec<Program> {
        list.iter()
            .map(|(path, version)| Program { path: PathBuf::from(path), version: (*version).to_owned() })
            .collect()
    }

    #[track_caller]
    fn check(chromes: &[(&str, &str)], drivers: &[(&str, &str)], expected: Option<(&str, &str)>) {
        let found = pair(programs(chromes), programs(drivers));
        let found = found.map(|pair| (pair.chrome.path, pair.driver.path));
        assert_eq!(found, expected.map(|(chrome, driver)| (chrome.into(), driver.into())));
    }

    #[test]
    fn a_browser_goes_with_a_driver_of_its_major_version() {
        let chromium = ("/usr/bin/chromium", "156.0.8078.108");
        let chrome = ("/opt/chrome", "157.0.1.2");
        let driver_156 = ("/usr/bin/chromedriver", "156.0.1.1");
        let driver_157 = ("/opt/chromedriver", "157.0.9.9");
        check(&[chromium], &[driver_156], Some((chromium.0, driver_156.0)));
        check(&[chromium, chrome], &[driver_157], Some((chrome.0, driver_157.0)));
        check(&[chrome], &[driver_156, driver_157], Some((chrome.0, driver_157.0)));
        check(&[chromium], &[driver_157], None);
        check(&[chromium], &[], None);
        check(&[], &[driver_156], None);
    }

    #[test]
    fn a_browser_that_cannot_be_asked_goes_with_any_driver() {
        check(&[("chrome.exe", "")], &[("chromedriver.exe", "157.0")], Some(("chrome.exe", "chromedriver.exe")));
    }
}
