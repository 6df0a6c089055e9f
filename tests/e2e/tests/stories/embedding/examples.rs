//! What `docs/embedding.md` shows, word for word, on pages of many makes.

use anyhow::{Result, ensure};
use e2e::browser::Engine;
use e2e::page::{PATIENCE, Page};

use super::{hosted, story, wait_for};

const DOCS: &str = include_str!("../../../../../docs/embedding.md");

/// The examples of a language, in their order.
fn examples(language: &str) -> Vec<&'static str> {
    let begin = format!("```{language}\n");
    DOCS.split(begin.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// As it stands there, but for the server's name.
fn here(page: &Page, example: &str) -> String {
    example.replace("https://your.server/fedsysid/", &page.site().url(""))
}

/// A frame, with the script that gives it its height; an element. The third example has a story of its own.
#[test]
fn every_example_of_markup_works_as_it_stands() {
    story().tell(async |page| {
        let all = examples("html");
        let [frame, element, _, height] = all[..] else { anyhow::bail!("{} examples: each needs a story", all.len()) };
        hosted(page, &format!("{}{height}", here(page, frame))).await?;
        wait_for(page, "fedsysid:result").await?;
        let fits = "(({ height, contentDocument }) => height > 0 && height !== '480' && contentDocument.documentElement.scrollHeight - height <= 1)(document.querySelector('iframe'))";
        page.wait("its height", PATIENCE, fits).await?;
        ensure!(page.is("told.findLast(({ type }) => type === 'fedsysid:result').settings.eps === 0.1").await?);
        hosted(page, &here(page, element)).await?;
        wait_for(page, "fedsysid:result").await?;
        ensure!(page.is("document.querySelector('fedsysid-figure').settings.eps === 0.1").await?);
        is_as_high_as_it_says(page).await
    });
}

/// The element's height is that of the page in it.
async fn is_as_high_as_it_says(page: &Page) -> Result<()> {
    let fits = "(({ clientHeight, contentDocument: { documentElement: root } }) => Math.abs(root.scrollHeight - clientHeight) <= 1)(all[0].shadowRoot.querySelector('iframe'))";
    page.wait(
        "a frame that fits",
        PATIENCE,
        &format!("((all) => {fits})(document.querySelectorAll('fedsysid-figure'))"),
    )
    .await
    .map(drop)
}

/// Places on a page, as scripts that put an element `figure` there, and others that show it.
const PLACES: [(&str, &str); 5] = [
    ("document.body.append(figure)", ""),
    (
        "const host = document.createElement('div'); document.body.append(host); host.attachShadow({ mode: 'open' }).append(figure)",
        "",
    ),
    (
        "const more = document.createElement('details'); more.id = 'more'; more.append(figure); document.body.append(more)",
        "more.open = true",
    ),
    ("figure.style.display = 'none'; document.body.append(figure)", "figure.style.display = ''"),
    ("figure.hidden = true; document.body.append(figure)", "figure.hidden = false"),
];

/// An element at such a place, put there by a script; its own script may come before it or after it.
async fn works_at(page: &Page, put: &str, show: &str) -> Result<()> {
    const SCRIPT: &str = "<script src='fedsysid-figure.js'></script>";
    const MAKE: &str = "window.figure = document.createElement('fedsysid-figure');
        for (const [name, value] of Object.entries({ M: 20, q: 4, show: 'eps' })) figure.setAttribute(name, value);";
    let has_result = "window.figure.errors?.length > 0 && figure.settings.M === 20";
    let made = format!("<script>{MAKE} {put};</script>");
    for body in [format!("{SCRIPT}{made}"), format!("{made}{SCRIPT}")] {
        hosted(page, &body).await?;
        if !show.is_empty() {
            page.next_frames().await?;
            ensure!(page.is("!figure.checkVisibility()").await?, "{put}: it is seen");
            page.eval::<()>(&format!("{show};"), &[]).await?;
        }
        page.wait("a result", PATIENCE, has_result).await?;
        let fits = "(({ clientHeight, contentDocument: { documentElement: root } }) => clientHeight > 100 && Math.abs(root.scrollHeight - clientHeight) <= 1)(figure.shadowRoot.querySelector('iframe'))";
        page.wait(&format!("its height: {put}"), PATIENCE, fits).await?;
    }
    Ok(())
}

#[test]
fn an_element_works_in_any_place() {
    story().tell(async |page| {
        for (put, show) in PLACES {
            works_at(page, put, show).await?;
        }
        Ok(())
    });
}

/// Where the page around is magnified by its style.
#[test]
fn an_element_works_on_a_magnified_page() {
    let story =
        story().except(Engine::WebKit, "it magnifies a frame but not the page in it, which leaves room beneath");
    story.tell(async |page| works_at(page, "document.body.style.zoom = 1.25; document.body.append(figure)", "").await);
}

/// As a course platform shows a page: in a frame within a frame.
#[test]
fn an_element_works_in_a_frame_of_its_page() {
    story().tell(async |page| {
        let inner = format!(
            "<base href={}><script src=fedsysid-figure.js></script><fedsysid-figure M=20 q=4></fedsysid-figure>",
            page.site().url("")
        );
        let inner = page.site().witnessed(&inner).replace('&', "&amp;").replace('"', "&quot;");
        hosted(page, &format!("<iframe width=700 height=600 srcdoc=\"{inner}\"></iframe>")).await?;
        let figure = "document.querySelector('iframe').contentDocument.querySelector('fedsysid-figure')";
        page.wait("a result", PATIENCE, &format!("{figure}?.errors?.length > 0 && {figure}.settings.M === 20")).await?;
        Ok(())
    });
}
