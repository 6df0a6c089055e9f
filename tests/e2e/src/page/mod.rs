//! The page as a person uses it: controls, numbers and words as verbs.
//!
//! Verbs act as a person does, by keys, mouse or fingers, and read what is on the page. None of them waits a fixed time:
//! they wait for a mark that the page sets.

mod act;
mod read;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fedsysid::params::{View, Word};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::browser::Browser;
use crate::site::{AROUND, Site};
use crate::witness::{Frames, Report};

pub use read::{Reading, Rect, Shown};

/// The words by which links name the views.
pub fn views() -> impl ExactSizeIterator<Item = &'static str> {
    View::ALL.iter().map(|(_, word, _)| *word)
}

/// How long anything may take that no story measures.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Time between two looks at the page.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Nothing on screen will change by itself.
const SETTLED: &str =
    r#"!document.getElementById("shell") && !!document.querySelector('#app main[data-settled="true"]')"#;

/// The page in a browser.
#[derive(Debug)]
pub struct Page {
    browser: Browser,
    site: Site,
}

impl Page {
    /// A page that is not opened yet.
    pub fn new(browser: Browser, site: Site) -> Self {
        Self { browser, site }
    }

    /// The browser it is in.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// The server it comes from.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Ends the browser.
    ///
    /// # Errors
    /// If the browser does not end in order.
    pub async fn close(self) -> Result<()> {
        self.browser.quit().await
    }
}

impl Page {
    /// Opens the page with a query, without waiting for a run.
    ///
    /// # Errors
    /// If the browser cannot load it.
    pub async fn visit(&self, query: &str) -> Result<()> {
        Ok(self.browser.driver().goto(self.site.url(query)).await?)
    }

    /// Opens another file beside the page.
    ///
    /// # Errors
    /// If the browser cannot load it.
    pub async fn visit_file(&self, name: &str) -> Result<()> {
        Ok(self.browser.driver().goto(format!("{}{name}", self.site.url(""))).await?)
    }

    /// Opens an empty page beside the page.
    ///
    /// # Errors
    /// If the browser cannot load it.
    pub async fn visit_around(&self) -> Result<()> {
        self.visit_file(AROUND).await
    }

    /// Opens the page with a query and waits for the end of its run.
    ///
    /// # Errors
    /// If the run does not end.
    pub async fn open(&self, query: &str) -> Result<()> {
        self.visit(query).await?;
        self.settle().await
    }

    /// Waits until all that was asked for is on screen.
    ///
    /// # Errors
    /// If that does not happen.
    pub async fn settle(&self) -> Result<()> {
        self.settle_within(PATIENCE).await.map(drop)
    }

    /// Waits until all that was asked for is on screen, and says how long that took.
    ///
    /// # Errors
    /// If it takes longer than `limit`.
    pub async fn settle_within(&self, limit: Duration) -> Result<Duration> {
        self.wait("the page to settle", limit, SETTLED).await
    }

    /// Waits until a JavaScript expression is true, and says how long that took.
    ///
    /// # Errors
    /// If it takes longer than `limit`; `what` says what was waited for.
    pub async fn wait(&self, what: &str, limit: Duration, expression: &str) -> Result<Duration> {
        let start = Instant::now();
        while !self.is(expression).await? {
            ensure!(start.elapsed() < limit, "waited {limit:?} for {what}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(start.elapsed())
    }

    /// Whether a JavaScript expression is true. In a document that just makes way for another one it is not: Firefox has it give no
    /// answer, WebKit says that there is no such frame.
    ///
    /// # Errors
    /// If it throws.
    pub async fn is(&self, expression: &str) -> Result<bool> {
        match self.eval::<Option<bool>>(&format!("return Boolean({expression});"), &[]).await {
            Err(error) if format!("{error:#}").contains("Frame not found") => Ok(false),
            answer => Ok(answer?.unwrap_or(false)),
        }
    }

    /// Runs a script in the page; what it returns is read as a `T`. Its functions and promises may be none of the page's own:
    /// drivers run scripts in realms of theirs.
    ///
    /// # Errors
    /// If the script throws, or returns something else.
    pub async fn eval<T: DeserializeOwned>(&self, script: &str, arguments: &[Value]) -> Result<T> {
        let answer = self.browser.driver().execute(script, arguments.to_vec()).await;
        answer.and_then(|answer| answer.convert()).with_context(|| format!("in the script: {script}"))
    }

    /// Waits until the browser has drawn what is on the page now.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn next_frames(&self) -> Result<()> {
        const TWO_FRAMES: &str = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()));";
        Ok(self.browser.driver().execute_async(TWO_FRAMES, Vec::new()).await.map(drop)?)
    }

    /// Waits as long as the page waits for rest before it says anything. Timers of one document go off in the order in which
    /// they are due, so that none of the page's own, set before, is still to come, however busy the machine is.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn rest(&self) -> Result<()> {
        const REST: &str = "const done = arguments[0]; setTimeout(() => done(), 600);";
        self.browser.driver().execute_async(REST, Vec::new()).await?;
        self.next_frames().await
    }

    /// What the witness has seen since navigation.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn report(&self) -> Result<Report> {
        self.eval("return witness.report();", &[]).await
    }

    /// Begins to watch frames, and forgets the long tasks and the shifts there were.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn watch(&self) -> Result<()> {
        self.eval("witness.forget(); witness.watchFrames();", &[]).await
    }

    /// What was seen of the frames since [`Page::watch`].
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn watched(&self) -> Result<Frames> {
        self.eval("return witness.frames();", &[]).await
    }
}

/// The selector of a parameter's slider.
pub fn slider(key: &str) -> String {
    format!("#control-{key}")
}

/// The selector of a parameter's number box.
pub fn number_box(key: &str) -> String {
    format!("#app .slider[data-param={key}] .number-box")
}
