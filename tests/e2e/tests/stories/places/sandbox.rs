//! In a frame with `sandbox="allow-scripts"`: its origin is nobody's, so that nothing is kept and no worker starts by address.

use anyhow::{Context, Result, ensure};
use e2e::page::Page;
use e2e::site::Hosting;
use e2e::story::Story;
use serde_json::json;
use thirtyfour::By;

use super::{FOUR_CORES, all_views_work, words_without_program};

/// Everybody may load the files, as a sandboxed frame has to.
const CORS: Hosting = Hosting { folder: "/", headers: &[("access-control-allow-origin", "*")], missing: &[] };

/// A page around the page, and what is said and looked at from now on is the frame's.
async fn sandboxed(page: &Page, src: &str) -> Result<()> {
    const SCRIPT: &str = r"
        document.documentElement.innerHTML = '<body></body>';
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts');
        Object.assign(frame, { src: arguments[0], width: 1240, height: 700 });
        document.body.append(frame);";
    page.visit_around().await?;
    page.eval::<()>(SCRIPT, &[json!(src)]).await?;
    enter(page).await
}

async fn enter(page: &Page) -> Result<()> {
    let frame = page.browser().driver().find(By::Css("iframe")).await?;
    frame.enter_frame().await.context("there is no frame")
}

/// It works whole, and what is chosen lasts as long as the page.
async fn the_frame_works(page: &Page) -> Result<()> {
    page.settle().await?;
    ensure!(page.is("origin === 'null'").await?, "the frame is not sandboxed");
    all_views_work(page, "blob:").await?;
    // WebKit gives a frame of another origin the focus for a press, not for a script.
    page.click("#app h1").await?;
    page.enter("eps", "0.4").await?;
    page.expect_what_is_set().await?;
    page.wait("the address", super::PATIENCE, "location.search === '?embed=0&M=10&eps=0.4&q=4'").await?;
    let dark = "const box = document.querySelector('#app .theme-choice select'); box.value = 'dark'; \
                box.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval::<()>(dark, &[]).await?;
    page.wait("dark colors", super::PATIENCE, "document.documentElement.dataset.theme === 'dark'").await.map(drop)
}

fn story() -> Story {
    Story::new().where_first(FOUR_CORES)
}

#[test]
fn where_the_server_allows_it_the_page_of_several_files_works() {
    story().hosted(CORS).tell(async |page| {
        sandboxed(page, "./?embed=0&M=10&q=4").await?;
        the_frame_works(page).await
    });
}

#[test]
fn the_page_as_one_file_works_on_any_server() {
    story().tell(async |page| {
        sandboxed(page, "./fedsysid.html?embed=0&M=10&q=4").await?;
        the_frame_works(page).await
    });
}

/// As course platforms show files that were uploaded: from a blob, or as the frame's own text. Such pages have no query.
#[test]
fn the_page_as_one_file_works_without_an_address() {
    const FROM: [&str; 2] =
        ["frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }));", "frame.srcdoc = text;"];
    story().tell(async |page| {
        for from in FROM {
            page.visit_around().await?;
            let script = format!(
                "const done = arguments[0];
                 document.documentElement.innerHTML = '<body></body>';
                 const frame = document.createElement('iframe');
                 frame.setAttribute('sandbox', 'allow-scripts');
                 Object.assign(frame, {{ width: 1240, height: 700 }});
                 fetch('./fedsysid.html').then((file) => file.text()).then((page) => {{
                   // A copy that was saved with settings: there is no address to have them.
                   const text = page.replace('<html', '<html data-settings=M=10&amp;q=4');
                   {from}
                   document.body.append(frame);
                   done();
                 }});"
            );
            page.browser().driver().execute_async(script, Vec::new()).await?;
            enter(page).await?;
            page.settle().await?;
            ensure!(page.draft().await?.to_query() == "M=10&q=4", "the settings it was saved with are lost");
            all_views_work(page, "blob:").await?;
        }
        Ok(())
    });
}

#[test]
fn where_the_server_does_not_allow_it_words_say_what_helps() {
    const REFUSED: &[&str] = &["_bg.wasm", "fetch", "NetworkError", "access control", "Load failed"];
    Story::new().expecting_errors(REFUSED).tell(async |page| {
        sandboxed(page, "./").await?;
        let words = words_without_program(page).await?;
        ensure!(words.contains("Access-Control-Allow-Origin: *") && words.contains("fedsysid.html"), "{words}");
        Ok(())
    });
}
