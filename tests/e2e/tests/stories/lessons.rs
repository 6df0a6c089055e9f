//! Lessons: by keys alone, drawn by hand and by keys, in links, in frames; and classes.

use anyhow::{Result, ensure};
use e2e::gesture::Gesture;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::dashboard::views::lesson::COURSES;
use fedsysid::dashboard::views::lesson::code::Found;
use fedsysid::params::Word;
use fedsysid::params::name::seed_of;
use fedsysid::params::{Lesson, View};
use serde_json::json;
use thirtyfour::Key;

const PANEL: &str = "#app [data-testid=lesson]";

async fn text(page: &Page, testid: &str) -> Result<String> {
    Ok(page.texts(&format!(r#"#app [data-testid="{testid}"]"#)).await?.join(" "))
}

/// A button of the panel, by its words.
async fn press(page: &Page, words: &str) -> Result<()> {
    const SCRIPT: &str = r"
        const [panel, words] = arguments;
        const button = [...document.querySelectorAll(`${panel} button`)].find((b) => b.textContent.trim() === words);
        button.focus();
        return document.activeElement === button;";
    ensure!(page.eval::<bool>(SCRIPT, &[json!(PANEL), json!(words)]).await?, "{words} takes the focus");
    page.press([Key::Enter]).await?;
    page.settle().await
}

async fn wait_done(page: &Page) -> Result<()> {
    page.wait("the step to be done", PATIENCE, &format!("!!document.querySelector('{PANEL}[data-done=\"true\"]')"))
        .await
        .map(drop)
}

async fn wait_for_address(page: &Page, expected: &str) -> Result<()> {
    page.wait(&format!("the address {expected}"), PATIENCE, &format!("location.search === {}", json!(expected)))
        .await?;
    page.settle().await
}

/// Moves every handle of a drawing by keys.
async fn draw_by_keys(page: &Page) -> Result<()> {
    let n: usize = page.eval("return document.querySelectorAll('#app .guess-handle').length;", &[]).await?;
    ensure!(n > 0, "there is something to draw");
    for handle in 1..=n {
        page.focus(&format!("#app .guess-handle:nth-child({handle})")).await?;
        page.press(vec![Key::PageDown; 3]).await?;
    }
    Ok(())
}

/// What does each step: a slider, and the value that is typed into its box.
fn solution(lesson: Lesson, step: usize) -> &'static [(&'static str, &'static str)] {
    match (lesson, step) {
        (Lesson::Joining, 0) => &[("M", "60")],
        (Lesson::Joining, 1) => &[("M", "200")],
        (Lesson::Joining, 3 | 5) => &[("eps", "1")],
        (Lesson::Joining, 4) => &[("N", "2000")],
        (Lesson::Floor, 1) => &[("R", "200")],
        (Lesson::Floor, 2) => &[("M", "20")],
        (Lesson::Floor, 3) => &[("eps", "0.02")],
        (Lesson::Floor, 4) => &[("K", "2")],
        (Lesson::Steps, 0) => &[("alpha", "0.0002")],
        (Lesson::Steps, 2) => &[("alpha", "0.003")],
        (Lesson::Steps, 3) => &[("alpha", "0.0008")],
        (Lesson::Steps, 4) => &[("K", "40")],
        (Lesson::Steps, 5) => &[("alpha", "0.01")],
        _ => &[],
    }
}

/// Waits until readers who use keys are at the top of the step.
async fn expect_at_top(page: &Page) -> Result<()> {
    let is_at_top = format!("document.activeElement === document.querySelector('{PANEL} h2')");
    page.wait("the focus on the step’s heading", PATIENCE, &is_at_top).await.map(drop)
}

/// Goes through a lesson without a mouse, step by step, and ends with a code.
async fn go_through(page: &Page, lesson: Lesson) -> Result<()> {
    page.open("view=lesson").await?;
    page.focus(&format!("#app [data-lesson={}][data-do=start]", lesson.word())).await?;
    page.press([Key::Enter]).await?;
    page.settle().await?;
    expect_at_top(page).await?;
    let steps = COURSES.iter().find(|course| course.lesson == lesson).map_or(0, |course| course.steps.len());
    for step in 0..steps {
        if step > 0 {
            press(page, "Next").await?;
            expect_at_top(page).await?;
        }
        let said = text(page, "lesson-text").await?;
        ensure!(said.len() > 60 && !said.contains('{'), "{said}");
        for (key, value) in solution(lesson, step) {
            page.enter(key, value).await?;
        }
        if page.is("document.querySelector('#app main[data-veiled]')").await? {
            let verdict = text(page, "verdict").await?;
            ensure!(verdict == "Hidden until you have said what you expect.", "{verdict}");
            draw_by_keys(page).await?;
            press(page, "Show the run").await?;
            let goes_on = "document.activeElement.textContent.trim() === 'Draw again'";
            page.wait("the focus on the button that took its place", PATIENCE, goes_on).await?;
        }
        page.settle().await?;
        wait_done(page).await?;
        if !matches!((lesson, step), (Lesson::Floor, 5)) {
            let done = text(page, "lesson-done").await?;
            ensure!(!done.is_empty() && !done.contains('…'), "step {step}: {done}");
        }
    }
    let code = text(page, "code").await?;
    let found = Found::read(&code).map_err(|reason| anyhow::anyhow!("{code}: {reason}"))?;
    ensure!(found.lesson == lesson && found.guess.is_some() && found.error.is_some(), "{found:?}");
    Ok(())
}

#[test]
fn joining_is_gone_through_by_keys() {
    Story::new().tell(async |page| go_through(page, Lesson::Joining).await);
}

#[test]
fn the_floor_is_gone_through_by_keys() {
    Story::new().tell(async |page| go_through(page, Lesson::Floor).await);
}

#[test]
fn steps_are_gone_through_by_keys() {
    Story::new().tell(async |page| go_through(page, Lesson::Steps).await);
}

#[test]
fn a_curve_is_drawn_by_hand_and_then_seen() {
    Story::new().tell(async |page| {
        page.open("lesson=floor").await?;
        ensure!(page.is("!document.querySelector('#app .readout dd')").await?, "no number tells");
        ensure!(page.is(&format!("[...document.querySelectorAll('{PANEL} button')].some((b) => b.textContent.trim() === 'Show the run' && b.disabled)")).await?);
        let plot = page.rect("#app .guess").await?;
        let path = Gesture::mouse().to(plot.at(0.15, 0.3), 0).down();
        let path = path.glide(plot.at(0.15, 0.3), plot.at(0.5, 0.7), 12).glide(plot.at(0.5, 0.7), plot.at(0.8, 0.72), 8);
        page.perform(path.up()).await?;
        let drawn: Vec<f64> = page
            .eval("return [...document.querySelectorAll('#app .guess-handle')].map((h) => +h.getAttribute('aria-valuenow'));", &[])
            .await?;
        ensure!(drawn.len() == 5 && drawn[4] < drawn[0] / 3.0, "{drawn:?}");
        press(page, "Show the run").await?;
        let done = text(page, "lesson-done").await?;
        ensure!(done.contains("level") || done.contains("end lies"), "{done}");
        ensure!(page.is("document.querySelector('#app .readout dd') && document.querySelector('#app .guess-line path').getAttribute('d').length > 20").await?);
        press(page, "Draw again").await?;
        ensure!(page.is("document.querySelector('#app main[data-veiled]')").await?);
        Ok(())
    });
}

/// What is to be foretold is told nowhere: not by another view, not by what only style sheets hide, not by a voice.
#[test]
fn no_view_tells_what_is_to_be_foretold() {
    const VEILED: &str = "!!document.querySelector('#app main[data-veiled]')";
    const HINT: &str = "Hidden until you have said what you expect.";
    const TELLING: &str = "#app .complaint, #app .badges li, #app .theory, #app .map, #app .cross dd, #app .readout dd";
    // A step to foretell a curve at, one with methods that diverge, and one to foretell a place at.
    const STEPS: [&str; 3] = ["lesson=floor", "lesson=floor&alpha=0.01", "lesson=joining&step=3"];
    Story::new().tell(async |page| {
        for query in STEPS {
            page.open(query).await?;
            let begun = r#"document.querySelector('#app [data-testid="summary"][data-begun]')"#;
            page.wait("the page to have been read", PATIENCE, begun).await?;
            for view in View::ALL.iter().map(|(_, word, _)| *word) {
                page.click(&format!("#app .tab[data-view={view}]")).await?;
                let is_there = format!("document.querySelector('#app main').dataset.view === '{view}'");
                page.wait(view, PATIENCE, &is_there).await?;
                page.settle().await?;
                // A summary follows once everything has come to rest.
                page.rest().await?;
                // The others have nothing of the run.
                if !["explore", "map", "tradeoff", "systems"].contains(&view) {
                    continue;
                }
                ensure!(page.is(VEILED).await?, "{query}: {view} is veiled");
                let told = page.texts(TELLING).await?;
                ensure!(told.is_empty(), "{query}: {view} tells {told:?}");
                if view == "systems" {
                    // What is said of the systems tells nothing of the run.
                    ensure!(page.texts("#app .systems-verdict").await?.concat().is_empty(), "{query}: a verdict");
                    continue;
                }
                let said = page.texts("#app [data-said]").await?.concat();
                ensure!(said == HINT, "{query}: {view} says {said}");
                let aloud = page.texts(r#"#app [aria-live="polite"]"#).await?.concat();
                ensure!(["", HINT].contains(&aloud.as_str()), "{query}: {view} says aloud {aloud}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_link_leads_to_a_step_and_back_and_forward_work() {
    Story::new().tell(async |page| {
        page.open("lesson=joining&step=2&seed=5").await?;
        ensure!(text(page, "lesson").await?.contains("Step 2 of 6"));
        ensure!(page.is("document.activeElement === document.body").await?, "nothing takes the focus");
        let shown: Vec<String> = page
            .eval("return [...document.querySelectorAll('#app .slider, #app .choice')].filter((c) => c.checkVisibility()).map((c) => c.dataset.param);", &[])
            .await?;
        ensure!(shown == ["M"], "{shown:?}");
        page.enter("M", "120").await?;
        wait_for_address(page, "?lesson=joining&step=2&M=120&seed=5").await?;
        press(page, "Next").await?;
        wait_for_address(page, "?lesson=joining&step=3&seed=5").await?;
        page.travel(-1).await?;
        wait_for_address(page, "?lesson=joining&step=2&M=120&seed=5").await?;
        ensure!(text(page, "lesson").await?.contains("Step 2 of 6"));
        page.travel(1).await?;
        wait_for_address(page, "?lesson=joining&step=3&seed=5").await?;
        ensure!(page.is("document.querySelector('#app main').dataset.view === 'tradeoff'").await?);
        Ok(())
    });
}

#[test]
fn undo_stays_within_a_step() {
    Story::new().tell(async |page| {
        const NOTHING: &str = "[...document.querySelectorAll('#app .changes button')][0].ariaDisabled === 'true'";
        page.open("lesson=joining&step=2").await?;
        page.enter("M", "120").await?;
        ensure!(!page.is(NOTHING).await?, "a change can be taken back");
        press(page, "Next").await?;
        wait_for_address(page, "?lesson=joining&step=3").await?;
        ensure!(page.is(NOTHING).await?, "what was done in the step before is not taken back in this one");
        page.eval::<()>("document.activeElement.blur();", &[]).await?;
        page.press_with_control('z').await?;
        page.settle().await?;
        ensure!(text(page, "lesson").await?.contains("Step 3 of 6"));
        page.travel(-1).await?;
        wait_for_address(page, "?lesson=joining&step=2&M=120").await
    });
}

#[test]
fn a_lesson_is_left_with_all_that_is_set_and_a_way_back() {
    Story::new().tell(async |page| {
        page.open("M=33&q=4").await?;
        page.click("#app .tab[data-view=lesson]").await?;
        page.click("#app [data-lesson=steps][data-do=start]").await?;
        page.settle().await?;
        page.enter("alpha", "0.0003").await?;
        press(page, "Leave the lesson").await?;
        wait_for_address(page, "?eps=0.01&alpha=0.0003&alg=fedlin").await?;
        ensure!(page.is("!document.querySelector('#app [data-testid=lesson]')").await?);
        let is_there = "document.activeElement.matches('[data-testid=lesson-left] button')";
        page.wait("the focus on the way back", PATIENCE, is_there).await?;
        page.click("#app [data-testid=lesson-left] button").await?;
        wait_for_address(page, "?M=33&q=4").await?;
        // Opened by a link, there was nothing before it.
        page.open("lesson=steps").await?;
        press(page, "Leave the lesson").await?;
        page.wait("the focus on the chart", PATIENCE, "document.activeElement.matches('#app .chart')").await.map(drop)
    });
}

#[test]
fn progress_lasts_as_long_as_the_tab() {
    Story::new().tell(async |page| {
        page.open("lesson=steps").await?;
        page.enter("alpha", "0.0002").await?;
        page.settle().await?;
        wait_done(page).await?;
        page.open("view=lesson").await?;
        let list = page.texts("#app .lessons").await?.concat();
        ensure!(list.contains("1 of 6 steps done"), "{list}");
        Ok(())
    });
}

#[test]
fn a_name_gives_a_seed_and_leaves_the_query() {
    Story::new().tell(async |page| {
        page.open("lesson=joining&step=2&name=Ada+L.").await?;
        let seed = seed_of("ada l.");
        let is_there = "location.hash === '#name=Ada+L.' && !location.search.includes('name')";
        page.wait("the name behind the #", PATIENCE, is_there).await?;
        ensure!(text(page, "lesson").await?.contains(&format!("(seed {seed})")));
        page.enter("M", "60").await?;
        wait_for_address(page, &format!("?lesson=joining&step=2&M=60&seed={seed}")).await?;
        ensure!(page.is("location.hash === '#name=Ada+L.'").await?);
        Ok(())
    });
}

/// Some keyboards write an accent as a character of its own.
#[test]
fn a_name_has_one_seed_however_its_accents_are_written() {
    Story::new().tell(async |page| {
        let seed = seed_of("Zo\u{eb}");
        for written in ["Zo%C3%AB", "Zoe%CC%88"] {
            page.open(&format!("lesson=joining&step=2&name={written}")).await?;
            let said = text(page, "lesson").await?;
            ensure!(said.contains(&format!("(seed {seed})")), "{written}: {said}");
        }
        page.open("view=lesson&codes=joining").await?;
        page.focus("#app [data-testid=names]").await?;
        page.type_text("Zoe\u{308}").await?;
        let links = text(page, "links").await?;
        ensure!(links.trim_end().ends_with("#name=Zo%C3%AB"), "{links}");
        Ok(())
    });
}

#[test]
fn a_class_pastes_its_codes() {
    Story::new().tell(async |page| {
        const PASTE: &str = "
            const [css, text] = arguments;
            const area = document.querySelector(css);
            area.value = text;
            area.dispatchEvent(new Event('input', { bubbles: true }));";
        page.open("view=lesson&codes=joining&q=2").await?;
        let code =
            |guess| Found { lesson: Lesson::Joining, guess: Some(guess), result: Some(0.5), error: Some(0.1) }.code();
        let codes = [code(0.3), code(0.4), code(0.5)];
        let typo = codes[0].replacen(|_| true, "Z", 1);
        let pasted = format!("{}\nBen: {}; {}\n{typo}", codes[0], codes[1].replace('-', ""), codes[2].to_lowercase());
        page.eval::<()>(PASTE, &[json!("#app [data-testid=codes]"), json!(pasted)]).await?;
        page.settle().await?;
        let sentence = text(page, "class-sentence").await?;
        ensure!(sentence.starts_with("3 results") && !sentence.contains('–'), "{sentence}");
        let bad = text(page, "bad").await?;
        ensure!(bad.contains("Line 3") && bad.contains("mistyped"), "{bad}");
        page.eval::<()>(PASTE, &[json!("#app [data-testid=names]"), json!("Ada\nBen Ali\n")]).await?;
        let links = text(page, "links").await?;
        ensure!(links.contains("?lesson=joining#name=Ben+Ali"), "{links}");
        Ok(())
    });
}

#[test]
fn a_lesson_fits_into_a_frame() {
    Story::new().expecting_errors(&["favicon.ico"]).tell(async |page| {
        const SCRIPT: &str = r"
            document.documentElement.innerHTML = '<body></body>';
            const frame = document.createElement('iframe');
            Object.assign(frame, { id: 'frame', src: './?embed=1&lesson=joining', width: 480, height: 900 });
            document.body.append(frame);";
        page.visit_around().await?;
        page.eval::<()>(SCRIPT, &[]).await?;
        let done = "frame.contentDocument?.querySelector('#app main[data-settled=\"true\"] [data-testid=lesson]')";
        page.wait("the lesson in its frame", PATIENCE, done).await?;
        let seen = "[...frame.contentDocument.querySelectorAll('.slider')].filter((c) => c.checkVisibility()).map((c) => c.dataset.param).join() === 'M'";
        ensure!(page.is(seen).await?);
        let leads_out = "frame.contentDocument.querySelector('[data-testid=lesson]').textContent.includes('Leave')";
        ensure!(!page.is(leads_out).await?, "out of the lesson nothing leads back");
        page.eval::<()>("[...frame.contentDocument.querySelectorAll('[data-testid=lesson] button')].find((b) => b.textContent.trim() === 'Next').click();", &[]).await?;
        page.wait("the second step", PATIENCE, "frame.contentDocument.querySelector('[data-testid=lesson]').textContent.includes('Step 2 of 6')").await?;
        ensure!(page.is("history.length <= 2").await?, "no entries of the page around");
        Ok(())
    });
}
