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
/// diverge, where all do, near that, where some of the clients take part, of one data set, where many alike join, and where nobody
/// does.
const OUTCOMES: [&str; 10] = [
    "",
    "N=420",
    "N=600",
    "alpha=0.00103",
    "part=0.5",
    "part=0.5&alpha=0.0012",
    "part=0.5&alpha=0.003",
    "q=1",
    "M=2000&eps=0",
    "M=1",
];

/// At least one width of each layout, and those where a line breaks next.
const WIDTHS: [u32; 16] = [320, 360, 390, 430, 480, 560, 700, 768, 900, 960, 1000, 1100, 1200, 1280, 1440, 1920];

/// Those of projectors.
const WIDTHS_IN_A_HALL: [u32; 3] = [1280, 1440, 1920];

/// What stands above the chart and beneath it.
const AROUND: [&str; 4] = [".verdict", "figcaption", ".readout", ".badges"];

/// How high that is at a width, in a theme.
async fn heights(page: &Page, width: u32, theme: &str) -> Result<[f64; 4]> {
    const SCRIPT: &str = r"
        const [parts, theme] = arguments, root = document.documentElement;
        if (theme) root.dataset.theme = theme;
        const heights = parts.map((part) => document.querySelector(`#app ${part}`).getBoundingClientRect().height);
        if (theme) delete root.dataset.theme;
        return heights;";
    page.browser().set_screen(Screen { size: (width, 900), ..Screen::DESK }).await?;
    page.wait("the window", PATIENCE, &format!("innerWidth === {width}")).await?;
    page.eval(SCRIPT, &[json!(AROUND), json!(theme)]).await
}

/// Words above the chart and beneath it have the same room whatever they say: a run that is in sight for a moment only, while a
/// slider passes, moves nothing.
#[test]
fn words_have_the_same_room_whatever_they_say() {
    Story::new().tell(async |page| {
        for language in ["en", "de"] {
            let mut usual = Vec::new();
            let mut moved = Vec::new();
            for outcome in OUTCOMES {
                page.open(&format!("lang={language}&{outcome}")).await?;
                let places = WIDTHS.map(|width| (width, "")).into_iter();
                let places = places.chain(WIDTHS_IN_A_HALL.map(|width| (width, "projector")));
                for (k, (width, theme)) in places.enumerate() {
                    let now = heights(page, width, theme).await?;
                    if outcome == OUTCOMES[0] {
                        usual.push(now);
                    }
                    if now.iter().zip(&usual[k]).any(|(now, usual)| (now - usual).abs() > 0.5) {
                        moved.push(format!("{outcome} at {width} {theme}: {now:?} instead of {:?}", usual[k]));
                    }
                }
            }
            ensure!(moved.is_empty(), "in {language}, of {AROUND:?}: {moved:#?}");
        }
        Ok(())
    });
}
