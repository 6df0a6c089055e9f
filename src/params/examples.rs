//! Example systems, each with settings that make its behavior visible. `docs/systems.md` derives their matrices.

use super::choice::Choice;
use super::draft::Draft;
use super::systems::Systems;
use super::table::Key;
use fedsysid_say::text;

/// A named family of systems, with settings that suit it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// A short name without spaces.
    pub id: &'static str,
    name: &'static str,
    description: &'static str,
    /// A, B, V and U; `None` for those of the paper.
    matrices: [Option<&'static str>; 4],
    /// The values of [`KEYS`].
    numbers: [f64; KEYS.len()],
}

/// Every example, in the order of the page.
pub static EXAMPLES: [Example; 5] = [
    Example {
        id: "paper",
        name: "The paper’s",
        description: "The system of the paper’s experiments: three states, two inputs, everything about 1 in size.",
        matrices: [None; 4],
        numbers: [5.0, 0.3, 1e-4, 200.0, 1.0, 1.0, 1.0],
    },
    Example {
        id: "springs",
        name: "Two masses",
        description: "Positions and speeds of two carts in a row on springs, half a second a step, a motor at the first one. \
                      Clients differ in the spring between the carts, up to twice as stiff, and in the motor, up to half as strong again.",
        matrices: [
            Some(
                "0.78105,0.10641,0.41819,0.03993;0.10641,0.88746,0.03993,0.45812;\
                 -0.79646,0.37827,0.62176,0.18207;0.37827,-0.41819,0.18207,0.80382",
            ),
            Some("0.11254;0.00612;0.41819;0.03993"),
            Some(
                "-0.09548,0.09764,-0.0162,0.01686;0.10128,-0.1035,0.01686,-0.01753;\
                 -0.29595,0.31215,-0.08562,0.09103;0.33255,-0.34941,0.09103,-0.09662",
            ),
            Some("0.05627;0.00306;0.2091;0.01996"),
        ],
        numbers: [10.0, 0.3, 1e-4, 100.0, 1.0, 2.0, 0.5],
    },
    Example {
        id: "pendulum",
        name: "Inverted pendulum",
        description: "A pendulum that stands upright on a cart, 0.05 s a step: unstable, so rollouts are short. Clients differ in the \
                      pendulum’s mass, up to half as heavy again, and in the cart’s motor, up to half as strong again.",
        matrices: [
            Some(
                "1,0.04977,0.00335,0.00006;0,0.99092,0.13477,0.00335;0,-0.00057,1.03921,0.05065;0,-0.02292,1.57789,1.03921",
            ),
            Some("0.00227;0.09075;0.0057;0.2292"),
            Some("0,0,0.0021,0.00003;0,0.00005,0.08463,0.0021;0,-0.00005,0.00933,0.00015;0,-0.00196,0.3784,0.00933"),
            Some("0.00113;0.04538;0.00285;0.1146"),
        ],
        numbers: [5.0, 0.3, 2e-4, 200.0, 0.5, 5.0, 0.2],
    },
    Example {
        id: "rooms",
        name: "Two rooms",
        description: "Temperatures of two rooms with a heater each, half an hour a step. Clients differ in the wall between the rooms, \
                      which lets up to three times the heat pass, and in the heaters, up to half as strong again.",
        matrices: [
            Some("0.83341,0.10578;0.07052,0.86514"),
            Some("1.14171,0.04662;0.04662,0.77513"),
            Some("-0.15599,0.15561;0.10374,-0.10349"),
            Some("0.57086,0.02331;0.02331,0.38756"),
        ],
        numbers: [10.0, 0.2, 1e-4, 100.0, 1.0, 1.0, 0.5],
    },
    Example {
        id: "motor",
        name: "DC motor",
        description: "Speed and current of a DC motor under a voltage, 0.1 s a step. Clients differ in what the rotor turns, up to twice \
                      the inertia, and in the supply, up to half as strong again.",
        matrices: [
            Some("0.36783,0.05635;-0.00113,0.81867"),
            Some("0.00686;0.18126"),
            Some("0.23867,-0.02099;-0.00029,0.00003"),
            Some("0.00343;0.09063"),
        ],
        numbers: [10.0, 0.3, 1e-4, 100.0, 1.0, 5.0, 0.5],
    },
];

/// Parameters that an example sets, in the order of its `numbers`.
const KEYS: [Key; 7] =
    [Key::RolloutLen, Key::Heterogeneity, Key::StepSize, Key::Rounds, Key::InitialStd, Key::InputStd, Key::NoiseStd];

impl Example {
    /// The name on the page.
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    /// The meaning of the states, of the inputs, and of the differences between clients.
    pub fn description(&self) -> &'static str {
        text(self.description)
    }

    /// Its family of systems.
    pub fn systems(&self) -> Systems {
        Systems::default().with_texts(self.matrices).0
    }

    /// The example with this family, if there is one.
    pub fn of(systems: &Systems) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.systems() == *systems)
    }

    /// A draft with this example's systems and settings. Rollouts, local steps, their spreads and the
    /// gradients' scale get their defaults, to which the step size is matched; all other settings stay.
    pub fn applied_to(&self, draft: &Draft) -> Draft {
        let mut applied = draft.clone();
        applied.systems = self.systems();
        for key in [Key::Rollouts, Key::RolloutsSpread, Key::LocalSteps, Key::LocalStepsSpread] {
            applied.reset(key);
        }
        applied.choose(Choice::Gradient, Draft::default().option(Choice::Gradient).word);
        for (key, value) in KEYS.into_iter().zip(self.numbers) {
            applied.set(key, value);
        }
        applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::MatrixKey;
    use crate::sim::Matrix;
    use crate::sim::scenario::Scenario;
    use crate::sim::study::Study;

    /// A continuous model ẋ = Fx + Gu.
    struct Model {
        f: Matrix,
        g: Matrix,
    }

    /// The matrix exponential e^M: the series of M/2²⁰, squared twenty times.
    fn exp(matrix: &Matrix) -> Matrix {
        let small = matrix / 2.0_f64.powi(20);
        let n = matrix.nrows();
        let (mut sum, mut term) = (Matrix::identity(n, n), Matrix::identity(n, n));
        for k in 1..8 {
            term = &term * &small / f64::from(k);
            sum += &term;
        }
        (0..20).fold(sum, |power, _| &power * &power)
    }

    impl Model {
        fn new<const N: usize, const P: usize>(f: [[f64; N]; N], g: [[f64; P]; N]) -> Self {
            Self {
                f: Matrix::from_row_slice(N, N, f.as_flattened()),
                g: Matrix::from_row_slice(N, P, g.as_flattened()),
            }
        }

        /// The discrete A and B under inputs that are held constant for a period.
        fn held(&self, period: f64) -> (Matrix, Matrix) {
            let (n, p) = self.g.shape();
            let mut both = Matrix::zeros(n + p, n + p);
            both.view_mut((0, 0), (n, n)).copy_from(&(&self.f * period));
            both.view_mut((0, n), (n, p)).copy_from(&(&self.g * period));
            let both = exp(&both);
            (both.view((0, 0), (n, n)).into_owned(), both.view((0, n), (n, p)).into_owned())
        }
    }

    /// Two masses in a row between a wall and a free end, with a force on the first mass; `between` is the spring
    /// between them.
    fn springs(between: f64) -> Model {
        let (mass, to_wall, damping) = (1.0, 1.0, 0.2);
        Model::new(
            [
                [0.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
                [-(to_wall + between) / mass, between / mass, -2.0 * damping / mass, damping / mass],
                [between / mass, -between / mass, damping / mass, -damping / mass],
            ],
            [[0.0], [0.0], [1.0 / mass], [0.0]],
        )
    }

    /// A pendulum on a cart, linearized around the upright position.
    fn pendulum(mass: f64) -> Model {
        let (cart, friction, length, inertia, gravity) = (0.5, 0.1, 0.3, 0.006, 9.8);
        let (arm, turning) = (mass * length, inertia + mass * length * length);
        let all = inertia * (cart + mass) + cart * mass * length * length;
        Model::new(
            [
                [0.0, 1.0, 0.0, 0.0],
                [0.0, -turning * friction / all, arm * arm * gravity / all, 0.0],
                [0.0, 0.0, 0.0, 1.0],
                [0.0, -arm * friction / all, arm * gravity * (cart + mass) / all, 0.0],
            ],
            [[0.0], [turning / all], [0.0], [arm / all]],
        )
    }

    /// Two rooms with a heater each, which lose heat to each other and to the outside. Units: K, kW, h.
    fn rooms(between: f64) -> Model {
        let (capacity_1, capacity_2, to_outside_1, to_outside_2) = (0.4, 0.6, 0.05, 0.08);
        Model::new(
            [
                [-(between + to_outside_1) / capacity_1, between / capacity_1],
                [between / capacity_2, -(between + to_outside_2) / capacity_2],
            ],
            [[1.0 / capacity_1, 0.0], [0.0, 1.0 / capacity_2]],
        )
    }

    /// Speed and current of a motor driven by a voltage.
    fn motor(inertia: f64) -> Model {
        let (friction, constant, resistance, inductance) = (0.1, 0.01, 1.0, 0.5);
        Model::new(
            [[-friction / inertia, constant / inertia], [-constant / inductance, -resistance / inductance]],
            [[0.0], [1.0 / inductance]],
        )
    }

    /// The stored digits follow from the documented derivation: A and B under inputs held for a period, V the change of
    /// A under another parameter, U half of B.
    #[test]
    fn the_matrices_are_the_discretized_models() {
        #[track_caller]
        fn check(id: &str, nominal: &Model, far: &Model, period: f64) {
            let (a, b) = nominal.held(period);
            let expected = [&a, &b, &(far.held(period).0 - &a), &(&b * 0.5)];
            let systems = EXAMPLES.iter().find(|example| example.id == id).unwrap().systems();
            for (key, expected) in MatrixKey::ALL.into_iter().zip(expected) {
                let off = (systems.get(key) - expected).amax();
                assert!(off < 0.500_1e-5, "{id} {key:?} is off by {off}: {expected}");
            }
        }
        check("springs", &springs(1.0), &springs(2.0), 0.5);
        check("pendulum", &pendulum(0.2), &pendulum(0.3), 0.05);
        check("rooms", &rooms(0.1), &rooms(0.3), 0.5);
        check("motor", &motor(0.01), &motor(0.02), 0.1);
        assert_eq!(EXAMPLES[0].systems(), Systems::default());
    }

    /// The pendulum's model has the digits of the tutorial that it is taken from.
    #[test]
    fn the_pendulum_is_the_tutorials() {
        let Model { f, g } = pendulum(0.2);
        let got = [f[(1, 1)], f[(1, 2)], f[(3, 1)], f[(3, 2)], g[1], g[3]];
        let printed = [-0.1818, 2.6727, -0.4545, 31.1818, 1.8182, 4.5455];
        for (got, printed) in got.into_iter().zip(printed) {
            assert!((got - printed).abs() < 0.5001e-4, "{got} {printed}");
        }
    }

    #[test]
    fn an_example_is_within_limits_and_found_again() {
        for example in &EXAMPLES {
            let (_, notices) = Systems::default().with_texts(example.matrices);
            assert_eq!(notices, [None, None, None, None], "{}", example.id);
            for (key, value) in KEYS.into_iter().zip(example.numbers) {
                assert_eq!(Draft::default().set(key, value), None, "{}", example.id);
            }
            let mut draft = Draft::default();
            draft.set(Key::Rollouts, 1e9);
            draft.set(Key::Seed, 9.0);
            let applied = example.applied_to(&draft);
            assert_eq!(Example::of(&applied.systems).map(|found| found.id), Some(example.id));
            assert_eq!([Key::Rollouts, Key::Seed].map(|key| applied.get(key).to_string()), ["25", "9"]);
            assert_eq!(EXAMPLES[0].applied_to(&applied).to_query(), "seed=9");
        }
    }

    /// What the step size does not fit is not kept from before.
    #[test]
    fn an_example_is_the_same_after_other_settings() {
        let other = Draft::from_query("gradient=mean&Nspread=10&Kspread=5&N=3&K=77").0;
        for example in &EXAMPLES {
            assert_eq!(example.applied_to(&other), example.applied_to(&Draft::default()), "{}", example.id);
        }
    }

    /// With its settings, every example shows convergence to the estimate of pooled least squares.
    #[test]
    fn an_example_converges_under_its_settings() {
        for example in &EXAMPLES {
            let study = Study::new(Scenario::new(example.applied_to(&Draft::default()).settings()).unwrap());
            let summary = study.run();
            let pooled = summary.references[1].error.unwrap().mean();
            for method in &summary.methods {
                let (first, last) = (method.errors[0].mean(), method.errors.last().unwrap().mean());
                assert!(
                    last < 0.1 * first && (last / pooled - 1.0).abs() < 0.1,
                    "{}: {first} {last} {pooled}",
                    example.id
                );
            }
        }
    }
}
