//! Every number on the page is the library's own, to the last bit.

use anyhow::{Result, ensure};
use e2e::native::Native;
use e2e::page::Page;
use e2e::story::Story;
use fedsysid::params::parse;
use thirtyfour::Key;

/// The numbers at the end and, by keys, at the rounds before and in the beginning.
#[track_caller]
fn check(links: &'static [&'static str]) {
    Story::new().tell(async |page| {
        for link in links {
            page.open(link).await?;
            let native = Native::of(link)?;
            let last = native.n_rounds();
            page.expect(&native, last).await?;
            page.focus("#app .chart").await?;
            // The axis of a long run is logarithmic: its first round is 1.
            let rounds = &native.summary().rounds;
            let (before, first) = (rounds[rounds.len() - 2], usize::from(rounds.len() <= last));
            for (key, round) in
                [(Key::Left, before), (Key::Home, first), (Key::PageUp, (first + 10).min(last)), (Key::End, last)]
            {
                page.press([key]).await?;
                page.expect(&native, round).await?;
            }
            what_people_read_is_the_same_number(page).await?;
        }
        Ok(())
    });
}

/// Three digits for people, all of them for machines: the former must be the latter, rounded.
async fn what_people_read_is_the_same_number(page: &Page) -> Result<()> {
    for reading in page.shown().await?.readings {
        let Some(value) = reading.value else { continue };
        let read = parse::real(&reading.text)?;
        ensure!((read - value).abs() <= 0.005 * value.abs(), "{} reads {} for {value}", reading.role, reading.text);
    }
    Ok(())
}

#[test]
fn one_setting_after_the_other() {
    check(&["", "M=7", "N=100", "eps=0.6", "K=3", "alpha=0.0005", "R=37", "q=3", "T=12", "seed=4294967295"]);
}

#[test]
fn every_choice() {
    check(&["schedule=local", "schedule=rounds", "start=half", "alg=fedlin", "alg=fedavg&schedule=local"]);
}

#[test]
fn everything_at_once() {
    check(&[
        "M=100&N=40&eps=0.75&K=20&alpha=0.0002&R=120&q=10&T=7&seed=12345&schedule=local&start=half&alg=fedavg",
        "M=1&N=1000&eps=1&K=1&alpha=0.000001&R=1&q=1&T=1&seed=0&schedule=rounds",
        "M=200&N=30&eps=0&K=100&alpha=0.0001&R=1000&q=2&T=3",
    ]);
}

#[test]
fn every_method_and_every_way_to_take_part() {
    check(&[
        "alg=fedprox,scaffold,fedadmm,clustered,median&q=5",
        "alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median&part=0.3&schedule=harmonic&q=3&gamma=0.1&mu=2",
        "alg=fedlin,scaffold,median&part=0.5&sampling=dropout&place=outlier&target=worst&q=3",
        "w=0.2&lambda=0.5&alg=fedlin&q=4&target=worst",
        "alg=clustered&clusters=3&place=clusters&target=mean&start=nominal&q=3",
        "alg=fedavg,fedadmm&gradient=mean&alpha=0.02&rho=0.2&q=3&schedule=rounds",
    ]);
}

#[test]
fn the_largest_counts() {
    check(&[
        "N=1000000000&alpha=0.000001&K=1&q=2",
        "R=1000000&q=3",
        "M=10000&q=1&R=20",
        "R=1000000&q=1&schedule=rounds&M=9",
    ]);
}

#[test]
fn what_cannot_be_estimated_has_no_number() {
    check(&["N=1&T=2", "alpha=0.05", "N=1&T=4&M=1"]);
}
