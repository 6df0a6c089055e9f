//! Everything without a mouse.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use e2e::browser::Engine;
use e2e::gesture::Gesture;
use e2e::page::{PATIENCE, Page, number_box, slider};
use e2e::story::Story;
use fedsysid::params::Param;
use fedsysid::params::choice::{Algorithm, CHOICES};
use fedsysid::params::preset::PRESETS;
use fedsysid::params::table::{Group, TABLE, Widget};
use thirtyfour::Key;

/// What has the focus, by its id or its name, and whether that can be seen; nothing past the end of the page.
async fn focused(page: &Page) -> Result<Option<(String, bool)>> {
    const SCRIPT: &str = r#"
        const element = document.activeElement;
        if (element === document.body) return null;
        const name = element.getAttribute("aria-roledescription") || element.id || element.getAttribute("aria-label")
          || element.name || (element.closest("label") ?? element).textContent.trim();
        const shown = [element, element.nextElementSibling, element.closest("label")].filter(Boolean);
        return [name, shown.some((element) => getComputedStyle(element).outlineStyle !== "none")];"#;
    page.eval(SCRIPT, &[]).await
}

/// Every stop of Tab, from the top of the page to its end, after which a window without bars of its own begins again.
async fn stops(page: &Page) -> Result<HashSet<String>> {
    const LIMIT: usize = 150;
    let (mut first, mut stops) = (None, HashSet::new());
    for _ in 0..LIMIT {
        page.press([Key::Tab]).await?;
        let Some((name, is_seen)) = focused(page).await? else { return Ok(stops) };
        if first.as_ref() == Some(&name) {
            return Ok(stops);
        }
        // The driver's window in WebKitGTK may have no focus itself, and then shows none.
        let is_active = page.browser().engine() != Engine::WebKit || page.is("document.hasFocus()").await?;
        ensure!(is_seen || !is_active, "nobody can see that {name} has the focus after {stops:?}");
        first.get_or_insert_with(|| name.clone());
        stops.insert(name);
    }
    bail!("Tab never comes to an end: {stops:?}")
}

/// Every control that the table of parameters and its companions ask for beside the chart.
fn controls() -> impl Iterator<Item = String> {
    let params = || TABLE.iter().filter(|param| param.group != Group::Systems);
    let sliders = params().filter(|param| param.widget == Widget::Slider);
    let sliders = sliders.map(|param| format!("control-{}", param.link));
    let boxes = params().map(|param| match param.widget {
        Widget::Slider => format!("{}, {}", param.name(), param.allowed()),
        Widget::Box => format!("control-{}", param.link),
    });
    let help = params().map(|param| format!("Help: {}", param.name()));
    let presets = PRESETS.iter().map(|preset| preset.name().to_owned());
    let algorithms = Algorithm::ALL.map(|algorithm| algorithm.option().label().to_owned());
    let choices = CHOICES.iter().map(|spec| spec.link.to_owned());
    let chart = std::iter::once("chart".to_owned());
    sliders.chain(boxes).chain(help).chain(presets).chain(algorithms).chain(choices).chain(chart)
}

#[test]
fn tab_reaches_every_control() {
    Story::new().tell(async |page| {
        // A link that changes a folded setting unfolds them all; what belongs to an algorithm shows when that runs.
        page.open("q=24&alg=fedlin,fedprox,fedadmm,clustered").await?;
        let stops = stops(page).await?;
        for control in controls() {
            ensure!(stops.contains(&control), "Tab does not reach {control}: {stops:?}");
        }
        Ok(())
    });
}

#[test]
fn arrow_keys_move_a_slider_and_rerun() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.focus(&slider("K")).await?;
        for (key, expected) in [
            (Key::Right, "15"),
            (Key::Up, "20"),
            (Key::Left, "15"),
            (Key::PageUp, "25"),
            (Key::Home, "1"),
            (Key::End, "100"),
            (Key::PageDown, "90"),
        ] {
            page.press([key.clone()]).await?;
            ensure!(page.number("K").await? == expected, "{key:?} leads to {}", page.number("K").await?);
            page.expect_what_is_set().await?;
        }
        page.perform(Gesture::keys().chord(&[Key::Shift], Key::Left.value())).await?;
        ensure!(page.number("K").await? == "89");
        page.expect_what_is_set().await
    });
}

#[test]
fn a_slider_says_its_value_in_words() {
    Story::new().tell(async |page| {
        page.open("alpha=0.000125").await?;
        let script = "return document.querySelector(arguments[0]).getAttribute('aria-valuetext');";
        let words: String = page.eval(script, &[slider("alpha").into()]).await?;
        ensure!(words == "0.000125", "{words}");
        Ok(())
    });
}

/// Phones' screen readers operate sliders that the browser made, and few others.
#[test]
fn sliders_are_the_browsers_own() {
    const SCRIPT: &str = "return [...document.querySelectorAll('#app .slider')].map((slider) => \
        [slider.dataset.param, [...slider.querySelectorAll('input[type=range]')].length, \
         slider.querySelectorAll('[role=slider], [role=application]').length]);";
    Story::new().tell(async |page| {
        page.open("view=systems").await?;
        let found: Vec<(String, usize, usize)> = page.eval(SCRIPT, &[]).await?;
        let expected = |param: &Param| (param.link.to_owned(), usize::from(param.widget == Widget::Slider), 0);
        for param in &TABLE {
            ensure!(found.contains(&expected(param)), "{} is made otherwise: {found:?}", param.link);
        }
        Ok(())
    });
}

#[test]
fn keys_walk_along_the_chart() {
    Story::new().tell(async |page| {
        page.open("R=50").await?;
        page.focus("#app .chart").await?;
        let steps = [
            (Gesture::keys().key(Key::Left.value()), 49, true),
            (Gesture::keys().chord(&[Key::Shift], Key::Left.value()), 39, true),
            (Gesture::keys().key(Key::Home.value()), 0, true),
            (Gesture::keys().key(Key::Left.value()), 0, true),
            (Gesture::keys().key(Key::Right.value()), 1, true),
            (Gesture::keys().key(Key::PageUp.value()), 11, true),
            (Gesture::keys().key(Key::End.value()), 50, true),
            (Gesture::keys().key(Key::Right.value()), 50, true),
            (Gesture::keys().key(Key::PageDown.value()), 40, true),
            (Gesture::keys().key(Key::Escape.value()), 50, false),
        ];
        for (gesture, round, crossed) in steps {
            page.perform(gesture.clone()).await?;
            let shown = page.shown().await?.round;
            let has_cross = page.is("!document.querySelector('#app .cross').hidden").await?;
            ensure!((shown, has_cross) == (round, crossed), "{gesture:?}: {shown} instead of {round}, {has_cross}");
        }
        Ok(())
    });
}

#[test]
fn a_number_is_taken_over_by_enter() {
    Story::new().tell(async |page| {
        page.open("").await?;
        // Typed, and what the box then shows; a comma is a decimal mark, and a value need not be a stop of the slider.
        for (key, typed, shown) in [
            ("M", "30", "30"),
            ("eps", "0,5", "0.5"),
            ("eps", ".123", "0.123"),
            ("alpha", "2 × 10⁻⁴", "0.0002"),
            ("alpha", "1e-4", "0.0001"),
            ("N", "1,000", "1000"),
        ] {
            page.enter(key, typed).await?;
            ensure!(page.number(key).await? == shown, "{typed} becomes {}", page.number(key).await?);
            ensure!(page.notices().await?.is_empty(), "{typed}: {:?}", page.notices().await?);
            page.expect_what_is_set().await?;
        }
        ensure!(page.query().await? == "?M=30&N=1000&eps=0.123");
        Ok(())
    });
}

/// Whoever dismisses what is said goes on from there.
#[test]
fn dismissed_notices_leave_the_focus_where_they_were() {
    Story::new().tell(async |page| {
        for button in [".dismiss", ".notice-foot button"] {
            page.open("q=2&M=many&K=none").await?;
            ensure!(page.notices().await?.len() == 2);
            page.focus(&format!("#app .notices {button}")).await?;
            page.press([Key::Enter]).await?;
            ensure!(page.is("document.activeElement.matches('.notices')").await?, "{button} loses the focus");
        }
        ensure!(page.notices().await?.is_empty());
        Ok(())
    });
}

/// What a reader of the screen is told of a chart's keys is seen by who comes by keys, until the first is pressed.
#[test]
fn a_chart_that_is_reached_by_keys_shows_them() {
    let reason = "the driver's window has no focus, and shows none";
    Story::new().except(Engine::WebKit, reason).tell(async |page| {
        let is_seen = |chart: &str| format!("document.querySelector('{chart} > [id^=keys-]').offsetWidth > 100");
        page.open("q=2").await?;
        let of_chart = is_seen("#app .chart");
        ensure!(!page.is(&of_chart).await?, "nobody has asked");
        page.focus("#app .chart").await?;
        page.press([Key::Shift]).await?;
        ensure!(page.is(&of_chart).await?);
        page.press([Key::Left]).await?;
        ensure!(!page.is(&of_chart).await?, "the keys are known by now");
        page.press([Key::Escape]).await?;
        ensure!(page.is(&of_chart).await?, "Escape begins anew");
        page.open("view=map&q=2").await?;
        let of_map = is_seen("#app .chart.map");
        ensure!(!page.is(&of_map).await?);
        page.focus("#app .handle").await?;
        page.press([Key::Shift]).await?;
        page.wait("the keys of the handle", PATIENCE, &of_map).await.map(drop)
    });
}

/// Whoever presses a button that has no more to do goes on from there.
#[test]
fn buttons_at_their_end_keep_the_focus() {
    Story::new().tell(async |page| {
        page.open("q=2&R=20&alpha=0.004").await?;
        page.wait("a step to take", PATIENCE, "document.querySelector('#app [data-step]')").await?;
        page.focus("#app [data-step]").await?;
        page.press([Key::Enter]).await?;
        page.wait("a stable step", PATIENCE, "!document.querySelector('#app [data-standing=diverging]')").await?;
        ensure!(page.is("document.activeElement.matches('.badges')").await?, "the step's button loses the focus");
        for (nth, words) in [(1, "Undo"), (2, "Redo"), (3, "Reset all")] {
            page.focus(&format!("#app .changes button:nth-of-type({nth})")).await?;
            page.press([Key::Enter]).await?;
            page.settle().await?;
            let said = format!(
                "document.activeElement.textContent === '{words}' && document.activeElement.ariaDisabled === 'true'"
            );
            ensure!(page.is(&said).await?, "{words} loses the focus");
            let address = page.query().await?;
            page.press([Key::Enter]).await?;
            page.settle().await?;
            ensure!(
                page.query().await? == address,
                "{words} at its end leads from {address} to {}",
                page.query().await?
            );
        }
        Ok(())
    });
}

#[test]
fn bad_text_in_a_box_gives_a_notice_and_the_value_stays() {
    Story::new().tell(async |page| {
        // Of ten thousand clients, which are used instead of what is typed, two data sets are work enough.
        page.open("q=2").await?;
        page.enter("M", "many").await?;
        let notices = page.notices().await?;
        ensure!(notices == ["M = many is not a number: allowed 1 to 10000, using 50, the default."], "{notices:?}");
        ensure!(page.number("M").await? == "50");
        page.enter("M", "50000").await?;
        let notices = page.notices().await?;
        ensure!(
            notices == ["M = 50000 is out of range: allowed 1 to 10000, using 10000; the default is 50."],
            "{notices:?}"
        );
        page.expect_what_is_set().await?;
        page.enter("M", "20").await?;
        ensure!(page.notices().await?.is_empty(), "a good answer settles the bad one");
        page.expect_what_is_set().await
    });
}

#[test]
fn escape_leaves_a_box_as_it_was() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.focus(&number_box("M")).await?;
        page.type_text("99").await?;
        page.press([Key::Escape, Key::Tab]).await?;
        ensure!(page.number("M").await? == "50");
        page.expect_what_is_set().await
    });
}

#[test]
fn typing_on_replaces_the_number() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.focus(&number_box("eps")).await?;
        // What is typed into the box as the last key left it, and what it then shows.
        for (typed, key, shown) in [
            ("0,5", Key::Enter, "0.5"),
            (".75", Key::Enter, "0.75"),
            ("many", Key::Enter, "0.75"),
            ("9", Key::Enter, "1"),
            ("0.2", Key::Escape, "1"),
            ("0.1", Key::Enter, "0.1"),
        ] {
            page.type_text(typed).await?;
            page.press([key.clone()]).await?;
            let number = page.number("eps").await?;
            ensure!(number == shown, "{typed} and {key:?} lead to {number} instead of {shown}");
        }
        page.expect_what_is_set().await
    });
}

#[test]
fn a_click_into_a_box_replaces_its_number() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.click(&number_box("M")).await?;
        page.type_text("64").await?;
        page.press([Key::Enter]).await?;
        ensure!(page.number("M").await? == "64", "the box shows {}", page.number("M").await?);
        page.expect_what_is_set().await
    });
}

#[test]
fn choices_are_made_by_arrow_keys() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.unfold().await?;
        page.focus(r#"#app input[name="schedule"]:checked"#).await?;
        page.press([Key::Right]).await?;
        page.expect_what_is_set().await?;
        ensure!(page.query().await? == "?schedule=local");
        page.focus(r#"#app .algorithm[data-role="fedlin"] input"#).await?;
        page.press([Key::Space]).await?;
        page.expect_what_is_set().await?;
        ensure!(page.query().await? == "?alg=fedavg&schedule=local");
        Ok(())
    });
}

#[test]
fn help_opens_and_closes() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.focus(r#"#app [aria-controls="help-eps"]"#).await?;
        for expected in [true, false] {
            page.press([Key::Enter]).await?;
            ensure!(page.is("document.getElementById('help-eps').checkVisibility()").await? == expected);
        }
        Ok(())
    });
}
