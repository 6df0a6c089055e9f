//! The panel that makes code for other pages.

use anyhow::{Result, ensure};
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use serde_json::{Value, json};
use thirtyfour::Key;

use super::{hosted, story, told, wait_for};

const LINK: &str = "M=20&eps=0.1&K=7&q=4";

/// Opens the panel of a page, and waits for the preview to say its height.
async fn open(page: &Page, query: &str) -> Result<()> {
    page.open(query).await?;
    page.click("#app .menu > summary").await?;
    page.click("#app [popovertarget=embed-panel]").await?;
    page.wait("the preview", PATIENCE, "Number(document.querySelector('.embed-preview iframe')?.height) > 200").await?;
    Ok(())
}

/// Chooses in the form: a box is ticked, a field takes a value.
async fn choose(page: &Page, field: &str, value: &str) -> Result<()> {
    const SCRIPT: &str = r"
        const [css, value] = arguments;
        const field = document.querySelector(`#embed-panel ${css}`);
        if (field.type === 'checkbox' || field.type === 'radio') field.click();
        else { field.value = value; field.dispatchEvent(new Event('change', { bubbles: true })); }";
    page.eval(SCRIPT, &[json!(field), json!(value)]).await
}

async fn code(page: &Page) -> Result<String> {
    page.eval("return document.querySelector('[data-testid=embed-code]').value;", &[]).await
}

/// Puts code on a page of its own: there are the settings and the final errors of the run on screen before.
async fn reproduces(page: &Page, code: &str) -> Result<Value> {
    const SEEN: &str = r"
        const element = document.querySelector('fedsysid-figure');
        const page = (element ? element.shadowRoot : document).querySelector('iframe').contentDocument;
        const controls = [...page.querySelectorAll('.slider, .choice')].filter((control) => control.checkVisibility());
        const names = controls.map((control) => control.dataset.param + (control.inert ? ' fixed' : ''));
        return [page.documentElement.dataset.theme, ...names];";
    hosted(page, code).await?;
    wait_for(page, "fedsysid:result").await?;
    let result = told(page, "fedsysid:result").await?.pop().unwrap_or_default();
    ensure!(
        result["settings"]["M"] == 20 && result["settings"]["K"] == 7 && result["settings"]["eps"] == 0.1,
        "{result}"
    );
    let native = Native::of(LINK)?.readings(200);
    for (error, (role, expected)) in result["errors"].as_array().into_iter().flatten().zip(&native) {
        let is_native =
            error["mean"].as_f64().zip(*expected).is_some_and(|(told, run)| (told / run - 1.0).abs() < 1e-14);
        ensure!(error["role"] == *role && is_native, "{error} is not {role} {expected:?}");
    }
    ensure!(result["errors"].as_array().is_some_and(|errors| errors.len() == native.len()), "{result}");
    page.eval(SEEN, &[]).await
}

/// The code says how high the page in the preview is, once that is as chosen.
const HAS_ITS_HEIGHT: &str = r#"(() => {
    const page = document.querySelector('.embed-preview iframe')?.contentDocument;
    const isDone = page?.documentElement?.dataset.theme === 'dark' && page.querySelector('#app main[data-settled=true]');
    const height = isDone && Math.ceil(page.getElementById('app').getBoundingClientRect().height);
    return isDone && document.querySelector('[data-testid=embed-code]').value.includes(`height="${height}"`);
})()"#;

/// The page in the preview has what it shows.
const HAS_SETTLED: &str =
    "document.querySelector('.embed-preview iframe')?.contentDocument?.querySelector('#app main[data-settled=true]')";

/// From the page to a course page and back to the same numbers.
#[test]
fn its_code_brings_the_view_onto_another_page() {
    story().tell(async |page| {
        open(page, LINK).await?;
        choose(page, "[name=lock][value=K]", "").await?;
        choose(page, "[name=theme]", "dark").await?;
        page.wait("the height of the dark frame", PATIENCE, HAS_ITS_HEIGHT).await?;
        let frame = code(page).await?;
        ensure!(
            frame.starts_with("<iframe src=\"http://127.0.0.1:") && frame.contains("title=\"FedSysID live: Explore\""),
            "{frame}"
        );
        choose(page, "[name=code][value=element]", "").await?;
        let element = code(page).await?;
        ensure!(element.contains("<fedsysid-figure src="), "{element}");
        for code in [frame, element] {
            let seen = reproduces(page, &code).await?;
            ensure!(seen == json!(["dark", "M", "eps", "K fixed"]), "{seen} of {code}");
        }
        Ok(())
    });
}

/// What is looked at, and the menu of its chart's files.
const VIEWS: [(&str, &str); 9] = [
    ("q=2&M=5", "save-explore"),
    ("q=2&R=40&sweep=M:2,9", "save-explore"),
    ("q=2&M=5&view=tradeoff", "save-tradeoff"),
    ("q=2&M=5&view=map", "save-map"),
    ("q=2&M=5&view=map&map=alpha-K", "save-map"),
    ("view=paper&fig=2b", "save-paper"),
    ("q=2&M=4&view=systems", "save-systems"),
    ("view=data", ""),
    ("lesson=floor&step=1", ""),
];

/// The numbers of a file, without what it says of itself.
fn rows(csv: &str) -> Vec<&str> {
    csv.lines().filter(|line| !line.starts_with("# ")).collect()
}

/// Whatever is looked at, its code brings it, with the numbers that it has here.
#[test]
fn the_code_of_every_view_brings_that_view_and_its_numbers() {
    story().tell(async |page| {
        for (query, id) in VIEWS {
            page.open(query).await?;
            let view: String = page.eval("return document.querySelector('#app main').dataset.view;", &[]).await?;
            let here = if id.is_empty() {
                String::new()
            } else {
                page.eval::<()>(&format!("document.querySelector('[popovertarget={id}]').click();"), &[]).await?;
                page.wait("the menu", PATIENCE, &format!("document.querySelector('#{id} [data-act=csv]')")).await?;
                let csv = page.saved_by(&format!("#{id} [data-act=csv]")).await?;
                page.press([Key::Escape]).await?;
                csv
            };
            page.click("#app .menu > summary").await?;
            page.click("#app [popovertarget=embed-panel]").await?;
            page.wait("the preview", PATIENCE, HAS_SETTLED).await?;
            let code = code(page).await?;
            hosted(page, &code.replace(" loading=\"lazy\"", "")).await?;
            let settled =
                "document.querySelector('iframe').contentDocument.querySelector('#app main[data-settled=true]')";
            page.wait("the frame", PATIENCE, settled).await?;
            let seen =
                "return document.querySelector('iframe').contentDocument.querySelector('#app main').dataset.view;";
            ensure!(page.eval::<String>(seen, &[]).await? == view, "{query}: {code} is of another view");
            if !id.is_empty() {
                let ask = "document.querySelector('iframe').contentWindow.postMessage(arguments[0], '*');";
                page.eval::<()>(ask, &[json!({ "type": "fedsysid:export", "format": "csv" })]).await?;
                wait_for(page, "fedsysid:export").await?;
                let there = told(page, "fedsysid:export").await?.pop().unwrap_or_default();
                let there = there["content"].as_str().unwrap_or_default();
                ensure!(
                    rows(&here).len() > 5 && rows(&here) == rows(there),
                    "{query}: {here:.600} is not {there:.600}"
                );
            }
        }
        Ok(())
    });
}

/// Sizes are the preview's too, mistyped origins are named, and a closed panel computes nothing.
#[test]
fn the_preview_is_the_frame() {
    story().tell(async |page| {
        open(page, LINK).await?;
        let entries: u32 = page.eval("return history.length;", &[]).await?;
        choose(page, "[name=width]", "400").await?;
        choose(page, "[name=height]", "300").await?;
        let size = "(({ width, height }) => `${width} ${height}`)(document.querySelector('.embed-preview iframe'))";
        page.wait("the size", PATIENCE, &format!("{size} === '400 300'")).await?;
        let text = code(page).await?;
        ensure!(text.contains("width=\"400\" height=\"300\""), "{text}");
        choose(page, "[name=origin]", "course.example").await?;
        let said = page.texts("#embed-panel .problem").await?.concat();
        ensure!(said.contains("origin = course.example is not among the choices"), "{said}");
        ensure!(
            page.eval::<u32>("return history.length;", &[]).await? == entries,
            "choices are entries of the history"
        );
        page.click("#embed-panel > .dismiss").await?;
        page.wait("no preview", PATIENCE, "document.querySelector('.embed-preview iframe') === null").await?;
        Ok(())
    });
}
