//! Several frames on a page, of which few are in sight.

use std::path::Path;

use anyhow::{Result, ensure};
use e2e::browser::Engine;
use e2e::page::{PATIENCE, Page};
use e2e::site::Hosting;
use e2e::story::{KEEPING_NOTHING, Story};
use serde_json::json;

use super::{hosted, story};

/// Frames one beneath the other, each with an empty space of a window's height below it.
fn column(query: &str, count: usize, attributes: &str) -> String {
    let frame = |place: usize| {
        format!(
            "<iframe id=frame{place} src='./?embed=1&q=2&M=5&seed={place}&{query}' width=640 height=480 {attributes}></iframe>\
             <div style='height: 400px'></div>"
        )
    };
    (0..count).map(frame).collect()
}

/// The frames that have told a result, by their places.
const RESULTS: &str =
    "[...new Set(told.filter(({ type }) => type === 'fedsysid:result').map(({ from }) => from))].sort()";

async fn results(page: &Page) -> Result<Vec<usize>> {
    page.eval(&format!("return {RESULTS};"), &[]).await
}

async fn wait_for_result(page: &Page, frame: usize) -> Result<()> {
    page.wait("a result", PATIENCE, &format!("{RESULTS}.includes({frame})")).await.map(drop)
}

async fn all_are_up(page: &Page, count: usize) -> Result<()> {
    let ready = format!("told.filter(({{ type }}) => type === 'fedsysid:ready').length === {count}");
    page.wait("all frames", PATIENCE, &ready).await.map(drop)
}

async fn scroll_to(page: &Page, frame: usize) -> Result<()> {
    page.eval::<()>(&format!("document.getElementById('frame{frame}').scrollIntoView({{ block: 'start' }});"), &[])
        .await?;
    page.next_frames().await
}

/// What a browser keeps for ever, where names change with the content.
const FOR_EVER: &[(&str, &str)] = &[("cache-control", "public, max-age=31536000, immutable")];

/// Those out of sight have not even a worker; scrolled to, they compute. The module is downloaded once for all.
#[test]
fn of_eight_frames_those_in_sight_compute() {
    Story::new().expecting_errors(&["favicon.ico"]).hosted(Hosting { headers: FOR_EVER, ..Hosting::default() }).tell(
        async |page| {
            hosted(page, &column("", 8, "")).await?;
            all_are_up(page, 8).await?;
            wait_for_result(page, 0).await?;
            let workers: Vec<usize> = page
                .eval("return [...document.querySelectorAll('iframe')].map((it) => it.contentWindow.witness.workers.length);", &[])
                .await?;
            ensure!(workers == [1, 0, 0, 0, 0, 0, 0, 0], "{workers:?}");
            ensure!(results(page).await? == [0]);
            for frame in [3, 7] {
                scroll_to(page, frame).await?;
                wait_for_result(page, frame).await?;
            }
            ensure!(results(page).await? == [0, 3, 7], "{:?}", results(page).await?);
            let is_module = |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "wasm");
            let modules = page.site().answered().iter().filter(|answered| is_module(&answered.path)).count();
            // The driver's sessions of WebKitGTK keep no answers, whatever these say.
            if page.browser().engine() != Engine::WebKit {
                ensure!(modules == 1, "{modules} downloads of the module");
            }
            Ok(())
        },
    );
}

/// The same where the frames are of another origin: a sandbox makes them so.
#[test]
fn frames_of_another_origin_rest_out_of_sight_too() {
    const OPEN: &[(&str, &str)] = &[("access-control-allow-origin", "*")];
    let hosting = Hosting { headers: OPEN, ..Hosting::default() };
    Story::new().expecting_errors(&["favicon.ico"]).hosted(hosting).tell(async |page| {
        hosted(page, &column("", 4, "sandbox=allow-scripts")).await?;
        all_are_up(page, 4).await?;
        wait_for_result(page, 0).await?;
        ensure!(results(page).await? == [0], "{:?}", results(page).await?);
        scroll_to(page, 2).await?;
        wait_for_result(page, 2).await?;
        ensure!(results(page).await? == [0, 2], "{:?}", results(page).await?);
        Ok(())
    });
}

/// Whether a frame's workers say nothing for a while: at work they say something several times a second.
async fn is_at_rest(page: &Page, frame: usize) -> Result<bool> {
    const WATCH: &str = r"
        const { witness } = document.getElementById(arguments[0]).contentWindow;
        const heard = () => witness.workers.map(({ heard }) => heard).join();
        const before = heard();
        return new Promise((resolve) => { setTimeout(() => resolve(heard() === before), 700); });";
    page.eval(WATCH, &[json!(format!("frame{frame}"))]).await
}

/// Seconds of processor time, of all frames and their workers, in as long a while.
async fn worked_in(page: &Page, seconds: f64) -> Result<f64> {
    const GIVE_UP: &str =
        "for (const it of document.querySelectorAll('iframe')) it.contentWindow.witness.giveUpOnCurve();";
    page.eval::<()>(GIVE_UP, &[]).await?;
    let before = page.browser().worked().await?;
    let wait = "setTimeout(arguments[1], 1000 * arguments[0]);";
    page.browser().driver().execute_async(wait, vec![json!(seconds)]).await?;
    Ok(page.browser().worked().await? - before)
}

/// Processor time of frames at rest beyond that of an empty page, as a share of the time that passes.
const AT_REST: f64 = 0.06;

/// Eight frames that have work for minutes: out of sight they leave the processor alone, and so do those that have shown what
/// there is to be shown.
#[test]
fn frames_at_rest_leave_the_processor_alone() {
    const LONG: &str = "q=1000&M=100&R=10000&part=0.5";
    story().alone().only(Engine::Chromium, "it takes a browser that says how long it has worked").tell(async |page| {
        hosted(page, "").await?;
        worked_in(page, 1.0).await?;
        let empty = worked_in(page, 3.0).await? / 3.0;
        hosted(page, &format!("{}<div style='height: 2000px'></div>", column(LONG, 8, ""))).await?;
        all_are_up(page, 8).await?;
        let at_work = "document.getElementById('frame0').contentDocument.querySelector('#app .progress button')?.checkVisibility()";
        page.wait("work", PATIENCE, at_work).await?;
        let in_sight = worked_in(page, 2.0).await? / 2.0;
        page.eval::<()>("scrollTo(0, document.body.scrollHeight);", &[]).await?;
        // What was begun ends.
        worked_in(page, 1.0).await?;
        let out_of_sight = worked_in(page, 3.0).await? / 3.0;
        hosted(page, &column("", 8, "")).await?;
        all_are_up(page, 8).await?;
        wait_for_result(page, 0).await?;
        page.next_frames().await?;
        worked_in(page, 1.0).await?;
        let done = worked_in(page, 3.0).await? / 3.0;
        let percent = [empty, in_sight, out_of_sight, done].map(|share| format!("{:.1} %", 100.0 * share)).join(", ");
        e2e::report(format_args!("processor time of no frames, of eight at work, out of sight, and done: {percent}"));
        ensure!(in_sight > 0.15, "frames do not work in sight, or are not seen to: {percent}");
        ensure!((out_of_sight - empty).max(done - empty) < AT_REST, "frames work without need: {percent}");
        Ok(())
    });
}

/// What is scrolled away rests and goes on when it is back, unless it was stopped by hand.
#[test]
fn a_stop_by_hand_survives_scrolling() {
    const LONG: &str = "q=1000&M=100&R=10000&part=0.5";
    story().tell(async |page| {
        hosted(page, &column(LONG, 2, "")).await?;
        all_are_up(page, 2).await?;
        let stop = "document.getElementById('frame0').contentDocument.querySelector('#app .progress button')";
        page.wait("work that can be stopped", PATIENCE, &format!("{stop}?.checkVisibility()")).await?;
        ensure!(!is_at_rest(page, 0).await?, "it does not work in sight");
        scroll_to(page, 1).await?;
        page.wait("work of the other", PATIENCE, &stop.replace("frame0", "frame1")).await?;
        // What was said already is heard yet.
        page.next_frames().await?;
        is_at_rest(page, 0).await?;
        ensure!(is_at_rest(page, 0).await?, "it works out of sight");
        scroll_to(page, 0).await?;
        ensure!(!is_at_rest(page, 0).await?, "it does not go on in sight");
        page.eval::<()>(&format!("{stop}.click();"), &[]).await?;
        is_at_rest(page, 0).await?;
        scroll_to(page, 1).await?;
        scroll_to(page, 0).await?;
        ensure!(is_at_rest(page, 0).await?, "it goes on after it was stopped by hand");
        Ok(())
    });
}

/// Born where it has no size, a frame begins when it is shown. One beside it that is in sight tells when it would have done so.
#[test]
fn frames_that_are_born_hidden_begin_when_they_are_shown() {
    const BESIDE: &str = "<iframe src='./?embed=1&q=2&M=5' width=640 height=480></iframe>";
    let frame = "<iframe id=frame src='./?embed=1&q=2&M=5' width=640 height=480></iframe>";
    let places = [
        (format!("<div id=place style='display: none'>{frame}</div>"), "place.style.display = ''"),
        (format!("<details id=place><summary>more</summary>{frame}</details>"), "place.open = true"),
        (
            format!("<div id=place style='width: 0; height: 0; overflow: hidden'>{frame}</div>"),
            "place.style.cssText = ''",
        ),
    ];
    story().tell(async |page| {
        for (place, show) in &places {
            hosted(page, &format!("{place}{BESIDE}")).await?;
            all_are_up(page, 2).await?;
            wait_for_result(page, 1).await?;
            ensure!(results(page).await? == [1], "it computes where nobody sees it: {place}");
            page.eval::<()>(&format!("{show};"), &[]).await?;
            wait_for_result(page, 0).await?;
            page.wait("a picture", PATIENCE, "frame.contentWindow.witness.isInked()").await?;
            let size = "(({ width, clientWidth }) => clientWidth > 600 && width === clientWidth)(frame.contentDocument.querySelector('#app canvas'))";
            page.wait("its size", PATIENCE, size).await?;
        }
        Ok(())
    });
}

/// Names change with the content, but for those few that pages and people name themselves: the rest can be kept for ever.
#[test]
fn files_that_are_kept_are_named_by_their_content() {
    // What keeps the page for later asks for all of it, by whatever name.
    Story::new().where_first(KEEPING_NOTHING).tell(async |page| {
        page.open("").await?;
        page.open("lang=de").await?;
        let is_hashed = |path: &str| {
            let words = path.split(['-', '.', '_', '/']);
            words.into_iter().any(|word| word.len() >= 12 && word.chars().all(|c| c.is_ascii_hexdigit()))
        };
        let plain: Vec<_> =
            page.site().answered().into_iter().map(|answered| answered.path).filter(|path| !is_hashed(path)).collect();
        // What a browser asks for by itself once the page is kept for when there is no network.
        let allowed = ["/", "/manifest.json", "/offline.js", "/icon-192.png"];
        ensure!(plain.iter().all(|path| allowed.contains(&path.as_str())), "{plain:?}");
        Ok(())
    });
}
