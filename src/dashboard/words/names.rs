//! Names and roles of methods, estimates and of the clients whose errors are shown.

use crate::figure::Role;
use crate::figure::number::number;
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::schedule::Schedule;
use crate::sim::target::Target;
use fedsysid_say::say;

/// Role of a client update's curve.
pub fn solver_role(solver: Solver) -> Role {
    match solver {
        Solver::FedAvg => Role::FedAvg,
        Solver::FedLin => Role::FedLin,
        Solver::FedProx { .. } => Role::FedProx,
        Solver::Scaffold => Role::Scaffold,
        Solver::FedAdmm { .. } => Role::FedAdmm,
        Solver::Clustered { .. } => Role::Clustered,
        Solver::Median => Role::Median,
    }
}

/// Name of a method, with its schedule unless that is constant.
pub fn method_name(method: Method) -> String {
    let solver = match method.solver {
        Solver::FedAvg => "FedAvg",
        Solver::FedLin => "FedLin",
        Solver::FedProx { .. } => "FedProx",
        Solver::Scaffold => "SCAFFOLD",
        // FedADMM takes no steps.
        Solver::FedAdmm { .. } => return "FedADMM".into(),
        Solver::Clustered { .. } => say!("clustered FedAvg"),
        Solver::Median => say!("median FedAvg"),
    };
    match method.schedule {
        Schedule::Constant => solver.into(),
        Schedule::OverLocalSteps => format!("{solver}, α/k"),
        Schedule::OverRounds => say!("{solver}, decreasing α"),
        Schedule::Harmonic => format!("{solver}, α/(r+1)"),
    }
}

/// Role of a reference estimate's line.
pub fn reference_role(reference: Reference) -> Role {
    match reference {
        Reference::ClientAlone => Role::ClientAlone,
        Reference::Pooled => Role::Pooled,
        Reference::MeanOfLocals => Role::MeanOfLocals,
        Reference::Weighted { .. } => Role::Weighted,
        Reference::Personalized { .. } => Role::Personalized,
    }
}

/// Name of a reference estimate.
pub fn reference_name(reference: Reference, target: Target) -> String {
    match reference {
        Reference::ClientAlone => say!("{} alone", whose(target)),
        Reference::Pooled => say!("pooled").into(),
        Reference::MeanOfLocals => say!("mean of locals").into(),
        Reference::Weighted { weight } => say!("others at {}×", number(weight)),
        Reference::Personalized { .. } => say!("held to pooled").into(),
    }
}

/// The client or clients whose errors are shown.
pub fn whose(target: Target) -> String {
    match target {
        Target::Client(client) => say!("client {}", client + 1),
        Target::Worst => say!("worst client").into(),
        Target::Mean => say!("average client").into(),
    }
}

/// The client or clients whose error is shown, as a subject: "client 1", "the worst client".
pub(crate) fn the(target: Target) -> String {
    match target {
        Target::Client(_) => whose(target),
        Target::Worst => say!("the worst client").into(),
        Target::Mean => say!("the average client").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_other_than_constant_is_named() {
        let name = |schedule| method_name(Method { solver: Solver::FedAvg, schedule });
        assert_eq!(Schedule::ALL.map(name), ["FedAvg", "FedAvg, α/k", "FedAvg, decreasing α", "FedAvg, α/(r+1)"]);
    }
}
