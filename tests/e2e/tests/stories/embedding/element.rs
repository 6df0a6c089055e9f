//! The custom element, as scripts of other pages use it.

use anyhow::{Context, Result, ensure};
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use serde_json::{Value, json};

use super::{hosted, story, told};

const DOCS: &str = include_str!("../../../../../docs/embedding.md");

/// The example that the documentation gives, as it stands there.
fn example() -> Result<&'static str> {
    let (_, rest) = DOCS.split_once("<!-- example -->\n```html\n").context("the docs have no example")?;
    Ok(rest.split_once("```").context("the example has no end")?.0)
}

/// The final errors of a run natively, as the example writes them.
fn final_errors(link: &str) -> Result<Vec<f64>> {
    Ok(Native::of(link)?.readings(200).into_iter().filter_map(|(_, error)| error).collect())
}

#[test]
fn the_example_in_the_docs_reads_the_final_errors() {
    story().tell(async |page| {
        ensure!(example()?.lines().count() == 10, "it is said to be of ten lines: {}", example()?);
        hosted(page, example()?).await?;
        let expected = final_errors("M=20&q=4&eps=0.1")?;
        let numbers = "(document.getElementById('read').textContent.match(/(?<=: )[0-9.e-]+/g) ?? []).map(Number)";
        let is_native = format!(
            "{numbers}.length === {} && {numbers}.every((it, place) => Math.abs(it / {}[place] - 1) < 1e-14)",
            expected.len(),
            json!(expected)
        );
        page.wait("the native errors", PATIENCE, &is_native).await?;
        Ok(())
    });
}

/// A page with an element that is ready, and what it tells as events.
async fn with_element(page: &Page, attributes: &str) -> Result<()> {
    let body = format!(
        "<script src='fedsysid-figure.js'></script><fedsysid-figure id=figure {attributes}><a href='./'>a link</a></fedsysid-figure>
         <script>window.heard = []; for (const kind of ['ready', 'changed', 'result', 'height', 'error'])
           document.addEventListener(`fedsysid-${{kind}}`, ({{ target, detail }}) => heard.push([target.id, kind, detail]));</script>"
    );
    hosted(page, &body).await?;
    page.wait("a result", PATIENCE, "heard.some(([, kind]) => kind === 'result')").await.map(drop)
}

#[test]
fn an_element_is_set_and_read_by_scripts() {
    story().tell(async |page| {
        with_element(page, "M=20 q=4 eps=0.3 show=eps").await?;
        let kinds: Vec<String> = page.eval("return heard.map(([id, kind]) => `${id} ${kind}`);", &[]).await?;
        ensure!(["figure ready", "figure height", "figure result"].iter().all(|kind| kinds.iter().any(|it| it == kind)), "{kinds:?}");
        ensure!(page.is("figure.parameters.some(({ key }) => key === 'eps') && figure.settings.M === 20").await?);
        let fits = "(({ style, clientHeight }) => style.height === `${clientHeight}px`)(figure.shadowRoot.querySelector('iframe'))";
        ensure!(page.is(fits).await?, "it is not as high as it needs to be");
        let result: Value = page.eval("return figure.set({ eps: 0.1, K: 1e9 });", &[]).await?;
        ensure!(result["settings"]["eps"] == 0.1 && result["settings"]["K"] == 100 && result["complete"] == true, "{result}");
        let problems = result["problems"][0].as_str().unwrap_or_default();
        ensure!(problems.contains("K = 1000000000 is out of range"), "{result}");
        let unknown: Value = page.eval("return figure.set({ bogus: 1 });", &[]).await?;
        ensure!(unknown["problems"].as_array().is_some_and(|problems| problems.len() == 1), "{unknown}");
        let usable: Value = page.eval("return figure.set({ K: 100 });", &[]).await?;
        ensure!(usable["problems"] == json!([]), "{usable}");
        ensure!(page.is("heard.some(([, kind, { problems }]) => kind === 'error' && /K = 1000000000 is out of range/.test(problems))").await?);
        let means: Vec<f64> = page.eval("return figure.errors.map(({ mean }) => mean);", &[]).await?;
        let expected = final_errors("M=20&q=4&eps=0.1&K=100")?;
        ensure!(means.len() == expected.len() && means.iter().zip(&expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-14));
        let csv: String = page.eval("return figure.export('csv');", &[]).await?;
        ensure!(csv.contains("eps = 0.1"), "{csv}");
        let refused: String = page.eval("return figure.export('doc').catch(({ message }) => message);", &[]).await?;
        ensure!(refused == "doc is no format: csv, json and svg are", "{refused}");
        let back: Value = page.eval("return figure.reset();", &[]).await?;
        ensure!(back["settings"]["eps"] == 0.3 && back["settings"]["K"] == 10, "{back}");
        Ok(())
    });
}

/// Settings are set in the page as it is; what is about the frame, and what is taken away, loads it anew.
#[test]
fn attributes_that_change_are_obeyed() {
    story().tell(async |page| {
        with_element(page, "m=20 q=4 src='./?eps=0.3' height=300").await?;
        ensure!(page.is("figure.shadowRoot.querySelector('iframe').clientHeight === 300 && figure.settings.eps === 0.3").await?);
        page.eval::<()>("window.frame = figure.shadowRoot.querySelector('iframe'); figure.setAttribute('EPS', '0.1'); figure.setAttribute('k', 5);", &[])
            .await?;
        page.wait("the settings", PATIENCE, "figure.settings.eps === 0.1 && figure.settings.K === 5").await?;
        ensure!(page.is("window.frame === figure.shadowRoot.querySelector('iframe') && figure.settings.M === 20").await?);
        page.eval::<()>("figure.removeAttribute('k'); figure.setAttribute('theme', 'dark');", &[]).await?;
        page.wait("another frame", PATIENCE, "figure.settings.K === 10 && figure.settings.eps === 0.1").await?;
        let dark = "figure.shadowRoot.querySelector('iframe').contentDocument?.documentElement?.dataset.theme === 'dark'";
        page.wait("the theme", PATIENCE, dark).await?;
        page.eval::<()>("figure.set({ eps: 0.2 }); figure.remove();", &[]).await?;
        ensure!(page.is("history.length === entries").await?, "the frame made entries in the history");
        Ok(())
    });
}

/// An attribute that is taken back before the page in the frame is up was never said.
#[test]
fn an_attribute_that_is_taken_back_does_not_count() {
    const TAKEN_BACK: &str = r"
        const other = document.createElement('fedsysid-figure');
        other.id = 'other';
        for (const [name, value] of Object.entries({ m: 20, q: 4 })) other.setAttribute(name, value);
        figure.after(other);
        other.setAttribute('k', 5);
        setTimeout(() => other.removeAttribute('k'));";
    story().tell(async |page| {
        with_element(page, "m=20 q=4").await?;
        page.eval::<()>(TAKEN_BACK, &[]).await?;
        page.wait("its result", PATIENCE, "heard.some(([id, kind]) => id === 'other' && kind === 'result')").await?;
        page.eval::<()>("window.answer = null; other.get().then((result) => { window.answer = result; });", &[])
            .await?;
        page.wait("an answer", PATIENCE, "window.answer").await?;
        let result: Value = page.eval("return window.answer;", &[]).await?;
        ensure!(result["settings"]["M"] == 20 && result["settings"]["K"] == 10, "{result}");
        Ok(())
    });
}

/// What it is asked before it is on the page, while it is moved, and while it is loaded anew is answered all the same.
#[test]
fn an_element_that_is_not_there_yet_answers_once_it_is() {
    const BEFORE: &str = r"
        window.first = figure;
        window.other = Object.assign(document.createElement('fedsysid-figure'), { id: 'other' });
        for (const [name, value] of Object.entries({ m: 20, q: 4 })) other.setAttribute(name, value);
        window.answers = [];
        const keep = (promise) => promise.then((answer) => answers.push(answer), (error) => answers.push(String(error)));
        keep(other.set({ eps: 0.2 }));
        keep(other.export('csv').catch(() => other.get()));
        figure.replaceWith(other);";
    const MOVED: &str = r"
        answers.length = 0;
        const keep = (promise) => promise.then((answer) => answers.push(answer), (error) => answers.push(String(error)));
        keep(other.get());
        const place = document.createElement('section');
        document.body.append(place);
        place.append(other);
        keep(other.get());
        other.setAttribute('theme', 'dark');
        keep(other.get());";
    story().tell(async |page| {
        with_element(page, "M=5 q=2").await?;
        page.eval::<()>(BEFORE, &[]).await?;
        page.wait("answers", PATIENCE, "answers.length === 2").await?;
        ensure!(page.is("answers.every(({ settings, complete }) => settings.eps === 0.2 && complete)").await?);
        page.eval::<()>(MOVED, &[]).await?;
        page.wait("answers", PATIENCE, "answers.length === 3").await?;
        let seen: Value = page.eval("return answers;", &[]).await?;
        ensure!(page.is("answers.every(({ settings, complete }) => settings.M === 20 && complete)").await?, "{seen}");
        ensure!(page.is("first.settings.M === 5 && first.errors.length > 0").await?);
        Ok(())
    });
}

/// That a value cannot be used is no answer to somebody else's question.
#[test]
fn an_error_is_of_its_own_question() {
    const ASK: &str = r"
        window.answers = {};
        const keep = (name, promise) =>
          promise.then((answer) => (answers[name] = answer), ({ message }) => (answers[name] = message));
        figure.set({ eps: 0.2 });
        keep('get', figure.get());
        keep('set', figure.set({ K: 1e9 }));
        keep('export', figure.export('doc'));";
    story().tell(async |page| {
        with_element(page, "M=20 q=4").await?;
        page.eval::<()>(ASK, &[]).await?;
        page.wait("answers", PATIENCE, "Object.keys(answers).length === 3").await?;
        let answers: Value = page.eval("return answers;", &[]).await?;
        ensure!(answers["export"] == "doc is no format: csv, json and svg are", "{answers}");
        for name in ["get", "set"] {
            ensure!(answers[name]["complete"] == true && answers[name]["settings"]["eps"] == 0.2, "{name}: {answers}");
        }
        Ok(())
    });
}

/// How it looks is its author's: a size, a title, `hidden` and a style are obeyed without loading anything anew.
#[test]
fn looks_are_obeyed_as_they_are() {
    story().tell(async |page| {
        with_element(page, "M=5 q=2 style='max-width: 900px'").await?;
        page.eval::<()>("window.frame = figure.shadowRoot.querySelector('iframe'); figure.setAttribute('width', 400); \
            figure.setAttribute('height', '350px'); figure.title = 'A figure'; figure.setAttribute('spellcheck', 'false');", &[]).await?;
        page.wait("the size", PATIENCE, "frame.clientWidth === 400 && frame.clientHeight === 350 && frame.title === 'A figure'").await?;
        ensure!(page.is("figure.style.maxWidth === '900px'").await?, "its author's style is another one");
        page.eval::<()>("figure.hidden = true;", &[]).await?;
        ensure!(page.is("getComputedStyle(figure).display === 'none'").await?, "it is not hidden");
        page.eval::<()>("figure.hidden = false; figure.style.display = 'inline-block'; figure.setAttribute('m', '5');", &[]).await?;
        ensure!(page.is("getComputedStyle(figure).display === 'inline-block'").await?);
        let result: Value = page.eval("return figure.set({ M: 6 });", &[]).await?;
        ensure!(result["settings"]["M"] == 6);
        ensure!(page.is("frame === figure.shadowRoot.querySelector('iframe') && told.filter(({ type }) => type === 'fedsysid:ready').length === 1").await?);
        let problems = told(page, "fedsysid:error").await?;
        ensure!(problems.is_empty(), "{problems:?}");
        Ok(())
    });
}
