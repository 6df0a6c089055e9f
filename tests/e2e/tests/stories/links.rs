//! A bad link never breaks the page: it runs with what can be used, and says what cannot.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::native::Native;
use e2e::page::{PATIENCE, Page, views};
use e2e::story::Story;
use thirtyfour::Key;

const BAD: &str = "?M=1e9&K=-3&alpha=abc&foo=1";

const NOTICES: [&str; 4] = [
    "M = 1e9 is out of range: allowed 1 to 10000, using 10000; the default is 50.",
    "K = -3 is out of range: allowed 1 to 100, using 1; the default is 10.",
    "alpha = abc is not a number: allowed 0.000001 to 0.1, using 0.0001, the default.",
    "foo = 1 is not a setting of this page: ignored.",
];

#[test]
fn a_bad_link_runs_and_says_what_was_given_used_and_allowed() {
    Story::new().tell(async |page| {
        page.open(BAD).await?;
        page.expect_what_is_set().await?;
        page.expect(&Native::of("M=10000&K=1")?, 200).await?;
        let notices = page.notices().await?;
        ensure!(notices == NOTICES, "{notices:#?}");
        Ok(())
    });
}

/// Presses Tab until the focus is on an element that a selector finds.
async fn tab_to(page: &Page, css: &str) -> Result<()> {
    const TABS: usize = 80;
    for _ in 0..TABS {
        page.press([Key::Tab]).await?;
        if page.eval("return document.activeElement.matches(arguments[0]);", &[css.into()]).await? {
            return Ok(());
        }
    }
    anyhow::bail!("Tab never reaches {css}")
}

#[test]
fn notices_are_dismissed_by_keyboard() {
    Story::new().tell(async |page| {
        page.open(BAD).await?;
        tab_to(page, ".notice .dismiss").await?;
        page.press([Key::Enter]).await?;
        let left = page.notices().await?;
        ensure!(left == NOTICES[1..], "{left:#?}");
        // The focus stayed near: the next stops are the next notice's.
        tab_to(page, ".notice .dismiss").await?;
        page.press([Key::Space]).await?;
        ensure!(page.notices().await? == NOTICES[2..]);
        tab_to(page, ".notice-foot button").await?;
        page.press([Key::Enter]).await?;
        ensure!(page.notices().await?.is_empty());
        Ok(())
    });
}

#[test]
fn a_notice_leads_to_its_control() {
    Story::new().tell(async |page| {
        for (link, control) in [
            ("M=1e9", "control-M"),
            ("q=0", "control-q"),
            // Folded away, as nothing there is changed.
            ("seed=abc", "control-seed"),
            ("start=one", "control-start"),
            ("schedule=late", "control-schedule"),
            ("alg=fedmax", "control-alg"),
            ("systems=x", "control-systems"),
            // In another view than the one that is looked at.
            ("A=x", "control-A"),
            ("view=map&su=-1", "control-su"),
            ("view=paper&M=0", "control-M"),
            ("view=data&start=one", "control-start"),
        ] {
            page.open(link).await?;
            page.click(".notice button:not(.dismiss)").await?;
            let there =
                format!("document.activeElement.id === '{control}' && document.activeElement.checkVisibility()");
            page.wait(&format!("{control} behind Show of {link}"), PATIENCE, &there).await?;
        }
        Ok(())
    });
}

/// No button that does nothing: whatever key is wrong, "Show" leads to something or is not there.
#[test]
fn no_notice_has_a_button_that_leads_nowhere() {
    Story::new().tell(async |page| {
        let mut n_leading = 0;
        for row in fedsysid::params::keys::rows() {
            // What is too much, or no word, for every kind of setting.
            page.open(&format!("{}=~,~", row.key)).await?;
            let buttons = page.texts("#app .notice button:not(.dismiss, [hidden])").await?;
            if buttons.contains(&"Show".to_owned()) {
                page.click(".notice button:not(.dismiss)").await?;
                let is_there = "document.activeElement !== document.body && document.activeElement.checkVisibility() \
                                && !document.activeElement.closest('.notices')";
                page.wait(&format!("what Show of {} leads to", row.key), PATIENCE, is_there).await?;
                n_leading += 1;
            }
        }
        ensure!(n_leading > 20, "only {n_leading} lead to a control");
        Ok(())
    });
}

/// What would be pressed at the middle of every control that is in sight, if that is a notice.
const COVERED: &str = r"
    const inside = ({ left, top, right, bottom }, x, y) => left <= x && x < right && top <= y && y < bottom;
    const seen = [...document.querySelectorAll('#app :is(button, input, select, summary, a, .cell)')].filter((control) => {
        if (control.closest('.notices') || !control.checkVisibility({ visibilityProperty: true })) return false;
        const { left, top, width, height } = control.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const clips = control.closest('.controls');
        const scrolls = clips && getComputedStyle(clips).overflowY !== 'visible';
        return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && (!scrolls || inside(clips.getBoundingClientRect(), x, y));
    });
    const covered = seen.filter((control) => {
        const { left, top, width, height } = control.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.notices');
    });
    return [seen.length, covered.map((control) => control.outerHTML.slice(0, 120))];";

#[track_caller]
fn no_notice_covers_a_control(screen: Screen) {
    Story::new().on(screen).tell(async |page| {
        for view in views() {
            page.open(&format!("view={view}&M=1e9&K=-3&alpha=abc&foo=1&q=2&N=0")).await?;
            ensure!(page.notices().await?.len() == 4);
            let (n_seen, covered): (usize, Vec<String>) = page.eval(COVERED, &[]).await?;
            ensure!(n_seen > 5 && covered.is_empty(), "{view}: of {n_seen} are covered {covered:#?}");
        }
        Ok(())
    });
}

#[test]
fn no_notice_covers_a_control_on_a_phone() {
    no_notice_covers_a_control(Screen { size: (390, 844), pixel_ratio: 1.0, touch: false });
}

#[test]
fn no_notice_covers_a_control_on_a_desk() {
    no_notice_covers_a_control(Screen { size: (1280, 800), pixel_ratio: 1.0, touch: false });
}

#[test]
fn the_page_lists_every_key_of_a_link() {
    Story::new().tell(async |page| {
        page.open("").await?;
        let first = "return [...document.querySelectorAll('#app .share .keys tr')].slice(1).map((row) => row.cells[0].textContent);";
        let listed: Vec<String> = page.eval(first, &[]).await?;
        let keys: Vec<_> = fedsysid::params::keys::rows().into_iter().map(|row| row.key).collect();
        ensure!(listed == keys, "{listed:?}");
        Ok(())
    });
}

#[test]
fn many_notices_are_counted_and_dismissed_together() {
    Story::new().tell(async |page| {
        let link: Vec<_> = (0..300).map(|index| format!("key{index}=x")).collect();
        page.open(&link.join("&")).await?;
        let foot = page.texts("#app .notice-foot").await?;
        ensure!((page.notices().await?.len(), foot) == (4, vec!["and 296 more".to_owned()]));
        page.click("#app .notice-foot button").await?;
        ensure!(page.notices().await?.is_empty());
        page.expect_what_is_set().await
    });
}
