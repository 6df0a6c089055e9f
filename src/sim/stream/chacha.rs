//! ChaCha8 for targets where the `chacha20` crate has no vector instructions: four blocks side by side, twice as fast.
//!
//! The words are those of [`rand::rngs::ChaCha8Rng`] for the same keys, streams and positions. (Bernstein, "ChaCha, a
//! variant of Salsa20", 2008, with 8 rounds, a counter of 64 bits and a stream number of 64 bits.)

use std::array;
use std::convert::Infallible;

use rand::rand_core::utils::fill_bytes_via_next_word;
use rand::{Rng, SeedableRng, TryRng};
use wide::u32x4;

/// Number of blocks side by side: their 16 rows fill the registers, and their 64 words are as many as `chacha20`
/// buffers.
const BLOCKS: usize = 4;
/// Words per block.
const WORDS: usize = 16;
/// Pairs of words in all blocks.
const PAIRS: usize = WORDS * BLOCKS / 2;
/// Pairs of rounds: each has a round on columns and one on diagonals.
const DOUBLE_ROUNDS: usize = 4;

/// The first row of every block: "expand 32-byte k".
const CONSTANTS: u32x4 = u32x4::new([0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);

/// One row of the state, of all blocks side by side.
type Rows = [u32x4; BLOCKS];

/// The generator.
#[derive(Clone, Debug)]
pub struct ChaCha8Rng {
    key: [u32x4; 2],
    stream: u64,
    /// The number of the block after the buffered ones.
    block: u64,
    /// The buffered blocks, two words per entry, and the number of words that are used up.
    pairs: [u64; PAIRS],
    used: usize,
}

impl SeedableRng for ChaCha8Rng {
    type Seed = [u8; 32];

    fn from_seed(seed: [u8; 32]) -> Self {
        let (words, _) = seed.as_chunks::<4>();
        let row = |first| u32x4::new(array::from_fn(|k| u32::from_le_bytes(words[first + k])));
        Self { key: [row(0), row(4)], stream: 0, block: 0, pairs: [0; PAIRS], used: 2 * PAIRS }
    }
}

impl TryRng for ChaCha8Rng {
    type Error = Infallible;

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the half that is meant")]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        loop {
            if let Some(&pair) = self.pairs.get(self.used / 2) {
                let word = (pair >> (32 * (self.used % 2))) as u32;
                self.used += 1;
                return Ok(word);
            }
            self.make_blocks();
        }
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        if self.used.is_multiple_of(2)
            && let Some(&pair) = self.pairs.get(self.used / 2)
        {
            self.used += 2;
            return Ok(pair);
        }
        Ok(self.next_u64_across())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

impl ChaCha8Rng {
    /// Goes to the start of a stream.
    pub(crate) fn set_stream(&mut self, stream: u64) {
        self.stream = stream;
        self.block = 0;
        self.used = 2 * PAIRS;
    }

    /// Goes to a position in the stream, counted in words of 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "streams begin again after 2⁶⁴ blocks")]
    pub(crate) fn set_word_pos(&mut self, position: u128) {
        self.block = (position / WORDS as u128) as u64;
        self.make_blocks();
        self.used = position as usize % WORDS;
    }

    #[cold]
    #[inline(never)]
    fn next_u64_across(&mut self) -> u64 {
        let low = self.next_u32();
        u64::from(self.next_u32()) << 32 | u64::from(low)
    }

    /// Replaces the buffered blocks by the next ones.
    #[inline(never)]
    fn make_blocks(&mut self) {
        let places = array::from_fn(|k| self.place(self.block.wrapping_add(k as u64)));
        let start = [[CONSTANTS; BLOCKS], [self.key[0]; BLOCKS], [self.key[1]; BLOCKS], places];
        let [mut a, mut b, mut c, mut d] = start;
        for _ in 0..DOUBLE_ROUNDS {
            // A round on columns, then one on diagonals, which are moved into the columns for that round.
            round::<1, 3>(&mut a, &mut b, &mut c, &mut d);
            round::<3, 1>(&mut a, &mut b, &mut c, &mut d);
        }
        let rows = [a, b, c, d];
        let (pairs, _) = self.pairs.as_chunks_mut::<2>();
        for (k, pairs) in pairs.iter_mut().enumerate() {
            *pairs = bytemuck::cast(rows[k % 4][k / 4] + start[k % 4][k / 4]);
        }
        self.block = self.block.wrapping_add(BLOCKS as u64);
        self.used = 0;
    }

    /// The last row of a block before the rounds: its number and the stream's.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of numbers")]
    fn place(&self, block: u64) -> u32x4 {
        u32x4::new([block as u32, (block >> 32) as u32, self.stream as u32, (self.stream >> 32) as u32])
    }
}

/// A round on every column of every block, then a rotation of the rows that forms the columns of the next round. The
/// distances are constants, because otherwise the rows would go through memory.
#[inline]
fn round<const B: usize, const D: usize>(a: &mut Rows, b: &mut Rows, c: &mut Rows, d: &mut Rows) {
    mix::<16>(a, b, d);
    mix::<12>(c, d, b);
    mix::<8>(a, b, d);
    mix::<7>(c, d, b);
    turn::<B>(b);
    turn::<2>(c);
    turn::<D>(d);
}

/// A quarter of a quarter round, on every column of every block.
#[inline]
fn mix<const BITS: u32>(sum: &mut Rows, more: &Rows, mixed: &mut Rows) {
    for k in 0..BLOCKS {
        sum[k] += more[k];
        mixed[k] = rotated::<BITS>(mixed[k] ^ sum[k]);
    }
}

/// Rotates every word to the left. There is no instruction for this, but for whole bytes a single shuffle does it.
#[inline]
fn rotated<const BITS: u32>(words: u32x4) -> u32x4 {
    if BITS.is_multiple_of(8) {
        let bytes: [u8; 16] = bytemuck::cast(words);
        let by = BITS as usize / 8;
        bytemuck::cast(array::from_fn::<u8, 16, _>(|k| bytes[k / 4 * 4 + (k + 4 - by) % 4]))
    } else {
        words << BITS | words >> (32 - BITS)
    }
}

/// Rotates rows to the left.
#[inline]
fn turn<const BY: usize>(rows: &mut Rows) {
    for row in rows {
        let words = row.to_array();
        *row = u32x4::new(array::from_fn(|k| words[(k + BY) % 4]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Other = rand::rngs::ChaCha8Rng;

    /// Checks that the words are those of `rand`, whether drawn one by one, two by two, or as bytes.
    #[track_caller]
    fn check(key: [u8; 32], stream: u64, position: u128) {
        let (mut ours, mut theirs) = (ChaCha8Rng::from_seed(key), Other::from_seed(key));
        assert_eq!(ours.next_u64(), theirs.next_u64());
        ours.set_stream(stream);
        theirs.set_stream(stream);
        for round in 0..3 {
            for _ in 0..70 {
                assert_eq!(ours.next_u64(), theirs.next_u64(), "{key:?} {stream} {position}");
            }
            assert_eq!(ours.next_u32(), theirs.next_u32());
            let (mut our_bytes, mut their_bytes) = ([0; 301], [0; 301]);
            ours.fill_bytes(&mut our_bytes);
            theirs.fill_bytes(&mut their_bytes);
            assert_eq!(our_bytes, their_bytes);
            ours.set_word_pos(position + round);
            theirs.set_word_pos(position + round);
        }
    }

    #[test]
    fn words_are_those_of_the_library() {
        let mut rng = Other::seed_from_u64(1);
        for case in 0..300_u32 {
            let mut key = [0; 32];
            rng.fill_bytes(&mut key);
            check(key, rng.next_u64() >> (case % 64), u128::from(rng.next_u64()) << 4 >> (case % 68));
        }
    }

    #[test]
    fn blocks_are_counted_beyond_32_bits_and_round_about() {
        for block in [1 << 32, 2 << 32, 1 << 63, 1 << 64_u128] {
            for before in 0..6 {
                check([7; 32], 1 << 40, (block - before) * 16 - 1);
            }
        }
    }
}
