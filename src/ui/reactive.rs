//! Memos, derived signals, effects, views and handlers whose code does not depend on what is computed.
//!
//! Leptos compiles its bookkeeping anew for every closure that it is given, a few kilobytes each; given boxes, it does so once
//! for every type of value.

use leptos::prelude::*;

/// A value that is computed anew when what it reads changes, and changes only when it differs.
pub(super) fn memo<T: PartialEq + Send + Sync + 'static>(compute: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    boxed_memo(Box::new(compute))
}

fn boxed_memo<T: PartialEq + Send + Sync + 'static>(compute: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| compute())
}

/// A value that is computed whenever it is read.
pub(super) fn derived<T: Send + Sync + 'static>(compute: impl Fn() -> T + Send + Sync + 'static) -> Signal<T> {
    boxed_derived(Box::new(compute))
}

fn boxed_derived<T: Send + Sync + 'static>(compute: Box<dyn Fn() -> T + Send + Sync>) -> Signal<T> {
    Signal::derive(compute)
}

/// Does something at one of the page's edges whenever what it reads changes. It is told whether it is the first time.
pub(super) fn effect(act: impl Fn(bool) + 'static) {
    boxed_effect(Box::new(act));
}

fn boxed_effect(act: Box<dyn Fn(bool)>) {
    Effect::new(move |before: Option<()>| act(before.is_none()));
}

/// A part of a view, or an attribute's value, that follows what it reads.
pub(super) fn live<T>(compute: impl Fn() -> T + Send + 'static) -> Box<dyn Fn() -> T + Send> {
    Box::new(compute)
}

/// A part of a view that is there only at times, and is made anew each time it comes.
pub(super) fn when(
    is_there: impl Fn() -> bool + Send + 'static,
    view: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    live(move || if is_there() { view() } else { ().into_any() }).into_any()
}

/// What is done when an event is heard.
pub(super) fn on<E>(act: impl FnMut(E) + 'static) -> Box<dyn FnMut(E)> {
    Box::new(act)
}
