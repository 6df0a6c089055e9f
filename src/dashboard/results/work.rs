//! Progress of long work: how much is done, how long the rest will take, how it ended.

use crate::dashboard::words::counting::Things;
use crate::figure::number::count;
use fedsysid_say::say;

/// The remaining time is estimated only after this share of the work, and this time in milliseconds.
const TELLING: (f64, f64) = (0.05, 500.0);

/// Work that takes less time than this, in milliseconds, is over before anybody could stop it: the page does not
/// mention it.
const QUIET_MS: f64 = 300.0;

/// State of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// The work continues.
    Running,
    /// The person stopped it.
    Stopped,
    /// It was given up, since workers died while computing it.
    GivenUp,
}

/// Progress of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Its state.
    pub state: WorkState,
    /// Share of the work that is done, from 0 to 1.
    pub share: f64,
    /// Number of complete things, and of all.
    pub done: (usize, usize),
    /// The kind of these things.
    pub of: Things,
    /// Milliseconds since the request.
    pub elapsed: f64,
}

impl Work {
    /// Whether the page mentions it.
    pub fn is_told(&self) -> bool {
        self.state != WorkState::Running || self.elapsed >= QUIET_MS
    }

    /// Estimated remaining time in milliseconds, once an estimate is possible.
    pub fn left(&self) -> Option<f64> {
        let is_telling = self.share >= TELLING.0 && self.elapsed >= TELLING.1;
        is_telling.then(|| self.elapsed * (1.0 - self.share) / self.share)
    }

    /// Progress in words.
    pub fn words(&self) -> String {
        let (done, all) = self.done;
        let far = say!("{} of {}", count(done), self.of.counted(all));
        match (self.state, self.left()) {
            (WorkState::Running, Some(left)) => say!("{far}, about {} s left", count(seconds(left))),
            (WorkState::Running, None) => far,
            (WorkState::Stopped, _) => say!("stopped after {far}"),
            (WorkState::GivenUp, _) => say!("given up after {far}"),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is left is not negative")]
fn seconds(ms: f64) -> usize {
    (ms / 1_000.0).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(state: WorkState, share: f64, elapsed: f64, expected: Option<&str>) {
        let work = Work { state, share, done: (3, 15), of: Things::Points, elapsed };
        assert_eq!(work.is_told().then(|| work.words()).as_deref(), expected);
    }

    #[test]
    fn the_time_left_is_told_once_it_means_something() {
        check(WorkState::Running, 0.2, 299.0, None);
        check(WorkState::Running, 0.2, 499.0, Some("3 of 15 points"));
        check(WorkState::Running, 0.049, 5_000.0, Some("3 of 15 points"));
        check(WorkState::Running, 0.2, 1_000.0, Some("3 of 15 points, about 4 s left"));
        check(WorkState::Stopped, 0.2, 10.0, Some("stopped after 3 of 15 points"));
        check(WorkState::GivenUp, 0.2, 10_000.0, Some("given up after 3 of 15 points"));
    }
}
