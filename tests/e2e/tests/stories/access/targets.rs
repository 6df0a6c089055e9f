//! Targets of mice and fingers.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::page::{Page, views};
use e2e::story::Story;
use serde_json::json;

use super::open;

/// Everything that can be operated and is smaller than `least` pixels. What a label belongs to is as large as the label; the
/// handle of a map is as large as the map, which can be pressed anywhere.
async fn small_targets(page: &Page, least: f64) -> Result<Vec<String>> {
    const SCRIPT: &str = r##"
        const least = arguments[0];
        const all = document.querySelectorAll("#app :is(a[href], button, input, select, summary, textarea, [role=slider])");
        return [...all].filter((element) => element.checkVisibility({ visibilityProperty: true })
          && !element.matches(".visually-hidden, .handle")).flatMap((element) => {
          const box = (/^(radio|checkbox|file)$/.test(element.type) && element.closest("label")) || element;
          const { width, height } = box.getBoundingClientRect();
          const large = width > least - 0.01 && height > least - 0.01;
          return large ? [] : [`${width.toFixed(1)} × ${height.toFixed(1)}: ${element.cloneNode().outerHTML}`];
        });"##;
    page.eval(SCRIPT, &[json!(least)]).await
}

#[test]
fn every_target_can_be_hit_with_a_mouse() {
    Story::new().tell(async |page| {
        for view in views() {
            for more in ["", "&embed=1"] {
                open(page, view, more).await?;
                let small = small_targets(page, 24.0).await?;
                ensure!(small.is_empty(), "{view}{more}: {small:#?}");
            }
        }
        Ok(())
    });
}

#[test]
fn every_target_can_be_hit_with_a_finger() {
    Story::new().on(Screen { size: (390, 800), pixel_ratio: 2.0, touch: true }).tell(async |page| {
        for view in views() {
            for more in ["", "&embed=1"] {
                open(page, view, more).await?;
                let small = small_targets(page, 44.0).await?;
                ensure!(small.is_empty(), "{view}{more}: {small:#?}");
            }
        }
        Ok(())
    });
}
