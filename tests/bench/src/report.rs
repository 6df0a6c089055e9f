//! Figures as JSON for programs and as a table for people.

use std::fmt::{self, Write};

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

/// The limit of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// At most this value.
    AtMost(f64),
    /// At least this value.
    AtLeast(f64),
}

impl Limit {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit) => write!(f, "≤ {limit}"),
            Self::AtLeast(limit) => write!(f, "≥ {limit}"),
        }
    }
}

/// A measured quantity, or one that could not be measured on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    key: &'static str,
    meaning: &'static str,
    /// A number, or null.
    value: Value,
    limit: Option<Limit>,
}

impl Figure {
    /// A measured quantity, rounded to four digits: more would be noise.
    pub fn measured(key: &'static str, meaning: &'static str, value: f64) -> Self {
        Self { key, meaning, value: Value::from(rounded(value)), limit: None }
    }

    /// A quantity that not every machine can measure.
    pub fn if_measured(key: &'static str, meaning: &'static str, value: Option<f64>) -> Self {
        Self { key, meaning, value: Value::from(value.map(rounded)), limit: None }
    }

    /// A count.
    pub fn count(key: &'static str, meaning: &'static str, value: u64) -> Self {
        Self { key, meaning, value: Value::from(value), limit: None }
    }

    /// The same figure with an upper limit.
    #[must_use]
    pub fn at_most(self, limit: f64) -> Self {
        Self { limit: Some(Limit::AtMost(limit)), ..self }
    }

    /// The same figure with a lower limit.
    #[must_use]
    pub fn at_least(self, limit: f64) -> Self {
        Self { limit: Some(Limit::AtLeast(limit)), ..self }
    }

    fn verdict(&self) -> Verdict {
        match (self.value.as_f64(), self.limit) {
            (None, _) if self.value.is_null() => Verdict::NotMeasured,
            (_, None) => Verdict::Free,
            (Some(value), Some(limit)) if limit.holds(value) => Verdict::Holds,
            (_, Some(_)) => Verdict::Broken,
        }
    }
}

/// The value rounded to four significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Within its limit.
    Holds,
    /// Beyond its limit.
    Broken,
    /// There is no limit.
    Free,
    /// There is no value.
    NotMeasured,
}

impl Verdict {
    fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken => "BROKEN",
            Self::Free => "",
            Self::NotMeasured => "not measured",
        }
    }
}

/// Figures in reading order.
#[derive(Clone, Debug, PartialEq)]
pub struct Report(pub Vec<Figure>);

impl Report {
    /// Whether no figure is beyond its limit.
    pub fn holds(&self) -> bool {
        self.0.iter().all(|figure| figure.verdict() != Verdict::Broken)
    }

    /// The report as a JSON object with a number or null for each figure.
    pub fn json(&self) -> String {
        // Writing cannot fail: keys are texts, and values numbers or null.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The report as a table: key, value, limit, whether the limit holds, and the meaning.
    pub fn table(&self) -> String {
        let key_width = self.0.iter().map(|figure| figure.key.len()).max().unwrap_or(0);
        let mut table = String::new();
        for figure in &self.0 {
            let value = if figure.value.is_null() { "–".to_owned() } else { figure.value.to_string() };
            let limit = figure.limit.map(|limit| limit.to_string()).unwrap_or_default();
            let (key, verdict, meaning) = (figure.key, figure.verdict().text(), figure.meaning);
            let _ = writeln!(table, "  {key:key_width$}  {value:>8}  {limit:8}  {verdict:12}  {meaning}");
        }
        table
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|figure| (figure.key, &figure.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(figure: &Figure, expected: Verdict) {
        assert_eq!(figure.verdict(), expected, "{figure:?}");
        assert_eq!(Report(vec![figure.clone()]).holds(), expected != Verdict::Broken);
    }

    #[test]
    fn limits_are_kept_up_to_and_including_themselves() {
        let figure = |value| Figure::measured("key", "", value);
        check(&figure(2.0).at_most(2.0), Verdict::Holds);
        check(&figure(2.001).at_most(2.0), Verdict::Broken);
        check(&figure(8.0).at_least(8.0), Verdict::Holds);
        check(&figure(7.99).at_least(8.0), Verdict::Broken);
        check(&figure(1e300), Verdict::Free);
        check(&Figure::count("key", "", 0).at_most(0.0), Verdict::Holds);
        check(&Figure::count("key", "", 1).at_most(0.0), Verdict::Broken);
    }

    #[test]
    fn what_could_not_be_measured_breaks_no_limit() {
        check(&Figure::if_measured("key", "", None).at_least(8.0), Verdict::NotMeasured);
        check(&Figure::if_measured("key", "", Some(7.0)).at_least(8.0), Verdict::Broken);
    }

    #[test]
    fn a_failed_measurement_is_no_passed_one() {
        // JSON has no NaN: it becomes null, which must not count as within the limit either.
        assert!(!Report(vec![Figure::measured("key", "", f64::NAN).at_most(2.0)]).table().contains("holds"));
    }

    #[test]
    fn json_keeps_the_order_and_counts_are_whole() {
        let report = Report(vec![
            Figure::measured("z_ms", "", 1.234_567),
            Figure::count("a", "", 3),
            Figure::if_measured("m", "", None),
        ]);
        assert_eq!(report.json(), "{\n  \"z_ms\": 1.235,\n  \"a\": 3,\n  \"m\": null\n}");
    }

    #[test]
    fn the_table_says_what_holds() {
        let report = Report(vec![
            Figure::measured("ratio", "this over that", 1.5).at_most(2.0),
            Figure::if_measured("speed_up", "that over this", None).at_least(8.0),
        ]);
        let table = "  ratio          1.5  ≤ 2       holds         this over that
  speed_up         –  ≥ 8       not measured  that over this
";
        assert_eq!(report.table(), table);
    }
}
