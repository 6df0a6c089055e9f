//! The parts of the paper's figures that are only read, as markup.

use super::words::Claim;
use crate::dashboard::markup::escaped;
use crate::dashboard::readout::Reading;
use crate::figure::number::measured;

/// A list item a claim: what the paper says, what this run measured, and whether they agree.
pub fn claims(claims: &[Claim]) -> String {
    let item = |claim: &Claim| {
        let (holds, said) = match claim.holds {
            Some(true) => ("true", "They agree."),
            Some(false) => ("false", "They do not agree."),
            None => ("unknown", ""),
        };
        let (paper, run) = (escaped(&claim.paper), escaped(&claim.measured));
        format!(
            "<li class=claim data-holds={holds}><p><span class=says>The paper:</span> {paper}</p>\
             <p><span class=says>This run:</span> {run} <span class=visually-hidden>{said}</span></p></li>"
        )
    };
    claims.iter().map(item).collect()
}

/// A row a curve: its name, its mean to three digits with every digit for machines, its standard error.
pub fn readings(readings: &[Reading]) -> String {
    let row = |reading: &Reading| {
        let (role, name) = (reading.role.word(), escaped(&reading.name));
        let value = match &reading.value {
            Ok(value) => {
                let (mean, error) = (value.mean(), value.standard_error());
                let spread = if error.is_finite() { format!(" ± {}", measured(error, 2)) } else { String::new() };
                format!("<data value={mean}>{}</data> <span class=spread>{spread}</span>", measured(mean, 3))
            }
            Err(reason) => format!("<span class=no-value>{}</span>", escaped(reason)),
        };
        format!("<div class=reading data-role={role}><dt>{name}</dt><dd>{value}</dd></div>")
    };
    readings.iter().map(row).collect()
}

/// The readings for those who hear them.
pub fn spoken(round: usize, readings: &[Reading]) -> String {
    let words = |reading: &Reading| match &reading.value {
        Ok(value) => format!("{} {}", reading.name, measured(value.mean(), 3)),
        Err(reason) => format!("{}: {reason}", reading.name),
    };
    let all: Vec<_> = readings.iter().map(words).collect();
    format!("round {round}: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::sweep;
    use super::super::{picture, words};
    use super::*;
    use crate::params::paper::{PaperFigure, Switches};

    #[test]
    fn markup_holds_what_it_is_about() {
        let figure = PaperFigure::LinClients;
        let sweep = sweep(figure, Switches::TEXT);
        let said = words::claims(figure, Switches::TEXT, &sweep);
        let html = claims(&said);
        for claim in &said {
            assert!(html.contains(&claim.paper) && html.contains(&claim.measured));
        }
        assert_eq!(html.matches("data-holds=true").count(), said.iter().filter(|c| c.holds == Some(true)).count());
        let shown = picture::readings(figure, Switches::TEXT, &sweep, 200);
        let (html, heard) = (readings(&shown), spoken(200, &shown));
        for reading in &shown {
            let mean = reading.value.as_ref().unwrap().mean();
            assert!(html.contains(&format!("<data value={mean}>{}</data>", measured(mean, 3))));
            assert!(heard.contains(&format!("{} {}", reading.name, measured(mean, 3))));
        }
    }
}
