//! Roles: the meaning of a curve, apart from its looks.

/// Number of roles that are not values of a sweep.
const NAMED: usize = 16;

const SWEPT: [&str; RampStep::COUNT] =
    ["swept-1", "swept-2", "swept-3", "swept-4", "swept-5", "swept-6", "swept-7", "swept-8", "swept-9"];

/// The meaning of a curve or a level. A [`Theme`](super::theme::Theme) decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The algorithm with gradient correction.
    FedLin,
    /// Federated averaging.
    FedAvg,
    /// Federated averaging with a pull to the server's model.
    FedProx,
    /// The algorithm with control variates.
    Scaffold,
    /// The algorithm with dual variables.
    FedAdmm,
    /// One model for each cluster.
    Clustered,
    /// Federated averaging with a median at the server.
    Median,
    /// A client's own least squares.
    ClientAlone,
    /// One least squares on all clients' data.
    Pooled,
    /// The average of all clients' own least squares.
    MeanOfLocals,
    /// A client's least squares with the others' data at a lower weight.
    Weighted,
    /// A client's least squares with a pull to the pooled estimate.
    Personalized,
    /// A cause of error: noise in the data.
    Noise,
    /// A cause of error: differences between clients.
    Heterogeneity,
    /// A cause of error: local steps that drift away.
    Drift,
    /// A cause of error: the part that the rounds have not yet removed.
    Transient,
    /// One of the values of a sweep.
    Swept(RampStep),
}

/// A step of the color ramp for the values of a sweep: later values are farther from paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RampStep(u8);

impl RampStep {
    /// Number of steps of the ramp. People cannot tell more curves apart.
    pub const COUNT: usize = 9;

    /// The step of the `place`-th (from 0) of `count` values. Few values are spread over the whole ramp; of more than
    /// [`RampStep::COUNT`] values, some share a step.
    ///
    /// ```
    /// use fedsysid::figure::RampStep;
    /// assert_eq!(RampStep::of(0, 2).index(), 0);
    /// assert_eq!(RampStep::of(1, 2).index(), 8);
    /// ```
    #[expect(clippy::cast_possible_truncation, reason = "below nine")]
    pub const fn of(place: usize, count: usize) -> Self {
        if place + 1 >= count {
            return Self(Self::COUNT as u8 - 1);
        }
        // Here, count ≥ 2.
        Self(((place * (Self::COUNT - 1) + (count - 1) / 2) / (count - 1)) as u8)
    }

    /// Its index, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Role {
    /// Every role, in the order of legends and tables.
    pub const ALL: [Role; NAMED + RampStep::COUNT] = [
        Role::FedLin,
        Role::FedAvg,
        Role::FedProx,
        Role::Scaffold,
        Role::FedAdmm,
        Role::Clustered,
        Role::Median,
        Role::ClientAlone,
        Role::Pooled,
        Role::MeanOfLocals,
        Role::Weighted,
        Role::Personalized,
        Role::Noise,
        Role::Heterogeneity,
        Role::Drift,
        Role::Transient,
        Role::Swept(RampStep(0)),
        Role::Swept(RampStep(1)),
        Role::Swept(RampStep(2)),
        Role::Swept(RampStep(3)),
        Role::Swept(RampStep(4)),
        Role::Swept(RampStep(5)),
        Role::Swept(RampStep(6)),
        Role::Swept(RampStep(7)),
        Role::Swept(RampStep(8)),
    ];

    /// Its word in style sheets and wherever a program names a role.
    pub const fn word(self) -> &'static str {
        match self {
            Role::FedLin => "fedlin",
            Role::FedAvg => "fedavg",
            Role::FedProx => "fedprox",
            Role::Scaffold => "scaffold",
            Role::FedAdmm => "fedadmm",
            Role::Clustered => "clustered",
            Role::Median => "median",
            Role::ClientAlone => "client-alone",
            Role::Pooled => "pooled",
            Role::MeanOfLocals => "mean-of-locals",
            Role::Weighted => "weighted",
            Role::Personalized => "personalized",
            Role::Noise => "noise",
            Role::Heterogeneity => "heterogeneity",
            Role::Drift => "drift",
            Role::Transient => "transient",
            Role::Swept(step) => SWEPT[step.index()],
        }
    }

    /// Its index in [`Role::ALL`].
    pub(super) const fn index(self) -> usize {
        match self {
            Role::FedLin => 0,
            Role::FedAvg => 1,
            Role::FedProx => 2,
            Role::Scaffold => 3,
            Role::FedAdmm => 4,
            Role::Clustered => 5,
            Role::Median => 6,
            Role::ClientAlone => 7,
            Role::Pooled => 8,
            Role::MeanOfLocals => 9,
            Role::Weighted => 10,
            Role::Personalized => 11,
            Role::Noise => 12,
            Role::Heterogeneity => 13,
            Role::Drift => 14,
            Role::Transient => 15,
            Role::Swept(step) => NAMED + step.index(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_stands_at_its_index() {
        for (idx, role) in Role::ALL.iter().enumerate() {
            assert_eq!(role.index(), idx, "{role:?}");
        }
    }

    #[track_caller]
    fn check_steps(count: usize, expected: &[usize]) {
        let found: Vec<_> = (0..count).map(|place| RampStep::of(place, count).index()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_sweep_uses_all_of_the_ramp() {
        check_steps(1, &[8]);
        check_steps(2, &[0, 8]);
        check_steps(3, &[0, 4, 8]);
        check_steps(4, &[0, 3, 5, 8]);
        check_steps(5, &[0, 2, 4, 6, 8]);
        check_steps(9, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        check_steps(10, &[0, 1, 2, 3, 4, 4, 5, 6, 7, 8]);
        assert_eq!(RampStep::of(7, 0), RampStep::of(0, 1));
    }
}
