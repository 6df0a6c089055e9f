//! Sorting of short lists (eigenvalues, positions on an axis, names on a screen). The standard library's sorts add
//! kilobytes of code for every element type.

use std::cmp::Ordering;

/// Sorts in place by insertion, which is stable. The time is quadratic in the number of items, and linear if they are
/// already sorted.
pub fn sort_few<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for sorted in 1..items.len() {
        let mut place = sorted;
        while place > 0 && compare(&items[place], &items[place - 1]).is_lt() {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_sorted_as_the_library_does() {
        for seed in 0..200_u32 {
            let mut items: Vec<_> = (0..seed % 17).map(|k| ((seed * 7919 + k * k * 104_729) % 7, k)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_few(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
        }
    }
}
