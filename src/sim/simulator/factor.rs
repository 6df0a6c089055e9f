//! New normals beside a basis: drawing the entries of a factor.

use rand::RngExt;
use rand::distr::Open01;

use super::LaneStream;
use crate::chi::LaneChi;
use crate::lanes::Lanes;
use crate::normal::normal;

/// New normals beside a basis: `[E R]`, row by row.
pub(super) struct Factor<'a> {
    /// Number of vectors of the basis.
    pub(super) n_known: usize,
    pub(super) stride: usize,
    pub(super) rows: &'a mut [Lanes],
}

/// What turns normals into the diagonal of an `R`.
pub(super) struct Diagonal<'a> {
    pub(super) chi: &'a [LaneChi],
    pub(super) uniforms: &'a [Lanes],
    pub(super) lanes: &'a [LaneStream],
    /// The index that a χ in column 0 would have.
    pub(super) first: usize,
}

impl Factor<'_> {
    pub(super) fn clear_outside(&mut self) {
        for row in self.rows.chunks_exact_mut(self.stride) {
            row[self.n_known..].fill(Lanes::default());
        }
    }

    /// Draws E for one client.
    #[inline(never)]
    pub(super) fn draw_within(&mut self, stream: &mut LaneStream) {
        let lane = stream.lane;
        for row in self.rows.chunks_exact_mut(self.stride) {
            for entry in &mut row[..self.n_known] {
                entry.0[lane] = normal(&mut stream.rng);
            }
        }
    }

    /// Draws the numbers behind R for one client: normals for the lower triangle, and uniforms for the diagonal.
    #[inline(never)]
    pub(super) fn draw_outside(&mut self, stream: &mut LaneStream, uniforms: &mut [Lanes]) {
        let lane = stream.lane;
        for (i, row) in self.rows.chunks_exact_mut(self.stride).enumerate() {
            for entry in &mut row[self.n_known..=self.n_known + i] {
                entry.0[lane] = normal(&mut stream.rng);
            }
            uniforms[i].0[lane] = stream.rng.sample(Open01);
        }
    }

    /// Turns the numbers drawn into `[E R]`, with each column multiplied by its level.
    pub(super) fn scale(&mut self, levels: &[Lanes], diagonal: &Diagonal<'_>) {
        for (i, row) in self.rows.chunks_exact_mut(self.stride).enumerate() {
            let column = self.n_known + i;
            row[column] = diagonal.draw(row[column], i, column);
            row[..=column].iter_mut().zip(levels).for_each(|(entry, &level)| *entry = *entry * level);
        }
    }
}

impl Diagonal<'_> {
    /// The diagonal entry in row i of an R, which is in the column `column` of the whole factor.
    #[inline]
    fn draw(&self, normals: Lanes, i: usize, column: usize) -> Lanes {
        let stream = |lane| self.lanes.iter().find(|stream| stream.lane == lane);
        self.chi[column].draw(normals, self.uniforms[i], |lane| stream(lane).map(|s| s.retry(self.first + column)))
    }
}
