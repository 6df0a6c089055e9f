//! Clustered identification: each client chooses the cluster whose model fits its data best, and the server averages
//! within clusters.
//!
//! ```text
//! client i:  chooses the cluster j of least cost ‖X_i − Θ_jZ_i‖_F² = tr(Θ_jS_iΘ_jᵀ) − 2 tr(C_iΘ_jᵀ) + const.
//!            k = 1…K:  Θ ← Θ + α_k (C_i − ΘS_i)   from Θ_j
//! server:    Θ_j ← mean over the participating clients that chose j
//! ```
//!
//! Toso, Wang, Anderson, "Learning personalized models with clustered system identification", 2304.01395. The paper
//! requires first models near the clusters. Here they are chosen from the data, and the server's first model is not
//! used: client 1's own least squares, then repeatedly that of the client farthest from all chosen so far (Gonzalez,
//! "Clustering to minimize the maximum intercluster distance", 1985). For these least squares the diagonals of the S_i
//! are enlarged by a billionth, so that a solution exists even with too few data.

use super::{Round, Update, local_steps};
use crate::Matrix;
use crate::cholesky::LaneCholesky;
use crate::fleet::{Block, Fleet};
use crate::lanes::{LANES, LaneMatrix, Lanes};
use crate::target::Models;

/// The clusters' models and the clients' choices.
#[derive(Debug)]
pub struct Clustered {
    models: Vec<Matrix>,
    of: Vec<usize>,
    /// Each cluster's model in all lanes.
    lanes: Vec<LaneMatrix>,
    /// Sums over the participating clients of each cluster, and the number of these clients.
    sums: Vec<LaneMatrix>,
    members: Vec<f64>,
    chosen: LaneMatrix,
    local: LaneMatrix,
    fit: LaneMatrix,
    first: First,
}

impl Clustered {
    /// Buffers for a fleet and `n_clusters` clusters, or as many clusters as there are clients if these are fewer.
    pub fn new(fleet: &Fleet, n_clusters: usize) -> Self {
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let lanes = || LaneMatrix::zeros(n, d);
        let n_clusters = n_clusters.min(fleet.n_clients());
        Self {
            models: vec![Matrix::zeros(n, d); n_clusters],
            of: vec![0; fleet.n_clients()],
            lanes: vec![lanes(); n_clusters],
            sums: vec![lanes(); n_clusters],
            members: vec![0.0; n_clusters],
            chosen: lanes(),
            local: lanes(),
            fit: lanes(),
            first: First {
                estimates: vec![lanes(); fleet.blocks().len()],
                distances: vec![Lanes::default(); fleet.blocks().len()],
                s: LaneMatrix::zeros(d, d),
                factor: LaneCholesky::new(d),
            },
        }
    }

    fn spread_models(&mut self) {
        for (lanes, model) in self.lanes.iter_mut().zip(&self.models) {
            lanes.set_all(model);
        }
    }

    /// The cluster of least cost for each of eight clients; the first one among equals.
    fn choose(&mut self, block: &Block) -> [usize; LANES] {
        let (mut least, mut best) = ([f64::INFINITY; LANES], [0; LANES]);
        for (cluster, model) in self.lanes.iter().enumerate() {
            // tr(ΘSΘᵀ) − 2 tr(CΘᵀ) = ⟨ΘS − 2C, Θ⟩
            self.fit.set_product(model, &block.s);
            self.fit.add_scaled(Lanes::splat(-2.0), &block.c);
            let products = self.fit.entries().iter().zip(model.entries()).map(|(&a, &b)| a * b);
            let cost = products.fold(Lanes::default(), |sum, product| sum + product);
            for (lane, &cost) in cost.0.iter().enumerate() {
                if cost < least[lane] {
                    (least[lane], best[lane]) = (cost, cluster);
                }
            }
        }
        best
    }

    /// Stores the choices of the clients of a block that have a positive weight.
    fn remember(&mut self, block: usize, choice: [usize; LANES], weight: Lanes) {
        let clients = self.of[block * LANES..].iter_mut().zip(choice).zip(weight.0);
        for ((of, choice), _) in clients.filter(|(_, weight)| *weight > 0.0) {
            *of = choice;
        }
    }
}

impl Update for Clustered {
    fn restart(&mut self, fleet: &Fleet, _: &Matrix) {
        self.first.choose(fleet, &mut self.models);
        self.spread_models();
        for (index, block) in fleet.blocks().iter().enumerate() {
            let choice = self.choose(block);
            self.remember(index, choice, block.present);
        }
    }

    fn round(&mut self, round: Round<'_>) {
        self.spread_models();
        self.sums.iter_mut().for_each(|sum| sum.fill(0.0));
        self.members.fill(0.0);
        for (index, (block, maps, weight)) in round.blocks().enumerate() {
            let choice = self.choose(block);
            self.remember(index, choice, weight);
            let of_cluster =
                |cluster: usize| Lanes::from_fn(|lane| if choice[lane] == cluster { weight.0[lane] } else { 0.0 });
            for (cluster, model) in self.lanes.iter().enumerate() {
                self.chosen.copy_where(of_cluster(cluster), model);
            }
            local_steps(&self.chosen, block, maps, &mut self.local);
            for (cluster, (sum, members)) in self.sums.iter_mut().zip(&mut self.members).enumerate() {
                sum.add_weighted(of_cluster(cluster), &self.local);
                *members += of_cluster(cluster).sum();
            }
        }
        let clusters = self.models.iter_mut().zip(&self.sums).zip(&self.members);
        for ((model, sum), &members) in clusters.filter(|(_, members)| **members > 0.0) {
            sum.sum_lanes(model);
            *model /= members;
        }
    }

    fn models(&self) -> Models<'_> {
        Models::Clustered { models: &self.models, of: &self.of }
    }
}

/// Buffers for choosing the first models.
#[derive(Debug)]
struct First {
    /// The clients' own least-squares estimates.
    estimates: Vec<LaneMatrix>,
    /// The squared distance of each estimate from the nearest chosen one.
    distances: Vec<Lanes>,
    s: LaneMatrix,
    factor: LaneCholesky,
}

impl First {
    /// Chooses the models among the clients' own estimates, farthest first.
    fn choose(&mut self, fleet: &Fleet, models: &mut [Matrix]) {
        for (index, block) in fleet.blocks().iter().enumerate() {
            self.estimate(index, block);
        }
        self.distances.fill(Lanes::splat(f64::INFINITY));
        let mut next = 0;
        for model in models {
            *model = self.estimates[next / LANES].lane(next % LANES);
            for (distance, estimate) in self.distances.iter_mut().zip(&self.estimates) {
                *distance = distance.zip(squared_distance(estimate, model), nearer);
            }
            next = farthest(&self.distances, fleet.n_clients());
        }
    }

    /// Computes the own least squares of eight clients. A billionth of every regressor's energy is added to the
    /// diagonal, so that a solution exists even with too few data, whatever the units.
    fn estimate(&mut self, index: usize, block: &Block) {
        self.s.copy_from(&block.s);
        for k in 0..block.s.rows() {
            self.s[(k, k)] = self.s[(k, k)] * (1.0 + 1e-9) + f64::MIN_POSITIVE;
        }
        self.factor.factorise(&self.s);
        self.estimates[index].copy_from(&block.c);
        self.factor.solve(&mut self.estimates[index]);
    }
}

fn squared_distance(lanes: &LaneMatrix, model: &Matrix) -> Lanes {
    let mut sum = Lanes::default();
    for i in 0..lanes.rows() {
        for j in 0..lanes.cols() {
            let difference = lanes[(i, j)] - model[(i, j)];
            sum += difference * difference;
        }
    }
    sum
}

/// The smaller distance. NaN counts as 0, so that a client without a finite estimate is not the farthest.
fn nearer(a: f64, b: f64) -> f64 {
    if b.is_nan() { 0.0 } else { a.min(b) }
}

/// The client at the largest distance; the first one among equals.
fn farthest(distances: &[Lanes], n_clients: usize) -> usize {
    let all = distances.iter().flat_map(|lanes| lanes.0).take(n_clients).enumerate();
    all.fold((0, -1.0), |best, (client, distance)| if distance > best.1 { (client, distance) } else { best }).0
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver, begin};
    use crate::estimate::least_squares;
    use crate::fleet::Fleet;
    use crate::schedule::Schedule;

    fn method(n_clusters: usize) -> Method {
        Method::constant(Solver::Clustered { n_clusters })
    }

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..method(3) });
        }
    }

    #[test]
    fn it_finds_planted_clusters_and_their_systems() {
        // With steps this small, averaging within a cluster ends at the cluster's pooled estimate.
        let bench = Bench::two_clusters(24).with_steps(3e-5, 1);
        let (models, of) = bench.run_clustered(method(2), 8_000);
        for client in 0..24 {
            assert_eq!(of[client] == of[0], bench.cluster(client) == bench.cluster(0), "client {client}");
        }
        for (cluster, model) in models.iter().enumerate() {
            let pooled = bench.pooled_where(|client| of[client] == cluster);
            assert!((model - pooled).norm() < 1e-6, "cluster {cluster}");
        }
    }

    #[test]
    fn one_cluster_ends_where_fedavg_ends() {
        let bench = Bench::new();
        let fedavg = Method::constant(Solver::FedAvg);
        let (models, of) = bench.run_clustered(method(1), 4_000);
        assert!(of.iter().all(|&cluster| cluster == 0));
        assert!((&models[0] - bench.run(fedavg, 4_000)).amax() < 1e-9);
    }

    #[test]
    fn more_clusters_than_clients_are_one_each() {
        let (models, of) = Bench::alike(3).run_clustered(method(9), 1);
        assert_eq!((models.len(), of), (3, vec![0, 1, 2]));
    }

    /// Even if an input has very small or large units, the first model is the client's own least squares.
    #[test]
    fn it_begins_with_least_squares_in_all_units() {
        let bench = Bench::new();
        for unit in [1e-5, 1.0, 1e5] {
            let mut moments = bench.fleet().blocks()[0].moments(0);
            moments.s.row_mut(4).scale_mut(unit);
            moments.s.column_mut(4).scale_mut(unit);
            moments.c.column_mut(4).scale_mut(unit);
            let mut fleet = Fleet::new(bench.fleet().dims());
            fleet.add(&moments, 1);
            let first = begin(method(1).solver, &fleet, &bench.truth());
            let (got, right) = (first.models().of(0), least_squares(&moments).unwrap());
            let is_right = |k| (got.column(k) - right.column(k)).amax() < 1e-7 * right.column(k).amax();
            assert!((0..5).all(is_right), "{unit}: {got}, not {right}");
        }
    }
}
