//! Adding up what test programs say.

/// The sum of every `test result:` line seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests of which test programs say that they passed.
    pub(crate) ended_well: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that said they were not run, as this engine cannot show it; they ended well all the same.
    pub(crate) untold: u64,
}

/// How a test says that it was not run: "not told in Firefox: …".
const UNTOLD: &str = "not told in ";

impl Tally {
    /// Adds what `line` says, if it is a test program's last word.
    pub(crate) fn read(&mut self, line: &str) {
        let line = without_colors(line);
        // It may stand behind what the test program wrote before.
        self.untold += u64::from(line.contains(UNTOLD));
        let Some(counts) = line.trim().strip_prefix("test result: ") else {
            return;
        };
        self.ended_well += count(counts, "passed");
        self.failed += count(counts, "failed");
    }

    /// Tests that were run and passed.
    pub(crate) fn passed(self) -> u64 {
        self.ended_well.saturating_sub(self.untold)
    }

    /// The tests that were run.
    pub(crate) fn total(self) -> u64 {
        self.passed() + self.failed
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ended_well: self.ended_well + other.ended_well,
            failed: self.failed + other.failed,
            untold: self.untold + other.untold,
        }
    }
}

/// The number before `word` in "ok. 3 passed; 0 failed; …"; 0 when there is none.
fn count(counts: &str, word: &str) -> u64 {
    counts
        .split([';', '.'])
        .filter_map(|part| part.trim().strip_suffix(word))
        .find_map(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

/// The line without terminal colors ("ESC [ … m").
fn without_colors(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, passed: u64, failed: u64) {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.read(line));
        assert_eq!((tally.passed(), tally.failed), (passed, failed));
    }

    #[test]
    fn what_was_not_told_did_not_pass() {
        check(
            "not told in Firefox: a_tap: it takes fingers\ntest a_tap ... ok\n\
             test b ... not told in Firefox: b: it takes a trace\nok\n\
             test result: ok. 12 passed; 0 failed; 0 ignored",
            10,
            0,
        );
    }

    #[test]
    fn sums_every_result_line() {
        check("", 0, 0);
        check("running 3 tests\ntest a ... ok", 0, 0);
        check("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.05s", 3, 0);
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored\nnoise\n\
             test result: FAILED. 345 passed; 2 failed; 0 ignored; finished in 10.50s",
            357,
            2,
        );
    }

    #[test]
    fn colors_and_indents_do_not_hide_a_result() {
        check("  test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 7 passed; 0 failed; 0 ignored", 7, 0);
        check("test result: \u{1b}[31mFAILED\u{1b}[0m. 1 passed; 2 failed; 0 ignored", 1, 2);
    }

    #[test]
    fn only_result_lines_count() {
        check("assertion failed: \"9 passed; 9 failed\"", 0, 0);
        check("note: test result: ok. 9 passed; 0 failed", 0, 0);
    }
}
