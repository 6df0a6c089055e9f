//! From which size on differences are spoken of.

use crate::figure::number::measured;
use fedsysid_say::say;

/// A difference of fewer than this many combined standard errors is too close to call.
pub(crate) const CLEAR: f64 = 2.0;
/// A factor below this is not named: it would read 1.0.
pub(crate) const SEEN: f64 = 1.05;
/// An error within this multiple of the pooled estimate's has come near it.
const NEAR_POOLED: f64 = 1.25;

/// Whether an error is one of rounding alone. Entries of Θ are about 1, and sums of products have lost three digits.
pub(crate) fn is_rounding(error: f64) -> bool {
    error < 1e-12
}

/// An error in a sentence.
pub(crate) fn off(error: f64) -> String {
    if is_rounding(error) { say!("0 up to rounding").into() } else { measured(error, 3) }
}

/// Whether two errors are within [`NEAR_POOLED`] of each other, or both ones of rounding.
pub(crate) fn is_near(end: f64, pooled: f64) -> bool {
    let is_rounding = is_rounding(end) && is_rounding(pooled);
    is_rounding || (end <= NEAR_POOLED * pooled && pooled <= NEAR_POOLED * end)
}
