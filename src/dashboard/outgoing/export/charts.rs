//! Every chart of the page as an export.

use super::pictures;
use super::settings::{Varied, settings};
use super::{Export, Setting};
use crate::dashboard::outgoing::script::{self, Language, NoProgram, Program};
use crate::dashboard::outgoing::table::{self, ListedRounds};
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::Sweep;
use crate::dashboard::run::anatomy;
use crate::dashboard::run::bound;
use crate::dashboard::run::join;
use crate::dashboard::run::picture;
use crate::dashboard::run::pins::{Ghost, legend};
use crate::dashboard::run::{captions, verdict};
use crate::dashboard::views::family::Family;
use crate::dashboard::views::lesson::class;
use crate::dashboard::views::maps::{Of, ShownMap};
use crate::dashboard::views::paper;
use crate::dashboard::views::systems::{Mode, Portrait, words};
use crate::dashboard::views::tradeoff::{self, TradeOff};
use crate::dashboard::words::names::method_name;
use crate::dashboard::words::table::Table;
use crate::figure::Figure;
use crate::figure::sheet::Picture;
use crate::params::{Draft, Key, Views, Word};
use crate::sim::scenario::Settings;
use fedsysid_say::{in_english, say};

/// The state of the page that shows a chart.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Its settings.
    pub draft: &'a Draft,
    /// The shown view and its options.
    pub views: &'a Views,
    /// Its address.
    pub link: &'a str,
}

/// The texts that identify a chart.
struct Words {
    slug: String,
    title: String,
    caption: String,
}

impl Page<'_> {
    fn export(self, words: Words, points: &[Settings], picture: Picture, table: impl FnOnce() -> Table) -> Export {
        self.export_over(words, settings(points, &Varied::Points, self.draft, self.views), picture, table)
    }

    /// The table is in English: programs read it too.
    fn export_over(
        self,
        words: Words,
        settings: Vec<Setting>,
        picture: Picture,
        table: impl FnOnce() -> Table,
    ) -> Export {
        let table = in_english(table);
        let Words { slug, title, caption } = words;
        let caption = caption.trim().to_owned();
        Export { slug, title, caption, settings, link: self.link.to_owned(), picture, table }
    }

    /// Errors along the rounds of one run, as the page draws them, with the pinned runs beside it.
    pub fn run(self, run: &Run, figure: Figure, ghosts: &[Ghost<'_>]) -> Export {
        let names: Vec<_> = run.summary.methods.iter().map(|summary| method_name(summary.method)).collect();
        let title = match names.as_slice() {
            [] => say!("Errors of least squares").into(),
            names => say!("Error along the rounds: {}", names.join(", ")),
        };
        let caption = format!("{} {}", verdict::verdict(run), captions::caption_of(run, self.views.upward()))
            + legend(ghosts, run);
        let words = Words { slug: "explore".into(), title, caption };
        self.export(words, std::slice::from_ref(&run.settings), Picture::Curves(figure), || table::of_run(run, ghosts))
    }

    /// The program that reproduces a run's final errors, and the name of its file. What it says of the run is in English, too.
    ///
    /// # Errors
    /// Those of [`script::program`].
    pub fn program(self, run: &Run, language: Language) -> Result<(String, Program), NoProgram> {
        let export = in_english(|| self.run(run, picture::figure(run), &[]));
        let program = script::program(run, language, &export.about())?;
        Ok((export.program_name(language), program))
    }

    /// A sweep: one curve per value.
    pub fn family(self, family: &Family<'_>) -> Export {
        let param = family.of.key.param();
        let points = &family.sweep.plan.points;
        let method = points.first().and_then(|settings| settings.methods.get(family.method));
        let name = method.map_or_else(String::new, |method| method_name(*method));
        let words = Words {
            slug: format!("explore-by-{}", param.link),
            title: say!("Error of {name} along the rounds, one curve per value of {} {}", param.name(), param.symbol),
            caption: format!("{} {}", family.sentence(), family.caption()),
        };
        let settings = settings(points, &Varied::Swept(family.of), self.draft, self.views);
        let table = || table::of_family(family.sweep, ListedRounds::All, Some(family.of));
        self.export_over(words, settings, Picture::Curves(family.figure()), table)
    }

    /// Final errors against one parameter.
    pub fn trade_off(self, trade_off: &TradeOff<'_>) -> Export {
        let param = trade_off.across.key().param();
        let words = Words {
            slug: format!("tradeoff-{}", param.link),
            title: say!("Final error against {} {}", param.name(), param.symbol),
            caption: format!("{} {} {}", trade_off.sentence(), tradeoff::caption(trade_off), trade_off.bound()),
        };
        let sweep = trade_off.sweep;
        self.export(words, &sweep.plan.points, Picture::Curves(trade_off.figure()), || {
            table::of(sweep, ListedRounds::Last)
        })
    }

    /// A map with its dots, and a ring at the present settings; its caption has theory's value for the run itself.
    pub fn map(self, shown: &ShownMap, of: Of, checks: Option<&Sweep>, run: Option<&Run>) -> Export {
        let (x, y) = self.views.map.keys();
        let mut picture = shown.picture(of, checks);
        picture.handle = Some((self.draft.get(x), self.draft.get(y)));
        let axes = Varied::Axes([axis(x, &picture.xs), axis(y, &picture.ys)]);
        let made = shown.made(self.draft.settings().n_trials);
        let words = Words {
            slug: format!("map-{}", self.views.map.word()),
            title: shown.title(of),
            caption: say!("{made} Ring: {}", shown.reading(self.draft.get(x), self.draft.get(y), run)),
        };
        let settings = settings(&[self.draft.settings()], &axes, self.draft, self.views);
        self.export_over(words, settings, Picture::Map(picture), || table::of_map(shown, of, checks))
    }

    /// A figure of the paper.
    pub fn paper(self, sweep: &Sweep) -> Export {
        let (figure, switches) = (self.views.figure, self.views.switches);
        let words = Words {
            slug: format!("paper-{}", figure.word()),
            title: say!("Figure {}: {}", figure.name(), figure.title()),
            caption: paper::picture::caption(figure, switches, sweep),
        };
        let picture = Picture::Curves(paper::picture::picture(figure, switches, sweep));
        self.export(words, &sweep.plan.points, picture, || table::of(sweep, ListedRounds::All))
    }

    /// The causes of a method's error.
    pub fn anatomy(self, run: &Run, method: usize) -> Option<Export> {
        let anatomy = anatomy::anatomies(run).into_iter().nth(method)?;
        let picture = pictures::anatomy(run, method)?;
        let words = Words {
            slug: "anatomy".into(),
            title: say!("What is left of {}’s error, and why", anatomy.name),
            caption: say!("Shares of the mean square error (Frobenius) to expect, stacked; what works against the others is below 0.").into(),
        };
        let (settings, picture) = (std::slice::from_ref(&run.settings), Picture::Curves(picture));
        Some(self.export(words, settings, picture, || table::of_anatomy(run, method)))
    }

    /// The clients' gains by joining: one dot per client.
    pub fn join(self, run: &Run, method: usize) -> Option<Export> {
        let join = join::joins(run).into_iter().find(|join| join.method == method)?;
        let words = Words {
            slug: "join".into(),
            title: say!("Who gains by joining: {}", join.name),
            caption: say!("{} One dot a client; each error is against that client’s own system.", join.words),
        };
        let picture = Picture::Curves(pictures::join(run, method)?);
        Some(self.export(words, std::slice::from_ref(&run.settings), picture, || table::of_join(run, method)))
    }

    /// The eigenvalues of the systems.
    pub fn systems(self, portrait: &Portrait) -> Export {
        let words = Words {
            slug: "systems".into(),
            title: say!("Eigenvalues of the clients’ systems").into(),
            caption: format!("{} {}", words::stability(portrait), words::modes(portrait)),
        };
        let picture = Picture::Curves(pictures::eigenvalues(portrait));
        let settings = std::slice::from_ref(portrait.scenario.settings());
        self.export(words, settings, picture, || eigenvalues(portrait))
    }

    /// A class's results beside the results of many seeds.
    pub fn class(self, picture: &class::Picture, points: &[Settings]) -> Export {
        let words = Words {
            slug: format!("class-{}", picture.lesson.word()),
            title: picture.lesson.name().into(),
            caption: format!("{} {}", picture.sentence(), class::caption()),
        };
        // The settings are the lesson's, whatever the page has now, but for the seed, of which everybody has another.
        let state = class::state(picture.lesson).unwrap_or_default();
        let points = points.get(..1).unwrap_or(&[]);
        let mut settings = settings(points, &Varied::Points, &state.draft, &state.views);
        settings.retain(|setting| setting.key != Key::Seed.param().link);
        self.export_over(words, settings, Picture::Curves(picture.figure()), || picture.table())
    }

    /// A chart of people's own data: the caption names the files; there are no settings.
    pub(in crate::dashboard) fn own_data(
        self,
        slug: &str,
        title: String,
        caption: String,
        figure: Figure,
        table: impl FnOnce() -> Table,
    ) -> Export {
        self.export_over(Words { slug: slug.into(), title, caption }, Vec::new(), Picture::Curves(figure), table)
    }

    /// The paper's bound beside predicted and measured errors.
    pub fn bound(self, run: &Run) -> Option<Export> {
        let figure = bound::figure(run)?;
        let hypothesis = run.theory.as_ref().and_then(|theory| bound::hypothesis(theory));
        let hypothesis = hypothesis.map(|(_, words)| say!(" Its {words}.")).unwrap_or_default();
        let words = Words {
            slug: "bound".into(),
            title: say!("What the paper proves, and what happens").into(),
            caption: format!("{}{hypothesis}", bound::words(run)),
        };
        let settings = std::slice::from_ref(&run.settings);
        Some(self.export(words, settings, Picture::Curves(figure), || table::of_bound(run)))
    }
}

/// One row per eigenvalue.
fn eigenvalues(portrait: &Portrait) -> Table {
    let header = ["system", "real part", "imaginary part", "absolute value"].map(str::to_owned).to_vec();
    let clients = portrait.clients.iter().enumerate();
    let clients =
        clients.flat_map(|(index, client)| client.modes.iter().map(move |mode| (say!("client {}", index + 1), mode)));
    let all = portrait.nominal.iter().map(|mode| ("nominal".to_owned(), mode)).chain(clients);
    let row =
        |(name, mode): (String, &Mode)| vec![name, mode.re.to_string(), mode.im.to_string(), mode.size().to_string()];
    Table { header, rows: all.map(row).collect() }
}

/// Key and range of a map's axis.
fn axis(key: Key, values: &[f64]) -> (Key, f64, f64) {
    let end = |value: Option<&f64>| {
        let value = value.copied().unwrap_or(f64::NAN);
        if key.param().grid.is_whole() { value.round() } else { value }
    };
    (key, end(values.first()), end(values.last()))
}
