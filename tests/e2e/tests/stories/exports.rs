//! Charts taken away: every format, the table that equals the file, programs, and what to do where a page may not copy.

use anyhow::{Context, Result, ensure};
use e2e::native::program_of;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::dashboard::outgoing::script::Language;
use fedsysid::figure::theme::Theme;
use serde_json::{Value, json};
use thirtyfour::Key;

/// Every chart: what is looked at, and the id of its menu.
const CHARTS: [(&str, &str); 10] = [
    ("q=3", "save-explore"),
    ("q=2&R=40&sweep=M:2,9", "save-explore"),
    ("q=2&M=5&view=tradeoff", "save-tradeoff"),
    ("q=2&M=5&view=map", "save-map"),
    ("q=2&M=5&view=map", "save-run"),
    ("view=paper&fig=2b", "save-paper"),
    ("q=3", "save-anatomy"),
    ("q=3", "save-join"),
    ("q=3", "save-bound"),
    ("q=2&M=4&view=systems", "save-systems"),
];

/// The next file that the page saves, as bytes.
const BYTES: &str = r"
    const [css] = arguments;
    const saved = new Promise((resolve) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        URL.createObjectURL = make;
        resolve(blob.arrayBuffer().then((buffer) => Array.from(new Uint8Array(buffer))));
        return make.call(URL, blob);
      };
    });
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector(css).click();
    return saved;";

/// Keeps what is copied.
const COPIES: &str = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) => { \
                      globalThis.copied = text; return Promise.resolve(); } } });";

/// Copying is refused, in every way.
const REFUSES: &str = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject() } }); \
                       document.execCommand = () => false;";

async fn open_menu(page: &Page, id: &str) -> Result<()> {
    page.eval::<()>("document.querySelector(`[popovertarget=${arguments[0]}]`).click()", &[json!(id)]).await?;
    let is_open = format!("document.getElementById('{id}').matches(':popover-open')");
    page.wait("the menu", PATIENCE, &is_open).await.map(drop)
}

async fn choose(page: &Page, id: &str, name: &str, place: usize) -> Result<()> {
    const SCRIPT: &str = r"
        const [id, name, place] = arguments;
        const list = document.querySelector(`#${id} [data-choice=${name}]`);
        list.selectedIndex = place;
        list.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval(SCRIPT, &[json!(id), json!(name), json!(place)]).await
}

fn button(id: &str, act: &str) -> String {
    format!("#{id} [data-act={act}]")
}

/// The cells of the table that a chart's "Numbers" shows.
async fn table(page: &Page, id: &str) -> Result<Vec<Vec<String>>> {
    const SCRIPT: &str = r"
        const rows = document.querySelectorAll(`#${arguments[0]}-numbers tr`);
        return Array.from(rows, (row) => Array.from(row.children, (cell) => cell.textContent));";
    open_menu(page, &format!("{id}-numbers")).await?;
    let table = page.eval(SCRIPT, &[json!(id)]).await?;
    page.press([Key::Escape]).await?;
    Ok(table)
}

/// The cells of a file; ours have no commas in them but in quotes.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let split = |line: &str| {
        let parts = line.split('"').enumerate().flat_map(|(place, part)| {
            if place % 2 == 1 { vec![part.to_owned()] } else { part.split(',').map(str::to_owned).collect() }
        });
        // What stands in quotes has an empty part before and after it.
        let quoted = line.contains('"');
        parts.filter(|part| !quoted || !part.is_empty()).collect::<Vec<_>>()
    };
    csv.lines().filter(|line| !line.starts_with("# ")).map(split).collect()
}

/// The width of a picture, and the texts in it.
fn png(bytes: &[u8]) -> Result<(u32, String)> {
    ensure!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "no PNG: {:?}", bytes.get(..8));
    let width = bytes.get(16..20).context("a header")?;
    let width = u32::from_be_bytes(width.try_into()?);
    Ok((width, String::from_utf8_lossy(bytes.get(33..2_000).context("a picture")?).into_owned()))
}

/// What a chart's files say of where they come from: for machines, and in sight.
struct Source {
    machines: &'static str,
    sight: &'static str,
    has_seed: bool,
}

const RUN: Source = Source { machines: "seed = 7", sight: "seed 7", has_seed: true };
const OWN: Source = Source { machines: "example.csv: 1320 rows", sight: "example.csv: 1320 rows", has_seed: false };

/// Every format of a chart: the table is the file, and the files say where they come from.
async fn expect_files(page: &Page, id: &str, source: &Source) -> Result<()> {
    let shown = table(page, id).await?;
    open_menu(page, id).await?;
    let csv = page.saved_by(&button(id, "csv")).await?;
    ensure!(csv.contains("# FedSysID live ") && csv.contains(&format!("# {}", source.machines)), "{id}: {csv}");
    let in_file = cells(&csv);
    ensure!(shown.len() > 3 && shown.len() <= in_file.len(), "{id}: {} of {} rows", shown.len(), in_file.len());
    for (shown, in_file) in shown.iter().zip(&in_file) {
        let same = shown.iter().filter(|cell| !cell.is_empty()).eq(in_file.iter().filter(|cell| !cell.is_empty()));
        ensure!(same, "{id}: the table has {shown:?}, the file {in_file:?}");
    }
    let json: Value = serde_json::from_str(&page.saved_by(&button(id, "json")).await?)?;
    ensure!(json["rows"].as_array().map(Vec::len) == Some(in_file.len() - 1), "{id}: rows in JSON");
    ensure!((json["settings"]["seed"] == 7) == source.has_seed, "{id}: {json}");
    ensure!(json["link"].as_str().is_some_and(|link| link.contains("://")), "{id}");
    let svg = page.saved_by(&button(id, "svg")).await?;
    let title = json["title"].as_str().context("a title")?.replace('&', "&amp;");
    ensure!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains(&format!("<title>{title}")), "{id}");
    ensure!(svg.contains(source.sight) && svg.contains(source.machines), "{id}: in sight, and for machines");
    for (place, width) in [(0, 960), (2, 2_880)] {
        choose(page, id, "scale", place).await?;
        let bytes: Vec<u8> = page.eval(BYTES, &[json!(button(id, "png"))]).await?;
        let (found, texts) = png(&bytes)?;
        ensure!(
            found == width && texts.contains(source.machines) && texts.contains("FedSysID live"),
            "{id}: {found} {texts}"
        );
    }
    page.press([Key::Escape]).await
}

#[test]
fn every_chart_is_saved_in_every_format_and_its_table_equals_the_file() {
    Story::new().tell(async |page| {
        let mut before = "";
        for (query, id) in CHARTS {
            if query != before {
                page.open(query).await?;
            }
            before = query;
            expect_files(page, id, &RUN).await.with_context(|| format!("{id} at {query}"))?;
        }
        Ok(())
    });
}

#[test]
fn the_pictures_of_own_data_are_saved_in_every_format_too() {
    Story::new().tell(async |page| {
        page.open("view=data").await?;
        let example = "
            const buttons = [...document.querySelectorAll('#app .data button')];
            buttons.find((button) => button.textContent === 'Try the example').click();";
        page.eval::<()>(example, &[]).await?;
        let is_shown = "document.querySelector('#app .data .cards:not([hidden]) .matrix')";
        page.wait("the example", PATIENCE, is_shown).await?;
        for id in ["save-eigenvalues", "save-joining"] {
            expect_files(page, id, &OWN).await.with_context(|| id.to_owned())?;
        }
        Ok(())
    });
}

#[test]
fn a_program_that_is_copied_is_the_native_one_in_every_language() {
    const LINK: &str = "q=2&M=9&eps=0.4&schedule=rounds&alg=fedlin,fedavg,fedprox";
    Story::new().where_first(COPIES).tell(async |page| {
        page.open(LINK).await?;
        open_menu(page, "save-explore").await?;
        for (place, language) in Language::ALL.into_iter().enumerate() {
            choose(page, "save-explore", "language", place).await?;
            page.eval::<()>("window.copied = ''", &[]).await?;
            page.click(&button("save-explore", "copy-program")).await?;
            page.wait("a copy", PATIENCE, "window.copied").await?;
            let copied: String = page.eval("return window.copied", &[]).await?;
            let program = program_of(LINK, language)?;
            ensure!(copied.contains("FedSysID live") && copied.trim_end().ends_with(program.trim_end()), "{copied}");
            let said = page.texts("#save-explore .save-said").await?;
            ensure!(said == [format!("Copied a program in {}.", language.name())], "{said:?}");
        }
        let csv = page.saved_by(&button("save-explore", "csv")).await?;
        page.click(&button("save-explore", "copy-numbers")).await?;
        page.wait("the table", PATIENCE, "window.copied.startsWith('estimate\\t')").await?;
        let copied: String = page.eval("return window.copied", &[]).await?;
        ensure!(copied.lines().count() == cells(&csv).len(), "as many rows as in the file");
        Ok(())
    });
}

#[test]
fn where_a_page_may_not_copy_the_person_can() {
    Story::new().where_first(REFUSES).tell(async |page| {
        page.open("q=2&M=3").await?;
        open_menu(page, "save-explore").await?;
        page.click(&button("save-explore", "copy-program")).await?;
        let selected = "(() => { const area = document.querySelector('#save-explore textarea'); \
                        return !area.hidden && area === document.activeElement && area.value.includes('METHODS') \
                        && area.selectionEnd === area.value.length; })()";
        page.wait("the text, selected", PATIENCE, selected).await?;
        let said = page.texts("#save-explore .save-said").await?;
        ensure!(said[0].contains("press Ctrl+C"), "{said:?}");
        Ok(())
    });
}

/// As browsers before 2024 have it: they know no popovers.
const WITHOUT_POPOVERS: &str = "delete HTMLElement.prototype.showPopover;";

#[test]
fn menus_open_and_close_where_the_browser_knows_no_popovers() {
    Story::new().where_first(WITHOUT_POPOVERS).tell(async |page| {
        const SHOWN: &str = "return [...document.querySelectorAll('.save-menu')].filter((menu) => menu.checkVisibility()) \
                             .map(({ id }) => id);";
        page.open("q=2&M=3").await?;
        let shown = async || page.eval::<Vec<String>>(SHOWN, &[]).await;
        ensure!(shown().await?.is_empty(), "{:?}", shown().await?);
        for id in ["save-explore", "save-explore-numbers"] {
            page.click(&format!("#app [popovertarget={id}]")).await?;
            ensure!(shown().await? == [id], "{:?}", shown().await?);
            ensure!(page.is(&format!("document.getElementById('{id}').textContent.length > 50")).await?, "{id} is empty");
            page.press([Key::Escape]).await?;
            let is_back = format!("document.activeElement?.getAttribute('popovertarget') === '{id}'");
            ensure!(shown().await?.is_empty() && page.is(&is_back).await?, "Escape does not lead back from {id}");
        }
        page.click("#app [popovertarget=save-explore]").await?;
        page.click("#app h1").await?;
        ensure!(shown().await?.is_empty(), "a press beside it closes a menu");
        page.click("#app .menu > summary").await?;
        page.click("#app [popovertarget=embed-panel]").await?;
        page.wait("the preview", PATIENCE, "document.querySelector('.embed-preview iframe')").await?;
        page.click("#embed-panel .dismiss").await?;
        page.wait("no preview", PATIENCE, "!document.querySelector('.embed-preview iframe')").await?;
        ensure!(shown().await?.is_empty());
        Ok(())
    });
}

#[test]
fn the_menu_is_for_the_keyboard_too_and_remembers() {
    Story::new().tell(async |page| {
        page.open("q=2&M=3").await?;
        page.focus("[popovertarget=save-explore]").await?;
        page.press([Key::Enter]).await?;
        page.wait("the menu", PATIENCE, "document.querySelector('#save-explore:popover-open')").await?;
        page.press([Key::Tab, Key::Tab]).await?;
        ensure!(
            page.is("document.activeElement?.dataset.choice === 'look'").await?,
            "the first list comes after \"Close\""
        );
        page.press([Key::Down, Key::Down]).await?;
        page.press([Key::Escape]).await?;
        page.wait("the menu to close", PATIENCE, "!document.querySelector('#save-explore:popover-open')").await?;
        let is_back = "document.activeElement?.getAttribute('popovertarget') === 'save-explore'";
        page.wait("the focus where it was", PATIENCE, is_back).await?;
        page.open("q=2&M=4").await?;
        open_menu(page, "save-explore").await?;
        let place: usize = page.eval("return document.querySelector('[data-choice=look]').selectedIndex", &[]).await?;
        ensure!(place == 2, "the choice was kept: {place}");
        Ok(())
    });
}

/// The contrast of the words in a picture's title on a white page, as its pixels have it, and whether the picture has paper that
/// hides the page.
const ON_WHITE: &str = r"
    const [bytes] = arguments;
    const linear = (level) => (level <= 10 ? level / 3294.6 : ((level / 255 + 0.055) / 1.055) ** 2.4);
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return (async () => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
      const [width, height] = [picture.width, Math.round(0.08 * picture.height)];
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(picture, 0, 0);
      const isOpaque = context.getImageData(0, 0, 1, 1).data[3] === 255;
      context.globalCompositeOperation = 'destination-over';
      context.fillStyle = 'white';
      context.fillRect(0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      const lights = [];
      for (let at = 0; at < data.length; at += 4) {
        lights.push(0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2]));
      }
      // The first pixel is paper.
      return [lights.reduce((most, light) => Math.max(most, contrast(light, lights[0])), 1), isOpaque];
    })();";

/// Whatever theme the page has, a file's words are legible on the paper that comes with them; without paper, on white.
#[test]
fn words_in_a_file_are_legible_whatever_the_theme_of_the_page() {
    let upper = |theme: &Theme, token: &str| {
        let tokens = theme.css_tokens();
        let found = tokens.iter().find(|(name, _)| name == token).map(|(_, color)| color.to_uppercase());
        found.unwrap_or_default()
    };
    let (light, dark) =
        ((upper(&Theme::LIGHT, "--paper"), upper(&Theme::LIGHT, "--ink")), upper(&Theme::DARK, "--paper"));
    Story::new().tell(async |page| {
        page.open("q=2&M=3").await?;
        for theme in ["light", "dark", "projector"] {
            page.eval::<()>(
                "const list = document.querySelector('.theme-choice select'); list.value = arguments[0]; \
                 list.dispatchEvent(new Event('change', { bubbles: true }));",
                &[json!(theme)],
            )
            .await?;
            open_menu(page, "save-explore").await?;
            for (place, (under, ink)) in
                [(Some(&light.0), Some(&light.1)), (None, Some(&light.1)), (Some(&dark), None)].into_iter().enumerate()
            {
                choose(page, "save-explore", "look", place).await?;
                let svg = page.saved_by(&button("save-explore", "svg")).await?;
                let sheet = svg.lines().find(|line| line.starts_with("<rect x=\"0\" y=\"0\" width=\"9600\""));
                let is_right = match (sheet, under) {
                    (Some(sheet), Some(color)) => sheet.contains(color.as_str()),
                    (None, None) => true,
                    _ => false,
                };
                // The words of the title stand in the metadata too: it is those that are drawn that must be legible.
                let tags = svg.match_indices("\nError along").filter_map(|(at, _)| svg[..at].lines().last());
                let title = tags.into_iter().find(|tag| tag.starts_with("<text")).context("a title")?;
                let has_ink = ink.is_none_or(|ink| title.contains(ink.as_str()));
                ensure!(is_right && has_ink, "{theme}, look {place}: {sheet:?} {title}");
                let bytes: Vec<u8> = page.eval(BYTES, &[json!(button("save-explore", "png"))]).await?;
                let (contrast, is_opaque): (f64, bool) = page.eval(ON_WHITE, &[json!(bytes)]).await?;
                e2e::report(format_args!(
                    "{theme}, look {place}: contrast {contrast:.1}, paper of its own: {is_opaque}"
                ));
                ensure!(is_opaque == under.is_some(), "{theme}, look {place}: paper");
                ensure!(contrast >= 4.5, "{theme}, look {place}: on white, words have a contrast of {contrast}");
            }
            page.press([Key::Escape]).await?;
        }
        Ok(())
    });
}
