//! Messages of every shape, in any number, and what no message may bring out.

use std::time::Instant;

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page};
use serde_json::json;

use super::{framed, inside, say, story, told, wait_for};

/// Values of every kind that a message can carry, as expressions.
const VALUES: [&str; 24] = [
    "null",
    "undefined",
    "true",
    "NaN",
    "-Infinity",
    "10n",
    "'x'.repeat(5_000_000)",
    "'\\u0000\\ud800'",
    "[]",
    "{}",
    "Array.from({ length: 1_000 }).reduce((inner) => [inner], 1)",
    "Array.from({ length: 1_000 }).reduce((inner) => ({ inner }), 1)",
    "(() => { const round = {}; round.round = [round]; return round; })()",
    "new Array(1_000_000)",
    "Object.fromEntries(Array.from({ length: 20_000 }, (_, place) => [' '.repeat(place % 50) + 'M', place]))",
    "JSON.parse('{\"__proto__\": { \"M\": 3 }, \"constructor\": { \"prototype\": { \"M\": 3 } }}')",
    "Object.defineProperty({}, 'M', { get: () => 3 })",
    "new Map([['M', 3]])",
    "new Set(['M'])",
    "new Uint8Array(2_000_000)",
    "new Date()",
    "/M/",
    "new Error('M')",
    "new Blob(['M'])",
];

/// Sends every value as a message, as every part of a message, and as a setting's value.
const SEND: &str = r#"
    told.length = 0;
    const send = (message) => frame.contentWindow.postMessage(message, "*");
    for (const words of arguments[0]) {
      const value = eval(`(${words})`);
      send(value);
      for (const part of ["type", "version", "instance", "settings", "format", "to"]) {
        for (const kind of ["set", "export", "subscribe", "fly"]) {
          // What does set something is tried below.
          if (part !== "settings") send({ type: `fedsysid:${kind}`, format: "doc", to: ["all"], [part]: value });
        }
      }
      send({ type: "fedsysid:set", settings: { [`no${words.length}`]: value } });
      send({ type: "fedsysid:set", settings: { theme: value, "": value } });
    }
    send({ type: "fedsysid:get", instance: "last" });"#;

async fn wait_for_last(page: &Page) -> Result<()> {
    let is_last = "told.some(({ type, instance }) => type === 'fedsysid:result' && instance === 'last')";
    page.wait("the answer to the last", PATIENCE, is_last).await.map(drop)
}

#[test]
fn no_value_in_a_message_changes_or_breaks_anything() {
    story().tell(async |page| {
        framed(page, "embed=1&q=2&M=20", 480).await?;
        wait_for(page, "fedsysid:result").await?;
        page.eval::<()>(SEND, &[json!(VALUES)]).await?;
        wait_for_last(page).await?;
        ensure!(told(page, "fedsysid:changed").await?.is_empty());
        let longest = "Math.max(...told.map((message) => JSON.stringify(message).length))";
        ensure!(page.is(&format!("{longest} < 20_000")).await?, "what is answered grows with what is sent");
        let result = told(page, "fedsysid:result").await?;
        ensure!(result.iter().all(|result| result["settings"]["M"] == 20 && result["complete"] == true), "{result:?}");
        // It goes on, where it is told again of what some of these took it off.
        say(page, json!({ "type": "fedsysid:subscribe", "to": ["changed", "result"] })).await?;
        say(page, json!({ "type": "fedsysid:set", "settings": { "M": 30 } })).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(told(page, "fedsysid:changed").await?[0]["link"] == "M=30&q=2");
        Ok(())
    });
}

/// Thousands at once: each is answered, and the last one holds.
#[test]
fn floods_are_answered() {
    const FLOOD: &str = r#"
        told.length = 0;
        const [kind, n] = arguments;
        for (let place = 1; place <= n; place += 1) {
          const message = { type: `fedsysid:${kind}`, instance: `${place}`, format: "csv", to: ["result"], settings: { M: 1 + (place % 50), eps: 0.1 } };
          frame.contentWindow.postMessage(message, "*");
        }
        frame.contentWindow.postMessage({ type: "fedsysid:get", instance: "last" }, "*");"#;
    story().tell(async |page| {
        framed(page, "embed=1&q=2&M=5&R=20", 480).await?;
        wait_for(page, "fedsysid:result").await?;
        for (kind, n) in [("get", 10_000), ("subscribe", 10_000), ("set", 2_000), ("export", 300)] {
            let begin = Instant::now();
            page.eval::<()>(FLOOD, &[json!(kind), json!(n)]).await?;
            wait_for_last(page).await?;
            e2e::report(format_args!("{n} {kind}: {} ms", begin.elapsed().as_millis()));
            if matches!(kind, "get" | "export") {
                // Besides, the frame tells of what the messages before have led to.
                let answered = format!(
                    "new Set(told.map(({{ instance }}) => instance).filter((it) => it >= 1 && it <= {n})).size === {n}"
                );
                page.wait("an answer to each", PATIENCE, &answered).await?;
            }
        }
        page.wait("the last to hold", PATIENCE, "frame.contentDocument.querySelector('#app main[data-settled=true]')")
            .await?;
        say(page, json!({ "type": "fedsysid:get" })).await?;
        wait_for(page, "fedsysid:result").await?;
        let result = told(page, "fedsysid:result").await?.pop().unwrap_or_default();
        ensure!(
            result["settings"]["M"] == 1 && result["settings"]["eps"] == 0.1 && result["complete"] == true,
            "{result}"
        );
        Ok(())
    });
}

/// Draws by keys in the frame, and has the run be shown.
const FORETELL: &str = r#"
    const { contentDocument: document, contentWindow: { KeyboardEvent } } = frame;
    for (const handle of document.querySelectorAll('.guess-handle')) {
      handle.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, cancelable: true }));
    }"#;
const SHOW: &str = "[...frame.contentDocument.querySelectorAll('[data-testid=lesson] button')].find((b) => b.textContent.trim() === 'Show the run')";

/// What a lesson has its reader foretell no message brings out, before it is shown.
#[test]
fn what_is_to_be_foretold_is_told_to_no_page_around() {
    story().tell(async |page| {
        framed(page, "embed=1&lesson=floor", 640).await?;
        let settled = "frame.contentDocument.querySelector('#app main[data-settled=true][data-veiled]')";
        page.wait("the run behind the veil", PATIENCE, settled).await?;
        ensure!(told(page, "fedsysid:result").await?.is_empty(), "a veiled run was told");
        for topic in [json!(["result"]), json!(["changed", "result"])] {
            say(page, json!({ "type": "fedsysid:subscribe", "to": topic })).await?;
            for format in ["csv", "json", "svg"] {
                page.eval::<()>(
                    "frame.contentWindow.postMessage({ type: 'fedsysid:export', format: arguments[0] }, '*');",
                    &[json!(format)],
                )
                .await?;
            }
            page.eval::<()>("frame.contentWindow.postMessage({ type: 'fedsysid:get', instance: 'last' }, '*');", &[])
                .await?;
            wait_for_last(page).await?;
            ensure!(told(page, "fedsysid:export").await?.is_empty(), "a veiled chart was sent");
            let problems = told(page, "fedsysid:error").await?;
            ensure!(problems.len() == 3, "{problems:?}");
            ensure!(
                problems
                    .iter()
                    .all(|told| told["problems"][0].as_str().is_some_and(|it| it.starts_with("Hidden until")))
            );
            let results = told(page, "fedsysid:result").await?;
            ensure!(
                results.iter().all(|result| result["complete"] == false && result["errors"] == json!([])),
                "{results:?}"
            );
        }
        page.eval::<()>("told.length = 0;", &[]).await?;
        page.eval::<()>(FORETELL, &[]).await?;
        page.wait("a drawing", PATIENCE, &format!("{SHOW}?.disabled === false")).await?;
        inside(page, &format!("({SHOW}.click(), null)")).await?;
        wait_for(page, "fedsysid:result").await?;
        let result = told(page, "fedsysid:result").await?.pop().unwrap_or_default();
        ensure!(
            result["complete"] == true && result["errors"].as_array().is_some_and(|errors| !errors.is_empty()),
            "{result}"
        );
        Ok(())
    });
}
