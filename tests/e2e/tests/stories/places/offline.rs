//! The page that the browser has kept: without its server, and when the server has another version.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Tools};
use e2e::page::{PATIENCE, Page};
use e2e::site::{Hosting, Site};
use e2e::story::Story;
use serde_json::json;
use tempfile::TempDir;

/// A copy of the built page, to be changed.
fn copy() -> Result<TempDir> {
    let folder = tempfile::tempdir()?;
    for entry in fs::read_dir(Tools::from_environment()?.dist)? {
        let path = entry?.path();
        fs::copy(&path, folder.path().join(path.file_name().context("files have names")?))?;
    }
    fs::remove_file(folder.path().join("fedsysid.html"))?;
    Ok(folder)
}

/// Another version in the first one's place: its title and a style sheet are other ones, and so are their names.
fn renew(folder: &Path, version: &str) -> Result<()> {
    let page = folder.join("index.html");
    let html = fs::read_to_string(&page)?;
    let sheet =
        html.split("./").filter_map(|rest| rest.split(['"', ' ', '>']).next()).find(|name| name.starts_with("style-"));
    let sheet = sheet.context("the page names a style sheet")?.to_owned();
    let renewed = format!("style-{version}.css");
    let style = fs::read_to_string(folder.join(&sheet))?;
    fs::write(folder.join(&renewed), format!("{style}:root{{--version:{version}}}"))?;
    fs::remove_file(folder.join(&sheet))?;
    let title =
        html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).context("it has a title")?;
    fs::write(&page, html.replace(&sheet, &renewed).replace(title, version))?;
    fs::write(folder.join("offline.js"), include_str!("../../../../../src/web/offline.js"))?;
    Ok(finish::offline::fill(folder)?)
}

/// What a page is made of: its title, and what its style sheet says.
async fn version(page: &Page) -> Result<(String, String)> {
    const SCRIPT: &str =
        "return [document.title, getComputedStyle(document.documentElement).getPropertyValue('--version')];";
    page.eval(SCRIPT, &[]).await
}

async fn go(page: &Page, address: &str) -> Result<()> {
    page.browser().driver().goto(address).await?;
    page.settle().await
}

/// What the page is asked about its registration.
async fn registration(page: &Page, expression: &str) -> Result<bool> {
    let script = "const [expression, done] = arguments;
                  navigator.serviceWorker.getRegistration().then((it) => done(Boolean(it && it[expression])));";
    let answer = page.browser().driver().execute_async(script, vec![json!(expression)]).await?;
    Ok(answer.convert()?)
}

/// The registration comes to have a service worker in this state.
async fn until_there_is(page: &Page, state: &str) -> Result<()> {
    let start = std::time::Instant::now();
    while !registration(page, state).await? {
        ensure!(start.elapsed() < PATIENCE, "there is no {state} service worker");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Ok(())
}

#[test]
fn once_visited_it_works_without_its_server() {
    Story::new().elsewhere().tell(async |page| {
        let folder = copy()?;
        let site = Site::serve(folder.path(), Hosting::default()).await?;
        go(page, &site.url("q=4&M=10")).await?;
        until_there_is(page, "active").await?;
        let address = site.url("q=4&M=20");
        let tradeoff = site.url("view=tradeoff&q=4&M=10");
        site.end().await?;
        go(page, &address).await?;
        page.expect_what_is_set().await?;
        ensure!(page.complaints().await?.is_empty(), "the worker does not start without a network");
        go(page, &tradeoff).await
    });
}

/// Whatever the server has meanwhile, a page is of one version, whole; a version that is not whole is never kept.
#[test]
fn an_update_never_mixes_versions() {
    Story::new().elsewhere().expecting_errors(&["integrity", "digest", "offline.js", "Failed to fetch"]).tell(
        async |page| {
            let folder = copy()?;
            renew(folder.path(), "first")?;
            let site = Site::serve(folder.path(), Hosting::default()).await?;
            let of = |name: &str| (name.to_owned(), name.to_owned());
            let address = site.url("q=2&M=5");
            go(page, &address).await?;
            until_there_is(page, "active").await?;
            renew(folder.path(), "second")?;
            go(page, &address).await?;
            ensure!(version(page).await? == of("first"), "{:?} is a mixture", version(page).await?);
            until_there_is(page, "waiting").await?;
            go(page, &address).await?;
            ensure!(version(page).await? == of("first"), "the page changes under way to {:?}", version(page).await?);
            leave(page).await?;
            go_until(page, &address, "second").await?;
            ensure!(version(page).await? == of("second"), "{:?} is a mixture", version(page).await?);
            // A server in the middle of an update: the page is of another version than what is said of it.
            renew(folder.path(), "third")?;
            let html = fs::read_to_string(folder.path().join("index.html"))?;
            fs::write(folder.path().join("index.html"), html.replace("third</title>", "fourth</title>"))?;
            go(page, &address).await?;
            page.wait("an attempt to keep it", PATIENCE, "performance.now() > 4000").await?;
            ensure!(!registration(page, "waiting").await?, "half a version is kept");
            site.end().await?;
            go(page, &address).await?;
            ensure!(version(page).await? == of("second"), "{:?} is a mixture", version(page).await?);
            page.expect_what_is_set().await
        },
    );
}

/// Leaves the page for good. Firefox keeps what was left for a way back, and until then it counts as open: there its tab is closed.
async fn leave(page: &Page) -> Result<()> {
    let driver = page.browser().driver();
    if page.browser().engine() == Engine::Firefox {
        let tab = driver.new_tab().await?;
        driver.close_window().await?;
        driver.switch_to_window(tab).await?;
    }
    Ok(driver.goto("about:blank").await?)
}

/// The version that waited takes over once no page is open, which browsers do in their own time.
async fn go_until(page: &Page, address: &str, name: &str) -> Result<()> {
    let start = std::time::Instant::now();
    loop {
        go(page, address).await?;
        if version(page).await?.0 == name {
            return Ok(());
        }
        ensure!(start.elapsed() < PATIENCE, "the version {name} does not take over");
        leave(page).await?;
    }
}

/// A frame has nothing kept: that is for its own page to ask for.
#[test]
fn frames_have_nothing_kept() {
    Story::new().tell(async |page| {
        page.visit_around().await?;
        let frame = "document.documentElement.innerHTML = '<body><iframe src=\"./?embed=1&q=2&M=5\"></iframe></body>';";
        page.eval::<()>(frame, &[]).await?;
        page.wait(
            "some time",
            PATIENCE,
            "frames[0].document.querySelector('main[data-settled=true]') && frames[0].performance.now() > 4000",
        )
        .await?;
        ensure!(!registration(page, "scope").await?, "a frame has the page kept");
        Ok(())
    });
}
