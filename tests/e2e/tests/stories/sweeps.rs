//! Many experiments at once: shared out among workers, interrupted, kept, saved; the numbers are the native ones.

use std::time::Duration;

use anyhow::{Result, ensure};
use e2e::native::sweep_csv;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;

const PROGRESS: &str = r#"document.querySelector('#app [data-testid="sweep-progress"] progress')"#;

const TRADE_OFF: &str = "view=tradeoff&q=9&M=20&beside=M:3";

/// Long enough to be in the middle of.
const LONG: &str = "view=tradeoff&q=1000&M=500&T=20&alpha=0.000001";

/// The table of the file that the page saves of its main chart, without what is said of it.
async fn saved(page: &Page) -> Result<String> {
    page.eval::<()>("document.querySelector('#app figure .chart-foot button:last-child').click()", &[]).await?;
    let file = page.saved_by("#app :popover-open [data-act=csv]").await?;
    page.eval::<()>("document.querySelector(':popover-open').hidePopover()", &[]).await?;
    Ok(file.split_inclusive('\n').filter(|line| !line.starts_with("# ")).collect())
}

/// Every number is the native one to the last bit; what theory expects, in the last column, to 12 digits.
async fn expect_native(page: &Page, query: &str) -> Result<()> {
    let (shown, native) = (saved(page).await?, sweep_csv(query)?);
    ensure!(shown.lines().count() == native.lines().count(), "{query}: the page saves\n{shown}\nnot\n{native}");
    for (shown, native) in shown.lines().zip(native.lines()) {
        let (Some((shown_run, shown_theory)), Some((run, theory))) = (shown.rsplit_once(','), native.rsplit_once(','))
        else {
            ensure!(shown == native, "{shown} is not {native}");
            continue;
        };
        let close = match (shown_theory.parse::<f64>(), theory.parse::<f64>()) {
            (Ok(shown), Ok(theory)) => (shown / theory - 1.0).abs() < 1e-11,
            _ => shown_theory == theory,
        };
        ensure!(shown_run == run && close, "{query}: {shown} is not {native}");
    }
    Ok(())
}

/// On a machine of so many cores.
fn on_cores(script: &'static str) -> Story {
    Story::new().where_first(script)
}

/// The whole sweep natively, and in the page however many workers share it.
#[track_caller]
fn check_workers(story: Story, n_workers: usize) {
    story.tell(async |page| {
        page.open(TRADE_OFF).await?;
        expect_native(page, TRADE_OFF).await?;
        let started = page.report().await?.workers;
        ensure!(started == n_workers, "{started} workers were started");
        Ok(())
    });
}

#[test]
fn one_worker_finds_the_native_numbers() {
    check_workers(on_cores("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 });"), 1);
}

#[test]
fn two_workers_find_the_native_numbers() {
    check_workers(on_cores("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 3 });"), 2);
}

#[test]
fn four_workers_find_the_native_numbers() {
    check_workers(on_cores("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 5 });"), 4);
}

/// The same seed twice: the file that is saved has the same bytes, whoever computed which part of it.
#[test]
fn however_many_workers_share_it_the_file_is_the_same() {
    use std::sync::Mutex;
    static FILES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    for cores in [
        "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 });",
        "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 3 });",
        "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 9 });",
    ] {
        on_cores(cores).tell(async |page| {
            for _ in 0..2 {
                page.open("view=tradeoff&seed=7&M=9&q=5&R=40").await?;
                let csv = saved(page).await?;
                FILES.lock().expect("nobody broke it").push(csv);
            }
            Ok(())
        });
    }
    let files = FILES.lock().expect("nobody broke it");
    assert!(files.len() == 6 && files[0].lines().count() > 15, "{files:?}");
    assert!(files.iter().all(|file| *file == files[0]), "{files:?}");
}

#[test]
fn without_workers_the_page_finds_the_native_numbers() {
    check_workers(on_cores("delete globalThis.Worker;"), 0);
}

#[test]
fn a_parameters_name_sweeps_it_and_its_values_can_be_typed() {
    Story::new().tell(async |page| {
        page.open("q=4&eps=0.01").await?;
        page.click(r#"#app [data-param="M"] button.slider-name"#).await?;
        page.wait("the sweep", PATIENCE, "document.querySelector('#app main[data-settled=true] .sweep-head')").await?;
        expect_native(page, "q=4&eps=0.01&sweep=M:1,2,5,25,100").await?;
        let names = page.texts("#app .readout dt").await?;
        ensure!(names == ["M = 1", "M = 2", "M = 5", "M = 25", "M = 100"], "{names:?}");
        page.eval::<()>(
            "const box = document.querySelector('#app .values'); box.value = '7; 3, x'; box.dispatchEvent(new Event('change'));",
            &[],
        )
        .await?;
        page.settle().await?;
        expect_native(page, "q=4&eps=0.01&sweep=M:3,7").await?;
        let notices = page.texts("#app .notice p").await?;
        ensure!(notices.len() == 1 && notices[0].contains("using 3,7"), "{notices:?}");
        let query = page.address().await?;
        ensure!(query.contains("sweep=M:3,7"), "{query}");
        page.click(r#"#app [data-param="M"] button.slider-name"#).await?;
        page.settle().await?;
        page.expect_what_is_set().await
    });
}

#[test]
fn a_long_sweep_says_how_far_it_is_and_stops_when_told() {
    Story::new().tell(async |page| {
        page.visit(LONG).await?;
        page.wait("time left", PATIENCE, r"/\d+ of 15 points, about \d+ s left/.test(document.body.innerText)").await?;
        page.click(r#"#app [data-testid="sweep-progress"] button"#).await?;
        page.settle().await?;
        let words = page.texts(r#"#app [data-testid="sweep-progress"]"#).await?;
        ensure!(words.len() == 1 && words[0].contains("stopped after"), "{words:?}");
        page.click(r#"#app [data-testid="sweep-progress"] button"#).await?;
        page.wait("work again", PATIENCE, "document.querySelector('#app main[data-settled=false]')").await?;
        page.click(r#"#app .tab[data-view="explore"]"#).await?;
        page.enter("q", "3").await?;
        page.settle().await?;
        page.expect_what_is_set().await
    });
}

#[test]
fn a_finished_sweep_is_kept() {
    Story::new().tell(async |page| {
        page.open(TRADE_OFF).await?;
        page.click(r#"#app .tab[data-view="explore"]"#).await?;
        page.settle().await?;
        let posts = "witness.posted = 0; const post = Worker.prototype.postMessage; \
                     Worker.prototype.postMessage = function (...all) { witness.posted++; return post.apply(this, all); };";
        page.eval::<()>(posts, &[]).await?;
        page.click(r#"#app .tab[data-view="tradeoff"]"#).await?;
        page.settle().await?;
        expect_native(page, TRADE_OFF).await?;
        let posted: u32 = page.eval("return witness.posted;", &[]).await?;
        ensure!(posted == 0, "{posted} messages for what was known");
        Ok(())
    });
}

#[test]
fn work_rests_while_the_page_is_hidden() {
    Story::new().tell(async |page| {
        let set_hidden = "Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true }); \
                          document.dispatchEvent(new Event('visibilitychange'));";
        let share = format!("return {PROGRESS}.value;");
        page.visit(LONG).await?;
        page.wait("progress", PATIENCE, PROGRESS).await?;
        let begun: f64 = page.eval(&share, &[]).await?;
        // How long it takes here until there is anything to see.
        let pace = page.wait("some progress", PATIENCE, &format!("{PROGRESS}.value > {begun}")).await?;
        page.eval::<()>(set_hidden, &[true.into()]).await?;
        // What was on its way arrives.
        tokio::time::sleep(pace.max(Duration::from_millis(200))).await;
        let before: f64 = page.eval(&share, &[]).await?;
        tokio::time::sleep((3 * pace).max(Duration::from_millis(1_500))).await;
        let after: f64 = page.eval(&share, &[]).await?;
        ensure!(before.to_bits() == after.to_bits(), "from {before} to {after} while nobody looked");
        page.eval::<()>(set_hidden, &[false.into()]).await?;
        page.wait("more progress", PATIENCE, &format!("{PROGRESS}.value > {after}")).await?;
        Ok(())
    });
}

/// A hundred times something happens to a sweep on its way. Whatever it was, what is shown in the end is that of the last
/// setting; nothing is left running, no error is logged, and memory is what it was.
#[test]
fn a_hundred_interruptions_leave_the_last_setting_and_nothing_else() {
    const PARAMETERS: [(&str, [&str; 3]); 4] = [
        ("M", ["10", "30", "50"]),
        ("eps", ["0.1", "0.25", "0.7"]),
        ("K", ["2", "10", "40"]),
        ("q", ["5", "30", "200"]),
    ];
    const VIEWS: [&str; 4] = ["tradeoff", "explore", "tradeoff", "paper"];
    Story::new().expecting_errors(&["engine"]).tell(async |page| {
        page.open("view=tradeoff&q=30").await?;
        let mut memory = Vec::new();
        // Chosen by a generator that anyone can repeat.
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut choose = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % n as u64).unwrap_or(0)
        };
        for ten in 0..10 {
            for _ in 0..10 {
                match choose(6) {
                    0..=2 => {
                        let (key, values) = PARAMETERS[choose(PARAMETERS.len())];
                        set(page, key, values[choose(3)]).await?;
                    }
                    3 => press(page, &format!(".tab[data-view={}]", VIEWS[choose(VIEWS.len())])).await?,
                    4 => press(page, "[data-testid=sweep-progress] button").await?,
                    _ => {
                        page.eval::<()>("witness.workers.at(-1).dispatchEvent(new ErrorEvent('error'));", &[]).await?;
                    }
                }
                tokio::time::sleep(Duration::from_millis(choose(60) as u64)).await;
            }
            set(page, "q", if ten % 2 == 0 { "6" } else { "7" }).await?;
            press(page, ".tab[data-view=explore]").await?;
            press(page, ".tab[data-view=tradeoff]").await?;
            page.settle().await?;
            let query = page.address().await?;
            expect_native(page, &query).await?;
            memory.push(page.memory().await?);
        }
        e2e::report(format_args!("memory of the page after each ten: {memory:?} bytes"));
        // The first ten fill what is kept on purpose: eight finished sweeps.
        let (low, high) =
            memory[1..].iter().fold((f64::MAX, 0.0_f64), |(low, high), &now| (low.min(now), high.max(now)));
        ensure!(high - low < 5e6, "memory between {low} and {high} bytes: {memory:?}");
        Ok(())
    });
}

/// Types a value, whether or not its box is in sight.
async fn set(page: &Page, key: &str, value: &str) -> Result<()> {
    const TYPE: &str = "const box = document.querySelector(`#app [data-param='${arguments[0]}'] .number-box`); \
                        box.value = arguments[1]; box.dispatchEvent(new Event('change'));";
    page.eval(TYPE, &[key.into(), value.into()]).await
}

/// Presses a button of the page, if it is there.
async fn press(page: &Page, css: &str) -> Result<()> {
    page.eval("document.querySelector('#app ' + arguments[0])?.click();", &[css.into()]).await
}
