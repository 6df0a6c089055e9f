//! What `docs/lessons.md` says of names and their seeds is so: scripts that make links have nothing else to go by.

use fedsysid::params::name::seed_of;

const DOCS: &str = include_str!("../../docs/lessons.md");

/// The steps of the text, from the fourth on.
fn hashed(bytes: &[u8]) -> u32 {
    let mut h = 0x811c_9dc5_u32;
    for byte in bytes {
        h = (h ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

#[test]
fn documented_seeds_are_those_of_the_page() {
    let (_, rest) = DOCS.split_once("<!-- seeds -->\n").expect("the table's begin is marked");
    let (table, _) = rest.split_once("<!-- end of seeds -->").expect("the table's end is marked");
    let mut n_names = 0;
    for row in table.lines().skip(2) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].split('`').nth(1).expect("the name stands between backquotes");
        let bytes: Vec<_> = cells[1].split(' ').map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect();
        let seed: u32 = cells[2].parse().expect("a seed");
        let lower: Vec<_> = name.split_whitespace().map(str::to_lowercase).collect();
        assert_eq!(lower.join(" ").as_bytes(), bytes, "{name}");
        assert_eq!((seed_of(name), hashed(&bytes)), (seed, seed), "{name}");
        n_names += 1;
    }
    assert!(n_names > 4, "the table has rows: {n_names}");
}
