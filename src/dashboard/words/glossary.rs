//! The glossary: the quantities of theory in words and formulas, shown next to their numbers.

/// A glossary entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub words: &'static str,
    /// Its formula, in MathML.
    pub formula: &'static str,
}

/// Speed of convergence, and the largest stable step size.
pub const STABILITY: &[Entry] = &[
    Entry {
        name: "Contraction ρ",
        words: "Every round multiplies what separates the server’s model from its fixed point by ρ, in the long run. Below 1 \
                the rounds converge, above 1 they diverge. Beside the chart stands the largest of the data sets drawn, on the \
                map that of data as they are on average.",
        formula: "<msub><mover><mi>Θ</mi><mo>¯</mo></mover><mrow><mi>r</mi><mo>+</mo><mn>1</mn></mrow></msub><mo>=</mo>\
                  <msub><mover><mi>Θ</mi><mo>¯</mo></mover><mi>r</mi></msub><mi>F</mi><mo>+</mo><mi>G</mi><mo>,</mo>\
                  <mspace width='1em'/><mi>ρ</mi><mo>=</mo><mi>max</mi><mo>|</mo><mi>eig</mi><mi>F</mi><mo>|</mo>",
    },
    Entry {
        name: "Largest stable α",
        words: "The least step size at which ρ reaches 1 in one of the data sets drawn. All smaller ones converge.",
        formula: "<msub><mi>α</mi><mi>max</mi></msub><mo>=</mo><mi>min</mi><mo>{</mo><mi>α</mi><mo>:</mo><mi>ρ</mi>\
                  <mo>(</mo><mi>α</mi><mo>)</mo><mo>=</mo><mn>1</mn><mo>}</mo>",
    },
];

/// Causes of an error.
pub const ANATOMY: &[Entry] = &[
    Entry {
        name: "Prediction",
        words: "What the error is on average, for much data, from the systems alone: no simulation is in it. The mean square \
                (Frobenius norm) is exactly the sum of four parts.",
        formula: "<mi>E</mi><msup><mrow><mo>‖</mo><msub><mi>E</mi><mi>r</mi></msub><mo>‖</mo></mrow><mn>2</mn></msup><mo>=</mo>\
                  <mo>⟨</mo><msub><mi>t</mi><mi>r</mi></msub><mo>,</mo><msub><mi>D</mi><mi>r</mi></msub><mo>⟩</mo><mo>+</mo>\
                  <mi>n</mi><mi>tr</mi><msub><mi>Ω</mi><mi>r</mi></msub><mo>+</mo><mo>⟨</mo><mi>b</mi><mo>,</mo>\
                  <msub><mi>D</mi><mi>r</mi></msub><mo>⟩</mo><mo>+</mo><mo>⟨</mo><msub><mi>f</mi><mi>r</mi></msub><mo>,</mo>\
                  <msub><mi>D</mi><mi>r</mi></msub><mo>⟩</mo>",
    },
    Entry {
        name: "Transient t",
        words: "What the rounds have not yet removed of the distance between the start and the pooled estimate. More rounds \
                remove it.",
        formula: "<msub><mi>t</mi><mrow><mi>r</mi><mo>+</mo><mn>1</mn></mrow></msub><mo>=</mo><msub><mi>t</mi><mi>r</mi></msub>\
                  <mi>F</mi>",
    },
    Entry {
        name: "Noise Ω",
        words: "Process noise in the data, averaged over clients. More clients or more data shrink it.",
        formula: "<msub><mi>Ω</mi><mi>∞</mi></msub><mo>≈</mo><msubsup><mi>σ</mi><mi>w</mi><mn>2</mn></msubsup>\
                  <msup><mrow><mo>(</mo><mo>∑</mo><msub><mi>Γ</mi><mi>i</mi></msub><mo>)</mo></mrow><mrow><mo>−</mo><mn>1</mn></mrow></msup>",
    },
    Entry {
        name: "Heterogeneity bias b",
        words: "Even with all data in the world, pooling estimates an average of the clients’ systems. A smaller ε shrinks it; \
                more clients do not.",
        formula: "<mi>b</mi><mo>=</mo><mo>∑</mo><mo>(</mo><msup><mi>Θ</mi><mrow><mo>(</mo><mi>i</mi><mo>)</mo></mrow></msup>\
                  <mo>−</mo><msup><mi>Θ</mi><mrow><mo>(</mo><mn>1</mn><mo>)</mo></mrow></msup><mo>)</mo><msub><mi>Γ</mi><mi>i</mi></msub>\
                  <msup><mi>Γ</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>",
    },
    Entry {
        name: "Client drift f",
        words: "Where FedAvg’s local steps lead away from the pooled estimate, towards each client’s own. It grows with K and α; \
                FedLin has none where all take part. Where some do, what each round’s choice adds is part of it. It can work \
                against the bias: then it lies below zero.",
        formula: "<msub><mi>f</mi><mrow><mi>r</mi><mo>+</mo><mn>1</mn></mrow></msub><mo>=</mo><msub><mi>f</mi><mi>r</mi></msub><mi>F</mi>\
                  <mo>+</mo><mo>(</mo><msub><mi>Θ</mi><mi>p</mi></msub><mi>F</mi><mo>+</mo><mi>G</mi><mo>−</mo><msub><mi>Θ</mi><mi>p</mi></msub><mo>)</mo>",
    },
];

/// Gains of the clients.
pub const JOIN: &[Entry] = &[
    Entry {
        name: "Gain",
        words: "A client’s error alone over its error with the shared model, each against its own system, both simulated. Above \
                1 joining pays for it.",
        formula: "<mo>‖</mo><msub><mover><mi>Θ</mi><mo>^</mo></mover><mi>i</mi></msub><mo>−</mo><msup><mi>Θ</mi><mrow><mo>(</mo><mi>i</mi>\
                  <mo>)</mo></mrow></msup><mo>‖</mo><mo>/</mo><mo>‖</mo><msub><mover><mi>Θ</mi><mo>¯</mo></mover><mi>R</mi></msub><mo>−</mo>\
                  <msup><mi>Θ</mi><mrow><mo>(</mo><mi>i</mi><mo>)</mo></mrow></msup><mo>‖</mo>",
    },
    Entry {
        name: "Break-even ε",
        words: "The heterogeneity at which the pooled estimate is expected to be off by as much as the client’s own.",
        formula: "<mi>E</mi><mo>‖</mo><msub><mi>Θ</mi><mi>p</mi></msub><mo>−</mo><msup><mi>Θ</mi><mrow><mo>(</mo><mn>1</mn><mo>)</mo></mrow></msup>\
                  <mo>‖</mo><mo>=</mo><mi>E</mi><mo>‖</mo><msub><mover><mi>Θ</mi><mo>^</mo></mover><mn>1</mn></msub><mo>−</mo><msup><mi>Θ</mi>\
                  <mrow><mo>(</mo><mn>1</mn><mo>)</mo></mrow></msup><mo>‖</mo>",
    },
];

/// The paper's bound.
pub const BOUND: &[Entry] = &[
    Entry {
        name: "Theorem 1",
        words: "With probability 1 − 3δ, here δ = 0.05, pooled least squares is off by no more than this, if every client has as \
                many rollouts as the hypothesis asks for. It is a bound and no prediction.",
        formula: "<mfrac><msub><mi>C</mi><mn>1</mn></msub><msqrt><mo>∑</mo><msub><mi>N</mi><mi>i</mi></msub></msqrt></mfrac><mo>+</mo><mi>ε</mi>\
                  <msub><mi>C</mi><mn>2</mn></msub><mo>,</mo><mspace width='1em'/><msub><mi>C</mi><mn>0</mn></msub><mo>=</mo><mn>16</mn><msqrt>\
                  <mo>(</mo><mn>2</mn><mi>n</mi><mo>+</mo><mi>p</mi><mo>)</mo><mi>log</mi><mfrac><mrow><mn>9</mn><mi>M</mi><mi>T</mi></mrow>\
                  <mi>δ</mi></mfrac></msqrt>",
    },
    Entry {
        name: "Hypothesis",
        words: "What the theorem asks of every client’s number of rollouts.",
        formula: "<msub><mi>N</mi><mi>i</mi></msub><mo>≥</mo><mi>max</mi><mo>{</mo><mn>8</mn><mo>(</mo><mi>n</mi><mo>+</mo><mi>p</mi><mo>)</mo>\
                  <mo>+</mo><mn>16</mn><mi>log</mi><mfrac><mrow><mn>2</mn><mi>M</mi><mi>T</mi></mrow><mi>δ</mi></mfrac><mo>,</mo><mo>(</mo><mn>4</mn>\
                  <mi>n</mi><mo>+</mo><mn>2</mn><mi>p</mi><mo>)</mo><mi>log</mi><mfrac><mrow><mi>M</mi><mi>T</mi></mrow><mi>δ</mi></mfrac><mo>}</mo>",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Formulas are well-formed: elements are closed in the order in which they were opened.
    #[test]
    fn formulas_are_well_formed() {
        for entry in [STABILITY, ANATOMY, JOIN, BOUND].concat() {
            let mut open = Vec::new();
            for tag in entry.formula.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
                match tag.strip_prefix('/') {
                    Some(name) => assert_eq!(open.pop(), Some(name), "{}", entry.name),
                    None if tag.ends_with('/') => {}
                    None => open.push(tag.split(' ').next().unwrap()),
                }
            }
            assert!(open.is_empty() && !entry.words.is_empty(), "{}: {open:?}", entry.name);
        }
    }
}
