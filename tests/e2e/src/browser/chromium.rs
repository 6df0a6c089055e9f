//! Chromium and Chrome: what WebDriver alone cannot do goes through the developers' tools.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use thirtyfour::{Capabilities, WebDriver};

use super::{Kept, Logged, Screen, Tools, Tracing};
use crate::trace::{self, Task};

/// Without what reaches for the network or asks for a person. The sandbox needs rights that containers rarely give, and
/// the only page that is ever opened is our own.
///
/// A sandboxed frame has no process of its own: its driver could not put scripts into it.
const ARGUMENTS: [&str; 12] = [
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

pub(super) fn capabilities(tools: &Tools, elsewhere: SocketAddr, tracing: Tracing) -> Result<Capabilities> {
    let arguments = ARGUMENTS.map(str::to_owned).into_iter().chain([format!("--proxy-server={elsewhere}")]);
    let mut options = json!({ "args": arguments.collect::<Vec<_>>() });
    if let Some(browser) = &tools.browser {
        options["binary"] = json!(browser);
    }
    let mut logs = json!({ "browser": "ALL" });
    if tracing == Tracing::Tasks {
        logs["performance"] = json!("ALL");
        options["perfLoggingPrefs"] =
            json!({ "enableNetwork": false, "enablePage": false, "traceCategories": trace::CATEGORIES });
    }
    let mut capabilities = Capabilities::new();
    capabilities.set("goog:chromeOptions", options)?;
    capabilities.set("goog:loggingPrefs", logs)?;
    Ok(capabilities)
}

pub(super) async fn before_every_document(driver: &WebDriver, script: &str) -> Result<()> {
    devtools(driver, "Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await.map(drop)
}

pub(super) async fn set_screen(driver: &WebDriver, screen: Screen) -> Result<()> {
    let (width, height) = screen.size;
    let metrics = json!({
        "width": width, "height": height, "deviceScaleFactor": screen.pixel_ratio, "mobile": screen.touch,
    });
    devtools(driver, "Emulation.setDeviceMetricsOverride", metrics).await?;
    devtools(driver, "Emulation.setTouchEmulationEnabled", json!({ "enabled": screen.touch })).await.map(drop)
}

pub(super) async fn prefer_dark(driver: &WebDriver, dark: bool) -> Result<()> {
    let value = if dark { "dark" } else { "light" };
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
    devtools(driver, "Emulation.setEmulatedMedia", features).await.map(drop)
}

pub(super) async fn force_colors(driver: &WebDriver, dark: bool) -> Result<()> {
    let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
    let scheme = if dark { "dark" } else { "light" };
    let features = json!({ "features": [feature("forced-colors", "active"), feature("prefers-color-scheme", scheme)] });
    devtools(driver, "Emulation.setEmulatedMedia", features).await.map(drop)
}

pub(super) async fn cut_off(driver: &WebDriver) -> Result<()> {
    devtools(driver, "Network.enable", json!({})).await?;
    let nothing = json!({ "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0 });
    devtools(driver, "Network.emulateNetworkConditions", nothing).await.map(drop)
}

pub(super) async fn slow_down(driver: &WebDriver, times: f64) -> Result<()> {
    devtools(driver, "Emulation.setCPUThrottlingRate", json!({ "rate": times })).await.map(drop)
}

pub(super) async fn console(driver: &WebDriver) -> Result<Vec<Logged>> {
    let entries = driver.browser_log().await?;
    let logged = entries.into_iter().map(|entry| Logged { is_error: entry.level == "SEVERE", text: entry.message });
    Ok(logged.collect())
}

pub(super) async fn watched_tasks(driver: &WebDriver) -> Result<Vec<Task>> {
    driver.goto("about:blank").await?;
    // A driver gives its log in batches.
    let mut entries = Vec::new();
    loop {
        let batch = driver.get_log("performance").await?;
        if batch.is_empty() {
            break;
        }
        entries.extend(batch);
    }
    let tasks = trace::watched_tasks(entries.iter().map(|entry| entry.message.as_str()));
    tasks.context("the trace does not show that the page was watched")
}

pub(super) async fn held_by_scripts(driver: &WebDriver) -> Result<f64> {
    devtools(driver, "HeapProfiler.collectGarbage", json!({})).await?;
    let usage = devtools(driver, "Runtime.getHeapUsage", json!({})).await?;
    usage["usedSize"].as_f64().context("the browser says no size")
}

pub(super) async fn kept(driver: &WebDriver) -> Result<Kept> {
    // What one cleanup frees may hold something else.
    for _ in 0..3 {
        devtools(driver, "HeapProfiler.collectGarbage", json!({})).await?;
    }
    let counters = devtools(driver, "Memory.getDOMCounters", json!({})).await?;
    let count = |name: &str| counters[name].as_u64().with_context(|| format!("the browser counts no {name}"));
    Ok(Kept { documents: count("documents")?, nodes: count("nodes")?, listeners: count("jsEventListeners")? })
}

pub(super) async fn worked(driver: &WebDriver) -> Result<f64> {
    devtools(driver, "Performance.enable", json!({})).await?;
    let answer = devtools(driver, "Performance.getMetrics", json!({})).await?;
    let metrics = answer["metrics"].as_array().context("the browser says no metrics")?;
    let process = metrics.iter().find(|metric| metric["name"] == "ProcessTime");
    process.and_then(|metric| metric["value"].as_f64()).context("the browser says no processor time")
}

async fn devtools(driver: &WebDriver, command: &str, parameters: Value) -> Result<Value> {
    let answer = driver.cdp().send_raw(command, parameters).await;
    answer.with_context(|| format!("the browser refuses {command}"))
}
