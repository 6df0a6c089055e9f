//! How fast the machine is that stories are told on. Limits of time are those of an ordinary computer; a rented one that shares its
//! memory with others may be a few times slower, and then everything is, this page or any other.

use anyhow::{Result, ensure};

use crate::page::Page;

/// What a browser does while a page comes up, without anything of ours: elements are made of markup, styled and laid out. In
/// milliseconds, the best of many: a browser that has just been started is still busy with itself.
const WORK: &str = r#"
    const once = () => {
        const begun = performance.now();
        const place = document.body.appendChild(document.createElement("div"));
        for (let i = 0; i < 10; i += 1) {
            const rows = Array.from({ length: 200 }, (_, k) => `<p title="${i * k}"><b>${k}</b> of <i>${i}</i></p>`);
            place.innerHTML = rows.join("");
            place.getBoundingClientRect();
        }
        place.remove();
        return performance.now() - begun;
    };
    return Math.min(...Array.from({ length: 25 }, once));"#;

/// How long that takes on an ordinary computer, in milliseconds: on one where the page is up in 0.7 s.
const ORDINARY_MS: f64 = 50.0;

/// Where the machine is this many times slower, no time says anything of the page any more.
const SLOWEST: f64 = 4.0;

/// How many times slower than an ordinary computer this machine is now; at least 1. It leaves the page for an empty one.
///
/// # Errors
/// If nothing could be measured on such a machine.
pub async fn slowness(page: &Page) -> Result<f64> {
    page.browser().driver().goto("about:blank").await?;
    let took: f64 = page.eval(WORK, &[]).await?;
    let slowness = (took / ORDINARY_MS).max(1.0);
    crate::report(format_args!(
        "markup is laid out in {took:.0} ms: limits of time are {slowness:.2} times the ordinary ones"
    ));
    ensure!(
        slowness <= SLOWEST,
        "this machine is {slowness:.1} times slower than an ordinary one: nothing can be measured on it"
    );
    Ok(slowness)
}
