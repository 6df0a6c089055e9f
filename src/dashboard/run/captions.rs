//! Captions: what a picture of a run shows.

use crate::dashboard::results::Run;
use crate::dashboard::run::picture;
use crate::dashboard::words::counting::Things;
use crate::figure::number::number;
use crate::params::views::Upward;
use crate::sim::family::Heterogeneity;
use crate::sim::target::Target;
use fedsysid_say::say;

/// Caption of the picture.
pub fn caption(run: &Run) -> String {
    caption_of(run, Upward::Error)
}

/// Caption of the picture, with its vertical axis.
pub fn caption_of(run: &Run, upward: Upward) -> String {
    let rounds = Things::Rounds.counted(run.settings.n_rounds);
    let pooled = picture::pooled(&run.summary);
    let converges = run.summary.methods.iter().any(|method| method.n_diverged < run.summary.n_trials);
    let has_bands = converges && run.summary.n_trials > 1 && (upward == Upward::Error || pooled.is_none());
    let band = if has_bands { say!("; band: ±1 standard error") } else { "" };
    let dashed = if picture::has_predictions(run) { say!("; dashed: predicted") } else { "" };
    let of = match run.settings.target {
        Target::Client(client) => say!("against client {}", client + 1),
        Target::Worst => say!("of the worst client").into(),
        Target::Mean => say!("averaged over clients").into(),
    };
    let said = say!(
        "Spectral-norm error {of} over {rounds}, mean of {}{band}{dashed}.",
        Things::DataSets.counted(run.summary.n_trials)
    );
    format!("{said}{}", picture::of_multiples(upward, pooled))
}

/// Measured differences between the clients' systems: a line beside ε.
pub fn heterogeneity(run: &Run) -> String {
    let Heterogeneity { a, b } = run.summary.heterogeneity;
    say!("measured: A up to {}, B {}", number(a), number(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;

    /// A caption names bands where some are drawn.
    #[test]
    fn what_diverges_has_no_band() {
        assert!(caption(&run(|_| ())).contains("band"));
        assert!(!caption(&run(|s| s.step_size = 1.0)).contains("band"));
        assert!(!caption(&run(|s| s.methods.clear())).contains("band"));
    }

    /// A single client differs from nobody; the paper's V and U have norm 1, so that two clients differ by at most ε.
    #[test]
    fn the_measured_heterogeneity_is_said() {
        let said = |n_clients| heterogeneity(&run(|s| (s.n_clients, s.heterogeneity) = (n_clients, 0.3)));
        assert_eq!(said(1), "measured: A up to 0, B 0");
        let many = run(|s| (s.n_clients, s.heterogeneity) = (200, 0.3));
        let measured = many.summary.heterogeneity;
        assert!((0.28..0.3).contains(&measured.a) && (0.28..0.3).contains(&measured.b), "{measured:?}");
        assert!(heterogeneity(&many).contains(&number(measured.a)));
    }

    #[test]
    fn the_caption_counts() {
        let caption_of = |n_trials| caption(&run(|s| (s.n_trials, s.n_rounds) = (n_trials, 1)));
        assert_eq!(
            caption_of(1),
            "Spectral-norm error against client 1 over 1 round, mean of 1 data set; dashed: predicted."
        );
        assert!(!caption(&run(|s| s.step_size = 3e-3)).contains("dashed"), "nothing predicted is drawn");
        assert!(caption_of(2).ends_with("mean of 2 data sets; band: ±1 standard error; dashed: predicted."));
    }
}
