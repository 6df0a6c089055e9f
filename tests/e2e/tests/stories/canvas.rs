//! The chart has a pixel for every pixel of the screen, whatever happens to screen and window.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Screen};
use e2e::gesture::Gesture;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::params::choice::Algorithm;
use serde::Deserialize;
use serde_json::json;

/// A canvas and its place on the page.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
struct Canvas {
    ratio: f64,
    width: f64,
    height: f64,
    css_width: f64,
    css_height: f64,
}

async fn canvas(page: &Page) -> Result<Canvas> {
    const SCRIPT: &str = r"
        const canvas = document.querySelector('#app canvas');
        const { width: css_width, height: css_height } = canvas.getBoundingClientRect();
        return { ratio: devicePixelRatio, width: canvas.width, height: canvas.height, css_width, css_height };";
    page.eval(SCRIPT, &[]).await
}

impl Canvas {
    fn is_sharp(&self) -> bool {
        let is_same = |pixels: f64, css: f64| pixels.to_bits() == (css * self.ratio).round().to_bits();
        is_same(self.width, self.css_width) && is_same(self.height, self.css_height)
    }
}

/// Waits until the canvas has one pixel for each of the screen's, and checks that it then stays so.
async fn sharp(page: &Page) -> Result<Canvas> {
    let start = std::time::Instant::now();
    loop {
        let before = canvas(page).await?;
        // Has the browser draw even if the page asks for nothing: only then it tells of another pixel ratio.
        page.browser().driver().screenshot_as_png().await?;
        page.next_frames().await?;
        let after = canvas(page).await?;
        if before == after && after.is_sharp() && page.is_inked().await? {
            return Ok(after);
        }
        ensure!(start.elapsed() < Duration::from_secs(5), "the canvas does not become sharp: {after:?}");
    }
}

#[test]
fn the_chart_is_sharp_at_every_pixel_ratio() {
    Story::new().except(Engine::WebKit, "it has one pixel ratio").tell(async |page| {
        page.open("").await?;
        for pixel_ratio in [1.0, 1.25, 1.5, 2.0, 3.0, 1.0] {
            page.browser().set_screen(Screen { size: (0, 0), pixel_ratio, touch: false }).await?;
            page.wait("the ratio", PATIENCE, &format!("devicePixelRatio === {pixel_ratio}")).await?;
            let canvas = sharp(page).await.with_context(|| format!("at {pixel_ratio}"))?;
            e2e::report(format_args!("{} × {} at {pixel_ratio}", canvas.width, canvas.height));
        }
        Ok(())
    });
}

/// Rows of the chart, from its top down to the first curve: the colors met, and how many rows each has.
const COLORS_DOWN: &str = r"
    const canvas = document.querySelector('#app canvas');
    const [{ width, height }, down] = [canvas, []];
    const { data } = canvas.getContext('2d').getImageData(Math.floor(0.6 * width), 0, 1, height);
    for (let row = 0; row < height; row += 1) {
      const color = data.subarray(4 * row, 4 * row + 3).join();
      if (down.at(-1)?.[0] === color) down.at(-1)[1] += 1;
      else down.push([color, 1]);
    }
    return down;";

/// Lines of the grid have one color and whole pixels: where a line is blurred, it has colors between its own and the paper's.
#[test]
fn lines_of_the_grid_are_sharp_at_every_pixel_ratio() {
    Story::new().tell(async |page| {
        // One method and one data set: from above, the first thing that is no line of the grid is the curve.
        page.open("q=1&alg=fedlin").await?;
        for screen in screens(page.browser().engine()) {
            page.browser().set_screen(screen).await?;
            sharp(page).await?;
            let down: Vec<(String, f64)> = page.eval(COLORS_DOWN, &[]).await?;
            let (paper, line) = (&down.first().context("paper")?.0, &down.get(1).context("a line")?.0);
            let until = down.iter().position(|(color, _)| color != paper && color != line).unwrap_or(down.len());
            let lines: Vec<f64> =
                down[..until].iter().filter(|(color, _)| color == line).map(|(_, rows)| *rows).collect();
            e2e::report(format_args!("{lines:?} at {}: {down:?}", screen.pixel_ratio));
            let wide = screen.pixel_ratio.round();
            ensure!(lines.len() >= 2 && lines.iter().all(|rows| (rows - wide).abs() < 1.0), "{lines:?} in {down:?}");
        }
        Ok(())
    });
}

/// Keeps every size that the first canvas of a page has had.
const KEEPS_SIZES: &str = r"
    globalThis.sizes = [];
    const look = () => {
      const canvas = document.querySelector('#app canvas');
      const size = canvas && `${canvas.width} × ${canvas.height}`;
      if (canvas && sizes.at(-1) !== size) sizes.push(size);
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributeFilter: ['width', 'height'] });";

/// A canvas has a size of its own when it is born, and then the one that it needs. Neither pointers nor settings change it.
async fn expect_few_sizes(page: &Page, place: &str) -> Result<()> {
    let seen = format!("return [{place}.sizes, devicePixelRatio];");
    let (sizes, pixel_ratio): (Vec<String>, f64) = page.eval(&seen, &[]).await?;
    e2e::report(format_args!("{place} at {pixel_ratio}: {sizes:?}"));
    ensure!((1..=3).contains(&sizes.len()), "{place}: the canvas is resized again and again: {sizes:?}");
    Ok(())
}

/// The screens that a window can be on, as far as the engine has them.
fn screens(engine: Engine) -> Vec<Screen> {
    let ratios = [1.0, 1.25, 1.5, 2.0, 3.0];
    let mut screens: Vec<_> =
        ratios.map(|pixel_ratio| Screen { size: (1280, 800), pixel_ratio, touch: false }.in_engine(engine)).into();
    screens.dedup();
    screens
}

#[test]
fn a_canvas_comes_to_rest_after_two_resizes_and_stays_so_under_the_pointer() {
    const AROUND: &str = "<!doctype html><title>a course</title><iframe id=frame src='./?q=2&M=5' width=640></iframe>";
    Story::new().where_first(KEEPS_SIZES).expecting_errors(&["favicon.ico"]).tell(async |page| {
        for screen in screens(page.browser().engine()) {
            page.browser().set_screen(screen).await?;
            page.open("q=2&M=5").await?;
            let chart = page.rect("#app canvas").await?;
            let (from, to) = (chart.at(0.1, 0.2), chart.at(0.9, 0.8));
            page.perform(Gesture::mouse().to(from, 0).glide(from, to, 40)).await?;
            page.enter("eps", "0.3").await?;
            page.settle().await?;
            page.next_frames().await?;
            expect_few_sizes(page, "globalThis").await?;
            // In a frame to which nobody has given a height.
            page.visit_around().await?;
            page.eval::<()>("document.body.innerHTML = arguments[0];", &[json!(AROUND)]).await?;
            let settled = "frame.contentDocument.querySelector('#app main[data-settled=true]')";
            page.wait("a run in the frame", PATIENCE, settled).await?;
            let frame = page.rect("#frame").await?;
            let (from, to) = (frame.at(0.1, 0.2), frame.at(0.9, 0.8));
            page.perform(Gesture::mouse().to(from, 0).glide(from, to, 40)).await?;
            page.next_frames().await?;
            expect_few_sizes(page, "frame.contentWindow").await?;
        }
        Ok(())
    });
}

#[test]
fn the_chart_follows_the_window() {
    const SIZES: [(u32, u32); 7] =
        [(1440, 900), (1101, 777), (1099, 701), (768, 1024), (390, 844), (320, 568), (1920, 1080)];
    Story::new().tell(async |page| {
        page.open("").await?;
        let mut last = canvas(page).await?;
        for size in SIZES {
            page.browser().set_screen(Screen { size, pixel_ratio: 1.0, touch: false }).await?;
            page.wait("the window", PATIENCE, &format!("innerWidth === {}", size.0)).await?;
            let canvas = sharp(page).await.with_context(|| format!("at {size:?}"))?;
            ensure!(canvas != last, "the chart does not follow the window to {size:?}: {canvas:?}");
            last = canvas;
        }
        Ok(())
    });
}

#[test]
fn the_chart_follows_the_colors_of_the_system() {
    Story::new().except(Engine::WebKit, "it has one system").tell(async |page| {
        page.open("").await?;
        let light = page.sketch().await?;
        page.browser().prefer_dark(true).await?;
        page.wait("a dark chart", PATIENCE, &format!("witness.sketch() !== {light}")).await?;
        page.browser().prefer_dark(false).await?;
        page.wait("a light chart", PATIENCE, &format!("witness.sketch() === {light}")).await.map(drop)
    });
}

/// How far down from its top words lie over the canvas, and whether anything is drawn beneath them.
async fn covered(page: &Page) -> Result<(f64, bool)> {
    const SCRIPT: &str = r#"
        const canvas = document.querySelector('#app canvas');
        const words = document.querySelector('#app [data-testid="complaints"]');
        const height = words.getBoundingClientRect().bottom - canvas.getBoundingClientRect().top;
        if (height <= 0) return [0, false];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, Math.floor(height * devicePixelRatio));
        return [height, data.some((value, index) => value !== data[index % 4])];"#;
    page.eval(SCRIPT, &[]).await
}

fn every_algorithm() -> String {
    Algorithm::ALL.map(|algorithm| algorithm.option().word).join(",")
}

#[test]
fn complaints_lie_over_nothing_that_is_drawn() {
    Story::new().tell(async |page| {
        for screen in Screen::ALL {
            let screen = screen.in_engine(page.browser().engine());
            page.browser().set_screen(screen).await?;
            page.open("").await?;
            ensure!(matches!(covered(page).await?, (0.0, false)), "nothing is complained of");
            for link in ["alpha=0.003".to_owned(), format!("alpha=0.003&alg={}", every_algorithm())] {
                page.open(&link).await?;
                page.next_frames().await?;
                let (height, is_drawn) = covered(page).await?;
                let (what, whole) = (format!("{link} at {:?}", screen.size), canvas(page).await?.css_height);
                e2e::report(format_args!("{what}: {height} of {whole} px are covered"));
                ensure!(0.0 < height && height < 0.55 * whole, "{what}: the words leave no room for the plot");
                ensure!(!is_drawn && page.is_inked().await?, "{what}: the words lie over the plot");
            }
        }
        Ok(())
    });
}

#[test]
fn the_page_is_never_wider_than_the_window() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.unfold().await?;
        for width in [320, 360, 390, 480, 700, 768, 1024, 1100, 1440] {
            page.browser().set_screen(Screen { size: (width, 800), pixel_ratio: 1.0, touch: false }).await?;
            page.wait("the window", PATIENCE, &format!("innerWidth === {width}")).await?;
            page.next_frames().await?;
            let content: u32 = page.eval("return document.documentElement.scrollWidth;", &[]).await?;
            ensure!(content <= width, "at {width} the page is {content} wide");
        }
        Ok(())
    });
}
