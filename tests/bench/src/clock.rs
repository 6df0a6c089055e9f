//! Comparable times: all contestants take turns, and the best turn of each counts.
//!
//! Other work of a machine only makes a turn slower, so the best of many turns is the time of the work itself. Turns
//! alternate, so that a machine that is slow for a while is slow for all contestants.

use std::time::{Duration, Instant};

/// The least number of turns of each contestant, however long they take.
const LEAST_TURNS: usize = 3;

/// The best time of each run in milliseconds, taking turns for as long as `patience` lasts.
pub fn best_ms<const K: usize>(patience: Duration, mut runs: [&mut dyn FnMut(); K]) -> [f64; K] {
    let mut best = [f64::INFINITY; K];
    let start = Instant::now();
    let mut turns = 0;
    while turns < LEAST_TURNS || start.elapsed() < patience {
        for (best, run) in best.iter_mut().zip(&mut runs) {
            *best = best.min(ms(run));
        }
        turns += 1;
    }
    best
}

fn ms(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::thread::sleep;

    use super::*;

    #[test]
    fn runs_take_turns_at_least_a_few_times() {
        let order = RefCell::new(Vec::new());
        best_ms(Duration::ZERO, [&mut || order.borrow_mut().push('a'), &mut || order.borrow_mut().push('b')]);
        assert_eq!(order.into_inner(), ['a', 'b', 'a', 'b', 'a', 'b']);
    }

    #[test]
    fn the_best_turn_counts() {
        let turns = Cell::new(0);
        let slow_but_once = || {
            turns.set(turns.get() + 1);
            sleep(Duration::from_millis(if turns.get() == 2 { 1 } else { 200 }));
        };
        let [best] = best_ms(Duration::ZERO, [&mut { slow_but_once }]);
        assert!((1.0..200.0).contains(&best), "{best}");
    }

    #[test]
    fn turns_go_on_while_patience_lasts() {
        let turns = Cell::new(0);
        best_ms(Duration::from_millis(30), [&mut || turns.set(turns.get() + 1)]);
        assert!(turns.get() > LEAST_TURNS);
    }
}
