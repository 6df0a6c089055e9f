//! What is on the page.

use anyhow::{Context, Result, ensure};
use fedsysid::params::choice::ALGORITHMS_LINK;
use fedsysid::params::table::{Group, TABLE};
use fedsysid::params::{Choice, Draft};
use serde::Deserialize;
use serde_json::json;

use super::{PATIENCE, Page, number_box};
use crate::gesture::Spot;
use crate::native::Native;

/// One number of the strip under the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it means, as style sheets call it.
    pub role: String,
    /// The machine-readable value; none where words stand in its place.
    pub value: Option<f64>,
    /// What people read.
    pub text: String,
}

/// The strip under the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The round that is looked at.
    pub round: usize,
    /// One for each curve and reference line.
    pub readings: Vec<Reading>,
}

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[expect(missing_docs, reason = "as the browser calls them")]
pub struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// The point at these fractions of width and height.
    pub fn at(self, x: f64, y: f64) -> Spot {
        Spot { x: self.left + x * self.width, y: self.top + y * self.height }
    }
}

impl Page {
    /// The numbers under the chart.
    ///
    /// # Errors
    /// If there are none, or one is not a number.
    pub async fn shown(&self) -> Result<Shown> {
        const SCRIPT: &str = r#"
            const strip = document.querySelector('#app [data-testid="readout"]');
            const readings = [...strip.querySelectorAll(".reading")].map((reading) => {
                const data = reading.querySelector("data");
                return [reading.dataset.role, data && data.value, (data ?? reading.querySelector("dd")).textContent];
            });
            return [Number(strip.dataset.round), readings];"#;
        let (round, readings): (usize, Vec<(String, Option<String>, String)>) = self.eval(SCRIPT, &[]).await?;
        let reading = |(role, value, text): (String, Option<String>, String)| {
            let value = value.map(|value| value.parse().with_context(|| format!("{role}: {value}"))).transpose()?;
            Ok(Reading { role, value, text })
        };
        Ok(Shown { round, readings: readings.into_iter().map(reading).collect::<Result<_>>()? })
    }

    /// The last round's error of a role.
    ///
    /// # Errors
    /// If the page shows no such number.
    pub async fn error_of(&self, role: &str) -> Result<f64> {
        let shown = self.shown().await?;
        let reading = shown.readings.iter().find(|reading| reading.role == role);
        reading.and_then(|reading| reading.value).with_context(|| format!("no number for {role} in {shown:?}"))
    }

    /// Checks that the page shows the numbers of a native run, at the round it shows.
    ///
    /// # Errors
    /// If a single bit differs.
    pub async fn expect(&self, native: &Native, round: usize) -> Result<()> {
        let shown = self.shown().await?;
        ensure!(shown.round == round, "the page should show round {round}, and shows round {}", shown.round);
        native.expect(round, &shown.readings)
    }

    /// Checks that the page shows the numbers of a native run of what is set on it, at the end.
    ///
    /// # Errors
    /// If a single bit differs.
    pub async fn expect_what_is_set(&self) -> Result<()> {
        self.settle().await?;
        let native = Native::run(&self.draft().await?)?;
        self.expect(&native, native.n_rounds()).await
    }

    /// What the controls say.
    ///
    /// # Errors
    /// If a control is missing, or says what cannot be.
    pub async fn draft(&self) -> Result<Draft> {
        const SCRIPT: &str = r#"
            const boxes = [...document.querySelectorAll('#app .slider')];
            // Systems without a seed of their own show that of all.
            const value = (slider) => slider.dataset.param === "systems" && slider.querySelector(".reset-mark").hidden
                ? "seed" : slider.querySelector(".number-box").value;
            const runs = [...document.querySelectorAll('#app .algorithm')].filter((a) => a.querySelector("input").checked);
            return [
              boxes.map((slider) => [slider.dataset.param, value(slider)]),
              runs.map((algorithm) => algorithm.dataset.role).join(),
              [...document.querySelectorAll('#app .segments input:checked')].map((input) => [input.name, input.value]),
            ];"#;
        type Pairs = Vec<(String, String)>;
        let (numbers, algorithms, choices): (Pairs, String, Pairs) = self.eval(SCRIPT, &[]).await?;
        let algorithms = vec![(ALGORITHMS_LINK.to_owned(), algorithms)];
        ensure!(choices.len() == Choice::COUNT, "there should be one option of every choice: {choices:?}");
        let beside_the_chart = TABLE.iter().filter(|param| param.group != Group::Systems).count();
        ensure!(numbers.len() == beside_the_chart, "there should be a number for every parameter: {numbers:?}");
        let (draft, notices) = Draft::from_pairs(&[numbers, algorithms, choices].concat());
        ensure!(notices.is_empty(), "the controls show what is not allowed: {notices:?}");
        Ok(draft)
    }

    /// The query of the address, with its `?`, once it says what the controls say.
    ///
    /// # Errors
    /// If it does not come to say that.
    pub async fn query(&self) -> Result<String> {
        let query = self.draft().await?.to_query();
        let search = if query.is_empty() { query } else { format!("?{query}") };
        self.wait(&format!("the address {search:?}"), PATIENCE, &format!("location.search === {}", json!(search)))
            .await?;
        Ok(search)
    }

    /// The query of the page's address, once everything there is to write is written.
    ///
    /// # Errors
    /// If the page goes on writing.
    pub async fn address(&self) -> Result<String> {
        const WRITTEN: &str = "performance.now() - (witness.report().addressWrites.at(-1)?.at ?? 0) > 400";
        self.wait("the address to rest", PATIENCE, WRITTEN).await?;
        self.eval("return location.search;", &[]).await
    }

    /// Bytes that the page holds: its module's memory and, where the browser says, its scripts, after a cleanup.
    ///
    /// # Errors
    /// If the browser cannot say.
    pub async fn memory(&self) -> Result<f64> {
        let module: f64 = self.eval("return witness.memory();", &[]).await?;
        Ok(module + self.browser().held_by_scripts().await?.unwrap_or(0.0))
    }

    /// The texts of all elements that a selector finds, without those of buttons in them.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn texts(&self, css: &str) -> Result<Vec<String>> {
        const SCRIPT: &str = r#"
            return [...document.querySelectorAll(arguments[0])].map((element) => {
                const copy = element.cloneNode(true);
                copy.querySelectorAll("button").forEach((button) => button.remove());
                return copy.textContent.trim().replaceAll("\u00a0", " ");
            });"#;
        self.eval(SCRIPT, &[json!(css)]).await
    }

    /// What does not work, in words.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn complaints(&self) -> Result<Vec<String>> {
        self.texts(r#"#app [data-testid="complaints"] .complaint"#).await
    }

    /// What could not be used as it was given, in words.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn notices(&self) -> Result<Vec<String>> {
        self.texts("#app .notice > p").await
    }

    /// The sentence above the chart.
    ///
    /// # Errors
    /// If the page has none.
    pub async fn verdict(&self) -> Result<String> {
        let texts = self.texts(r#"#app [data-testid="verdict"]"#).await?;
        texts.into_iter().next().context("the page has no verdict")
    }

    /// The text in a parameter's number box.
    ///
    /// # Errors
    /// If there is no such box.
    pub async fn number(&self, key: &str) -> Result<String> {
        self.eval("return document.querySelector(arguments[0]).value;", &[json!(number_box(key))]).await
    }

    /// Where an element is, after bringing it into sight.
    ///
    /// # Errors
    /// If there is no such element.
    pub async fn rect(&self, css: &str) -> Result<Rect> {
        const SCRIPT: &str = r#"
            const element = document.querySelector(arguments[0]);
            element.scrollIntoView({ block: "nearest" });
            const { left, top, width, height } = element.getBoundingClientRect();
            return { left, top, width, height };"#;
        self.eval(SCRIPT, &[json!(css)]).await
    }

    /// A number that differs between any two pictures of the chart that people can tell apart.
    ///
    /// # Errors
    /// If there is no chart.
    pub async fn sketch(&self) -> Result<u32> {
        self.eval("return witness.sketch();", &[]).await
    }

    /// Whether anything is drawn on the chart.
    ///
    /// # Errors
    /// If the page cannot be asked.
    pub async fn is_inked(&self) -> Result<bool> {
        self.eval("return witness.isInked();", &[]).await
    }

    /// The chart is not blank, at the latest after some frames: a busy machine draws them late.
    ///
    /// # Errors
    /// If it stays blank.
    pub async fn expect_ink(&self) -> Result<()> {
        self.wait("the chart to be drawn", PATIENCE, "witness.isInked()").await?;
        Ok(())
    }
}
