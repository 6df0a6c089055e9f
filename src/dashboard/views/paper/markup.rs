//! The paper's claims as markup.

use super::words::Claim;
use crate::text::escaped;
use fedsysid_say::say;

/// One list item per claim: the paper's claim, the measurement of this run, and whether they agree.
pub fn claims(claims: &[Claim]) -> String {
    let item = |claim: &Claim| {
        let (holds, said) = match claim.holds {
            Some(true) => ("true", say!("They agree.")),
            Some(false) => ("false", say!("They do not agree.")),
            None => ("unknown", ""),
        };
        let (paper, run) = (escaped(&claim.paper), escaped(&claim.measured));
        format!(
            "<li class=claim data-holds={holds}><p><span class=says>{}</span> {paper}</p>\
             <p><span class=says>{}</span> {run} <span class=visually-hidden>{said}</span></p></li>",
            say!("The paper:"),
            say!("This run:")
        )
    };
    claims.iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sweep;
    use super::super::words;
    use super::*;
    use crate::params::paper::{PaperFigure, Switches};

    #[test]
    fn markup_holds_what_it_is_about() {
        let figure = PaperFigure::LinClients;
        let sweep = sweep(figure, Switches::TEXT);
        let said = words::claims(figure, Switches::TEXT, &sweep);
        let html = claims(&said);
        assert!(!said.is_empty());
        for claim in &said {
            assert!(html.contains(&claim.paper) && html.contains(&claim.measured));
        }
        assert_eq!(html.matches("data-holds=true").count(), said.iter().filter(|c| c.holds == Some(true)).count());
    }
}
