//! People's own data: opened, judged, saved, and the simulation's own data there and back.

use anyhow::{Context, Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::params::Draft;
use fedsysid::sim::Matrix;
use fedsysid::sim::estimate::least_squares;
use fedsysid::sim::moments::Moments;
use fedsysid::sim::simulator::{Client, MomentSimulator};
use fedsysid::sim::stream::DataKey;
use serde_json::json;
use thirtyfour::Key;

const OPEN: &str = "#app [data-testid=open]";
const ADD: &str = "#app [data-testid=add]";

/// The button with these words.
const PRESS: &str = r"
    const button = [...document.querySelectorAll('#app .data button')].find((it) => it.textContent === arguments[0]);
    button.click();";

/// Presses a button whose file comes from the worker, and takes the file's text instead of having it saved.
const SAVED: &str = r"
    const saved = new Promise((resolve) => {
      HTMLAnchorElement.prototype.click = () => {};
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        URL.createObjectURL = make;
        resolve(blob.text());
        return make.call(URL, blob);
      };
    });
    [...document.querySelectorAll('#app .data button')].find((it) => it.textContent === arguments[0]).click();
    return saved;";

/// Drops a file, given by name and text, on the page's head, and returns whether the page took it.
const DROP: &str = r"
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([arguments[1]], arguments[0]));
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('#app .top-bar').dispatchEvent(event);
    return event.defaultPrevented;";

/// Opens a long file, and stops its reading as soon as that can be done.
const STOP: &str = r"
    const rows = Array.from({ length: 1e6 }, (_, row) => `A,${row},${row % 7},${row % 5}`);
    const transfer = new DataTransfer();
    transfer.items.add(new File(['client,t,x1,u1\n', rows.join('\n')], 'long.csv'));
    const input = document.querySelector(arguments[0]);
    input.files = transfer.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    const press = (done) => {
      const stop = document.querySelector('#app [data-testid=data-progress] button');
      return stop ? done(stop.click()) : requestAnimationFrame(() => press(done));
    };
    return new Promise(press);";

const IS_SHOWN: &str = "document.querySelector('#app .data .cards:not([hidden]) .matrix')";

async fn press(page: &Page, words: &str) -> Result<()> {
    page.eval::<()>(PRESS, &[json!(words)]).await?;
    page.settle().await
}

async fn saved(page: &Page, words: &str) -> Result<String> {
    page.eval(SAVED, &[json!(words)]).await
}

/// The model on screen, row by row.
async fn model(page: &Page) -> Result<Matrix> {
    const SCRIPT: &str = r"
        const rows = [...document.querySelectorAll('#app .matrix tbody tr')];
        return rows.map((row) => [...row.querySelectorAll('data')].map((it) => Number(it.value)));";
    let rows: Vec<Vec<f64>> = page.eval(SCRIPT, &[]).await?;
    let n_columns = rows.first().map_or(0, Vec::len);
    Ok(Matrix::from_row_iterator(rows.len(), n_columns, rows.into_iter().flatten()))
}

/// Chooses an option of the select in a card.
async fn choose(page: &Page, card: &str, option: &str) -> Result<()> {
    const SCRIPT: &str = r"
        const select = document.querySelector(`#app [data-testid=${arguments[0]}] select`);
        select.selectedIndex = [...select.options].findIndex((it) => it.text === arguments[1]);
        select.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval::<()>(SCRIPT, &[json!(card), json!(option)]).await?;
    page.settle().await
}

/// Types over the number of rounds.
async fn enter_rounds(page: &Page, text: &str) -> Result<()> {
    const SCRIPT: &str = r"
        const input = document.querySelectorAll('#app [data-testid=data-fits] input')[1];
        input.value = arguments[0];
        input.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval::<()>(SCRIPT, &[json!(text)]).await?;
    page.settle().await
}

async fn text(page: &Page, css: &str) -> Result<String> {
    let texts = page.texts(css).await?;
    texts.into_iter().next().with_context(|| format!("there is {css}"))
}

/// Each client's least squares of a link's first data set, and that of all together.
fn estimates(link: &str) -> Result<(Vec<Matrix>, Matrix)> {
    let scenario = Draft::from_query(link).0.check()?;
    let mut total = Moments::zeros(scenario.settings().family.dims());
    let mut locals = Vec::new();
    for (client, system) in scenario.systems().iter().enumerate() {
        let key = DataKey { seed: scenario.settings().seed, trial: 0, client };
        let client = Client { system, plan: scenario.plan(client), key };
        let moments = MomentSimulator::new(system.dims()).simulate(client);
        locals.push(least_squares(&moments)?);
        total.add(&moments);
    }
    Ok((locals, least_squares(&total)?))
}

#[test]
fn simulated_data_go_out_and_come_back_with_the_same_estimates() {
    Story::new().tell(async |page| {
        let link = "M=9&eps=0.3&seed=11";
        page.open(&format!("view=data&{link}")).await?;
        let file = saved(page, "Save the simulated data as CSV").await?;
        ensure!(file.lines().count() == 1 + 9 * 25 * 6, "{} lines", file.lines().count());
        page.choose_file(OPEN, "simulated.csv", &file).await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        page.settle().await?;
        let (locals, pooled) = estimates(link)?;
        let far = (model(page).await? - pooled).amax();
        ensure!(far < 1e-10, "pooled estimates differ by {far}");
        for (client, expected) in locals.iter().enumerate() {
            choose(page, "data-model", &format!("{} alone", client + 1)).await?;
            let far = (model(page).await? - expected).amax();
            ensure!(far < 1e-10, "estimates of client {} differ by {far}", client + 1);
        }
        Ok(())
    });
}

#[test]
fn the_example_is_opened_and_walked_through_by_keys() {
    Story::new().tell(async |page| {
        page.open("view=data").await?;
        page.focus(OPEN).await?;
        page.press([Key::Tab, Key::Enter]).await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        page.settle().await?;
        let summary = text(page, "#app [data-testid=data-files] .files").await?;
        ensure!(summary.contains("from 12 clients"), "{summary}");
        let fit = text(page, "#app [data-testid=data-fit]").await?;
        ensure!(fit.starts_with("One step ahead, "), "{fit}");
        let before = text(page, "#app [data-testid=data-join]").await?;
        page.focus("#app [data-testid=data-joining] select").await?;
        page.press([Key::Down]).await?;
        page.settle().await?;
        let after = text(page, "#app [data-testid=data-join]").await?;
        ensure!(before.contains("with pooled") && after.contains("with mean of locals"), "{before} {after}");
        // Other views are looked at, and the data are still there.
        page.click("#app .tab[data-view=explore]").await?;
        page.settle().await?;
        page.click("#app .tab[data-view=data]").await?;
        page.settle().await?;
        ensure!(text(page, "#app [data-testid=data-join]").await? == after, "the findings stay");
        Ok(())
    });
}

#[test]
fn what_cannot_be_read_is_said_and_nothing_is_lost() {
    Story::new().tell(async |page| {
        page.open("view=data").await?;
        press(page, "Try the example").await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        let before = model(page).await?;
        let bad = "client,rollout,t,x1,u1\nA,1,0,1,2\nA,1,1,1.5.2,2\n";
        page.choose_file(OPEN, "bad.csv", bad).await?;
        let said = "document.querySelector('#app [data-testid=data-complaint]:not([hidden])')";
        page.wait("a complaint", PATIENCE, said).await?;
        page.settle().await?;
        let words = text(page, "#app [data-testid=data-complaint]").await?;
        let expected = "bad.csv cannot be used: line 3: x1 is “1.5.2”: \
                        numbers have one decimal mark and no thousands separators.";
        ensure!(words == expected, "{words}");
        ensure!(model(page).await? == before, "what was there stays");
        enter_rounds(page, "none").await?;
        let words = text(page, "#app [data-testid=data-complaint]").await?;
        ensure!(words.contains("R rounds: “none” is no whole number"), "{words}");
        let fits = text(page, "#app [data-testid=data-fits] table").await?;
        enter_rounds(page, "1").await?;
        ensure!(text(page, "#app [data-testid=data-fits] table").await? != fits, "one round is not a thousand");
        Ok(())
    });
}

#[test]
fn reading_is_stopped_and_what_was_there_stays() {
    Story::new().tell(async |page| {
        page.open("view=data").await?;
        press(page, "Try the example").await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        let before = model(page).await?;
        page.eval::<()>(STOP, &[json!(OPEN)]).await?;
        page.settle().await?;
        let words = text(page, "#app [data-testid=data-complaint]").await?;
        ensure!(words == "Stopped. What was here before stays.", "{words}");
        ensure!(model(page).await? == before, "what was there stays");
        // It takes orders again.
        choose(page, "data-model", "2 alone").await?;
        ensure!(model(page).await? != before, "a client's own model is not the common one");
        Ok(())
    });
}

/// A file that is dropped beside the view would leave the page; it joins those that are open, and the example gives way.
#[test]
fn files_may_be_dropped_anywhere_on_the_page() {
    Story::new().tell(async |page| {
        page.open("view=data").await?;
        press(page, "Try the example").await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        let file = "client,t,x1,u1\nA,0,1,2\nA,1,2,1\nA,2,1,3\nA,3,3,1\n";
        for (name, files) in [("a.csv", vec!["a.csv"]), ("b.csv", vec!["a.csv", "b.csv"])] {
            ensure!(page.eval::<bool>(DROP, &[json!(name), json!(file)]).await?, "{name} is not taken");
            let is_open = format!("document.querySelector('#app .files').textContent.includes('{name}')");
            page.wait("the file", PATIENCE, &is_open).await?;
            page.settle().await?;
            ensure!(page.texts("#app .files b").await? == files, "{name}");
        }
        page.click("#app .tab[data-view=explore]").await?;
        page.settle().await?;
        ensure!(!page.eval::<bool>(DROP, &[json!("c.csv"), json!(file)]).await?, "other views take no files");
        Ok(())
    });
}

/// Files that are added while others are being opened would end that; those that are opened take their place.
#[test]
fn adding_files_waits_until_others_are_open() {
    Story::new().tell(async |page| {
        page.open("view=data&M=2").await?;
        let file = saved(page, "Save the simulated data as CSV").await?;
        press(page, "Try the example").await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        for (second, left) in [(ADD, "b.csv"), (OPEN, "c.csv")] {
            page.choose_files(&[(OPEN, "b.csv", &file), (second, "c.csv", &file)]).await?;
            let is_left = format!("document.querySelector('#app .files').textContent.includes('{left}')");
            page.wait("the file", PATIENCE, &is_left).await?;
            page.settle().await?;
            let files = text(page, "#app [data-testid=data-files] .files").await?;
            ensure!(files.contains(left) && !files.contains("example"), "{files}");
            let said = text(page, "#app [data-testid=data-complaint]").await?;
            ensure!((second == ADD) == said.contains("Wait until this is done"), "{second}: {said}");
        }
        Ok(())
    });
}

#[test]
fn moments_of_two_sites_give_the_estimate_of_their_rows() {
    Story::new().tell(async |page| {
        page.open("view=data&M=2&eps=0.2").await?;
        let file = saved(page, "Save the simulated data as CSV").await?;
        let rows_of = |client: &str| -> String {
            let is_kept = |line: &&str| line.starts_with("client") || line.split(',').next() == Some(client);
            file.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
        };
        let mut moments = Vec::new();
        for client in ["1", "2"] {
            page.choose_file(OPEN, "site.csv", &rows_of(client)).await?;
            page.wait("the model", PATIENCE, IS_SHOWN).await?;
            page.settle().await?;
            moments.push(saved(page, "Save moments").await?);
            page.settle().await?;
        }
        page.choose_file(OPEN, "one.txt", &moments[0]).await?;
        page.wait("the first site", PATIENCE, "document.querySelector('#app .files').textContent.includes('one.txt')")
            .await?;
        page.settle().await?;
        let list = "document.querySelector('#app [data-testid=data-joining] label').hidden";
        page.wait("nothing to join", PATIENCE, list).await?;
        page.choose_file(ADD, "other.txt", &moments[1]).await?;
        page.wait("both sites", PATIENCE, "document.querySelector('#app .files').textContent.includes('other.txt')")
            .await?;
        page.settle().await?;
        let far = (model(page).await? - estimates("M=2&eps=0.2")?.1).amax();
        ensure!(far < 1e-10, "the estimates differ by {far}");
        Ok(())
    });
}

#[test]
fn without_workers_the_page_reads_by_itself() {
    let refuse = "globalThis.Worker = class { constructor() { throw new DOMException('none', 'SecurityError'); } };";
    Story::new().where_first(refuse).tell(async |page| {
        page.open("view=data").await?;
        press(page, "Try the example").await?;
        page.wait("the model", PATIENCE, IS_SHOWN).await?;
        ensure!(model(page).await?.shape() == (3, 5), "the example has 3 states and 2 inputs");
        Ok(())
    });
}
