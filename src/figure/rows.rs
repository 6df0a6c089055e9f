//! Heights of the rows above and below the plot.

use super::frame::Rect;
use super::page::{Headings, Page};
use super::text::wrapped;

/// Length of a tick, in font sizes.
pub(super) const TICK: f64 = 0.3;
/// Space around everything, in font sizes.
pub(super) const MARGIN: f64 = 0.6;
/// Distance between lines of words, in font sizes.
pub(super) const LINE: f64 = 1.4;

/// Heights of the rows above and below the plot, in CSS pixels; zero for rows that are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub title: f64,
    pub words: f64,
    pub y_title: f64,
    pub flags: f64,
    pub x_numbers: f64,
    pub x_title: f64,
    pub key: f64,
}

impl Rows {
    /// The wanted rows, without those that would leave the plot no room; the least important ones are dropped first.
    pub(super) fn fitting(headings: &Headings, page: &Page) -> Self {
        let (free, t) = (page.free, page.text_px);
        let mut rows = Self::wanted(headings, free, t);
        let least = (3.0 * t).max(0.4 * free.height);
        let drops: [fn(&mut Self); 7] = [
            |r| r.title = 0.0,
            |r| r.words = 0.0,
            |r| r.x_title = 0.0,
            |r| r.flags = 0.0,
            |r| r.y_title = 0.0,
            |r| r.key = 0.0,
            |r| r.x_numbers = 0.0,
        ];
        for drop in drops {
            let (top, bottom) = rows.margins(t);
            if free.height - top - bottom < least {
                drop(&mut rows);
            }
        }
        rows
    }

    fn wanted(headings: &Headings, free: Rect, t: f64) -> Self {
        let shown = |wanted: bool, height: f64| if wanted { height * t } else { 0.0 };
        let lines = wrapped(headings.words.unwrap_or_default(), t, free.width - 2.0 * MARGIN * t).len();
        Self {
            title: shown(headings.title.is_some(), 1.9),
            words: shown(lines > 0, LINE * lines as f64 + 0.4),
            y_title: shown(!headings.y.label.is_empty(), LINE + 0.4),
            flags: LINE * headings.n_flags as f64 * t,
            x_numbers: shown(true, TICK + 1.4),
            x_title: shown(!headings.x.label.is_empty(), LINE),
            key: headings.key * t,
        }
    }

    /// Top and height of the plot. On a surface that is too small even for the remaining rows, all margins shrink.
    pub(super) fn plot(self, page: &Page) -> (f64, f64) {
        let (above, below) = self.margins(page.text_px);
        let squeeze = (0.6 * page.free.height / (above + below)).min(1.0);
        let (above, below) = (squeeze * above, squeeze * below);
        (page.free.top + above, page.free.height - above - below)
    }

    /// Space above and below the plot; above it, half a line for the topmost tick label.
    fn margins(self, t: f64) -> (f64, f64) {
        let above = MARGIN * t + self.title + self.words + self.y_title + self.flags + 0.5 * t;
        (above, MARGIN * t + self.x_numbers + self.x_title + self.key)
    }
}
