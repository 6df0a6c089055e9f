//! The page's choice of a model, and the pieces of text that the desk sends.

use std::ops::{Index, IndexMut};

/// The chosen model and the chosen shared way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Index in the list of models: the shared models in their order, then the clients' own.
    pub model: usize,
    /// Index of the shared way that clients may join, among the shared ways.
    pub way: usize,
}

/// A piece that the page puts in its place. The desk sends the pieces in the order of this declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The files that were read, as markup.
    Summary,
    /// The options of the list of models.
    Models,
    /// The chosen model, as markup.
    Estimate,
    /// Prediction errors of the models, as markup.
    Fit,
    /// The options of the list of shared ways that clients could join.
    Ways,
    /// Who should join, in words, as markup.
    Join,
    /// Who should join, as a table with one row per client.
    Clients,
    /// How far clients differ, in words, as markup.
    Spread,
    /// The opened files, in plain words: the caption of exports.
    About,
    /// The chart of eigenvalues, as [`charts`](super::charts) reads it.
    Modes,
    /// The chart of who should join, as [`charts`](super::charts) reads it.
    Dots,
}

impl Part {
    /// Number of pieces.
    pub const COUNT: usize = Self::Dots as usize + 1;
}

/// The pieces of each card; the cards are in reading order.
pub const CARDS: [&[Part]; 5] = [
    &[Part::Summary, Part::About],
    &[Part::Models, Part::Estimate, Part::Modes],
    &[Part::Spread],
    &[Part::Ways, Part::Join, Part::Clients, Part::Dots],
    &[Part::Fit],
];

/// The texts of all pieces, by [`Part`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts([String; Part::COUNT]);

impl Index<Part> for Parts {
    type Output = String;

    fn index(&self, part: Part) -> &String {
        &self.0[part as usize]
    }
}

impl IndexMut<Part> for Parts {
    fn index_mut(&mut self, part: Part) -> &mut String {
        &mut self.0[part as usize]
    }
}

impl Parts {
    /// Takes over the pieces of one card; `card` is an index in [`CARDS`].
    pub fn take_card(&mut self, card: usize, from: &mut Self) {
        for &part in CARDS[card] {
            std::mem::swap(&mut self[part], &mut from[part]);
        }
    }

    /// The texts in the order of [`Part`].
    pub fn into_texts(self) -> [String; Part::COUNT] {
        self.0
    }

    /// Pieces made of texts in the order of [`Part`]; missing ones are empty.
    pub fn from_texts(texts: impl IntoIterator<Item = String>) -> Self {
        let mut parts = Self::default();
        parts.0.iter_mut().zip(texts).for_each(|(part, text)| *part = text);
        parts
    }
}
