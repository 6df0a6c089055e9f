//! Room for everything: on small screens, with texts twice as long, and from right to left.

use anyhow::{Result, ensure};
use e2e::browser::{Engine, Screen};
use e2e::page::{Page, views};
use e2e::story::Story;

use super::{lessons, mouse, open};

/// What lies beyond the window's sides, what is cut off by its own box, covered buttons, and words that lie on other words. What scrolls in a
/// box of its own is not lost, and a line that ends in "…" is said in full elsewhere: the caption of a chart in a frame, the
/// link, which is selected and copied whole, and on wide screens, whose bar is one line, the name of the page.
async fn lost(page: &Page) -> Result<Vec<String>> {
    const SCRIPT: &str = r##"
        const root = document.documentElement;
        const width = root.clientWidth;
        const name = (element) => element.cloneNode().outerHTML.slice(0, 140);
        const scrolls = (element) => {
          for (let box = element.parentElement; box; box = box.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box !== document.body) return true;
          }
          return false;
        };
        const lost = [];
        if (root.scrollWidth > width) lost.push(`the page is ${root.scrollWidth} wide, the window ${width}`);
        const beside = "svg, math, .visually-hidden, .cross, option, [popover], .theme-choice > span";
        for (const element of document.querySelectorAll("#app *")) {
          if (!element.checkVisibility({ visibilityProperty: true })) continue;
          if (element.closest(beside)) continue;
          const { left, right, width: own } = element.getBoundingClientRect();
          if (own > 0 && (right > width + 1 || left < -1) && !scrolls(element)) lost.push(`${left} to ${right}: ${name(element)}`);
          const { overflowX, textOverflow } = getComputedStyle(element);
          const cuts = /hidden|clip/.test(overflowX) && (textOverflow !== "ellipsis" || (element.matches("h1") && width < 700));
          if (cuts && element.scrollWidth > element.clientWidth + 1) lost.push(`cut: ${name(element)}`);
        }
        // Buttons beneath a chart that lie behind it.
        for (const button of document.querySelectorAll("#app .chart-foot > button")) {
          if (!button.checkVisibility({ visibilityProperty: true })) continue;
          const { left, right, top, bottom } = button.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          if (x < 0 || y < 0 || x > width || y > innerHeight || scrolls(button)) continue;
          const there = document.elementFromPoint(x, y);
          if (there?.closest(".chart")) lost.push(`${name(there)} covers ${name(button)}`);
        }
        // Words that lie on other words.
        const words = [];
        const walker = document.createTreeWalker(document.querySelector("#app"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const text = walker.currentNode;
          const parent = text.parentElement;
          if (!text.data.trim() || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest(beside)) continue;
          if (parent.closest(".chart, .overlay, .guess, select")) continue;
          const range = document.createRange();
          range.selectNodeContents(text);
          for (const box of range.getClientRects()) if (box.width > 1) words.push({ box, text, parent });
        }
        for (let i = 0; i < words.length; i++) for (let j = i + 1; j < words.length; j++) {
          const [a, b] = [words[i], words[j]];
          if (a.text === b.text || getComputedStyle(a.parent).textOverflow === "ellipsis" || getComputedStyle(b.parent).textOverflow === "ellipsis") continue;
          const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
          const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          if (x > 2 && y > 0.4 * Math.min(a.box.height, b.box.height) && !scrolls(a.parent) && !scrolls(b.parent)) lost.push(`“${a.text.data.trim().slice(0, 40)}” lies on “${b.text.data.trim().slice(0, 40)}” ${name(a.parent)} ${name(b.parent)}`);
        }
        return lost;"##;
    page.eval(SCRIPT, &[]).await
}

async fn check_nothing_is_lost(page: &Page, what: &str, sizes: &[(u32, u32)]) -> Result<()> {
    for &(width, height) in sizes {
        page.browser().set_screen(mouse(width, height)).await?;
        page.next_frames().await?;
        let lost = lost(page).await?;
        ensure!(lost.is_empty(), "{what} at {width} × {height}: {lost:#?}");
    }
    Ok(())
}

#[test]
fn nothing_is_lost_on_a_narrow_screen_nor_at_200_percent() {
    Story::new().tell(async |page| {
        for view in views() {
            open(page, view, "").await?;
            check_nothing_is_lost(page, view, &[(320, 640), (640, 400)]).await?;
        }
        Ok(())
    });
}

/// A phone on its side, a laptop at 200 percent, and fingers on a narrow phone and in narrow frames: their buttons are the widest.
#[test]
fn nothing_is_lost_in_low_windows_and_beneath_fingers() {
    const COVERED: &str = "
        const boxes = (css) => [...document.querySelectorAll(css)].filter((it) => it.checkVisibility()).map((it) => it.getBoundingClientRect());
        const charts = boxes('#app .figure > .chart');
        return boxes('#app .figure > .chart-foot > button').some(({ top, bottom }) => charts.some((chart) => top < chart.bottom - 1 && bottom > chart.top + 1));";
    let low = [(740, 360), (844, 390), (932, 430), (720, 390)];
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| {
        let touch = |size| Screen { size, pixel_ratio: 1.0, touch: true };
        for query in ["view=explore", "view=explore&alpha=0.003", "view=tradeoff", "view=map", "lang=de"] {
            page.open(query).await?;
            for (size, is_touch) in low.map(|size| (size, true)).into_iter().chain([((720, 390), false)]) {
                page.browser().set_screen(Screen { touch: is_touch, ..touch(size) }).await?;
                page.next_frames().await?;
                let lost = lost(page).await?;
                ensure!(lost.is_empty(), "{query} at {size:?}: {lost:#?}");
                ensure!(!page.eval::<bool>(COVERED, &[]).await?, "{query} at {size:?}: buttons cover the chart");
            }
        }
        for (query, widths) in [("lang=de", vec![320]), ("embed=1&show=M,eps", vec![320, 360, 480])] {
            page.open(query).await?;
            for width in widths {
                page.browser().set_screen(touch((width, 640))).await?;
                page.next_frames().await?;
                let lost = lost(page).await?;
                ensure!(lost.is_empty(), "{query}, {width} wide: {lost:#?}");
            }
        }
        Ok(())
    });
}

/// However low or high the window: a chart has more than two fifths of its height, and is not far higher than wide.
#[test]
fn charts_keep_their_part_of_low_and_of_high_windows() {
    const CHARTS: &str = "
        const charts = [...document.querySelectorAll('#app .explore .chart')].filter((chart) => chart.checkVisibility());
        return charts.map((chart) => [chart.clientWidth, chart.clientHeight]);";
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| {
        for view in ["explore", "tradeoff", "map"] {
            for more in ["theme=light", "theme=projector", "lang=de"] {
                page.open(&format!("view={view}&q=2&{more}")).await?;
                for (width, height) in [(844, 390), (1000, 620), (1280, 720), (1200, 1900)] {
                    page.browser().set_screen(mouse(width, height)).await?;
                    page.next_frames().await?;
                    let charts: Vec<(f64, f64)> = page.eval(CHARTS, &[]).await?;
                    let what = format!("{view}, {more} at {width} × {height}: {charts:?}");
                    ensure!(!charts.is_empty(), "{what}");
                    ensure!(charts.iter().all(|chart| chart.1 > 0.44 * f64::from(height) || height > 1_000), "{what}");
                    ensure!(charts[0].1 < 1.2 * charts[0].0, "{what}");
                }
            }
        }
        Ok(())
    });
}

/// A phone that is small, one that is not, and a laptop.
const SCREENS: [(u32, u32); 3] = [(320, 640), (390, 844), (1280, 800)];

/// Every view and lesson, with something more in the link.
async fn check_strained(page: &Page, strain: &str) -> Result<()> {
    for view in views() {
        open(page, view, &format!("&{strain}")).await?;
        check_nothing_is_lost(page, &format!("{view}, {strain}"), &SCREENS).await?;
    }
    for query in lessons() {
        page.open(&format!("{query}&{strain}")).await?;
        check_nothing_is_lost(page, &format!("{query}, {strain}"), &SCREENS).await?;
    }
    Ok(())
}

/// Layout follows from styles, which are the same in every engine.
const ONE_IS_ENOUGH: &str = "what has no room has none anywhere";

#[test]
fn texts_twice_as_long_have_room() {
    Story::new()
        .only(Engine::Chromium, ONE_IS_ENOUGH)
        .tell(async |page| check_strained(page, "stringtest=double").await);
}

#[test]
fn german_has_room() {
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| check_strained(page, "lang=de").await);
}

#[test]
fn the_page_runs_from_right_to_left() {
    Story::new().only(Engine::Chromium, ONE_IS_ENOUGH).tell(async |page| {
        check_strained(page, "stringtest=rtl").await?;
        page.browser().set_screen(mouse(1280, 800)).await?;
        page.open("stringtest=rtl").await?;
        let middle = "(css) => { const { left, right } = document.querySelector(css).getBoundingClientRect(); return left + right; }";
        let settings_first = format!("({middle})('#app .controls') > ({middle})('#app .explore')");
        ensure!(page.is(&settings_first).await?, "settings stand on the side where reading begins");
        Ok(())
    });
}
