//! Content security policies: everything works under the strictest one that allows WebAssembly, and where there is none, words
//! say what is missing.

use anyhow::{Result, ensure};
use e2e::page::{Page, views};
use e2e::site::Hosting;
use e2e::story::Story;

use super::{FOUR_CORES, all_views_work, everything_works, turn_to, words_without_program};

/// What `docs/embedding.md` gives as the strictest policy.
const STRICT: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self'; manifest-src 'self'";

const STRICT_HOSTING: Hosting = Hosting { folder: "/", headers: &[("content-security-policy", STRICT)], missing: &[] };

async fn nothing_is_violated(page: &Page) -> Result<()> {
    let violations = page.report().await?.violations;
    ensure!(violations.is_empty(), "the policy is violated: {violations:#?}");
    Ok(())
}

#[test]
fn under_a_strict_policy() {
    Story::new().hosted(STRICT_HOSTING).tell(everything_works);
}

#[test]
fn every_view_works_under_a_strict_policy() {
    Story::new().hosted(STRICT_HOSTING).where_first(FOUR_CORES).tell(async |page| {
        page.open("q=4&M=10").await?;
        all_views_work(page, &page.site().url("")).await?;
        turn_to(page, "systems").await?;
        // Styles lay the boxes out, and markup may bring none.
        let tops = "new Set([...document.querySelectorAll('#control-A .cell')].map((box) => box.offsetTop)).size";
        let rows: usize = page.eval(&format!("return {tops};"), &[]).await?;
        ensure!(rows == 3, "nine boxes stand in {rows} rows");
        nothing_is_violated(page).await
    });
}

/// Views are opened by their links too.
#[test]
fn links_to_views_work_under_a_strict_policy() {
    Story::new().hosted(STRICT_HOSTING).tell(async |page| {
        for view in views() {
            page.open(&format!("view={view}&q=2&M=5")).await?;
            nothing_is_violated(page).await?;
        }
        page.open("embed=1&show=M,eps&q=2&M=5").await?;
        nothing_is_violated(page).await
    });
}

/// The picture stays, with the header that is missing.
#[test]
fn a_policy_without_webassembly_is_named() {
    const HEADERS: &[(&str, &str)] = &[("content-security-policy", "script-src 'self'")];
    let hosting = Hosting { headers: HEADERS, ..Hosting::default() };
    Story::new().hosted(hosting).expecting_errors(&["WebAssembly", "wasm", "unsafe-eval"]).tell(async |page| {
        for query in ["", "embed=1"] {
            page.visit(query).await?;
            let words = words_without_program(page).await?;
            ensure!(words.contains("Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'"), "{words}");
        }
        Ok(())
    });
}

/// Something is missing in the browser, and the words say that a newer one has it.
#[track_caller]
fn check_old_browser(script: &'static str) {
    Story::new().where_first(script).expecting_errors(&["WebAssembly", "old"]).tell(async |page| {
        page.visit("").await?;
        let words = words_without_program(page).await?;
        ensure!(words.contains("a newer browser shows the live page"), "{words}");
        Ok(())
    });
}

#[test]
fn a_browser_without_webassembly_is_told() {
    check_old_browser("delete globalThis.WebAssembly;");
}

#[test]
fn a_browser_without_vectors_is_told() {
    check_old_browser(
        "WebAssembly.validate = () => false;
         WebAssembly.instantiateStreaming = WebAssembly.instantiate = async () => { throw new Error('too old'); };",
    );
}

/// Without the program there is the picture, and a sentence that says why it does not move.
#[test]
fn a_program_that_does_not_load_leaves_the_picture() {
    let hosting = Hosting { missing: &["_bg.wasm"], ..Hosting::default() };
    Story::new().hosted(hosting).expecting_errors(&["_bg.wasm", "WebAssembly"]).tell(async |page| {
        page.visit("").await?;
        let words = words_without_program(page).await?;
        ensure!(words.ends_with("Reloading the page may help."), "{words}");
        Ok(())
    });
}

/// Not even the first script runs: after a while the style sheet says so.
#[test]
fn scripts_that_do_not_load_leave_the_picture_and_words() {
    let hosting = Hosting { missing: &[".js"], ..Hosting::default() };
    Story::new().hosted(hosting).expecting_errors(&[".js"]).tell(async |page| {
        page.visit("").await?;
        let words = words_without_program(page).await?;
        ensure!(
            words == "The program has not started here, so this is a picture: the run at the default settings.",
            "{words}"
        );
        Ok(())
    });
}
