//! Projection of models onto two of their many dimensions, and onto paper.
//!
//! A model has n×d numbers. The picture shows its projection onto a plane: `x = ⟨Θ − Θ̄, E_1⟩`, `y = ⟨Θ − Θ̄, E_2⟩`
//! with Θ̄ the server's model at the start of the round, E_1 the direction from there to pooled least squares, and E_2
//! the direction orthogonal to E_1 in which the clients' own estimates differ most. Lengths along both are distances
//! between models (Frobenius), though on paper the second may be stretched.

use super::Round;
use crate::sim::Matrix;
use crate::sim::cholesky::semidefinite_factor;
use crate::sim::eigen::Eigen;
use crate::sim::lanes::LaneMatrix;

/// Width and height of the picture, in its own units.
pub const EXTENT: (f64, f64) = (560.0, 360.0);

/// Margins of the picture, for labels.
const MARGIN: (f64, f64) = (52.0, 34.0);

/// Allowed stretches of the second axis: round numbers, so that readers can undo them by eye.
const STRETCHES: [f64; 8] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0];

/// Half width of a 95 % confidence region of two numbers, in standard deviations: √(−2 ln 0.05).
const REACH: f64 = 2.447_746_830_680_816;

/// A point on paper, or in the plane.
pub type Position = (f64, f64);

/// A plane through the space of models: origin and two orthonormal directions.
#[derive(Clone, Debug)]
pub struct Plane {
    origin: Matrix,
    axes: [Matrix; 2],
}

/// An ellipse, by two conjugate half diameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// Centre.
    pub centre: Position,
    /// Two conjugate half diameters: the ellipse is `centre + cos t · first + sin t · second`.
    pub halves: [Position; 2],
}

impl Plane {
    /// The plane for a round.
    pub fn of(round: &Round) -> Self {
        let origin = round.server[0].clone();
        let towards = |model: &Matrix| model - &origin;
        let mut axes: Vec<Matrix> = Vec::new();
        let mut candidates: Vec<Matrix> = round.pooled.iter().map(towards).collect();
        candidates.push(towards(&round.server[1]));
        add_first(&mut axes, candidates.clone());
        let own: Vec<&Matrix> = round.clients.iter().filter_map(|client| Some(&client.own.as_ref()?.0)).collect();
        let mut others: Vec<Matrix> = largest_disagreement(&own, &axes).into_iter().collect();
        others.extend(round.clients.iter().filter_map(|client| Some(towards(&client.path.last()?.1))));
        others.append(&mut candidates);
        // If nothing moves, any plane will do.
        let size = origin.len();
        others.extend((0..size.min(2)).map(|k| {
            let mut unit = Matrix::zeros(origin.nrows(), origin.ncols());
            unit.as_mut_slice()[k] = 1.0;
            unit
        }));
        while axes.len() < 2 && add_first(&mut axes, others.clone()) {}
        let second = axes.pop().unwrap_or_else(|| origin.clone());
        let first = axes.pop().unwrap_or_else(|| origin.clone());
        Self { origin, axes: [first, second] }
    }

    /// Projection of a model onto the plane.
    pub fn place(&self, model: &Matrix) -> Position {
        let from = model - &self.origin;
        (from.dot(&self.axes[0]), from.dot(&self.axes[1]))
    }

    /// Projection of a 95 % confidence region around a model with independent rows that all have this covariance.
    pub fn region(&self, model: &Matrix, covariance: &Matrix) -> Ellipse {
        // The covariance of (x, y).
        let projected = Matrix::from_fn(2, 2, |i, j| (&self.axes[i] * covariance).dot(&self.axes[j]));
        let factor = semidefinite_factor(&projected) * REACH;
        let half = |j: usize| (factor[(0, j)], factor[(1, j)]);
        Ellipse { centre: self.place(model), halves: [half(0), half(1)] }
    }
}

/// Adds to the orthonormal axes the part orthogonal to them of the first direction that does not lie in their span;
/// returns whether there was one.
fn add_first(axes: &mut Vec<Matrix>, directions: Vec<Matrix>) -> bool {
    for direction in directions {
        let size = direction.norm();
        let mut rest = direction;
        // Twice, to remove what rounding leaves the first time.
        for axis in axes.iter().chain(axes.iter()) {
            rest -= axis * axis.dot(&rest);
        }
        let norm = rest.norm();
        if norm.is_finite() && norm > 1e-9 * size && norm > 0.0 {
            axes.push(rest / norm);
            return true;
        }
    }
    false
}

/// The direction, orthogonal to the axes, in which the models differ most; `None` without models, zero for a single
/// one.
fn largest_disagreement(models: &[&Matrix], axes: &[Matrix]) -> Option<Matrix> {
    let first = models.first()?;
    let mut mean = Matrix::zeros(first.nrows(), first.ncols());
    for model in models {
        mean += *model / models.len() as f64;
    }
    let away = |model: &&Matrix| {
        let mut away = *model - &mean;
        for axis in axes {
            away -= axis * axis.dot(&away);
        }
        away
    };
    let away: Vec<Matrix> = models.iter().map(away).collect();
    // The direction is a combination of the differences: the eigenvector holds its coefficients.
    let mut products = LaneMatrix::zeros(away.len(), away.len());
    products.set_lane_from(0, |i, j| away[i].dot(&away[j]));
    let eigen = Eigen::new(&products);
    let largest = (0..away.len()).max_by(|&a, &b| eigen.values[a].0[0].total_cmp(&eigen.values[b].0[0])).unwrap_or(0);
    let mut direction = Matrix::zeros(first.nrows(), first.ncols());
    away.iter().enumerate().for_each(|(k, away)| direction += away * eigen.vectors[(k, largest)].0[0]);
    Some(direction)
}

/// The view of a plane on paper.
#[derive(Clone, Copy, Debug)]
pub struct View {
    centre: Position,
    scale: Position,
}

impl View {
    /// A view that contains all finite points.
    pub fn of(places: &[Position]) -> Self {
        let range = |of: fn(Position) -> f64| {
            let known = places.iter().copied().map(of).filter(|place| place.is_finite());
            let (low, high) =
                known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
            if low <= high { (0.5 * (low + high), high - low) } else { (0.0, 0.0) }
        };
        let ((x, width), (y, height)) = (range(|place| place.0), range(|place| place.1));
        let room = (EXTENT.0 - 2.0 * MARGIN.0, EXTENT.1 - 2.0 * MARGIN.1);
        let size = width.max(height);
        // For a single point any scale will do.
        let least = if size > 0.0 { size } else { 1.0 };
        let fits = (room.0 / width.max(1e-6 * least), room.1 / height.max(1e-6 * least));
        // Stretch the second axis if that helps, but only by one of the round numbers.
        let stretch = STRETCHES.into_iter().rfind(|stretch| stretch * fits.0 <= fits.1).unwrap_or(1.0);
        let scale = fits.0.min(fits.1 / stretch);
        Self { centre: (x, y), scale: (scale, scale * stretch) }
    }

    /// Stretch of the second axis against the first.
    pub fn stretch(&self) -> f64 {
        self.scale.1 / self.scale.0
    }

    /// Position of a point on paper, with y downwards. A point far outside of the picture moves towards its centre, to
    /// within `FAR` units along each axis; its direction stays.
    pub fn on_paper(&self, place: Position) -> Option<Position> {
        const FAR: f64 = 20_000.0;
        let x = EXTENT.0 / 2.0 + (place.0 - self.centre.0) * self.scale.0;
        let y = EXTENT.1 / 2.0 - (place.1 - self.centre.1) * self.scale.1;
        (x.is_finite() && y.is_finite()).then(|| {
            let (from_x, from_y) = (x - EXTENT.0 / 2.0, y - EXTENT.1 / 2.0);
            let shrink = FAR / from_x.abs().max(from_y.abs()).max(FAR);
            (EXTENT.0 / 2.0 + from_x * shrink, EXTENT.1 / 2.0 + from_y * shrink)
        })
    }

    /// An ellipse on paper.
    pub fn ellipse(&self, ellipse: Ellipse) -> Option<Ellipse> {
        let half = |(x, y): Position| (x * self.scale.0, -y * self.scale.1);
        let halves = ellipse.halves.map(half);
        let is_seen = halves.iter().all(|(x, y)| x.is_finite() && y.is_finite());
        is_seen.then_some(Ellipse { centre: self.on_paper(ellipse.centre)?, halves })
    }
}

impl Ellipse {
    /// Whether a point lies inside.
    pub fn contains(&self, (x, y): Position) -> bool {
        let [(ax, ay), (bx, by)] = self.halves;
        let (x, y) = (x - self.centre.0, y - self.centre.1);
        let area = ax * by - ay * bx;
        let (along, across) = ((x * by - y * bx) / area, (ax * y - ay * x) / area);
        along * along + across * across <= 1.0
    }

    /// Its principal half axes, the longer first, and the angle of the longer one from the x axis, in radians.
    pub fn principal(&self) -> ((f64, f64), f64) {
        let [(ax, ay), (bx, by)] = self.halves;
        let (xx, xy, yy) = (ax * ax + bx * bx, ax * ay + bx * by, ay * ay + by * by);
        let (mean, half) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        (((mean + half).max(0.0).sqrt(), (mean - half).max(0.0).sqrt()), angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(places: &[Position]) -> View {
        View::of(places)
    }

    #[test]
    fn what_is_to_be_seen_is_on_paper_and_fills_it() {
        let view = view(&[(0.0, 0.0), (2.0, 0.1), (1.0, -0.1), (f64::NAN, 0.0)]);
        for place in [(0.0, 0.0), (2.0, 0.1), (1.0, -0.1)] {
            let (x, y) = view.on_paper(place).unwrap();
            assert!((MARGIN.0 - 1e-9..=EXTENT.0 - MARGIN.0 + 1e-9).contains(&x), "{x}");
            assert!((MARGIN.1 - 1e-9..=EXTENT.1 - MARGIN.1 + 1e-9).contains(&y), "{y}");
        }
        // 456 units for a width of 2 and 292 for a height of 0.2: 6.4-fold stretching would fit.
        assert!((view.stretch() - 5.0).abs() < 1e-12);
    }

    #[test]
    fn a_tall_picture_is_not_stretched_and_a_point_is_in_the_middle() {
        assert!((view(&[(0.0, 0.0), (0.1, 3.0)]).stretch() - 1.0).abs() < 1e-12);
        let (x, y) = view(&[(7.0, 7.0)]).on_paper((7.0, 7.0)).unwrap();
        assert!((x - EXTENT.0 / 2.0).abs() < 1e-9 && (y - EXTENT.1 / 2.0).abs() < 1e-9);
        assert!(view(&[]).on_paper((1.0, 1.0)).is_some());
    }

    #[test]
    fn what_is_far_away_is_in_the_same_direction_and_what_is_no_number_nowhere() {
        let view = view(&[(0.0, 0.0), (1.0, 1.0)]);
        let (x, y) = view.on_paper((1e200, 0.5e200)).unwrap();
        assert!(x > 10_000.0 && x < 30_000.0 && y < -5_000.0 && y.is_finite());
        assert_eq!(view.on_paper((f64::INFINITY, 0.0)), None);
    }

    #[test]
    fn principal_axes_are_those_of_the_ellipse() {
        let ellipse = Ellipse { centre: (1.0, 2.0), halves: [(3.0, 1.0), (-0.5, 2.0)] };
        let ((long, narrow), angle) = ellipse.principal();
        // The area is the same, and both ends of the long axis lie on the ellipse.
        assert!((long * narrow - 6.5).abs() < 1e-12);
        for end in [0.999, -0.999] {
            assert!(ellipse.contains((1.0 + end * long * angle.cos(), 2.0 + end * long * angle.sin())));
        }
        assert!(!ellipse.contains((1.0 + 1.001 * long * angle.cos(), 2.0 + 1.001 * long * angle.sin())));
    }
}
