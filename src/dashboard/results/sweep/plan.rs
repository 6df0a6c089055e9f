//! The experiments of a sweep, and the portions in which engines run them.

use crate::protocol::{Generation, Portion, Request};
use crate::sim::scenario::Settings;

/// Approximate number of clients' data sets in a portion: a few milliseconds of work.
const CLIENTS_A_PORTION: usize = 2_500;

/// The experiments of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// One entry per point, series after series.
    pub points: Vec<Settings>,
    /// Number of points in a series; they are started coarse to fine.
    pub series_len: usize,
    /// Whether to compute the predictions at each point too.
    pub expects: bool,
    /// Additional experiments, started after every point has a first portion: pinned runs for comparison.
    pub aside: Vec<Settings>,
}

impl Plan {
    /// All experiments: the points, then those aside.
    pub(super) fn all(&self) -> impl Iterator<Item = &Settings> {
        self.points.iter().chain(&self.aside)
    }

    /// The settings of an experiment, by its index among all.
    pub(super) fn at(&self, index: usize) -> Option<&Settings> {
        let n_points = self.points.len();
        if index < n_points { self.points.get(index) } else { self.aside.get(index - n_points) }
    }

    /// The portions in the order in which they are computed: the first portions of all experiments, points coarse to
    /// fine, then the second ones, and so on.
    pub fn portions(&self) -> Vec<Portion> {
        let mut order = self.order();
        order.extend(self.points.len()..self.points.len() + self.aside.len());
        let (mut portions, mut round) = (Vec::new(), 0);
        loop {
            let before = portions.len();
            portions.extend(order.iter().filter_map(|&point| self.portion(point, round)));
            if portions.len() == before {
                return portions;
            }
            round += 1;
        }
    }

    /// The requests to the engines.
    pub fn requests(&self, generation: Generation) -> impl Iterator<Item = Request> {
        let request = move |portion: Portion| {
            let settings = self.at(portion.point)?.clone();
            Some(Request::Portion { generation, portion, settings })
        };
        self.portions().into_iter().filter_map(request)
    }

    fn portion(&self, point: usize, round: usize) -> Option<Portion> {
        let settings = self.at(point)?;
        let size = (CLIENTS_A_PORTION / settings.n_clients.max(1)).max(1);
        let (first, end) = (round * size, settings.n_trials.min((round + 1) * size));
        let expects = self.expects && round == 0 && point < self.points.len();
        (first < end).then_some(Portion { point, data_sets: first..end, expects })
    }

    /// Indices of the points, coarse to fine along each series: both ends, the middle, the quarters, …
    fn order(&self) -> Vec<usize> {
        let len = self.series_len.clamp(1, self.points.len().max(1));
        let series = || (0..self.points.len()).step_by(len);
        let mut order: Vec<usize> = Vec::new();
        let mut stride = len.next_power_of_two();
        let mut add = |place: usize| {
            for point in series().map(|first| first + place).filter(|&point| point < self.points.len()) {
                if !order.contains(&point) {
                    order.push(point);
                }
            }
        };
        add(0);
        add(len - 1);
        while stride > 0 {
            (0..len).step_by(stride).for_each(&mut add);
            stride /= 2;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;

    #[test]
    fn points_come_coarse_to_fine_and_each_once() {
        assert_eq!(plan(9, 1).order(), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
        let two = Plan { series_len: 3, ..plan(6, 1) };
        assert_eq!(two.order(), [0, 3, 2, 5, 1, 4]);
        for n in 0..20 {
            let mut order = plan(n, 1).order();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..n));
        }
    }

    #[test]
    fn portions_cover_every_data_set_once() {
        for (n_clients, n_trials, n_portions) in
            [(50, 25, 1), (50, 1_000, 20), (10_000, 3, 3), (1, 1, 1), (7, 1_000, 3)]
        {
            let settings = Settings { n_clients, n_trials, ..Settings::paper() };
            let portions = Plan { points: vec![settings], series_len: 1, expects: true, ..Plan::default() }.portions();
            assert_eq!(portions.len(), n_portions);
            assert!(portions.iter().flat_map(|portion| portion.data_sets.clone()).eq(0..n_trials));
            assert!(portions.iter().enumerate().all(|(index, portion)| portion.expects == (index == 0)));
        }
    }
}
