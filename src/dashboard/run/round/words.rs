//! Sentences on the events of a round, with its numbers.

use super::stage::Stage;
use super::{ClientRound, Round};
use crate::figure::number::{count, measured, number};
use crate::sim::Matrix;
use crate::sim::method::Solver;
use crate::sim::norm::spectral_norm;
use crate::sim::schedule::Schedule;
use fedsysid_say::say;

/// Label of the mean.
pub(super) fn mean_of(round: &Round) -> String {
    if round.n_taking_part == 1 { say!("its model").into() } else { say!("mean of {}", count(round.n_taking_part)) }
}

/// Sentence for a stage.
pub(super) fn sentence(round: &Round, stage: Stage) -> String {
    let name = round.counting.0 + 1;
    let [before, after] = round.counting.1.map(error);
    match stage {
        Stage::Start if round.n_taking_part == 0 => {
            say!(
                "Round {}: all clients drop out, and the server’s model stays, at an error of {before} against client {name}.",
                count(round.number)
            )
        }
        Stage::Start => {
            let first = match round.method.solver {
                Solver::FedLin => say!(", collects their gradients there, and sends back the mean"),
                _ => "",
            };
            say!(
                "Round {}: the server sends its model to {}{first}. Its error against client {name} is {before}.",
                count(round.number),
                addressees(round)
            )
        }
        Stage::Step(step) => steps(round, step),
        Stage::Upload => {
            let (n, d) = round.server[0].shape();
            let (samples, each) = (samples(round), count(n + d));
            if round.method.solver == Solver::FedLin {
                let sent = count(2 * n * d);
                return say!(
                    "Each uploads its model, as it did its gradient before, {n}×{d} matrices: {sent} numbers in all, not its {samples} samples of {each} numbers each."
                );
            }
            let sent = count(n * d);
            say!(
                "Each uploads its model, a {n}×{d} matrix: {sent} numbers, not its {samples} samples of {each} numbers each."
            )
        }
        Stage::Average => {
            let takes = match round.n_taking_part {
                1 => say!("The server takes the one model that it gets").to_owned(),
                some => say!("The server takes the mean of {} models", count(some)),
            };
            let Some(pooled) = &round.pooled else { return takes + "." };
            let distance = |model: &Matrix| error(spectral_norm(&(model - pooled)));
            let [from, to] = [0, 1].map(|end| distance(&round.server[end]));
            say!("{takes}. It is {to} from pooled least squares, where the old model was {from}.")
        }
        Stage::Broadcast if round.number == round.n_rounds => {
            say!("This is the run’s last model. Its error against client {name} is {after}, from {before}.")
        }
        Stage::Broadcast => say!(
            "This is the server’s new model, with which round {} begins. Its error against client {name} is {after}, from {before}.",
            count(round.number + 1)
        ),
    }
}

/// How many samples the drawn clients have: the same number, or from the least to the most.
fn samples(round: &Round) -> String {
    let each = || round.clients.iter().map(|client| client.n_samples);
    let [least, most] = [each().min(), each().max()].map(|n| number(n.unwrap_or(0) as f64));
    if least == most { least } else { say!("{least} to {most}") }
}

fn addressees(round: &Round) -> String {
    let drawn = round.clients.len();
    let all = match (round.n_taking_part, round.n_clients) {
        (1, 1) => return say!("the only client").into(),
        (some, all) if some == all => say!("all {} clients", count(all)),
        (some, all) => say!("{} of {} clients", count(some), count(all)),
    };
    if drawn < round.n_taking_part { say!("{all}, of which {drawn} are drawn") } else { all }
}

/// An error in words.
fn error(value: f64) -> String {
    if value.is_finite() { measured(value, 3) } else { say!("no number").into() }
}

/// Sentence for the local steps.
fn steps(round: &Round, step: usize) -> String {
    let most = round.clients.iter().map(|client| client.n_steps).max().unwrap_or(step);
    let alpha = number(round.step_size);
    let size = match round.method.schedule {
        Schedule::OverLocalSteps => format!("α = {alpha}/k"),
        Schedule::Constant | Schedule::OverRounds | Schedule::Harmonic => format!("α = {alpha}"),
    };
    if step < most {
        let are_alike = round.clients.iter().all(|client| client.n_steps == most);
        let who = if are_alike { say!("each client") } else { say!("each client with steps left") };
        let whose = match round.method.solver {
            Solver::FedLin => say!("its own gradient, corrected by the mean one"),
            _ => say!("the gradient of its own cost"),
        };
        return say!("Local step {} of {} with {size}: {who} follows {whose}.", count(step), count(most));
    }
    let told = round.clients.iter().find(|client| client.client == round.counting.0).or(round.clients.first());
    let Some(ClientRound { client, n_steps, errors, overshoots, .. }) = told else { return String::new() };
    let [from, to] = errors.map(error);
    let steps = if *n_steps == 1 { say!("One local step").into() } else { say!("{} local steps", count(*n_steps)) };
    let verb = if *n_steps == 1 { say!("takes") } else { say!("take") };
    let after = if *overshoots { say!(": too large for its data") } else { "" };
    say!(
        "{steps} with {size} {verb} client {}’s model from an error of {from} to {to} against its own system{after}.",
        client + 1
    )
}
