//! For everybody: what assistive programs, keys, large fingers, small screens and other scripts find in every view.

use std::env;
use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Screen};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use serde_json::{Value, json};
use thirtyfour::Key;

/// Every view by its word in a link.
const VIEWS: [&str; 7] = ["explore", "tradeoff", "map", "systems", "paper", "data", "lesson"];

/// Frames that a page is put into, in CSS pixels.
const FRAMES: [(u32, u32); 2] = [(320, 240), (720, 480)];

fn mouse(width: u32, height: u32) -> Screen {
    Screen { size: (width, height), pixel_ratio: 1.0, touch: false }
}

/// Opens a view with everything in it that unfolds or can be filled.
async fn open(page: &Page, view: &str, more: &str) -> Result<()> {
    page.open(&format!("view={view}{more}")).await?;
    page.eval::<()>("document.querySelectorAll('#app details').forEach((fold) => (fold.open = true));", &[]).await?;
    if view == "data" {
        const EXAMPLE: &str = r##"
            [...document.querySelectorAll("#app .data-ways button")].find((b) => b.textContent.startsWith("Try")).click();"##;
        page.eval::<()>(EXAMPLE, &[]).await?;
        page.wait("the example", PATIENCE, r##"document.querySelector("#app [data-testid=data-join]")"##).await?;
    }
    page.settle().await?;
    page.next_frames().await
}

/// The checker reads markup and styles, which are the same in every engine.
const ONE_IS_ENOUGH: &str = "what axe looks at is the same everywhere";

/// The checker's source.
fn axe() -> Result<String> {
    let path = env::var_os("FEDSYSID_AXE").context("FEDSYSID_AXE is not set: run `cargo xtask test browser`")?;
    fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
}

/// What the checker finds; of colors alone, where all else was looked at before.
async fn violations(page: &Page, only_colors: bool) -> Result<Vec<String>> {
    const SCRIPT: &str = r#"
        const options = { resultTypes: ["violations"], preload: false };
        if (arguments[0]) options.runOnly = ["color-contrast"];
        const { violations } = await axe.run(document, options);
        return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));"#;
    page.eval(&format!("return (async (...arguments) => {{ {SCRIPT} }})(...arguments);"), &[json!(only_colors)]).await
}

/// Looks at the page in every theme. What is no matter of color is looked at once.
async fn check_themes(page: &Page, axe: &str, what: &str) -> Result<()> {
    page.eval::<()>(axe, &[]).await?;
    for theme in ["light", "dark", "projector"] {
        page.eval::<()>("document.documentElement.dataset.theme = arguments[0];", &[json!(theme)]).await?;
        page.next_frames().await?;
        let found = violations(page, theme != "light").await?;
        ensure!(found.is_empty(), "{what}, {theme}: {found:#?}");
    }
    Ok(())
}

#[test]
fn axe_finds_nothing_in_any_view_and_theme() {
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| {
        let axe = axe()?;
        for view in VIEWS {
            open(page, view, "").await?;
            check_themes(page, &axe, view).await?;
        }
        Ok(())
    });
}

#[test]
fn axe_finds_nothing_in_any_frame() {
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| {
        let axe = axe()?;
        for view in VIEWS {
            open(page, view, "&embed=1").await?;
            for (width, height) in FRAMES {
                page.browser().set_screen(mouse(width, height)).await?;
                check_themes(page, &axe, &format!("{view} in {width} × {height}")).await?;
            }
        }
        Ok(())
    });
}

#[test]
fn menus_open_and_close_by_keys_and_give_the_focus_back() {
    Story::new().tell(async |page| {
        page.open("").await?;
        for menu in ["save-explore", "save-explore-numbers"] {
            let opener = format!("#app button[popovertarget={menu}]");
            let is_open = format!("document.getElementById('{menu}').matches(':popover-open')");
            page.focus(&opener).await?;
            page.press([Key::Enter]).await?;
            ensure!(page.is(&is_open).await?, "Enter opens {menu}");
            page.press([Key::Tab]).await?;
            ensure!(page.is(&format!("document.activeElement.closest('#{menu}')")).await?, "Tab leads into {menu}");
            page.press([Key::Escape]).await?;
            ensure!(!page.is(&is_open).await?, "Escape closes {menu}");
            ensure!(page.is(&format!("document.activeElement.matches('{opener}')")).await?, "the focus comes back");
        }
        Ok(())
    });
}

/// Everything that can be operated and is smaller than `least` pixels. What a label belongs to is as large as the label; the
/// handle of a map is as large as the map, which can be pressed anywhere.
async fn small_targets(page: &Page, least: f64) -> Result<Vec<String>> {
    const SCRIPT: &str = r##"
        const least = arguments[0];
        const all = document.querySelectorAll("#app :is(a[href], button, input, select, summary, textarea, [role=slider])");
        return [...all].filter((element) => element.checkVisibility({ visibilityProperty: true })
          && !element.matches(".visually-hidden, .handle")).flatMap((element) => {
          const box = (/^(radio|checkbox|file)$/.test(element.type) && element.closest("label")) || element;
          const { width, height } = box.getBoundingClientRect();
          const large = width > least - 0.01 && height > least - 0.01;
          return large ? [] : [`${width.toFixed(1)} × ${height.toFixed(1)}: ${element.cloneNode().outerHTML}`];
        });"##;
    page.eval(SCRIPT, &[json!(least)]).await
}

#[test]
fn every_target_can_be_hit_with_a_mouse() {
    Story::new().tell(async |page| {
        for view in VIEWS {
            for more in ["", "&embed=1"] {
                open(page, view, more).await?;
                let small = small_targets(page, 24.0).await?;
                ensure!(small.is_empty(), "{view}{more}: {small:#?}");
            }
        }
        Ok(())
    });
}

#[test]
fn every_target_can_be_hit_with_a_finger() {
    Story::new().on(Screen { size: (390, 800), pixel_ratio: 2.0, touch: true }).tell(async |page| {
        for view in VIEWS {
            for more in ["", "&embed=1"] {
                open(page, view, more).await?;
                let small = small_targets(page, 44.0).await?;
                ensure!(small.is_empty(), "{view}{more}: {small:#?}");
            }
        }
        Ok(())
    });
}

/// What lies beyond the window's sides, or is cut off by its own box. What scrolls in a box of its own is not lost, and a line
/// that ends in "…" is said in full elsewhere: the name of the page, and the caption of a chart in a frame.
async fn lost(page: &Page) -> Result<Vec<String>> {
    const SCRIPT: &str = r##"
        const width = document.documentElement.clientWidth;
        const name = (element) => element.cloneNode().outerHTML.slice(0, 140);
        const scrolls = (element) => {
          for (let box = element.parentElement; box; box = box.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box !== document.body) return true;
          }
          return false;
        };
        const lost = [];
        if (document.documentElement.scrollWidth > width) lost.push(`the page is ${document.documentElement.scrollWidth} wide`);
        for (const element of document.querySelectorAll("#app *")) {
          if (!element.checkVisibility({ visibilityProperty: true })) continue;
          if (element.closest("svg, .visually-hidden, .cross, option, [popover], .theme-choice > span")) continue;
          const { left, right, width: own } = element.getBoundingClientRect();
          if (own > 0 && (right > width + 1 || left < -1) && !scrolls(element)) lost.push(`${left} to ${right}: ${name(element)}`);
          const { overflowX, textOverflow } = getComputedStyle(element);
          const cuts = /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis";
          if (cuts && element.scrollWidth > element.clientWidth + 1) lost.push(`cut: ${name(element)}`);
        }
        return lost;"##;
    page.eval(SCRIPT, &[]).await
}

async fn check_nothing_is_lost(page: &Page, more: &str, sizes: &[(u32, u32)]) -> Result<()> {
    for view in VIEWS {
        open(page, view, more).await?;
        for &(width, height) in sizes {
            page.browser().set_screen(mouse(width, height)).await?;
            page.next_frames().await?;
            let lost = lost(page).await?;
            ensure!(lost.is_empty(), "{view}{more} at {width} × {height}: {lost:#?}");
        }
    }
    Ok(())
}

#[test]
fn nothing_is_lost_on_a_narrow_screen_nor_at_200_percent() {
    Story::new().tell(async |page| check_nothing_is_lost(page, "", &[(320, 640), (640, 400)]).await);
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
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        page.drag("eps", &[0.9, 0.1, 0.95], 60).await?;
        page.wait("a summary", PATIENCE, "spoken.length > 0").await?;
        let (times, moved): (Vec<(f64, String)>, f64) = page.eval("return [spoken, moved];", &[]).await?;
        ensure!(times.len() == 1, "one drag, one summary: {times:?}");
        ensure!(times[0].0 - moved >= 300.0, "said {} ms after the last move", times[0].0 - moved);
        let verdict = page.verdict().await?;
        ensure!(times[0].1.contains(&verdict), "{times:?} is not {verdict}");
        // There and back again: what is shown is what was said.
        page.press([Key::Left, Key::Right]).await?;
        page.settle().await?;
        tokio::time::sleep(std::time::Duration::from_millis(900)).await;
        ensure!(page.is("spoken.length === 1").await?, "said twice");
        Ok(())
    });
}

#[test]
fn keys_read_a_chart_in_every_view_that_has_one() {
    const HEARD: &str = "document.activeElement.querySelector('[aria-live]').textContent";
    Story::new().tell(async |page| {
        for view in ["explore", "tradeoff", "map", "paper"] {
            page.open(&format!("view={view}")).await?;
            let chart = r#"#app .chart[aria-roledescription="chart"]"#;
            page.focus(chart).await?;
            let described = page
                .eval::<Value>("return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent;", &[])
                .await?;
            ensure!(described.to_string().contains("arrow keys"), "{view} says what keys to press: {described}");
            page.press([Key::Left]).await?;
            page.wait("all lines", PATIENCE, &format!("{HEARD}.includes(' = ') && {HEARD}.includes(': ')")).await?;
            let all: String = page.eval(&format!("return {HEARD};"), &[]).await?;
            // From the highest line to the next: each is one of all.
            let mut heard = Vec::new();
            for _ in 0..2 {
                page.press([Key::Down]).await?;
                let before = heard.last().cloned().unwrap_or_else(|| all.clone());
                page.wait("another line", PATIENCE, &format!("{HEARD} !== {}", json!(before))).await?;
                heard.push(page.eval::<String>(&format!("return {HEARD};"), &[]).await?);
            }
            let (_, lines) = all.split_once(": ").context("no lines")?;
            let lines: Vec<_> = lines.split(", ").collect();
            for (said, line) in heard.iter().zip(&lines) {
                ensure!(said.starts_with(line), "{view}: {said} is not {line}");
            }
            page.press([Key::Up]).await?;
            page.wait("the first line again", PATIENCE, &format!("{HEARD} === {}", json!(heard[0]))).await?;
        }
        Ok(())
    });
}
