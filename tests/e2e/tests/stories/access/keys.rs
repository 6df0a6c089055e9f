//! Menus and charts by keys.

use anyhow::{Context, Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use serde_json::{Value, json};
use thirtyfour::Key;

use super::open;

#[test]
fn menus_open_and_close_by_keys_and_give_the_focus_back() {
    Story::new().tell(async |page| {
        page.open("").await?;
        for menu in ["save-explore", "save-explore-numbers"] {
            let opener = format!("#app button[popovertarget={menu}]");
            let is_open = format!("document.getElementById('{menu}').matches(':popover-open')");
            page.focus(&opener).await?;
            page.press([Key::Enter]).await?;
            ensure!(page.is(&is_open).await?, "Enter opens {menu}");
            page.press([Key::Tab]).await?;
            ensure!(page.is(&format!("document.activeElement.closest('#{menu}')")).await?, "Tab leads into {menu}");
            page.press([Key::Escape]).await?;
            ensure!(!page.is(&is_open).await?, "Escape closes {menu}");
            ensure!(page.is(&format!("document.activeElement.matches('{opener}')")).await?, "the focus comes back");
        }
        Ok(())
    });
}

#[test]
fn keys_read_a_chart_in_every_view_that_has_one() {
    const HEARD: &str = "document.activeElement.querySelector('[aria-live]').textContent";
    Story::new().tell(async |page| {
        for view in ["explore", "tradeoff", "map", "paper"] {
            page.open(&format!("view={view}")).await?;
            let chart = r#"#app .chart[aria-roledescription="chart"]"#;
            page.focus(chart).await?;
            // With another role, readers of the screen would keep the arrow keys, or the page, to themselves.
            let role = "document.activeElement.role === 'group' && document.activeElement.querySelector('[aria-live]').ariaLive";
            let role: Value = page.eval(&format!("return {role};"), &[]).await?;
            ensure!(role == "polite", "{view}: {role}");
            let described = page
                .eval::<Value>("return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent;", &[])
                .await?;
            ensure!(described.to_string().contains("arrow keys"), "{view} says what keys to press: {described}");
            page.press([Key::Left]).await?;
            page.wait("all lines", PATIENCE, &format!("{HEARD}.includes(' = ') && {HEARD}.includes(': ')")).await?;
            let all: String = page.eval(&format!("return {HEARD};"), &[]).await?;
            // From the highest line to the next: each is one of all.
            let mut heard = Vec::new();
            for _ in 0..2 {
                page.press([Key::Down]).await?;
                let before = heard.last().cloned().unwrap_or_else(|| all.clone());
                page.wait("another line", PATIENCE, &format!("{HEARD} !== {}", json!(before))).await?;
                heard.push(page.eval::<String>(&format!("return {HEARD};"), &[]).await?);
            }
            let (_, lines) = all.split_once(": ").context("no lines")?;
            let lines: Vec<_> = lines.split(", ").collect();
            for (said, line) in heard.iter().zip(&lines) {
                ensure!(said.starts_with(line), "{view}: {said} is not {line}");
            }
            page.press([Key::Up]).await?;
            page.wait("the first line again", PATIENCE, &format!("{HEARD} === {}", json!(heard[0]))).await?;
        }
        Ok(())
    });
}

/// What is read out within an element.
async fn heard(page: &Page, css: &str) -> Result<String> {
    let texts = page.texts(&format!("{css} ~ [aria-live], {css} [aria-live]")).await?;
    texts.into_iter().next().context("nothing is read out there")
}

#[test]
fn keys_walk_along_the_clients_of_opened_data() {
    const DOTS: &str = "#app [data-testid=data-dots]";
    Story::new().tell(async |page| {
        open(page, "data", "").await?;
        page.focus(DOTS).await?;
        let mut read = Vec::new();
        for key in [Key::Home, Key::Right, Key::Right, Key::End] {
            page.press([key]).await?;
            let shown = page.texts("#app .joining-dots .reading-line").await?.concat();
            ensure!(shown.starts_with("client ") && shown.contains("-fold with "), "a dot reads {shown:?}");
            ensure!(
                page.is(&format!("document.querySelector('{DOTS} .chosen')")).await?,
                "a mark shows which dot is read"
            );
            read.push(shown);
        }
        let distances = read.iter().map(|text| {
            let far = text.split("; ").nth(1).and_then(|far| far.split(' ').next()).context("no distance")?;
            Ok(far.parse::<f64>()?)
        });
        let distances: Vec<f64> = distances.collect::<Result<_>>()?;
        ensure!(distances.is_sorted() && read[0] != read[3], "from the most typical system to the farthest: {read:?}");
        let last = json!(read[3]);
        let live = "[...document.querySelectorAll('#app .joining-dots [aria-live]')].map((it) => it.textContent)";
        page.wait("it to be said", PATIENCE, &format!("{live}.includes({last})")).await?;
        ensure!(heard(page, DOTS).await? == read[3]);
        page.press([Key::Escape]).await?;
        ensure!(page.is(&format!("!document.querySelector('{DOTS} .chosen')")).await?, "Escape leaves");
        Ok(())
    });
}
