//! What has a time limit. One browser at a time, and nothing else meanwhile.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use e2e::browser::Engine;
use e2e::gesture::Gesture;
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use e2e::witness::{Frames, LongTask};
use fedsysid::figure::number::{measured, number};
use serde_json::json;
use thirtyfour::By;

/// Milliseconds from navigation to the first live curve.
const FIRST_CURVE_MS: f64 = 1_500.0;

/// The same on a phone, which is about four times slower.
const FIRST_CURVE_ON_A_PHONE_MS: f64 = 3_000.0;

/// Milliseconds from setting too large a step to words that say so.
const DIVERGENCE_SAID_MS: f64 = 1_000.0;

/// How soon a new setting is on screen that takes the place of a long run.
const SUPERSEDED_WITHIN: Duration = Duration::from_secs(1);

/// How long sliders are dragged.
const DRAGGING: Duration = Duration::from_secs(10);

/// Workers are refused, as in some frames.
const NO_WORKERS: &str =
    "globalThis.Worker = class { constructor() { throw new DOMException('no workers', 'SecurityError'); } };";

/// Milliseconds from which on people notice a task.
const LONG_MS: f64 = 50.0;

/// Frames in a second that are smooth.
const SMOOTH_PER_SECOND: f64 = 50.0;

/// How often the page may try to be smooth, or soon, by the clock on the wall.
const ATTEMPTS: usize = 3;

/// Different pictures of the chart, of those looked at ten times a second.
const LEAST_PICTURES: usize = 10;

const SOME_PROGRESS: &str = "document.querySelector('#app progress')?.value > 0.2";

const IN_PROGRESS: &str = r#"document.querySelector('#app [data-testid="progress"] progress')"#;

/// Some work in an empty page. A browser that has just been started is busy with itself for a second or two, and nobody's browser is
/// started to open a page.
const WARM_UP: &str = r#"
    for (let i = 0; i < 250; i += 1) {
        const rows = Array.from({ length: 200 }, (_, k) => `<p title="${i * k}"><b>${k}</b> of <i>${i}</i></p>`);
        document.body.innerHTML = rows.join("");
        document.body.getBoundingClientRect();
    }
    document.body.replaceChildren();"#;

/// The first live curve, on a processor that is so many times slower: the soonest of some, each in a new browser, which has nothing
/// of the page yet, since others may be at work on this machine.
#[track_caller]
fn check_first_curve(slower: f64, within: f64) {
    let story = Story::new().alone().only(Engine::Chromium, "only one engine is measured, and slowed down");
    let mut took = Vec::new();
    for _ in 0..ATTEMPTS {
        story.clone().tell(async |page| {
            page.browser().driver().goto("about:blank").await?;
            page.eval::<()>(WARM_UP, &[]).await?;
            page.browser().slow_down(slower).await?;
            page.open("").await?;
            page.wait("the first curve", PATIENCE, "witness.report().firstCurve").await?;
            let first = page.report().await?.first_curve.context("it was there")?;
            e2e::report(format_args!("{slower} times slower: first live curve {first:.0} ms after navigation"));
            took.push(first);
            page.expect_what_is_set().await
        });
        // None where the engine is another one, in which nothing was told.
        if took.last().is_none_or(|first| *first <= within) {
            return;
        }
    }
    panic!("in each of {ATTEMPTS} attempts the first curve took too long: {took:.0?} ms");
}

/// Sets too large a step, and waits until words that are seen say so, of the first data sets perhaps: how long that took.
const TOO_LARGE: &str = r"
    const box = document.querySelector('#app .slider[data-param=alpha] .number-box');
    const begun = performance.now();
    box.value = '0.003';
    box.dispatchEvent(new Event('change', { bubbles: true }));
    return new Promise((done) => {
        const look = () => {
            const badges = [...document.querySelectorAll('#app .badge[data-standing=diverging]')];
            const over = document.querySelector('#app .complaints');
            const seen = badges.length === 2 && [over, ...badges].every((words) => words.checkVisibility());
            if (seen && over.innerText.includes('diverges')) {
                done(performance.now() - begun);
            } else {
                setTimeout(look, 5);
            }
        };
        look();
    });";

/// What is said over the chart, and beneath it.
const SAID: &str = r"
    const badges = [...document.querySelectorAll('#app .badge')].map((badge) => badge.innerText);
    const over = document.querySelector('#app .complaints').innerText;
    return [over.replaceAll('\u00a0', ' '), badges.join(' ')];";

/// The page in another one.
const FRAME: &str = "<title>a course</title><iframe src='./?embed=1&show=alpha' width=640 height=600></iframe>";

/// Whoever takes too large a step reads at once that it is that, how far off it is, and is back by one press.
#[track_caller]
fn check_divergence(is_framed: bool) {
    Story::new().alone().expecting_errors(&["favicon.ico"]).tell(async |page| {
        if is_framed {
            page.visit_around().await?;
            page.eval::<()>("document.body.innerHTML = arguments[0];", &[json!(FRAME)]).await?;
            page.browser().driver().enter_frame(0).await?;
            page.settle().await?;
        } else {
            page.open("").await?;
        }
        let native = Native::of("N=25&K=10&alpha=0.003")?;
        let took: f64 = page.eval(TOO_LARGE, &[]).await?;
        // The numbers are those of all data sets once these are in.
        page.settle().await?;
        let (over, beneath): (String, String) = page.eval(SAID, &[]).await?;
        let place = if is_framed { "in a frame" } else { "on the page" };
        e2e::report(format_args!("{place}: after {took:.0} ms it says: {over} {beneath}"));
        ensure!(took <= DIVERGENCE_SAID_MS, "it took {took} ms to say that it diverges");
        for method in &native.summary().methods {
            let (rho, largest) = method.contraction.zip(method.largest_step).context("both are known")?;
            ensure!(over.contains(&format!("ρ = {}", number(rho))), "no ρ = {rho} in {over}");
            // A frame has room for the step alone.
            let largest = if is_framed { measured(largest, 3) } else { "times the largest".to_owned() };
            ensure!(beneath.contains(&largest), "no {largest} in {beneath}");
        }
        page.click("#app .badge .set-step").await?;
        page.settle().await?;
        let stable = "!document.querySelector('#app .badge[data-standing=diverging]') \
                      && !document.querySelector('#app .complaints').innerText.includes('diverges')";
        ensure!(page.is(stable).await?, "one press does not lead back: {:?}", page.complaints().await?);
        Ok(())
    });
}

#[test]
fn too_large_a_step_is_said_within_a_second() {
    check_divergence(false);
}

#[test]
fn too_large_a_step_is_said_within_a_second_in_a_frame() {
    check_divergence(true);
}

#[test]
fn the_first_live_curve_comes_soon() {
    check_first_curve(1.0, FIRST_CURVE_MS);
}

#[test]
fn the_first_live_curve_comes_soon_on_a_slow_phone() {
    check_first_curve(4.0, FIRST_CURVE_ON_A_PHONE_MS);
}

/// Has the page opened and something done on it, which begins with [`Page::watch`]. From then on no task of the main thread
/// takes more than 50 ms, there are 50 frames a second, and many pictures. Afterwards something else is done.
///
/// The clock on the wall decides in the first attempts. Where other programs keep the page waiting each time, the time
/// that the processor was at its tasks decides.
async fn smoothly(
    page: &Page,
    what: &str,
    act: impl AsyncFn() -> Result<()>,
    afterwards: impl AsyncFn() -> Result<()>,
) -> Result<()> {
    let mut worked = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        act().await?;
        let (frames, long) = (page.watched().await?, page.report().await?.long_tasks()?.to_vec());
        afterwards().await?;
        let tasks = page.browser().watched_tasks().await?;
        let most = tasks.iter().map(|task| task.processor_ms).fold(0.0, f64::max);
        say(what, frames, &long, most);
        ensure!(frames.pictures >= LEAST_PICTURES, "{what}: the chart shows only {} pictures", frames.pictures);
        ensure!(most > 0.0, "{what}: the processor was at nothing: {tasks:?}");
        if long.is_empty() && frames.per_second >= SMOOTH_PER_SECOND {
            return Ok(());
        }
        worked = worked.min(most);
    }
    ensure!(worked <= LONG_MS, "{what}: in each of {ATTEMPTS} attempts a task took {worked} ms of processor time");
    e2e::report(format_args!(
        "{what}: this machine is busy; of the page's tasks none worked longer than {worked:.0} ms"
    ));
    Ok(())
}

fn say(what: &str, frames: Frames, long: &[LongTask], worked: f64) {
    let long: Vec<_> = long.iter().map(|task| task.ms).collect();
    let Frames { frames, per_second, longest_gap, pictures } = frames;
    e2e::report(format_args!(
        "{what}: tasks over 50 ms {long:?}, most processor time {worked:.0} ms; \
         {frames} frames, {per_second:.0} a second, longest gap {longest_gap:.0} ms, {pictures} pictures"
    ));
}

/// Drags M and then ε to and fro, for five seconds each.
#[track_caller]
fn check_dragging(story: Story, what: &'static str) {
    story.alone().traced().tell(async |page| {
        let drag = async || {
            page.open("").await?;
            page.watch().await?;
            for key in ["M", "eps"] {
                let start = Instant::now();
                while start.elapsed() < DRAGGING / 2 {
                    page.drag(key, &[0.95, 0.02, 0.6], 30).await?;
                }
            }
            Ok(())
        };
        smoothly(page, what, drag, async || page.expect_what_is_set().await).await
    });
}

#[test]
fn dragging_is_smooth_and_ends_right() {
    check_dragging(Story::new(), "dragging");
}

#[test]
fn without_workers_dragging_is_smooth_too() {
    check_dragging(Story::new().where_first(NO_WORKERS), "dragging without workers");
}

/// Drags the map's handle about: the run beside it follows.
#[test]
fn dragging_the_maps_handle_is_smooth_and_ends_right() {
    Story::new().alone().traced().tell(async |page| {
        let drag = async || {
            page.open("view=map").await?;
            page.watch().await?;
            let map = page.rect("#app .map canvas").await?;
            let places = [(0.3, 0.3), (0.8, 0.2), (0.5, 0.7), (0.2, 0.6)].map(|(x, y)| map.at(x, y));
            let start = Instant::now();
            while start.elapsed() < DRAGGING / 2 {
                let press = Gesture::mouse().to(places[3], 0).down();
                let glide = |gesture: Gesture, place: usize| gesture.glide(places[(place + 3) % 4], places[place], 30);
                page.perform((0..4).fold(press, glide).up()).await?;
            }
            Ok(())
        };
        smoothly(page, "dragging on a map", drag, async || page.expect_what_is_set().await).await
    });
}

/// Drags ε and M while a trade-off is worked out: what is on screen is that of the last setting in the end.
#[test]
fn dragging_beside_a_trade_off_is_smooth() {
    Story::new().alone().traced().tell(async |page| {
        let drag = async || {
            page.open("view=tradeoff").await?;
            page.watch().await?;
            for key in ["M", "K"] {
                let start = Instant::now();
                while start.elapsed() < DRAGGING / 4 {
                    page.drag(key, &[0.7, 0.02, 0.4], 30).await?;
                }
            }
            Ok(())
        };
        smoothly(page, "dragging beside a trade-off", drag, async || page.settle().await).await
    });
}

/// Whether the page says what theory expects of the run.
const IS_EXPECTED: &str = "document.querySelector('#app [data-testid=outlook]')?.textContent.includes('FedLin')";

/// A run of many seconds shows how far it is, leaves the page free, and is dropped for the next one.
#[track_caller]
fn check_long_run(story: Story, what: &'static str) {
    story.alone().traced().tell(async |page| {
        let begin = async || {
            page.visit("M=2000&N=100&T=100&q=500&alpha=0.000001").await?;
            page.wait("progress", PATIENCE, IN_PROGRESS).await
        };
        begin().await?;
        page.watch().await?;
        page.wait("what is to be expected", PATIENCE, IS_EXPECTED).await?;
        page.watched().await?;
        let tasks = page.browser().watched_tasks().await?;
        let most = tasks.iter().map(|task| task.processor_ms).fold(0.0, f64::max);
        e2e::report(format_args!("{what}: the cards' first fill took {most:.0} ms of processor time"));
        ensure!(most > 0.0 && most <= LONG_MS, "{what}: the cards' first fill took {most} ms of processor time");
        let run = async || {
            let shown = begin().await?;
            page.wait("what is to be expected", PATIENCE, IS_EXPECTED).await?;
            page.watch().await?;
            let passed = page.wait("some progress", PATIENCE, SOME_PROGRESS).await?;
            let (shown, passed) = (shown.as_millis(), passed.as_millis());
            e2e::report(format_args!("{what}: progress after {shown} ms, a fifth of it after {passed} ms more"));
            Ok(())
        };
        let supersede = async || {
            page.enter("M", "5").await?;
            let superseded = page.settle_within(SUPERSEDED_WITHIN).await?;
            e2e::report(format_args!("{what}: a new setting was on screen after {} ms", superseded.as_millis()));
            page.expect_what_is_set().await
        };
        smoothly(page, what, run, supersede).await
    });
}

#[test]
fn a_long_run_shows_progress_and_gives_way() {
    check_long_run(Story::new(), "a long run");
}

#[test]
fn without_workers_a_long_run_gives_way_too() {
    check_long_run(Story::new().where_first(NO_WORKERS), "a long run without workers");
}

/// Bytes of a large file.
const LARGE: usize = 100_000_000;

/// How long it may take to read.
const READ_WITHIN: Duration = Duration::from_secs(15);

/// Rows of 1500 clients' rollouts, as many as a large file has.
fn large_file() -> Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile()?;
    let mut text = String::from("client,rollout,t,x1,x2,x3,u1,u2\n");
    let (mut row, mut state) = (0_u64, 1_u64);
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 22) - 2.0
    };
    let mut written = 0;
    while written < LARGE {
        let (rollout, t) = (row / 100, row % 100);
        let _ = write!(text, "{},{},{t}", rollout / 10, rollout % 10);
        for _ in 0..5 {
            let _ = write!(text, ",{:.9}", number());
        }
        text.push('\n');
        row += 1;
        if text.len() > 1 << 20 {
            written += text.len();
            file.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    Ok(file)
}

/// Opens a file whose name is known to the driver, and waits until its reading is seen.
async fn choose(page: &Page, file: &tempfile::NamedTempFile) -> Result<()> {
    let input = page.browser().driver().find(By::Css("#app [data-testid=open]")).await?;
    input.send_keys(file.path().to_string_lossy()).await?;
    page.wait("progress", PATIENCE, "document.querySelector('#app [data-testid=data-progress] progress')").await?;
    Ok(())
}

#[test]
fn the_reading_of_a_large_file_can_be_stopped() {
    Story::new().alone().tell(async |page| {
        let file = large_file()?;
        page.open("view=data").await?;
        choose(page, &file).await?;
        page.click("#app [data-testid=data-progress] button").await?;
        page.settle_within(Duration::from_secs(1)).await?;
        ensure!(page.is("document.querySelector('#app .data .cards').hidden").await?, "it was stopped");
        Ok(())
    });
}

/// The page can be used while a large file is read: nothing takes long.
#[test]
fn a_large_file_is_read_in_good_time() {
    Story::new().alone().traced().tell(async |page| {
        let file = large_file()?;
        page.open("view=data").await?;
        page.watch().await?;
        let begin = Instant::now();
        choose(page, &file).await?;
        page.wait("the model", PATIENCE, "document.querySelector('#app .data .cards:not([hidden]) .matrix')").await?;
        let took = begin.elapsed();
        page.settle().await?;
        let (frames, long) = (page.watched().await?, page.report().await?.long_tasks()?.to_vec());
        let most = page.browser().watched_tasks().await?.iter().map(|task| task.processor_ms).fold(0.0, f64::max);
        say("a file of 100 MB", frames, &long, most);
        e2e::report(format_args!("a file of 100 MB: read and identified in {} ms", took.as_millis()));
        ensure!(most <= LONG_MS, "a task of the page took {most} ms of processor time");
        ensure!(took <= READ_WITHIN, "it took {took:?}");
        Ok(())
    });
}

/// Ten thousand dots do not keep the page waiting while the pointer goes along them.
#[test]
fn ten_thousand_dots_are_walked_along_smoothly() {
    Story::new().alone().traced().tell(async |page| {
        page.open("M=10000&q=1&R=20").await?;
        let strip = page.rect(r#"#app [data-testid="join"]"#).await?;
        page.watch().await?;
        let (from, to) = (strip.at(0.1, 0.3), strip.at(0.9, 0.6));
        page.perform(Gesture::mouse().to(from, 0).glide(from, to, 40)).await?;
        ensure!(page.is("document.querySelector('#app .dots .chosen')").await?, "no dot is marked");
        let (frames, long) = (page.watched().await?, page.report().await?.long_tasks()?.to_vec());
        let most = page.browser().watched_tasks().await?.iter().map(|task| task.processor_ms).fold(0.0, f64::max);
        say("ten thousand dots", frames, &long, most);
        ensure!(most <= LONG_MS, "a task of the page took {most} ms of processor time");
        Ok(())
    });
}
