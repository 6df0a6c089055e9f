//! Surface for pictures: a canvas, or the text of an SVG file. One type for both, so that the drawing code is compiled
//! once.

use fedsysid_say::say;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;

use crate::figure::svg::Strokes;

/// Error of a surface that cannot be drawn on.
#[derive(Debug)]
pub(super) struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(say!("the surface cannot be drawn on"))
    }
}

impl std::error::Error for Refused {}

type Done<T = ()> = Result<T, DrawingErrorKind<Refused>>;

fn refused<E: std::error::Error + Send + Sync>(_: DrawingErrorKind<E>) -> DrawingErrorKind<Refused> {
    DrawingErrorKind::DrawingError(Refused)
}

/// A canvas, or the text of an SVG file.
pub(super) enum Surface {
    /// A canvas.
    Canvas(CanvasBackend),
    /// The text of an SVG file.
    Text(Strokes),
}

impl From<Strokes> for Surface {
    fn from(strokes: Strokes) -> Self {
        Self::Text(strokes)
    }
}

/// Calls the same method on either backend.
macro_rules! on {
    ($surface:expr, $backend:ident => $act:expr) => {
        match $surface {
            Surface::Canvas($backend) => $act.map_err(refused),
            Surface::Text($backend) => $act.map_err(refused),
        }
    };
}

impl DrawingBackend for Surface {
    type ErrorType = Refused;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Self::Canvas(backend) => backend.get_size(),
            Self::Text(backend) => backend.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> Done {
        on!(self, backend => backend.ensure_prepared())
    }

    fn present(&mut self) -> Done {
        on!(self, backend => backend.present())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Done {
        on!(self, backend => backend.draw_pixel(at, color))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        on!(self, backend => backend.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Done {
        on!(self, backend => backend.draw_rect(from, to, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        on!(self, backend => backend.draw_path(path, style))
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        on!(self, backend => backend.draw_circle(at, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        on!(self, backend => backend.fill_polygon(path, style))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        on!(self, backend => backend.draw_text(text, style, at))
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Done<(u32, u32)> {
        on!(self, backend => backend.estimate_text_size(text, style))
    }
}
