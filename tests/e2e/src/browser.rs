//! A browser and the program that drives it.
//!
//! Engines differ in how they are started and in what WebDriver alone cannot do: that is all in here, behind [`Engine`].

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use thirtyfour::{Capabilities, WebDriver};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::trace::{self, Task};

/// An engine that stories can be told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Chromium or Chrome, by ChromeDriver.
    #[default]
    Chromium,
}

/// What the stories need and whoever starts them provides.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The built page.
    pub dist: PathBuf,
    /// The browser; without one, the driver looks for it.
    pub browser: Option<PathBuf>,
    /// What steers the browser.
    pub driver: PathBuf,
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
        Ok(Self {
            dist: path("FEDSYSID_DIST")?,
            browser: Some(path("FEDSYSID_CHROME")?),
            driver: path("FEDSYSID_CHROMEDRIVER")?,
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

/// Something written to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Whether it is an error.
    pub is_error: bool,
    /// What it says.
    pub text: String,
}

/// How long a driver may take to listen.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Without what reaches for the network or asks for a person. The sandbox needs rights that containers rarely give, and
/// the only page that is ever opened is our own.
///
/// A sandboxed frame has no process of its own: its driver could not put scripts into it.
const CHROMIUM_ARGUMENTS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=IsolateSandboxedIframes",
    "--force-device-scale-factor=1",
    "--window-size=1280,800",
];

/// A browser that was just started, with nothing remembered from before.
#[derive(Debug)]
pub struct Browser {
    engine: Engine,
    driver: WebDriver,
    /// Ends when dropped.
    _process: Child,
}

impl Browser {
    /// Starts a driver on a free port, and by it a browser with an empty profile.
    ///
    /// # Errors
    /// If either does not start.
    pub async fn start(engine: Engine, tools: &Tools, tracing: Tracing) -> Result<Self> {
        let (process, port) = start_driver(engine, &tools.driver).await?;
        let capabilities = capabilities(engine, tools, tracing)?;
        let address = format!("http://127.0.0.1:{port}");
        let driver = WebDriver::new(address, capabilities).await.context("the browser does not start")?;
        Ok(Self { engine, driver, _process: process })
    }

    /// The driver, for what every engine does alike.
    pub fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// Has `script` run in every document from now on, before the document's own scripts.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn before_every_document(&self, script: &str) -> Result<()> {
        match self.engine {
            Engine::Chromium => {
                self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await.map(drop)
            }
        }
    }

    /// Changes the screen, at once and without loading anything anew.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn set_screen(&self, screen: Screen) -> Result<()> {
        let (width, height) = screen.size;
        match self.engine {
            Engine::Chromium => {
                let metrics = json!({
                    "width": width, "height": height, "deviceScaleFactor": screen.pixel_ratio, "mobile": screen.touch,
                });
                self.devtools("Emulation.setDeviceMetricsOverride", metrics).await?;
                self.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": screen.touch })).await.map(drop)
            }
        }
    }

    /// Pretends that the person prefers dark colors, or light ones.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn prefer_dark(&self, dark: bool) -> Result<()> {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        match self.engine {
            Engine::Chromium => self.devtools("Emulation.setEmulatedMedia", features).await.map(drop),
        }
    }

    /// There is no network from now on.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn cut_off(&self) -> Result<()> {
        match self.engine {
            Engine::Chromium => {
                self.devtools("Network.enable", json!({})).await?;
                let nothing = json!({ "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0 });
                self.devtools("Network.emulateNetworkConditions", nothing).await.map(drop)
            }
        }
    }

    /// The processor is so many times slower from now on.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn slow_down(&self, times: f64) -> Result<()> {
        match self.engine {
            Engine::Chromium => {
                self.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": times })).await.map(drop)
            }
        }
    }

    /// What was written to the console since the last call, by the page, its workers and the browser itself.
    ///
    /// # Errors
    /// If the browser cannot be reached.
    pub async fn console(&self) -> Result<Vec<Logged>> {
        match self.engine {
            Engine::Chromium => {
                let entries = self.driver.browser_log().await?;
                let logged =
                    entries.into_iter().map(|entry| Logged { is_error: entry.level == "SEVERE", text: entry.message });
                Ok(logged.collect())
            }
        }
    }

    /// The tasks of the page's main thread while it was watched last. Leaves the page: only then the trace is fetched.
    ///
    /// # Errors
    /// If the browser cannot be reached, does not trace, or the page was not watched.
    pub async fn watched_tasks(&self) -> Result<Vec<Task>> {
        match self.engine {
            Engine::Chromium => {
                self.driver.goto("about:blank").await?;
                // A driver gives its log in batches.
                let mut entries = Vec::new();
                loop {
                    let batch = self.driver.get_log("performance").await?;
                    if batch.is_empty() {
                        break;
                    }
                    entries.extend(batch);
                }
                let tasks = trace::watched_tasks(entries.iter().map(|entry| entry.message.as_str()));
                tasks.context("the trace does not show that the page was watched")
            }
        }
    }

    /// Ends the browser and its driver.
    ///
    /// # Errors
    /// If the browser does not end in order.
    pub async fn quit(self) -> Result<()> {
        Ok(self.driver.quit().await?)
    }

    /// Bytes that the page's scripts hold, after a cleanup.
    ///
    /// # Errors
    /// If the browser cannot say.
    pub async fn held_by_scripts(&self) -> Result<f64> {
        match self.engine {
            Engine::Chromium => {
                self.devtools("HeapProfiler.collectGarbage", json!({})).await?;
                let usage = self.devtools("Runtime.getHeapUsage", json!({})).await?;
                usage["usedSize"].as_f64().context("the browser says no size")
            }
        }
    }

    async fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        let answer = self.driver.cdp().send_raw(command, parameters).await;
        answer.with_context(|| format!("the browser refuses {command}"))
    }
}

fn capabilities(engine: Engine, tools: &Tools, tracing: Tracing) -> Result<Capabilities> {
    let mut capabilities = Capabilities::new();
    match engine {
        Engine::Chromium => {
            let mut options = json!({ "args": CHROMIUM_ARGUMENTS });
            if let Some(browser) = &tools.browser {
                options["binary"] = json!(browser);
            }
            let mut logs = json!({ "browser": "ALL" });
            if tracing == Tracing::Tasks {
                logs["performance"] = json!("ALL");
                options["perfLoggingPrefs"] =
                    json!({ "enableNetwork": false, "enablePage": false, "traceCategories": trace::CATEGORIES });
            }
            capabilities.set("goog:chromeOptions", options)?;
            capabilities.set("goog:loggingPrefs", logs)?;
        }
    }
    Ok(capabilities)
}

/// Starts the driver. It chooses a free port and says which.
async fn start_driver(engine: Engine, driver: &Path) -> Result<(Child, u16)> {
    let (arguments, sign) = match engine {
        Engine::Chromium => (["--port=0"], "successfully on port "),
    };
    let mut process = Command::new(driver)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} cannot be started", driver.display()))?;
    let output = process.stdout.take().context("the driver has no output")?;
    let mut lines = BufReader::new(output).lines();
    let port = timeout(START_LIMIT, port_after(sign, &mut lines)).await.context("the driver does not listen")??;
    // A driver that nobody reads would block once the pipe is full.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((process, port))
}

async fn port_after(sign: &str, lines: &mut Lines<BufReader<ChildStdout>>) -> Result<u16> {
    while let Some(line) = lines.next_line().await? {
        if let Some((_, port)) = line.split_once(sign) {
            return Ok(port.trim_end_matches('.').parse()?);
        }
    }
    bail!("the driver ended before it listened")
}
