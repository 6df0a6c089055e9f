//! A [prediction](super::prediction) in the making: rounds run in leaps, along a curve, or as they are drawn.

use super::NoPrediction;
use super::drawn::Drawn;
use super::law::{Law, MeanNorms};
use super::points::Points;
use super::prediction::{Context, Limit, NEAR, Parts, Prediction, State};
use fedsysid_sim::Matrix;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::method::Method;
use fedsysid_sim::method::affine::{Leaps, RoundMap};
use fedsysid_sim::method::curve::RoundCurve;
use fedsysid_sim::target::Target;

/// A mean spectral norm is taken whenever the mean error, or the root of the noise, has moved by so much of the root mean
/// square; in between its ratio to that is interpolated.
const MOVED: f64 = 0.1;

/// At most so many local steps have a curve of round maps of their own; more are interpolated between as many points.
const DEGREE: usize = 8;

/// After so many doublings of the round, a run is taken to have ended.
const DOUBLINGS: usize = 30;

/// Rounds along a curve that are gone through at once.
const STEP: usize = 2_000;

/// A prediction in the making, in small steps.
#[derive(Debug)]
pub(crate) struct PredictionRun {
    rounds: Rounds,
    rows: Rows,
    /// The clients that count, if they are the same all along.
    centre: Option<Centre>,
    prediction: Prediction,
    /// Every row's map, where every round is the same.
    map: Option<RoundMap>,
    start: Matrix,
    /// Places of the records at which mean norms were taken, and those norms over the root mean square.
    ratios: Vec<(usize, f64)>,
    /// The model and the noise at the last of these.
    last: Option<(Matrix, f64)>,
}

#[derive(Debug)]
enum Rounds {
    Leaps(Box<Leaps>),
    Curve { curve: Box<RoundCurve>, method: Method, model: Matrix, after: Matrix, round: usize },
    Drawn(Box<Drawn>),
}

/// The rows of the recurrence.
#[derive(Clone, Copy, Debug)]
struct Rows {
    /// Rows of drift, and of the transient after them; the rest is noise.
    n: usize,
}

impl Rows {
    fn state(self, model: &Matrix) -> State {
        let rows = |first: usize, count: usize| model.rows(first, count).into_owned();
        let noise = rows(2 * self.n, model.nrows() - 2 * self.n);
        State {
            drift: rows(0, self.n),
            transient: rows(self.n, self.n),
            covariance: noise.tr_mul(&noise),
            drawn: [0.0; 2],
        }
    }

    fn stack(drift: &Matrix, transient: &Matrix, noise: &Matrix) -> Matrix {
        let (n, d) = drift.shape();
        let mut rows = Matrix::zeros(2 * n + noise.nrows(), d);
        rows.rows_mut(0, n).copy_from(drift);
        rows.rows_mut(n, n).copy_from(transient);
        rows.rows_mut(2 * n, noise.nrows()).copy_from(noise);
        rows
    }
}

impl PredictionRun {
    /// A prediction at round 0.
    ///
    /// # Errors
    /// If the method's round is not one affine map, or neither always the same nor one in which all take part.
    pub(crate) fn new(context: Context<'_>, method: Method, norms: &mut MeanNorms) -> Result<Self, NoPrediction> {
        let settings = context.scenario.settings();
        let fleet = context.expected.fleet();
        let first = context.scenario.first_model();
        let points = || Points::new(context.expected, method, settings.step_size);
        let (n, d) = first.shape();
        let transient = &first - &context.pooled.mean;
        let zeros = |rows| Matrix::zeros(rows, d);
        let mut repeated = None;
        let (rounds, start) = if !settings.participation.is_full(fleet.n_clients()) {
            let drawn = Drawn::new(context, method)?;
            (Rounds::Drawn(Box::new(drawn)), Rows::stack(&zeros(n), &transient, &zeros(0)))
        } else if method.schedule.repeats_every_round() {
            let mut points = points();
            let map = points.take().ok_or(NoPrediction::Method)?;
            let noise = points.noise();
            let map = augment(&map, &context.pooled.mean, &noise);
            let start = Rows::stack(&zeros(n), &transient, &zeros(noise.nrows()));
            repeated = Some(map.clone());
            (Rounds::Leaps(Box::new(Leaps::new(map, &start, settings.n_rounds))), start)
        } else {
            let degree = fleet.blocks().iter().flat_map(|block| block.n_local_steps).max().unwrap_or(1).min(DEGREE);
            let (curve, rank) = curve(&mut points(), &context.pooled.mean, settings.step_size, degree)?;
            let start = Rows::stack(&zeros(n), &transient, &zeros(rank));
            let (model, after) = (start.clone(), start.clone());
            (Rounds::Curve { curve: Box::new(curve), method, model, after, round: 0 }, start)
        };
        let centre = match context.truth.target() {
            Target::Worst => None,
            Target::Client(_) | Target::Mean => Some(Centre::of_mean(context.truth)),
        };
        let mut run = Self {
            rounds,
            rows: Rows { n },
            centre,
            prediction: Prediction::default(),
            map: repeated,
            start,
            ratios: Vec::new(),
            last: None,
        };
        let state = run.rows.state(&run.start);
        run.record(context, &state, norms);
        Ok(run)
    }

    /// Goes on for about a millisecond; whether there is more to do.
    pub(crate) fn advance(&mut self, context: Context<'_>, norms: &mut MeanNorms) -> bool {
        let settings = context.scenario.settings();
        let (mut models, rows) = (Vec::new(), self.rows);
        let more = match &mut self.rounds {
            Rounds::Leaps(leaps) => match leaps.advance() {
                Some((lanes, used)) => {
                    models.extend((0..used).map(|lane| rows.state(&lanes.lane(lane))));
                    true
                }
                None => false,
            },
            Rounds::Curve { curve, method, model, after, round } => {
                let until = settings.n_rounds.min(*round + STEP);
                while *round < until {
                    curve
                        .at(method.schedule.step_size(settings.step_size, 1, *round, settings.n_rounds))
                        .apply(model, after);
                    std::mem::swap(model, after);
                    *round += 1;
                    if context.recorded.binary_search(round).is_ok() {
                        models.push(rows.state(model));
                    }
                }
                *round < settings.n_rounds
            }
            Rounds::Drawn(drawn) => drawn.advance(context, self.centre.as_ref(), &mut models),
        };
        for model in &models {
            self.record(context, model, norms);
        }
        more
    }

    fn split(&self, context: Context<'_>, rows: &Matrix) -> (Law, Parts) {
        self.rows.state(rows).split(context, self.centre.as_ref())
    }

    fn record(&mut self, context: Context<'_>, state: &State, norms: &mut MeanNorms) {
        let (law, parts) = state.split(context, self.centre.as_ref());
        let record = self.prediction.parts.len();
        self.prediction.parts.push(parts);
        let rms = parts.rms();
        let moved = |(model, noise): &(Matrix, f64)| {
            let noise = (parts.noise.sqrt() - noise.sqrt()).abs();
            (&law.mean - model).norm().max(noise) > MOVED * rms
        };
        if record + 1 == context.recorded.len() || self.last.as_ref().is_none_or(moved) {
            self.last = Some((law.mean.clone(), parts.noise));
            let is_number = rms > 0.0 && rms.is_finite();
            self.ratios.push((record, if is_number { norms.roughly(&law, context.truth) / rms } else { 1.0 }));
        }
    }

    /// The prediction, once there is nothing more to do.
    ///
    /// # Errors
    /// If too much depends on who takes part.
    pub(crate) fn finish(mut self, context: Context<'_>, norms: &mut MeanNorms) -> Result<Prediction, NoPrediction> {
        self.prediction.limit = match &self.rounds {
            Rounds::Drawn(drawn) => drawn.limit(context, self.centre.as_ref(), norms)?,
            _ => self.limit(context, norms),
        };
        let mut prediction = self.prediction;
        let mut ratios = self.ratios.windows(2).map(|pair| (pair[0], pair[1])).peekable();
        let last = self.ratios.last().map_or(1.0, |&(_, ratio)| ratio);
        let mean = |(record, parts): (usize, &Parts)| {
            while ratios.peek().is_some_and(|&(_, (end, _))| end < record) {
                ratios.next();
            }
            let ratio = ratios.peek().map_or(last, |&((start, from), (end, to))| {
                from + (to - from) * (record - start) as f64 / (end - start) as f64
            });
            parts.rms() * ratio
        };
        prediction.means = prediction.parts.iter().enumerate().map(mean).collect();
        Ok(prediction)
    }

    /// Where the error ends, if it does: after very many doublings of the round.
    fn limit(&self, context: Context<'_>, norms: &mut MeanNorms) -> Option<Limit> {
        let once = self.map.as_ref()?;
        let mut powers = vec![once.clone()];
        while powers.len() <= DOUBLINGS {
            let last = powers.last()?;
            powers.push(last.then(last));
        }
        let after = |power: &RoundMap, rows: &Matrix| {
            let mut after = rows.clone();
            power.apply(rows, &mut after);
            after
        };
        let (law, parts) = self.split(context, &after(powers.last()?, &self.start));
        // A direction without data keeps its error for ever, and that is an end too; growth is none.
        let grows = powers.last()?.factor.amax() > 1.0 + 1e-3;
        if grows || !parts.total().is_finite() {
            return None;
        }
        let is_far = |rows: &Matrix| self.split(context, rows).1.rms() > NEAR * parts.rms();
        let (mut n_rounds, mut rows) = (0, self.start.clone());
        for (k, power) in powers.iter().enumerate().rev() {
            let later = after(power, &rows);
            if is_far(&later) {
                (n_rounds, rows) = (n_rounds + (1 << k), later);
            }
        }
        let n_rounds = if n_rounds == 0 && !is_far(&rows) { 0 } else { n_rounds + 1 };
        Some(Limit { mean: norms.of(&law, context.truth), parts, n_rounds })
    }
}

/// The curve of all rows' maps over step sizes, and the rows of noise.
fn curve(
    points: &mut Points<'_>,
    pooled: &Matrix,
    step_size: f64,
    degree: usize,
) -> Result<(RoundCurve, usize), NoPrediction> {
    let (n, d) = pooled.shape();
    let at = RoundCurve::new(step_size, degree, (n, d)).points().to_vec();
    let maps: Option<Vec<_>> = at.iter().map(|&step_size| points.take_at(step_size)).collect();
    let maps = maps.ok_or(NoPrediction::Method)?;
    let noise = points.noise();
    let mut curve = RoundCurve::new(step_size, degree, (2 * n + noise.nrows(), d));
    for (point, map) in maps.iter().enumerate() {
        curve.add(augment(map, pooled, &noise.columns(point * d, d).into_owned()));
    }
    if curve.is_tame() { Ok((curve, noise.nrows())) } else { Err(NoPrediction::Diverges) }
}

/// The map of all rows from that of the model: drift, transient, and noise that enters anew each round.
fn augment(map: &RoundMap, pooled: &Matrix, noise: &Matrix) -> RoundMap {
    let mut drift = pooled.clone();
    map.apply(pooled, &mut drift);
    drift -= pooled;
    let zeros = Matrix::zeros(pooled.nrows(), pooled.ncols());
    RoundMap { factor: map.factor.clone(), offset: Rows::stack(&drift, &zeros, noise) }
}
