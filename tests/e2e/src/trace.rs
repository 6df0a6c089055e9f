//! What the threads of a Chromium did, from its own trace.
//!
//! The clock on the wall also measures what other programs do: a task that the system interrupts takes long, without any
//! fault of the page's. The trace knows how long the processor worked at it.

use serde::Deserialize;

/// What to trace: the tasks of every thread, and marks set by scripts.
pub(crate) const CATEGORIES: &str = "toplevel,blink.user_timing";

/// The marks between which tasks count.
const MARKS: [&str; 2] = ["witness from", "witness to"];

/// A task of the page's main thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// How long the processor was at it, in milliseconds.
    pub processor_ms: f64,
}

#[derive(Deserialize)]
struct Envelope {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    params: Option<Event>,
}

/// An event in the trace event format; times are in microseconds.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    name: String,
    #[serde(default)]
    pid: u64,
    #[serde(default)]
    tid: u64,
    #[serde(default)]
    ts: f64,
    dur: Option<f64>,
    tdur: Option<f64>,
}

/// The tasks of a page's main thread while it was watched, out of the messages that a driver keeps. None if it was not.
pub(crate) fn watched_tasks<'a>(messages: impl Iterator<Item = &'a str>) -> Option<Vec<Task>> {
    // What is not of this shape is no event of a trace.
    let read = |message: &str| serde_json::from_str::<Envelope>(message).ok()?.message.params;
    let events: Vec<Event> = messages.filter_map(read).collect();
    let mark = |name| events.iter().rfind(|event| event.name == name);
    let (from, to) = (mark(MARKS[0])?, mark(MARKS[1])?);
    let is_task = |event: &&Event| {
        let is_watched = (from.ts..to.ts).contains(&event.ts);
        is_watched && event.name.ends_with("RunTask") && (event.pid, event.tid) == (from.pid, from.tid)
    };
    let task = |event: &Event| Some(Task { ms: event.dur? / 1e3, processor_ms: event.tdur? / 1e3 });
    Some(events.iter().filter(is_task).filter_map(task).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(pid: u64, tid: u64, ts: u64) -> String {
        let name = "ThreadControllerImpl::RunTask";
        message(&format!(
            r#"{{"name":"{name}","ph":"X","pid":{pid},"tid":{tid},"ts":{ts},"dur":81000,"tdur":12500,"args":{{}}}}"#
        ))
    }

    fn mark(name: &str, ts: u64) -> String {
        message(&format!(r#"{{"name":"{name}","ph":"I","pid":7,"tid":8,"ts":{ts},"args":{{"data":{{}}}}}}"#))
    }

    fn message(params: &str) -> String {
        format!(r#"{{"message":{{"method":"Tracing.dataCollected","params":{params}}},"webview":"A"}}"#)
    }

    #[test]
    fn only_the_pages_own_tasks_count_and_only_while_it_is_watched() {
        let layout = message(r#"{"name":"Layout","ph":"X","pid":7,"tid":8,"ts":50,"dur":9,"tdur":9,"args":{}}"#);
        let messages = [
            task(7, 8, 39),
            mark("witness from", 40),
            task(7, 8, 41),
            task(7, 9, 45),
            task(6, 8, 46),
            layout,
            mark("witness to", 60),
            task(7, 8, 61),
            "garbled".to_owned(),
        ];
        let tasks = watched_tasks(messages.iter().map(String::as_str));
        assert_eq!(tasks, Some(vec![Task { ms: 81.0, processor_ms: 12.5 }]));
        assert_eq!(watched_tasks(messages[..3].iter().map(String::as_str)), None);
    }
}
