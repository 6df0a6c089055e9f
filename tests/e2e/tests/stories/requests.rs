//! Whatever a page asks for anywhere else is noticed, and refused: no story that passes has done so.

use std::time::Instant;

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;

/// By every way that a page has, some of which a policy would not report.
const ASK: &str = r#"
    const ignore = () => {};
    fetch("http://elsewhere.test/fetched", { mode: "no-cors" }).catch(ignore);
    fetch("https://secure.elsewhere.test/", { mode: "no-cors" }).catch(ignore);
    new Image().src = "http://elsewhere.test/drawn";
    navigator.sendBeacon("http://elsewhere.test/told", "");
    const work = "fetch('http://elsewhere.test/by-a-worker', { mode: 'no-cors' }).catch(() => {})";
    new Worker(URL.createObjectURL(new Blob([work])));
    const frame = document.createElement("iframe");
    Object.assign(frame, { sandbox: "allow-scripts", srcdoc: "<script src=http://elsewhere.test/in-a-frame></script>" });
    document.body.append(frame);"#;

const ASKED: [&str; 6] = [
    "http://elsewhere.test/fetched",
    "CONNECT secure.elsewhere.test:443",
    "http://elsewhere.test/drawn",
    "http://elsewhere.test/told",
    "http://elsewhere.test/by-a-worker",
    "http://elsewhere.test/in-a-frame",
];

async fn are_noticed(page: &Page) -> Result<()> {
    let start = Instant::now();
    loop {
        let noticed = page.site().proxied();
        let missing: Vec<_> = ASKED.iter().filter(|asked| !noticed.iter().any(|it| it.ends_with(**asked))).collect();
        if missing.is_empty() {
            return Ok(());
        }
        ensure!(start.elapsed() < PATIENCE, "nobody noticed {missing:?}, only {noticed:?}");
        page.next_frames().await?;
    }
}

#[test]
fn requests_to_anywhere_else_are_noticed() {
    let places = &["elsewhere.test"];
    Story::new().expecting_requests(places).expecting_errors(places).tell(async |page| {
        page.visit_around().await?;
        page.eval::<()>(ASK, &[]).await?;
        are_noticed(page).await
    });
}

/// The story goes wrong if nobody says that the request was to be.
#[test]
#[should_panic(expected = "requests left the page's folder")]
fn a_story_with_a_request_elsewhere_goes_wrong() {
    let story = Story::new().expecting_errors(&["elsewhere.test"]);
    story.tell(async |page| {
        page.visit_around().await?;
        page.eval::<()>("return fetch('http://elsewhere.test/', { mode: 'no-cors' }).then(() => {}, () => {});", &[])
            .await
    });
}
