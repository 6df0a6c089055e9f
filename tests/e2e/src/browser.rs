//! A browser and the program that drives it.
//!
//! Engines differ in how they are started and in what WebDriver alone cannot do: that is all in here, behind [`Engine`].

mod chromium;
mod driver;
mod firefox;
mod webkit;

use std::env;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use thirtyfour::WebDriver;
use tokio::process::{Child, Command};

use crate::trace::Task;

/// An engine that stories can be told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium or Chrome, by ChromeDriver.
    Chromium,
    /// Firefox, by geckodriver.
    Firefox,
    /// WebKitGTK, the engine of Safari, by its own driver.
    WebKit,
}

impl Engine {
    /// The one that the environment names; without a word, Chromium.
    ///
    /// # Errors
    /// If it names something else.
    pub fn chosen() -> Result<Self> {
        let chosen = env::var("FEDSYSID_ENGINE").unwrap_or_default();
        match chosen.as_str() {
            "" | "chromium" => Ok(Self::Chromium),
            "firefox" => Ok(Self::Firefox),
            "webkit" => Ok(Self::WebKit),
            other => bail!("FEDSYSID_ENGINE is {other}: allowed are chromium, firefox and webkit"),
        }
    }

    /// The variables that name its browser and its driver.
    fn variables(self) -> [&'static str; 2] {
        match self {
            Self::Chromium => ["FEDSYSID_CHROME", "FEDSYSID_CHROMEDRIVER"],
            Self::Firefox => ["FEDSYSID_FIREFOX", "FEDSYSID_GECKODRIVER"],
            Self::WebKit => ["FEDSYSID_WEBKIT", "FEDSYSID_WEBKITDRIVER"],
        }
    }

    /// Errors that are the engine's own. A window's new width has WebKit lay out the page by the old width's rules first, and
    /// report that sizes changed once more than could be told.
    pub(crate) fn own_errors(self) -> &'static [&'static str] {
        match self {
            Self::Chromium | Self::Firefox => &[],
            Self::WebKit => &["ResizeObserver loop completed with undelivered notifications."],
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
            Self::WebKit => "WebKit",
        })
    }
}

/// What the stories need and whoever starts them provides.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The engine of the browser.
    pub engine: Engine,
    /// The built page.
    pub dist: PathBuf,
    /// The browser; without one, the driver looks for it.
    pub browser: Option<PathBuf>,
    /// What steers the browser.
    pub driver: PathBuf,
    /// The program that is a screen, for a browser that needs one.
    pub screen: Option<PathBuf>,
}

impl Tools {
    /// What the environment names.
    ///
    /// # Errors
    /// If it does not name everything.
    pub fn from_environment() -> Result<Self> {
        let path = |variable: &str| {
            let value = env::var_os(variable).map(PathBuf::from);
            value.with_context(|| format!("{variable} is not set: {ADVICE}"))
        };
        let engine = Engine::chosen()?;
        let [browser, driver] = engine.variables();
        Ok(Self {
            engine,
            dist: path("FEDSYSID_DIST")?,
            browser: Some(path(browser)?),
            driver: path(driver)?,
            screen: (engine == Engine::WebKit).then(|| path("FEDSYSID_XVFB")).transpose()?,
        })
    }
}

const ADVICE: &str =
    "run `cargo xtask test browser`, which builds the page, finds a browser and then starts these tests";

/// What a browser records of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracing {
    /// Nothing.
    #[default]
    Off,
    /// The tasks of all threads.
    Tasks,
}

/// A screen that a browser pretends to have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// Width and height in CSS pixels; zero for those of the window.
    pub size: (u32, u32),
    /// Device pixels to one CSS pixel.
    pub pixel_ratio: f64,
    /// Whether fingers point on it.
    pub touch: bool,
}

impl Screen {
    /// A laptop's.
    pub const DESK: Self = Self { size: (1440, 900), pixel_ratio: 1.0, touch: false };

    /// A tablet's.
    pub const TABLET: Self = Self { size: (768, 1024), pixel_ratio: 2.0, touch: true };

    /// A phone's.
    pub const PHONE: Self = Self { size: (390, 844), pixel_ratio: 3.0, touch: true };

    /// One of each layout.
    pub const ALL: [Self; 3] = [Self::DESK, Self::TABLET, Self::PHONE];

    /// The screen that comes nearest to this one in an engine.
    #[must_use]
    pub fn in_engine(self, engine: Engine) -> Self {
        match engine {
            Engine::Chromium => self,
            Engine::Firefox => Self { touch: false, ..self },
            Engine::WebKit => Self { touch: false, pixel_ratio: 1.0, ..self },
        }
    }
}

/// Something written to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Whether it is an error.
    pub is_error: bool,
    /// What it says.
    pub text: String,
}

/// What a page keeps, whether or not it is still in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Documents, those of frames among them.
    pub documents: u64,
    /// Nodes of all documents, or of none.
    pub nodes: u64,
    /// Listeners of events.
    pub listeners: u64,
}

/// The window that a story begins in, in CSS pixels.
const WINDOW: (u32, u32) = (1280, 800);

/// A browser that was just started, with nothing remembered from before.
#[derive(Debug)]
pub struct Browser {
    engine: Engine,
    driver: WebDriver,
    /// Ends when dropped, as its screen does.
    _process: Child,
    _screen: Option<Child>,
    /// Where it keeps what is of no use afterwards. Removed when dropped, after both have ended.
    _home: TempDir,
}

impl Browser {
    /// Starts a driver on a free port, and by it a browser with an empty profile, on a network that ends with this
    /// machine: the proxy `elsewhere` hears of all else.
    ///
    /// # Errors
    /// If either does not start.
    pub async fn start(tools: &Tools, elsewhere: SocketAddr, tracing: Tracing) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("fedsysid-browser").tempdir()?;
        let telling = async |arguments: &[&str], sign| {
            let command = || {
                let mut command = Command::new(&tools.driver);
                command.args(arguments).env("TMPDIR", home.path());
                command
            };
            driver::start_telling(command, &tools.driver, sign).await
        };
        let (process, port, screen) = match tools.engine {
            Engine::Chromium => {
                let (process, port) = telling(&["--port=0"], "successfully on port ").await?;
                (process, port, None)
            }
            Engine::Firefox => {
                let arguments = ["--port=0", "--websocket-port=0", "--allow-system-access"];
                let (process, port) = telling(&arguments, "Listening on 127.0.0.1:").await?;
                (process, port, None)
            }
            Engine::WebKit => {
                let (process, port, screen) = webkit::start(tools, home.path()).await?;
                (process, port, Some(screen))
            }
        };
        let capabilities = match tools.engine {
            Engine::Chromium => chromium::capabilities(tools, elsewhere, tracing),
            Engine::Firefox => firefox::capabilities(tools, elsewhere),
            Engine::WebKit => webkit::capabilities(tools, elsewhere),
        };
        let address = format!("http://127.0.0.1:{port}");
        let driver = WebDriver::new(address, capabilities?).await.context("the browser does not start")?;
        let browser = Self { engine: tools.engine, driver, _process: process, _screen: screen, _home: home };
        browser.open_window().await?;
        Ok(browser)
    }

    /// A window of the size that every story begins with.
    async fn open_window(&self) -> Result<()> {
        match self.engine {
            Engine::Chromium => return Ok(()),
            Engine::Firefox => {}
            Engine::WebKit => webkit::open_window(&self.driver).await?,
        }
        self.set_screen(Screen { size: WINDOW, pixel_ratio: 1.0, touch: false }).await
    }

    /// The driver, for what every engine does alike.
    pub fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// Its engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Has `script` run in every document from now on, before the document's own scripts; false where the browser cannot:
    /// there the documents must come with it.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn before_every_document(&self, script: &str) -> Result<bool> {
        match self.engine {
            Engine::Chromium => chromium::before_every_document(&self.driver, script).await.map(|()| true),
            Engine::Firefox | Engine::WebKit => Ok(false),
        }
    }

    /// Changes the screen, at once and without loading anything anew.
    ///
    /// # Errors
    /// If the browser cannot be reached, or has no such screen.
    pub async fn set_screen(&self, screen: Screen) -> Result<()> {
        match self.engine {
            Engine::Chromium => chromium::set_screen(&self.driver, screen).await,
            Engine::Firefox => firefox::set_screen(&self.driver, screen).await,
            Engine::WebKit => webkit::set_screen(&self.driver, screen).await,
        }
    }

    /// Pretends that the person prefers dark colors, or light ones.
    ///
    /// # Errors
    /// If the browser cannot be reached, or pretends nothing.
    pub async fn prefer_dark(&self, dark: bool) -> Result<()> {
        match self.engine {
            Engine::Chromium => chromium::prefer_dark(&self.driver, dark).await,
            Engine::Firefox => firefox::prefer_dark(&self.driver, dark).await,
            Engine::WebKit => bail!("WebKitGTK has the colors of its system"),
        }
    }

    /// Pretends that the person's system forces its own colors on every page, light words on dark paper or dark ones on light.
    ///
    /// # Errors
    /// If the browser cannot be reached, or pretends nothing.
    pub async fn force_colors(&self, dark: bool) -> Result<()> {
        match self.engine {
            Engine::Chromium => chromium::force_colors(&self.driver, dark).await,
            Engine::Firefox | Engine::WebKit => bail!("{} has the colors of its system", self.engine),
        }
    }

    /// There is no network from now on.
    ///
    /// # Errors
    /// If the browser cannot be reached, or cut off.
    pub async fn cut_off(&self) -> Result<()> {
        match self.engine {
            Engine::Chromium => chromium::cut_off(&self.driver).await,
            Engine::Firefox => firefox::cut_off(&self.driver).await,
            Engine::WebKit => bail!("WebKitGTK cannot be cut off from its network"),
        }
    }

    /// The processor is so many times slower from now on.
    ///
    /// # Errors
    /// If the browser cannot be reached, or slowed down.
    pub async fn slow_down(&self, times: f64) -> Result<()> {
        match self.engine {
            Engine::Chromium => chromium::slow_down(&self.driver, times).await,
            Engine::Firefox | Engine::WebKit => bail!("{} cannot be slowed down", self.engine),
        }
    }

    /// What was written to the console since the last call, by the page, its workers and the browser itself; none where
    /// the driver does not know: there the witness tells of errors.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn console(&self) -> Result<Option<Vec<Logged>>> {
        match self.engine {
            Engine::Chromium => chromium::console(&self.driver).await.map(Some),
            Engine::Firefox | Engine::WebKit => Ok(None),
        }
    }

    /// The tasks of the page's main thread while it was watched last. Leaves the page: only then the trace is fetched.
    ///
    /// # Errors
    /// If the browser cannot be reached, does not trace, or the page was not watched.
    pub async fn watched_tasks(&self) -> Result<Vec<Task>> {
        match self.engine {
            Engine::Chromium => chromium::watched_tasks(&self.driver).await,
            Engine::Firefox | Engine::WebKit => bail!("{} has no trace of its tasks", self.engine),
        }
    }

    /// Seconds of processor time that the page has used up since it was opened, with its frames and workers.
    ///
    /// # Errors
    /// If the browser cannot be reached, or does not say.
    pub async fn worked(&self) -> Result<f64> {
        match self.engine {
            Engine::Chromium => chromium::worked(&self.driver).await,
            Engine::Firefox | Engine::WebKit => bail!("{} does not say how long it has worked", self.engine),
        }
    }

    /// Ends the browser and its driver.
    ///
    /// # Errors
    /// If the browser does not end in order.
    pub async fn quit(self) -> Result<()> {
        Ok(self.driver.quit().await?)
    }

    /// What the page keeps, after a cleanup.
    ///
    /// # Errors
    /// If the browser cannot be reached, or does not say.
    pub async fn kept(&self) -> Result<Kept> {
        match self.engine {
            Engine::Chromium => chromium::kept(&self.driver).await,
            Engine::Firefox | Engine::WebKit => bail!("{} does not say what a page keeps", self.engine),
        }
    }

    /// Bytes that the page's scripts hold, after a cleanup; none where the browser does not say.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn held_by_scripts(&self) -> Result<Option<f64>> {
        match self.engine {
            Engine::Chromium => chromium::held_by_scripts(&self.driver).await.map(Some),
            Engine::Firefox | Engine::WebKit => Ok(None),
        }
    }
}
