//! Memos, derived signals, effects, views and handlers in boxes, whose compiled code is shared by all closures.
//!
//! Leptos compiles its bookkeeping for every closure type, at a few kilobytes each; for boxes it does so once per type
//! of value.

use leptos::prelude::*;

/// A value that is recomputed when its signals change; its readers are notified only if it differs.
pub(super) fn memo<T: PartialEq + Send + Sync + 'static>(compute: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    boxed_memo(Box::new(compute))
}

fn boxed_memo<T: PartialEq + Send + Sync + 'static>(compute: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| compute())
}

/// A value that is computed at every read.
pub(super) fn derived<T: Send + Sync + 'static>(compute: impl Fn() -> T + Send + Sync + 'static) -> Signal<T> {
    boxed_derived(Box::new(compute))
}

fn boxed_derived<T: Send + Sync + 'static>(compute: Box<dyn Fn() -> T + Send + Sync>) -> Signal<T> {
    Signal::derive(compute)
}

/// Runs at one of the page's edges whenever its signals change. The argument is whether it is the first run.
pub(super) fn effect(act: impl Fn(bool) + 'static) {
    boxed_effect(Box::new(act));
}

fn boxed_effect(act: Box<dyn Fn(bool)>) {
    Effect::new(move |before: Option<()>| act(before.is_none()));
}

/// A part of a view, or the value of an attribute, that follows its signals.
pub(super) fn live<T>(compute: impl Fn() -> T + Send + 'static) -> Box<dyn Fn() -> T + Send> {
    Box::new(compute)
}

/// A part of a view that exists only while a condition holds, and is made anew each time.
pub(super) fn when(
    is_there: impl Fn() -> bool + Send + 'static,
    view: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    live(move || if is_there() { view() } else { ().into_any() }).into_any()
}

/// An event handler.
pub(super) fn on<E>(act: impl FnMut(E) + 'static) -> Box<dyn FnMut(E)> {
    Box::new(act)
}
