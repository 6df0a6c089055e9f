//! Sentences on stability and controllability.

use super::{Mode, Portrait, spectral_radius};
use crate::dashboard::words::counting::{Things, listed};
use crate::figure::number::{beside_one, measured, number};
use fedsysid_say::{between, say};

/// A spectral radius this close to 1 counts as 1; this close to 0, as 0.
const ROUNDING: f64 = 1e-9;

/// The nominal system's eigenvalues: "0.935 ± 0.298i (size 0.981), 0.6".
pub fn modes(portrait: &Portrait) -> String {
    let mut said = Vec::new();
    for mode in &portrait.nominal {
        if mode.im > 0.0 {
            let (re, im, size) = (number(mode.re), number(mode.im), number(mode.size()));
            said.push(say!("{re} ± {im}i (size {size})"));
        } else if mode.im.abs() < f64::MIN_POSITIVE {
            said.push(number(mode.re));
        }
    }
    match portrait.nominal.len() {
        0 => say!("The eigenvalues of A₀ are not found.").to_owned(),
        1 => say!("The eigenvalue of A₀ is {}.", said.concat()),
        _ => say!("The eigenvalues of A₀ are {}.", said.join(between())),
    }
}

/// Whether the nominal system is stable, and the consequences.
pub fn stability(portrait: &Portrait) -> String {
    if portrait.nominal.is_empty() {
        return say!("It is not known whether the nominal system is stable.").to_owned();
    }
    let rho = spectral_radius(&portrait.nominal);
    let standing = Standing::of(&portrait.nominal);
    let is_beside_one = standing != Standing::Edge && number(rho) == number(1.0);
    let shown = if is_beside_one { beside_one(rho) } else { number(rho) };
    let meaning = match standing {
        Standing::Stable if rho < ROUNDING => {
            let n = portrait.nominal.len();
            say!("what disturbs it is gone after {}", Things::Steps.counted(n))
        }
        Standing::Stable if rho < 0.5 => {
            say!("in the end what disturbs it shrinks {}-fold a step", measured(1.0 / rho, 2))
        }
        Standing::Stable => {
            let steps = measured(0.5_f64.ln() / rho.ln(), 2);
            say!("in the end what disturbs it halves every {steps} steps")
        }
        Standing::Edge => say!("what disturbs it does not die out").to_owned(),
        Standing::Unstable => {
            let steps = portrait.scenario.plan(0).rollout_len;
            let in_all = rho.powf(steps as f64);
            say!("what disturbs it grows {}-fold a step, {}-fold in T = {steps} steps", beside_one(rho), number(in_all))
        }
    };
    say!("The nominal system is {}: its spectral radius is {shown}, {meaning}.", standing.word())
}

/// Stability by the spectral radius.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    Stable,
    Edge,
    Unstable,
}

impl Standing {
    fn of(modes: &[Mode]) -> Self {
        match spectral_radius(modes) {
            rho if rho < 1.0 - ROUNDING => Self::Stable,
            rho if rho > 1.0 + ROUNDING => Self::Unstable,
            _ => Self::Edge,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Stable => say!("stable"),
            Self::Edge => say!("at the edge of stability"),
            Self::Unstable => say!("unstable"),
        }
    }
}

/// Number of clients with unstable systems, and the range of their spectral radii.
pub fn clients(portrait: &Portrait) -> String {
    let radii = || portrait.clients.iter().map(super::Client::radius);
    let (n, all) = (portrait.clients.len(), portrait.scenario.systems().len());
    let n_unstable = portrait.clients.iter().filter(|client| Standing::of(&client.modes) == Standing::Unstable).count();
    let who = if all > n { say!("the first {n} of {all} clients") } else { Things::Clients.counted(n) };
    let standing = match n_unstable {
        _ if n == 1 => say!("The only client’s system has").to_owned(),
        0 => say!("Of {who} none is unstable:"),
        k if k == n => say!("Of {who} all are unstable:"),
        1 => say!("Of {who} one is unstable:"),
        k => say!("Of {who} {k} are unstable:"),
    };
    let (least, most) = (number(radii().fold(f64::INFINITY, f64::min)), number(radii().fold(0.0, f64::max)));
    let range = if least == most { least } else { say!("{least} to {most}") };
    let noun = if n == 1 { say!("spectral radius") } else { say!("spectral radii") };
    format!("{standing} {noun} {range}.")
}

/// The subspace that the inputs reach, the directions left out, and what excites those.
pub fn reach(portrait: &Portrait) -> String {
    let reach = &portrait.reach;
    let noise = portrait.scenario.plan(0).noise;
    let n = portrait.nominal.len().max(portrait.scenario.settings().family.dims().n_states);
    if reach.is_complete() {
        let steps =
            if reach.n_steps == 1 { say!("in one step").to_owned() } else { say!("in {} steps", reach.n_steps) };
        let silent = if noise.input_std > 0.0 {
            ""
        } else {
            say!(" But σᵤ = 0: there are no inputs, and nothing is learned about B.")
        };
        return say!("Controllable: the inputs can bring it to any state {steps}.{silent}");
    }
    let left_out: Vec<_> = reach.unreached.iter().map(|direction| combination(direction)).collect();
    let left_out = match left_out.as_slice() {
        [one] => say!("{one} is left out"),
        several => say!("{} are left out", listed(several)),
    };
    let reached = match reach.rank {
        0 => say!("the inputs move nothing").to_owned(),
        rank => say!("the inputs reach {rank} of {n} dimensions"),
    };
    let excited = match (noise.process_noise_std > 0.0, noise.initial_state_std > 0.0) {
        (true, _) => say!("Process noise excites what is left out all the same."),
        (false, true) => say!("Only the first state of a rollout excites what is left out."),
        (false, false) => say!("Nothing excites what is left out: what A does with it cannot be learned."),
    };
    say!("Not controllable: {reached}; {left_out}. {excited}")
}

/// A direction in state space: "state 2", or "0.707x₁ − 0.707x₂".
fn combination(direction: &[f64]) -> String {
    // Parts up to `LEAST` are not named; a part above `MOST` is a state by itself.
    const LEAST: f64 = 5e-4;
    const MOST: f64 = 1.0 - 1e-6;
    if let Some(state) = direction.iter().position(|part| part.abs() > MOST) {
        return say!("state {}", state + 1);
    }
    let mut said = String::new();
    let parts = direction.iter().enumerate().filter(|(_, part)| part.abs() > LEAST);
    // The sign of a direction is arbitrary: the first named part is positive.
    let sign = direction.iter().find(|part| part.abs() > LEAST).map_or(1.0, |part| part.signum());
    for (place, part) in parts {
        let part = sign * part;
        said += match (said.is_empty(), part < 0.0) {
            (true, _) => "",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        said += &number(part.abs());
        said.push('x');
        said += subscript(place + 1);
    }
    said
}

/// A small number as a subscript.
pub(super) fn subscript(number: usize) -> &'static str {
    ["₀", "₁", "₂", "₃", "₄", "₅", "₆"].get(number).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::super::tests::portrait;
    use super::*;
    use crate::params::{Draft, Key, MatrixKey};

    fn with(a: &str, b: &str) -> Portrait {
        portrait("paper", |draft| set(draft, a, b))
    }

    fn set(draft: &mut Draft, a: &str, b: &str) {
        draft.systems.set_text(MatrixKey::A, a).unwrap();
        draft.systems.set_text(MatrixKey::B, b).unwrap();
    }

    #[test]
    fn stability_is_said_with_what_it_means() {
        #[track_caller]
        fn check(a: &str, expected: &str) {
            let portrait = with(a, "1");
            assert_eq!(stability(&portrait), format!("The nominal system is {expected}."));
        }
        check("0.9", "stable: its spectral radius is 0.9, in the end what disturbs it halves every 6.6 steps");
        check("0.2", "stable: its spectral radius is 0.2, in the end what disturbs it shrinks 5.0-fold a step");
        check("0", "stable: its spectral radius is 0, what disturbs it is gone after 1 step");
        check("1", "at the edge of stability: its spectral radius is 1, what disturbs it does not die out");
        let said = |a: &str| stability(&with(a, "1"));
        assert!(said("0.9998").contains("is stable: its spectral radius is 0.9998, "), "{}", said("0.9998"));
        assert!(said("1.0002").contains("is 1.0002, what disturbs it grows 1.0002-fold"), "{}", said("1.0002"));
        check(
            "-1.2",
            "unstable: its spectral radius is 1.2, what disturbs it grows 1.20-fold a step, 2.49-fold in T = 5 steps",
        );
    }

    #[test]
    fn without_eigenvalues_no_system_is_called_stable_or_unstable() {
        let mut portrait = with("0.9", "1");
        portrait.nominal.clear();
        portrait.clients.iter_mut().for_each(|client| client.modes.clear());
        assert_eq!(stability(&portrait), "It is not known whether the nominal system is stable.");
        assert!(Standing::of(&[]) != Standing::Stable && Standing::of(&[]) != Standing::Unstable);
    }

    #[test]
    fn eigenvalues_are_said_in_pairs() {
        #[track_caller]
        fn check(a: &str, b: &str, expected: &str) {
            assert_eq!(modes(&with(a, b)), expected);
        }
        check("0.9", "1", "The eigenvalue of A₀ is 0.9.");
        check("[0 -0.5; 0.5 0]", "1;1", "The eigenvalues of A₀ are 0 ± 0.5i (size 0.5).");
        check("[-0.5 0; 0 0.25]", "1;1", "The eigenvalues of A₀ are −0.5, 0.25.");
    }

    #[test]
    fn clients_are_counted() {
        #[track_caller]
        fn check(id: &str, n_clients: f64, epsilon: f64, expected: &str) {
            let portrait = portrait(id, |draft| {
                draft.set(Key::Clients, n_clients);
                draft.set(Key::Heterogeneity, epsilon);
            });
            assert_eq!(clients(&portrait), expected);
        }
        check("rooms", 1.0, 0.0, "The only client’s system has spectral radius 0.937.");
        check("rooms", 5.0, 0.0, "Of 5 clients none is unstable: spectral radii 0.937.");
        check("pendulum", 500.0, 0.0, "Of the first 100 of 500 clients all are unstable: spectral radii 1.32.");
        let portrait = portrait("paper", |draft| (draft.set(Key::Heterogeneity, 1.0), ()).1);
        let n_unstable = portrait.clients.iter().filter(|client| client.radius() > 1.0).count();
        assert!((2..50).contains(&n_unstable));
        let said = clients(&portrait);
        assert!(said.starts_with(&format!("Of 50 clients {n_unstable} are unstable: spectral radii 0.6")), "{said}");
    }

    #[test]
    fn reach_is_said_with_what_is_left_out() {
        #[track_caller]
        fn check(portrait: &Portrait, expected: &str) {
            assert_eq!(reach(portrait), expected);
        }
        check(&portrait("paper", |_| ()), "Controllable: the inputs can bring it to any state in 2 steps.");
        check(&portrait("rooms", |_| ()), "Controllable: the inputs can bring it to any state in one step.");
        check(&portrait("pendulum", |_| ()), "Controllable: the inputs can bring it to any state in 4 steps.");
        check(
            &portrait("motor", |draft| (draft.set(Key::InputStd, 0.0), ()).1),
            "Controllable: the inputs can bring it to any state in 2 steps. But σᵤ = 0: there are no inputs, and nothing is \
             learned about B.",
        );
        let uneven = "[0.5 0; 0 0.4]";
        check(
            &with(uneven, "1;0"),
            "Not controllable: the inputs reach 1 of 2 dimensions; state 2 is left out. Process noise excites what is left out \
             all the same.",
        );
        check(
            &with(uneven, "0;0"),
            "Not controllable: the inputs move nothing; state 1 and state 2 are left out. Process noise excites what is left \
             out all the same.",
        );
        let twins = |initial: f64| {
            portrait("paper", |draft| {
                set(draft, "[0.5 0; 0 0.5]", "1;1");
                draft.set(Key::NoiseStd, 0.0);
                draft.set(Key::InitialStd, initial);
            })
        };
        let begin = "Not controllable: the inputs reach 1 of 2 dimensions; 0.707x₁ − 0.707x₂ is left out.";
        check(&twins(1.0), &format!("{begin} Only the first state of a rollout excites what is left out."));
        check(
            &twins(0.0),
            &format!("{begin} Nothing excites what is left out: what A does with it cannot be learned."),
        );
    }
}
