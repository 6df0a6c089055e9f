//! A test bench for methods: clients with samples for the textbook, and with moments for the method.

use super::affine::RoundMap;
use super::{Method, Round, Update, begin};
use crate::Matrix;
use crate::estimate::least_squares;
use crate::family::{Family, Place, Placement};
use crate::fleet::Fleet;
use crate::local_map::{FleetMaps, StepRule};
use crate::moments::Moments;
use crate::participation::{Participants, Participation};
use crate::plan::{DataPlan, NoiseLevels};
use crate::samples::{Samples, simulate_samples};
use crate::stream::{Purpose, Seed, stream};
use crate::system::LinearSystem;
use crate::target::Models;
use crate::textbook::{Steps, Textbook};

const SEED: Seed = Seed(11);

/// Clients' data, and their steps.
#[derive(Clone)]
pub(super) struct Bench {
    systems: Vec<LinearSystem>,
    samples: Vec<Samples>,
    n_local_steps: Vec<usize>,
    step_size: f64,
}

impl Bench {
    fn of(systems: Vec<LinearSystem>, n_rollouts: usize) -> Self {
        let plan = DataPlan { n_rollouts, rollout_len: 4, noise: NoiseLevels::UNIT };
        let samples = |(client, system)| simulate_samples(system, &plan, &mut stream(SEED, Purpose::Data, 0, client));
        let samples: Vec<_> = systems.iter().enumerate().map(samples).collect();
        let n_local_steps = vec![10; systems.len()];
        Self { systems, samples, n_local_steps, step_size: 3e-4 }
    }

    fn placed(n_clients: usize, n_rollouts: usize, place: impl Fn(usize) -> Place) -> Self {
        let member = |client| Family::paper().member(place(client), 0.6).unwrap();
        Self::of((0..n_clients).map(member).collect(), n_rollouts)
    }

    /// Eleven clients with different systems and numbers of local steps.
    pub(super) fn new() -> Self {
        let mut bench = Self::placed(11, 6, |client| Placement::Uniform.place(SEED, client));
        bench.n_local_steps = (0..11).map(|client| 1 + client * 7 % 12).collect();
        bench
    }

    /// Clients that all have the nominal system, with much data.
    pub(super) fn alike(n_clients: usize) -> Self {
        Self::placed(n_clients, 60, |_| Place { a: 0.0, b: 0.0 })
    }

    /// Clients with one of two systems; clients 1, 4, 7, … have the same.
    pub(super) fn two_clusters(n_clients: usize) -> Self {
        Self::placed(
            n_clients,
            40,
            |client| if client % 3 == 0 { Place { a: 0.0, b: 0.0 } } else { Place { a: 0.9, b: 0.9 } },
        )
    }

    /// The planted cluster of a client of [`two_clusters`](Self::two_clusters): `true` for client 1's.
    pub(super) fn cluster(&self, client: usize) -> bool {
        self.systems[client] == self.systems[0]
    }

    /// The same clients with equal steps.
    pub(super) fn with_steps(&self, step_size: f64, n_local_steps: usize) -> Self {
        Self { step_size, n_local_steps: vec![n_local_steps; self.samples.len()], ..self.clone() }
    }

    /// The same clients, but one has next states from a system that is off by `size` in every entry.
    pub(super) fn with_outlier(mut self, client: usize, size: f64) -> Self {
        let Samples { z, next } = &mut self.samples[client];
        *next += Matrix::from_element(next.nrows(), z.nrows(), size) * &*z;
        self
    }

    /// Client 1's true Θ.
    pub(super) fn truth(&self) -> Matrix {
        self.systems[0].theta()
    }

    pub(super) fn fleet(&self) -> Fleet {
        let mut fleet = Fleet::new(self.systems[0].dims());
        for (samples, &n_local_steps) in self.samples.iter().zip(&self.n_local_steps) {
            fleet.add(&samples.moments(), n_local_steps);
        }
        fleet
    }

    pub(super) fn pooled_where(&self, counts: impl Fn(usize) -> bool) -> Matrix {
        let mut total = Moments::zeros(self.systems[0].dims());
        let members = self.samples.iter().enumerate().filter(|(client, _)| counts(*client));
        members.for_each(|(_, samples)| total.add(&samples.moments()));
        least_squares(&total).unwrap()
    }

    pub(super) fn mean_of_locals(&self) -> Matrix {
        let locals = self.samples.iter().map(|samples| least_squares(&samples.moments()).unwrap());
        locals.sum::<Matrix>() / self.samples.len() as f64
    }

    /// The server's model after `n_rounds` rounds with full participation, from zero.
    pub(super) fn run(&self, method: Method, n_rounds: usize) -> Matrix {
        let update = self.after(method, n_rounds);
        match update.models() {
            Models::Shared(model) => model.clone(),
            Models::Clustered { .. } => unreachable!("a clustered method has no one model"),
        }
    }

    /// The clusters' models and the clients' clusters after `n_rounds` rounds with full participation.
    pub(super) fn run_clustered(&self, method: Method, n_rounds: usize) -> (Vec<Matrix>, Vec<usize>) {
        let update = self.after(method, n_rounds);
        match update.models() {
            Models::Shared(_) => unreachable!("a method with one model has no clusters"),
            Models::Clustered { models, of } => (models.to_vec(), of.to_vec()),
        }
    }

    /// The first round's map with full participation, and its contraction.
    pub(super) fn round_map(&self, method: Method) -> (RoundMap, f64) {
        let (fleet, maps) = self.fleet_and_maps(method);
        let who = Participants::everybody(fleet.n_clients());
        let mut update = begin(method.solver, &fleet, &self.truth());
        let map = update.round_map(Round { fleet: &fleet, maps: &maps, who: &who }).unwrap().clone();
        (map, update.contraction().unwrap())
    }

    fn after(&self, method: Method, n_rounds: usize) -> Box<dyn Update> {
        let (fleet, mut maps) = self.fleet_and_maps(method);
        let who = Participants::everybody(fleet.n_clients());
        let mut update = begin(method.solver, &fleet, &(self.truth() * 0.0));
        for round in 0..n_rounds {
            if !maps.repeat() {
                maps.set_round(&fleet, round, n_rounds);
            }
            update.round(Round { fleet: &fleet, maps: &maps, who: &who });
        }
        update
    }

    fn fleet_and_maps(&self, method: Method) -> (Fleet, FleetMaps) {
        let fleet = self.fleet();
        let rule = StepRule { schedule: method.schedule, step_size: self.step_size, pull: method.solver.pull() };
        let maps = FleetMaps::new(&fleet, rule);
        (fleet, maps)
    }

    /// Compares every client's model in every round with the textbook's, to a relative 1e-10, with half of the clients
    /// taking part.
    #[track_caller]
    pub(super) fn check_against_textbook(&self, method: Method) {
        const ROUNDS: usize = 25;
        let (fleet, mut maps) = self.fleet_and_maps(method);
        let first = self.truth() * 0.5;
        let mut update = begin(method.solver, &fleet, &first);
        let steps = Steps { step_size: self.step_size, n_local_steps: 1, n_rounds: ROUNDS };
        let firsts = match update.models() {
            Models::Shared(model) => vec![model.clone()],
            Models::Clustered { models, .. } => models.to_vec(),
        };
        let mut textbook = Textbook::new(&self.samples, method, steps, firsts);
        textbook.n_local_steps.clone_from(&self.n_local_steps);
        let mut who = Participants::everybody(fleet.n_clients());
        for round in 0..ROUNDS {
            maps.set_round(&fleet, round, ROUNDS);
            who.draw(Participation::Fraction(0.5), SEED, 0, round);
            let weights: Vec<_> = who.weights().iter().flat_map(|weights| weights.0).collect();
            let taking_part: Vec<_> = (0..weights.len()).filter(|&client| weights[client] > 0.0).collect();
            update.round(Round { fleet: &fleet, maps: &maps, who: &who });
            textbook.round(round, &taking_part);
            for client in 0..fleet.n_clients() {
                let expected = &textbook.models[textbook.of[client]];
                let got = match update.models() {
                    Models::Shared(model) => model,
                    Models::Clustered { models, of } => &models[of[client]],
                };
                let far = (got - expected).amax();
                assert!(far <= 1e-10 * expected.amax(), "{method:?} round {round}, client {client}: {far}");
            }
        }
    }
}
