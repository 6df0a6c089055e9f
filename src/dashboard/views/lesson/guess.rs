//! A student's guess, drawn before the run is shown, and its comparison with the run: by its shape, in friendly words,
//! without a grade.

use crate::figure::frame::Frame;
use crate::figure::{Figure, Point};

/// What the guess is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A curve along the rounds, by its values at some of them.
    Curve,
    /// The break-even ε.
    Place,
}

/// Rounds at which a guessed curve has values; the value at the first is given.
pub const ROUNDS: [f64; 6] = [0.0, 10.0, 25.0, 50.0, 100.0, 200.0];

/// Factors by which a key changes a value: a small step, and a long one.
const STEP: f64 = 1.04;
const LONG_STEP: f64 = 1.25;

/// Limits of a guessed ε.
const PLACES: (f64, f64) = (0.01, 1.0);
/// A trade-off is shown up to this ε before the guess.
pub const SHOWN_UP_TO: f64 = 0.11;

/// A guess.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Its kind.
    pub kind: Kind,
    /// Errors at [`ROUNDS`], or one ε.
    pub values: Vec<f64>,
    /// Whether the student has changed it.
    pub is_drawn: bool,
}

impl Guess {
    /// The guess before any change: a curve that stays at its start, or the ε up to which the trade-off is shown.
    pub fn blank(kind: Kind, start: f64) -> Self {
        let values = match kind {
            Kind::Curve => vec![start; ROUNDS.len()],
            Kind::Place => vec![SHOWN_UP_TO],
        };
        Self { kind, values, is_drawn: false }
    }

    /// Indices of the movable handles.
    pub fn handles(kind: Kind) -> std::ops::Range<usize> {
        match kind {
            Kind::Curve => 1..ROUNDS.len(),
            Kind::Place => 0..1,
        }
    }

    /// Position of a handle on a plot, in pixels.
    pub fn px(&self, handle: usize, frame: &Frame) -> (f64, f64) {
        let value = self.values.get(handle).copied().unwrap_or(f64::NAN);
        let (x, y) = match self.kind {
            Kind::Curve => (ROUNDS[handle.min(ROUNDS.len() - 1)], value),
            Kind::Place => (value, f64::NAN),
        };
        let (x, y) = frame.px_of(Point { x, y });
        let plot = frame.plot;
        let middle = plot.top + 0.5 * plot.height;
        let y = if self.kind == Kind::Place { middle } else { y };
        (x.clamp(plot.left, plot.right()), y.clamp(plot.top, plot.bottom()))
    }

    /// The guess as an SVG path in pixels.
    pub fn path(&self, frame: &Frame) -> String {
        let places = (0..self.values.len()).map(|handle| self.px(handle, frame));
        match self.kind {
            Kind::Curve => {
                let points = places.map(|(x, y)| format!("{x:.1} {y:.1}"));
                format!("M{}", points.collect::<Vec<_>>().join("L"))
            }
            Kind::Place => {
                let x = places.map(|(x, _)| x).next().unwrap_or(0.0);
                format!("M{x:.1} {:.1}V{:.1}", frame.plot.top, frame.plot.bottom())
            }
        }
    }

    /// Moves the nearest handle to a point on the plot, in pixels.
    pub fn draw(&mut self, (x, y): (f64, f64), frame: &Frame) {
        let plot = frame.plot;
        let (x, y) = (x.clamp(plot.left, plot.right()), y.clamp(plot.top, plot.bottom()));
        match self.kind {
            Kind::Curve => {
                let distance = |handle: &usize| (self.px(*handle, frame).0 - x).abs();
                let handles = Self::handles(self.kind);
                let nearest = handles.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                if let Some(handle) = nearest {
                    self.set(handle, frame.y_at(y));
                }
            }
            Kind::Place => self.set(0, frame.x_at(x)),
        }
    }

    /// Moves a handle by a key; returns whether the key is one that moves handles.
    pub fn key(&mut self, handle: usize, key: &str, is_long: bool) -> bool {
        let long = if is_long { LONG_STEP } else { STEP };
        let factor = match key {
            "ArrowUp" | "ArrowRight" => long,
            "ArrowDown" | "ArrowLeft" => 1.0 / long,
            "PageUp" => LONG_STEP,
            "PageDown" => 1.0 / LONG_STEP,
            _ => return false,
        };
        let now = self.values.get(handle).copied().unwrap_or(1.0);
        self.set(handle, now * factor);
        true
    }

    fn set(&mut self, handle: usize, value: f64) {
        let (low, high) = if self.kind == Kind::Place { PLACES } else { (1e-5, 1e3) };
        if let Some(old) = self.values.get_mut(handle).filter(|_| value.is_finite()) {
            *old = value.clamp(low, high);
            self.is_drawn = true;
        }
    }

    /// The guess as one number: the ε, or the error at the end; `None` while nothing is drawn.
    pub fn number(&self) -> Option<f64> {
        self.values.last().copied().filter(|_| self.is_drawn)
    }

    /// The round after which the drawn curve stays within a quarter of its final value.
    pub fn knee(&self) -> f64 {
        let points: Vec<_> = ROUNDS.into_iter().zip(self.values.iter().copied()).collect();
        knee(&points)
    }
}

/// Removes from a figure the curves and lines that would reveal what is to be guessed.
pub fn veil(figure: &mut Figure, kind: Kind) {
    match kind {
        Kind::Curve => {
            let measured = figure.curves.first().cloned();
            let start = measured.as_ref().and_then(|curve| curve.points.first()).map_or(1.0, |point| point.y);
            figure.curves = measured.into_iter().collect();
            for curve in &mut figure.curves {
                curve.points.truncate(1);
                curve.band.clear();
            }
            figure.levels.retain(|level| level.role == crate::figure::Role::ClientAlone);
            figure.x.range = (0.0, ROUNDS[ROUNDS.len() - 1]);
            // A fixed range: an axis fitted to the run would reveal where it ends.
            figure.y.range = (0.003 * start, 2.0 * start);
        }
        Kind::Place => {
            for curve in &mut figure.curves {
                curve.points.retain(|point| point.x < SHOWN_UP_TO);
                curve.band.retain(|band| band.x < SHOWN_UP_TO);
            }
            figure.marks.clear();
            // Nor does the axis tell of what is hidden.
            let shown = figure.curves.iter().flat_map(|curve| &curve.points).map(|point| point.y);
            let shown = shown.filter(|y| *y > 0.0 && y.is_finite());
            figure.y.range = shown.fold((0.03, 1.0), |(low, high), y| (y.min(low), y.max(high)));
        }
    }
}

/// Closeness of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// As close as one can draw.
    Right,
    /// Close.
    Nearly,
    /// The guess is too large, or too late.
    Above,
    /// The guess is too small, or too early.
    Below,
}

impl Near {
    /// Compares a guess with the truth by their ratio; the limits are the factors for `Right` and `Nearly`.
    pub fn of(drawn: f64, truth: f64, (right, nearly): (f64, f64)) -> Self {
        let ratio = drawn / truth;
        let off = ratio.max(1.0 / ratio);
        if off <= right {
            Self::Right
        } else if off <= nearly {
            Self::Nearly
        } else if ratio > 1.0 {
            Self::Above
        } else {
            Self::Below
        }
    }
}

/// Comparison of a guessed curve with the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Final level: closeness, guessed value, true value.
    pub level: (Near, f64, f64),
    /// Whether it falls as far as it bends, and is flat from there on.
    pub trend: bool,
    /// Where the curve bends, in rounds: closeness, guessed value, true value.
    pub knee: (Near, f64, f64),
}

/// Compares a guessed curve with the run, given as points (round, error).
pub fn shape(guess: &Guess, run: &[(f64, f64)]) -> Option<Shape> {
    let truth: Vec<_> = ROUNDS.iter().map(|&round| at(run, round)).collect::<Option<_>>()?;
    let (drawn_end, end) = (guess.values.last().copied()?, truth.last().copied()?);
    let (drawn_knee, true_knee) = (guess.knee(), knee(run));
    // Changes of ln(error). Where the drawing bends is judged for itself; here it only has to fall until then, and to
    // be flat at its end unless the run still falls there.
    let slope = |values: &[f64], place: usize| (values[place + 1] / values[place]).ln();
    let last = ROUNDS.len() - 2;
    let falls = (0..=last).all(|place| ROUNDS[place] >= drawn_knee || slope(&guess.values, place) < -0.05);
    let is_flat = |values: &[f64]| slope(values, last).abs() < 0.4;
    let trend = drawn_knee > 0.0 && falls && (is_flat(&guess.values) || !is_flat(&truth));
    let bends = |round: f64| round.max(5.0);
    Some(Shape {
        level: (Near::of(drawn_end, end, (1.3, 2.0)), drawn_end, end),
        trend,
        knee: (Near::of(bends(drawn_knee), bends(true_knee), (1.5, 2.2)), drawn_knee, true_knee),
    })
}

/// Interpolates between recorded rounds, linearly in ln(error).
fn at(points: &[(f64, f64)], round: f64) -> Option<f64> {
    let after = points.iter().position(|&(x, _)| x >= round)?;
    let (x1, y1) = points[after];
    if after == 0 || x1 <= round {
        return Some(y1);
    }
    let (x0, y0) = points[after - 1];
    let share = (round - x0) / (x1 - x0);
    Some((y0.ln() + share * (y1.ln() - y0.ln())).exp())
}

/// The round after which a curve stays within a quarter of its final value; interpolates linearly in ln(error).
pub(super) fn knee(points: &[(f64, f64)]) -> f64 {
    let Some(&(_, end)) = points.last() else { return f64::NAN };
    let near = 1.25_f64.ln();
    let height = |y: f64| (y / end).ln().abs();
    let Some(before) = points.iter().rposition(|&(_, y)| height(y) > near) else { return 0.0 };
    let (x0, y0) = points[before];
    let (x1, y1) = points[before + 1];
    let (h0, h1) = (height(y0), height(y1));
    x0 + (x1 - x0) * ((h0 - near) / (h0 - h1).max(1e-12)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::layout::Layout;
    use crate::figure::theme::Theme;
    use crate::figure::{Axis, Scale, Size};

    fn drawn(values: [f64; 6]) -> Guess {
        Guess { kind: Kind::Curve, values: values.to_vec(), is_drawn: true }
    }

    /// A run that falls towards 0.05 by the factor `rate` per round.
    fn run(rate: f64) -> Vec<(f64, f64)> {
        (0..=200).map(|round| (f64::from(round), 0.05 + 1.8 * rate.powi(round))).collect()
    }

    fn on(run: &[(f64, f64)]) -> Guess {
        drawn(ROUNDS.map(|round| at(run, round).unwrap()))
    }

    #[test]
    fn a_curve_that_is_the_run_is_right_in_everything() {
        for rate in [0.8, 0.9, 0.95, 0.97] {
            let run = run(rate);
            let shape = shape(&on(&run), &run).unwrap();
            assert_eq!((shape.level.0, shape.trend), (Near::Right, true));
            assert!(matches!(shape.knee.0, Near::Right | Near::Nearly), "{rate}: {shape:?}");
        }
    }

    #[test]
    fn each_part_is_judged_for_itself() {
        let run = run(0.93);
        let of = |change: fn(usize, f64) -> f64| {
            let mut guess = on(&run);
            for (place, value) in guess.values.iter_mut().enumerate().skip(1) {
                *value = change(place, *value);
            }
            shape(&guess, &run).unwrap()
        };
        let high = of(|place, value| if place > 3 { value * 3.0 } else { value.max(0.15) });
        assert_eq!(high.level.0, Near::Above);
        assert_eq!(of(|_, value| value / 3.0).level.0, Near::Below);
        assert_eq!(of(|_, value| value * 1.6).level.0, Near::Nearly);
        let early = of(|_, _| 0.05);
        assert_eq!((early.level.0, early.knee.0), (Near::Right, Near::Below));
        let flat = of(|place, _| if place < 5 { 1.8 } else { 0.05 });
        assert_eq!((flat.trend, flat.knee.0), (false, Near::Above));
        assert!(!of(|place, value| if place == 3 { value * 8.0 } else { value }).trend, "it does not rise on its way");
        assert!(
            of(|place, value| if place < 4 { 1.8 / (place + 1) as f64 } else { value }).trend,
            "a late bend is a bend"
        );
        assert!(!of(|_, _| 1.85).trend, "it falls at first");
        assert!(!of(|place, _| 1.8 - 0.3 * place as f64).trend, "it is flat in the end");
    }

    #[test]
    fn a_straight_fall_on_the_axis_has_its_knee_near_the_end() {
        let straight: Vec<_> = (0..=200).map(|round| (f64::from(round), 0.97_f64.powi(round))).collect();
        assert!(knee(&straight) > 150.0);
        assert!(knee(&[(0.0, 1.0), (200.0, 1.0)]) < 1.0 && knee(&[]).is_nan());
    }

    #[test]
    fn handles_follow_the_pointer_and_keys() {
        let axis = |label: &str, range, scale| Axis { label: label.into(), range, scale, whole: false };
        let figure = Figure {
            title: None,
            x: axis("round r", (0.0, 200.0), Scale::Linear),
            y: axis("error", (0.005, 4.0), Scale::Log10),
            curves: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            words: None,
        };
        let frame = Layout::new(&figure, &Theme::LIGHT, Size::new(640.0, 400.0, 1.0)).frame;
        let mut guess = Guess::blank(Kind::Curve, 1.8);
        assert_eq!(guess.number(), None);
        let target = frame.px_of(Point { x: 47.0, y: 0.1 });
        guess.draw(target, &frame);
        assert!((guess.values[3] - 0.1).abs() < 1e-9 && guess.is_drawn, "{guess:?}");
        assert!((guess.px(3, &frame).1 - target.1).abs() < 1e-6);
        guess.draw((1e9, -1e9), &frame);
        assert!((guess.values[5] - 4.0).abs() < 1e-6, "what is beyond the plot is at its edge");
        assert!((guess.values[0] - 1.8).abs() < 1e-12, "the start is known");
        assert!(guess.key(2, "ArrowDown", false) && guess.values[2] < 1.8 && !guess.key(2, "Tab", false));
        let mut place = Guess::blank(Kind::Place, 0.0);
        for _ in 0..200 {
            place.key(0, "ArrowRight", true);
        }
        assert_eq!(place.number(), Some(1.0));
    }

    #[test]
    fn a_place_is_near_by_its_ratio() {
        let near = |drawn| Near::of(drawn, 0.5, (1.25, 1.6));
        assert_eq!(
            [0.5, 0.41, 0.7, 0.9, 0.2].map(near),
            [Near::Right, Near::Right, Near::Nearly, Near::Above, Near::Below]
        );
    }
}
