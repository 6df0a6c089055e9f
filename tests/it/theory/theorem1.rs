//! The paper's bound against the reference data.

use fedsysid::sim::scenario::Scenario;
use fedsysid::theory::theorem1::{DELTA, Theorem1};

use crate::data::{cells, count, number};
use crate::experiments::cell;

#[test]
fn theorem_1_is_that_of_the_reference() {
    let cells = cells("theorem1.json");
    assert_eq!(cells.len(), 16);
    for reference in &cells {
        let scenario =
            Scenario::new(cell(count(reference, "M"), count(reference, "N_i"), number(reference, "epsilon")))
                .expect("the paper's settings are allowed");
        let got = Theorem1::new(&scenario, 0, DELTA);
        let pairs = [
            ("C0", got.c0),
            ("C1", got.c1),
            ("C2_printed", got.c2),
            ("C2_sigma_j", got.c2_of_others),
            ("N_i_condition_first", got.needs.0),
            ("N_i_condition_second", got.needs.1),
            ("N_i_condition", got.need()),
            ("noise_term", got.noise),
            ("heterogeneity_term_printed", got.heterogeneity * got.c2),
            ("bound_printed", got.bound()),
            ("bound_sigma_j", got.noise + got.heterogeneity * got.c2_of_others),
            ("min_lambda_min", got.excitation),
            ("epsilon", got.heterogeneity),
        ];
        for (key, got) in pairs {
            let expected = number(reference, key);
            assert!(
                (got - expected).abs() <= 1e-5 * expected,
                "{} {key}: {got}, reference {expected}",
                reference["id"]
            );
        }
        assert_eq!(Some(got.holds()), reference["N_i_condition_met"].as_bool(), "{}", reference["id"]);
    }
}

/// As printed, the noise term does not fall with M; summed, it falls like 1/√M. For one client both are the same.
#[test]
fn the_summed_noise_term_falls_with_the_clients() {
    let bound = |m| Theorem1::new(&Scenario::new(cell(m, 25, 0.0)).expect("allowed"), 0, DELTA);
    let (one, hundred) = (bound(1), bound(100));
    assert!((one.noise - one.noise_summed).abs() < 1e-12 * one.noise);
    assert!(hundred.noise > one.noise);
    let falls = one.noise_summed / hundred.noise_summed;
    // C_0 grows with the logarithm of M.
    assert!((falls - 10.0 * one.c0 / hundred.c0).abs() < 1e-9 * falls, "{falls}");
}
