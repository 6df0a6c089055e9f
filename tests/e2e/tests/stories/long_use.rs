//! A long use of everything: what the page keeps does not grow.

use anyhow::{Result, ensure};
use e2e::browser::{Engine, Kept};
use e2e::page::{PATIENCE, Page};
use e2e::story::{KEEPING_NOTHING, OPEN_WORKERS, Story};

/// What is there after a while.
#[derive(Clone, Copy, Debug)]
struct Held {
    module: u64,
    workers: u64,
    kept: Kept,
}

async fn held(page: &Page) -> Result<Held> {
    const ASK: &str = "for (const it of witness.workers) { it.bytes = undefined; it.postMessage('measure'); }";
    page.eval::<()>(ASK, &[]).await?;
    page.wait("the workers' sizes", PATIENCE, "witness.workers.every(({ bytes }) => bytes > 0)").await?;
    let workers = "return witness.workers.reduce((sum, { bytes }) => sum + bytes, 0);";
    Ok(Held {
        module: page.eval("return witness.memory();", &[]).await?,
        workers: page.eval(workers, &[]).await?,
        kept: page.browser().kept().await?,
    })
}

async fn press(page: &Page, css: &str) -> Result<()> {
    const PRESS: &str = "const found = document.querySelector(arguments[0]); found?.click(); return found !== null;";
    ensure!(page.eval::<bool>(PRESS, &[css.into()]).await?, "there is no {css}");
    page.next_frames().await
}

async fn press_words(page: &Page, words: &str) -> Result<()> {
    const PRESS: &str = r"
        const found = [...document.querySelectorAll('#app button')].find((it) => it.textContent.trim() === arguments[0]);
        found?.click();
        return found !== undefined;";
    ensure!(page.eval::<bool>(PRESS, &[words.into()]).await?, "there is no button {words}");
    page.settle().await
}

/// Opens a menu, looks at it, and closes it.
async fn open_and_close(page: &Page, id: &str) -> Result<()> {
    press(page, &format!("#app [popovertarget={id}]")).await?;
    press(page, &format!("#{id} .dismiss")).await
}

/// Everything once.
async fn round(page: &Page) -> Result<()> {
    press(page, "#app .tab[data-view=explore]").await?;
    page.drag("eps", &[0.3, 0.6], 6).await?;
    page.enter("M", "20").await?;
    page.settle().await?;
    press(page, "#app .pins-head button").await?;
    page.enter("M", "10").await?;
    page.settle().await?;
    open_and_close(page, "save-explore").await?;
    open_and_close(page, "save-explore-numbers").await?;
    press(page, "#app [data-param=M] .slider-name").await?;
    page.settle().await?;
    press_words(page, "Back to one run").await?;
    press(page, "#app [data-delete]").await?;
    for view in ["tradeoff", "map", "paper", "systems", "data", "lesson"] {
        press(page, &format!("#app .tab[data-view={view}]")).await?;
        page.settle().await?;
    }
    press(page, "#app [data-do=start]").await?;
    page.settle().await?;
    press_words(page, "Leave the lesson").await?;
    press(page, "#app .tab[data-view=explore]").await?;
    press(page, "#app [popovertarget=embed-panel]").await?;
    let preview = "document.querySelector('.embed-preview iframe')?.contentDocument?.querySelector('#app main[data-settled=true]')";
    page.wait("the preview", PATIENCE, preview).await?;
    press(page, "#embed-panel .dismiss").await?;
    page.wait("no preview", PATIENCE, "document.querySelector('.embed-preview iframe') === null").await?;
    page.settle().await
}

/// Rounds that fill what is kept on purpose: finished sweeps and maps, what can be taken back.
const FILLING: usize = 4;

/// Rounds after that, in each of two halves.
const HALF: usize = 4;

#[test]
fn a_long_use_keeps_no_more_than_a_short_one() {
    // Without what keeps the page for later, which is no part of it.
    let story = Story::new().where_first(KEEPING_NOTHING).where_first(OPEN_WORKERS);
    story.only(Engine::Chromium, "it takes a browser that counts").tell(async |page| {
        page.open("q=4&R=60").await?;
        let mut held_after = Vec::new();
        for n in [FILLING, HALF, HALF] {
            for _ in 0..n {
                round(page).await?;
            }
            held_after.push(held(page).await?);
        }
        let [filled, half, whole] = held_after[..] else { anyhow::bail!("{held_after:?}") };
        e2e::report(format_args!("held after {FILLING}, {HALF} and {HALF} rounds: {filled:?}, {half:?}, {whole:?}"));
        let pages = |bytes: u64| bytes / 65_536;
        ensure!(pages(whole.module) <= pages(filled.module) + 8, "the page's module grows: {held_after:?}");
        ensure!(pages(whole.workers) <= pages(filled.workers) + 8, "the workers' modules grow: {held_after:?}");
        let grown = |what: fn(&Kept) -> u64| what(&whole.kept).saturating_sub(what(&half.kept));
        ensure!(grown(|kept| kept.documents) < HALF as u64, "documents are kept: {held_after:?}");
        ensure!(grown(|kept| kept.nodes) < 8 * HALF as u64, "nodes are kept: {held_after:?}");
        ensure!(grown(|kept| kept.listeners) < HALF as u64, "listeners are kept: {held_after:?}");
        Ok(())
    });
}
