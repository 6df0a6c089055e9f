//! What does not work is said, with its cause and its cure, and nothing is blank.

use anyhow::{Context, Result, ensure};
use e2e::native::Native;
use e2e::page::Page;
use e2e::story::Story;
use fedsysid::figure::number::number;

async fn complaint_about(page: &Page, name: &str) -> Result<String> {
    let complaints = page.complaints().await?;
    let complaint = complaints.iter().find(|complaint| complaint.starts_with(name)).cloned();
    complaint.with_context(|| format!("nothing is said about {name}: {complaints:?}"))
}

#[test]
fn divergence_is_named_with_its_round_and_its_cure() {
    Story::new().tell(async |page| {
        for link in ["alpha=0.003", "alpha=0.002", "alpha=0.0019&eps=0.01&R=1000"] {
            page.open(link).await?;
            let native = Native::of(link)?;
            for (summary, name) in native.summary().methods.iter().zip(["FedLin", "FedAvg"]) {
                let complaint = complaint_about(page, name).await?;
                e2e::report(format_args!("{complaint}"));
                let when = match native.summary().diverges_from(summary).context("it should diverge")? {
                    0 => "from the first round on".to_owned(),
                    round => format!("from round {round} on"),
                };
                ensure!(
                    complaint.contains("diverges") && complaint.contains(&when),
                    "{when:?} is not in {complaint:?}"
                );
                ensure!(complaint.contains("Lower the step size α"), "{complaint}");
            }
            page.expect_ink().await?;
        }
        Ok(())
    });
}

#[test]
fn after_divergence_the_page_goes_on() {
    Story::new().tell(async |page| {
        page.open("alpha=0.1").await?;
        page.expect_ink().await?;
        ensure!(page.complaints().await?.len() == 2);
        page.enter("alpha", "0.0001").await?;
        page.expect_what_is_set().await?;
        ensure!(page.complaints().await?.is_empty());
        ensure!(page.verdict().await?.contains("client 1"));
        Ok(())
    });
}

#[test]
fn too_little_data_is_said_with_what_it_takes() {
    Story::new().tell(async |page| {
        page.open("N=1&T=2").await?;
        let complaint = complaint_about(page, "No line for client 1 alone").await?;
        ensure!(complaint.contains("at least 5 samples (N·T), client 1 has 2"), "{complaint}");
        ensure!(complaint.contains("Raise N or T"), "{complaint}");
        let shown = page.shown().await?;
        let without: Vec<_> = shown.readings.iter().filter(|reading| reading.value.is_none()).collect();
        ensure!(without.len() == 2 && without.iter().all(|reading| reading.text.contains("5 samples")), "{without:?}");
        page.expect_ink().await?;
        Ok(())
    });
}

#[test]
fn without_algorithms_the_page_says_so_and_shows_nothing_of_any() {
    Story::new().tell(async |page| {
        page.open("alg=none").await?;
        page.expect_what_is_set().await?;
        page.expect_ink().await?;
        ensure!(page.complaints().await?.is_empty());
        let cards = async || page.texts("#app .theory h2").await;
        ensure!(page.texts("#app [data-testid=verdict]").await? == ["No algorithm is chosen."]);
        ensure!(cards().await? == ["What the paper proves"], "{:?}", cards().await?);
        page.open("alg=fedlin").await?;
        page.settle().await?;
        ensure!(cards().await?.len() > 3, "{:?}", cards().await?);
        Ok(())
    });
}

/// The extremes of every range, also together: words or numbers, never a blank chart or a dead page.
#[test]
fn every_extreme_shows_something() {
    const EXTREMES: [&str; 13] = [
        "M=1",
        "N=1&T=1&M=1&q=1&R=1",
        "N=1000&T=100&M=2&q=1",
        "eps=0",
        "eps=1&M=1",
        "K=100&alpha=0.1&R=1000&q=1",
        "alpha=0.000001&R=1",
        "q=1",
        "seed=4294967295",
        "schedule=rounds&R=1",
        "N=1000000000&alpha=0.1&K=100",
        "part=0&sampling=dropout",
        "clusters=10&alg=clustered&M=1",
    ];
    Story::new().tell(async |page| {
        for link in EXTREMES {
            page.open(link).await?;
            page.expect_what_is_set().await?;
            page.expect_ink().await.with_context(|| link.to_owned())?;
        }
        Ok(())
    });
}

/// What belongs to an algorithm is there while that runs, and the heterogeneity beside ε is that of the clients drawn.
#[test]
fn strengths_come_with_their_algorithm_and_heterogeneity_is_measured() {
    Story::new().tell(async |page| {
        page.open("q=24&eps=0.4&M=9").await?;
        let is_shown = "!document.querySelector('#app .slider[data-param=\"mu\"]').hidden";
        ensure!(!page.is(is_shown).await?, "FedProx does not run, and its pull is there");
        page.click(r#"#app .algorithm[data-role="fedprox"] input"#).await?;
        page.expect_what_is_set().await?;
        ensure!(page.is(is_shown).await?, "FedProx runs, and its pull is not there");
        let measured = Native::run(&page.draft().await?)?.summary().heterogeneity;
        let expected = format!("measured: A up to {}, B {}", number(measured.a), number(measured.b));
        let said = page.texts(r#"#app [data-testid="note"]"#).await?;
        ensure!(said == [expected.clone()], "{said:?} instead of {expected:?}");
        ensure!(measured.a > 0.2 && measured.a < 0.4, "{measured:?}");
        Ok(())
    });
}
