//! One browser with one page, from its start to its end, and what holds in every story: no error is logged, none goes
//! uncaught, and no request leaves the page's folder.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::thread;

use anyhow::{Context, Result, ensure};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::browser::{Browser, Engine, Screen, Tools, Tracing};
use crate::page::Page;
use crate::site::{Hosting, Site};
use crate::witness;

/// Browsers at a time; more would wait for each other's processor time, and stories measure it.
const AT_A_TIME: u32 = 2;

static BROWSERS: Semaphore = Semaphore::const_new(AT_A_TIME as usize);

/// How a story begins.
#[derive(Clone, Debug, Default)]
pub struct Story {
    engine: Engine,
    hosting: Hosting,
    screen: Option<Screen>,
    beforehand: Option<&'static str>,
    expected: &'static [&'static str],
    tracing: Tracing,
    is_alone: bool,
}

impl Story {
    /// The page at the root of its server, in a window of 1280 × 800.
    pub fn new() -> Self {
        Self::default()
    }

    /// The page is served like this.
    #[must_use]
    pub fn hosted(self, hosting: Hosting) -> Self {
        Self { hosting, ..self }
    }

    /// On such a screen.
    #[must_use]
    pub fn on(self, screen: Screen) -> Self {
        Self { screen: Some(screen), ..self }
    }

    /// A script that runs before the page's own.
    #[must_use]
    pub fn where_first(self, script: &'static str) -> Self {
        Self { beforehand: Some(script), ..self }
    }

    /// Errors with one of these texts are what the story is about.
    #[must_use]
    pub fn expecting_errors(self, expected: &'static [&'static str]) -> Self {
        Self { expected, ..self }
    }

    /// The browser traces its tasks.
    #[must_use]
    pub fn traced(self) -> Self {
        Self { tracing: Tracing::Tasks, ..self }
    }

    /// No other browser runs meanwhile: times are measured.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// Tells the story.
    ///
    /// # Panics
    /// If it does not go as told. A picture of the page then and its source are left in `target/e2e`.
    #[track_caller]
    pub fn tell(self, events: impl AsyncFnOnce(&Page) -> Result<()>) {
        let runtime = runtime();
        let _turn = runtime.block_on(self.turn());
        let page = match runtime.block_on(self.begin()) {
            Ok(page) => page,
            Err(error) => panic!("{error:?}"),
        };
        let told = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async {
                events(&page).await?;
                self.check_manners(&page).await
            })
        }));
        if !matches!(told, Ok(Ok(()))) {
            runtime.block_on(keep_evidence(&page));
        }
        let ended = runtime.block_on(page.close());
        match told.map(|told| told.and(ended)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => panic!("{error:?}"),
            Err(panic) => resume_unwind(panic),
        }
    }

    async fn turn(&self) -> SemaphorePermit<'static> {
        let n_browsers = if self.is_alone { AT_A_TIME } else { 1 };
        BROWSERS.acquire_many(n_browsers).await.unwrap_or_else(|_| unreachable!("nobody closes it"))
    }

    async fn begin(&self) -> Result<Page> {
        let tools = Tools::from_environment()?;
        let site = Site::serve(&tools.dist, self.hosting).await?;
        let browser = Browser::start(self.engine, &tools, self.tracing).await?;
        browser.before_every_document(witness::SCRIPT).await?;
        if let Some(script) = self.beforehand {
            browser.before_every_document(script).await?;
        }
        if let Some(screen) = self.screen {
            browser.set_screen(screen).await?;
        }
        Ok(Page::new(browser, site))
    }

    async fn check_manners(&self, page: &Page) -> Result<()> {
        let is_expected = |text: &str| self.expected.iter().any(|expected| text.contains(expected));
        let logged = page.browser().console().await?;
        let errors: Vec<_> =
            logged.into_iter().filter(|logged| logged.is_error && !is_expected(&logged.text)).collect();
        ensure!(errors.is_empty(), "errors were logged: {errors:#?}");
        let uncaught = page.report().await?.errors;
        ensure!(uncaught.iter().all(|error| is_expected(error)), "nobody caught {uncaught:?}");
        let strayed = page.site().strayed();
        ensure!(strayed.is_empty(), "requests left the page's folder: {strayed:#?}");
        Ok(())
    }
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap_or_else(|error| panic!("no runtime: {error}"))
}

/// Keeps what the page looked like, under the test's name.
async fn keep_evidence(page: &Page) {
    let name = thread::current().name().unwrap_or("story").replace("::", "-");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/e2e");
    let kept = async {
        fs::create_dir_all(&folder)?;
        let driver = page.browser().driver();
        fs::write(folder.join(format!("{name}.png")), driver.screenshot_as_png().await?)?;
        fs::write(folder.join(format!("{name}.html")), driver.source().await?).context("no room for the source")
    };
    match kept.await {
        Ok(()) => crate::report(format_args!("the page as it was: {}", folder.join(format!("{name}.png")).display())),
        Err(error) => crate::report(format_args!("the page could not be kept: {error}")),
    }
}
