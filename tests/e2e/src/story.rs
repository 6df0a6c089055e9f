//! One browser with one page, from its start to its end, and what holds in every story: no error is logged, none goes
//! uncaught, and no request leaves the page's folder.

use std::fs;
use std::io::Write;
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

/// Where this comes first, the page has no service worker, which would ask for every file again to keep it.
pub const KEEPING_NOTHING: &str =
    "Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined });";

/// Where this comes first, the memory of workers' modules is open from outside: told "scramble" or "exhaust" it comes to grief, as
/// by a fault of its own; told "measure" it says its size, which then is the worker's `bytes`.
pub const OPEN_WORKERS: &str = r#"
    const within = `
      let memory;
      for (const name of ["instantiate", "instantiateStreaming"]) {
        const instantiate = WebAssembly[name];
        WebAssembly[name] = async (...all) => {
          const made = await instantiate.apply(WebAssembly, all);
          memory = (made.instance ?? made).exports.memory;
          return made;
        };
      }
      const words = {
        scramble: () => new Uint32Array(memory.buffer).fill(0xfffffff1),
        exhaust: () => {
          for (let pages = 32768; pages >= 1; pages = pages >> 1) {
            try { for (;;) memory.grow(pages); } catch {}
          }
        },
        measure: () => postMessage({ bytes: memory.buffer.byteLength }),
      };
      addEventListener("message", (event) => {
        if (!Object.hasOwn(words, event.data)) return;
        event.stopImmediatePropagation();
        words[event.data]();
      });`;
    globalThis.Worker = class extends Worker {
      constructor(from) {
        const address = JSON.stringify(new URL(from, location.href).href);
        super(URL.createObjectURL(new Blob([`${within} importScripts(${address});`], { type: "text/javascript" })));
        this.addEventListener("message", ({ data }) => { this.bytes = data?.bytes ?? this.bytes; });
      }
    };"#;

/// How a story begins.
#[derive(Clone, Debug, Default)]
pub struct Story {
    untold: Vec<(Engine, &'static str)>,
    hosting: Hosting,
    screen: Option<Screen>,
    beforehand: Vec<&'static str>,
    expected: &'static [&'static str],
    wanted: &'static [&'static str],
    tracing: Tracing,
    is_alone: bool,
    is_elsewhere: bool,
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
        let story = Self { screen: Some(screen), ..self };
        if screen.touch { story.only(Engine::Chromium, "it takes fingers") } else { story }
    }

    /// A script that runs before the page's own, after those that were named before.
    #[must_use]
    pub fn where_first(mut self, script: &'static str) -> Self {
        self.beforehand.push(script);
        self
    }

    /// Errors with one of these texts are what the story is about.
    #[must_use]
    pub fn expecting_errors(self, expected: &'static [&'static str]) -> Self {
        Self { expected, ..self }
    }

    /// Only this engine can show it, for such a reason.
    #[must_use]
    pub fn only(self, engine: Engine, reason: &'static str) -> Self {
        let others = [Engine::Chromium, Engine::Firefox, Engine::WebKit].into_iter().filter(|other| *other != engine);
        others.fold(self, |story, other| story.except(other, reason))
    }

    /// This engine cannot show it, for such a reason.
    #[must_use]
    pub fn except(mut self, engine: Engine, reason: &'static str) -> Self {
        self.untold.push((engine, reason));
        self
    }

    /// Requests to such places are what the story is about.
    #[must_use]
    pub fn expecting_requests(self, wanted: &'static [&'static str]) -> Self {
        Self { wanted, ..self }
    }

    /// The browser traces its tasks.
    #[must_use]
    pub fn traced(self) -> Self {
        Self { tracing: Tracing::Tasks, ..self }.only(Engine::Chromium, "it takes a trace of tasks")
    }

    /// No other browser runs meanwhile: times are measured.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// The page comes from a server of the story's own, as it was built: where the driver puts no script into documents, there is
    /// no witness.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { is_elsewhere: true, ..self }
    }

    /// Tells the story.
    ///
    /// # Panics
    /// If it does not go as told. A picture of the page then and its source are left in `target/e2e`.
    #[track_caller]
    pub fn tell(self, events: impl AsyncFnOnce(&Page) -> Result<()>) {
        let engine = Engine::chosen().unwrap_or_else(|error| panic!("{error:?}"));
        if let Some((_, reason)) = self.untold.iter().find(|(untold, _)| *untold == engine) {
            return say_untold(engine, reason);
        }
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
        let browser = Browser::start(&tools, site.elsewhere(), self.tracing).await?;
        let first = format!("{}\n{}", witness::SCRIPT, self.beforehand.join("\n"));
        if !browser.before_every_document(&first).await? {
            site.begin_documents_with(&first);
        }
        if let Some(screen) = self.screen {
            browser.set_screen(screen).await?;
        }
        Ok(Page::new(browser, site))
    }

    async fn check_manners(&self, page: &Page) -> Result<()> {
        let of_engine = page.browser().engine().own_errors();
        let is_expected = |text: &str| self.expected.iter().chain(of_engine).any(|expected| text.contains(expected));
        let is_witnessed = !self.is_elsewhere || page.browser().engine() == Engine::Chromium;
        let uncaught = if is_witnessed { page.report().await?.errors } else { Vec::new() };
        ensure!(uncaught.iter().all(|error| is_expected(error)), "nobody caught {uncaught:?}");
        let logged = match page.browser().console().await? {
            Some(logged) => logged.into_iter().filter(|logged| logged.is_error).map(|logged| logged.text).collect(),
            None => page.site().complaints(),
        };
        let errors: Vec<_> = logged.into_iter().filter(|text| !is_expected(text)).collect();
        ensure!(errors.is_empty(), "errors were logged: {errors:#?}");
        let is_wanted = |request: &String| self.wanted.iter().any(|wanted| request.contains(wanted));
        let strayed: Vec<_> = page.site().strayed().into_iter().filter(|request| !is_wanted(request)).collect();
        ensure!(strayed.is_empty(), "requests left the page's folder: {strayed:#?}");
        Ok(())
    }
}

/// Says on the output proper, where stories are counted, that this one was not told.
fn say_untold(engine: Engine, reason: &str) {
    let name = thread::current().name().unwrap_or("story").to_owned();
    let _ = writeln!(std::io::stdout(), "not told in {engine}: {name}: {reason}");
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
