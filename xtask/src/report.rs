//! What a run says about itself. All of it goes to the error stream: results own the other one.

use std::time::{Duration, Instant};

/// Something was found in place.
pub(crate) fn present(name: &str, detail: &str) {
    eprintln!("  {name}: {detail}, present");
}

/// Announces a step that takes a while.
pub(crate) fn begin(name: &str, how: &str) {
    eprintln!("  {name}: missing; {how} …");
}

/// A step is under way for `elapsed`.
pub(crate) fn still(elapsed: Duration) {
    eprintln!("    … {} so far", seconds(elapsed));
}

/// Says how long a finished step took.
pub(crate) fn installed(name: &str, detail: &str, since: Instant) {
    eprintln!("  {name}: {detail}, installed in {}", seconds(since.elapsed()));
}

/// A heading.
pub(crate) fn heading(text: &str) {
    eprintln!("\n== {text}");
}

/// A remark.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// A failure.
pub(crate) fn problem(text: &str) {
    eprintln!("\nerror: {text}");
}

/// A duration in words, for people.
pub(crate) fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        whole => format!("{whole} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(millis: u64, expected: &str) {
        assert_eq!(seconds(Duration::from_millis(millis)), expected);
    }

    #[test]
    fn durations_are_as_precise_as_they_are_short() {
        check(0, "0.0 s");
        check(1_234, "1.2 s");
        check(10_900, "10 s");
        check(231_000, "231 s");
    }
}
