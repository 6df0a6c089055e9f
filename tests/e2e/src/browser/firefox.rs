//! Firefox: what WebDriver alone cannot do is done by scripts in the browser's own window.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::http::Method;
use serde_json::{Value, json};
use thirtyfour::common::command::{Command, ExtensionCommand};
use thirtyfour::{Capabilities, WebDriver};

use super::{Screen, Tools, WINDOW};

/// A network that ends with this machine, and without what reaches for others.
fn preferences(elsewhere: SocketAddr) -> Value {
    let (host, port) = (elsewhere.ip().to_string(), elsewhere.port());
    json!({
        "network.proxy.type": 1,
        "network.proxy.http": host,
        "network.proxy.http_port": port,
        "network.proxy.ssl": host,
        "network.proxy.ssl_port": port,
        "app.normandy.enabled": false,
        "browser.contentblocking.category": "standard",
        "network.captive-portal-service.enabled": false,
        "network.connectivity-service.enabled": false,
        "browser.safebrowsing.update.enabled": false,
        "extensions.getAddons.cache.enabled": false,
        "media.gmp-manager.updateEnabled": false,
        "services.settings.server": "data:,#nothing-from-afar",
    })
}

pub(super) fn capabilities(tools: &Tools, elsewhere: SocketAddr) -> Result<Capabilities> {
    // A released Firefox asks its makers for settings, whatever its preferences say, unless its developers are at work.
    let environment = json!({ "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1" });
    let mut options = json!({ "args": ["-headless"], "prefs": preferences(elsewhere), "env": environment });
    if let Some(browser) = &tools.browser {
        options["binary"] = json!(browser);
    }
    let mut capabilities = Capabilities::new();
    capabilities.set("moz:firefoxOptions", options)?;
    Ok(capabilities)
}

/// The window cannot be narrow, but the page in it can.
const SET_SCREEN: &str = "
    const [width, height, ratio] = arguments;
    window.resizeTo(Math.max(width, 600), height + 150);
    const page = gBrowser.selectedBrowser;
    for (const [side, length] of Object.entries({ width, height })) {
      page.style.setProperty(`min-${side}`, `${length}px`);
      page.style.setProperty(`max-${side}`, `${length}px`);
    }
    page.browsingContext.overrideDPPX = ratio;";

pub(super) async fn set_screen(driver: &WebDriver, screen: Screen) -> Result<()> {
    let (width, height) = if screen.size == (0, 0) { WINDOW } else { screen.size };
    in_its_window(driver, SET_SCREEN, json!([width, height, screen.pixel_ratio])).await.map(drop)
}

pub(super) async fn prefer_dark(driver: &WebDriver, dark: bool) -> Result<()> {
    const PREFER: &str = "gBrowser.selectedBrowser.browsingContext.prefersColorSchemeOverride = arguments[0];";
    in_its_window(driver, PREFER, json!([if dark { "dark" } else { "light" }])).await.map(drop)
}

pub(super) async fn cut_off(driver: &WebDriver) -> Result<()> {
    in_its_window(driver, "Services.io.offline = true;", json!([])).await.map(drop)
}

/// Runs a script with the rights of the browser itself.
async fn in_its_window(driver: &WebDriver, script: &str, arguments: Value) -> Result<Value> {
    let arguments = arguments.as_array().cloned().unwrap_or_default();
    turn_to(driver, "chrome").await?;
    let answer = driver.execute(script, arguments).await.with_context(|| format!("in the browser's window: {script}"));
    turn_to(driver, "content").await?;
    Ok(answer?.json().clone())
}

async fn turn_to(driver: &WebDriver, context: &'static str) -> Result<()> {
    driver.handle().cmd(Command::ExtensionCommand(Box::new(TurnTo(context)))).await?;
    Ok(())
}

/// Has scripts run in the page, or in the window around it.
#[derive(Debug)]
struct TurnTo(&'static str);

impl ExtensionCommand for TurnTo {
    fn parameters_json(&self) -> Option<Value> {
        Some(json!({ "context": self.0 }))
    }

    fn method(&self) -> Method {
        Method::POST
    }

    fn endpoint(&self) -> Arc<str> {
        "/moz/context".into()
    }
}
