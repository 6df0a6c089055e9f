//! The link to the present state, and scenarios as files.

use fedsysid_say::say;
use leptos::ev::Event;
use leptos::prelude::*;

use super::embedding;
use super::parts::button;
use super::reactive::{live, memo, on};
use super::selection::WholeText;
use super::store::Store;
use crate::dashboard::words::html;
use crate::figure::number::count;
use crate::params::file;
use crate::params::state::LINK_CHARS;
use crate::web;
use crate::web::address::with_query;
use crate::web::clipboard;

/// Duration of the message "copied", in milliseconds.
const SAID_MS: i32 = 4_000;

/// "Copy link" in one press; a menu with the link, its length, and scenario files.
pub(super) fn share(store: Store) -> AnyView {
    let said = RwSignal::new(String::new());
    let timeout = StoredValue::new_local(None);
    let say = move |words: String| {
        said.set(words);
        timeout.set_value(web::listener::Timeout::new(SAID_MS, move || said.set(String::new())));
    };
    let is_open = RwSignal::new(false);
    let link = memo(move || with_query(&store.state().to_query()));
    let copy = move || {
        let text = link.get_untracked();
        let length = text.chars().count();
        clipboard::copy(&text, move |is_copied| {
            // If the browser refuses, the menu opens, and the link can be copied there by hand.
            is_open.update(|open| *open |= !is_copied);
            say(match (is_copied, length > LINK_CHARS) {
                (true, false) => say!("Link copied").into(),
                (true, true) => say!("Copied: {} characters, too many for some programs", count(length)),
                (false, _) => say!("The browser does not let this page copy: the link is in the menu").into(),
            });
        });
    };
    let length = memo(move || {
        let link = link.get();
        let length = link.chars().count();
        let advice = if link.starts_with("file:") {
            say!(": it leads to this file, which only this computer has")
        } else if !link.starts_with("http") {
            say!(": it leads nowhere, since this page has no address; save a scenario instead")
        } else if length > LINK_CHARS {
            say!(": some programs cut it; save a scenario instead")
        } else {
            ""
        };
        say!("{} of {} characters{advice}", count(length), count(LINK_CHARS))
    });
    let text = WholeText::new();
    let select = on(move |event: leptos::ev::FocusEvent| text.select(&event_target(&event)));
    let keep = on(move |event: leptos::ev::MouseEvent| text.keep(&event));
    view! {
        <div class="share" data-testid="share">
            {button("set-step", say!("Copy link"), copy)}
            <details class="menu" open=live(move || is_open.get()) on:toggle=on(move |event: Event| {
                is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
            })>
                <summary>{say!("Share")}</summary>
                <div class="menu-body">
                    <label>
                        <span>{say!("Link")}</span>
                        <input type="text" class="link" readonly=true prop:value=live(move || link.get()) on:focus=select on:mouseup=keep />
                    </label>
                    <p class="quiet" data-testid="link-length">{length}</p>
                    {files(store)}
                    {embedding::opener()}
                    <details class="keys">
                        <summary>{say!("All settings of a link")}</summary>
                        <div class="numbers-table" tabindex="0" role="region" aria-label=say!("All settings of a link") inner_html=html::keys()></div>
                    </details>
                </div>
            </details>
            {embedding::panel(store)}
            <p class="said" role="status">{said}</p>
        </div>
    }
    .into_any()
}

/// Buttons that save and open a scenario file.
fn files(store: Store) -> AnyView {
    let problem = RwSignal::new(String::new());
    let save = move || web::file::save("fedsysid-scenario.json", "application/json", &file::write(&store.state_now()));
    // If the page is a single file, a copy of it can hold the scenario and open with it.
    let save_page = move || web::file::save_page("fedsysid.html", &store.state_now().to_query());
    let open = on(move |event: Event| {
        let Some(chosen) = web::file::chosen(&event_target(&event)) else { return };
        let name = chosen.name();
        web::file::read_text(&chosen, move |text| {
            problem.set(match opened(store, text.as_deref()) {
                Ok(()) => String::new(),
                Err(reason) => say!("{name}: {reason}. Nothing was changed."),
            });
        });
    });
    view! {
        <p class="menu-row">
            {button("set-step", say!("Save scenario"), save)}
            {web::file::is_whole().then(|| button("set-step", say!("Save page with these settings"), save_page))}
            <label class="set-step file">
                {say!("Open scenario…")}
                <input type="file" class="visually-hidden" accept=".json,application/json" data-testid="open-scenario" on:change=open />
            </label>
        </p>
        <p class="problem" role="alert">{problem}</p>
    }
    .into_any()
}

/// Goes to the scenario of a file.
fn opened(store: Store, text: Option<&str>) -> Result<(), String> {
    let text = text.ok_or(say!("the browser cannot read this file"))?;
    let value = web::json::parse(text).map_err(|reason| file::FileError::NotJson(reason).to_string())?;
    let (state, notices) = file::read(&value).map_err(|error| error.to_string())?;
    store.go_to(state, notices);
    Ok(())
}
