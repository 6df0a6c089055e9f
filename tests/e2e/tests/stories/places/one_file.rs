//! The page as one file, opened from disk.

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Tools};
use e2e::page::Page;
use e2e::story::Story;
use tempfile::TempDir;

use super::{FOUR_CORES, VIEWS, all_views_work};

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
        for view in VIEWS {
            open(page, &folder, &format!("view={view}&q=2&M=5")).await?;
            let shown: String = page.eval("return document.querySelector('#app main').dataset.view;", &[]).await?;
            ensure!(shown == view, "{shown} is shown instead of {view}");
        }
        let asked_for: Vec<String> = page.eval(ASKED_FOR, &[]).await?;
        ensure!(asked_for.iter().all(|name| name.starts_with("blob:") || name.starts_with("data:")), "{asked_for:?}");
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
