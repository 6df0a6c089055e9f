//! Moments files: sums that sites exchange if they cannot share rows.
//!
//! ```text
//! fedsysid-moments 2
//! x1 x2 u1                     names of the regressors: states first
//! states 2
//! client plant A               one or several clients
//! rollouts 25
//! step 0.1                     the length of a step in time, if it is known
//! part 1                       five parts
//! samples 25
//! mean                         ȳ, the mean of y = [x; u; x⁺]
//! 0.5 1.25 -0.1 0.4 1.2
//! gram                         Σ (y − ȳ)(y − ȳ)ᵀ, the lower triangle, one line for each row
//! 12.5
//! …
//! part 2 …
//! ```
//!
//! (In version 1 the sums were about zero: their rounding hid noise of values far from it.)
//!
//! Numbers are the shortest decimals that read back exactly, so estimates from such files equal those from the rows.

use fedsysid_say::say;
use std::fmt::Write;

use crate::decimal::{self, Slow};
use crate::refusal::{Fault, Refusal};
use crate::sites::{N_FOLDS, Site, Sites};
use crate::sums::{Sums, triangle};
use crate::{Dims, header};

/// The first word of a moments file.
pub const MAGIC: &str = "fedsysid-moments";
const VERSION: &str = "2";

/// The largest count that is read. The counts of all clients' parts, of which there are fewer than 2¹⁶, must add up to
/// a number that fits in a `u64`.
const MOST_COUNTED: u64 = 1 << 48;

/// Writes a number with the fewest decimals that read back exactly.
pub(crate) fn put(text: &mut String, value: f64) {
    let is_short = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    // Writing to a string cannot fail.
    let _ = if is_short { write!(text, "{value}") } else { write!(text, "{value:e}") };
}

fn put_row(text: &mut String, row: &[f64]) {
    for (place, value) in row.iter().enumerate() {
        if place > 0 {
            text.push(' ');
        }
        put(text, *value);
    }
    text.push('\n');
}

/// Writes the text of a moments file, with the sums of every client.
pub fn write(sites: &Sites) -> String {
    let dims = sites.dims();
    let names = sites.names.iter().map(|name| name.replace(char::is_whitespace, "_"));
    let mut text = format!("{MAGIC} {VERSION}\n{}\nstates {}\n", names.collect::<Vec<_>>().join(" "), dims.n_states);
    for site in sites.all() {
        let label = site.label.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "client {label}\nrollouts {}", site.n_rollouts);
        if let Some(step) = site.step {
            text += "step ";
            put_row(&mut text, &[step]);
        }
        for (place, sums) in site.folds.iter().enumerate() {
            let _ = writeln!(text, "part {}\nsamples {}\nmean", place + 1, sums.n_samples());
            put_row(&mut text, sums.mean());
            text += "gram\n";
            for row in 0..dims.n_regressors() + dims.n_states {
                put_row(&mut text, &sums.gram()[triangle(row)..triangle(row + 1)]);
            }
        }
    }
    text
}

/// Reads the clients of a moments file. `slow` parses numbers as in [`decimal::parse`].
///
/// # Errors
/// The fault of the file, and its line if there is one.
pub fn read(text: &str, slow: Slow) -> Result<Sites, Refusal> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut lines = Lines { rest: lines.peekable(), line: 1, slow };
    let version = lines.word(MAGIC)?;
    if version != VERSION {
        return Err(Fault::Version(version.to_owned()).at(1));
    }
    let names = lines.next(say!("the regressors' names"))?.split_whitespace().map(str::to_owned);
    let names: Vec<_> = names.collect();
    let found = lines.count("states")?;
    // A number that does not fit is too large anyway.
    let n_states = usize::try_from(found).unwrap_or(usize::MAX);
    let most = header::MOST_COLUMNS;
    if n_states == 0 || n_states > names.len().min(most) || names.len() - n_states > most {
        return Err(
            Fault::Expected(say!("states 1 to {most}, of those named"), format!("states {found}")).at(lines.line)
        );
    }
    let dims = Dims { n_states, n_inputs: names.len() - n_states };
    let mut sites = Sites::new(dims, names);
    while sites.all().is_empty() || lines.rest.peek().is_some() {
        let site = lines.site(dims)?;
        let line = lines.line;
        sites.add(site).map_err(|fault| fault.at(line))?;
    }
    if sites.all().iter().all(|site| site.sums(None).n_samples() == 0) {
        return Err(Fault::NoSamples(String::new()).anywhere());
    }
    Ok(sites)
}

struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    rest: std::iter::Peekable<I>,
    line: u64,
    slow: Slow,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    fn next(&mut self, what: &str) -> Result<&'a str, Refusal> {
        let (index, text) = self.rest.next().ok_or_else(|| Fault::Ended(what.to_owned()).anywhere())?;
        self.line = index as u64 + 1;
        Ok(text.trim())
    }

    fn refuse<T>(&self, expected: &str, found: &str) -> Result<T, Refusal> {
        let found = found.chars().take(40).collect();
        Err(Fault::Expected(expected.to_owned(), found).at(self.line))
    }

    /// The rest of the next line, which must begin with a word.
    fn word(&mut self, word: &str) -> Result<&'a str, Refusal> {
        let text = self.next(word)?;
        match text.strip_prefix(word) {
            Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => Ok(rest.trim()),
            _ => self.refuse(word, text),
        }
    }

    fn count(&mut self, word: &str) -> Result<u64, Refusal> {
        let text = self.word(word)?;
        match text.parse() {
            Ok(count) if count <= MOST_COUNTED => Ok(count),
            Ok(_) => self.refuse(&say!("{word} and a whole number up to {MOST_COUNTED}"), text),
            Err(_) => self.refuse(&say!("{word} and a whole number"), text),
        }
    }

    fn numbers(&mut self, count: usize, into: &mut Vec<f64>) -> Result<(), Refusal> {
        let what = || say!("a row of {count}");
        let text = self.next(&what())?;
        let before = into.len();
        for word in text.split_whitespace() {
            match decimal::parse(word.as_bytes(), self.slow) {
                Ok((value, _)) => into.push(value),
                Err(_) => return self.refuse(say!("a number"), word),
            }
        }
        if into.len() - before == count { Ok(()) } else { self.refuse(&what(), text) }
    }

    /// The length of a step, if the next line has one.
    fn step(&mut self) -> Result<Option<f64>, Refusal> {
        if self.rest.peek().is_none_or(|(_, text)| !text.trim_start().starts_with("step")) {
            return Ok(None);
        }
        let text = self.word("step")?;
        match decimal::parse(text.as_bytes(), self.slow) {
            Ok((step, _)) if step > 0.0 => Ok(Some(step)),
            _ => self.refuse(say!("a number above zero"), text),
        }
    }

    fn site(&mut self, dims: Dims) -> Result<Site, Refusal> {
        let label = self.word("client")?;
        let mut site = Site::new(label.to_owned(), dims);
        site.n_rollouts = self.count("rollouts")?;
        site.step = self.step()?;
        for part in 1..=N_FOLDS {
            let found = self.count("part")?;
            if found != part as u64 {
                return self.refuse(&format!("part {part}"), &format!("part {found}"));
            }
            let n_samples = self.count("samples")?;
            let m = dims.n_regressors() + dims.n_states;
            let (mut mean, mut gram) = (Vec::new(), Vec::new());
            self.word("mean")?;
            self.numbers(m, &mut mean)?;
            self.word("gram")?;
            (1..=m).try_for_each(|row| self.numbers(row, &mut gram))?;
            let sums = Sums::from_parts(dims, n_samples, mean, gram);
            let of = || say!("part {part} of client {label}");
            site.folds[part - 1] = sums.ok_or_else(|| Fault::NoMoments(of()).at(self.line))?;
        }
        Ok(site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::tests::sums;
    use fedsysid_sim::family::{Family, Place};
    use fedsysid_sim::plan::{DataPlan, NoiseLevels};
    use fedsysid_sim::samples::simulate_samples;
    use fedsysid_sim::stream::{Purpose, Seed, stream};

    fn slow(text: &str) -> Option<f64> {
        text.parse().ok()
    }

    fn sites() -> Sites {
        let dims = Family::paper().dims();
        let names = ["x1", "x2", "x3", "u 1", "u2"].map(str::to_owned).to_vec();
        let mut sites = Sites::new(dims, names);
        for (client, label) in ["plant A", "β"].into_iter().enumerate() {
            let mut site = Site::new(label.into(), dims);
            for (fold, part) in site.folds.iter_mut().enumerate().skip(1) {
                let plan = DataPlan { n_rollouts: fold, rollout_len: 4, noise: NoiseLevels::UNIT };
                let system = Family::paper().member(Place { a: 0.1, b: 0.2 }, 1.0).unwrap();
                let rng = &mut stream(Seed(9), Purpose::Data, fold, client);
                *part = sums(&simulate_samples(&system, &plan, rng));
            }
            site.n_rollouts = 10;
            site.step = (client == 1).then_some(0.1);
            sites.add(site).unwrap();
        }
        sites
    }

    #[test]
    fn what_is_written_is_read_back_to_the_last_bit() {
        let mut expected = sites();
        let text = write(&expected);
        expected.names[3] = "u_1".into();
        assert_eq!(read(&text, slow), Ok(expected));
    }

    /// More than 2³² samples and rollouts: the counts of a site that samples ten thousand times a second for a week.
    #[test]
    fn counts_are_as_large_as_they_are_on_any_machine() {
        let text = write(&sites()).replace("samples 4", "samples 6048000000").replacen(
            "rollouts 10",
            "rollouts 5000000000",
            1,
        );
        let sites = read(&text, slow).unwrap();
        assert_eq!(
            (sites.all()[0].folds[1].n_samples(), sites.all()[0].n_rollouts),
            (6_048_000_000_u64, 5_000_000_000_u64)
        );
    }

    #[test]
    fn clients_of_one_name_in_a_file_are_told_apart() {
        let text = write(&sites()).replace("client β", "client plant A");
        let read = read(&text, slow).unwrap();
        let labels: Vec<_> = read.all().iter().map(|site| site.label.as_str()).collect();
        assert_eq!(labels, ["plant A", "plant A (2)"]);
    }

    #[track_caller]
    fn check(from: &str, to: &str, words: &str) {
        let text = write(&sites());
        assert!(text.contains(from), "{from}");
        let refusal = read(&text.replacen(from, to, 1), slow).unwrap_err();
        assert_eq!(refusal.to_string(), words);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        check("moments 2", "moments 7", "line 1: moments files of version 2 are read, this one says “7”");
        check("fedsysid-moments", "x1,u1", "line 1: “fedsysid-moments” was expected, “x1,u1 2” was found");
        check("states 3", "states 9", "line 3: “states 1 to 40, of those named” was expected, “states 9” was found");
        check("states 3", "states few", "line 3: “states and a whole number” was expected, “few” was found");
        check("client plant A", "A", "line 4: “client” was expected, “A” was found");
        check("part 2", "part 3", "line 19: “part 2” was expected, “part 3” was found");
        let most = "“samples and a whole number up to 281474976710656” was expected";
        check("samples 4", "samples 281474976710657", &format!("line 20: {most}, “281474976710657” was found"));
        check(
            "states 3",
            "states 5000000000",
            "line 3: “states 1 to 40, of those named” was expected, “states 5000000000” was found",
        );
        check("samples 4", "samples 0", "line 31: the numbers of part 2 of client plant A are the moments of no data");
        check("step 0.1", "step -1", "line 73: “a number above zero” was expected, “-1” was found");
        check("gram", "last", "line 10: “gram” was expected, “last” was found");
        let text = write(&sites());
        let cut = &text[..text.rfind("gram").unwrap()];
        assert_eq!(read(cut, slow).unwrap_err().to_string(), "the file ends where “gram” was expected");
        let zeros = text.find("part 2").unwrap();
        let words = read(&text[..zeros], slow).unwrap_err().to_string();
        assert_eq!(words, "the file ends where “part” was expected");
    }
}
