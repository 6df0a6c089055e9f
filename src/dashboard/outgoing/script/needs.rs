//! Which parts of its template a program needs: the rules of its methods, and whether all clients take part.

use crate::sim::method::Solver;
use crate::sim::scenario::Settings;

/// The name of a method's rule in programs, and the rule's two parameters.
pub(super) fn rule(solver: Solver) -> (&'static str, [f64; 2]) {
    match solver {
        Solver::FedAvg | Solver::FedProx { .. } => ("fedavg", [solver.pull(), 0.0]),
        Solver::FedLin => ("fedlin", [0.0, 0.0]),
        Solver::Scaffold => ("scaffold", [0.0, 0.0]),
        Solver::FedAdmm { penalty, sparsity } => ("fedadmm", [penalty, sparsity]),
        Solver::Clustered { n_clusters } => ("clustered", [n_clusters as f64, 0.0]),
        Solver::Median => ("median", [0.0, 0.0]),
    }
}

/// Whether a program computes a method's rounds by one affine map; otherwise it goes through them client by client.
pub(super) fn is_affine(kept: &Settings, solver: Solver) -> bool {
    is_full(kept) && matches!(rule(solver).0, "fedavg" | "fedlin")
}

/// Whether all clients take part in every round.
pub(super) fn is_full(kept: &Settings) -> bool {
    kept.participation.is_full(kept.n_clients)
}

/// The words of the template's conditions that hold for a program.
pub(super) fn words(kept: &Settings) -> Vec<&'static str> {
    let solvers = || kept.methods.iter().map(|method| method.solver);
    let mut words: Vec<_> = solvers().map(|solver| rule(solver).0).collect();
    let has_rounds = solvers().any(|solver| !is_affine(kept, solver));
    words.push(if has_rounds { "rounds" } else { "plain" });
    if solvers().any(|solver| is_affine(kept, solver)) {
        words.push("affine");
    }
    if has_rounds {
        words.push(if is_full(kept) { "full" } else { "partial" });
    }
    words
}

/// Lines of a template, without those between `@if word@` and `@end@` whose word is not in `words`.
pub(super) fn needed(template: &str, words: &[&str]) -> String {
    let mut asked = Vec::new();
    let mut text = String::new();
    for line in template.lines() {
        if let Some(word) = line.strip_prefix("@if ").and_then(|rest| rest.strip_suffix('@')) {
            asked.push(words.contains(&word));
        } else if line == "@end@" {
            asked.pop();
        } else if !asked.contains(&false) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}
