//! Pictures of the page for people to look at: `cargo run -p e2e --bin shots -- FOLDER`.
//!
//! Takes the page in `dist/`, and the driver and its browser from the search path, unless the environment names others.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use e2e::browser::{Browser, Engine, Screen, Tools, Tracing};
use e2e::gesture::{Gesture, Spot};
use e2e::page::Page;
use e2e::site::{Hosting, Site};
use e2e::witness;

/// One picture.
struct Shot {
    name: &'static str,
    query: &'static str,
    screen: Screen,
    look: Look,
    /// Whether the mouse or a finger is on the chart.
    reads: bool,
    /// Whether the page is scrolled down to its cards.
    cards: bool,
}

/// What the page is made to look like.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Light,
    Dark,
    Projector,
}

const FINE: Screen = Screen { pixel_ratio: 2.0, ..Screen::DESK };

const fn shot(name: &'static str, query: &'static str, screen: Screen) -> Shot {
    Shot { name, query, screen, look: Look::Light, reads: false, cards: false }
}

const fn cards(name: &'static str, query: &'static str, screen: Screen) -> Shot {
    Shot { cards: true, ..shot(name, query, screen) }
}

const SHOTS: [Shot; 30] = [
    shot("default", "", Screen::DESK),
    shot("default-2x", "", FINE),
    Shot { look: Look::Dark, ..shot("dark", "", Screen::DESK) },
    Shot { look: Look::Projector, ..shot("projector", "", Screen::DESK) },
    Shot { reads: true, ..shot("hovering", "", Screen::DESK) },
    Shot { reads: true, look: Look::Dark, ..shot("hovering-dark", "", Screen::DESK) },
    shot("diverging", "alpha=0.003", Screen::DESK),
    shot("too-little-data", "N=1&T=2", Screen::DESK),
    shot("bad-link", "M=1e9&K=-3&alpha=abc&foo=1", Screen::DESK),
    shot("more-settings", "schedule=local&start=half&q=10", Screen::DESK),
    shot(
        "every-method",
        "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median&place=clusters&q=10",
        Screen::DESK,
    ),
    Shot {
        look: Look::Dark,
        ..shot("every-method-dark", "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median", Screen::DESK)
    },
    shot("a-million-rounds", "R=1000000&alpha=0.000005&target=worst", Screen::DESK),
    shot("few-take-part", "part=0.1&alg=fedlin,fedavg,scaffold&alpha=0.0005", Screen::DESK),
    shot("more-lines", "w=0.1&lambda=0.5&eps=0.6", Screen::DESK),
    shot("outlier", "place=outlier&eps=1&alg=fedavg,median&M=9", Screen::DESK),
    shot("tablet", "", Screen::TABLET),
    shot("phone", "", Screen::PHONE),
    Shot { reads: true, ..shot("phone-reading", "", Screen::PHONE) },
    shot("phone-diverging", "alpha=0.003", Screen::PHONE),
    Shot { look: Look::Dark, ..shot("phone-dark", "", Screen::PHONE) },
    cards("cards", "", Screen::DESK),
    Shot { look: Look::Dark, ..cards("cards-dark", "", Screen::DESK) },
    Shot { look: Look::Projector, ..cards("cards-projector", "", Screen::DESK) },
    cards("cards-much-heterogeneity", "eps=0.7", Screen::DESK),
    cards("cards-diverging", "alpha=0.003", Screen::DESK),
    cards("cards-ten-thousand-clients", "M=10000&q=2", Screen::DESK),
    cards("cards-drift", "alg=fedavg&K=50&alpha=0.0002&eps=0.4&start=half", Screen::DESK),
    cards("cards-tablet", "N=300&eps=0.05", Screen::TABLET),
    cards("cards-phone", "eps=0.4", Screen::PHONE),
];

fn main() -> Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("which folder? `cargo run -p e2e --bin shots -- FOLDER`")?;
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(take_all(&folder))
}

/// What the environment names, or what is where it usually is.
fn tools() -> Tools {
    Tools::from_environment().unwrap_or_else(|_| Tools {
        engine: Engine::Chromium,
        dist: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist"),
        browser: None,
        driver: "chromedriver".into(),
        screen: None,
    })
}

async fn take_all(folder: &Path) -> Result<()> {
    let tools = tools();
    let site = Site::serve(&tools.dist, Hosting::default()).await?;
    let browser = Browser::start(&tools, site.elsewhere(), Tracing::Off).await?;
    browser.before_every_document(witness::SCRIPT).await?;
    let page = Page::new(browser, site);
    for shot in &SHOTS {
        let file = folder.join(format!("{}.png", shot.name));
        take(&page, shot, &file).await.with_context(|| format!("taking {}", shot.name))?;
        e2e::report(format_args!("{}", file.display()));
    }
    page.close().await
}

async fn take(page: &Page, shot: &Shot, file: &Path) -> Result<()> {
    page.browser().set_screen(shot.screen).await?;
    page.browser().prefer_dark(shot.look == Look::Dark).await?;
    page.open(shot.query).await?;
    let theme = if shot.look == Look::Projector { "projector" } else { "system" };
    page.click(&format!("#app .theme-choice option[value={theme}]")).await?;
    page.eval::<()>("document.activeElement.blur();", &[]).await?;
    let chart = page.rect("#app .chart").await?;
    page.perform(match (shot.reads, shot.screen.touch) {
        (true, false) => Gesture::mouse().to(chart.at(0.3, 0.5), 0),
        (true, true) => Gesture::finger().to(chart.at(0.3, 0.5), 0).down().up(),
        (false, _) => Gesture::mouse().to(Spot { x: 1.0, y: 1.0 }, 0),
    })
    .await?;
    page.settle().await?;
    if shot.cards {
        page.eval::<()>("document.querySelector('#app .theory').scrollIntoView();", &[]).await?;
    }
    page.next_frames().await?;
    fs::write(file, page.browser().driver().screenshot_as_png().await?)?;
    Ok(())
}
