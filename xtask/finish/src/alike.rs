//! An order of pieces in which each stands near what it resembles.
//!
//! Deflate finds repetitions within 32 kB. A compiler emits functions by the place of their source, and instances of the same
//! generic code far apart; side by side they are worth a few percent of the whole.

use std::cmp::Reverse;
use std::collections::VecDeque;

/// Pieces of this many bytes are what two functions have in common.
const SHINGLE: usize = 6;

/// What more functions than these have in common says nothing.
const COMMON: usize = 1_000;

/// How far back repetitions are found, less what the next function takes itself.
const WINDOW: usize = 30_000;

/// The weight of something that two functions alone share, about.
const WEIGHT: f64 = 1_024.0;

/// The pieces' numbers in the new order: always next the one that shares most, by its length, with those just before.
pub(crate) fn order(pieces: &[&[u8]]) -> Vec<usize> {
    let shared = Shared::new(pieces);
    let lengths: Vec<f64> = pieces.iter().map(|piece| (piece.len() as f64 + 8.0).powf(0.8)).collect();
    // Where nothing is alike, the largest is next.
    let mut by_size: Vec<usize> = (0..pieces.len()).collect();
    by_size.sort_by_key(|&piece| Reverse(pieces[piece].len()));
    let mut by_size = by_size.into_iter();

    let mut left = vec![true; pieces.len()];
    let mut window = Window {
        scores: vec![0; pieces.len()],
        within: vec![0; shared.holders.len()],
        bytes: 0,
        recent: VecDeque::new(),
    };
    let mut order = Vec::with_capacity(pieces.len());
    loop {
        let nearest = (0..pieces.len())
            .filter(|&piece| left[piece] && window.scores[piece] > 0)
            .map(|piece| (piece, window.scores[piece] as f64 / lengths[piece]))
            .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
            .map(|(piece, _)| piece);
        let Some(next) = nearest.or_else(|| by_size.find(|&piece| left[piece])) else {
            return order;
        };
        left[next] = false;
        order.push(next);
        window.push(next, pieces, &shared);
    }
}

/// What pieces share: shingles that at least two have, and not too many.
struct Shared {
    /// Each piece's shingles.
    of: Vec<Vec<usize>>,
    /// Each shingle's pieces.
    holders: Vec<Vec<usize>>,
    /// What a shingle says: the more, the fewer have it.
    weights: Vec<i64>,
}

impl Shared {
    fn new(pieces: &[&[u8]]) -> Self {
        let mut found: Vec<(&[u8], usize)> = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            found.extend(piece.windows(SHINGLE).map(|shingle| (shingle, number)));
        }
        found.sort_unstable();
        found.dedup();
        let mut shared = Self { of: vec![Vec::new(); pieces.len()], holders: Vec::new(), weights: Vec::new() };
        for group in found.chunk_by(|one, other| one.0 == other.0) {
            if (2..=COMMON).contains(&group.len()) {
                for &(_, piece) in group {
                    shared.of[piece].push(shared.holders.len());
                }
                shared.holders.push(group.iter().map(|&(_, piece)| piece).collect());
                #[expect(clippy::cast_possible_truncation, reason = "at most WEIGHT")]
                shared.weights.push((WEIGHT / (group.len() as f64).sqrt()) as i64);
            }
        }
        shared
    }
}

/// The pieces that the next one can repeat.
struct Window {
    /// The weight of what each piece shares with them.
    scores: Vec<i64>,
    /// How many of them have each shingle.
    within: Vec<u32>,
    recent: VecDeque<usize>,
    bytes: usize,
}

impl Window {
    fn push(&mut self, piece: usize, pieces: &[&[u8]], shared: &Shared) {
        self.recent.push_back(piece);
        self.bytes += pieces[piece].len();
        for &shingle in &shared.of[piece] {
            self.within[shingle] += 1;
            if self.within[shingle] == 1 {
                self.score(shingle, shared.weights[shingle], shared);
            }
        }
        while self.bytes > WINDOW {
            let Some(oldest) = self.recent.pop_front() else { break };
            self.bytes -= pieces[oldest].len();
            for &shingle in &shared.of[oldest] {
                self.within[shingle] -= 1;
                if self.within[shingle] == 0 {
                    self.score(shingle, -shared.weights[shingle], shared);
                }
            }
        }
    }

    fn score(&mut self, shingle: usize, weight: i64, shared: &Shared) {
        for &piece in &shared.holders[shingle] {
            self.scores[piece] += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_together() {
        let pieces: [&[u8]; 5] = [
            b"a client's moments",
            b"0123456789 0123456789",
            b"the round of a server",
            b"another client's moments",
            b"a round of the server",
        ];
        let order = order(&pieces);
        let place = |piece| order.iter().position(|&other| other == piece).unwrap();
        assert_eq!(place(0).abs_diff(place(3)), 1, "{order:?}");
        assert_eq!(place(2).abs_diff(place(4)), 1, "{order:?}");
    }

    #[test]
    fn every_piece_has_a_place_however_short() {
        let pieces: [&[u8]; 6] = [b"", b"x", b"same same", b"", b"same same", b"other"];
        let mut order = order(&pieces);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
        assert_eq!(super::order(&[]), Vec::<usize>::new());
    }

    #[test]
    fn what_is_out_of_reach_no_longer_counts() {
        // One that is as long as the window pushes out what was before it.
        let long: Vec<u8> = (0..20_000_u16).flat_map(u16::to_be_bytes).collect();
        let pieces: [&[u8]; 2] = [b"once upon a time", &long];
        let shared = Shared::new(&[pieces[0], &long, b"once upon a time"]);
        let mut window =
            Window { scores: vec![0; 3], within: vec![0; shared.holders.len()], bytes: 0, recent: VecDeque::new() };
        window.push(0, &pieces, &shared);
        assert!(window.scores[2] > 0);
        window.push(1, &pieces, &shared);
        assert_eq!(window.scores[2], 0);
    }
}
