//! A frame as markup: an inline SVG with colors from the style sheet.

use super::plane::{EXTENT, Ellipse, Position};
use super::scene::{Scene, Shape};
use crate::text::{escaped, put};

/// A frame's markup.
pub fn markup(scene: &Scene) -> String {
    let (width, height) = EXTENT;
    let mut svg = format!(
        "<svg class=round viewBox=\"0 0 {width} {height}\" data-role={} role=img><title>{}</title>",
        scene.role.word(),
        escaped(&scene.sentence)
    );
    for shape in &scene.shapes {
        put_shape(&mut svg, shape, scene.model);
    }
    svg + "</svg>"
}

/// A coordinate rounded to one decimal, which is finer than the eye can see.
fn short(at: f64) -> f64 {
    (at * 10.0).round() / 10.0 + 0.0
}

fn put_shape(svg: &mut String, shape: &Shape, model: (usize, usize)) {
    match shape {
        Shape::Region(ellipse) => put_ellipse(svg, *ellipse),
        Shape::Own((x, y)) => {
            put!(svg, "<path class=own d=\"M{} {}l8 8m-8 0l8-8\"/>", short(x - 4.0), short(y - 4.0));
        }
        Shape::Path { places, is_past } => put_path(svg, places, *is_past),
        Shape::Upload { from, to } => {
            put_line(svg, "upload", *from, *to);
        }
        Shape::Table { at, of } => {
            put_line(svg, "leader", *of, *at);
            put_table(svg, *at, model);
        }
        Shape::Pooled((x, y)) => {
            put!(svg, "<circle class=pooled cx={} cy={} r=7 />", short(*x), short(*y));
        }
        Shape::Server((x, y)) => {
            put!(svg, "<circle class=server cx={} cy={} r=7 />", short(*x), short(*y));
        }
        Shape::Mean((x, y)) => {
            put!(svg, "<circle class=mean cx={} cy={} r=7 />", short(*x), short(*y));
        }
        Shape::Broadcast { from, to } => put_arrow(svg, *from, *to),
        Shape::Label { at: (x, y), words, is_client } => {
            let class = if *is_client { "client" } else { "word" };
            put!(svg, "<text class={class} x={} y={}>{}</text>", short(*x), short(*y), escaped(words));
        }
    }
}

fn put_ellipse(svg: &mut String, ellipse: Ellipse) {
    let ((long, narrow), angle) = ellipse.principal();
    let (x, y) = ellipse.centre;
    put!(
        svg,
        "<ellipse class=region rx={} ry={} transform=\"translate({} {})rotate({})\"/>",
        short(long),
        short(narrow),
        short(x),
        short(y),
        short(angle.to_degrees())
    );
}

fn put_line(svg: &mut String, class: &str, from: Position, to: Position) {
    let [(x, y), (to_x, to_y)] = [from, to].map(|(x, y)| (short(x), short(y)));
    put!(svg, "<path class={class} d=\"M{x} {y}L{to_x} {to_y}\"/>");
}

/// The path, with a dot at every model but the first.
fn put_path(svg: &mut String, places: &[Position], is_past: bool) {
    let (mut line, mut dots) = (String::new(), String::new());
    for (k, &(x, y)) in places.iter().enumerate() {
        let (x, y) = (short(x), short(y));
        put!(line, "{}{x} {y}", if k == 0 { 'M' } else { 'L' });
        if k > 0 {
            put!(dots, "M{x} {y}h0");
        }
    }
    let past = if is_past { " data-past" } else { "" };
    put!(svg, "<path class=way{past} d=\"{line}\"/><path class=steps{past} d=\"{dots}\"/>");
}

/// A model as a table with one small cell per number; larger models have a table of the largest size.
fn put_table(svg: &mut String, (x, y): Position, (rows, columns): (usize, usize)) {
    const LARGEST: usize = 8;
    let (rows, columns) = (rows.min(LARGEST), columns.min(LARGEST));
    let cell = (30.0 / columns as f64).min(20.0 / rows as f64).min(5.0);
    let (width, height) = (cell * columns as f64, cell * rows as f64);
    let (left, top) = (short(x - width / 2.0), short(y - height / 2.0));
    let (cell, width, height) = (short(cell), short(width), short(height));
    put!(svg, "<path class=table d=\"");
    for row in 0..=rows {
        put!(svg, "M{left} {}h{width}", short(top + cell * row as f64));
    }
    for column in 0..=columns {
        put!(svg, "M{} {top}v{height}", short(left + cell * column as f64));
    }
    put!(svg, "\"/>");
}

/// An arrow that ends at the edge of the new model's disc.
fn put_arrow(svg: &mut String, from: Position, to: Position) {
    let (along_x, along_y) = (to.0 - from.0, to.1 - from.1);
    let length = along_x.hypot(along_y);
    put!(svg, "<circle class=old cx={} cy={} r=7 />", short(from.0), short(from.1));
    if length < 24.0 {
        return;
    }
    let (x, y) = (along_x / length, along_y / length);
    let at = |along: f64, across: f64| (short(to.0 - x * along - y * across), short(to.1 - y * along + x * across));
    let start = (short(from.0 + x * 7.0), short(from.1 + y * 7.0));
    let [tip, left, right] = [at(9.0, 0.0), at(18.0, 5.0), at(18.0, -5.0)];
    put!(
        svg,
        "<path class=broadcast d=\"M{} {}L{} {}M{} {}L{} {}L{} {}\"/>",
        start.0,
        start.1,
        tip.0,
        tip.1,
        left.0,
        left.1,
        tip.0,
        tip.1,
        right.0,
        right.1
    );
}
