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

const fn screen(width: u32, height: u32, pixel_ratio: f64) -> Screen {
    Screen { size: (width, height), pixel_ratio, touch: false }
}

const DESK: Screen = screen(1440, 900, 1.0);
const FINE: Screen = screen(1440, 900, 2.0);
const TABLET: Screen = Screen { touch: true, ..screen(768, 1024, 2.0) };
const PHONE: Screen = Screen { touch: true, ..screen(390, 844, 3.0) };

const fn shot(name: &'static str, query: &'static str, screen: Screen) -> Shot {
    Shot { name, query, screen, look: Look::Light, reads: false, cards: false }
}

const fn cards(name: &'static str, query: &'static str, screen: Screen) -> Shot {
    Shot { cards: true, ..shot(name, query, screen) }
}

const SHOTS: [Shot; 30] = [
    shot("default", "", DESK),
    shot("default-2x", "", FINE),
    Shot { look: Look::Dark, ..shot("dark", "", DESK) },
    Shot { look: Look::Projector, ..shot("projector", "", DESK) },
    Shot { reads: true, ..shot("hovering", "", DESK) },
    Shot { reads: true, look: Look::Dark, ..shot("hovering-dark", "", DESK) },
    shot("diverging", "alpha=0.003", DESK),
    shot("too-little-data", "N=1&T=2", DESK),
    shot("bad-link", "M=1e9&K=-3&alpha=abc&foo=1", DESK),
    shot("more-settings", "schedule=local&start=half&q=10", DESK),
    shot("every-method", "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median&place=clusters&q=10", DESK),
    Shot {
        look: Look::Dark,
        ..shot("every-method-dark", "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median", DESK)
    },
    shot("a-million-rounds", "R=1000000&alpha=0.000005&target=worst", DESK),
    shot("few-take-part", "part=0.1&alg=fedlin,fedavg,scaffold&alpha=0.0005", DESK),
    shot("more-lines", "w=0.1&lambda=0.5&eps=0.6", DESK),
    shot("outlier", "place=outlier&eps=1&alg=fedavg,median&M=9", DESK),
    shot("tablet", "", TABLET),
    shot("phone", "", PHONE),
    Shot { reads: true, ..shot("phone-reading", "", PHONE) },
    shot("phone-diverging", "alpha=0.003", PHONE),
    Shot { look: Look::Dark, ..shot("phone-dark", "", PHONE) },
    cards("cards", "", DESK),
    Shot { look: Look::Dark, ..cards("cards-dark", "", DESK) },
    Shot { look: Look::Projector, ..cards("cards-projector", "", DESK) },
    cards("cards-much-heterogeneity", "eps=0.7", DESK),
    cards("cards-diverging", "alpha=0.003", DESK),
    cards("cards-ten-thousand-clients", "M=10000&q=2", DESK),
    cards("cards-drift", "alg=fedavg&K=50&alpha=0.0002&eps=0.4&start=half", DESK),
    cards("cards-tablet", "N=300&eps=0.05", TABLET),
    cards("cards-phone", "eps=0.4", PHONE),
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
