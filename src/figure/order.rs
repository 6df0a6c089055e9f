//! Sorting of long lists, such as points and dots of clients: one sort for all. Short lists are sorted by `sim::sort`,
//! in less code.

/// The indices of the values in ascending order of the values; equal values keep their order.
pub fn order(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let values: Vec<f64> = (0..1_000_u32).map(|k| f64::from(k * 7919 % 97) - 40.0).collect();
        let mut expected: Vec<usize> = (0..values.len()).collect();
        expected.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        assert_eq!(order(&values), expected);
    }
}
