//! All words of the lessons. Numbers are in braces, by the names of [`Seen::value`](super::seen::Seen::value).

use super::guess::{Near, Shape};
use super::seen::Seen;
use super::{alone_is_better, can_cease, diverges};
use crate::figure::number::{count, measured};
use crate::params::Lesson;
use fedsysid_say::say;

/// A paragraph with a condition.
#[derive(Clone, Copy, Debug)]
pub struct Para {
    /// When the paragraph applies.
    pub when: fn(&Seen<'_>) -> bool,
    /// The words.
    pub words: &'static str,
}

/// Paragraphs.
pub type Texts = &'static [Para];

/// The words of a step.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Its heading.
    pub title: &'static str,
    /// Explanation.
    pub text: Texts,
    /// Task.
    pub task: Texts,
    /// Text after the step is done.
    pub done: Texts,
}

const fn always(words: &'static str) -> Para {
    Para { when: |_| true, words }
}

const fn when(when: fn(&Seen<'_>) -> bool, words: &'static str) -> Para {
    Para { when, words }
}

/// Summary of a lesson in a sentence, and its approximate duration in minutes.
pub fn about(lesson: Lesson) -> (&'static str, u32) {
    match lesson {
        Lesson::None => ("", 0),
        Lesson::Joining => (
            say!("Company averages your noise away and misleads you a little. Find out where one outweighs the other."),
            12,
        ),
        Lesson::Floor => (
            say!(
                "Every curve ends on a floor. Four causes hold it up, and each has another remedy. Meet them one by one."
            ),
            15,
        ),
        Lesson::Steps => (
            say!(
                "A step that is too small wastes rounds, one that is too large breaks the run. Find the edge, and use it."
            ),
            10,
        ),
    }
}

/// Names of the values in a class's codes: guess, true value, final error.
pub fn class_names(lesson: Lesson) -> [&'static str; 3] {
    match lesson {
        Lesson::None => [""; 3],
        Lesson::Joining => [say!("predicted break-even ε"), say!("break-even ε"), say!("final error at ε = 0.3")],
        Lesson::Floor => [say!("predicted floor"), say!("floor"), say!("final error")],
        Lesson::Steps => [say!("predicted knee, in rounds"), say!("knee, in rounds"), say!("final error")],
    }
}

// When does joining pay?

pub(super) const TOGETHER: Words = Words {
    title: "Together",
    text: &[
        always(
            "Client 1 wants a model of its own system, from {N} rollouts. By itself, with least squares, it is off by {alone}.",
        ),
        always(
            "Here {M} clients learn one model together. They send models and gradients, never data, and for now their systems are all alike \
             (ε = 0). Each client has its own noise, so it averages out: the shared model is off by {end}, {fold} times less. \
             The rule of thumb is √M, here {root_M}.",
        ),
    ],
    task: &[always("Drag M until joining makes the error at least five times smaller.")],
    done: &[always(
        "With {M} clients it is {fold} times smaller. To divide noise by five takes about 25 times the data.",
    )],
};

pub(super) const DIFFERENT: Words = Words {
    title: "Alike, not equal",
    text: &[
        always(
            "Real clients differ. Now their systems lie up to ε = {eps} apart. The others’ data still average the noise away, but \
             they are about other systems: they pull the shared model to the mean of all clients, away from client 1.",
        ),
        always("Of what is left of the error (squared), {noise} is noise and {bias} is this pull, the heterogeneity."),
    ],
    task: &[always("Raise M to 200 or more. What becomes of the two shares?")],
    done: &[always(
        "With {M} clients noise is {noise}, heterogeneity {bias}. Company takes noise away. It takes no difference away.",
    )],
};

pub(super) const MEETING: Words = Words {
    title: "Where do they meet?",
    text: &[
        always(
            "Each dot is an experiment of its own, with its own ε. Alone (grey), client 1 does not care how much the others differ. \
             Together (blue), it does. The experiments up to ε = 0.1 are shown; the rest is hidden.",
        ),
        always("Where the two meet, joining breaks even: below it pays, above it does not."),
    ],
    task: &[when(
        |seen| seen.shown().is_none(),
        "Place the line where you expect them to meet: drag it, or use the arrow keys. Then show the run.",
    )],
    done: &[
        when(
            at_most_one,
            "They meet at ε ≈ {break_even}. Another seed, another client 1: whoever lies far from the others’ mean breaks even earlier.",
        ),
        when(
            |seen| !at_most_one(seen),
            "For these clients joining pays up to ε = 1 and beyond (to ε ≈ {break_even}): this client 1 happens to lie near the \
             middle of all, and the others hardly mislead it.",
        ),
    ],
};

fn at_most_one(seen: &Seen<'_>) -> bool {
    seen.break_even().is_some_and(|at| at <= 1.0)
}

pub(super) const BEYOND: Words = Words {
    title: "Beyond the break-even",
    text: &[always(
        "One experiment again, round by round. At ε = {eps} client 1 is off by {alone} alone, and by {end} together. Joining breaks \
         even at ε ≈ {break_even}.",
    )],
    task: &[
        when(can_cease, "Drag ε beyond the break-even, until client 1 does better alone."),
        when(|seen| !can_cease(seen), "Drag ε to 1, as far apart as the slider lets clients be."),
    ],
    done: &[
        when(alone_is_better, "At ε = {eps} it is {alone} alone and {end} together: the shared model now does harm."),
        when(
            |seen| !alone_is_better(seen),
            "Even here it is {alone} alone and {end} together. This client 1 is a typical one: to it, the mean of all is close. \
             Others in the same federation may lose; the dots under the chart show who.",
        ),
    ],
};

pub(super) const OWN_DATA: Words = Words {
    title: "Data of one’s own",
    text: &[
        always(
            "Joining trades noise for difference. Who has much data has little noise to trade. Everybody has {N} rollouts now: client 1 \
             is off by {alone} alone, by {end} together, and joining breaks even at ε ≈ {break_even}. The clients differ by ε = {eps}.",
        ),
        always("(Gradients are means here, so that steps do not grow with the data.)"),
    ],
    task: &[always("Raise N until client 1 does better alone.")],
    done: &[always(
        "With {N} rollouts it is {alone} alone and {end} together. The break-even has come down to {break_even}, below ε = {eps}: with \
         four times the data one’s own error is halved, like 1/√N; the pull of the others stays.",
    )],
};

pub(super) const EVERYTHING: Words = Words {
    title: "All of it on one map",
    text: &[
        always(
            "Every place on this map is an experiment: ε to the right, N upwards. On the line joining breaks even. To its left it \
             pays, to its right it does not; the more data everybody has, the farther left it runs.",
        ),
        always("So joining pays as long as your own noise is larger than what sets you apart from the others."),
    ],
    task: &[always("Move the handle, by pointer or arrow keys, to where joining does not pay.")],
    done: &[always("Here, at N = {N}, joining breaks even at ε ≈ {break_even}, and ε is {eps}.")],
};

// Why does the error stop falling?

pub(super) const FALLING: Words = Words {
    title: "What do you expect?",
    text: &[always(
        "At first the server knows nothing: the error is {start}. In every round each of {M} clients takes {K} gradient steps on its own \
         data, and the server averages what they arrive at. (The error is that of the average client, on a logarithmic axis.)",
    )],
    task: &[when(
        |seen| seen.shown().is_none(),
        "Draw the error over {R} rounds: drag the dots, or move them by arrow keys. Then show the run.",
    )],
    done: &[always(
        "It falls from {start} to {end}, and then it stays. Why there? The next steps take the floor apart.",
    )],
};

pub(super) const TRANSIENT: Words = Words {
    title: "Transient: not there yet",
    text: &[
        always(
            "This run is over after {R} rounds, and {transient} of its squared error is transient: what the rounds have not yet \
             removed of the wrong start.",
        ),
        always("In the long run every round multiplies it by ρ = {rho}. So it halves every {half} rounds."),
    ],
    task: &[always("Bring the transient below 1 %: with more rounds R, or larger steps α.")],
    done: &[always("Now it is {transient}. The curve is flat: more rounds would only cost time.")],
};

pub(super) const NOISE: Words = Words {
    title: "Noise: too little data",
    text: &[always(
        "Here all clients are alike (ε = 0), and the rounds are long enough. {noise} of what is left is noise: the data are \
             disturbed, and there are only {all_samples} samples of them. The error is {end}.",
    )],
    task: &[always("Halve the error. It takes four times the data: more clients M, or more rollouts N.")],
    done: &[always("With {all_samples} samples the error is {end}. Noise falls like 1/√samples, whoever has them.")],
};

pub(super) const BIAS: Words = Words {
    title: "Bias: the others are not you",
    text: &[always(
        "Now the clients differ, by ε = {eps}. {bias} of what is left is heterogeneity: one model cannot be {M} systems at once. \
             Noise is {noise}. More rounds, more clients and more data all leave this floor where it is.",
    )],
    task: &[always("Lower ε until noise is the larger part again.")],
    done: &[always(
        "At ε = {eps} noise is {noise} and heterogeneity {bias}. Against bias only clients that are alike help, or a model for \
         each group of them.",
    )],
};

pub(super) const DRIFT: Words = Words {
    title: "Drift: averaged too late",
    text: &[
        always(
            "Everybody has only {N} rollouts now, and FedAvg’s clients take K = {K} steps between two averages: each walks far towards \
             its own solution, chance and all. The mean of where they arrive is not where all data together lead, the dotted line \
             (pooled, {pooled}). FedAvg ends at {end}, {above} above it. This is client drift.",
        ),
        always(
            "It comes from noise: what disturbs a client stays in its later states, and draws the own solutions of all to the same \
             side. A mean does not take that away. The dashed curve knows of it: {drift} of its mean square is client drift.",
        ),
        always(
            "FedLin corrects every step by everybody’s gradient: where it converges, it rests on the dotted line, whatever K is.",
        ),
    ],
    task: &[always("Bring FedAvg to within 5 % of the dotted line, with fewer local steps K or smaller ones.")],
    done: &[always("Now it ends at {end}, {above} above the line. What is saved in rounds is paid for in drift.")],
};

pub(super) const FOUR: Words = Words {
    title: "Four causes, four remedies",
    text: &[
        always("Transient: more rounds, larger steps. Now {transient}."),
        always("Noise: more data, more clients. Now {noise}."),
        always("Heterogeneity: clients that are more alike. Now {bias}."),
        always("Client drift: fewer local steps, or FedLin. FedAvg has {second_drift}."),
    ],
    task: &[always(
        "Every control is yours. Which one lowers the floor most? The card “What is left, and why” keeps count.",
    )],
    done: &[],
};

// Step size: fast, slow, broken

pub(super) const SLOW: Words = Words {
    title: "Slow",
    text: &[
        always(
            "Each local step goes α = {alpha} times the gradient. With so small a step a round multiplies what is left of the start by \
             ρ = {rho}: it halves every {half} rounds.",
        ),
        always("To come within a tenth of its end the run needs {rounds} rounds, and has {R}."),
    ],
    task: &[always("Raise α until {R} rounds are enough.")],
    done: &[always("With α = {alpha}, ρ is {rho} and {rounds} rounds are enough.")],
};

pub(super) const FASTER: Words = Words {
    title: "Five times the step",
    text: &[always(
        "Now α = {alpha}, five times the step that was too slow. Everything else stays: {M} clients, K = {K}, {R} rounds.",
    )],
    task: &[when(
        |seen| seen.shown().is_none(),
        "Where does the curve bend now, and where does it end? Draw it: drag the dots, or move them by arrow keys. Then show the run.",
    )],
    done: &[always(
        "ρ is {rho}: what is left halves every {half} rounds. The floor does not depend on the step, only the time to reach it.",
    )],
};

pub(super) const BROKEN: Words = Words {
    title: "Broken",
    text: &[always(
        "A step can be too long: it lands beyond the valley, higher up than it began. The largest stable step for these data is \
             α = {edge}; there ρ reaches 1. Now α = {alpha}, and ρ = {rho}.",
    )],
    task: &[always("Raise α until the run diverges.")],
    done: &[always(
        "α is {over} times the largest stable step, and ρ = {rho} is above 1: every round makes the error larger. Nothing else is \
         wrong; a smaller step cures it at once.",
    )],
};

pub(super) const FAST: Words = Words {
    title: "Fast",
    text: &[
        when(
            |seen| !seen.diverges(),
            "With α = {alpha} the run is within a tenth of its end after {rounds} rounds (ρ = {rho}).",
        ),
        when(diverges, "With α = {alpha} the run diverges (ρ = {rho}): the largest stable step is {edge}."),
    ],
    task: &[always("Find an α with which at most 8 rounds are enough.")],
    done: &[always(
        "{rounds} rounds, with α = {alpha}: far above the cautious step, and below the edge, {edge}. Do not go too near: there \
         ρ climbs back to 1, and other data have another edge.",
    )],
};

pub(super) const LOCAL: Words = Words {
    title: "More steps in a round",
    text: &[
        when(
            |seen| !seen.diverges(),
            "A round costs communication; local steps cost only computing. With K = {K} the run needs {rounds} rounds.",
        ),
        when(diverges, "With K = {K} the run diverges."),
    ],
    task: &[always("With α as it is, find a K with which at most 20 rounds are enough.")],
    done: &[always(
        "K = {K}: {rounds} rounds. K steps do about the work of K rounds. (FedAvg pays for it with drift: the lesson “Why does the \
         error stop falling?” shows how.)",
    )],
};

pub(super) const REGIONS: Words = Words {
    title: "The map of steps",
    text: &[
        always(
            "α to the right, K upwards; the color is how fast the rounds converge. In the black part they diverge. For data as they are on \
             average, as on this map, the edge hardly depends on K; the speed does.",
        ),
        when(
            |seen| !seen.diverges(),
            "Here α = {alpha} and K = {K}. Each of your data sets has an edge of its own; the worst of them has ρ = {rho}.",
        ),
        // The map's ρ may still be below 1.
        when(
            diverges,
            "Here α = {alpha} and K = {K}, and the worst of your data sets has ρ = {rho}: it diverges. Where the map has a color, \
             only data as they are on average still converge.",
        ),
    ],
    task: &[always("Move the handle, by pointer or arrow keys, until your data diverge.")],
    done: &[always("ρ = {rho}: across the edge of your data. Go back, and all is well again.")],
};

// Sentences on guesses

fn of_level(near: Near, drawn: &str, truth: &str) -> String {
    match near {
        Near::Right => say!("The level is right: you drew {drawn} at the end, it is {truth}."),
        Near::Nearly => say!("The level is nearly right: you drew {drawn} at the end, it is {truth}."),
        Near::Above => say!("The end lies lower than you drew it: {truth}, not {drawn}."),
        Near::Below => say!("The end lies higher than you drew it: {truth}, not {drawn}."),
    }
}

fn of_knee(near: Near, drawn: &str, truth: &str) -> String {
    match near {
        Near::Right => say!("The bend is where you drew it, about round {truth}."),
        Near::Nearly => say!("The bend is near where you drew it: about round {truth}, not {drawn}."),
        Near::Above => say!("The bend comes earlier than you drew it: about round {truth}, not {drawn}."),
        Near::Below => say!("The bend comes later than you drew it: about round {truth}, not {drawn}."),
    }
}

fn of_trend(is_right: bool) -> &'static str {
    if is_right {
        say!("The shape is right: falling first, then flat.")
    } else {
        say!("The shape is different: it falls first, and then it is flat.")
    }
}

/// Sentences on a guessed curve.
pub fn of_shape(shape: &Shape) -> Vec<String> {
    let (level, drawn_level, true_level) = shape.level;
    let (knee, drawn_knee, true_knee) = shape.knee;
    let round = |round: f64| count(whole(round));
    vec![
        of_level(level, &measured(drawn_level, 2), &measured(true_level, 2)),
        of_trend(shape.trend).to_owned(),
        of_knee(knee, &round(drawn_knee), &round(true_knee)),
    ]
}

/// A sentence on a guessed ε.
pub fn of_place(drawn: f64, truth: f64) -> String {
    let near = Near::of(drawn, truth.min(1.0), (1.2, 1.5));
    let drawn = measured(drawn, 2);
    match near {
        Near::Right => say!("You placed it at {drawn}: that is it."),
        Near::Nearly => say!("You placed it at {drawn}: close."),
        Near::Above => say!("You placed it at {drawn}; they meet farther left."),
        Near::Below => say!("You placed it at {drawn}; they meet farther right."),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round")]
fn whole(round: f64) -> usize {
    round.round() as usize
}
