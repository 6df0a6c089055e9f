//! Nothing moves about on the page but what a person moves, and the curves.

use anyhow::{Result, ensure};
use e2e::browser::{Engine, Screen};
use e2e::page::{PATIENCE, Page, slider};
use e2e::story::Story;
use fedsysid::params::Param;
use fedsysid::params::table::Group;
use serde_json::json;

/// Why other engines cannot show that nothing moves.
const UNTOLD: &str = "it takes a browser that tells what moves about";

/// Nothing moved about since the page was opened, or since it was watched.
async fn nothing_moved(page: &Page, what: &str) -> Result<()> {
    moved_less(page, what, 0.002).await
}

async fn moved_less(page: &Page, what: &str, limit: f64) -> Result<()> {
    let report = page.report().await?;
    let shifts = report.shifts()?;
    let sum = shifts.iter().fold(0.0, |sum, shift| sum + shift.value);
    e2e::report(format_args!("{what}: layout shift {sum:.4}"));
    ensure!(sum < limit, "{what}: {shifts:#?}");
    Ok(())
}

#[test]
fn nothing_jumps_when_the_page_comes_alive() {
    Story::new().only(Engine::Chromium, UNTOLD).tell(async |page| {
        for screen in Screen::ALL {
            page.browser().set_screen(screen).await?;
            page.open("").await?;
            page.next_frames().await?;
            nothing_moved(page, &format!("{:?}", screen.size)).await?;
        }
        Ok(())
    });
}

#[test]
fn nothing_moves_while_a_long_run_says_how_far_it_is() {
    Story::new().only(Engine::Chromium, UNTOLD).tell(async |page| {
        for screen in Screen::ALL {
            page.browser().set_screen(screen).await?;
            page.visit("q=1000&M=3000&R=1000").await?;
            let is_far = "parseFloat(document.querySelector('#app [data-testid=progress] progress')?.value ?? 0) > 0.1";
            page.wait("some of the run", PATIENCE, is_far).await?;
            page.next_frames().await?;
            // A button that once jumped aside counted for 0.0013.
            moved_less(page, &format!("a long run at {:?}", screen.size), 0.0005).await?;
        }
        Ok(())
    });
}

#[test]
fn nothing_moves_but_the_slider_and_the_curves() {
    Story::new().only(Engine::Chromium, UNTOLD).tell(async |page| {
        for screen in Screen::ALL {
            page.browser().set_screen(screen).await?;
            for Param { link, .. } in Param::of_group(Group::Main) {
                page.open("").await?;
                page.rect(&slider(link)).await?;
                page.next_frames().await?;
                page.watch().await?;
                page.drag(link, &[0.99, 0.3, 0.15, 0.01], 20).await?;
                page.settle().await?;
                page.next_frames().await?;
                nothing_moved(page, &format!("{link} at {:?}", screen.size)).await?;
            }
        }
        Ok(())
    });
}

/// One setting of each kind that has words of its own above the chart or beneath it: what is said in full, where some data sets
/// diverge, where all do, near that, where some of the clients take part, of one data set, and where many alike join.
const OUTCOMES: [&str; 7] = ["", "N=420", "N=600", "alpha=0.00103", "part=0.5&alpha=0.0012", "q=1", "M=2000&eps=0"];

/// Those of other views.
const OUTCOMES_OF_SWEEPS: [&str; 2] = ["", "N=600"];

/// The narrowest of each layout, and phones.
const WIDTHS: [u32; 10] = [320, 360, 390, 480, 700, 900, 1000, 1100, 1280, 1440];

/// Those of projectors.
const WIDTHS_IN_A_HALL: [u32; 2] = [1280, 1920];

/// Where words change in a view: what stands there, and the least width at which it moves anything when it has no room.
type Parts = &'static [(&'static str, u32)];

const EXPLORE: Parts = &[(".verdict", 0), ("figcaption", 0), (".readout", 0), (".badges", 0)];
const TRADE_OFF: Parts = &[(".verdict", 0), ("figcaption", 0)];
const MAP: Parts = &[(".verdict", 0), (".run-figure figcaption", 900)];

/// How high the parts of a view are at a width, in a theme.
async fn heights(page: &Page, parts: Parts, width: u32, theme: &str) -> Result<Vec<f64>> {
    const SCRIPT: &str = r"
        const [parts, theme] = arguments, root = document.documentElement;
        if (theme) root.dataset.theme = theme;
        const heights = parts.map((part) => document.querySelector(`#app ${part}`).getBoundingClientRect().height);
        if (theme) delete root.dataset.theme;
        return heights;";
    page.browser().set_screen(Screen { size: (width, 900), ..Screen::DESK }).await?;
    page.wait("the window", PATIENCE, &format!("innerWidth === {width}")).await?;
    // WebKit asks a width's rules only when it draws the next frame.
    page.next_frames().await?;
    let parts: Vec<_> = parts.iter().filter(|(_, least)| *least <= width).map(|(part, _)| part).collect();
    page.eval(SCRIPT, &[json!(parts), json!(theme)]).await
}

/// Words have the same room whatever they say: a run that is in sight for a moment only, while a slider passes, moves nothing.
async fn words_have_the_same_room(
    page: &Page,
    view: &str,
    parts: Parts,
    outcomes: &[&str],
    in_hall: bool,
) -> Result<()> {
    for language in ["en", "de"] {
        let mut usual = Vec::new();
        let mut moved = Vec::new();
        for outcome in outcomes {
            page.open(&format!("view={view}&lang={language}&{outcome}")).await?;
            let hall = WIDTHS_IN_A_HALL.iter().filter(|_| in_hall).map(|&width| (width, "projector"));
            for (k, (width, theme)) in WIDTHS.iter().map(|&width| (width, "")).chain(hall).enumerate() {
                let now = heights(page, parts, width, theme).await?;
                if *outcome == outcomes[0] {
                    usual.push(now.clone());
                }
                if now.iter().zip(&usual[k]).any(|(now, usual)| (now - usual).abs() > 0.5) {
                    moved.push(format!("{outcome} at {width} {theme}: {now:?} instead of {:?}", usual[k]));
                }
            }
        }
        ensure!(moved.is_empty(), "{view} in {language}, of {parts:?}: {moved:#?}");
    }
    Ok(())
}

#[test]
fn words_around_a_chart_have_the_same_room_whatever_they_say() {
    Story::new().tell(async |page| words_have_the_same_room(page, "explore", EXPLORE, &OUTCOMES, true).await);
}

#[test]
fn words_around_a_trade_off_have_the_same_room_whatever_they_say() {
    Story::new()
        .tell(async |page| words_have_the_same_room(page, "tradeoff", TRADE_OFF, &OUTCOMES_OF_SWEEPS, false).await);
}

#[test]
fn words_around_a_map_have_the_same_room_whatever_they_say() {
    Story::new().tell(async |page| words_have_the_same_room(page, "map", MAP, &OUTCOMES_OF_SWEEPS, false).await);
}
