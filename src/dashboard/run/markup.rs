//! Markup of the read-only parts of the page: a string takes a fraction of the code of a tree of views.
//!
//! All texts in it are this program's own words and numbers; they are escaped all the same.

use fedsysid_say::{say, text};

use crate::dashboard::run::anatomy::Anatomy;
use crate::dashboard::run::badge::{Badge, Standing};
use crate::dashboard::run::join::Join;
use crate::dashboard::run::readout::Reading;
use crate::dashboard::run::strip_units::EXTENT;
use crate::dashboard::words::glossary::Entry;
use crate::dashboard::words::thresholds::is_rounding;
use crate::figure::Role;
use crate::figure::number::{count, measured, percent};
use crate::text::{escaped, put};

/// One list item per badge; its button's `data-step` is the suggested step size.
pub fn badges(badges: &[Badge]) -> String {
    let mut html = String::new();
    for badge in badges {
        let standing = match badge.standing {
            Standing::Stable => "stable",
            Standing::Near => "near",
            Standing::Diverging => "diverging",
        };
        let (role, name, words) = (badge.role.word(), escaped(&badge.name), escaped(&badge.words));
        put!(html, "<li class=badge data-role={role} data-standing={standing}>");
        put!(html, "<p><strong>{name}</strong> <span>{words}</span></p>");
        if let Some(step) = badge.largest_step {
            let shown = measured(step, 3);
            put!(html, "<span class=quiet>{} <data value={step}>{shown}</data></span>", say!("largest stable α"));
        }
        if let Some((step, words)) = &badge.suggestion {
            put!(html, "<button type=button class=set-step data-step={step}>{}</button>", escaped(words));
        }
        html += "</li>";
    }
    html
}

/// The stacked causes along the rounds, and their shares after the last round.
pub fn anatomy(anatomy: &Anatomy) -> String {
    let causes = match &anatomy.causes {
        Ok(causes) if is_rounding(causes.rms) => {
            return format!("<p class=no-value>{}</p>", say!("Nothing is left, up to rounding."));
        }
        Ok(causes) => causes,
        Err(reason) => return format!("<p class=no-value>{}</p>", escaped(&say!("No prediction: {reason}."))),
    };
    let (width, height) = EXTENT;
    let zero = f64::from(causes.zero) / f64::from(height) * 100.0;
    let mut html = format!(
        "<div class=stack><svg class=scale aria-hidden=true><text x=100% dy=0.8em>{}</text>\
         <text x=100% y={zero:.1}%>{}</text></svg>\
         <svg class=strip viewBox=\"0 0 {width} {height}\" preserveAspectRatio=none aria-hidden=true>",
        percent(1.0),
        percent(0.0)
    );
    for layer in &causes.layers {
        put!(html, "<path data-cause=\"{}\" d=\"{}\"/>", layer.cause.word(), layer.path);
    }
    put!(html, "<path class=zero d=\"M0 {}H{width}\"/></svg>", causes.zero);
    put!(
        html,
        "<p class=ends><span>{}</span><span>{}</span></p></div><dl class=causes>",
        say!("round {}", count(causes.rounds.0)),
        say!("round {}", count(causes.rounds.1))
    );
    for layer in &causes.layers {
        let (word, words, share) = (layer.cause.word(), layer.cause.words(), layer.share);
        let percent = percent(share);
        put!(
            html,
            "<div class=cause data-cause=\"{word}\"><dt>{words}</dt><dd><data value={share}>{percent}</data></dd></div>"
        );
    }
    let rms = measured(causes.rms, 3);
    let said = say!("Shares of the mean square error (Frobenius norm); after the last round its root is {rms}.");
    put!(html, "</dl><p class=quiet>{said}</p>");
    html
}

/// An SVG drawing in the units of the strip of dots.
fn drawing(content: &str) -> String {
    let (width, height) = EXTENT;
    format!("<svg viewBox=\"0 0 {width} {height}\" preserveAspectRatio=none aria-hidden=true>{content}</svg>")
}

/// One dot per client: clients that gain in the method's color, clients that lose in the color of a client alone.
pub fn dots(join: &Join) -> String {
    let (width, even, role, Join { gaining, losing, .. }) = (EXTENT.0, join.even, join.role.word(), join);
    let ringed = join.ringed.and_then(|client| join.dot(client));
    let ring = ringed.map(|dot| format!("<path class=ring d=\"M{} {}h0\"/>", dot.at.0, dot.at.1)).unwrap_or_default();
    drawing(&format!(
        "<path class=zero d=\"M0 {even}H{width}\"/>{ring}<path class=gains data-role={role} d=\"{gaining}\"/>\
         <path class=loses d=\"{losing}\"/>"
    ))
}

/// The mark beneath the selected dot; separate from the dots, which may be thousands.
pub fn chosen(join: &Join, at: Option<usize>) -> String {
    let dot = at.and_then(|client| join.dot(client));
    dot.map(|dot| drawing(&format!("<path class=chosen d=\"M{} {}h0\"/>", dot.at.0, dot.at.1))).unwrap_or_default()
}

/// Labels of the edges of the strip of dots.
pub fn edges(join: &Join) -> String {
    let Join { farthest, largest, least, .. } = *join;
    let gain =
        if largest > 1.11 { say!("up: gains, to {}-fold", measured(largest, 2)) } else { say!("up: gains").into() };
    let lose = if least < 0.9 {
        say!("down: loses, to {}-fold", measured(1.0 / least, 2))
    } else {
        say!("down: loses").into()
    };
    let farthest = measured(farthest, 2);
    let ringed = join.ringed.map_or_else(String::new, |client| say!("; ringed: client {}", count(client + 1)));
    format!(
        "<span>{}</span><span>{gain}; {lose}{ringed}</span><span>{}</span>",
        say!("mean system"),
        say!("{farthest} away")
    )
}

/// The marker of a curve, in the color of its words.
fn sign(role: Role) -> String {
    let marker = role.marker();
    let class = if marker.is_open() { "open" } else { "filled" };
    format!(
        "<svg class=sign viewBox=\"0 0 16 16\" aria-hidden=true><path class={class} d=\"{}\"/></svg>",
        marker.path()
    )
}

/// Significant digits of an error.
pub const OF_ERROR: usize = 3;
/// Significant digits of a multiple of another error: both come from the same data, so their ratio is known better.
pub const OF_MULTIPLE: usize = 4;

/// One row per curve and reference line. Values for machines have all digits, those for people as many as given.
pub fn readings(readings: &[Reading], digits: usize) -> String {
    let mut html = String::new();
    for Reading { role, name, value, expected } in readings {
        let sign = if role.dash().is_none() { sign(*role) } else { String::new() };
        put!(html, "<div class=reading data-role={}><dt>{sign}{}</dt><dd>", role.word(), escaped(name));
        match value {
            Ok(value) => {
                let (mean, error) = (value.mean(), value.standard_error());
                put!(html, "<data value={mean}>{}</data><span class=spread>", measured(mean, digits));
                if error.is_finite() {
                    put!(html, " ± {}", measured(error, 2));
                }
                html += "</span>";
                if let Some(expected) = expected {
                    let shown = measured(*expected, digits);
                    put!(html, "<span class=expected data-expected={expected}>{}</span>", say!("predicted {shown}"));
                }
            }
            Err(reason) => {
                put!(html, "<span class=no-value>{}</span>", escaped(reason));
            }
        }
        html += "</dd></div>";
    }
    html
}

/// Paragraphs of complaints, and of trouble with its `data-dismiss` button.
pub fn complaints(complaints: &[String], trouble: Option<&str>) -> String {
    let mut html = String::new();
    for complaint in complaints {
        put!(html, "<p class=complaint>{}</p>", escaped(complaint));
    }
    if let Some(trouble) = trouble {
        put!(
            html,
            "<p class=\"complaint trouble\">{}<button type=button class=dismiss aria-label=\"{}\" data-dismiss>×</button></p>",
            escaped(trouble),
            say!("Dismiss")
        );
    }
    html
}

/// Glossary entries: names, words and formulas.
pub fn entries(entries: &[Entry]) -> String {
    let mut html = String::new();
    for Entry { name, words, formula } in entries {
        let (name, words) = (text(name), text(words));
        put!(html, "<span class=term><strong>{name}</strong> {words}<math display=block>{formula}</math></span>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::dashboard::run::anatomy::anatomies;
    use crate::dashboard::run::join::joins;
    use crate::sim::stats::Running;

    #[test]
    fn markup_holds_what_it_is_about() {
        let run = run(|s| s.heterogeneity = 0.5);
        let shown = crate::dashboard::run::badge::badges(&run);
        let html = badges(&shown);
        assert_eq!(shown.len(), 2);
        for badge in &shown {
            assert!(
                html.contains(&badge.words)
                    && html.contains(&format!("data-step={}>", badge.suggestion.as_ref().unwrap().0))
            );
        }
        let causes = anatomies(&run)[1].clone();
        let html = anatomy(&causes);
        let layers = causes.causes.unwrap().layers;
        assert!(!layers.is_empty());
        for layer in layers {
            assert!(html.contains(&layer.path) && html.contains(&format!("<data value={}>", layer.share)));
        }
        let join = &joins(&run)[0];
        let dot = &join.dots[7];
        assert!(dots(join).contains(&join.gaining) && dots(join).contains(&join.losing));
        assert_eq!(chosen(join, None), "");
        assert!(chosen(join, Some(dot.client)).contains(&format!("M{} {}h0", dot.at.0, dot.at.1)));
        assert!(edges(join).contains("away"));
    }

    #[test]
    fn readings_have_every_digit_for_machines_and_a_few_for_people() {
        let shown = crate::dashboard::run::readout::readings(&run(|_| ()), 200);
        let html = readings(&shown, OF_ERROR);
        for Reading { role, name, value, expected } in &shown {
            let mean = value.as_ref().unwrap().mean();
            assert!(
                html.contains(&format!("data-role={}><dt>", role.word())) && html.contains(&format!("{name}</dt>"))
            );
            assert!(html.contains(&format!("<data value={mean}>{}</data>", measured(mean, 3))));
            assert!(expected.is_none_or(|expected| html.contains(&format!("data-expected={expected}>"))));
        }
        let reason = Reading { value: Err("a < b".into()), ..shown[0].clone() };
        assert!(readings(&[reason], OF_ERROR).ends_with("<dd><span class=no-value>a &lt; b</span></dd></div>"));
        let pooled = Reading { value: Ok(Running::from_parts(1, 1.0, 0.0)), ..shown[0].clone() };
        assert!(readings(&[pooled], OF_MULTIPLE).contains("<data value=1>1.000</data>"));
    }

    #[test]
    fn only_trouble_can_be_dismissed() {
        let html = complaints(&["a".into(), "b < c".into()], None);
        assert_eq!(html, "<p class=complaint>a</p><p class=complaint>b &lt; c</p>");
        assert!(complaints(&[], Some("d")).starts_with("<p class=\"complaint trouble\">d<button"));
        assert!(complaints(&[], Some("d")).contains(" data-dismiss>"));
    }
}
