//! The page as one file, opened from disk.

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Tools};
use e2e::page::{Page, views};
use e2e::story::Story;
use tempfile::TempDir;

use super::{FOUR_CORES, all_views_work};

/// Bytes that the file may have.
const BUDGET: u64 = 1_200_000;

/// The file, made by `cargo xtask single-file`.
const NAME: &str = "fedsysid.html";

/// What a page has asked for.
const ASKED_FOR: &str = "return performance.getEntriesByType('resource').map(({ name }) => name);";

/// The file as it would be sent, in a folder of its own. Where the driver puts no script into documents, the witness is in it.
fn copy(page: &Page) -> Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let path = Tools::from_environment()?.dist.join(NAME);
    let html = fs::read_to_string(path).context("run `cargo xtask single-file`")?;
    fs::write(folder.path().join(NAME), page.site().witnessed(&html))?;
    Ok(folder)
}

/// Opens the file itself, without any server.
async fn open(page: &Page, folder: &TempDir, query: &str) -> Result<()> {
    let path = folder.path().canonicalize()?.join(NAME);
    page.browser().driver().goto(format!("file://{}?{query}", path.display())).await?;
    page.settle().await
}

#[test]
fn it_opens_from_disk_without_a_network_and_has_every_view() {
    Story::new().where_first(FOUR_CORES).tell(async |page| {
        let folder = copy(page)?;
        // WebKitGTK has no way to be cut off; but that nothing gets past this machine, and nothing is wanted from it, is checked
        // in every story.
        if page.browser().engine() != Engine::WebKit {
            page.browser().cut_off().await?;
        }
        open(page, &folder, "M=10&q=4&eps=0.1").await?;
        let draft = page.draft().await?;
        ensure!(draft.to_query() == "M=10&eps=0.1&q=4", "the link is not followed: {}", draft.to_query());
        all_views_work(page, "blob:").await?;
        page.enter("eps", "0.4").await?;
        page.expect_what_is_set().await?;
        page.query().await?;
        let link: String = page.eval("return document.querySelector('#app .share .link').value;", &[]).await?;
        ensure!(link.starts_with("file:///") && link.ends_with("fedsysid.html?M=10&eps=0.4&q=4"), "{link}");
        for view in views() {
            open(page, &folder, &format!("view={view}&q=2&M=5")).await?;
            let shown: String = page.eval("return document.querySelector('#app main').dataset.view;", &[]).await?;
            ensure!(shown == view, "{shown} is shown instead of {view}");
        }
        let asked_for: Vec<String> = page.eval(ASKED_FOR, &[]).await?;
        ensure!(asked_for.iter().all(|name| name.starts_with("blob:") || name.starts_with("data:")), "{asked_for:?}");
        Ok(())
    });
}

/// Presses what makes a file of the page, and puts that file beside it under another name.
async fn saved(page: &Page, folder: &TempDir, name: &str) -> Result<()> {
    const MARK: &str = "const found = [...document.querySelectorAll('#app .menu-row button')].filter((button) => \
                        button.textContent.includes('Save page')); found[0].id = 'save-page'; return found.length;";
    page.click("#app .menu > summary").await?;
    let n_buttons: usize = page.eval(MARK, &[]).await?;
    ensure!(n_buttons == 1, "{n_buttons} buttons save the page");
    let html = page.saved_by("#save-page").await?;
    ensure!(html.len() as u64 <= BUDGET + BUDGET / 100, "the copy has {} bytes", html.len());
    Ok(fs::write(folder.path().join(name), html)?)
}

async fn expect_opened(page: &Page, folder: &TempDir, name: &str, settings: &str) -> Result<()> {
    let folder = folder.path().canonicalize()?;
    page.browser().driver().goto(format!("file://{}/{name}", folder.display())).await?;
    page.expect_what_is_set().await?;
    let draft = page.draft().await?.to_query();
    ensure!(draft == settings, "{name} opens with {draft}");
    page.query().await.map(drop)
}

/// Who has only files can set everything and hand it on: a scenario, or the page with its settings in it.
#[test]
fn a_copy_is_saved_with_its_settings_and_opens_with_them() {
    const SCENARIO: &str =
        r#"{"format": "fedsysid-scenario", "version": 1, "settings": {"M": 12, "q": 3, "seed": 8, "systems": 7}}"#;
    Story::new().tell(async |page| {
        let folder = copy(page)?;
        open(page, &folder, "").await?;
        ensure!(page.draft().await?.to_query().is_empty());
        page.choose_file("#app [data-testid=open-scenario]", "mine.json", SCENARIO).await?;
        page.expect_what_is_set().await?;
        page.enter("eps", "0.45").await?;
        page.expect_what_is_set().await?;
        saved(page, &folder, "mine.html").await?;
        let settings = "M=12&eps=0.45&q=3&seed=8&systems=7";
        expect_opened(page, &folder, "mine.html", settings).await?;
        // A copy of the copy has the settings of then.
        page.enter("M", "5").await?;
        page.expect_what_is_set().await?;
        saved(page, &folder, "theirs.html").await?;
        expect_opened(page, &folder, "theirs.html", "M=5&eps=0.45&q=3&seed=8&systems=7").await?;
        expect_opened(page, &folder, "mine.html?M=4&q=2", "M=4&q=2").await?;
        // Also what everybody's page begins with has an address there.
        expect_opened(page, &folder, "mine.html", settings).await?;
        page.click("#app .changes button:last-child").await?;
        page.expect_what_is_set().await?;
        page.rest().await?;
        page.browser().driver().refresh().await?;
        page.expect_what_is_set().await?;
        let draft = page.draft().await?.to_query();
        ensure!(draft.is_empty(), "the defaults were set, and {draft} is what comes of it");
        Ok(())
    });
}

#[test]
fn it_is_small_enough_to_be_sent() -> Result<()> {
    let bytes = fs::metadata(Tools::from_environment()?.dist.join(NAME))?.len();
    println!("{NAME} has {bytes} bytes");
    ensure!(bytes > BUDGET / 10 && bytes <= BUDGET, "{NAME} has {bytes} bytes, and may have {BUDGET}");
    Ok(())
}
