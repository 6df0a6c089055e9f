//! The static shell: its picture is the default run, and its colors are the figure's. `UPDATE_GOLDEN=1` rewrites the
//! picture.

use std::fs;
use std::path::{Path, PathBuf};

use fedsysid::dashboard::results::Run;
use fedsysid::dashboard::run::picture;
use fedsysid::dashboard::run::{captions, verdict};
use fedsysid::dashboard::words::html::unbroken;
use fedsysid::figure::svg::to_svg;
use fedsysid::figure::theme::Theme;
use fedsysid::figure::{Figure, Size};
use fedsysid::params::Draft;
use fedsysid::protocol::Generation;
use fedsysid::sim::study::Study;
use fedsysid::theory::Theory;

/// Prefixes and sizes in CSS pixels of the chart in a window of 1440 × 900, and on a phone of 390 × 844.
const PLACES: [(&str, f64, f64); 2] = [("", 1053.0, 670.0), ("-narrow", 390.0, 380.0)];

fn style(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("style").join(name)
}

/// The run that the live page shows at first.
fn default_run() -> Run {
    let scenario = Draft::default().check().expect("the defaults are a scenario");
    let settings = scenario.settings().clone();
    let study = Study::new(scenario);
    let theory = Some(Box::new(Theory::of(study.experiment())));
    Run { generation: Generation(1), settings, summary: study.run(), theory, progress: None }
}

#[track_caller]
fn check_file(name: &str, expected: &str) {
    let path = style(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, expected).expect("the style folder can be written to");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "style/{name} is not the default run any more: run this test with UPDATE_GOLDEN=1");
}

/// The figure in the colors of the page's theme, whichever that is: each color is a custom property of the style sheet. A
/// color of one theme may stand for several properties, and is told by what it is in the other theme.
fn themed_svg(figure: &Figure, size: Size) -> String {
    let [light, dark] = [Theme::LIGHT, Theme::DARK].map(|theme| to_svg(figure, &theme, size));
    let band = |theme: &Theme| format!("opacity=\"{}\"", theme.band_opacity);
    let light = light.replace(&band(&Theme::LIGHT), "opacity=\"var(--band)\"");
    let dark = dark.replace(&band(&Theme::DARK), "opacity=\"var(--band)\"");
    let tokens: Vec<_> = Theme::LIGHT.css_tokens().into_iter().zip(Theme::DARK.css_tokens()).collect();
    let (mut lights, mut darks) = (light.split('#'), dark.split('#'));
    let mut themed = lights.next().unwrap_or_default().to_owned();
    assert_eq!(darks.next(), Some(themed.as_str()));
    for (light, dark) in lights.zip(darks) {
        let ((light, rest), (dark, same_rest)) = (light.split_at(6), dark.split_at(6));
        assert_eq!(rest, same_rest, "themes differ in colors and in the opacity of bands only");
        let is_color =
            |token: &str, color: &str| token.strip_prefix('#').is_some_and(|hex| hex.eq_ignore_ascii_case(color));
        let token =
            tokens.iter().find(|((_, in_light), (_, in_dark))| is_color(in_light, light) && is_color(in_dark, dark));
        let ((name, _), _) = token.unwrap_or_else(|| panic!("no token is #{light} in light and #{dark} in dark"));
        themed.extend(["var(", name, ")", rest]);
    }
    themed
}

#[test]
fn the_first_picture_is_the_default_run() {
    let run = default_run();
    let figure = picture::figure(&run);
    for (place, width, height) in PLACES {
        check_file(&format!("first-chart{place}.svg"), &themed_svg(&figure, Size::new(width, height, 1.0)));
    }
    check_file("first-verdict.html", &unbroken(&verdict::verdict(&run)));
    check_file("first-caption.html", &unbroken(&captions::caption(&run)));
}

/// The custom properties of each rule of the style sheet whose selector contains `selector`.
fn tokens(sheet: &str, selector: &str) -> Vec<Vec<(String, String)>> {
    let rules = sheet.split('}').filter_map(|rule| rule.rsplit_once('{'));
    let matching = rules.filter(|(before, _)| before.lines().last().is_some_and(|line| line.contains(selector)));
    let declarations = matching.map(|(_, body)| {
        let pairs = body.split(';').filter_map(|declaration| declaration.split_once(':'));
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
    });
    declarations.collect()
}

/// Checks that the sheet's tokens, in the rules for `selector`, are the colors with which the figure is drawn.
#[track_caller]
fn check_tokens(theme: &Theme, selector: &str, n_rules: usize, inherited: Option<&Theme>) {
    let sheet = include_str!("../../style/tokens.css");
    let rules = tokens(sheet, selector);
    assert_eq!(rules.len(), n_rules, "{selector}");
    let base = inherited.map(Theme::css_tokens).unwrap_or_default();
    for rule in &rules {
        for (name, value) in theme.css_tokens() {
            let said = rule.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
            let said = said.or_else(|| base.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone()));
            assert_eq!(said.as_ref(), Some(&value), "{name} in {selector}");
        }
    }
}

#[test]
fn the_page_has_the_colors_of_the_figure() {
    check_tokens(&Theme::DARK, "[data-theme=\"system\"]", 1, None);
    check_tokens(&Theme::DARK, "[data-theme=\"dark\"]", 1, None);
    check_tokens(&Theme::PROJECTOR, "[data-theme=\"projector\"]", 1, Some(&Theme::LIGHT));
    let light = tokens(include_str!("../../style/tokens.css"), ":root ")
        .into_iter()
        .find(|rule| rule.iter().any(|(name, _)| name == "--paper"));
    for (name, value) in Theme::LIGHT.css_tokens() {
        assert!(light.iter().flatten().any(|pair| *pair == (name.clone(), value.clone())), "{name}: {value}");
    }
}

/// The browser's own frame has the color of the paper.
#[test]
fn the_frame_has_the_color_of_the_paper() {
    let page = include_str!("../../index.html");
    for theme in [Theme::LIGHT, Theme::DARK] {
        let paper = theme.css_tokens().into_iter().find(|(name, _)| *name == "--paper");
        let (_, paper) = paper.expect("paper is a token");
        let said = format!("content=\"{paper}\" media=\"(prefers-color-scheme: {})\"", theme.name);
        assert!(page.contains(&said), "{said}");
    }
}
