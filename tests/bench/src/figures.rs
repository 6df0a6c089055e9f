//! The figures of the measurements, and their limits.

use crate::report::{Figure, Report};

/// Limit on the longest step in milliseconds, with room for a busy machine.
const LONGEST_STEP: f64 = 200.0;

/// Native measurements; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Native {
    /// The default cell.
    pub cell: f64,
    /// Drawing as many normals as the cell's samples consist of.
    pub floor: f64,
    /// Drawing the random numbers that the simulator itself draws for the cell.
    pub own_draws: f64,
    /// The cell by the loop as the paper prints it, with all samples kept.
    pub textbook: f64,
    /// The cell with N = 100.
    pub n_100: f64,
    /// The cell with N = 10⁹.
    pub n_1e9: f64,
    /// The cell with R = 10⁶.
    pub rounds_1e6: f64,
    /// One data set of M = 10⁴ clients with N = 10⁶.
    pub m_10000: f64,
    /// All predictions for the paper's two methods.
    pub theory: f64,
    /// The map of 60 × 60 payoffs for the cell.
    pub payoff_map: f64,
    /// The map of 60 × 60 contractions for the cell.
    pub stability_map: f64,
    /// The longest step of all, at the corners of the settings' ranges.
    pub longest_step: f64,
    /// The cell in NumPy, if this machine has NumPy.
    pub numpy: Option<f64>,
    /// Allocations that the inner loops add to a data set.
    pub inner_allocations: u64,
    /// Allocations of a data set.
    pub allocations: u64,
}

impl Native {
    /// The figures of `cargo xtask bench`.
    pub fn report(&self) -> Report {
        let speedup_over_numpy = self.numpy.map(|numpy| numpy / self.cell);
        Report(vec![
            Figure::measured("default_cell_ms", "the paper's default cell for FedLin, 25 data sets", self.cell),
            Figure::measured(
                "rng_floor_ms",
                "drawing the normals that its samples consist of, nothing else",
                self.floor,
            ),
            Figure::measured("ratio_to_floor", "the cell over that floor", self.cell / self.floor).at_most(2.0),
            Figure::measured("own_draws_ms", "drawing what the simulator draws for it, nothing else", self.own_draws),
            Figure::measured("ratio_to_own_draws", "the cell over those draws", self.cell / self.own_draws),
            Figure::measured("textbook_ms", "gradients from all samples at every local step", self.textbook),
            Figure::measured("speedup_over_textbook", "that over the cell", self.textbook / self.cell).at_least(200.0),
            Figure::measured("n_1e9_over_n_100", "N = 10⁹ over N = 100", self.n_1e9 / self.n_100).at_most(1.2),
            Figure::measured("rounds_1e6_ms", "the cell with R = 10⁶", self.rounds_1e6).at_most(200.0),
            Figure::measured("m_10000_ms", "one data set of M = 10⁴, N = 10⁶", self.m_10000),
            Figure::measured("theory_ms", "all that is to be expected of the paper's two methods", self.theory)
                .at_most(5.0),
            Figure::measured("payoff_map_ms", "a map of 60 × 60 predicted payoffs over ε and M", self.payoff_map)
                .at_most(50.0),
            Figure::measured("stability_map_ms", "a map of 60 × 60 contractions over α and K", self.stability_map)
                .at_most(50.0),
            Figure::measured("longest_step_ms", "for so long a worker hears nothing, at most", self.longest_step)
                .at_most(LONGEST_STEP),
            Figure::count("alloc_in_inner_loop", "allocations added by more M, N, T, K or R", self.inner_allocations)
                .at_most(0.0),
            Figure::count("alloc_per_data_set", "allocations of a data set, all in all", self.allocations),
            Figure::if_measured("numpy_best_ms", "the cell in NumPy at its best", self.numpy),
            Figure::if_measured("speedup_over_numpy", "that over the cell", speedup_over_numpy).at_least(8.0),
        ])
    }
}

/// Measurements in a browser, and native ones beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InBrowser {
    /// Milliseconds for the default cell in a worker.
    pub wasm: f64,
    /// Milliseconds for the default cell natively.
    pub native: f64,
    /// Milliseconds for the slowest of the three maps in a worker, 60 × 60 cells each.
    pub map: f64,
    /// Milliseconds from a press to the first curve of the paper's Figure 1(a).
    pub first_curve: f64,
    /// Milliseconds for all 15 curves of Figures 1(a), (b) and (c).
    pub paper_figure1: f64,
    /// Milliseconds for the 15 points of the trade-off over ε.
    pub trade_off: f64,
    /// Bytes of a worker's memory: the largest after the largest experiments.
    pub memory: f64,
}

impl InBrowser {
    /// The figures of `cargo xtask bench browser`.
    pub fn report(&self) -> Report {
        Report(vec![
            Figure::measured("wasm_ms", "the paper's default cell for FedLin in a worker", self.wasm),
            Figure::measured("native_ms", "the same natively", self.native),
            Figure::measured("wasm_over_native", "the one over the other", self.wasm / self.native).at_most(1.3),
            Figure::measured("map_ms", "the slowest of the maps of 60 × 60 cells in a worker", self.map).at_most(50.0),
            Figure::measured("paper_first_curve_ms", "from a press to the paper's first curve", self.first_curve)
                .at_most(100.0),
            Figure::measured("paper_figure1_ms", "all 15 curves of Figures 1(a–c)", self.paper_figure1)
                .at_most(1_000.0),
            Figure::measured("trade_off_ms", "the 15 points of the trade-off over ε", self.trade_off).at_most(1_000.0),
            Figure::measured("wasm_memory_mb", "a worker's memory after the largest experiments", self.memory / 1e6)
                .at_most(64.0),
        ])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const GOOD: Native = Native {
        cell: 4.0,
        floor: 2.0,
        own_draws: 0.5,
        textbook: 800.0,
        n_100: 10.0,
        n_1e9: 12.0,
        rounds_1e6: 200.0,
        m_10000: 90.0,
        theory: 5.0,
        payoff_map: 50.0,
        stability_map: 49.0,
        longest_step: 200.0,
        numpy: Some(32.0),
        inner_allocations: 0,
        allocations: 17,
    };

    const GOOD_IN_BROWSER: InBrowser = InBrowser {
        wasm: 5.2,
        native: 4.0,
        map: 50.0,
        first_curve: 100.0,
        paper_figure1: 1_000.0,
        trade_off: 1_000.0,
        memory: 64e6,
    };

    fn parsed(report: &Report) -> Value {
        serde_json::from_str(&report.json()).unwrap()
    }

    #[test]
    fn the_keys_and_the_ratios_are_those_promised() {
        let expected = json!({
            "default_cell_ms": 4.0, "rng_floor_ms": 2.0, "ratio_to_floor": 2.0,
            "own_draws_ms": 0.5, "ratio_to_own_draws": 8.0,
            "textbook_ms": 800.0, "speedup_over_textbook": 200.0,
            "n_1e9_over_n_100": 1.2, "rounds_1e6_ms": 200.0, "m_10000_ms": 90.0, "theory_ms": 5.0,
            "payoff_map_ms": 50.0, "stability_map_ms": 49.0, "longest_step_ms": 200.0,
            "alloc_in_inner_loop": 0, "alloc_per_data_set": 17,
            "numpy_best_ms": 32.0, "speedup_over_numpy": 8.0,
        });
        assert_eq!(parsed(&GOOD.report()), expected);
        let expected = json!({ "wasm_ms": 5.2, "native_ms": 4.0, "wasm_over_native": 1.3, "map_ms": 50.0,
            "paper_first_curve_ms": 100.0, "paper_figure1_ms": 1000.0, "trade_off_ms": 1000.0, "wasm_memory_mb": 64.0 });
        assert_eq!(parsed(&GOOD_IN_BROWSER.report()), expected);
    }

    #[test]
    fn without_numpy_two_figures_are_null() {
        let report = parsed(&Native { numpy: None, ..GOOD }.report());
        assert_eq!((&report["numpy_best_ms"], &report["speedup_over_numpy"]), (&Value::Null, &Value::Null));
    }

    #[track_caller]
    fn check(report: &Report, holds: bool) {
        assert_eq!(report.holds(), holds, "{}", report.table());
    }

    #[test]
    fn every_limit_holds_at_its_edge_and_breaks_beyond_it() {
        check(&GOOD.report(), true);
        check(&Native { floor: 1.99, ..GOOD }.report(), false);
        check(&Native { textbook: 799.0, ..GOOD }.report(), false);
        check(&Native { n_1e9: 12.1, ..GOOD }.report(), false);
        check(&Native { rounds_1e6: 201.0, ..GOOD }.report(), false);
        check(&Native { inner_allocations: 1, ..GOOD }.report(), false);
        check(&Native { theory: 5.01, ..GOOD }.report(), false);
        check(&Native { payoff_map: 50.1, ..GOOD }.report(), false);
        check(&Native { stability_map: 50.1, ..GOOD }.report(), false);
        check(&Native { longest_step: 200.1, ..GOOD }.report(), false);
        check(&Native { numpy: Some(31.0), ..GOOD }.report(), false);
        check(&Native { numpy: None, m_10000: 1e9, allocations: 1_000, ..GOOD }.report(), true);
        check(&GOOD_IN_BROWSER.report(), true);
        check(&InBrowser { wasm: 5.3, ..GOOD_IN_BROWSER }.report(), false);
        check(&InBrowser { memory: 64.1e6, ..GOOD_IN_BROWSER }.report(), false);
        check(&InBrowser { map: 50.1, ..GOOD_IN_BROWSER }.report(), false);
        check(&InBrowser { first_curve: 100.1, ..GOOD_IN_BROWSER }.report(), false);
        check(&InBrowser { paper_figure1: 1_001.0, ..GOOD_IN_BROWSER }.report(), false);
        check(&InBrowser { trade_off: 1_001.0, ..GOOD_IN_BROWSER }.report(), false);
    }
}
