//! A worker that dies is replaced, and where none can start the page computes: the same numbers either way.

use std::time::Duration;

use anyhow::{Result, ensure};
use e2e::browser::Engine;
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use e2e::story::{OPEN_WORKERS, Story};

/// Long enough to be in the middle of, at two seconds or more in a browser; on a slow machine six. WebKitGTK does the same work in
/// twenty times the time.
fn long(page: &Page) -> &'static str {
    match page.browser().engine() {
        Engine::WebKit => "M=2000&N=100&T=100&q=20&alpha=0.000001",
        Engine::Chromium | Engine::Firefox => "M=2000&N=100&T=100&q=40&alpha=0.000001",
    }
}

/// A silent worker is given five seconds, and looked after every second.
const NOTICED_WITHIN: Duration = Duration::from_millis(7_500);

const IN_PROGRESS: &str = r#"document.querySelector('#app [data-testid="progress"] progress')"#;

const IN_TROUBLE: &str = "document.querySelector('#app .trouble')";

/// Something happens to the worker in the middle of a long run.
#[track_caller]
fn check(mishap: &'static str, noticed_within: Duration) {
    Story::new().tell(async |page| {
        page.visit(long(page)).await?;
        page.wait("progress", PATIENCE, IN_PROGRESS).await?;
        page.eval::<()>(mishap, &[]).await?;
        let noticed = page.wait("word of the worker's end", noticed_within, IN_TROUBLE).await?;
        e2e::report(format_args!("word of the worker's end after {} ms", noticed.as_millis()));
        says(page, "another one was started").await?;
        page.settle().await?;
        let native = Native::of(long(page))?;
        page.expect(&native, native.n_rounds()).await?;
        let n_workers = page.report().await?.workers;
        ensure!(n_workers == 2, "{n_workers} workers were started");
        page.click("#app .trouble .dismiss").await?;
        let complaints = page.complaints().await?;
        ensure!(complaints.is_empty(), "{complaints:?}");
        Ok(())
    });
}

async fn says(page: &Page, words: &str) -> Result<()> {
    let complaints = page.complaints().await?;
    ensure!(complaints.iter().any(|complaint| complaint.contains(words)), "{words:?} is not in {complaints:?}");
    Ok(())
}

#[test]
fn a_worker_that_falls_silent_is_replaced() {
    check("witness.workers.at(-1).terminate();", NOTICED_WITHIN);
}

#[test]
fn a_worker_that_fails_is_replaced_at_once() {
    let mishap = r#"witness.workers.at(-1).dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));"#;
    check(mishap, Duration::from_secs(1));
}

/// What a worker's module does not survive, where it is told of it: the browser says it too.
#[track_caller]
fn check_grief(word: &'static str, next: &'static str) {
    const ERRORS: &[&str] =
        &["unreachable", "memory access out of bounds", "RuntimeError", "Uncaught", "panicked", "allocation"];
    Story::new().where_first(OPEN_WORKERS).expecting_errors(ERRORS).tell(async |page| {
        page.open("q=4").await?;
        page.expect_what_is_set().await?;
        page.eval::<()>("witness.workers.at(-1).postMessage(arguments[0]);", &[word.into()]).await?;
        page.enter("M", next).await?;
        page.wait("word of the worker's end", NOTICED_WITHIN, IN_TROUBLE).await?;
        says(page, "another one was started").await?;
        page.expect_what_is_set().await?;
        page.enter("M", "7").await?;
        page.expect_what_is_set().await?;
        ensure!(page.report().await?.workers >= 2, "another worker does the work");
        Ok(())
    });
}

#[test]
fn a_worker_whose_module_breaks_is_replaced_and_the_next_run_works() {
    check_grief("scramble", "60");
}

#[test]
fn a_worker_without_memory_is_replaced_and_the_next_run_works() {
    check_grief("exhaust", "10000");
}

/// A worker can be let go while its scripts load, and complain of that when nobody listens any more.
#[test]
fn what_a_worker_that_was_let_go_complains_of_is_no_error() {
    const DEAF: &str = "a worker that was let go hears of no more events there";
    Story::new().except(Engine::WebKit, DEAF).tell(async |page| {
        const LET_GO: &str = r#"
            window.gone = witness.workers.at(-1);
            gone.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));"#;
        const LATE: &str = r#"!gone.dispatchEvent(new ErrorEvent("error", { message: "late", cancelable: true }))"#;
        page.open("q=4").await?;
        page.eval::<()>(LET_GO, &[]).await?;
        says(page, "another one was started").await?;
        ensure!(page.is(LATE).await?, "the browser would report it as uncaught");
        page.settle().await
    });
}

#[test]
fn a_run_that_workers_keep_dying_over_is_given_up() {
    Story::new().tell(async |page| {
        page.visit("M=2000&N=100&T=100&q=100").await?;
        for words in ["another one was started", "another one was started", "given up"] {
            // It is alive, it is up, and it has told of its progress: it is this run that it dies over.
            page.wait("a worker at work", PATIENCE, "witness.workers.at(-1)?.heard > 2").await?;
            page.eval::<()>("witness.workers.at(-1).dispatchEvent(new ErrorEvent('error'));", &[]).await?;
            says(page, words).await?;
        }
        page.enter("T", "5").await?;
        page.expect_what_is_set().await
    });
}

/// The page computes by itself, with the same numbers.
#[track_caller]
fn check_on_page(story: Story) {
    story.tell(async |page| {
        page.open("q=40").await?;
        says(page, "the page itself computes").await?;
        page.expect_what_is_set().await?;
        page.enter("M", "120").await?;
        page.expect_what_is_set().await?;
        page.drag("eps", &[0.9, 0.4], 30).await?;
        page.expect_what_is_set().await
    });
}

#[test]
fn where_no_worker_is_allowed_the_page_computes() {
    let refuse = r#"
        globalThis.Worker = class {
          constructor() { throw new DOMException("no worker is allowed here", "SecurityError"); }
        };"#;
    check_on_page(Story::new().where_first(refuse));
}

#[test]
fn where_there_is_no_such_thing_as_a_worker_the_page_computes() {
    check_on_page(Story::new().where_first("delete globalThis.Worker;"));
}

/// The first worker fails in the way that a browser has, and the next one, from a blob, works.
#[track_caller]
fn check_other_way(refuse: &'static str) {
    Story::new().where_first(refuse).tell(async |page| {
        page.open("q=4").await?;
        page.expect_what_is_set().await?;
        let complaints = page.complaints().await?;
        ensure!(complaints.is_empty(), "{complaints:?}");
        ensure!(page.is("witness.workers.at(-1).from.startsWith('blob:')").await?, "it did not start from a blob");
        Ok(())
    });
}

#[test]
fn where_addresses_are_refused_a_worker_starts_from_a_blob() {
    check_other_way(
        "globalThis.Worker = class extends Worker {
           constructor(from) {
             if (!from.startsWith('blob:')) throw new DOMException('not by address', 'SecurityError');
             super(from);
           }
         };",
    );
}

/// What an address leads to is this script instead.
macro_rules! leads_to {
    ($script:literal) => {
        concat!(
            "globalThis.Worker = class extends Worker {
               constructor(from) {
                 super(from.startsWith('blob:') ? from : 'data:text/javascript,",
            $script,
            "');
                 this.from = from;
               }
             };"
        )
    };
}

#[test]
fn where_addresses_give_an_error_a_worker_starts_from_a_blob() {
    check_other_way(leads_to!("throw 1"));
}

#[test]
fn where_addresses_give_nothing_at_all_a_worker_starts_from_a_blob() {
    check_other_way(leads_to!(""));
}
