//! Adding up what test programs say, and what they say when failed tests are told again.

/// The sum of every `test result:` line seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests of which test programs say that they passed.
    pub(crate) ended_well: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that said they were not run, as this engine cannot show it; they ended well all the same.
    pub(crate) untold: u64,
    /// Programs in other languages that tests have run, and those left out because their languages are not on this machine.
    pub(crate) programs: (u64, u64),
}

/// How a test says that it was not run: "not told in Firefox: …".
const UNTOLD: &str = "not told in ";

/// How a test says which of its programs it has run: "programs of a-test: 3 run, 1 left out Julia for want of julia".
const PROGRAMS: &str = "programs of ";

impl Tally {
    /// Adds what `line` says, if it is a test program's last word.
    pub(crate) fn read(&mut self, line: &str) {
        let line = without_colors(line);
        // It may stand behind what the test program wrote before.
        self.untold += u64::from(line.contains(UNTOLD));
        if let Some((_, counts)) = line.split_once(PROGRAMS).and_then(|(_, rest)| rest.split_once(": ")) {
            let (run, left_out) = counts.split_once(" run, ").unwrap_or_default();
            let number = |text: &str| text.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0_u64);
            self.programs = (self.programs.0 + number(run), self.programs.1 + number(left_out));
        }
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
            programs: (self.programs.0 + other.programs.0, self.programs.1 + other.programs.1),
        }
    }
}

/// More failures than these are no accident.
const FEW: usize = 5;

/// What all test programs of one run said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// The counts.
    pub(crate) tally: Tally,
    /// The names of the tests that failed.
    failed: Vec<String>,
    /// The names since the last heading of a list.
    listed: Vec<String>,
    begun: u64,
    ended: u64,
}

impl Account {
    /// Takes in a line of output.
    pub(crate) fn read(&mut self, line: &str) {
        let failed_before = self.tally.failed;
        self.tally.read(line);
        let line = without_colors(line);
        if line.trim_end() == "failures:" {
            // There is a list of what each printed, too, which may hold anything. The list of names is the last one.
            self.listed.clear();
        } else if let Some(name) = listed_name(&line) {
            self.listed.push(name.to_owned());
        } else if is_begin(&line) {
            self.begun += 1;
        } else if line.trim().starts_with("test result: ") {
            self.ended += 1;
            if self.tally.failed > failed_before {
                self.failed.append(&mut self.listed);
            }
            self.listed.clear();
        }
    }

    /// Whether every test program that began came to its end, and every failure has a name.
    fn is_whole(&self) -> bool {
        self.begun > 0 && self.begun == self.ended && usize::try_from(self.tally.failed) == Ok(self.failed.len())
    }

    /// The failed tests, if it is worth telling them again: a few, in a run that is whole.
    pub(crate) fn worth_another_try(&self) -> Option<&[String]> {
        (self.is_whole() && (1..=FEW).contains(&self.failed.len())).then_some(&*self.failed)
    }

    /// Takes in what came of telling exactly the failed tests again, with how that ended: the names of those that passed now.
    /// If that run was not whole, it says nothing, and all failures stand.
    pub(crate) fn amend(&mut self, again: &Self, ended_well: bool) -> Vec<String> {
        let told = again.tally.ended_well + again.tally.failed;
        let is_sound = again.is_whole()
            && ended_well == again.failed.is_empty()
            && usize::try_from(told) == Ok(self.failed.len())
            && again.failed.iter().all(|name| self.failed.contains(name));
        if !is_sound {
            return Vec::new();
        }
        let (still, passed): (Vec<_>, Vec<_>) = self.failed.drain(..).partition(|name| again.failed.contains(name));
        self.failed = still;
        let n_passed = self.tally.failed - again.tally.failed;
        self.tally.failed -= n_passed;
        self.tally.ended_well += n_passed;
        passed
    }
}

/// A test program's first line: "running 3 tests".
fn is_begin(line: &str) -> bool {
    let number = line.trim().strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
    number.is_some_and(|(number, rest)| number.parse::<u64>().is_ok() && matches!(rest, "" | "s"))
}

/// The name in a line of the list of failures: four spaces and a path.
fn listed_name(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_prefix("    ")?;
    let is_path = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    is_path.then_some(name)
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
    fn programs_are_counted_and_are_no_tests() {
        let mut tally = Tally::default();
        let output = "test a ... programs of alone: 1 run, 1 left out MATLAB for want of octave-cli\nok\n\
                      programs of languages: 3 run, 1 left out Julia for want of julia\nprograms of odd\n\
                      test result: ok. 2 passed; 0 failed";
        output.lines().for_each(|line| tally.read(line));
        assert_eq!((tally.programs, tally.total()), ((4, 2), 2));
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

    fn account(output: &str) -> Account {
        let mut account = Account::default();
        output.lines().for_each(|line| account.read(line));
        account
    }

    const TWO_FAILED: &str = "
running 3 tests
test a::one ... FAILED
test a::two ... \u{1b}[31mFAILED\u{1b}[0m
test b ... ok

failures:

---- a::one stdout ----
failures:
    indented
running away

failures:
    a::one
    a::two

test result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 1.00s

running 1 test
test timing ... ok

test result: ok. 1 passed; 0 failed; 0 ignored";

    #[test]
    fn a_few_failures_of_a_whole_run_are_worth_another_try() {
        let names: Vec<_> = (0..=FEW).map(|at| format!("s{at}")).collect();
        let failing = |n: usize| {
            let list: Vec<_> = names[..n].iter().map(|name| format!("    {name}")).collect();
            let list = list.join("\n");
            format!("running 9 tests\nfailures:\n{list}\n\ntest result: FAILED. 3 passed; {n} failed; 0 ignored")
        };
        assert_eq!(account(TWO_FAILED).worth_another_try(), Some(&["a::one".to_owned(), "a::two".to_owned()][..]));
        assert_eq!(account(&failing(FEW)).worth_another_try(), Some(&names[..FEW]));
        assert_eq!(account(&failing(FEW + 1)).worth_another_try(), None);
    }

    #[test]
    fn what_did_not_compile_or_broke_off_or_failed_without_a_name_is_not_tried_again() {
        for output in [
            "",
            "running 3 tests\ntest a ... FAILED",
            "running 1 test\ntest result: ok. 1 passed; 0 failed",
            "running 2 tests\nfailures:\n    a\ntest result: FAILED. 0 passed; 2 failed",
            "running 2 tests\nfailures:\n    a\n    b\ntest result: FAILED. 1 passed; 1 failed",
            // Another test program broke off.
            &format!("{TWO_FAILED}\nrunning 1 test\n"),
        ] {
            assert_eq!(account(output).worth_another_try(), None, "{output}");
        }
    }

    #[track_caller]
    fn check_amended(again: &str, ended_well: bool, passed_now: &[&str], failed: u64) {
        let mut first = account(TWO_FAILED);
        let total = first.tally.total();
        assert_eq!(first.amend(&account(again), ended_well), passed_now);
        assert_eq!((first.tally.failed, first.tally.total()), (failed, total));
    }

    #[test]
    fn only_what_passes_when_told_again_counts_as_passed() {
        let none_here = "running 0 tests\ntest result: ok. 0 passed; 0 failed\n";
        let both = "running 2 tests\ntest result: ok. 2 passed; 0 failed";
        check_amended(&format!("{both}\n{none_here}"), true, &["a::one", "a::two"], 0);
        let one = "running 2 tests\nfailures:\n    a::two\n\ntest result: FAILED. 1 passed; 1 failed";
        check_amended(&format!("{none_here}{one}"), false, &["a::one"], 1);
        let neither = "running 2 tests\nfailures:\n    a::one\n    a::two\n\ntest result: FAILED. 0 passed; 2 failed";
        check_amended(neither, false, &[], 2);
    }

    #[test]
    fn telling_again_hides_nothing_if_it_breaks_off_or_tells_something_else() {
        let both = "running 2 tests\ntest result: ok. 2 passed; 0 failed";
        check_amended("", false, &[], 2);
        check_amended(both, false, &[], 2);
        check_amended(&format!("{both}\nrunning 1 test"), false, &[], 2);
        check_amended("running 1 test\ntest result: ok. 1 passed; 0 failed", true, &[], 2);
        check_amended("running 0 tests\ntest result: ok. 0 passed; 0 failed", true, &[], 2);
        let other = "running 2 tests\nfailures:\n    c\n\ntest result: FAILED. 1 passed; 1 failed";
        check_amended(other, false, &[], 2);
    }
}
