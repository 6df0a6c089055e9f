//! For everybody: what assistive programs, keys, large fingers, small screens, forced colors and other scripts find in every
//! view.

mod checker;
mod forced;
mod keys;
mod room;
mod spoken;
mod targets;
mod walk;

use anyhow::Result;
use e2e::browser::Screen;
use e2e::page::{PATIENCE, Page};
use fedsysid::dashboard::views::lesson::COURSES;
use fedsysid::params::State;

/// What else there is to look at: a class, and of every lesson the first step and the one in which something is foretold.
fn lessons() -> Vec<String> {
    let mut queries = vec!["view=lesson&codes=joining".to_owned()];
    for course in &COURSES {
        let foretold = course.steps.iter().position(|step| step.guess.is_some()).unwrap_or_default();
        queries.extend([0, foretold].map(|step| State::default().at_step(course.lesson, step).to_query()));
    }
    queries.dedup();
    queries
}

fn mouse(width: u32, height: u32) -> Screen {
    Screen { size: (width, height), pixel_ratio: 1.0, touch: false }
}

const UNFOLD: &str = "document.querySelectorAll('#app details').forEach((fold) => (fold.open = true));";

/// The menu of the bar lies over the rest.
const CLOSE_MENU: &str = "document.querySelectorAll('#app .top-bar details').forEach((menu) => (menu.open = false));";

/// Opens the example of the view of people's own data.
const EXAMPLE: &str = r##"
    document.querySelector("#app .data-ways button").click();"##;

/// Opens a view with everything in it that unfolds or can be filled.
async fn open(page: &Page, view: &str, more: &str) -> Result<()> {
    page.open(&format!("view={view}{more}")).await?;
    page.eval::<()>(UNFOLD, &[]).await?;
    if view == "data" {
        page.eval::<()>(EXAMPLE, &[]).await?;
        page.wait("the example", PATIENCE, r##"document.querySelector("#app [data-testid=data-join]")"##).await?;
        page.settle().await?;
        page.eval::<()>(UNFOLD, &[]).await?;
    }
    page.settle().await?;
    page.next_frames().await
}
