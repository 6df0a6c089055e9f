//! The views beside Explore: how they are reached, and what can be done in them.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::gesture::Gesture;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use thirtyfour::Key;

const HANDLE: &str = "#app .map .handle";

async fn current(page: &Page) -> Result<Vec<String>> {
    page.texts(r#"#app .tab[aria-current="page"], #app main[data-view] h2.paper-title"#).await
}

async fn value(page: &Page, key: &str) -> Result<f64> {
    let text: String =
        page.eval("return document.querySelector(arguments[0]).value;", &[e2e::page::number_box(key).into()]).await?;
    Ok(text.parse()?)
}

async fn verdict(page: &Page) -> Result<String> {
    Ok(page.texts(r#"#app [data-testid="verdict"]"#).await?.concat())
}

#[test]
fn a_view_is_a_part_of_the_link() {
    Story::new().tell(async |page| {
        page.open("q=3").await?;
        for (view, name) in [("tradeoff", "Trade-off"), ("map", "Map"), ("paper", "Paper"), ("explore", "Explore")] {
            let tab: String = format!("#app .tab[data-view={view}]");
            page.click(&tab).await?;
            page.settle().await?;
            let shown: String = page
                .eval(r#"return document.querySelector('#app .tab[aria-current="page"]').textContent;"#, &[])
                .await?;
            ensure!(shown == name, "{shown} is looked at, not {name}");
            let address = page.address().await?;
            ensure!(address.contains(&format!("view={view}")) == (view != "explore"), "{address}");
        }
        page.expect_what_is_set().await
    });
}

async fn said_by_handle(page: &Page) -> Result<String> {
    page.eval("return document.querySelector(arguments[0]).getAttribute('aria-valuetext');", &[HANDLE.into()]).await
}

#[test]
fn the_maps_handle_is_the_sliders() {
    Story::new().tell(async |page| {
        page.open("view=map&q=4").await?;
        let map = page.rect("#app .map canvas").await?;
        page.perform(Gesture::mouse().to(map.at(0.3, 0.25), 0).down().up()).await?;
        page.settle().await?;
        let (eps, m) = (value(page, "eps").await?, value(page, "M").await?);
        ensure!(eps < 0.1 && m > 50.0, "a press up on the left leads to eps = {eps}, M = {m}");
        page.expect_what_is_set().await?;
        page.focus(HANDLE).await?;
        page.press([Key::Right, Key::Right, Key::Down]).await?;
        page.settle().await?;
        let (eps_after, m_after) = (value(page, "eps").await?, value(page, "M").await?);
        ensure!(eps_after > eps && m_after < m, "keys lead from {eps}, {m} to {eps_after}, {m_after}");
        page.expect_what_is_set().await?;
        let said = said_by_handle(page).await?;
        ensure!(said.contains("pooled least squares leaves 0."), "{said}");
        let moved = page.rect(HANDLE).await?;
        // A driver may take the mouse off the map while keys are pressed.
        page.perform(Gesture::mouse().to(map.at(0.3, 0.26), 0)).await?;
        page.enter("eps", "0.9").await?;
        page.settle().await?;
        ensure!(page.rect(HANDLE).await?.at(0.5, 0.5).x > moved.at(0.5, 0.5).x, "the slider moves the handle");
        // A mouse that rests on the map is told of its own place, the handle of its.
        let (said, read) = (said_by_handle(page).await?, verdict(page).await?);
        ensure!(
            said.contains("alone, client 1 does better") && read.contains("pooled least squares leaves 0."),
            "{said} {read}"
        );
        Ok(())
    });
}

/// What an author has locked holds wherever it can be set.
#[test]
fn a_locked_setting_holds_for_the_handle_and_for_buttons() {
    Story::new().tell(async |page| {
        page.open("embed=1&view=map&q=4&lock=M,alpha&show=eps&alpha=0.004").await?;
        page.focus(HANDLE).await?;
        page.press([Key::Up, Key::Right]).await?;
        page.settle().await?;
        let address: String = page.eval("return location.search;", &[]).await?;
        ensure!(address.contains("eps=") && !address.contains("&M="), "{address}");
        let told = "[...document.querySelectorAll('#app .visually-hidden')].some((p) => p.textContent === 'clients 50: fixed')";
        ensure!(page.is(told).await?, "what is locked is told to those who listen");
        page.open("embed=1&q=4&lock=alpha&alpha=0.004").await?;
        page.wait("a diverging badge", PATIENCE, r#"document.querySelector('#app [data-standing="diverging"]')"#).await?;
        ensure!(page.is("!document.querySelector('#app [data-step]')").await?);
        Ok(())
    });
}

/// Beneath a map lies the scale of its colors, which progress would cover.
#[test]
fn the_progress_of_a_map_is_at_its_top() {
    for screen in Screen::ALL {
        Story::new().on(screen).tell(async |page| {
            for query in ["view=map&q=4", "view=map&q=4&embed=1"] {
                page.open(query).await?;
                let map = page.rect("#app .chart.map").await?;
                let (top, middle) = (map.at(0.5, 0.0).y, map.at(0.5, 0.5).y);
                for part in ["map-progress", "sweep-progress"] {
                    let begin = page.rect(&format!(r#"#app .map-figure [data-testid="{part}"]"#)).await?.top;
                    ensure!((top - 4.0..middle).contains(&begin), "{query} {part} is at {begin}, the map from {top}");
                }
            }
            Ok(())
        });
    }
}

#[test]
fn steps_that_diverge_are_said_on_the_map() {
    Story::new().tell(async |page| {
        page.open("view=map&map=alpha-K&q=4&alpha=0.004").await?;
        let said = verdict(page).await?;
        ensure!(said.contains("FedLin diverges (ρ = ") && said.contains("FedAvg diverges (ρ = "), "{said}");
        page.wait("the dots", PATIENCE, "witness.isInked()").await?;
        Ok(())
    });
}

#[test]
fn the_papers_claims_are_held_against_what_was_measured() {
    Story::new().tell(async |page| {
        page.open("view=paper").await?;
        let claims = page.texts("#app .claims li").await?;
        ensure!(
            claims.iter().any(|claim| claim.contains("about 10 times") && claim.contains("They agree")),
            "{claims:?}"
        );
        page.click(r#"#app .figures label:has(input[value="3"])"#).await?;
        page.settle().await?;
        let (title, notes) = (current(page).await?, page.texts("#app .switch-note").await?);
        ensure!(title.iter().any(|title| title.starts_with("Figure 3")), "{title:?}");
        let steps = &notes[0];
        ensure!(steps.contains("FedLin needs 3") && steps.contains("with the same constant step"), "{steps}");
        let exact = "return [...document.querySelectorAll('#app .paper .readout data')].map((data) => data.value);";
        let before: Vec<String> = page.eval(exact, &[]).await?;
        page.click(r#"#app [data-switch="steps"] label:has(input[value="local"])"#).await?;
        page.settle().await?;
        let after: Vec<String> = page.eval(exact, &[]).await?;
        ensure!(before != after, "{before:?}");
        let address = page.address().await?;
        ensure!(address == "?view=paper&fig=3&steps=local", "{address}");
        Ok(())
    });
}

async fn press_round(page: &Page, label: &str) -> Result<()> {
    const PRESS: &str = "[...document.querySelectorAll('#app .round-buttons button')]\
                         .find((button) => button.textContent === arguments[0]).click();";
    page.eval(PRESS, &[label.into()]).await
}

async fn place(page: &Page) -> Result<String> {
    Ok(page.texts("#app .round-buttons .quiet").await?.concat())
}

#[test]
fn a_round_is_played_in_slow_motion() {
    Story::new().tell(async |page| {
        page.open("K=3&alg=fedavg").await?;
        // Two clicks at once leave it folded, and are one event.
        let summary = "document.querySelector('#app .slow-round summary')";
        page.eval::<()>(&format!("{summary}.click(); {summary}.click();"), &[]).await?;
        page.next_frames().await?;
        page.eval::<()>(&format!("{summary}.click();"), &[]).await?;
        page.wait("the picture", PATIENCE, "document.querySelector('#app .round-box svg')").await?;
        ensure!(place(page).await? == "FedAvg, round 1, 1 of 7", "{}", place(page).await?);
        press_round(page, "Step").await?;
        ensure!(place(page).await? == "FedAvg, round 1, 2 of 7", "{}", place(page).await?);
        press_round(page, "Play").await?;
        page.wait("the end", PATIENCE, "/7 of 7/.test(document.querySelector('#app .round-buttons').textContent)")
            .await?;
        let said = page.texts(r#"#app [data-testid="round-sentence"]"#).await?.concat();
        ensure!(said.starts_with("This is the server’s new model"), "{said}");
        press_round(page, "Next round").await?;
        ensure!(place(page).await? == "FedAvg, round 2, 1 of 7", "{}", place(page).await?);
        press_round(page, "Reset").await?;
        ensure!(place(page).await? == "FedAvg, round 1, 1 of 7", "{}", place(page).await?);
        Ok(())
    });
}

#[test]
fn whoever_wants_no_motion_sees_the_rounds_end() {
    const WATCH: &str = r"
        window.places = new Set();
        const seen = () => {
          const place = /\d of 7/.exec(document.querySelector('#app .slow-round').textContent);
          if (place) places.add(place[0]);
        };
        new MutationObserver(seen).observe(document.querySelector('#app .slow-round'),
          { childList: true, characterData: true, subtree: true });
        document.querySelector('#app .slow-round summary').click();";
    let still = "const match = globalThis.matchMedia; \
                 globalThis.matchMedia = (query) => query.includes('reduced-motion') \
                   ? { matches: true, addEventListener() {}, removeEventListener() {} } : match.call(globalThis, query);";
    Story::new().where_first(still).tell(async |page| {
        page.open("K=3").await?;
        page.eval::<()>(WATCH, &[]).await?;
        page.wait("the end", PATIENCE, "/7 of 7/.test(document.querySelector('#app .round-buttons').textContent)")
            .await?;
        let places: Vec<String> = page.eval("return [...places];", &[]).await?;
        ensure!(!places.iter().any(|place| ("2".."7").contains(&&place[..1])), "it moves: {places:?}");
        Ok(())
    });
}

/// As multiples of pooled least squares' error, as a link or a button wants it: readings, caption and address say so.
#[test]
fn errors_are_shown_as_multiples_on_request() {
    const BUTTON: &str = r#"#app [data-testid="upward"]"#;
    const READ: &str = "
        const readings = [...document.querySelectorAll('#app [data-testid=readout] .reading')];
        return readings.map((reading) => [reading.dataset.role, Number(reading.querySelector('data').value)]);";
    Story::new().tell(async |page| {
        page.open("q=5&K=20").await?;
        let errors: Vec<(String, f64)> = page.eval(READ, &[]).await?;
        let pooled = errors.iter().find(|(role, _)| role == "pooled").map_or(f64::NAN, |(_, error)| *error);
        page.click(BUTTON).await?;
        page.wait("the address to say so", PATIENCE, "location.search.includes('y=pooled')").await?;
        for link in [None, Some("q=5&K=20&y=pooled")] {
            if let Some(link) = link {
                page.open(link).await?;
            }
            let multiples: Vec<(String, f64)> = page.eval(READ, &[]).await?;
            let is_multiple = |(of, error): (&(String, f64), &(String, f64))| {
                of.0 == error.0 && (of.1 * pooled / error.1 - 1.0).abs() < 1e-12
            };
            let are_all = multiples.len() == errors.len() && multiples.iter().zip(&errors).all(is_multiple);
            ensure!(are_all, "{multiples:?} of {errors:?}");
            let caption = page.texts("#app figcaption").await?.concat();
            ensure!(caption.contains("multiples of the error of pooled"), "{caption}");
            let is_pressed =
                page.is("document.querySelector('#app [data-testid=upward]').ariaPressed === 'true'").await?;
            ensure!(is_pressed, "the button is not pressed");
        }
        page.click(BUTTON).await?;
        page.wait("the address to say no more of it", PATIENCE, "!location.search.includes('y=pooled')").await?;
        let again: Vec<(String, f64)> = page.eval(READ, &[]).await?;
        ensure!(again == errors);
        Ok(())
    });
}
