//! Strokes of a drawing as SVG elements: a Plotters surface that writes text.
//!
//! Plotters has an SVG surface too. This one writes the dashes of a line as one path, leaves out default attributes,
//! and has a fraction of the code.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use plotters::style::FontStyle;
use plotters::style::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use crate::text::{escaped, put};

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// A drawing with a size in drawing units. Clones write to the same text.
#[derive(Clone, Debug)]
pub struct Strokes {
    size: (u32, u32),
    out: Rc<RefCell<Out>>,
}

#[derive(Debug, Default)]
struct Out {
    text: String,
    /// A path that is extended as long as strokes have its style.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    style: String,
    /// Path data: each point relative to the one before. This way, dashes of one line have the same text, which
    /// compresses well.
    path: String,
    /// Its last point.
    end: BackendCoord,
}

impl Strokes {
    /// An empty drawing.
    pub fn new(size: (u32, u32)) -> Self {
        Self { size, out: Rc::default() }
    }

    /// The elements drawn so far; the drawing is empty afterwards.
    pub fn take(&self) -> String {
        let mut out = self.out.borrow_mut();
        out.close();
        std::mem::take(&mut out.text)
    }

    /// Writes an element: its name and place, then its paint.
    fn element(&self, color: BackendColor, shape: &str, paint: &str) {
        // Invisible elements are not written.
        if color.alpha > 0.0 {
            let mut out = self.out.borrow_mut();
            out.close();
            put!(out.text, "<{shape}{}{paint}/>\n", opacity(color));
        }
    }
}

impl Out {
    fn close(&mut self) {
        if let Some(Open { style, path, .. }) = self.open.take() {
            put!(self.text, "<path {style} d=\"{path}\"/>\n");
        }
    }

    /// The path with this style: the open one, or a new one if the open one has another style.
    fn path(&mut self, style: String) -> &mut Open {
        if self.open.as_ref().is_some_and(|open| open.style != style) {
            self.close();
        }
        self.open.get_or_insert_with(|| Open { style, path: String::new(), end: (0, 0) })
    }
}

fn opacity(color: BackendColor) -> String {
    if color.alpha < 1.0 { format!(" opacity=\"{}\"", color.alpha) } else { String::new() }
}

fn hex(color: BackendColor) -> String {
    let (red, green, blue) = color.rgb;
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The paint of a shape: its fill, or its stroke if it is not filled.
fn paint(color: BackendColor, is_filled: bool) -> String {
    let color = hex(color);
    if is_filled { format!(" fill=\"{color}\" stroke=\"none\"") } else { format!(" fill=\"none\" stroke=\"{color}\"") }
}

fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let mut points = String::new();
    for (x, y) in path {
        put!(points, "{x},{y} ");
    }
    points
}

impl DrawingBackend for Strokes {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Done {
        self.element(color, &format!("rect x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\""), &paint(color, true));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, is_filled: bool) -> Done {
        let ((x, y), width, height) = (from, to.0 - from.0, to.1 - from.1);
        let shape = format!("rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.element(style.color(), &shape, &paint(style.color(), is_filled));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let color = style.color();
        if color.alpha <= 0.0 {
            return Ok(());
        }
        let (opacity, hex, width) = (opacity(color), hex(color), style.stroke_width());
        let style = format!("fill=\"none\"{opacity} stroke=\"{hex}\" stroke-width=\"{width}\"");
        let mut out = self.out.borrow_mut();
        let open = out.path(style);
        let mut before = 'm';
        for (x, y) in path {
            put!(open.path, "{before}{},{}", x - open.end.0, y - open.end.1);
            (open.end, before) = ((x, y), ' ');
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, r: u32, style: &S, is_filled: bool) -> Done {
        let (color, width) = (style.color(), style.stroke_width());
        let paint = format!("{} stroke-width=\"{width}\"", paint(color, is_filled));
        self.element(color, &format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\""), &paint);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let color = style.color();
        self.element(color, "polygon", &format!(" fill=\"{}\" points=\"{}\"", hex(color), points(path)));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Done {
        let color = style.color();
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let weight = if matches!(style.style(), FontStyle::Bold) { " font-weight=\"bold\"" } else { "" };
        let (family, size) = (style.family().as_str().to_owned(), style.size());
        let mut out = self.out.borrow_mut();
        out.close();
        put!(
            out.text,
            "<text x=\"{x}\" y=\"{y}\" dy=\"0.5ex\" text-anchor=\"{anchor}\" font-family=\"{family}\" font-size=\"{size}\"{} \
             fill=\"{}\"{weight}>\n{}\n</text>\n",
            opacity(color),
            hex(color),
            escaped(text)
        );
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        _: &str,
        _: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        // Text is placed by its anchors alone.
        Ok((0, 0))
    }
}
