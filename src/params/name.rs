//! Names in links, each of which determines a seed: every student of a class gets another data set, without a server.

use super::link;
use crate::text::lower_case;

/// The key of a name in a link.
pub const NAME: &str = "name";

/// Removes all names from the pairs of a link, and returns the last one.
pub fn take(pairs: &mut Vec<(String, String)>) -> Option<String> {
    let is_name = |key: &str| key.trim().eq_ignore_ascii_case(NAME);
    let name = pairs.iter().rev().find(|(key, _)| is_name(key)).map(|(_, name)| tidy(name));
    pairs.retain(|(key, _)| !is_name(key));
    name.filter(|name| !name.is_empty())
}

/// A name with single spaces, none at its ends.
fn tidy(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The seed of a name, whatever its case and spaces: FNV-1a (32 bits) over the UTF-8 bytes of the name in lower case,
/// with single spaces; then mixed, so that names that differ in one letter have seeds far apart.
///
/// ```
/// use fedsysid::params::name::seed_of;
/// assert_eq!(seed_of("Ada  Lovelace"), seed_of(" ada lovelace"));
/// assert_ne!(seed_of("Ada"), seed_of("Adb"));
/// ```
pub fn seed_of(name: &str) -> u32 {
    let fnv = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = lower_case(&tidy(name)).bytes().fold(0x811c_9dc5, fnv);
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The part of a link that names a person, to follow `#`: browsers do not send this part to a server.
pub fn fragment_of(name: &str) -> String {
    let encoded: String = form_urlencoded::byte_serialize(tidy(name).as_bytes()).collect();
    link::query([(NAME, encoded)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Key, Notice, State};

    fn read(query: &str) -> (State, Vec<Notice>) {
        State::from_query(query)
    }

    #[test]
    fn a_name_is_a_seed_and_is_forgotten() {
        let (state, notices) = read("lesson=joining&name=Ada+Lovelace");
        assert_eq!((state.draft.get(Key::Seed).to_string(), notices), (seed_of("ada lovelace").to_string(), vec![]));
        assert!(!state.to_query().contains("name"));
        let (state, _) = read("seed=5&name=Ada");
        assert_eq!(state.draft.get(Key::Seed).to_string(), "5", "a seed of one’s own comes first");
        assert_eq!(read("name=+").0, State::default());
        assert_eq!(fragment_of(" Zoë  & Co"), "name=Zo%C3%AB+%26+Co");
        let (state, _) = read(&fragment_of(" Zoë  & Co"));
        assert_eq!(state.draft.get(Key::Seed).to_string(), seed_of("zoë & co").to_string());
    }

    /// Links that were handed out must lead to the same clients forever.
    #[test]
    fn seeds_of_names_stay_what_they_are() {
        assert_eq!(["", "a", "Ada", "Zoë", "李雷"].map(seed_of), SEEDS);
    }

    const SEEDS: [u32; 5] = [2_872_998_923, 444_641_715, 1_983_102_478, 3_896_719_138, 4_121_027_974];
}
