//! Rules that the compiler does not check: which module may use which, and more.

use std::fs;
use std::path::{Path, PathBuf};

/// A module, the modules of this crate (or a single submodule) that it may use, and words that must not occur in it.
struct Layer {
    module: &'static str,
    may_use: &'static [&'static str],
    without: &'static [&'static str],
}

/// Names that only exist in a browser, or whose behavior differs from machine to machine.
const IMPURE: &[&str] =
    &["web_sys", "js_sys", "wasm_bindgen", "leptos", "std::time", "std::thread", "HashMap", "println!", "eprintln!"];

/// Modules that are packages: the compiler checks what they use.
const PACKAGES: &[&str] = &["data", "say", "sim", "theory"];

const LAYERS: &[Layer] = &[
    Layer { module: "params", may_use: &["params", "sim", "text"], without: IMPURE },
    Layer { module: "protocol", may_use: &["protocol", "sim", "theory"], without: IMPURE },
    Layer { module: "engine", may_use: &["engine", "protocol", "sim", "theory"], without: IMPURE },
    Layer { module: "figure", may_use: &["figure", "sim::sort", "text"], without: IMPURE },
    Layer {
        module: "dashboard",
        may_use: &["dashboard", "data", "figure", "params", "protocol", "sim", "text", "theory"],
        without: IMPURE,
    },
    Layer {
        module: "web",
        may_use: &["web", "dashboard", "data", "engine", "figure", "params", "protocol", "sim"],
        without: &["leptos"],
    },
];

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|found| found == ending));
    files.chain(folders.iter().flat_map(|folder| files_below(folder, ending))).collect()
}

/// Every source file of the page and of the packages in it.
pub(crate) fn sources() -> Vec<PathBuf> {
    files_below(&source(), "rs")
}

/// The code of a file: without comments, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file is text");
    let product = ["mod tests", "pub(crate) mod tests"].iter().fold(text.as_str(), |text, tests| {
        text.split_once(&format!("\n#[cfg(test)]\n{tests}")).map_or(text, |(product, _)| product)
    });
    // With a space before it: not the slashes of an address in a string.
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let without_comments = |line: &str| line.split(" // ").next().unwrap_or_default().to_owned();
    product.lines().filter(is_code).map(without_comments).collect::<Vec<_>>().join("\n")
}

/// The paths after `crate::` in a piece of code.
fn used(code: &str) -> Vec<&str> {
    let after = code.split("crate::").skip(1);
    after
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or_default())
        .collect()
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn modules_know_only_what_they_may() {
    let mut n_files = 0;
    let mut faults = Vec::new();
    for layer in LAYERS {
        let files =
            files_below(&source().join(layer.module), "rs").into_iter().filter(|path| !path.ends_with("tests.rs"));
        for path in files {
            n_files += 1;
            let code = code(&path);
            let foreign =
                used(&code).into_iter().filter(|path| !layer.may_use.iter().any(|module| is_within(path, module)));
            faults.extend(foreign.map(|used| format!("{} uses {used}", path.display())));
            let banned = layer.without.iter().filter(|word| code.contains(**word));
            faults.extend(banned.map(|word| format!("{} names {word}", path.display())));
        }
    }
    for path in PACKAGES.iter().flat_map(|package| files_below(&source().join(package), "rs")) {
        n_files += 1;
        let code = code(&path);
        let banned = IMPURE.iter().filter(|word| code.contains(**word));
        faults.extend(banned.map(|word| format!("{} names {word}", path.display())));
    }
    assert!(n_files > 40, "the layers are where they are looked for: {n_files} files");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The folders of the dashboard are read in this order.
const DASHBOARD: [&str; 5] = ["words", "results", "run", "views", "outgoing"];

/// Tests may look at what comes later: at the sentences of every view, for instance.
#[test]
fn a_folder_of_the_dashboard_uses_none_that_comes_later() {
    let is_test =
        |path: &Path| path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("advice.rs");
    let mut n_files = 0;
    let mut faults = Vec::new();
    for (place, folder) in DASHBOARD.iter().enumerate() {
        let files = files_below(&source().join("dashboard").join(folder), "rs");
        for path in files.into_iter().filter(|path| !is_test(path) && !path.ends_with("tests.rs")) {
            n_files += 1;
            let code = code(&path);
            let is_later = |path: &&str| {
                DASHBOARD[place + 1..].iter().any(|later| is_within(path, &format!("dashboard::{later}")))
            };
            let later: Vec<_> = used(&code).into_iter().filter(is_later).map(str::to_owned).collect();
            faults.extend(later.iter().map(|later| format!("{} uses {later}", path.display())));
        }
    }
    assert!(n_files > 60, "the dashboard is where it is looked for: {n_files} files");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn only_the_web_module_speaks_with_workers() {
    for path in files_below(&source(), "rs") {
        let is_web = path.starts_with(source().join("web"));
        let code = code(&path);
        for word in ["post_message", "web_sys::Worker", "Closure"] {
            assert!(is_web || !code.contains(word), "{} names {word}", path.display());
        }
    }
}

/// Plotters measures text through the document, which workers do not have: code that runs in them may use only plain
/// values of figures.
#[test]
fn what_runs_in_workers_draws_nothing() {
    const PLAIN: [&str; 5] = ["number", "{Curve", "{Axis", "{Point", "Role"];
    let mut n_files = 0;
    for module in ["web", "engine", "protocol", "theory", "sim", "data", "dashboard/views/data"] {
        let files = files_below(&source().join(module), "rs").into_iter().filter(|path| !path.ends_with("tests.rs"));
        for path in files {
            n_files += 1;
            let code = code(&path);
            let drawn = ["plotters", "::draw::", "::svg", "canvas_context"].iter().find(|word| code.contains(**word));
            let mut used = code.split("figure::").skip(1);
            let foreign = used.find(|rest| !PLAIN.iter().any(|plain| rest.starts_with(plain)));
            let foreign = foreign.and_then(|rest| rest.lines().next());
            assert!(drawn.is_none() && foreign.is_none(), "{}: {drawn:?} {foreign:?}", path.display());
        }
    }
    assert!(n_files > 60, "the code of workers is where it is looked for: {n_files} files");
    // Checks that drawing code contains the words that the test looks for.
    let drawing = code(&source().join("figure/draw.rs"));
    assert!(drawing.contains("plotters"), "drawing goes by another name");
}

/// A strict content security policy refuses styles in markup and in attributes, but allows properties set by scripts.
#[test]
fn styles_are_set_as_properties() {
    // Markup for copying into other pages is not part of this page.
    let is_ours = |path: &PathBuf| !path.ends_with("dashboard/outgoing/embedding.rs");
    for path in files_below(&source(), "rs").into_iter().filter(is_ours) {
        let code = code(&path);
        for word in ["style=", "\"style\"", "<style"] {
            assert!(!code.contains(word), "{} has {word}", path.display());
        }
    }
}

/// A literal color in another sheet would not follow the theme.
#[test]
fn colors_of_the_page_stand_in_one_file() {
    let sheets = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("style"), "css");
    assert!(sheets.len() > 10, "style sheets are where they are looked for: {}", sheets.len());
    for path in sheets.into_iter().filter(|path| !path.ends_with("tokens.css")) {
        let text = fs::read_to_string(&path).expect("a style sheet is text");
        let is_color = |word: &&str| {
            let digits = word.strip_prefix('#').unwrap_or_default();
            let is_hex = digits.len() >= 3 && digits.chars().all(|c| c.is_ascii_hexdigit());
            is_hex || ["rgb", "rgba", "hsl", "hsla", "oklch", "oklab"].contains(word)
        };
        let color = text.split([' ', ';', ',', '(', ')', '\n']).find(is_color);
        assert_eq!(color, None, "{} has a color of its own", path.display());
    }
}

/// A name in a table says which test to look at: tests are renamed, and so are the files that they are in.
#[test]
fn the_tests_that_the_docs_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_to_string(root.join("docs/tests.md")).expect("the page of tests is there");
    let (_, tables) = docs.split_once("## For everybody").expect("the tables come last");
    let files = ["src", "tests"].iter().flat_map(|folder| files_below(&root.join(folder), "rs")).collect::<Vec<_>>();
    let text: String = files.iter().map(|path| fs::read_to_string(path).expect("a source file is text")).collect();
    let is_module = |name: &str| {
        text.contains(&format!("mod {name} {{"))
            || files
                .iter()
                .any(|path| path.components().any(|part| Path::new(&part).file_stem() == Some(name.as_ref())))
    };
    let named: Vec<_> = tables
        .lines()
        .filter_map(|row| row.split('|').nth(2))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() > 90, "names are where they are looked for: {}", named.len());
    for name in named {
        let (modules, last) = name.rsplit_once("::").unwrap_or(("", name));
        let is_test = match last.strip_suffix('…') {
            Some(begin) => text.contains(&format!("fn {begin}")),
            None => text.contains(&format!("fn {last}(")) || is_module(last),
        };
        let is_there = modules.split("::").all(|module| module.is_empty() || is_module(module));
        assert!(is_test && is_there, "docs/tests.md names {name}, which is not there");
    }
}
