//! Colors that the system forces on every page.

use anyhow::{Result, ensure};
use e2e::browser::Engine;
use e2e::page::{Page, views};
use e2e::story::Story;
use thirtyfour::Key;

use super::{lessons, open};

/// What cannot be told from its surroundings: words, lines of controls, shapes, and the picture on the canvas.
const HIDDEN: &str = r##"
    const levels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const contrast = (a, b) => {
      const [x, y] = [light(a), light(b)];
      return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    };
    const isClear = (color) => color === "transparent" || levels(color)[3] === 0;
    const paperOf = (element) => {
      for (let box = element; box; box = box.parentElement) {
        const { backgroundColor } = getComputedStyle(box);
        if (!isClear(backgroundColor)) return levels(backgroundColor);
      }
      return levels(getComputedStyle(document.documentElement).backgroundColor);
    };
    const name = (element) => `${element.cloneNode().outerHTML.slice(0, 140)} in ${element.parentElement?.cloneNode().outerHTML.slice(0, 80)}`;
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const hidden = [];
    if (!matchMedia("(forced-colors: active)").matches) hidden.push("no color is forced");
    const walker = document.createTreeWalker(document.querySelector("#app"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !isSeen(parent) || parent.closest(".visually-hidden, option, :disabled, svg")) continue;
      const found = contrast(levels(getComputedStyle(parent).color), paperOf(parent));
      if (found < 4.5) hidden.push(`words of contrast ${found.toFixed(1)}: ${name(parent)}`);
    }
    for (const shape of document.querySelectorAll("#app svg :is(path, circle, line, rect, text, polyline, ellipse)")) {
      if (!isSeen(shape) || shape.closest("defs, [aria-hidden=true] .quiet")) continue;
      const { stroke, fill, strokeWidth } = getComputedStyle(shape);
      const colors = [strokeWidth !== "0px" && stroke, fill].filter((color) => color && color !== "none" && !isClear(color));
      const found = Math.max(0, ...colors.map((color) => contrast(levels(color), paperOf(shape))));
      if (colors.length > 0 && found < 3) hidden.push(`a shape of contrast ${found.toFixed(1)}: ${name(shape)}`);
    }
    for (const canvas of document.querySelectorAll("#app canvas")) {
      if (!isSeen(canvas) || canvas.width === 0) continue;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const paper = paperOf(canvas);
      const hues = new Map();
      for (let at = 0; at < data.length; at += 4) {
        const share = data[at + 3] / 255;
        const color = [0, 1, 2].map((c) => Math.round(data[at + c] * share + paper[c] * (1 - share)));
        hues.set(color.join(), (hues.get(color.join()) ?? 0) + 1);
      }
      const strong = [...hues].filter(([color, n]) => n > 20 && contrast(color.split(",").map(Number), paper) >= 3);
      const least = canvas.closest(".map, .bound, .plane, .class-figure") ? 1 : 2;
      if (strong.length < least) hidden.push(`a picture of ${strong.length} colors: ${name(canvas)}`);
      const ink = levels(getComputedStyle(document.documentElement).color).slice(0, 3).join();
      if (!hues.has(ink)) hidden.push(`a picture without the system's ink: ${name(canvas)}`);
    }
    for (const control of document.querySelectorAll("#app :is(.set-step, select, textarea, .number-box, [type=range], [type=checkbox])")) {
      if (!isSeen(control) || control.disabled || control.closest(".visually-hidden")) continue;
      const style = getComputedStyle(control);
      const paper = paperOf(control.parentElement);
      const rail = control.closest(".slider-rail");
      const styles = rail ? [getComputedStyle(rail, "::before"), getComputedStyle(rail, "::after")] : [style];
      const edges = ["borderTopColor", "borderBottomColor", "backgroundColor", "accentColor"];
      const colors = styles.flatMap((it) => edges.map((edge) => it[edge])).filter((color) => /\d/.test(color) && !isClear(color));
      const own = control.matches("[type=checkbox], .chosen-t input") ? 21 : Math.max(0, ...colors.map((it) => contrast(levels(it), paper)));
      if (own < 3) hidden.push(`a control of contrast ${own.toFixed(1)}: ${name(control)}`);
    }
    const tabs = [...document.querySelectorAll("#app .tab")].map((tab) => [tab.ariaCurrent, getComputedStyle(tab).borderBottomColor]);
    const [current] = tabs.filter(([is]) => is).map(([, color]) => color);
    if (tabs.some(([is, color]) => !is && color === current)) hidden.push("which view is looked at");
    const causes = [...document.querySelectorAll("#app .cause")].filter(isSeen).map((cause) => getComputedStyle(cause).borderInlineStartColor);
    if (new Set(causes).size < causes.length) hidden.push("which cause has which color");
    return hidden;"##;

/// The focus, as an outline that stands out from the paper; shadows do not show.
const FOCUS: &str = r#"
    const element = document.activeElement;
    const outlined = [element, element.nextElementSibling, element.closest("label")].filter(Boolean)
      .map((it) => getComputedStyle(it)).find((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1);
    const paper = getComputedStyle(document.documentElement).backgroundColor;
    return Boolean(outlined) && outlined.outlineColor !== paper;"#;

async fn check(page: &Page, what: &str) -> Result<()> {
    page.next_frames().await?;
    let hidden: Vec<String> = page.eval(HIDDEN, &[]).await?;
    ensure!(hidden.is_empty(), "{what}: {hidden:#?}");
    // From the top: the first tab, then what follows it.
    for _ in 0..12 {
        page.press([Key::Tab]).await?;
        ensure!(page.eval::<bool>(FOCUS, &[]).await?, "{what}: the focus cannot be seen");
    }
    Ok(())
}

#[test]
fn forced_colors_hide_nothing() {
    Story::new().only(Engine::Chromium, "it forces colors where it is told to").tell(async |page| {
        for is_dark in [true, false] {
            page.browser().force_colors(is_dark).await?;
            for view in views() {
                // Whatever the reader chose before: the system has the last word.
                page.visit("").await?;
                page.eval::<()>(
                    "localStorage.setItem('fedsysid-theme', arguments[0]);",
                    &[if is_dark { "light" } else { "dark" }.into()],
                )
                .await?;
                open(page, view, "").await?;
                check(page, &format!("{view}, dark: {is_dark}")).await?;
            }
            for query in lessons() {
                page.open(&query).await?;
                check(page, &format!("{query}, dark: {is_dark}")).await?;
            }
        }
        Ok(())
    });
}
