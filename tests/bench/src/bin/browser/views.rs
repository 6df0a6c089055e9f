//! Times the page's own views in the page, from a press to the result on the screen.

use anyhow::{Result, ensure};
use e2e::browser::{Browser, Tools, Tracing};
use e2e::page::Page;
use e2e::site::{Hosting, Site};
use serde::Deserialize;

/// Presses controls and waits for the results in the page itself: messages of a driver take milliseconds.
const SCRIPT: &str = r##"
    const root = document.querySelector("#app main");
    const turn = () => new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); resolve(); };
      port2.postMessage(null);
    });
    const until = async (isSo) => { do { await turn(); } while (!isSo()); };
    const press = async (css, isSo) => {
      const from = performance.now();
      document.querySelector(css).click();
      // What a press asks for is asked for by the time the next task begins.
      await turn();
      await until(isSo);
      return performance.now() - from;
    };
    const isSettled = () => root.dataset.settled === "true";
    const figure = (word) => `#app .figures input[value="${word}"]`;
    const first_curve = await press('#app .tab[data-view="paper"]', () => root.querySelector(".paper .readout dd data"));
    let figure_1 = first_curve + await press("#app h1", isSettled);
    for (const word of ["1b", "1c"]) figure_1 += await press(figure(word), isSettled);
    const trade_off = await press('#app .tab[data-view="tradeoff"]', isSettled);
    return { first_curve, figure_1, trade_off };"##;

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Views {
    /// Until the first curve of the paper's Figure 1(a).
    pub(crate) first_curve: f64,
    /// Until all 15 curves of Figures 1(a), (b) and (c).
    pub(crate) figure_1: f64,
    /// Until all 15 points of the trade-off over ε, with the settings of a new page.
    pub(crate) trade_off: f64,
}

/// The best times of `turns` fresh pages, which share no state.
pub(crate) async fn timed(tools: &Tools, turns: usize) -> Result<Views> {
    let site = Site::serve(&tools.dist, Hosting::default()).await?;
    let page = Page::new(Browser::start(tools, site.elsewhere(), Tracing::Off).await?, site);
    let timed = best(&page, turns).await;
    let ended = page.close().await;
    timed.and_then(|timed| ended.map(|()| timed))
}

async fn best(page: &Page, turns: usize) -> Result<Views> {
    let mut best = Views { first_curve: f64::INFINITY, figure_1: f64::INFINITY, trade_off: f64::INFINITY };
    for _ in 0..turns {
        page.open("").await?;
        let now: Views = page.eval(SCRIPT, &[]).await?;
        best = Views {
            first_curve: best.first_curve.min(now.first_curve),
            figure_1: best.figure_1.min(now.figure_1),
            trade_off: best.trade_off.min(now.trade_off),
        };
    }
    ensure!(best.first_curve < best.figure_1, "a curve comes before all of them: {best:?}");
    Ok(best)
}
