//! The clients' systems: a nominal system, and the distance of each client from it.
//!
//! ```text
//! A⁽ⁱ⁾ = A_0 + γ_1⁽ⁱ⁾ V        B⁽ⁱ⁾ = B_0 + γ_2⁽ⁱ⁾ U        γ = ε · (a place in [0, 1])
//! ```
//!
//! (From the numerical section of the paper.) Places are drawn once per seed and depend on neither ε nor M, so that
//! curves change smoothly with either.

use fedsysid_say::say;
use std::fmt;

use rand::RngExt;

use super::norm::spectral_norm;
use super::stream::{Purpose, Seed, stream};
use super::system::{Dims, LinearSystem};
use super::{Matrix, system::SystemError};

/// Why a nominal system and two patterns do not form a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyError {
    /// The nominal system is invalid.
    Nominal(SystemError),
    /// `V` must have the shape of `A_0` and finite entries.
    APattern,
    /// `U` must have the shape of `B_0` and finite entries.
    BPattern,
}

impl fmt::Display for FamilyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nominal(error) => f.write_str(&say!("the nominal system: {error}")),
            Self::APattern => f.write_str(say!("V must have the shape of A and finite entries")),
            Self::BPattern => f.write_str(say!("U must have the shape of B and finite entries")),
        }
    }
}

impl std::error::Error for FamilyError {}

/// A nominal system and the two patterns along which clients differ from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    nominal: LinearSystem,
    a_pattern: Matrix,
    b_pattern: Matrix,
}

impl Family {
    /// A family around `nominal`, with the patterns `a_pattern` (V, n×n) and `b_pattern` (U, n×p).
    ///
    /// # Errors
    /// If a pattern has another shape than the matrix it modifies, or an entry that is not finite.
    pub fn new(nominal: LinearSystem, a_pattern: Matrix, b_pattern: Matrix) -> Result<Self, FamilyError> {
        let fits =
            |pattern: &Matrix, like: &Matrix| pattern.shape() == like.shape() && pattern.iter().all(|v| v.is_finite());
        if !fits(&a_pattern, nominal.a()) {
            return Err(FamilyError::APattern);
        }
        if !fits(&b_pattern, nominal.b()) {
            return Err(FamilyError::BPattern);
        }
        Ok(Self { nominal, a_pattern, b_pattern })
    }

    /// The paper's family: n = 3, p = 2, V = diag(0, 1, 1).
    ///
    /// # Panics
    /// Never: the matrices below have the shapes asked for.
    ///
    /// ```
    /// let family = fedsysid_sim::family::Family::paper();
    /// assert_eq!((family.dims().n_states, family.dims().n_inputs), (3, 2));
    /// ```
    pub fn paper() -> Self {
        #[rustfmt::skip]
        let (a, v) = (
            [0.6, 0.5, 0.4,
             0.0, 0.4, 0.3,
             0.0, 0.0, 0.3],
            [0.0, 0.0, 0.0,
             0.0, 1.0, 0.0,
             0.0, 0.0, 1.0],
        );
        #[rustfmt::skip]
        let (b, u) = (
            [1.0, 0.5,
             0.5, 1.0,
             0.5, 0.5],
            [1.0, 0.0,
             0.0, 0.0,
             0.0, 1.0],
        );
        Self::new(
            LinearSystem::new(Matrix::from_row_slice(3, 3, &a), Matrix::from_row_slice(3, 2, &b))
                .expect("the paper's A_0 is 3×3 and its B_0 3×2"),
            Matrix::from_row_slice(3, 3, &v),
            Matrix::from_row_slice(3, 2, &u),
        )
        .expect("the paper's patterns have the shapes of its matrices")
    }

    /// The sizes n and p, the same for every member.
    pub fn dims(&self) -> Dims {
        self.nominal.dims()
    }

    /// The nominal system (A_0, B_0).
    pub fn nominal(&self) -> &LinearSystem {
        &self.nominal
    }

    /// The pattern V, n×n, along which A differs.
    pub fn a_pattern(&self) -> &Matrix {
        &self.a_pattern
    }

    /// The pattern U, n×p, along which B differs.
    pub fn b_pattern(&self) -> &Matrix {
        &self.b_pattern
    }

    /// The system at a place (g_1, g_2) for heterogeneity ε: (A_0 + εg_1 V, B_0 + εg_2 U).
    ///
    /// # Errors
    /// If ε is so large that an entry overflows.
    pub fn member(&self, place: Place, heterogeneity: f64) -> Result<LinearSystem, SystemError> {
        LinearSystem::new(
            self.nominal.a() + &self.a_pattern * (heterogeneity * place.a),
            self.nominal.b() + &self.b_pattern * (heterogeneity * place.b),
        )
    }
}

/// A client's position in the family before scaling by ε: `γ = ε · place`, both coordinates in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Along V.
    pub a: f64,
    /// Along U.
    pub b: f64,
}

impl Place {
    /// This place, mapped to a square of the given width that begins at `from` on both axes.
    fn within(self, width: f64, from: f64) -> Self {
        Self { a: from + width * self.a, b: from + width * self.b }
    }
}

/// The width of a cluster, as a fraction of the family's width.
const CLUSTER: f64 = 0.1;

/// A uniformly distributed place.
fn uniform(seed: Seed, client: usize) -> Place {
    let mut rng = stream(seed, Purpose::Systems, 0, client);
    Place { a: rng.random(), b: rng.random() }
}

/// The distribution of the clients' places, and so of the γ's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Drawn uniformly, as in the paper.
    Uniform,
    /// Two clusters, each a tenth of the family wide: clients 1, 3, 5, … near the nominal system, the others at the far
    /// end.
    TwoClusters,
    /// Client 2 is at the far end; all others are within a tenth of the family from the nominal system.
    OneOutlier,
    /// An even sequence that needs no seed, frac(i·φ). Client 1 has the nominal system, at the family's edge.
    ///
    /// The multipliers φ are the inverses of the golden ratio and of the plastic number, as in the reference data.
    Even,
}

impl Placement {
    /// All placements.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::TwoClusters, Self::OneOutlier, Self::Even];

    /// The place of client `client` (0-based). It depends only on the client and the seed.
    pub fn place(self, seed: Seed, client: usize) -> Place {
        match self {
            Self::Uniform => uniform(seed, client),
            Self::TwoClusters => {
                uniform(seed, client).within(CLUSTER, if client.is_multiple_of(2) { 0.0 } else { 1.0 - CLUSTER })
            }
            Self::OneOutlier if client == 1 => Place { a: 1.0, b: 1.0 },
            Self::OneOutlier => uniform(seed, client).within(CLUSTER, 0.0),
            Self::Even => {
                let index = client as f64;
                Place { a: (index * 0.618_033_988_749_894_9).fract(), b: (index * 0.754_877_666_246_692_7).fract() }
            }
        }
    }
}

/// The distance between the clients' systems, as in the paper's assumption on heterogeneity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heterogeneity {
    /// `max ‖A⁽ⁱ⁾ − A⁽ʲ⁾‖` over all pairs of clients, spectral norm.
    pub a: f64,
    /// `max ‖B⁽ⁱ⁾ − B⁽ʲ⁾‖` over all pairs of clients, spectral norm.
    pub b: f64,
}

impl Family {
    /// The heterogeneity of clients at these places. All differences lie along V and U, so it is `ε‖V‖` times the range
    /// of the places along V, and likewise for U.
    pub fn heterogeneity(&self, places: &(impl Iterator<Item = Place> + Clone), heterogeneity: f64) -> Heterogeneity {
        let extent = |coordinate: fn(Place) -> f64| {
            let least = places.clone().map(coordinate).fold(f64::INFINITY, f64::min);
            let most = places.clone().map(coordinate).fold(f64::NEG_INFINITY, f64::max);
            (most - least).max(0.0)
        };
        Heterogeneity {
            a: heterogeneity * extent(|place| place.a) * spectral_norm(&self.a_pattern),
            b: heterogeneity * extent(|place| place.b) * spectral_norm(&self.b_pattern),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_moves_along_the_patterns() {
        let member = Family::paper().member(Place { a: 0.5, b: 0.25 }, 0.2).unwrap();
        assert!((member.a()[(1, 1)] - 0.5).abs() < 1e-15);
        assert!((member.a()[(0, 0)] - 0.6).abs() < 1e-15);
        assert!((member.b()[(2, 1)] - 0.55).abs() < 1e-15);
        assert!((member.b()[(1, 0)] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn patterns_must_fit() {
        let nominal = Family::paper().nominal;
        let (v, u) = (Matrix::zeros(3, 3), Matrix::zeros(3, 2));
        assert_eq!(Family::new(nominal.clone(), u.clone(), u.clone()), Err(FamilyError::APattern));
        assert_eq!(Family::new(nominal.clone(), v.clone(), v), Err(FamilyError::BPattern));
        let endless = Matrix::from_element(3, 3, f64::INFINITY);
        assert_eq!(Family::new(nominal, endless, u), Err(FamilyError::APattern));
    }

    #[test]
    fn places_lie_in_the_unit_square_and_differ() {
        for placement in Placement::ALL {
            let places: Vec<_> = (0..200).map(|client| placement.place(Seed(7), client)).collect();
            assert!(places.iter().all(|g| (0.0..=1.0).contains(&g.a) && (0.0..=1.0).contains(&g.b)));
            for (i, place) in places.iter().enumerate() {
                assert!(!places[..i].contains(place), "{placement:?}: client {i} repeats another");
            }
        }
    }

    #[test]
    fn two_clusters_are_apart_and_an_outlier_is_alone() {
        let near = |place: Place| place.a.max(place.b) < 0.1 + 1e-12;
        let far = |place: Place| place.a.min(place.b) > 0.9 - 1e-12;
        for client in 0..50 {
            let place = Placement::TwoClusters.place(Seed(7), client);
            assert!(if client.is_multiple_of(2) { near(place) } else { far(place) }, "{client}: {place:?}");
            let place = Placement::OneOutlier.place(Seed(7), client);
            assert!(if client == 1 { far(place) } else { near(place) }, "{client}: {place:?}");
        }
    }

    #[test]
    fn the_measured_heterogeneity_is_the_largest_distance_of_two() {
        let (family, epsilon) = (Family::paper(), 0.3);
        for placement in Placement::ALL {
            let places = || (0..25).map(|client| placement.place(Seed(7), client));
            let systems: Vec<_> = places().map(|place| family.member(place, epsilon).unwrap()).collect();
            let largest = |of: fn(&LinearSystem) -> &Matrix| {
                let pairs = systems.iter().flat_map(|one| systems.iter().map(move |other| (one, other)));
                pairs.map(|(one, other)| spectral_norm(&(of(one) - of(other)))).fold(0.0, f64::max)
            };
            let got = family.heterogeneity(&places(), epsilon);
            assert!((got.a - largest(LinearSystem::a)).abs() < 1e-14, "{placement:?}");
            assert!((got.b - largest(LinearSystem::b)).abs() < 1e-14, "{placement:?}");
        }
        let alone = family.heterogeneity(&std::iter::once(Place { a: 0.4, b: 0.2 }), epsilon);
        assert_eq!(alone, Heterogeneity::default());
    }

    #[test]
    fn the_even_placement_starts_at_the_nominal_system() {
        assert_eq!(Placement::Even.place(Seed(7), 0), Place { a: 0.0, b: 0.0 });
    }

    #[test]
    fn a_huge_heterogeneity_is_an_error() {
        let member = Family::paper().member(Place { a: 0.9, b: 0.9 }, f64::INFINITY);
        assert_eq!(member, Err(SystemError::NotFinite));
    }
}
