//! Computes a [prediction](super::prediction) in steps: rounds in leaps, along a curve of round maps, or with partial
//! participation.

use std::collections::VecDeque;

use super::NoPrediction;
use super::law::{Law, MeanNorms};
use super::partial::PartialRun;
use super::points::Points;
use super::prediction::{Context, Limit, NEAR, Parts, Prediction, State};
use super::ratios::Ratios;
use fedsysid_sim::Matrix;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::local_map::FleetMaps;
use fedsysid_sim::method::Method;
use fedsysid_sim::method::affine::{Leaps, RoundMap};
use fedsysid_sim::method::curve::RoundCurve;
use fedsysid_sim::target::Target;

/// The largest degree of a curve of round maps; there is no prediction if a larger one is needed.
const MOST_DEGREE: usize = 72;

/// The limit is the state after 2^DOUBLINGS rounds.
const DOUBLINGS: usize = 30;

/// Work in one step, in products of entries: a millisecond or two.
const STEP: usize = 400_000;

/// The degree at which interpolated round maps are right to about 10⁻¹⁰, for a given [`FleetMaps::reach`] and at most
/// `n_local_steps` steps; `None` if it is too high.
///
/// An entry is a sum of terms `(1 − αλ)^K`, about e^{−x} for x = αλK up to the reach. Its Chebyshev coefficients
/// between 0 and α fall like `exp(−k²/x)`; degree K is always exact.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is too large saturates")]
fn degree(reach: f64, n_local_steps: usize) -> Option<usize> {
    let enough = (4.6 * reach.sqrt() + 4.0).ceil() as usize;
    Some(enough.min(n_local_steps)).filter(|&degree| degree <= MOST_DEGREE)
}

/// Computes a prediction in small steps.
#[derive(Debug)]
pub(crate) struct PredictionRun {
    recurrence: Recurrence,
    rows: Rows,
    /// States that still have to be recorded.
    waiting: VecDeque<State>,
    /// The centre of the target clients; `None` for the worst client, which may change from round to round.
    centre: Option<Centre>,
    prediction: Prediction,
    /// The map of all rows, if every round is the same.
    map: Option<RoundMap>,
    start: Matrix,
    ratios: Ratios,
    /// Whether only ratios are left to compute.
    has_all_records: bool,
}

/// How the rows go from round to round.
#[derive(Debug)]
enum Recurrence {
    /// Round maps are still being computed: one, or several for a curve of the given degree.
    Points {
        points: Box<Points>,
        degree: Option<usize>,
    },
    Leaps(Box<Leaps>),
    Curve {
        curve: Box<RoundCurve>,
        model: Matrix,
        after: Matrix,
        round: usize,
    },
    Partial(Box<PartialRun>),
}

/// The rows of the recurrence: drift, transient, noise.
#[derive(Clone, Copy, Debug)]
struct Rows {
    /// Number of rows of the drift, and of the transient; all other rows are noise.
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
    /// Starts the prediction of a method from its local maps.
    ///
    /// # Errors
    /// If the round is not one affine map, steps change from round to round while not all clients take part, FedLin's
    /// round depends too much on who does, or the interpolation would need too high a degree.
    pub(crate) fn new(context: Context<'_>, method: Method, maps: FleetMaps) -> Result<Self, NoPrediction> {
        let settings = context.scenario.settings();
        let fleet = context.expected.fleet();
        let shape = context.pooled.mean.shape();
        let recurrence = if !settings.participation.is_full(fleet.n_clients()) {
            Recurrence::Partial(Box::new(PartialRun::new(context, method, maps)?))
        } else if method.schedule.repeats_every_round() {
            let points = Points::new(context, method, maps, Vec::new());
            Recurrence::Points { points: Box::new(points), degree: None }
        } else {
            let most = fleet.blocks().iter().flat_map(|block| block.n_local_steps).max().unwrap_or(1);
            let degree = degree(maps.reach(fleet), most).ok_or(NoPrediction::LocalSteps)?;
            let sizes = RoundCurve::new(settings.step_size, degree, shape).points().to_vec();
            let points = Points::new(context, method, maps, sizes);
            Recurrence::Points { points: Box::new(points), degree: Some(degree) }
        };
        let centre = match context.truth.target() {
            Target::Worst => None,
            Target::Client(_) | Target::Mean => Some(Centre::of_mean(context.truth)),
        };
        let mut run = Self {
            recurrence,
            rows: Rows { n: shape.0 },
            waiting: VecDeque::new(),
            centre,
            prediction: Prediction::default(),
            map: None,
            start: Matrix::zeros(0, shape.1),
            ratios: Ratios::default(),
            has_all_records: false,
        };
        if let Recurrence::Partial(_) = run.recurrence {
            run.start_from(context, 0);
        }
        Ok(run)
    }

    /// Starts at round 0, with `n_noises` independent rows of noise.
    fn start_from(&mut self, context: Context<'_>, n_noises: usize) {
        let first = context.scenario.first_model();
        let zeros = |rows| Matrix::zeros(rows, first.ncols());
        self.start = Rows::stack(&zeros(first.nrows()), &(&first - &context.pooled.mean), &zeros(n_noises));
        self.waiting.push_back(self.rows.state(&self.start));
    }

    /// Starts the rounds, once the round maps are complete.
    fn begin(&mut self, context: Context<'_>) -> Result<(), NoPrediction> {
        let settings = context.scenario.settings();
        let pooled = &context.pooled.mean;
        let Recurrence::Points { points, degree } = &mut self.recurrence else { return Ok(()) };
        let degree = *degree;
        let (maps, noise) = points.finish(context.expected);
        self.start_from(context, noise.nrows());
        let d = pooled.ncols();
        let rows = |point: usize, map: &RoundMap| augment(map, pooled, &noise.columns(point * d, d).into_owned());
        let mut rows = maps.iter().enumerate().map(|(point, map)| rows(point, map));
        self.recurrence = if let Some(degree) = degree {
            let mut curve = RoundCurve::new(settings.step_size, degree, self.start.shape());
            rows.for_each(|map| curve.add(map));
            if !curve.is_tame() {
                return Err(NoPrediction::Diverges);
            }
            let (model, after) = (self.start.clone(), self.start.clone());
            Recurrence::Curve { curve: Box::new(curve), model, after, round: 0 }
        } else {
            self.map = rows.next();
            let map = self.map.clone().ok_or(NoPrediction::Method)?;
            Recurrence::Leaps(Box::new(Leaps::new(map, &self.start, settings.n_rounds)))
        };
        Ok(())
    }

    /// Works for a millisecond or two, and returns whether there is more to do.
    ///
    /// # Errors
    /// If round maps are too large to be interpolated.
    pub(crate) fn advance(
        &mut self,
        context: Context<'_>,
        method: Method,
        norms: &mut MeanNorms,
    ) -> Result<bool, NoPrediction> {
        let (rows, d) = (self.start.nrows(), self.start.ncols());
        // Its products, and the search for the farthest client among all.
        let cost_of_record = rows * d * d + context.truth.blocks().count() * d * d;
        let cost_of_ratio = 1_000 * d * d + cost_of_record;
        let mut done = 0;
        while done < STEP {
            if let Some(state) = self.waiting.pop_front() {
                self.record(context, &state);
                done += cost_of_record;
                continue;
            }
            if self.has_all_records {
                if !self.ratios.advance(context.truth, norms) {
                    return Ok(false);
                }
                done += cost_of_ratio;
                continue;
            }
            done += match &mut self.recurrence {
                Recurrence::Points { points, .. } => {
                    if !points.advance(context.expected) {
                        self.begin(context)?;
                    }
                    STEP
                }
                Recurrence::Leaps(leaps) => {
                    let used = leaps.advance();
                    self.has_all_records = used.is_none();
                    self.waiting.extend((0..used.unwrap_or(0)).map(|lane| self.rows.state(&leaps.models().lane(lane))));
                    rows * d * d
                }
                Recurrence::Curve { curve, model, after, round } => {
                    let settings = context.scenario.settings();
                    if *round == settings.n_rounds {
                        self.has_all_records = true;
                        continue;
                    }
                    let step_size = method.schedule.step_size(settings.step_size, 1, *round, settings.n_rounds);
                    curve.at(step_size).apply(model, after);
                    std::mem::swap(model, after);
                    *round += 1;
                    if context.recorded.binary_search(round).is_ok() {
                        self.waiting.push_back(self.rows.state(model));
                    }
                    // These products run along long rows, and cost about a quarter each.
                    (curve.points().len() * (d + rows) * d + rows * d * d) / 4
                }
                Recurrence::Partial(run) => {
                    let mut models = Vec::new();
                    let more = run.advance(context, self.centre.as_ref(), &mut models);
                    self.waiting.extend(models);
                    self.has_all_records = !more;
                    STEP
                }
            };
        }
        Ok(true)
    }

    fn split(&self, context: Context<'_>, rows: &Matrix) -> (Law, Parts) {
        self.rows.state(rows).split(context, self.centre.as_ref())
    }

    fn record(&mut self, context: Context<'_>, state: &State) {
        let (law, parts) = state.split(context, self.centre.as_ref());
        self.prediction.parts.push(parts);
        self.ratios.push(law, parts.rms(), parts.noise);
    }

    /// The prediction, once [`Self::advance`] has returned `false`.
    ///
    /// # Errors
    /// If the errors diverge or depend too much on who takes part; only if not all clients do.
    pub(crate) fn finish(mut self, context: Context<'_>, norms: &mut MeanNorms) -> Result<Prediction, NoPrediction> {
        self.prediction.limit = match &self.recurrence {
            Recurrence::Partial(run) => run.limit(context, self.centre.as_ref(), norms)?,
            _ => self.limit(context, norms),
        };
        self.prediction.means = self.ratios.means();
        Ok(self.prediction)
    }

    /// The limit of the error, if there is one: the state after 2^[`DOUBLINGS`] rounds.
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
        // A direction without data keeps its error for ever, which is a limit too; growth has none.
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

/// The map of all rows from the map of the model: drift, transient, and noise that enters in every round.
fn augment(map: &RoundMap, pooled: &Matrix, noise: &Matrix) -> RoundMap {
    let mut drift = pooled.clone();
    map.apply(pooled, &mut drift);
    drift -= pooled;
    let zeros = Matrix::zeros(pooled.nrows(), pooled.ncols());
    RoundMap { factor: map.factor.clone(), offset: Rows::stack(&drift, &zeros, noise) }
}
