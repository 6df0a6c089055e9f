//! Every view from its first stop of the Tab key to its last, and back; and everything that stops it, operated by keys.

use anyhow::{Context, Result, bail, ensure};
use e2e::browser::Engine;
use e2e::gesture::Gesture;
use e2e::page::{Page, views};
use e2e::story::Story;
use serde_json::json;
use thirtyfour::Key;

use super::{CLOSE_MENU, lessons, open};

/// More stops than any view has.
const LIMIT: usize = 600;

/// Remembers what can have the focus, where it is, and how it looks without: `stops`, in the order of the document.
const LIST: &str = r#"
    const SHOWS = ["outlineStyle", "outlineColor", "outlineWidth", "boxShadow", "borderTopColor", "borderBottomColor", "backgroundColor"];
    const look = (element) => [element, element.nextElementSibling, element.closest("label")].filter(Boolean)
      .map((it) => SHOWS.map((property) => getComputedStyle(it)[property]).join()).join(";");
    globalThis.lookOf = (element) => [look(element), getComputedStyle(element, "::-webkit-slider-thumb").boxShadow].join("|");
    const isStop = (element) => {
      if (element.tabIndex < 0 || element.disabled || !element.checkVisibility({ visibilityProperty: true })) return false;
      if (element.type !== "radio") return true;
      const group = [...document.querySelectorAll(`input[type=radio][name="${element.name}"]`)];
      return element.checked || (!group.some((other) => other.checked) && group[0] === element);
    };
    const candidates = "a[href], button, input, select, textarea, summary, [tabindex]";
    document.activeElement?.blur();
    getSelection().collapse(document.body, 0);
    scrollTo(0, 0);
    globalThis.stops = [...document.querySelectorAll(candidates)].filter(isStop).map((element) => {
      const seen = element.matches(".visually-hidden, [type=radio]") ? element.closest("label") ?? element : element;
      const { left, right, top, bottom } = seen.getBoundingClientRect();
      const isSticky = Boolean(element.closest(".top-bar"));
      return { element, seen, look: lookOf(element), left, right, top, bottom, isSticky };
    });
    globalThis.nameOf = (element) => `${element.cloneNode().outerHTML.slice(0, 160)} ${(element.closest("label") ?? element).textContent.trim().slice(0, 40)}`;
    return stops.length;"#;

/// Where the focus is: none past either end, else the number of the stop (none for a box that only scrolls), what is wrong with
/// it, and its name.
const HERE: &str = r#"
    const element = document.activeElement;
    if (!element || element === document.body || element === document.documentElement) return null;
    const place = stops.findIndex((stop) => stop.element === element);
    const faults = [];
    const stop = stops[place];
    const isScroller = /auto|scroll/.test(getComputedStyle(element).overflow);
    if (!stop && !isScroller) faults.push("is a stop that nothing says is one");
    if (stop && lookOf(element) === stop.look) faults.push("looks no different with the focus");
    const seen = stop?.seen ?? element;
    const { left, right, top, bottom } = seen.getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) faults.push("is out of sight");
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const there = document.elementFromPoint(x, y);
    const isOver = !there || seen.contains(there) || there.contains(seen) || there.closest("label")?.contains(element)
      || seen.closest(".chart, .slider-rail")?.contains(there);
    if (faults.length === 0 && !isOver) faults.push(`is covered by ${nameOf(there)}`);
    return [stop ? place : null, faults, nameOf(element)];"#;

/// Stops that come after another one which lies beneath them, or farther along the same line.
const DISORDER: &str = r#"
    const order = arguments[0].map((place) => stops[place]);
    // What scrolls in a box of its own has its places there.
    const scroller = (element) => {
      for (let box = element.parentElement; box; box = box.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight) return box;
      }
      return null;
    };
    const isFree = ({ element }) => element.closest("[popover]") || element.matches(".handle, .guess-handle");
    return order.slice(1).flatMap((next, index) => {
      const before = order[index];
      if (isFree(next) || isFree(before) || scroller(next.element) !== scroller(before.element)) return [];
      const along = Math.min(before.right, next.right) - Math.max(before.left, next.left);
      const down = Math.min(before.bottom, next.bottom) - Math.max(before.top, next.top);
      const isAbove = along > 1 && next.bottom <= before.top + 1;
      const isBackward = down > 0.5 * Math.min(before.bottom - before.top, next.bottom - next.top) && next.right <= before.left + 1;
      return isAbove || isBackward ? [`${nameOf(next.element)} comes after ${nameOf(before.element)}`] : [];
    });"#;

type Here = Option<(Option<usize>, Vec<String>, String)>;

/// Goes from stop to stop until there are no more.
async fn walk(page: &Page, what: &str, step: &Gesture, n_stops: usize) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for _ in 0..LIMIT {
        page.perform(step.clone()).await?;
        let Some((place, faults, name)): Here = page.eval(HERE, &[]).await? else { return Ok(places) };
        ensure!(faults.is_empty(), "{what}: {name} {}", faults.join(", "));
        if let Some(place) = place {
            // A window without anything around it begins anew.
            if places.first() == Some(&place) && places.len() == n_stops {
                return Ok(places);
            }
            ensure!(!places.contains(&place), "{what}: {name} is reached twice: a trap");
            places.push(place);
        }
    }
    bail!("{what}: Tab never comes to an end")
}

async fn check_walk(page: &Page, what: &str) -> Result<()> {
    let n_stops: usize = page.eval(LIST, &[]).await?;
    let there = walk(page, what, &Gesture::keys().key(Key::Tab.value()), n_stops).await?;
    let missing: Vec<_> = (0..n_stops).filter(|place| !there.contains(place)).collect();
    let names = "return arguments[0].map((place) => nameOf(stops[place].element));";
    let missing: Vec<String> = page.eval(names, &[json!(missing)]).await?;
    ensure!(missing.is_empty(), "{what}: Tab does not reach {missing:#?}");
    let disorder: Vec<String> = page.eval(DISORDER, &[json!(there)]).await?;
    ensure!(disorder.is_empty(), "{what}: {disorder:#?}");
    let mut back = walk(page, what, &Gesture::keys().chord(&[Key::Shift], Key::Tab.value()), n_stops).await?;
    back.reverse();
    ensure!(back == there, "{what}: Shift and Tab lead back otherwise: {there:?} and {back:?}");
    Ok(())
}

/// The story goes from the page's start to its end as the browser's own keys do; other engines stop at other kinds of elements.
const STOPS_DIFFER: &str = "what Tab stops at is a setting of the system there";

#[test]
fn tab_goes_through_every_view_and_back() {
    Story::new().only(Engine::Chromium, STOPS_DIFFER).tell(async |page| {
        for view in views() {
            open(page, view, "").await?;
            page.eval::<()>(CLOSE_MENU, &[]).await?;
            check_walk(page, view).await?;
        }
        for query in lessons() {
            page.open(&query).await?;
            check_walk(page, &query).await?;
        }
        Ok(())
    });
}

/// The kinds of stops that do something by arrow keys or Space, and what that changes of them.
const OPERABLE: &str = r#"
    const operate = (element) => {
      if (element.matches("[type=range], [role=slider]")) return "slider";
      if (element.matches("[type=checkbox]")) return "box";
      if (element.matches("select")) return "list";
      if (element.matches("summary")) return "fold";
      if (element.matches("[aria-expanded]")) return "opener";
      if (element.matches(".chart, .strip")) return "chart";
      return null;
    };
    globalThis.stateOf = (element) => {
      const text = (css) => [...element.querySelectorAll(css)].map((it) => it.outerHTML).join();
      switch (operate(element)) {
        case "slider": return element.getAttribute("aria-valuetext") + element.value + element.getAttribute("aria-valuenow") + element.style.cssText;
        case "box": return String(element.checked);
        case "list": return String(element.selectedIndex);
        case "fold": return String(element.parentElement.open);
        case "opener": return element.getAttribute("aria-expanded");
        case "chart": return text(".cross, .chosen");
      }
    };
    // Where an earlier key has led to divergence there is no dot to walk to.
    globalThis.isEmpty = (element) => element.matches(".strip")
      && ![...element.querySelectorAll("path.gains, path.loses")].some((it) => it.getAttribute("d"));
    // Another language is another page.
    const isLeft = (element) => element.matches(".language-choice") || (element.matches("select") && element.options.length < 2);
    return stops.map(({ element }) => isLeft(element) ? null : operate(element));"#;

#[test]
fn everything_that_tab_stops_at_is_operated_by_keys() {
    Story::new().only(Engine::Chromium, STOPS_DIFFER).tell(async |page| {
        let lessons = lessons();
        let views: Vec<_> = views().map(|view| format!("view={view}")).collect();
        for query in views.iter().chain(&lessons) {
            if query == "view=data" {
                open(page, "data", "").await?;
                page.eval::<()>(CLOSE_MENU, &[]).await?;
            } else {
                page.open(query).await?;
            }
            page.eval::<usize>(LIST, &[]).await?;
            let kinds: Vec<Option<String>> = page.eval(OPERABLE, &[]).await?;
            let mut n_operated = 0;
            for (place, kind) in kinds.iter().enumerate() {
                let Some(kind) = kind else { continue };
                // What an earlier key took away, or made anew, is another one now.
                let focused = "const { element } = stops[arguments[0]]; element.focus(); \
                               return document.activeElement === element && !isEmpty(element) ? stateOf(element) : null;";
                let Some(before) = page.eval::<Option<String>>(focused, &[json!(place)]).await? else { continue };
                let keys: &[Key] = match kind.as_str() {
                    // Last to little: a run with the most of everything would keep the processors from the rest.
                    "slider" => &[Key::End, Key::Home, Key::Right, Key::Up],
                    "box" | "opener" => &[Key::Space],
                    "fold" => &[Key::Enter],
                    "list" => &[Key::End, Key::Home],
                    _ => &[Key::Home],
                };
                n_operated += 1;
                let mut is_changed = false;
                for key in keys {
                    page.press([key.clone()]).await?;
                    page.next_frames().await?;
                    let now = "return stateOf(stops[arguments[0]].element);";
                    is_changed |=
                        page.eval::<Option<String>>(now, &[json!(place)]).await?.context("no state")? != before;
                }
                let name: String = page.eval("return nameOf(stops[arguments[0]].element);", &[json!(place)]).await?;
                // The run that an earlier key asked for may have come in meanwhile.
                let is_emptied = page.eval("return isEmpty(stops[arguments[0]].element);", &[json!(place)]).await?;
                ensure!(is_changed || is_emptied, "{query}: no key moves {name}");
                ensure!(!page.is("document.activeElement === document.body").await?, "{query}: {name} loses the focus");
                if kind == "opener" || kind == "fold" || kind == "box" {
                    page.press([if kind == "fold" { Key::Enter } else { Key::Space }]).await?;
                }
            }
            let n_operable = kinds.iter().flatten().count();
            ensure!(2 * n_operated > n_operable, "{query}: {n_operated} of {n_operable} still take the focus");
        }
        Ok(())
    });
}
