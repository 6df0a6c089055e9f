//! What the page asks of the desk, which model is looked at, and what it gets: the texts of its pieces.

use std::ops::{Index, IndexMut};

/// Which of the findings are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Whose model is looked at, by its place in the list: the shared ones in their order, then the clients' own.
    pub model: usize,
    /// Which shared way clients may join, by its place among the shared ones.
    pub way: usize,
}

/// A piece that the page puts in its place. What is declared here is the order in which pieces go from the desk to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What was read, as markup.
    Summary,
    /// The options of the list of models.
    Models,
    /// The model that is looked at, as markup.
    Estimate,
    /// How well models predict, as markup.
    Fit,
    /// The options of the list of what clients could join.
    Ways,
    /// Who should join, as markup of words.
    Join,
    /// Who should join, as a table with a row a client.
    Clients,
    /// How far clients differ, as markup of words.
    Spread,
    /// What was opened, in plain words: the caption of what is taken away.
    About,
    /// The picture of eigenvalues, as [`charts`](super::charts) reads it.
    Modes,
    /// The picture of who should join, as [`charts`](super::charts) reads it.
    Dots,
}

impl Part {
    /// How many pieces there are.
    pub const COUNT: usize = Self::Dots as usize + 1;
}

/// The pieces of every card, in the order in which people read cards.
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
    /// Takes over the pieces of one card, by its place among [`CARDS`].
    pub fn take_card(&mut self, card: usize, from: &mut Self) {
        for &part in CARDS[card] {
            std::mem::swap(&mut self[part], &mut from[part]);
        }
    }

    /// The texts in the order of [`Part`].
    pub fn into_texts(self) -> [String; Part::COUNT] {
        self.0
    }

    /// Pieces made of texts in the order of [`Part`]; those that lack are empty.
    pub fn from_texts(texts: impl IntoIterator<Item = String>) -> Self {
        let mut parts = Self::default();
        parts.0.iter_mut().zip(texts).for_each(|(part, text)| *part = text);
        parts
    }
}
