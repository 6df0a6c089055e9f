//! WebKitGTK's driver and small browser, and the screen that nobody sees. There is one for Linux alone.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use which::which;

use super::apt::Apt;
use super::{Plan, Requirement};
use crate::pins::APT_WEBKIT;
use crate::project::Project;

/// WebKitGTK with its driver, and Xvfb.
pub(crate) struct WebKit<'a> {
    pub(crate) project: &'a Project,
}

/// The three programs.
pub(crate) struct FoundWebKit {
    /// The browser.
    pub(crate) browser: PathBuf,
    /// What steers it.
    pub(crate) driver: PathBuf,
    /// The screen.
    pub(crate) screen: PathBuf,
}

impl fmt::Display for FoundWebKit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.browser.display(), self.driver.display(), self.screen.display())
    }
}

/// The variables that name the three programs, for this tool and for the tests it starts.
pub(crate) const WEBKIT_VARIABLE: &str = "FEDSYSID_WEBKIT";
pub(crate) const WEBKIT_DRIVER_VARIABLE: &str = "FEDSYSID_WEBKITDRIVER";
pub(crate) const XVFB_VARIABLE: &str = "FEDSYSID_XVFB";

/// Folders that hold a folder of WebKitGTK's, or that of a machine's kind with it.
const LIBRARIES: [&str; 4] = ["/usr/lib", "/usr/libexec", "/usr/lib64", "/usr/local/libexec"];

/// WebKitGTK's folders, newest first.
const FOLDERS: [&str; 3] = ["webkitgtk-6.0", "webkit2gtk-4.1", "webkit2gtk-4.0"];

const ADVICE: &str = "there is no WebKitGTK with its driver and Xvfb
  what to do: on Linux, install them:
    Debian, Ubuntu  apt install webkit2gtk-driver xvfb
    Arch            pacman -S webkit2gtk-4.1 xorg-server-xvfb
  or name the programs in FEDSYSID_WEBKIT (MiniBrowser), FEDSYSID_WEBKITDRIVER and FEDSYSID_XVFB; there is none for macOS
  and Windows";

impl Requirement for WebKit<'_> {
    type Found = FoundWebKit;

    fn name(&self) -> String {
        "WebKitGTK with its driver".to_owned()
    }

    fn find(&self) -> Option<FoundWebKit> {
        Some(FoundWebKit {
            browser: named(WEBKIT_VARIABLE, || mini_browser(&LIBRARIES.map(Path::new)))?,
            driver: named(WEBKIT_DRIVER_VARIABLE, || which("WebKitWebDriver").ok())?,
            screen: named(XVFB_VARIABLE, || which("Xvfb").ok())?,
        })
    }

    fn plan(&self) -> Plan {
        let variables = [WEBKIT_VARIABLE, WEBKIT_DRIVER_VARIABLE, XVFB_VARIABLE];
        if variables.iter().any(|variable| env::var_os(variable).is_some()) || Apt::find().is_none() {
            return Plan::Advise(ADVICE.to_owned());
        }
        Plan::Install(format!("installing {} by apt-get", APT_WEBKIT[0].join(" and ")))
    }

    fn install(&self) -> Result<()> {
        let apt = Apt::find().context(ADVICE)?;
        if !apt.install_first(self.project, &APT_WEBKIT)? {
            bail!("this distribution has no package for it: {ADVICE}");
        }
        Ok(())
    }
}

/// The program that `variable` names, else what is found.
fn named(variable: &str, find: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    match env::var_os(variable) {
        // The tests run in a folder of their own.
        Some(path) => std::path::absolute(path).ok().filter(|path| path.is_file()),
        None => find(),
    }
}

/// The small browser: as "webkit2gtk-4.1/MiniBrowser" in one of `libraries`, or in a folder of one.
fn mini_browser(libraries: &[&Path]) -> Option<PathBuf> {
    let inner = |library: &&Path| {
        let folders = fs::read_dir(library).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.filter(|folder| folder.is_dir()).collect::<Vec<_>>()
    };
    let places: Vec<_> =
        libraries.iter().map(|library| library.to_path_buf()).chain(libraries.iter().flat_map(inner)).collect();
    let browsers =
        FOLDERS.iter().flat_map(|folder| places.iter().map(move |place| place.join(folder).join("MiniBrowser")));
    browsers.into_iter().find(|browser| browser.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_browser_is_found_wherever_distributions_put_it() {
        for place in ["webkit2gtk-4.1", "x86_64-linux-gnu/webkit2gtk-4.1", "aarch64-linux-gnu/webkit2gtk-4.0"] {
            let library = tempfile::tempdir().unwrap();
            assert_eq!(mini_browser(&[library.path()]), None);
            let folder = library.path().join(place);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("MiniBrowser"), "").unwrap();
            assert_eq!(mini_browser(&[Path::new("/no/such"), library.path()]), Some(folder.join("MiniBrowser")));
        }
    }
}
