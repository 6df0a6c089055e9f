//! The plan of a map: fleet sizes, the clients whose error counts at each size, and the meaning of the rows.

use std::ops::Range;

use super::Rows;
use super::fleet::{ClientBlock, Clients, Pooled};
use crate::NoPrediction;
use crate::law::{Law, for_few, representative_blocks, representatives};
use fedsysid_sim::family::Place;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::scenario::{Count, Scenario};
use fedsysid_sim::target::{Target, Truth};

/// Fleets with more clients than this are represented by this many, at even distances; it is also the number of draws,
/// as in [`law`](crate::law). `LEAST_DRAWS` is the least number of draws for one client.
const CHOSEN: usize = 512;
const LEAST_DRAWS: usize = 16;

/// So many clients are enough for the ratio of mean norms to root mean squares of clients' own errors.
const ALIKE: usize = 64;
/// Up to so many clients, every row is a node.
const FEW_CLIENTS: f64 = 4.0;
/// Approximate ratio between the places of successive nodes.
const NODE_RATIO: f64 = 2.5;

/// The plan of a map.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) target: Target,
    pub(super) clients: Clients,
    /// The numbers of clients M, ascending.
    pub(super) sizes: Vec<usize>,
    /// For each size, the centre of the clients whose error counts.
    pub(super) centres: Vec<Centre>,
    pub(super) rows: Vec<Row>,
    /// The row of the settings themselves; if there is none, the next larger one.
    present: usize,
    /// The deviations of all clients from the nominal system at ε = 1, eight at a time; and the target client's, in
    /// every lane.
    directions: Vec<LaneMatrix>,
    counting: Option<LaneMatrix>,
    /// The rows' places on the y axis: M or N.
    pub(super) places: Vec<f64>,
}

/// The mean of the systems whose error counts, and their spread around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    /// The place of the mean system in the family.
    pub(super) place: Place,
    /// Mean of `‖Θ⁽ⁱ⁾ − mean‖_F²` at ε = 1.
    pub(super) spread: f64,
}

/// A row of the map: fleets of one size, with rollouts scaled by one factor.
#[derive(Debug)]
pub(super) struct Row {
    /// Index of M among the sizes.
    pub(super) size: usize,
    /// The factor on all N_i.
    pub(super) scale: f64,
    /// The finite-sample factor of the pooled noise; NaN if there are too few samples.
    pub(super) for_few: f64,
    /// For the clients whose own error counts: their index in `own_squares`, and the factor on that square in this row.
    own: Vec<(usize, f64)>,
}

impl Row {
    /// Whether there are enough samples for both errors to have a finite mean.
    pub(super) fn has_enough(&self) -> bool {
        !self.for_few.is_nan() && self.own.iter().all(|(_, factor)| !factor.is_nan())
    }

    /// The root mean square error of a client's own estimate, or its mean over all clients.
    pub(super) fn own(&self, squares: &[f64]) -> f64 {
        let root = |&(at, factor): &(usize, f64)| squares.get(at).map_or(f64::NAN, |square| (square * factor).sqrt());
        self.own.iter().map(root).sum::<f64>() / self.own.len() as f64
    }
}

impl Plan {
    pub(super) fn new(scenario: &Scenario, rows: Rows) -> Result<Self, NoPrediction> {
        let settings = scenario.settings();
        if settings.target == Target::Worst {
            return Err(NoPrediction::Worst);
        }
        let (sizes, scales, places, present) = match rows {
            Rows::Clients(counts) => {
                let counts = super::super::counts(counts, Count::Clients.limits());
                let places: Vec<_> = counts.iter().map(|&count| count as f64).collect();
                (counts, None, places, settings.n_clients as f64)
            }
            Rows::Rollouts(counts) => {
                let counts = super::super::counts(counts, Count::Rollouts.limits());
                let first = scenario.plan(0).n_rollouts as f64;
                let places: Vec<_> = counts.iter().map(|&count| count as f64).collect();
                let scales: Vec<_> = places.iter().map(|place| place / first).collect();
                (vec![settings.n_clients], Some(scales), places, first)
            }
        };
        let least = if let Target::Client(client) = settings.target { client + 1 } else { 0 };
        let clients = Clients::new(scenario, sizes.last().map_or(0, |&most| most).max(least));
        let centres = centres(&clients, settings.target, &sizes);
        let present = places.partition_point(|place| *place < present);
        let directions = clients.places().chunks(LANES).map(|places| clients.directions(places)).collect();
        let counting = match settings.target {
            Target::Client(client) => Some(clients.directions(&[clients.places()[client]; LANES])),
            Target::Mean | Target::Worst => None,
        };
        let mut plan = Self {
            target: settings.target,
            clients,
            sizes,
            centres,
            rows: Vec::new(),
            present,
            directions,
            counting,
            places,
        };
        plan.rows = match scales {
            None => (0..plan.sizes.len()).map(|size| plan.row(size, 1.0)).collect(),
            Some(scales) => scales.into_iter().map(|scale| plan.row(0, scale)).collect(),
        };
        Ok(plan)
    }

    fn row(&self, size: usize, scale: f64) -> Row {
        let d = self.clients.family().dims().n_regressors();
        let m = self.sizes[size];
        let samples = |client: usize| scale * self.clients.n_samples(client);
        // NaN if there are too few samples.
        let for_few = |n_samples: f64| for_few(n_samples, d).unwrap_or(f64::NAN);
        let own = |(at, client): (usize, usize)| (at, for_few(samples(client)) / scale);
        let counting: Vec<(usize, usize)> = match self.target {
            Target::Client(client) => vec![(0, client)],
            Target::Mean | Target::Worst => representatives(m).map(|client| (client, client)).collect(),
        };
        let for_few_in_all = for_few((0..m).map(samples).sum());
        Row { size, scale, for_few: for_few_in_all, own: counting.into_iter().map(own).collect() }
    }

    /// The rows at which mean norms are computed: rows at even ratios, the row of the settings, and all rows of a few
    /// clients, where each client makes a difference.
    pub(super) fn nodes(&self) -> Vec<usize> {
        let few = if self.sizes.len() > 1 { FEW_CLIENTS } else { 0.0 };
        let mut nodes: Vec<usize> = Vec::new();
        for (row, &place) in self.places.iter().enumerate() {
            let last = nodes.last().map_or(0.0, |&node| self.places[node]);
            // The next row would be too far away.
            let is_due = self.places.get(row + 1).is_none_or(|&next| next > NODE_RATIO * last);
            if is_due || place <= few || row == self.present {
                nodes.push(row);
            }
        }
        nodes
    }

    /// The pooled law in a row, from the one of its size.
    pub(super) fn law(&self, pooled: &Pooled, row: usize) -> Law {
        let Row { scale, for_few, .. } = self.rows[row];
        let mean = &pooled.mean + self.clients.family().nominal().theta();
        Law { mean, covariance: &pooled.covariance * (for_few / scale) }
    }

    /// The systems whose errors count at a size, in blocks of eight: their deviations from the nominal system at ε = 1,
    /// and weights (1 or 0).
    pub(super) fn counting(&self, size: usize) -> impl Iterator<Item = (&LaneMatrix, Lanes)> {
        let m = if self.counting.is_some() { LANES } else { self.sizes[size] };
        blocks(m).map(move |block| {
            let directions = self.counting.as_ref().unwrap_or(&self.directions[block]);
            (directions, Lanes::from_fn(|lane| f64::from(u8::from(block * LANES + lane < m))))
        })
    }

    /// The deviations from the nominal system at ε = 1 of the block of clients from `first` on, a multiple of eight.
    pub(super) fn directions(&self, first: usize) -> &LaneMatrix {
        &self.directions[first / LANES]
    }

    pub(super) fn rows_of(&self, size: usize) -> Range<usize> {
        if self.rows.iter().all(|row| row.size == 0) { 0..self.rows.len() } else { size..size + 1 }
    }

    pub(super) fn n_clients(&self) -> usize {
        self.clients.places().len()
    }

    /// Number of blocks of clients up to the largest size.
    pub(super) fn n_blocks(&self) -> usize {
        self.sizes.last().map_or(0, |most| most.div_ceil(LANES))
    }

    /// `n ν_i tr Γ_i⁻¹` of the clients of a block.
    pub(super) fn own_squares(&self, block: &ClientBlock) -> impl Iterator<Item = f64> + use<> {
        let covariances = block.own_covariances();
        let n = self.clients.family().dims().n_states as f64;
        (0..LANES).map(move |lane| n * (0..covariances.rows()).map(|k| covariances[(k, k)].0[lane]).sum::<f64>())
    }

    /// The clients that represent those whose own errors count.
    pub(super) fn own_clients(&self) -> Range<usize> {
        match self.target {
            Target::Client(client) => client..client + 1,
            Target::Mean | Target::Worst => 0..self.n_clients().min(ALIKE),
        }
    }

    /// At this size: the number of draws for each of these clients' mean norms, and the number of clients used. There
    /// are as few draws as in [`alone`](crate::law::alone), since the draws are always the same and its result should
    /// be met.
    pub(super) fn own_draws(&self, size: usize) -> (usize, usize) {
        if let Target::Client(_) = self.target {
            return (CHOSEN, 1);
        }
        let m = self.sizes[size];
        let n_draws = (CHOSEN / m.min(CHOSEN)).max(LEAST_DRAWS).next_multiple_of(LANES);
        (n_draws, m.min(if n_draws == LEAST_DRAWS { ALIKE } else { LANES }))
    }

    /// The systems whose errors count at this size; `None` if one of them overflows.
    pub(super) fn truth(&self, size: usize, heterogeneity: f64) -> Option<Truth> {
        let system = |client| self.clients.system(client, heterogeneity).ok();
        Some(match self.target {
            Target::Client(client) => Truth::new(Target::Client(0), &[system(client)?]),
            // Of large fleets, the clients in evenly spaced blocks.
            Target::Mean | Target::Worst => {
                let m = self.sizes[size];
                let clients = blocks(m).flat_map(|block| block * LANES..((block + 1) * LANES).min(m));
                Truth::new(Target::Mean, &clients.map(system).collect::<Option<Vec<_>>>()?)
            }
        })
    }
}

/// Indices of the blocks of eight that represent the first `m` clients, as in [`MeanNorms`](crate::law::MeanNorms).
fn blocks(m: usize) -> impl Iterator<Item = usize> {
    representative_blocks(m.div_ceil(LANES), CHOSEN / LANES)
}

fn centres(clients: &Clients, target: Target, sizes: &[usize]) -> Vec<Centre> {
    let places = clients.places();
    if let Target::Client(client) = target {
        return vec![Centre { place: places[client], spread: 0.0 }; sizes.len()];
    }
    let (v, u) = (clients.family().a_pattern().norm_squared(), clients.family().b_pattern().norm_squared());
    let centre = |&size: &usize| {
        let mean = |of: &dyn Fn(&Place) -> f64| places[..size].iter().map(of).sum::<f64>() / size as f64;
        let place = Place { a: mean(&|place| place.a), b: mean(&|place| place.b) };
        let spread = v * mean(&|other| (other.a - place.a).powi(2)) + u * mean(&|other| (other.b - place.b).powi(2));
        Centre { place, spread }
    };
    sizes.iter().map(centre).collect()
}
