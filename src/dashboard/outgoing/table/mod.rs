//! The numbers of a chart as a table, shown beneath it and saved as CSV.
//!
//! The table of a sweep has one row per point, method and record, and columns for the settings in which points may
//! differ, so that any program can read it.

mod run;

use crate::dashboard::results::sweep::{Sweep, value_of};
use crate::dashboard::run::picture::pooled;
use crate::dashboard::run::readout::expected_of;
use crate::dashboard::words::names::{method_name, reference_name, whose};
use crate::dashboard::words::table::Table;
use crate::params::Key;
use crate::params::table::words;
use crate::params::views::SweepOf;
use crate::sim::estimate::EstimateError;
use crate::sim::scenario::{Settings, Start};
use crate::sim::stats::Running;

pub use run::{of_anatomy, of_bound, of_join, of_map, of_run};

/// The settings that every row states.
const KEYS: [Key; 6] =
    [Key::Clients, Key::Rollouts, Key::Heterogeneity, Key::LocalSteps, Key::StepSize, Key::RolloutLen];

/// The rounds that have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedRounds {
    /// All recorded rounds.
    All,
    /// The last round.
    Last,
}

/// The table of a sweep, with the results so far.
pub fn of(sweep: &Sweep, rounds: ListedRounds) -> Table {
    of_family(sweep, rounds, None)
}

/// The same, where a swept setting that has no column has one of its own.
pub fn of_family(sweep: &Sweep, rounds: ListedRounds, of: Option<&SweepOf>) -> Table {
    let of = of.filter(|of| of.key != Key::Seed && !KEYS.contains(&of.key));
    let names = KEYS.iter().chain(of.map(|of| &of.key)).map(|key| key.param().link);
    let header = names.chain([
        "seed",
        "start",
        "error of",
        "estimate",
        "round",
        "data sets",
        "mean error",
        "standard error",
        "error ÷ pooled",
        "predicted",
    ]);
    let mut table = Table { header: header.map(str::to_owned).collect(), rows: Vec::new() };
    for (index, settings) in sweep.plan.points.iter().enumerate() {
        let swept = of.and_then(|of| of.values.get(index)).map(|&value| words(value));
        table.add(sweep, index, &Table::begin(settings, swept), rounds);
    }
    table
}

impl Table {
    fn add(&mut self, sweep: &Sweep, index: usize, begin: &[String], which: ListedRounds) {
        let Some(summary) = sweep.summary(index) else { return };
        let (theory, by) = (sweep.theory(index), pooled(summary));
        for (place, method) in summary.methods.iter().enumerate() {
            let expected = theory.and_then(|theory| theory.methods.get(place)?.prediction.as_ref().ok());
            let first = if which == ListedRounds::Last { summary.rounds.len().saturating_sub(1) } else { 0 };
            for record in first..summary.rounds.len() {
                let round = summary.rounds[record].to_string();
                let expected = expected.and_then(|prediction| prediction.means.get(record).copied());
                self.row(begin, method_name(method.method), round, &method.errors[record], (expected, by));
            }
        }
        for reference in &summary.references {
            let name = reference_name(reference.reference, sweep.plan.points[index].target);
            match reference.error {
                Ok(error) => {
                    self.row(begin, name, String::new(), &error, (expected_of(theory, reference.reference), by));
                }
                Err(reason) => self.row_without(begin, name, reason),
            }
        }
    }

    fn row(
        &mut self,
        begin: &[String],
        name: String,
        round: String,
        error: &Running,
        (expected, by): (Option<f64>, Option<f64>),
    ) {
        let mut row = begin.to_vec();
        row.extend([name, round, error.n().to_string(), number(error.mean()), number(error.standard_error())]);
        row.extend([by.map(|by| error.mean() / by), expected].map(|value| value.map_or_else(String::new, number)));
        self.rows.push(row);
    }

    fn row_without(&mut self, begin: &[String], name: String, reason: EstimateError) {
        let mut row = begin.to_vec();
        row.extend([name, String::new(), "0".into(), reason.to_string(), String::new(), String::new(), String::new()]);
        self.rows.push(row);
    }

    /// The settings of a row, with the value of a swept one that has a column of its own.
    fn begin(settings: &Settings, swept: Option<String>) -> Vec<String> {
        let values = KEYS.iter().map(|&key| value_of(key, settings).to_string());
        let start = match settings.start {
            Start::Zero => "zero",
            Start::Nominal => "nominal",
            Start::HalfOfClient1 => "half of client 1",
            Start::Given(_) => "given",
        };
        values.chain(swept).chain([settings.seed.0.to_string(), start.into(), whose(settings.target)]).collect()
    }
}

/// A number with all digits; empty for NaN.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::sweep::Plan;
    use crate::dashboard::results::sweep::tests::complete;
    use crate::dashboard::views::family;
    use crate::params::{Draft, State};
    use crate::sim::target::Target;

    fn sweep() -> Sweep {
        let settings = |n: usize| Settings { n_clients: 2, n_rounds: 3, data: plan(n), ..Settings::paper() };
        complete(&Plan { points: vec![settings(1), settings(25)], series_len: 2, expects: true, ..Plan::default() })
    }

    fn plan(n: usize) -> crate::sim::plan::FleetPlan {
        use crate::sim::plan::{DataPlan, NoiseLevels};
        DataPlan { n_rollouts: n, rollout_len: 4, noise: NoiseLevels::UNIT }.into()
    }

    #[test]
    fn every_number_is_there_in_full() {
        let sweep = sweep();
        let all = of(&sweep, ListedRounds::All);
        assert_eq!((all.header.len(), all.rows.len()), (16, 2 * (2 * 4 + 3)));
        assert!(all.rows.iter().all(|row| row.len() == 16));
        let last = of(&sweep, ListedRounds::Last);
        assert_eq!(last.rows.len(), 2 * (2 + 3));
        let end = sweep.summary(1).unwrap().methods[1].errors[3].mean();
        let row = last.rows.iter().find(|row| row[9] == "FedLin" && row[1] == "25").unwrap();
        assert_eq!(row[12].parse::<f64>().unwrap().to_bits(), end.to_bits());
        assert!(row[15].parse::<f64>().is_ok());
        let pooled = last.rows.iter().find(|row| row[9] == "pooled" && row[1] == "25").unwrap();
        assert_eq!(pooled[14], "1");
        let multiple = end / pooled[12].parse::<f64>().unwrap();
        assert_eq!(row[14].parse::<f64>().unwrap().to_bits(), multiple.to_bits());
    }

    /// Rows of different points differ, whatever is swept.
    #[test]
    fn a_swept_setting_has_its_column() {
        let swept = |query: &str| {
            let (draft, views) = (Draft::from_query("M=2&R=2&q=1&alg=fedprox").0, State::from_query(query).0.views);
            let of = views.sweep.unwrap();
            of_family(&complete(&family::plan(&draft, &of)), ListedRounds::Last, Some(&of))
        };
        let pull = swept("sweep=mu:0,1.5");
        assert_eq!((pull.header[6].as_str(), pull.header.len()), ("mu", 17));
        let said: Vec<_> = pull.rows.iter().map(|row| row[6].as_str()).collect();
        assert_eq!(said, [["0"; 4], ["1.5"; 4]].as_flattened());
        assert!(pull.rows.iter().all(|row| row.len() == 17));
        assert_eq!(swept("sweep=R:1,2").header[6], "R");
        for has_one in ["sweep=M:1,2", "sweep=seed:1,2"] {
            assert_eq!(swept(has_one).header.len(), 16, "{has_one}");
        }
    }

    /// Experiments of the paper's figures may differ in start and target only.
    #[test]
    fn rows_say_where_they_start_and_whose_error_they_hold() {
        let settings = |start, target| Settings { n_clients: 2, n_rounds: 1, start, target, ..Settings::paper() };
        let points = vec![settings(Start::Zero, Target::Client(1)), settings(Start::HalfOfClient1, Target::Client(0))];
        let table = of(&complete(&Plan { points, series_len: 2, ..Plan::default() }), ListedRounds::Last);
        let said: Vec<_> = table.rows.iter().map(|row| (row[7].as_str(), row[8].as_str())).collect();
        let expected = [[("zero", "client 2"); 5], [("half of client 1", "client 1"); 5]];
        assert_eq!(said, expected.as_flattened());
    }

    #[test]
    fn what_has_no_number_has_its_reason_quoted() {
        let csv = of(&sweep(), ListedRounds::Last).csv();
        assert_eq!(csv.lines().count(), 11);
        assert!(csv.starts_with(
            "M,N,eps,K,alpha,T,seed,start,error of,estimate,round,data sets,mean error,standard error,error ÷ pooled,predicted\r\n"
        ));
        assert!(csv.contains(",\"least squares needs at least 5 samples (N·T), client 1 has 4\","), "{csv}");
    }
}
