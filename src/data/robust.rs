//! Thousands of faulty files: each gives a sentence with its line, or data without a lost row; never a panic, and never
//! an endless loop.

use crate::identify::Identification;
use crate::moments_file;
use crate::reader::{Opened, Reader};
use crate::refusal::Refusal;
use crate::shared::Rounds;
use crate::sites::Sites;
use crate::sums::Sums;

const CSV: &str = "client,rollout,t,x1,x2,u1\n\
    A,1,0,0.5,-2,3\nA,1,1,4.25,5,6.5\nA,1,2,7,8e-1,-1\nA,2,0,1,0.25,2\nA,2,1,-3,1.5,0.75\n\
    \"B, too\",1,0,1,1,1.25\n\"B, too\",1,1,2,2.5,-4\n\"B, too\",1,2,NA,3,1\n\"B, too\",1,3,0.5,0.5,\n\
    C,1,0,9,8,7\nC,1,1,6,5,4\nC,1,5,3,2,1\nC,1,6,2.5,1.5,0.5\n";

/// Replacements for pieces of a file.
const PIECES: [&[u8]; 26] = [
    b"",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r\n",
    b"\"",
    b".",
    b"-",
    b"e",
    b"9",
    b"0",
    b" ",
    b"#",
    b"\xff",
    b"\0",
    b"NaN",
    b"inf",
    b"1e308",
    b"1e-320",
    b"1e999",
    b"18446744073709551616",
    b"-1e400",
    b"\xef\xbb\xbf",
    b"x1",
    b"1,5",
];

/// Pseudorandom numbers, the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }

    /// A text with some of its bytes replaced, and some of its lines removed, repeated or exchanged.
    fn spoil(&mut self, text: &[u8]) -> Vec<u8> {
        let mut lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
        for _ in 0..self.below(3) {
            let (from, to) = (self.below(lines.len()), self.below(lines.len()));
            match self.below(3) {
                0 => lines.swap(from, to),
                1 => lines.insert(to, lines[from]),
                _ => drop(lines.remove(from)),
            }
        }
        let mut bytes = lines.concat();
        for _ in 0..self.below(4) {
            let at = self.below(bytes.len());
            let end = (at + self.below(3)).min(bytes.len());
            drop(bytes.splice(at..end, PIECES[self.below(PIECES.len())].iter().copied()));
        }
        bytes
    }
}

fn slow(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn read(bytes: &[u8], piece: usize) -> Result<Opened, Refusal> {
    let mut reader = Reader::new(slow);
    bytes.chunks(piece).try_for_each(|piece| reader.push(piece))?;
    reader.finish()
}

/// Identifies to the end, which must come within a hundred thousand steps.
fn identify(sites: &Sites) {
    let mut identification = Identification::new(sites, Rounds { n_local_steps: 2, n_rounds: 5 });
    assert!((0..100_000).any(|_| !identification.step(sites)), "no end");
    assert!((identification.progress() - 1.0).abs() < 1e-12);
}

fn n_samples(sites: &Sites) -> u64 {
    sites.all().iter().map(|site| Sums::n_samples(&site.sums(None))).sum()
}

#[test]
fn no_row_of_a_file_is_lost_without_a_word() {
    let mut draws = Draws(1);
    let mut n_read = 0;
    for round in 0..20_000 {
        let bytes = draws.spoil(CSV.as_bytes());
        let opened = read(&bytes, bytes.len().max(1));
        assert_eq!(opened, read(&bytes, 1 + draws.below(9)), "{}", bytes.escape_ascii());
        let Ok(Opened { sites, tally, .. }) = opened else { continue };
        n_read += 1;
        let told = tally.rollouts as u64 + tally.samples + tally.gaps.count + tally.missing.count;
        assert_eq!((tally.rows, tally.samples), (told, n_samples(&sites)), "{}", bytes.escape_ascii());
        if round % 20 == 0 {
            identify(&sites);
        }
    }
    assert!(n_read > 2_000, "only {n_read} could be read");
}

#[test]
fn moments_that_are_taken_are_those_that_the_file_says() {
    let plain = moments_file::write(&read(CSV.as_bytes(), CSV.len()).unwrap().sites);
    let mut draws = Draws(2);
    let mut n_read = 0;
    for round in 0..20_000 {
        let bytes = draws.spoil(plain.as_bytes());
        let Ok(sites) = moments_file::read(&String::from_utf8_lossy(&bytes), slow) else { continue };
        n_read += 1;
        assert_eq!(
            moments_file::read(&moments_file::write(&sites), slow),
            Ok(sites.clone()),
            "{}",
            bytes.escape_ascii()
        );
        if round % 5 == 0 {
            identify(&sites);
        }
    }
    assert!(n_read > 500, "only {n_read} could be read");
}
