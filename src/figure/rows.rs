//! Heights of what stands above and below the plot.

use super::Figure;
use super::frame::Rect;
use super::layout::{LINE, MARGIN, TICK, has_values};
use super::text::wrapped;

/// Heights of the rows above and below the plot, in CSS pixels; zero for what is left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub title: f64,
    pub y_title: f64,
    pub words: f64,
    pub x_numbers: f64,
    pub x_title: f64,
}

impl Rows {
    /// The rows a figure asks for, less those that would leave the plot no room; the least needed go first.
    pub(super) fn fitting(figure: &Figure, free: Rect, t: f64) -> Self {
        let mut rows = Self::wanted(figure, free, t);
        let least = (3.0 * t).max(0.4 * free.height);
        let drops: [fn(&mut Self); 5] =
            [|r| r.title = 0.0, |r| r.words = 0.0, |r| r.x_title = 0.0, |r| r.y_title = 0.0, |r| r.x_numbers = 0.0];
        for drop in drops {
            let (top, bottom) = rows.margins(t);
            if free.height - top - bottom < least {
                drop(&mut rows);
            }
        }
        rows
    }

    fn wanted(figure: &Figure, free: Rect, t: f64) -> Self {
        let shown = |wanted: bool, height: f64| if wanted { height * t } else { 0.0 };
        let words = figure.words.as_deref().filter(|_| has_values(figure)).unwrap_or_default();
        let lines = wrapped(words, t, free.width - 2.0 * MARGIN * t).len();
        Self {
            title: shown(figure.title.is_some(), 1.9),
            y_title: shown(!figure.y.label.is_empty(), LINE + 0.4),
            words: shown(lines > 0, LINE * lines as f64 + 0.4),
            x_numbers: shown(true, TICK + 1.4),
            x_title: shown(!figure.x.label.is_empty(), LINE),
        }
    }

    /// Space above and below the plot; half a line above it for the topmost number.
    pub(super) fn margins(self, t: f64) -> (f64, f64) {
        (MARGIN * t + self.title + self.y_title + self.words + 0.5 * t, MARGIN * t + self.x_numbers + self.x_title)
    }
}
