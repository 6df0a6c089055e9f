//! What theory says is true of the numbers on screen.

use anyhow::{Context, Result, ensure};
use e2e::native::Native;
use e2e::page::Page;
use e2e::story::Story;
use fedsysid::figure::number::{count, measured};
use fedsysid::sim::stats::Running;
use fedsysid::theory::Theory;
use fedsysid::theory::prediction::Prediction;
use thirtyfour::Key;

/// The one text of an element.
async fn said(page: &Page, testid: &str) -> Result<String> {
    let texts = page.texts(&format!(r#"#app [data-testid="{testid}"]"#)).await?;
    texts.into_iter().next().with_context(|| format!("the page has no {testid}"))
}

/// What was to be expected of every number under the chart that has an expectation.
async fn expected(page: &Page) -> Result<Vec<(String, f64)>> {
    const SCRIPT: &str = r#"
        const readings = [...document.querySelectorAll('#app [data-testid="readout"] .reading')];
        return readings.filter((reading) => reading.querySelector("[data-expected]"))
            .map((reading) => [reading.dataset.role, Number(reading.querySelector("[data-expected]").dataset.expected)]);"#;
    page.eval(SCRIPT, &[]).await
}

fn predicted(theory: &Theory, method: usize) -> Result<&Prediction> {
    theory.methods[method].prediction.as_ref().map_err(|&reason| reason.into())
}

/// Whether two numbers are the same but for the last digits: elementary functions differ in those from platform to platform.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// What the page expects after a round is the library's own prediction.
async fn expectations_are_those_of(page: &Page, theory: &Theory, record: usize) -> Result<()> {
    let mean = |method: usize| -> Result<f64> { Ok(predicted(theory, method)?.means[record]) };
    let roles = ["fedlin", "fedavg", "client-alone", "pooled", "mean-of-locals"];
    let values = [mean(0)?, mean(1)?, theory.alone?, theory.pooled?, theory.mean_of_locals?];
    let native: Vec<_> = roles.map(str::to_owned).into_iter().zip(values).collect();
    let shown = expected(page).await?;
    let same = shown.iter().zip(&native).all(|(shown, native)| shown.0 == native.0 && is_same(shown.1, native.1));
    ensure!(shown.len() == native.len() && same, "{shown:?} instead of {native:?}");
    Ok(())
}

#[test]
fn predictions_are_the_librarys_own() {
    Story::new().tell(async |page| {
        for link in ["", "eps=0.6&K=3", "M=7&N=100&R=37&target=mean"] {
            page.open(link).await?;
            let native = Native::of(link)?;
            let theory = native.theory()?;
            expectations_are_those_of(page, &theory, native.n_rounds()).await?;
            ensure!(said_of_curves(page).await?.contains("dashed: predicted"), "{link}: no word of the dashed lines");
            page.focus("#app .explore .chart").await?;
            page.press([Key::Home]).await?;
            expectations_are_those_of(page, &theory, 0).await?;
        }
        Ok(())
    });
}

async fn said_of_curves(page: &Page) -> Result<String> {
    page.texts("#app figcaption").await?.into_iter().next().context("the chart has no caption")
}

/// Where it diverges the badge explains, and its button leads back to where nothing is near the edge.
#[test]
fn a_click_on_the_badge_sets_a_step_that_converges() {
    const BUTTON: &str = r#"#app .badge[data-role="fedavg"] .set-step"#;
    const STANDING: &str = "return document.querySelector('#app .badge[data-role=\"fedavg\"]').dataset.standing;";
    Story::new().tell(async |page| {
        page.open("alpha=0.003").await?;
        let native = Native::of("alpha=0.003")?;
        let fedavg = &native.summary().methods[1];
        let largest = fedavg.largest_step.context("FedAvg has a largest step")?;
        let badge = page.texts(r#"#app .badge[data-role="fedavg"]"#).await?.join("");
        let times = format!("α is {} times the largest", measured(0.003 / largest, 2));
        ensure!(badge.contains(&times) && badge.contains(&measured(largest, 3)), "{times:?} is not in {badge:?}");
        ensure!(page.eval::<String>(STANDING, &[]).await? == "diverging");
        ensure!(!said_of_curves(page).await?.contains("dashed"), "nothing that is predicted is drawn");

        page.click(BUTTON).await?;
        page.expect_what_is_set().await?;
        let step: f64 = page.number("alpha").await?.parse()?;
        ensure!(step <= 0.9 * largest && step > 0.8 * largest, "{step} is no step somewhat below {largest}");
        ensure!(page.eval::<String>(STANDING, &[]).await? == "stable", "there should be no warning any more");
        // Between there and the edge the badge warns, and says where that is.
        page.enter("alpha", &(0.97 * largest).to_string()).await?;
        page.expect_what_is_set().await?;
        ensure!(page.eval::<String>(STANDING, &[]).await? == "near", "so near to the edge there should be a warning");
        let badge = page.texts(r#"#app .badge[data-role="fedavg"]"#).await?.join("");
        let edge = format!("of the largest, {}.", measured(largest, 3));
        ensure!(badge.contains(&edge), "{edge:?} is not in {badge:?}");
        let complaints = page.complaints().await?;
        ensure!(!complaints.iter().any(|complaint| complaint.starts_with("FedAvg diverges")), "{complaints:?}");
        Ok(())
    });
}

/// Who gains and who loses, in words, as dots and, by keys, one by one: all as the simulation has it.
#[test]
fn who_gains_is_true_of_the_clients() {
    Story::new().tell(async |page| {
        for (link, losing) in [("eps=0.05", false), ("eps=0.7", true)] {
            page.open(link).await?;
            let native = Native::of(link)?;
            let gains = native.summary().gains.as_ref().context("gains were asked for")?;
            // The first method is shown until another one is chosen.
            let ratios = gains.ratios(0).context("there are two methods")?;
            let n_gaining = ratios.iter().filter(|ratio| **ratio > 1.0).count();
            ensure!((n_gaining < ratios.len()) == losing, "{link}: {n_gaining} gain");
            let words = said(page, "join-words").await?;
            let opening = format!("{} of {} clients gain with FedLin", count(n_gaining), count(ratios.len()));
            ensure!(words.starts_with(&opening) && words.contains("loses most") == losing, "{opening:?}: {words}");

            page.focus(r#"#app [data-testid="join"]"#).await?;
            for key in [Key::Home, Key::Right, Key::End] {
                page.press([key]).await?;
                a_reading_is_true(page, &gains.alone, &gains.shared[0]).await?;
            }
        }
        Ok(())
    });
}

/// Pressing a dot, by keys or a mouse, shows the error of its client; what is said and the address follow.
#[test]
fn a_dot_that_is_pressed_shows_the_error_of_its_client() {
    const JOIN: &str = r#"#app [data-testid="join"]"#;
    Story::new().tell(async |page| {
        page.open("eps=0.5&q=5").await?;
        let label: String = page.eval("return document.querySelector(arguments[0]).ariaLabel;", &[JOIN.into()]).await?;
        ensure!(label.contains("Enter shows the error of that client."), "{label}");
        page.focus(JOIN).await?;
        page.press([Key::End]).await?;
        let line = page.texts(r#"#app .card:has([data-testid="join"]) .reading-line"#).await?.join("");
        let client: String = line.chars().skip_while(|c| !c.is_numeric()).take_while(|c| c.is_numeric()).collect();
        page.press([Key::Enter]).await?;
        page.expect_what_is_set().await?;
        let readout = page.texts(r#"#app [data-testid="readout"] dt"#).await?;
        ensure!(readout.contains(&format!("client {client} alone")), "client {client}: {readout:?}");
        ensure!(page.number("client").await? == client);
        let ends = page.texts("#app .card:has([data-testid='join']) .ends").await?.join("");
        ensure!(ends.contains(&format!("ringed: client {client}")), "{ends}");
        page.click(JOIN).await?;
        page.expect_what_is_set().await?;
        ensure!(page.number("client").await? != client, "the middle of the strip is another client's");
        Ok(())
    });
}

async fn a_reading_is_true(page: &Page, alone: &[Running], shared: &[Running]) -> Result<()> {
    let line = page.texts(r#"#app .card:has([data-testid="join"]) .reading-line"#).await?.join("");
    let client =
        line.strip_prefix("client ").and_then(|rest| rest.split(':').next()).context("no client is read out")?;
    let client = client.parse::<usize>()? - 1;
    let (alone, shared) = (alone[client].mean(), shared[client].mean());
    let errors = format!("{} alone, {} shared", measured(alone, 3), measured(shared, 3));
    let verb = if alone > shared { "gains" } else { "loses" };
    ensure!(line.contains(&errors) && line.contains(verb), "{errors:?} and {verb:?} are not in {line:?}");
    ensure!(page.is("document.querySelector('#app .dots .chosen')").await?, "the dot is not marked");
    Ok(())
}

/// The shares are those of the prediction, also of the method that is chosen.
#[test]
fn the_anatomy_is_that_of_the_prediction() {
    const SHARES: &str = r"
        return [...document.querySelectorAll('#app .cause data')].map((data) => Number(data.value));";
    Story::new().tell(async |page| {
        let link = "eps=0.2&K=50&alpha=0.0002";
        page.open(link).await?;
        let theory = Native::of(link)?.theory()?;
        for (name, method) in [("FedLin", 0), ("FedAvg", 1)] {
            if method == 1 {
                page.focus("#app .methods").await?;
                page.type_text(name).await?;
            }
            let parts = predicted(&theory, method)?.parts.last().context("there is a last round")?;
            let expected = [parts.noise, parts.bias, parts.drift, parts.transient].map(|part| part / parts.total());
            let shown: Vec<f64> = page.eval(SHARES, &[]).await?;
            let same = shown.iter().zip(expected).all(|(shown, expected)| is_same(*shown, expected));
            ensure!(shown.len() == 4 && same, "{name}: {shown:?} instead of {expected:?}");
        }
        Ok(())
    });
}

#[test]
fn the_badge_says_whether_the_hypothesis_holds() {
    Story::new().tell(async |page| {
        for (link, holds) in [("", false), ("N=187", false), ("N=188", true)] {
            page.open(link).await?;
            let theory = Native::of(link)?.theory()?;
            let theorem1 = theory.theorem1().context("there is a bound")?;
            ensure!(theorem1.holds() == holds);
            let marked = format!("document.querySelector('#app .hypothesis').dataset.holds === '{holds}'");
            ensure!(page.is(&marked).await?, "{link}: the badge is marked otherwise");
            let words = said(page, "hypothesis").await?;
            ensure!(words.contains(if holds { "holds" } else { "not met" }), "{words}");
            let bound = said(page, "bound-words").await?;
            ensure!(bound.contains(&measured(theorem1.bound(), 3)), "{bound}");
        }
        Ok(())
    });
}

/// On a wide screen the cards are free of the chart, and the sliders stay beside them.
#[test]
fn cards_can_be_read_beside_the_sliders() {
    const OVERLAP: &str = r"
        document.querySelector('#app .theory').scrollIntoView();
        const box = (css) => document.querySelector(css).getBoundingClientRect();
        const [chart, cards, slider] = ['#app .explore', '#app .theory', '#app .slider'].map(box);
        return [cards.top - chart.bottom, slider.top, innerHeight - slider.bottom];";
    Story::new().tell(async |page| {
        page.open("").await?;
        let room: Vec<f64> = page.eval(OVERLAP, &[]).await?;
        ensure!(room.iter().all(|room| *room >= 0.0), "the chart lies over the cards, or sliders are gone: {room:?}");
        Ok(())
    });
}
