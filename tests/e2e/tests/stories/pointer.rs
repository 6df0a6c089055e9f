//! Mouse and fingers read the chart and move sliders sideways; fingers scroll the page up and down.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::gesture::Gesture;
use e2e::native::Native;
use e2e::page::{Page, slider};
use e2e::story::Story;

#[test]
fn the_mouse_reads_the_chart_while_it_is_there() {
    Story::new().tell(async |page| {
        page.open("").await?;
        let native = Native::of("")?;
        let chart = page.rect("#app .chart").await?;
        let mut last = 0;
        for fraction in [0.2, 0.4, 0.6, 0.75] {
            page.perform(Gesture::mouse().to(chart.at(fraction, 0.5), 0)).await?;
            let round = page.shown().await?.round;
            page.expect(&native, round).await?;
            ensure!(round > last, "further right is a later round: {last}, {round}");
            last = round;
        }
        page.perform(Gesture::mouse().to(chart.at(0.5, 1.0).moved(0.0, 60.0), 0)).await?;
        page.expect(&native, native.n_rounds()).await
    });
}

/// The box at the crosshair stays inside the chart wherever that stands, and markers are as large as letters.
#[test]
fn the_numbers_at_the_crosshair_are_in_sight() {
    const BOX: &str = "
        const box = document.querySelector('#app .cross-box').getBoundingClientRect();
        const chart = document.querySelector('#app .chart').getBoundingClientRect();
        const signs = [...document.querySelectorAll('#app .cross-box .sign')].map((sign) => sign.getBoundingClientRect().height);
        return [box.left - chart.left, chart.right - box.right, signs];";
    Story::new().tell(async |page| {
        for query in [
            "",
            "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median&q=2",
            "embed=1&show=M",
            "view=tradeoff&q=2",
        ] {
            page.open(query).await?;
            for size in [(1280, 800), (390, 844)] {
                page.browser().set_screen(Screen { size, pixel_ratio: 1.0, touch: false }).await?;
                page.next_frames().await?;
                let chart = page.rect("#app .chart").await?;
                for fraction in [0.15, 0.35, 0.5, 0.6] {
                    page.perform(Gesture::mouse().to(chart.at(fraction, 0.5), 0)).await?;
                    let (left, right, signs): (f64, f64, Vec<f64>) = page.eval(BOX, &[]).await?;
                    let what = format!("{query} at {} px, {fraction}: {left}, {right}, {signs:?}", size.0);
                    ensure!(left >= 0.0 && right >= 0.0, "{what}");
                    ensure!(!signs.is_empty() && signs.iter().all(|&height| (5.0..20.0).contains(&height)), "{what}");
                }
            }
        }
        Ok(())
    });
}

fn on_a_phone() -> Story {
    Story::new().on(Screen::PHONE)
}

async fn scrolled(page: &Page) -> Result<f64> {
    page.eval("return scrollY;", &[]).await
}

#[test]
fn a_tap_on_the_chart_reads_it_out() {
    on_a_phone().tell(async |page| {
        page.open("").await?;
        let chart = page.rect("#app .chart").await?;
        page.perform(Gesture::finger().to(chart.at(0.4, 0.5), 0).down().up()).await?;
        let round = page.shown().await?.round;
        ensure!((20..=120).contains(&round), "a tap near the middle reads round {round}");
        ensure!(page.is("!document.querySelector('#app .cross').hidden").await?);
        Ok(())
    });
}

#[test]
fn a_finger_drawn_along_the_chart_reads_on_and_may_be_lifted() {
    on_a_phone().tell(async |page| {
        page.open("").await?;
        let chart = page.rect("#app .chart").await?;
        let (from, to) = (chart.at(0.3, 0.5), chart.at(0.6, 0.5));
        page.perform(Gesture::finger().to(from, 0).down().up()).await?;
        let first = page.shown().await?.round;
        page.perform(Gesture::finger().to(from, 0).down().glide(from, to, 30).up()).await?;
        let last = page.shown().await?.round;
        ensure!(last > first + 30, "from round {first} to round {last}");
        ensure!(page.is("!document.querySelector('#app .cross').hidden").await?, "the numbers left with the finger");
        Ok(())
    });
}

#[test]
fn a_finger_moves_a_slider_sideways() {
    on_a_phone().tell(async |page| {
        page.open("").await?;
        let track = page.rect(&slider("eps")).await?;
        let (from, to) = (track.at(0.25, 0.5), track.at(0.75, 0.5));
        page.perform(Gesture::finger().to(from, 0).down().glide(from, to, 40).up()).await?;
        let value: f64 = page.number("eps").await?.parse()?;
        ensure!((0.65..=0.85).contains(&value), "ε is {value}");
        page.expect_what_is_set().await
    });
}

#[test]
fn a_vertical_swipe_on_a_slider_scrolls_the_page_alone() {
    on_a_phone().tell(async |page| {
        page.open("").await?;
        for key in ["M", "eps", "alpha"] {
            page.eval::<()>("scrollTo(0, 0);", &[]).await?;
            let track = page.rect(&slider(key)).await?;
            let before = (page.number(key).await?, scrolled(page).await?);
            // Not where the thumb is: pressing there alone would move it.
            let from = track.at(0.9, 0.5);
            page.perform(Gesture::finger().to(from, 0).down().glide(from, from.moved(0.0, -200.0), 40).up()).await?;
            page.settle().await?;
            let after = (page.number(key).await?, scrolled(page).await?);
            ensure!(before.0 == after.0, "{key}: a swipe turns {} into {}", before.0, after.0);
            ensure!(after.1 > before.1 + 50.0, "{key}: the page scrolls from {} to {}", before.1, after.1);
        }
        page.expect_what_is_set().await?;
        ensure!(page.query().await?.is_empty());
        Ok(())
    });
}

/// A finger on the map scrolls the page, a tap goes to a place, and the handle is dragged.
#[test]
fn fingers_scroll_over_the_map_and_drag_its_handle() {
    on_a_phone().tell(async |page| {
        page.open("view=map&q=4").await?;
        let now = async || anyhow::Ok((page.number("eps").await?, page.number("M").await?));
        let map = page.rect("#app .map canvas").await?;
        let (before, from) = (now().await?, map.at(0.6, 0.8));
        page.perform(Gesture::finger().to(from, 0).down().glide(from, from.moved(0.0, -150.0), 40).up()).await?;
        page.settle().await?;
        ensure!(now().await? == before, "a swipe turns {before:?} into {:?}", now().await?);
        let n_scrolled = scrolled(page).await?;
        ensure!(n_scrolled > 30.0, "the page scrolls by {n_scrolled}");
        let map = page.rect("#app .map canvas").await?;
        page.perform(Gesture::finger().to(map.at(0.7, 0.4), 0).down().up()).await?;
        page.settle().await?;
        let tapped = now().await?;
        ensure!(tapped.0 != before.0 && tapped.1 != before.1, "a tap leads to {tapped:?}");
        let before_drag = scrolled(page).await?;
        let from = page.rect("#app .handle").await?.at(0.5, 0.5);
        page.perform(Gesture::finger().to(from, 0).down().glide(from, from.moved(-60.0, 60.0), 40).up()).await?;
        page.settle().await?;
        let (eps, m) = now().await?;
        ensure!(
            eps < tapped.0 && m.parse::<u32>()? < tapped.1.parse::<u32>()?,
            "dragged from {tapped:?} to {eps}, {m}"
        );
        page.expect_what_is_set().await?;
        let after_drag = scrolled(page).await?;
        ensure!((after_drag - before_drag).abs() < 2.0, "the handle's drag scrolls from {before_drag} to {after_drag}");
        Ok(())
    });
}

#[test]
fn buttons_move_a_slider_by_one_stop() {
    on_a_phone().tell(async |page| {
        page.open("").await?;
        let nudge = |sign| format!(r#"#app .slider[data-param="M"] .nudge:{sign}-child"#);
        page.click(&nudge("last")).await?;
        ensure!(page.number("M").await? == "51");
        page.click(&nudge("first")).await?;
        page.click(&nudge("first")).await?;
        ensure!(page.number("M").await? == "49");
        page.expect_what_is_set().await
    });
}
