//! What a checker of accessibility finds.

use std::env;
use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::browser::Engine;
use e2e::page::{Page, views};
use e2e::story::Story;
use serde_json::json;

use super::{lessons, mouse, open};

/// Frames that a page is put into, in CSS pixels.
const FRAMES: [(u32, u32); 2] = [(320, 240), (720, 480)];

/// The variable that names the checker's script.
const VARIABLE: &str = "FEDSYSID_AXE";

/// The checker reads markup and styles, which are the same in every engine.
const ONE_IS_ENOUGH: &str = "what axe looks at is the same everywhere";

/// The checker's source.
fn axe() -> Result<String> {
    let path =
        env::var_os(VARIABLE).with_context(|| format!("{VARIABLE} is not set: run `cargo xtask test browser`"))?;
    fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Tells a story with the checker, unless the variable says by being empty that there is none.
#[track_caller]
fn tell(events: impl AsyncFnOnce(&Page, &str) -> Result<()>) {
    let story = Story::new().only(Engine::Chromium, ONE_IS_ENOUGH);
    let is_left_out = env::var_os(VARIABLE).is_some_and(|path| path.is_empty());
    let story = if is_left_out { story.except(Engine::Chromium, "axe is not on this machine") } else { story };
    story.tell(async |page| events(page, &axe()?).await);
}

/// What the checker finds; of colors alone, where all else was looked at before.
async fn violations(page: &Page, only_colors: bool) -> Result<Vec<String>> {
    const SCRIPT: &str = r#"
        const options = { resultTypes: ["violations"], preload: false };
        if (arguments[0]) options.runOnly = ["color-contrast"];
        const { violations } = await axe.run(document, options);
        return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));"#;
    page.eval(&format!("return (async (...arguments) => {{ {SCRIPT} }})(...arguments);"), &[json!(only_colors)]).await
}

/// Looks at the page in every theme. What is no matter of color is looked at once.
async fn check_themes(page: &Page, axe: &str, what: &str) -> Result<()> {
    page.eval::<()>(axe, &[]).await?;
    for theme in ["light", "dark", "projector"] {
        page.eval::<()>("document.documentElement.dataset.theme = arguments[0];", &[json!(theme)]).await?;
        page.next_frames().await?;
        let found = violations(page, theme != "light").await?;
        ensure!(found.is_empty(), "{what}, {theme}: {found:#?}");
    }
    Ok(())
}

#[test]
fn axe_finds_nothing_in_any_view_and_theme() {
    tell(async |page, axe| {
        for view in views() {
            open(page, view, "").await?;
            check_themes(page, axe, view).await?;
        }
        Ok(())
    });
}

#[test]
fn axe_finds_nothing_in_any_frame() {
    tell(async |page, axe| {
        for view in views() {
            open(page, view, "&embed=1").await?;
            for (width, height) in FRAMES {
                page.browser().set_screen(mouse(width, height)).await?;
                check_themes(page, axe, &format!("{view} in {width} × {height}")).await?;
            }
        }
        Ok(())
    });
}

#[test]
fn axe_finds_nothing_in_a_lesson_nor_in_a_class() {
    tell(async |page, axe| {
        for query in lessons() {
            page.open(&query).await?;
            check_themes(page, axe, &query).await?;
        }
        Ok(())
    });
}
