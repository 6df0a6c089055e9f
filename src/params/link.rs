//! Drafts as readable links, and back: `M=100&eps=0.5&schedule=local`.
//!
//! A link holds only the differences from the defaults, in the order of the table, so that people can read it and a
//! spreadsheet can write it. Reading never fails: values that cannot be used are replaced, and named in a [`Notice`].

use super::choice::{ALGORITHMS_LINK, CHOICES, Choice};
use super::draft::Draft;
use super::notice::{Notice, Problem};
use super::systems::MatrixKey;
use super::table::{Key, Param, TABLE};

/// A query's pairs (key, value), percent-decoded, in their order. A leading `?` or `#` is skipped, `+` is a space, and
/// bytes that are not UTF-8 become U+FFFD.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    let query = query.trim().trim_start_matches(['?', '#']);
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// A query without a leading `?`. The pairs must already be percent-encoded.
pub fn query(pairs: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let pairs: Vec<_> = pairs.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join("&")
}

impl Draft {
    /// Reads a whole query; notices also name unknown keys.
    ///
    /// ```
    /// use fedsysid::params::{Draft, Key};
    /// let (draft, notices) = Draft::from_query("?M=100&eps=0,5&K=1e9");
    /// assert_eq!((draft.get(Key::Clients), draft.get(Key::Heterogeneity)), (100.0, 0.5));
    /// assert_eq!(notices[0].to_string(), "K = 1e9 is out of range: allowed 1 to 100, using 100");
    /// ```
    pub fn from_query(query: &str) -> (Self, Vec<Notice>) {
        Self::from_pairs(&pairs(query))
    }

    /// Reads pairs (key, value); the page removes its own keys before. If a key occurs more than once, its last value
    /// counts.
    pub fn from_pairs(pairs: &[(String, String)]) -> (Self, Vec<Notice>) {
        let mut draft = Self::default();
        let notices = draft.apply(pairs);
        (draft, notices)
    }

    /// Sets the settings that pairs (key, value) name; the rest stays.
    pub fn apply(&mut self, pairs: &[(String, String)]) -> Vec<Notice> {
        // The matrices' shapes depend on each other, so all four are read together, whatever their order.
        let texts = MatrixKey::ALL.map(|key| last_value(key.link(), pairs));
        let (systems, mut about_matrices) = self.systems.with_texts(texts);
        self.systems = systems;
        let mut notices = Vec::new();
        let mut left = pairs;
        while let Some(((key, given), later)) = left.split_first() {
            notices.extend(match Setting::of(key) {
                None => Some(unknown(key, given)),
                Some(setting) => match last_value(key, later) {
                    Some(last) => Some(repeated(key, given, last)),
                    None => match setting {
                        Setting::Number(key) => self.set_text(key, given),
                        Setting::Algorithms => self.set_algorithms(given),
                        Setting::Choice(choice) => self.choose(choice, given),
                        Setting::Matrix(key) => about_matrices[key as usize].take(),
                    },
                },
            });
            left = later;
        }
        notices
    }

    /// The query of this draft, without a leading `?`; empty for the defaults.
    pub fn to_query(&self) -> String {
        query(self.pairs())
    }

    /// The pairs (key, value) that differ from the defaults. No character in them needs percent-encoding.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        self.pairs_beside(&Self::default())
    }

    /// The pairs (key, value) that differ from another draft: applied to that draft, they give this one.
    pub fn pairs_beside(&self, other: &Self) -> Vec<(&'static str, String)> {
        let pairs = self.scalar_pairs().zip(other.scalar_pairs());
        let pairs = pairs.filter(|(ours, theirs)| ours != theirs).map(|(ours, _)| ours);
        pairs.chain(self.systems.pairs_beside(&other.systems)).collect()
    }

    /// Every setting as a pair (key, value), in the order of links.
    pub fn all_pairs(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.scalar_pairs().chain(self.systems.all_pairs())
    }

    /// Every setting except the matrices, as pairs (key, value).
    fn scalar_pairs(&self) -> impl Iterator<Item = (&'static str, String)> {
        let numbers = TABLE.iter().map(|param| (param.link, self.words(param)));
        let algorithms = std::iter::once((ALGORITHMS_LINK, self.algorithms.to_string()));
        let choices = CHOICES.iter().map(|spec| (spec.link, self.option(spec.choice).word.to_owned()));
        numbers.chain(algorithms).chain(choices)
    }
}

/// The setting that a key of a link names.
#[derive(Clone, Copy)]
enum Setting {
    Number(Key),
    Algorithms,
    Choice(Choice),
    Matrix(MatrixKey),
}

impl Setting {
    fn of(key: &str) -> Option<Self> {
        let key = key.trim();
        let is_key = |link: &str| link.eq_ignore_ascii_case(key);
        let choice = || CHOICES.iter().find(|spec| is_key(spec.link)).map(|spec| Self::Choice(spec.choice));
        let algorithms = || is_key(ALGORITHMS_LINK).then_some(Self::Algorithms);
        let matrix = || MatrixKey::by_link(key).map(Self::Matrix);
        Param::by_link(key).map(|param| Self::Number(param.key)).or_else(algorithms).or_else(choice).or_else(matrix)
    }
}

/// The last value that `key` has in `pairs`.
fn last_value<'a>(key: &str, pairs: &'a [(String, String)]) -> Option<&'a str> {
    let mut from_the_end = pairs.iter().rev();
    let found = from_the_end.find(|(other, _)| other.trim().eq_ignore_ascii_case(key.trim()));
    found.map(|(_, value)| value.as_str())
}

fn unknown(key: &str, given: &str) -> Notice {
    Notice { key: key.to_owned(), given: given.to_owned(), problem: Problem::UnknownKey }
}

fn repeated(key: &str, given: &str, last: &str) -> Notice {
    let problem = Problem::Repeated { last: last.to_owned() };
    Notice { key: key.to_owned(), given: given.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_hold_what_differs_in_a_fixed_order() {
        #[track_caller]
        fn check(query: &str, expected: &str) {
            let (draft, notices) = Draft::from_query(query);
            assert_eq!((draft.to_query().as_str(), notices.as_slice()), (expected, [].as_slice()));
        }
        check("", "");
        check("?", "");
        check(
            "M=50&N=25&eps=0.3&K=10&alpha=1e-4&R=200&q=25&T=5&seed=7&alg=fedlin,fedavg&schedule=constant&start=zero",
            "",
        );
        check("?seed=8&M=100", "M=100&seed=8");
        check("#m=100&EPS=0,5&Alpha=2%C3%9710%5E-4", "M=100&eps=0.5&alpha=0.0002");
        check("alg=FedAvg&Schedule=LOCAL&start=half", "alg=fedavg&schedule=local&start=half");
        check("alg=fedlin%2Cfedavg&N=1e+3", "N=1000");
        check("alg=", "alg=none");
        check("&&M=60&", "M=60");
        check("a=[0.9]&sw=0,1&v=0.1", "sw=0.1&A=0.9&V=0.1");
        check("U=1,0;0,1&V=0,0;0,1&B=1,0;0,1&A=0.5,%200.1;%200,%200.4", "A=0.5,0.1;0,0.4&V=0,0;0,1");
    }

    #[test]
    fn every_problem_is_named() {
        #[track_caller]
        fn check(query: &str, expected: &str, sentences: &[&str]) {
            let (draft, notices) = Draft::from_query(query);
            let notices: Vec<_> = notices.iter().map(ToString::to_string).collect();
            assert_eq!(
                (draft.to_query().as_str(), notices),
                (expected, sentences.iter().map(|&s| s.to_owned()).collect())
            );
        }
        check(
            "M=1e9&K=-3&alpha=abc",
            "M=10000&K=1",
            &[
                "M = 1e9 is out of range: allowed 1 to 10000, using 10000",
                "K = -3 is out of range: allowed 1 to 100, using 1",
                "alpha = abc is not a number: allowed 0.000001 to 0.1, using 0.0001",
            ],
        );
        check("M=30&m=40", "M=40", &["M = 30 is ignored: the link sets it again, to 40"]);
        check(
            "M=30&M=x",
            "",
            &["M = 30 is ignored: the link sets it again, to x", "M = x is not a number: allowed 1 to 10000, using 50"],
        );
        check(
            "B=1;2&A=1&A=1,2",
            "",
            &[
                "B = 1;2 cannot be used: it is 2×1; allowed 3×1 to 3×4, using the paper’s",
                "A = 1 is ignored: the link sets it again, to 1,2",
                "A = 1,2 cannot be used: it is 1×2; allowed 1×1 to 6×6, using the paper’s",
            ],
        );
        check("color=red", "", &["color = red is not a setting of this page: ignored"]);
        check("M", "", &["M without a value is not a number: allowed 1 to 10000, using 50"]);
        check("M=%zz", "", &["M = %zz is not a number: allowed 1 to 10000, using 50"]);
        check("M=%ff", "", &["M = \u{fffd} is not a number: allowed 1 to 10000, using 50"]);
        check("=5", "", &["a key without a name = 5 is not a setting of this page: ignored"]);
    }
}
