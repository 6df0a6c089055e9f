//! The page in a frame of another one.

mod element; // the custom element, and the docs' example of it
mod examples; // what the docs show, word for word
mod heights; // frames that take their height from the page
mod many; // several frames, frames out of sight, frames born hidden
mod messages; // of every shape and number, and what none of them brings out
mod panel; // the code that the page makes for others

use anyhow::{Result, ensure};
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use serde_json::{Value, json};

/// The page around is no page of ours, and has no icon.
fn story() -> Story {
    Story::new().expecting_errors(&["favicon.ico"])
}

/// A page around the page: it keeps what it is told.
async fn framed(page: &Page, query: &str, width: u32) -> Result<()> {
    const SCRIPT: &str = r"
        const [query, width] = arguments;
        document.documentElement.innerHTML = '<body></body>';
        window.told = [];
        addEventListener('message', ({ data }) => told.push(data));
        const frame = document.createElement('iframe');
        Object.assign(frame, { id: 'frame', src: `./${query}`, width, height: 240 });
        frame.style.border = 0;
        document.body.append(frame);";
    page.visit_around().await?;
    page.eval::<()>(SCRIPT, &[json!(format!("?{query}")), json!(width)]).await?;
    wait_for(page, "fedsysid:ready").await
}

/// A page around the page, of any markup: it keeps what it is told, and by which of its frames. (A file beside the page that is
/// no HTML would not do: elements have no scripts there.)
async fn hosted(page: &Page, body: &str) -> Result<()> {
    const HEAD: &str = r"<!doctype html><meta charset=utf-8><title>a course</title><script>
        window.told = [];
        addEventListener('message', ({ source, data }) => {
          const frames = [...document.querySelectorAll('iframe, fedsysid-figure')];
          const from = frames.findIndex((it) => (it.shadowRoot?.querySelector('iframe') ?? it).contentWindow === source);
          told.push({ ...data, from });
        });
        window.entries = history.length;
        </script>";
    const GO: &str = "location.href = URL.createObjectURL(new Blob([arguments[0]], { type: 'text/html' }));";
    page.visit_around().await?;
    let base = page.site().url("");
    let document = format!("{HEAD}<base href='{base}'><body>{body}</body>");
    page.eval::<()>(GO, &[json!(page.site().witnessed(&document))]).await?;
    page.wait("the page around", PATIENCE, "location.protocol === 'blob:' && document.readyState === 'complete'")
        .await
        .map(drop)
}

async fn wait_for(page: &Page, kind: &str) -> Result<()> {
    page.wait(kind, PATIENCE, &format!("told.some(({{ type }}) => type === {kind:?})")).await.map(drop)
}

/// What the page has said of one kind, oldest first.
async fn told(page: &Page, kind: &str) -> Result<Vec<Value>> {
    page.eval("return told.filter(({ type }) => type === arguments[0]);", &[json!(kind)]).await
}

async fn say(page: &Page, message: Value) -> Result<()> {
    page.eval("told.length = 0; frame.contentWindow.postMessage(arguments[0], '*');", &[message]).await
}

/// Something inside of the frame.
async fn inside(page: &Page, expression: &str) -> Result<Value> {
    page.eval(&format!("const document = frame.contentDocument; return {expression};"), &[]).await
}

#[test]
fn a_compact_page_has_what_its_author_wants() {
    story().tell(async |page| {
        framed(page, "embed=1&show=eps,M&lock=K&M=20", 640).await?;
        wait_for(page, "fedsysid:result").await?;
        let seen = "[...document.querySelectorAll('.slider, .choice')].filter((c) => c.checkVisibility())";
        let keys =
            inside(page, &format!("{seen}.map((control) => control.dataset.param + (control.inert ? ' fixed' : ''))"))
                .await?;
        ensure!(keys == json!(["M", "eps", "K fixed"]), "{keys}");
        for gone in [".top-bar", ".presets", ".theory", ".pins", ".changes", ".verdict"] {
            let visible =
                inside(page, &format!("Boolean(document.querySelector('#app {gone}')?.checkVisibility())")).await?;
            ensure!(visible == json!(false), "{gone} is there");
        }
        let full = inside(page, "document.querySelector('.frame-foot a').href").await?;
        ensure!(full == json!(page.site().url("?M=20")), "{full}");
        ensure!(page.is("history.length <= 2 && document.activeElement === document.body").await?);
        Ok(())
    });
}

/// An address of the page, pasted into a frame as it is.
#[test]
fn a_page_in_a_frame_is_compact_unless_its_address_says_otherwise() {
    story().tell(async |page| {
        for (query, is_compact) in
            [("q=2&M=20", true), ("embed=0&q=2&M=20", false), ("Embed=+0&q=2&M=20", false), ("embed=x&q=2&M=20", false)]
        {
            framed(page, query, 640).await?;
            wait_for(page, "fedsysid:result").await?;
            let theirs = "document.documentElement.hasAttribute('data-embed')";
            ensure!(inside(page, theirs).await? == json!(is_compact), "{query}");
            let foot = inside(page, "document.querySelector('.frame-foot a') !== null").await?;
            ensure!(foot == json!(is_compact), "boot.js and the program differ about {query}");
            if !is_compact {
                continue;
            }
            ensure!(inside(page, "document.querySelectorAll('.tab').length").await? == json!(7));
            let keys = "[...document.querySelectorAll('.slider')].filter((c) => c.checkVisibility()).map((c) => c.dataset.param)";
            ensure!(inside(page, keys).await? == json!(["M", "eps"]));
            inside(page, "(document.querySelector('[data-param=eps] .nudge:last-child').click(), null)").await?;
            let full = "document.querySelector('.frame-foot a').href";
            page.wait("the link", PATIENCE, &format!("(({{ contentDocument: document }}) => {full}.includes('eps='))(frame)"))
                .await?;
            let full: String = serde_json::from_value(inside(page, full).await?)?;
            // At full size it is whole, in the same state.
            page.browser().driver().goto(&full).await?;
            page.settle().await?;
            ensure!(page.is("document.querySelector('#app .theory, #app .presets') !== null").await?, "{full} is not whole");
            let draft = page.draft().await?.to_query();
            ensure!(full.ends_with(&format!("?{draft}")) && draft.starts_with("M=20&eps="), "{full} leads to {draft}");
        }
        Ok(())
    });
}

/// A link that names who may speak is deaf to everybody else.
#[test]
fn only_origins_that_the_link_names_are_heard() {
    const ARRIVAL: &str = "window.has_arrived = false; \
                           frame.contentWindow.addEventListener('message', () => { window.has_arrived = true; });";
    const FULL: &str = "document.querySelector('.frame-foot a').href";
    story().tell(async |page| {
        let own: String = page.site().url("").trim_end_matches('/').to_owned();
        for (origin, is_heard) in [("https://course.example", false), (own.as_str(), true)] {
            framed(page, &format!("embed=1&show=M&q=4&M=20&origin={origin}"), 480).await?;
            wait_for(page, "fedsysid:result").await?;
            page.eval::<()>(ARRIVAL, &[]).await?;
            say(page, json!({ "type": "fedsysid:set", "version": 1, "settings": { "eps": 0.1 } })).await?;
            page.wait("the message", PATIENCE, "window.has_arrived").await?;
            // What is done by hand afterwards is in the link, and so is what the message has set, if anything.
            inside(page, "(document.querySelector('[data-param=M] .nudge:last-child').click(), null)").await?;
            let is_in_link = format!("(({{ contentDocument: document }}) => !{FULL}.includes('?M=20&'))(frame)");
            page.wait("the change in the link", PATIENCE, &is_in_link).await?;
            let full: String = serde_json::from_value(inside(page, FULL).await?)?;
            ensure!(full.contains("eps=0.1") == is_heard, "{origin}: {full}");
        }
        Ok(())
    });
}

#[test]
fn the_two_pages_talk() {
    story().tell(async |page| {
        framed(page, "embed=1&show=eps&q=4&M=20", 480).await?;
        wait_for(page, "fedsysid:result").await?;
        say(
            page,
            json!({ "type": "fedsysid:set", "version": 1, "instance": "a", "settings": { "eps": 0.1, "K": 1e9 } }),
        )
        .await?;
        wait_for(page, "fedsysid:result").await?;
        let changed = told(page, "fedsysid:changed").await?;
        ensure!(
            changed.len() == 1 && changed[0]["by"] == "program" && changed[0]["link"] == "M=20&eps=0.1&K=100&q=4",
            "{changed:?}"
        );
        let problems = told(page, "fedsysid:error").await?;
        ensure!(problems[0]["problems"] == json!(["K = 1000000000 is out of range: allowed 1 to 100, using 100"]));
        ensure!(problems[0]["instance"] == "a", "{problems:?}");
        let result = told(page, "fedsysid:result").await?.pop().unwrap_or_default();
        let native = Native::of("M=20&eps=0.1&K=100&q=4")?.readings(200);
        // WebDriver's numbers are read to the last bit but one.
        let is_native = result["errors"][0]["mean"]
            .as_f64()
            .zip(native[0].1)
            .is_some_and(|(told, run)| (told / run - 1.0).abs() < 1e-14);
        ensure!(is_native && result["complete"] == true, "{result}");
        say(page, json!({ "type": "fedsysid:export", "format": "csv" })).await?;
        wait_for(page, "fedsysid:export").await?;
        let content = told(page, "fedsysid:export").await?[0]["content"].to_string();
        ensure!(content.contains("FedSysID live") && content.contains("eps = 0.1"), "{content}");
        say(page, json!({ "type": "fedsysid:reset" })).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(told(page, "fedsysid:changed").await?[0]["link"] == "M=20&q=4");
        say(page, json!({ "type": "fedsysid:subscribe", "to": [] })).await?;
        inside(page, "(document.querySelector('[data-param=eps] .nudge:last-child').click(), null)").await?;
        say(page, json!({ "type": "fedsysid:get" })).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(told(page, "fedsysid:changed").await?.is_empty());
        Ok(())
    });
}

/// Five hundred settings from another frame, and as many garbled ones from the right place.
const FORGE: &str = r#"
            told.length = 0;
            const forger = document.createElement('iframe');
            document.body.append(forger);
            const target = frame.contentWindow;
            const forged = forger.contentWindow.document.createElement('script');
            forged.textContent = `for (let i = 0; i < 500; i += 1) parent.frame.contentWindow.postMessage({ type: "fedsysid:set", settings: { M: i + 1 } }, "*");`;
            forger.contentWindow.document.body.append(forged);
            const garbled = [null, 0, "fedsysid:set", [], {}, { type: 5 }, { type: "other" }, { type: "fedsysid:" }, { type: "fedsysid:set" },
              { type: "fedsysid:set", settings: 7 }, { type: "fedsysid:set", settings: [1] }, { type: "fedsysid:set", version: "x", settings: { M: 3 } },
              { type: "fedsysid:set", instance: {}, settings: { M: 3 } }, { type: "fedsysid:subscribe", to: "all" }, { type: "fedsysid:export", format: {} },
              { type: "fedsysid:set", settings: { constructor: 1, __proto__x: 2, "": 3, M: null } }, new Uint8Array(9), new Date(), new Map([["type", 1]])];
            for (let i = 0; i < 500; i += 1) target.postMessage(garbled[i % garbled.length], "*");
            target.postMessage({ type: "fedsysid:get", instance: "last" }, "*");"#;

/// Forged messages come from another frame, garbled ones from the right place.
#[test]
fn forged_and_garbled_messages_change_nothing() {
    story().tell(async |page| {
        framed(page, "embed=1&q=2&M=20", 480).await?;
        wait_for(page, "fedsysid:result").await?;
        page.eval::<()>(FORGE, &[]).await?;
        page.wait(
            "the answer to the last",
            PATIENCE,
            "told.some(({ type, instance }) => type === 'fedsysid:result' && instance === 'last')",
        )
        .await?;
        ensure!(told(page, "fedsysid:changed").await?.is_empty());
        let result = told(page, "fedsysid:result").await?;
        ensure!(result.iter().all(|result| result["settings"]["M"] == 20), "{result:?}");
        Ok(())
    });
}

/// At its defaults the page has a picture before it computes anything.
#[test]
fn a_resting_page_shows_its_picture_and_how_to_begin() {
    const BUTTON: &str = "document.querySelector('.cover > span')";
    story().tell(async |page| {
        framed(page, "embed=1&autorun=0", 480).await?;
        page.next_frames().await?;
        let seen =
            inside(page, &format!("frame.contentWindow.getComputedStyle({BUTTON}).visibility === 'visible'")).await?;
        let picture =
            inside(page, "[...document.querySelectorAll('#shell .chart svg')].some((svg) => svg.checkVisibility())")
                .await?;
        ensure!((seen, picture) == (json!(true), json!(true)));
        ensure!(inside(page, &format!("{BUTTON}.textContent")).await? == json!("Compute this figure"));
        inside(page, &format!("({BUTTON}.click(), null)")).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(inside(page, "document.querySelector('#shell, .cover') === null").await? == json!(true));
        Ok(())
    });
}

/// Whoever asks for what the page began with gets it, as with other settings.
#[test]
fn a_resting_page_computes_when_it_is_reset() {
    story().tell(async |page| {
        framed(page, "embed=1&autorun=0&q=2&M=5", 480).await?;
        say(page, json!({ "type": "fedsysid:reset" })).await?;
        wait_for(page, "fedsysid:result").await.map(drop)
    });
}

#[test]
fn a_resting_page_computes_when_it_is_touched() {
    story().tell(async |page| {
        framed(page, "embed=1&autorun=0&q=2&M=5", 480).await?;
        page.next_frames().await?;
        ensure!(told(page, "fedsysid:result").await?.is_empty());
        let press = |key: &str| {
            format!("(document.activeElement.dispatchEvent(new frame.contentWindow.KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }})), null)")
        };
        inside(page, &press("Tab")).await?;
        inside(page, "(document.querySelector('.cover').focus(), null)").await?;
        page.next_frames().await?;
        ensure!(inside(page, "document.querySelector('.cover').checkVisibility()").await? == json!(true), "a key leads past it");
        inside(page, &press("Enter")).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(inside(page, "document.querySelector('.cover') === null").await? == json!(true));
        ensure!(inside(page, "document.activeElement.matches('.chart')").await? == json!(true), "the focus is lost");
        Ok(())
    });
}
