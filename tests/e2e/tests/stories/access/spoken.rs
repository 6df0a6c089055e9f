//! What is said to those who hear the page, after a change.

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::figure::aloud::spoken;
use thirtyfour::Key;

/// Waits until what the page opened with counts as heard.
async fn begun(page: &Page) -> Result<()> {
    const BEGUN: &str = r#"document.querySelector('#app [data-testid="summary"][data-begun]')"#;
    page.wait("the page to have been read", PATIENCE, BEGUN).await.map(drop)
}

/// Opens a view and does something; what is said then must stand on screen, and must not have stood there before.
async fn check_said(page: &Page, query: &str, act: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
    const KEEP: &str = r##"
        window.shown = () => [...document.querySelectorAll("#app [data-said]")].map((it) => it.textContent.trim());
        window.before = window.shown();"##;
    const SAID: &str = r#"document.querySelector('#app [data-testid="summary"]').dataset.of"#;
    const SIGNS: &str =
        r#"/[α-ω‖×√≈±∞⁻⁰¹²³⁴-⁹₀-₉]/.test(document.querySelector('#app [data-testid="summary"]').textContent)"#;
    page.open(query).await?;
    begun(page).await?;
    page.eval::<()>(KEEP, &[]).await?;
    act().await?;
    let is_new = "shown().filter((text) => text && !before.includes(text))";
    page.wait(&format!("another sentence in {query}"), PATIENCE, &format!("{is_new}.length > 0")).await?;
    page.settle().await?;
    let all_said = format!("{is_new}.every((text) => {SAID}.includes(text))");
    page.wait(&format!("{query} to say what has come of it"), PATIENCE, &all_said).await?;
    let stale =
        format!("before.filter((text) => text && {SAID}.includes(text) && !{is_new}.some((it) => it.includes(text)))");
    let stale: Vec<String> = page.eval(&format!("return {stale};"), &[]).await?;
    ensure!(stale.is_empty(), "{query} says again what has not changed: {stale:?}");
    ensure!(!page.is(SIGNS).await?, "{query} has signs that programs which read it out skip");
    Ok(())
}

#[test]
fn every_view_says_what_a_change_has_led_to() {
    /// Chooses the second option of a list, by keys.
    async fn second(page: &Page, css: &str) -> Result<()> {
        page.focus(css).await?;
        page.press([Key::Home, Key::Down]).await
    }
    Story::new().tell(async |page| {
        for view in ["explore", "tradeoff", "map", "systems"] {
            let key = if view == "tradeoff" { "N" } else { "eps" };
            check_said(page, &format!("view={view}"), async || {
                page.focus(&format!("#control-{key}")).await?;
                page.press([Key::PageUp]).await
            })
            .await?;
        }
        check_said(page, "view=paper", async || {
            page.focus("#app .figures input:checked").await?;
            page.press([Key::Right]).await
        })
        .await?;
        check_said(page, "view=data", async || {
            page.eval::<()>(super::EXAMPLE, &[]).await?;
            page.wait("the example", PATIENCE, "document.querySelector('#app [data-testid=data-fit]')").await.map(drop)
        })
        .await?;
        check_said(page, "view=lesson", async || second(page, "#app .class select").await).await?;
        check_said(page, "view=lesson&codes=joining", async || {
            page.focus("#app [data-testid=codes]").await?;
            page.type_text(&code()).await
        })
        .await
    });
}

/// What a student hands in.
fn code() -> String {
    use fedsysid::dashboard::views::lesson::code::Found;
    use fedsysid::params::Lesson;
    Found { lesson: Lesson::Joining, guess: Some(0.3), result: Some(0.6), error: Some(0.1) }.code()
}

#[test]
fn a_summary_waits_for_rest_and_is_not_repeated() {
    Story::new().tell(async |page| {
        const WATCH: &str = r#"
            window.spoken = [];
            const region = document.querySelector('#app [data-testid="summary"]');
            new MutationObserver(() => spoken.push([performance.now(), region.textContent]))
              .observe(region, { childList: true, characterData: true, subtree: true });
            window.moved = 0;
            document.getElementById("control-eps").addEventListener("input", () => (window.moved = performance.now()));"#;
        page.open("R=50").await?;
        page.eval::<()>(WATCH, &[]).await?;
        begun(page).await?;
        page.drag("eps", &[0.9, 0.1, 0.95], 60).await?;
        page.wait("a summary", PATIENCE, "spoken.length > 0").await?;
        let (times, moved): (Vec<(f64, String)>, f64) = page.eval("return [spoken, moved];", &[]).await?;
        let manner: String =
            page.eval(r#"return document.querySelector('#app [data-testid="summary"]').ariaLive;"#, &[]).await?;
        ensure!(manner == "polite", "it is said in a manner that is {manner}");
        ensure!(times.len() == 1, "one drag, one summary: {times:?}");
        ensure!(times[0].0 - moved >= 300.0, "said {} ms after the last move", times[0].0 - moved);
        let verdict = page.verdict().await?;
        ensure!(times[0].1.contains(&spoken(&verdict)), "{times:?} is not {verdict}");
        // There and back again: what is shown is what was said.
        page.press([Key::Left, Key::Right]).await?;
        page.settle().await?;
        page.rest().await?;
        ensure!(page.is("spoken.length === 1").await?, "said twice");
        Ok(())
    });
}
