//! An engine's worker, started as the page does it, in a document without other work.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bench::contest::study;
use bench::slope::{self, Times};
use e2e::browser::{Browser, Tools, Tracing};
use e2e::page::Page;
use e2e::site::{Hosting, Site};
use fedsysid::dashboard::views::maps::Wanted;
use fedsysid::protocol::{Event, Generation, Request, wire};
use fedsysid::sim::scenario::Settings;
use fedsysid::sim::study::Summary;
use serde::Deserialize;
use serde_json::{Value, json};

/// The script that starts a worker and exchanges messages with it.
const SCRIPT: &str = include_str!("engine.js");

/// Any number will do: there is only one request at a time.
const GENERATION: Generation = Generation(1);

/// How long a large experiment may take.
const PATIENCE: Duration = Duration::from_mins(15);

/// A worker in a browser.
pub(crate) struct Worker {
    page: Page,
    /// The first number of a progress report.
    progress: f64,
}

/// The size of a memory, and the engine's answer before it was measured.
#[derive(Deserialize)]
struct Weighed {
    bytes: f64,
    answer: Vec<String>,
}

impl Worker {
    /// Starts a browser with a worker in it.
    pub(crate) async fn start(tools: &Tools) -> Result<Self> {
        let site = Site::serve(&tools.dist, Hosting::default()).await?;
        let browser = Browser::start(tools, site.elsewhere(), Tracing::Off).await?;
        // The text of a script is a document of the page's origin in which nothing runs.
        browser.driver().goto(format!("{}offline.js", site.url(""))).await?;
        let page = Page::new(browser, site);
        page.eval::<()>(SCRIPT, &[]).await?;
        page.eval::<()>("return engine.start();", &[]).await?;
        Ok(Self { page, progress: progress_mark()? })
    }

    /// Makes sure that the worker computes the native results, to the last bit.
    pub(crate) async fn expect_native_bits(&self, settings: &Settings) -> Result<()> {
        let arguments = [request(settings), json!(self.progress)];
        let answer: Vec<String> = self.page.eval("return engine.run(...arguments);", &arguments).await?;
        let there = finished(&answer)?;
        ensure!(wire_of(there) == wire_of(study(settings)?), "the worker's results are not the native ones");
        Ok(())
    }

    /// Times the short run and the long run for one turn.
    pub(crate) async fn time(&self) -> Result<Times> {
        let patience = slope::TURN.as_secs_f64() * 1e3;
        let arguments = [request(&slope::few()), request(&slope::many()), json!(self.progress), json!(patience)];
        self.page.eval("return engine.time(...arguments);", &arguments).await
    }

    /// The best time of ten for a map, in milliseconds.
    pub(crate) async fn time_of_map(&self, wanted: &Wanted) -> Result<f64> {
        let Wanted { survey, settings, .. } = wanted.clone();
        let request = json!(wire::encode(&Request::Survey { generation: GENERATION, survey, settings }));
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let arguments = [request.clone(), json!(self.progress)];
            best = best.min(self.page.eval::<f64>("return engine.ms(...arguments);", &arguments).await?);
        }
        Ok(best)
    }

    /// Bytes of a new worker's memory after an experiment.
    pub(crate) async fn memory_after(&self, settings: &Settings) -> Result<f64> {
        let arguments = [request(settings), json!(self.progress)];
        self.page.eval::<()>("engine.weigh(...arguments);", &arguments).await?;
        self.page.wait("a large experiment", PATIENCE, "engine.isWeighed()").await?;
        let weighed: Weighed = self.page.eval("return engine.weight();", &[]).await?;
        finished(&weighed.answer)?;
        Ok(weighed.bytes)
    }

    /// Ends the browser.
    pub(crate) async fn end(self) -> Result<()> {
        self.page.close().await
    }
}

fn request(settings: &Settings) -> Value {
    json!(wire::encode(&Request::Run { generation: GENERATION, settings: settings.clone() }))
}

/// The results in an engine's last event.
fn finished(bits: &[String]) -> Result<Summary> {
    let number = |bits: &String| bits.parse().map(f64::from_bits);
    let numbers: Vec<f64> = bits.iter().map(number).collect::<Result<_, _>>().context("the answer is no numbers")?;
    match wire::decode(&numbers)? {
        Event::Done { summary, .. } => Ok(summary),
        Event::Refused { error, .. } => bail!("the worker refuses: {error}"),
        other => bail!("the worker ends with {other:?}"),
    }
}

/// Results as bits: NaN would not equal itself.
fn wire_of(summary: Summary) -> Vec<u64> {
    let numbers = wire::encode(&Event::Done { generation: GENERATION, summary, theory: None });
    numbers.into_iter().map(f64::to_bits).collect()
}

/// The number with which progress reports of the engine begin, and no other event.
fn progress_mark() -> Result<f64> {
    let summary = study(&Settings { n_clients: 1, n_trials: 1, n_rounds: 1, ..slope::few() })?;
    let report = Event::Progress { generation: GENERATION, progress: 0.5, summary, theory: None };
    wire::encode(&report).first().copied().context("no message is empty")
}
