//! The values a parameter may take, and the stops of its slider.
//!
//! A slider has positions 0, 1, …, [`Grid::last`]; [`Grid::at`] and [`Grid::nearest`] are the two ways between
//! positions and values. Every stop is a short decimal and is exactly the `f64` that its decimal text parses to, so
//! that a value read from a slider, a box and a link is the same number. A box may hold allowed values between two
//! stops.

/// Which values are allowed, and where the slider stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grid {
    /// Whole numbers. `stops` lists (from, step) in increasing order: the slider walks from each start in its step, up
    /// to the next start, the last one up to `max`. Each stretch must be a multiple of its step.
    Whole {
        /// Stretches of equal steps; the first start is the smallest allowed value.
        stops: &'static [(u32, u32)],
        /// Largest allowed value.
        max: u32,
    },
    /// Real numbers from `min` to `max`, with `per_unit` stops for each unit.
    Real {
        /// Smallest allowed value.
        min: u32,
        /// Largest allowed value.
        max: u32,
        /// Stops in a unit: 200 means a step of 0.005.
        per_unit: u32,
    },
    /// Real numbers from `10^-deepest` to `10^-shallowest`, with stops that are even on a logarithmic scale and still
    /// have at most three digits: 1–2 by 0.05, 2–5 by 0.1, 5–10 by 0.25 in every decade.
    Log {
        /// The smallest allowed value is `10^-deepest`.
        deepest: u32,
        /// The largest allowed value is `10^-shallowest`.
        shallowest: u32,
    },
}

/// One decade of a logarithmic grid, in hundredths: (from, step), up to 1000.
const DECADE: [(u32, u32); 3] = [(100, 5), (200, 10), (500, 25)];
const DECADE_END: u32 = 1000;

/// How far one key press or button moves a slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// One stop (the buttons beside a slider).
    One,
    /// A hundredth of the slider (Shift + arrow).
    Fine,
    /// A twentieth of the slider (arrow).
    Normal,
    /// A tenth of the slider (Page up, Page down).
    Coarse,
}

/// One move of a slider by keyboard or button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Towards larger values.
    Up(Stride),
    /// Towards smaller values.
    Down(Stride),
    /// To the smallest value.
    ToMin,
    /// To the largest value.
    ToMax,
}

impl Move {
    /// The move of a key, by its name in a browser's keyboard events; none for keys that do not move a slider.
    pub fn of_key(name: &str, shift: bool) -> Option<Self> {
        let arrow = if shift { Stride::Fine } else { Stride::Normal };
        match name {
            "ArrowRight" | "ArrowUp" => Some(Self::Up(arrow)),
            "ArrowLeft" | "ArrowDown" => Some(Self::Down(arrow)),
            "PageUp" => Some(Self::Up(Stride::Coarse)),
            "PageDown" => Some(Self::Down(Stride::Coarse)),
            "Home" => Some(Self::ToMin),
            "End" => Some(Self::ToMax),
            _ => None,
        }
    }
}

impl Grid {
    /// Smallest allowed value.
    pub fn min(&self) -> f64 {
        self.at(0)
    }

    /// Largest allowed value.
    pub fn max(&self) -> f64 {
        self.at(self.last())
    }

    /// Position of the last stop; the first one is 0.
    pub fn last(&self) -> u32 {
        match *self {
            Self::Whole { stops, max } => count(stops, max),
            Self::Real { min, max, per_unit } => (max - min) * per_unit,
            Self::Log { deepest, shallowest } => (deepest - shallowest) * count(&DECADE, DECADE_END),
        }
    }

    /// Value of the stop at `position`; positions past the end give the last stop.
    pub fn at(&self, position: u32) -> f64 {
        match *self {
            Self::Whole { stops, max } => f64::from(walk(stops, max, position)),
            Self::Real { min, max, per_unit } => {
                f64::from((min * per_unit + position).min(max * per_unit)) / f64::from(per_unit)
            }
            Self::Log { deepest, .. } => {
                let position = position.min(self.last());
                let per_decade = count(&DECADE, DECADE_END);
                let digits = walk(&DECADE, DECADE_END, position % per_decade);
                digits_over_power(digits, 2 + deepest, position / per_decade)
            }
        }
    }

    /// Position of the stop nearest to `value`.
    pub fn nearest(&self, value: f64) -> u32 {
        let above = self.first_at_or_above(value);
        let below = above.saturating_sub(1);
        if value - self.at(below) <= self.at(above) - value { below } else { above }
    }

    /// The place of the stop nearest to `value` along the slider, 0 to 1.
    pub fn fraction(&self, value: f64) -> f64 {
        f64::from(self.nearest(value)) / f64::from(self.last().max(1))
    }

    /// The place of `value` along the slider, 0 to 1, interpolated between stops; `None` beyond the ends.
    pub fn place(&self, value: f64) -> Option<f64> {
        let nearest = self.nearest(value);
        let stop = self.at(nearest);
        let beside = match value.partial_cmp(&stop)? {
            std::cmp::Ordering::Less => nearest.checked_sub(1)?,
            std::cmp::Ordering::Equal => nearest,
            std::cmp::Ordering::Greater => Some(nearest + 1).filter(|&next| next <= self.last())?,
        };
        let share = if beside == nearest { 0.0 } else { (value - stop) / (self.at(beside) - stop) };
        let position = f64::from(nearest) + share * (f64::from(beside) - f64::from(nearest));
        Some(position / f64::from(self.last().max(1)))
    }

    /// The stop reached from `value` by `step`.
    pub fn moved(&self, value: f64, step: Move) -> f64 {
        let position = self.nearest(value);
        self.at(match step {
            Move::Up(stride) => position.saturating_add(self.stride(stride)).min(self.last()),
            Move::Down(stride) => position.saturating_sub(self.stride(stride)),
            Move::ToMin => 0,
            Move::ToMax => self.last(),
        })
    }

    /// Whether only whole numbers are allowed.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole { .. })
    }

    /// Positions in a stride: at least one, so that a key press always moves.
    fn stride(&self, stride: Stride) -> u32 {
        let parts = match stride {
            Stride::One => return 1,
            Stride::Fine => 100,
            Stride::Normal => 20,
            Stride::Coarse => 10,
        };
        ((self.last().saturating_add(parts / 2)) / parts).max(1)
    }

    /// First position whose value is not below `value`, by bisection; the last position if there is none.
    fn first_at_or_above(&self, value: f64) -> u32 {
        let (mut low, mut high) = (0, self.last());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at(middle) < value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// `digits · 10^decades / 10^places`, with a single rounding: both sides of the division are exact.
fn digits_over_power(digits: u32, places: u32, decades: u32) -> f64 {
    f64::from(digits) / f64::from(10_u32.pow(places - decades))
}

/// Number of steps from the first start to `end`.
fn count(stops: &[(u32, u32)], end: u32) -> u32 {
    stretches(stops, end).map(|(from, to, step)| (to - from) / step).sum()
}

/// The value `position` steps after the first start, at most `end`.
fn walk(stops: &[(u32, u32)], end: u32, position: u32) -> u32 {
    let mut left = position;
    for (from, to, step) in stretches(stops, end) {
        let steps = (to - from) / step;
        if left < steps {
            return from + left * step;
        }
        left -= steps;
    }
    end
}

/// The stretches as (from, to, step).
fn stretches(stops: &[(u32, u32)], end: u32) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
    let ends = stops.iter().skip(1).map(|&(from, _)| from).chain([end]);
    stops.iter().zip(ends).map(|(&(from, step), to)| (from, to, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINEAR: Grid = Grid::Whole { stops: &[(1, 1)], max: 200 };
    const BENT: Grid = Grid::Whole { stops: &[(1, 1), (50, 5), (200, 10), (500, 25)], max: 1000 };
    const SEED: Grid = Grid::Whole { stops: &[(0, 1)], max: u32::MAX };
    const UNIT: Grid = Grid::Real { min: 0, max: 1, per_unit: 200 };
    const LOG: Grid = Grid::Log { deepest: 6, shallowest: 1 };

    #[test]
    fn ends_are_exact() {
        #[track_caller]
        fn check(grid: Grid, last: u32, min: f64, max: f64) {
            assert_eq!(grid.last(), last);
            assert_eq!((grid.min().to_bits(), grid.max().to_bits()), (min.to_bits(), max.to_bits()));
            assert_eq!(grid.at(u32::MAX).to_bits(), max.to_bits(), "past the end");
        }
        check(LINEAR, 199, 1.0, 200.0);
        check(BENT, 129, 1.0, 1000.0);
        check(SEED, u32::MAX, 0.0, 4_294_967_295.0);
        check(LOG, 350, 1e-6, 0.1);
    }

    #[test]
    fn every_stop_increases_and_is_a_short_decimal() {
        for grid in [LINEAR, BENT, UNIT, LOG] {
            for position in 0..=grid.last() {
                let value = grid.at(position);
                let digits = value.to_string().replace("0.", "").trim_start_matches('0').len();
                assert!(digits <= 4, "{value} at {position}");
                assert!(position == 0 || grid.at(position - 1) < value, "{value} at {position}");
                assert_eq!(grid.nearest(value), position, "{value}");
            }
        }
    }

    #[test]
    fn values_between_stops_snap_to_the_nearer_one() {
        #[track_caller]
        fn check(grid: Grid, value: f64, expected: f64) {
            assert_eq!(grid.at(grid.nearest(value)).to_string(), expected.to_string(), "from {value}");
        }
        check(LINEAR, 1.5, 1.0);
        check(BENT, 52.5, 50.0);
        check(BENT, 52.0, 50.0);
        check(BENT, 53.0, 55.0);
        check(UNIT, 0.1234, 0.125);
        check(LOG, 1.234e-4, 1.25e-4);
        check(LOG, 1e-4, 1e-4);
        check(LOG, 5.0, 0.1);
        check(LOG, -5.0, 1e-6);
    }

    #[test]
    fn keys_move_by_parts_of_the_slider() {
        #[track_caller]
        fn check(grid: Grid, from: f64, step: Move, expected: f64) {
            assert_eq!(grid.moved(from, step).to_string(), expected.to_string(), "{step:?} from {from}");
        }
        check(LINEAR, 50.0, Move::Up(Stride::Normal), 60.0);
        check(LINEAR, 50.0, Move::Down(Stride::Fine), 48.0);
        check(LINEAR, 50.0, Move::Up(Stride::Coarse), 70.0);
        check(LINEAR, 199.0, Move::Up(Stride::Normal), 200.0);
        check(LINEAR, 3.0, Move::Down(Stride::Normal), 1.0);
        check(UNIT, 0.25, Move::Up(Stride::Normal), 0.3);
        check(UNIT, 0.25, Move::Up(Stride::Fine), 0.26);
        check(BENT, 25.0, Move::Up(Stride::Fine), 26.0);
        check(BENT, 50.0, Move::Up(Stride::One), 55.0);
        check(BENT, 50.0, Move::Down(Stride::One), 49.0);
        check(LOG, 1e-4, Move::ToMax, 0.1);
        check(SEED, 7.0, Move::ToMin, 0.0);
        check(SEED, f64::from(u32::MAX), Move::Up(Stride::Coarse), f64::from(u32::MAX));
    }

    #[test]
    fn keys_are_known_by_name() {
        #[track_caller]
        fn check(name: &str, shift: bool, expected: Option<Move>) {
            assert_eq!(Move::of_key(name, shift), expected);
        }
        check("ArrowRight", false, Some(Move::Up(Stride::Normal)));
        check("ArrowDown", true, Some(Move::Down(Stride::Fine)));
        check("PageUp", true, Some(Move::Up(Stride::Coarse)));
        check("End", false, Some(Move::ToMax));
        check("Tab", false, None);
        check("a", true, None);
    }
}
