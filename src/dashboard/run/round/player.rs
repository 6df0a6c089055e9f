//! Plays rounds: the shown frame of the shown round.

use super::scene::Frames;
use super::{SlowRun, svg};
use crate::dashboard::words::names::method_name;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::{Scenario, Settings};
use fedsysid_say::say;

/// The run of an experiment, and the shown frame.
#[derive(Debug)]
pub struct Player {
    settings: Settings,
    /// Name of the method whose rounds are shown.
    method: String,
    run: SlowRun,
    frames: Frames,
    index: usize,
    frame: usize,
}

/// The shown frame with its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Showing {
    /// The picture, as markup.
    pub svg: String,
    /// What happens in it.
    pub sentence: String,
    /// The directions and marks of the picture.
    pub caption: String,
    /// Numbers of the round and the frame.
    pub place: String,
    /// Whether this is the round's last frame.
    pub is_last: bool,
    /// Whether this is the run's last round.
    pub is_last_round: bool,
}

impl Player {
    /// The first frame of the first round. Shows the experiment's first method that can be drawn, otherwise FedLin.
    ///
    /// # Errors
    /// Why the round cannot be shown, as a sentence.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let scenario = Scenario::new(settings.clone()).map_err(|error| say!("This cannot be run: {error}."))?;
        let is_drawn = |method: &&Method| matches!(method.solver, Solver::FedAvg | Solver::FedLin);
        let fedlin = Method::constant(Solver::FedLin);
        let method = settings.methods.iter().find(is_drawn).copied().unwrap_or(fedlin);
        let mut run = SlowRun::new(scenario, method).map_err(|reason| reason.to_string())?;
        let frames = Frames::new(run.go_on(), None);
        Ok(Self { settings, method: method_name(method), run, frames, index: 1, frame: 0 })
    }

    /// Goes to the next frame; the last one stays.
    pub fn step(&mut self) {
        self.frame = (self.frame + 1).min(self.last());
    }

    /// Goes to the last frame.
    pub fn to_end(&mut self) {
        self.frame = self.last();
    }

    /// Goes to the first frame of the next round. After the run's last round nothing happens.
    pub fn next_round(&mut self) {
        if self.index >= self.settings.n_rounds {
            return;
        }
        self.frames = Frames::new(self.run.go_on(), Some(&self.frames));
        (self.index, self.frame) = (self.index + 1, 0);
    }

    /// Goes to the first frame of the first round.
    pub fn reset(&mut self) {
        if let Ok(first) = Self::new(self.settings.clone()) {
            *self = first;
        }
    }

    /// The shown frame.
    pub fn showing(&self) -> Showing {
        let scene = self.frames.scene(self.frame);
        Showing {
            svg: svg::markup(&scene),
            sentence: scene.sentence,
            caption: self.frames.caption(),
            place: say!("{}, round {}, {} of {}", self.method, self.index, self.frame + 1, self.frames.count()),
            is_last: self.frame == self.last(),
            is_last_round: self.index >= self.settings.n_rounds,
        }
    }

    fn last(&self) -> usize {
        self.frames.count().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> Player {
        Player::new(Settings { n_clients: 7, ..Settings::paper() }).unwrap()
    }

    #[test]
    fn a_round_is_stepped_through_to_its_end_and_begins_anew() {
        let mut player = player();
        let first = player.showing();
        assert!(first.svg.contains("<svg") && !first.is_last && !first.sentence.is_empty(), "{first:?}");
        let mut n_frames = 1;
        while !player.showing().is_last {
            player.step();
            n_frames += 1;
        }
        assert_eq!(player.showing().place, format!("FedAvg, round 1, {n_frames} of {n_frames}"));
        let last = player.showing();
        player.step();
        assert_eq!(player.showing(), last);
        player.next_round();
        assert!(player.showing().place.starts_with("FedAvg, round 2, 1 of"));
        player.reset();
        assert_eq!(player.showing(), first);
        player.to_end();
        assert_eq!(player.showing(), last);
    }

    #[test]
    fn after_the_last_round_there_is_none() {
        let mut player = Player::new(Settings { n_clients: 7, n_rounds: 2, ..Settings::paper() }).unwrap();
        assert!(!player.showing().is_last_round);
        player.next_round();
        player.to_end();
        let last = player.showing();
        assert!(last.is_last_round && last.sentence.starts_with("This is the run’s last model."), "{}", last.sentence);
        player.next_round();
        assert_eq!(player.showing(), last);
    }

    #[test]
    fn what_cannot_be_shown_is_said() {
        let refused = Player::new(Settings { n_clients: 0, ..Settings::paper() });
        assert!(refused.is_err_and(|reason| reason.starts_with("This cannot be run")));
    }
}
