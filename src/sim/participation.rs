//! Participation: which clients take part in a round, the paper's S_r.

use rand::RngExt;

use super::lanes::{LANES, Lanes};
use super::stream::{Purpose, Seed, stream};

/// Which clients take part in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Participation {
    /// All clients, in every round.
    Full,
    /// This fraction of the clients (rounded, at least one client), drawn uniformly without replacement in every round.
    Fraction(f64),
    /// Every client drops out of a round with this probability, independently. If all drop out, the server's model does
    /// not change.
    Dropout(f64),
}

impl Participation {
    /// Whether all clients take part in every round, whatever is drawn.
    pub fn is_full(self, n_clients: usize) -> bool {
        match self {
            Self::Full => true,
            Self::Fraction(share) => chosen(share, n_clients) == n_clients,
            Self::Dropout(probability) => probability <= 0.0,
        }
    }

    /// Statistics of the number of clients that report.
    pub fn reports(self, n_clients: usize) -> Reports {
        let m = n_clients as f64;
        let (any, inverse) = match self {
            Self::Full => (1.0, 1.0 / m),
            Self::Fraction(share) => (1.0, 1.0 / chosen(share, n_clients) as f64),
            Self::Dropout(probability) => binomial(n_clients, 1.0 - probability.clamp(0.0, 1.0)),
        };
        Reports { any, variation: if n_clients > 1 { (m * inverse - 1.0) / (m - 1.0) } else { 0.0 } }
    }
}

/// Statistics of the clients that report in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reports {
    /// The probability that at least one client reports.
    pub any: f64,
    /// The variation κ of a client's weight w_i in the mean over the clients that report, given that there are any:
    /// `Cov(w_i, w_j) = κ/M (δ_ij − 1/M)` for M clients. 0 if all clients always report, 1 if one reports at a time.
    pub variation: f64,
}

/// For the number m of present clients out of n, each present with probability `there`: the probability of m > 0, and
/// the mean of 1/m given m > 0. The sums start at the likeliest m and go on by ratios of probabilities, so that no
/// relevant term underflows.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the number of clients")]
fn binomial(n: usize, there: f64) -> (f64, f64) {
    if there <= 0.0 {
        return (0.0, 1.0);
    }
    if there >= 1.0 {
        return (1.0, 1.0 / n as f64);
    }
    let likeliest = (((n + 1) as f64 * there) as usize).min(n);
    let odds = there / (1.0 - there);
    let (mut none, mut some, mut inverse) = (0.0, 0.0, 0.0);
    let mut add = |count: usize, weight: f64| {
        if count == 0 {
            none = weight;
        } else {
            some += weight;
            inverse += weight / count as f64;
        }
    };
    let mut weight = 1.0;
    for count in likeliest..=n {
        add(count, weight);
        weight *= odds * (n - count) as f64 / (count + 1) as f64;
    }
    weight = 1.0;
    for count in (0..likeliest).rev() {
        weight *= (count + 1) as f64 / (odds * (n - count) as f64);
        add(count, weight);
    }
    (some / (none + some), inverse / some)
}

/// The number of clients in a fraction of them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the number of clients")]
fn chosen(share: f64, n_clients: usize) -> usize {
    ((share * n_clients as f64).round() as usize).clamp(1, n_clients.max(1))
}

/// The clients that take part in a round, in blocks of eight.
#[derive(Clone, Debug)]
pub struct Participants {
    n_clients: usize,
    n: usize,
    /// 1 for the clients that take part, 0 for the others and for empty lanes.
    weights: Vec<Lanes>,
    /// Buffers for the draws.
    draws: Vec<f64>,
    sorted: Vec<f64>,
}

impl Participants {
    /// All clients.
    pub fn everybody(n_clients: usize) -> Self {
        let present = |block: usize| Lanes::from_fn(|lane| f64::from(u8::from(block * LANES + lane < n_clients)));
        let weights = (0..n_clients.div_ceil(LANES)).map(present).collect();
        Self { n_clients, n: n_clients, weights, draws: Vec::new(), sorted: Vec::new() }
    }

    /// The number of clients that take part.
    pub fn n(&self) -> usize {
        self.n
    }

    /// 1 for each client that takes part and 0 for the others, block by block.
    pub fn weights(&self) -> &[Lanes] {
        &self.weights
    }

    /// Draws the clients that take part in round `round` (0-based) of a data set. With full participation these are
    /// all.
    ///
    /// Each client has one uniform number per round. A fraction consists of the clients with the smallest numbers; with
    /// dropouts, the clients with a number below one minus the probability take part. So a larger fraction or a smaller
    /// dropout probability only adds clients, and more clients or rounds change none of the numbers drawn before.
    pub fn draw(&mut self, participation: Participation, seed: Seed, trial: usize, round: usize) {
        if participation.is_full(self.n_clients) {
            if self.n < self.n_clients {
                *self = Self::everybody(self.n_clients);
            }
            return;
        }
        let mut rng = stream(seed, Purpose::Participation, trial, round);
        self.draws.clear();
        self.draws.extend((0..self.n_clients).map(|_| rng.random::<f64>()));
        let limit = match participation {
            Participation::Full => f64::INFINITY,
            Participation::Dropout(probability) => 1.0 - probability,
            Participation::Fraction(share) => self.quantile(chosen(share, self.n_clients)),
        };
        self.n = 0;
        for (weights, draws) in self.weights.iter_mut().zip(self.draws.chunks(LANES)) {
            *weights = Lanes::from_fn(|lane| f64::from(u8::from(draws.get(lane).is_some_and(|&draw| draw < limit))));
            self.n += draws.iter().filter(|&&draw| draw < limit).count();
        }
    }

    /// A threshold that exactly `count` draws are below. (If two draws are equal, at odds of 2⁻⁵³, it can be fewer.)
    fn quantile(&mut self, count: usize) -> f64 {
        self.sorted.clone_from(&self.draws);
        if count < self.sorted.len() { *self.sorted.select_nth_unstable_by(count, f64::total_cmp).1 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taking_part(participation: Participation, n_clients: usize, round: usize) -> Vec<usize> {
        let mut participants = Participants::everybody(n_clients);
        participants.draw(participation, Seed(7), 3, round);
        let weights: Vec<_> = participants.weights().iter().flat_map(|weights| weights.0).collect();
        let taking_part: Vec<_> = (0..weights.len()).filter(|&client| weights[client] > 0.0).collect();
        assert!(taking_part.iter().all(|&client| client < n_clients));
        assert_eq!(participants.n(), taking_part.len());
        taking_part
    }

    #[test]
    fn after_a_fraction_all_can_take_part_again() {
        let mut participants = Participants::everybody(11);
        participants.draw(Participation::Fraction(0.5), Seed(7), 0, 0);
        assert_eq!(participants.n(), 6);
        participants.draw(Participation::Full, Seed(7), 0, 1);
        let everybody = Participants::everybody(11);
        assert_eq!((participants.n(), participants.weights()), (11, everybody.weights()));
    }

    #[test]
    fn a_fraction_has_its_size_and_is_uniform() {
        let mut counts = [0_u32; 11];
        for round in 0..4_000 {
            let taking_part = taking_part(Participation::Fraction(0.3), 11, round);
            assert_eq!(taking_part.len(), 3);
            for client in taking_part {
                counts[client] += 1;
            }
        }
        // 4 000 · 3/11 = 1 091 each, standard deviation 28.
        assert!(counts.iter().all(|&count| (970..1_210).contains(&count)), "{counts:?}");
    }

    #[test]
    fn there_is_always_somebody_in_a_fraction_and_perhaps_nobody_left_after_dropout() {
        assert_eq!(taking_part(Participation::Fraction(0.0), 9, 0).len(), 1);
        assert_eq!(taking_part(Participation::Fraction(1.0), 9, 0).len(), 9);
        assert_eq!(taking_part(Participation::Dropout(1.0), 9, 0).len(), 0);
        assert_eq!(taking_part(Participation::Dropout(0.0), 9, 0).len(), 9);
        assert_eq!(taking_part(Participation::Full, 9, 0).len(), 9);
    }

    #[test]
    fn dropout_has_its_probability() {
        let total: usize = (0..500).map(|round| taking_part(Participation::Dropout(0.4), 20, round).len()).sum();
        // 500·20·0.6 = 6 000, standard deviation 49.
        assert!((5_800..6_200).contains(&total), "{total}");
    }

    /// Compares with drawn weights for few clients, and with an expansion for many, where every single probability is
    /// tiny.
    #[test]
    fn reports_are_those_that_are_drawn() {
        let dropouts = [0.0, 0.1, 0.5, 0.9, 0.97].map(Participation::Dropout);
        let shares = [0.0, 0.3, 0.8, 1.0].map(Participation::Fraction);
        for participation in dropouts.into_iter().chain(shares).chain([Participation::Full]) {
            for n_clients in [1, 2, 9] {
                let rounds = 20_000_u16;
                let (mut any, mut square) = (0.0, 0.0);
                let mut who = Participants::everybody(n_clients);
                for round in 0..rounds {
                    who.draw(participation, Seed(4), 0, round.into());
                    if who.n() > 0 {
                        any += 1.0;
                        square += who.weights()[0].0[0] / (who.n() * who.n()) as f64;
                    }
                }
                let m = n_clients as f64;
                let Reports { any: expected, variation } = participation.reports(n_clients);
                assert!((any / f64::from(rounds) - expected).abs() < 0.015, "{participation:?} {n_clients}");
                // E w² = κ/M (1 − 1/M) + 1/M².
                let expected = variation / m * (1.0 - 1.0 / m) + 1.0 / (m * m);
                assert!((square / any - expected).abs() < 0.03 * expected + 0.003, "{participation:?} {n_clients}");
            }
        }
        let many = Participation::Dropout(0.4).reports(10_000);
        // E[1/m] ≈ 1/μ + σ²/μ³.
        let inverse = 1.0 / 6_000.0 + 2_400.0 / 6_000_f64.powi(3);
        assert!((many.any - 1.0).abs() < 1e-15);
        assert!((many.variation / ((10_000.0 * inverse - 1.0) / 9_999.0) - 1.0).abs() < 1e-3, "{many:?}");
        assert!(Participation::Dropout(1.0).reports(5).any <= 0.0);
    }

    #[test]
    fn more_of_anything_extends_what_was_drawn() {
        for round in 0..50 {
            let contains = |many: &[usize], few: &[usize]| few.iter().all(|client| many.contains(client));
            let part = |participation| taking_part(participation, 40, round);
            assert!(contains(&part(Participation::Fraction(0.5)), &part(Participation::Fraction(0.25))));
            assert!(contains(&part(Participation::Dropout(0.2)), &part(Participation::Dropout(0.6))));
            let fewer = taking_part(Participation::Dropout(0.5), 13, round);
            let more: Vec<_> = part(Participation::Dropout(0.5)).into_iter().filter(|&client| client < 13).collect();
            assert_eq!(fewer, more);
        }
    }

    #[test]
    fn rounds_differ() {
        let part = |round| taking_part(Participation::Fraction(0.5), 40, round);
        assert_ne!(part(0), part(1));
        assert_eq!(part(1), part(1));
    }
}
