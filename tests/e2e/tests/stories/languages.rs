//! The page in another language than English.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use e2e::browser::{Engine, Tools};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid_say::TABLES;
use serde_json::json;

/// The German texts, of which some are looked for.
fn german(english: &str) -> Result<String> {
    let table: BTreeMap<String, String> = serde_json::from_str(TABLES[0].2)?;
    table.get(english).cloned().with_context(|| format!("“{english}” has a translation"))
}

/// A reader whose browser speaks German, in a country with a tag of its own.
const GERMAN_BROWSER: &str = "Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['fr', 'de-CH', 'en'], configurable: true });";

/// Every text of the table comes in brackets, and what is on screen without them has not been looked up.
const MARKED: &str = r"
    let texts;
    Object.defineProperty(globalThis, 'fedsysidTexts', {
      get: () => texts,
      set: (value) => {
        const mark = (line, place) => place === 0 || line === '' ? line : line.replace(' ', ' ⟦') + '⟧';
        texts = value?.split('\n').map(mark).join('\n');
      },
    });";

/// Texts and names in the page that have words beside those of the table. Names of settings in links, of algorithms and
/// formats are the same in every language, and so are those of Greek letters, lines of files, and what people write themselves.
const UNTRANSLATED: &str = r"
    const names = /FedSysID live|FedLin|FedAvg|FedProx|SCAFFOLD|FedADMM|Python|MATLAB|Julia|Rust|CSV|SVG|PNG|JSON|English|Deutsch|\b(px|sandbox|alpha|epsilon|rho|sigma)\b|\S+\.csv|\p{L}[ᵢₜ]/gu;
    const rest = (text) => {
      let before;
      do { before = text; text = text.replace(/⟦[^⟦⟧]*⟧/gu, ' '); } while (text !== before);
      return text.replace(names, ' ');
    };
    const found = [];
    const walker = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const isText = node.nodeType === Node.TEXT_NODE;
      const element = isText ? node.parentElement : node;
      if (element.closest('math, textarea, .numbers-table td, [data-given]') || (isText && element.closest('pre'))) continue;
      const attributes = ['aria-label', 'title', 'placeholder', 'aria-valuetext'].map((name) => element.getAttribute(name));
      for (const text of isText ? [node.data] : attributes) {
        if (text && /\p{L}{2}/u.test(rest(text))) found.push(`${element.tagName} ${element.className}: ${text.slice(0, 120)}`);
      }
    }
    return found;";

async fn untranslated(page: &Page) -> Result<Vec<String>> {
    page.eval::<()>("for (const it of document.querySelectorAll('#app details')) it.open = true;", &[]).await?;
    page.next_frames().await?;
    page.eval(UNTRANSLATED, &[]).await
}

#[test]
fn every_text_on_the_page_has_been_looked_up() {
    Story::new().where_first(MARKED).tell(async |page| {
        for query in [
            "q=2&M=5&alg=fedlin,fedavg,fedprox,scaffold,fedadmm,clustered,median",
            "q=2&M=5&alpha=0.003&target=worst&w=0.5&lambda=1",
            "q=2&M=1",
            "q=2&sweep=M:1,5",
            "q=2&M=5&view=tradeoff",
            "q=2&M=5&view=map",
            "q=2&M=5&view=map&map=alpha-K",
            "q=2&view=paper",
            "q=2&M=5&view=systems",
            "view=data",
            "view=lesson",
            "view=lesson&codes=joining",
            "lesson=joining&step=1",
            "lesson=floor&step=1",
            "lesson=steps&step=6",
            "q=2&M=5&embed=1&show=M,eps,views,choices",
        ] {
            page.open(&format!("{query}&lang=de")).await?;
            let found = untranslated(page).await?;
            ensure!(found.is_empty(), "{query}: {found:#?}");
        }
        Ok(())
    });
}

#[test]
fn opened_data_are_told_of_in_the_language_of_the_page() {
    Story::new().where_first(MARKED).tell(async |page| {
        page.open("view=data&lang=de").await?;
        // They would not outlast another language, which is said where one is chosen.
        let warns = "return !document.querySelector('#app .language-warning').hidden;";
        ensure!(!page.eval::<bool>(warns, &[]).await?, "nothing is open");
        let example = "const words = [...document.querySelectorAll('#app .data button')].map((it) => it.textContent); \
                       const place = words.findIndex((it) => it.includes(arguments[0])); \
                       document.querySelectorAll('#app .data button')[place].click();";
        page.eval::<()>(example, &[json!(german("Try the example")?)]).await?;
        page.wait("the example", PATIENCE, "document.querySelector('#app .data .cards:not([hidden]) .matrix')").await?;
        page.settle().await?;
        ensure!(page.eval::<bool>(warns, &[]).await?, "opened files are closed without a warning");
        let found = untranslated(page).await?;
        ensure!(found.is_empty(), "{found:#?}");
        // What a worker says of a file is in that language too.
        page.choose_file("#app [data-testid=open]", "bad.csv", "client,rollout,t,x1,u1\n1,1,0,a,0\n").await?;
        page.settle().await?;
        let said = page.texts("#app .data [role=alert], #app .data .complaint").await?.concat();
        ensure!(said.contains('⟦') && said.contains("bad.csv"), "{said}");
        Ok(())
    });
}

#[test]
fn a_german_reader_reads_and_types_a_decimal_comma() {
    Story::new().where_first(GERMAN_BROWSER).tell(async |page| {
        page.open("").await?;
        let tabs = page.texts("#app .tabs .tab").await?;
        ensure!(tabs.first() == Some(&german("Explore")?), "{tabs:?}");
        ensure!(page.is("document.documentElement.lang === 'de'").await?, "the page says in which language it is");
        for (key, typed, shown) in
            [("eps", "0,25", "0,25"), ("eps", "0.5", "0,5"), ("N", "1.000", "1000"), ("N", "25", "25")]
        {
            page.enter(key, typed).await?;
            ensure!(page.number(key).await? == shown, "{typed} becomes {}", page.number(key).await?);
            page.expect_what_is_set().await?;
        }
        ensure!(page.query().await? == "?eps=0.5", "a link has points: {}", page.query().await?);
        let readings = page.texts("#app .readout data").await?;
        let is_german = |shown: &String| shown.contains(',') && !shown.contains('.');
        ensure!(!readings.is_empty() && readings.iter().all(is_german), "{readings:?}");
        ensure!(page.verdict().await?.contains(','), "{}", page.verdict().await?);
        let spoken: String =
            page.eval("return document.querySelector('#control-eps').getAttribute('aria-valuetext');", &[]).await?;
        ensure!(spoken == "0,5", "{spoken}");
        page.enter("M", "viele").await?;
        ensure!(page.notices().await?[0].starts_with("M = viele"), "{:?}", page.notices().await?);
        Ok(())
    });
}

#[test]
fn files_have_points_in_every_language() {
    Story::new().where_first(GERMAN_BROWSER).tell(async |page| {
        page.open("q=3&M=5").await?;
        page.eval::<()>("document.querySelector('[popovertarget=save-explore]').click();", &[]).await?;
        page.wait("the menu", PATIENCE, "document.querySelector('#save-explore [data-act=csv]') !== null").await?;
        let saved = page.saved_by("#save-explore [data-act=csv]").await?;
        // What is said above the numbers is in the language; the numbers and the names of their columns are not.
        let numbers: Vec<_> = saved.lines().filter(|line| !line.starts_with('#')).collect();
        let english = numbers.iter().any(|row| row.starts_with("client 1 alone,"));
        ensure!(
            english && !numbers.iter().any(|row| row.contains("allein")),
            "names in a file are in no other language"
        );
        let cells = numbers.iter().skip(1).flat_map(|row| row.split(','));
        let (whole, broken): (Vec<_>, Vec<_>) =
            cells.filter_map(|cell| cell.parse::<f64>().ok()).partition(|x| x.fract() == 0.0);
        ensure!(
            numbers[0].starts_with("estimate,round,data sets,mean error,") && whole.len() > 800 && broken.len() > 1_000,
            "{:?}",
            &numbers[..3]
        );
        Ok(())
    });
}

/// Chooses a language, and waits for the page that speaks it.
async fn choose(page: &Page, tag: &str) -> Result<()> {
    let script = "const list = document.querySelector('#app .language-choice'); list.value = arguments[0]; \
                  list.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval::<()>(script, &[json!(tag)]).await?;
    let speaks = format!(
        "document.querySelector('#app .language-choice')?.value === '{tag}' && document.documentElement.lang === '{tag}'"
    );
    page.wait(tag, PATIENCE, &speaks).await?;
    page.settle().await
}

#[test]
fn a_chosen_language_is_remembered_and_a_links_comes_first() {
    Story::new().tell(async |page| {
        page.open("eps=0.3&q=3").await?;
        choose(page, "de").await?;
        ensure!(
            page.address().await? == "?eps=0.3&q=3",
            "what is remembered is not in the address: {}",
            page.address().await?
        );
        page.expect_what_is_set().await?;
        page.open("q=3").await?;
        ensure!(page.texts("#app .tabs .tab").await?.first() == Some(&german("Explore")?));
        page.open("q=3&lang=en").await?;
        ensure!(page.texts("#app .tabs .tab").await?.first().is_some_and(|tab| tab == "Explore"));
        choose(page, "de").await?;
        ensure!(
            page.address().await?.contains("lang=de"),
            "the link says it, and then says another: {}",
            page.address().await?
        );
        page.open("q=3&lang=xx").await?;
        let notices = page.notices().await?;
        ensure!(notices.len() == 1 && notices[0].starts_with("lang = xx"), "{notices:?}");
        Ok(())
    });
}

/// What can be taken away in each view, and a step size that is typed before in the language of the page.
const TAKEN: [(&str, &str, Option<[&str; 2]>); 6] = [
    ("eps=0.25&q=3&M=5", "save-explore", Some(["0.0002", "0,0002"])),
    ("q=2&R=40&sweep=M:2,9", "save-explore", None),
    ("q=2&M=5&view=tradeoff", "save-tradeoff", None),
    ("q=2&M=5&view=map", "save-map", None),
    ("view=paper&fig=2b", "save-paper", None),
    ("q=2&M=4&view=systems", "save-systems", None),
];

/// A page's address, the link that it shares, and what it saves.
async fn taken(page: &Page, query: &str, id: &str, typed: Option<&str>) -> Result<Vec<String>> {
    page.open(query).await?;
    if let Some(step_size) = typed {
        page.enter("alpha", step_size).await?;
        page.settle().await?;
    }
    let mut taken = vec![page.address().await?];
    page.eval::<()>("document.querySelector('#app .menu > summary').click();", &[]).await?;
    page.wait("the link", PATIENCE, "document.querySelector('#app .menu input[readonly]')?.value").await?;
    taken.push(page.eval("return document.querySelector('#app .menu input[readonly]').value;", &[]).await?);
    page.eval::<()>(&format!("document.querySelector('[popovertarget={id}]').click();"), &[]).await?;
    page.wait("the menu", PATIENCE, &format!("document.querySelector('#{id} [data-act=csv]')")).await?;
    for format in ["csv", "json"] {
        taken.push(page.saved_by(&format!("#{id} [data-act={format}]")).await?);
    }
    Ok(taken)
}

/// Whoever reads commas shares the same links and files, byte for byte but for the words of the title.
#[test]
fn links_and_files_are_the_same_in_every_language() {
    Story::new().tell(async |page| {
        page.open("").await?;
        let mut english = Vec::new();
        for (query, id, typed) in TAKEN {
            english.push(taken(page, query, id, typed.map(|[point, _]| point)).await?);
        }
        choose(page, "de").await?;
        for ((query, id, typed), english) in TAKEN.into_iter().zip(&english) {
            let german = taken(page, query, id, typed.map(|[_, comma]| comma)).await?;
            ensure!(page.is("document.documentElement.lang === 'de'").await?, "the page is German");
            for (english, german) in english.iter().zip(&german) {
                let differ: Vec<_> =
                    english.lines().zip(german.lines()).enumerate().filter(|(_, (a, b))| a != b).collect();
                // The title and what it says beneath it are for people, in both kinds of files.
                let is_said =
                    |(place, (line, _)): &(usize, (&str, &str))| [1, 2].contains(place) && line.starts_with(['#', '"']);
                ensure!(
                    differ.iter().all(is_said) && english.lines().count() == german.lines().count(),
                    "{query}: {differ:#?}"
                );
            }
            ensure!(english.len() == 4 && english[2].lines().count() > 5, "{query}: {english:?}");
        }
        Ok(())
    });
}

/// As in a frame of a third party.
const NOTHING_IS_KEPT: &str = "Object.defineProperty(globalThis, 'localStorage', { configurable: true, \
    get: () => { throw new DOMException('The operation is insecure.', 'SecurityError'); } });";

#[test]
fn where_nothing_is_kept_the_address_says_the_language() {
    Story::new().where_first(NOTHING_IS_KEPT).tell(async |page| {
        page.open("q=3").await?;
        choose(page, "de").await?;
        ensure!(page.address().await?.contains("lang=de"), "{}", page.address().await?);
        page.expect_what_is_set().await
    });
}

#[test]
fn without_the_texts_the_page_is_english() {
    let refused = "const append = Element.prototype.append; Element.prototype.append = function (...nodes) { \
        for (const node of nodes) if (node.src?.includes('texts-')) node.src = 'texts-nowhere.js'; append.apply(this, nodes); };";
    Story::new().where_first(refused).expecting_errors(&["404", "texts-nowhere"]).tell(async |page| {
        page.open("q=3&lang=de").await?;
        ensure!(page.texts("#app .tabs .tab").await?.first().is_some_and(|tab| tab == "Explore"));
        page.expect_what_is_set().await
    });
}

#[test]
fn one_file_has_all_languages() {
    let story = Story::new().only(Engine::Chromium, "the file has no server, which elsewhere puts the witness into it");
    story.tell(async |page| {
        page.browser().cut_off().await?;
        let path = Tools::from_environment()?.dist.join("fedsysid.html").canonicalize()?;
        page.browser().driver().goto(format!("file://{}?lang=de&q=3", path.display())).await?;
        page.settle().await?;
        ensure!(page.texts("#app .tabs .tab").await?.first() == Some(&german("Explore")?));
        Ok(())
    });
}
