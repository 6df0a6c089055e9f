//! The panel that makes code for other pages.

use anyhow::{Result, ensure};
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use serde_json::{Value, json};

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
