//! WebKitGTK: its small browser, on a screen that nobody sees.
//!
//! Its window has a bar, which does not get narrow; one that a page opens has none. So the page is in such a window.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use thirtyfour::{Capabilities, WebDriver};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::{Screen, Tools, WINDOW, driver};

/// Large enough for every window.
const SCREEN: &str = "2600x1700x24";

/// How long a window may take to open.
const OPENS_WITHIN: Duration = Duration::from_secs(20);

/// The frame of a window takes no room.
const NO_FRAME: &str = "* { min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; font-size: 1px }";

/// Starts the driver on a screen, which ends when dropped; both keep in `home` what they keep.
pub(super) async fn start(tools: &Tools, home: &Path) -> Result<(Child, u16, Child)> {
    let xvfb = tools.screen.as_deref().context("WebKitGTK needs Xvfb, a screen that nobody sees")?;
    let arguments = ["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"];
    let screen = || {
        let mut command = Command::new(xvfb);
        command.args(arguments);
        command
    };
    let (screen, display) = driver::start_telling(screen, xvfb, "").await?;
    let style = home.join("gtk-3.0");
    fs::create_dir(&style)?;
    fs::write(style.join("gtk.css"), NO_FRAME)?;
    let command = || {
        let mut command = Command::new(&tools.driver);
        command
            .env("DISPLAY", format!(":{display}"))
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .envs(["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"].map(|folder| (folder, home)));
        command
    };
    let (process, port) = driver::start_on_free_port(command, &tools.driver).await?;
    Ok((process, port, screen))
}

pub(super) fn capabilities(tools: &Tools, elsewhere: SocketAddr) -> Result<Capabilities> {
    let arguments = [
        "--automation".to_owned(),
        "--javascript-can-open-windows-automatically=TRUE".to_owned(),
        // The driver's own setting would have secure requests go to a secure proxy.
        format!("--proxy=http://{elsewhere}"),
        "--ignore-host=127.0.0.1".to_owned(),
    ];
    let mut options = json!({ "args": arguments });
    if let Some(browser) = &tools.browser {
        options["binary"] = json!(browser);
    }
    let mut capabilities = Capabilities::new();
    capabilities.set("webkitgtk:browserOptions", options)?;
    Ok(capabilities)
}

/// Opens a window without a bar and turns to it.
pub(super) async fn open_window(driver: &WebDriver) -> Result<()> {
    let first = driver.window().await?;
    let (width, height) = WINDOW;
    let open = format!("window.open('about:blank', '_blank', 'popup,noopener,width={width},height={height}');");
    driver.execute(open, Vec::new()).await?;
    let start = Instant::now();
    loop {
        if let Some(window) = driver.windows().await?.into_iter().find(|window| *window != first) {
            return Ok(driver.switch_to_window(window).await?);
        }
        ensure!(start.elapsed() < OPENS_WITHIN, "the browser opens no window");
        sleep(Duration::from_millis(10)).await;
    }
}

pub(super) async fn set_screen(driver: &WebDriver, screen: Screen) -> Result<()> {
    if screen.touch || screen.pixel_ratio.to_bits() != 1.0_f64.to_bits() {
        bail!("WebKitGTK has the screen that it has: {screen:?}");
    }
    let (width, height) = if screen.size == (0, 0) { WINDOW } else { screen.size };
    Ok(driver.set_window_rect(0, 0, width, height).await?)
}
