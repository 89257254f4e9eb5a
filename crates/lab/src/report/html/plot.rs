//! One drawing: lines over a horizontal axis, with their spread, names and reference values.
//!
//! The name of a line is at its end if there is space, and in a legend if there are several lines. A point shows its values
//! when the reader points at it.

use std::borrow::Cow;
use std::fmt::Write;

use super::axis_scale::{AxisScale, Kind};
use super::line_style::{LineStyle, legend};
use super::put;
use super::text::{clock, escape, number};
use crate::report::curve::{Axis, CurvePoint, Reference, Scale};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 42.0;
/// Width of a letter in the drawing's font, rounded up.
const LETTER: f64 = 6.4;
/// Minimum distance between two marks on the horizontal axis, and between two names at the ends of lines.
const MARK_ROOM: f64 = 48.0;
const NAME_ROOM: f64 = 14.0;
/// Maximum length of a name at the end of its line, in letters.
const NAME_LETTERS_MAX: usize = 16;
/// Maximum number of values for which the horizontal axis marks each value.
const OWN_MARKS_MAX: usize = 8;
/// A line with more points is drawn without the shapes of its points.
const SHAPES_MAX: usize = 40;
/// Maximum number of points of a line that show their values.
const PLACES_MAX: usize = 150;
/// A reference value that is more than this many times the largest point is printed instead of drawn, because it would flatten the lines.
const REFERENCE_FAR: f64 = 4.0;

/// The content of a drawing.
pub struct Plot<'a> {
    /// The title.
    pub title: &'a str,
    /// The horizontal axis; `None` for milliseconds since the start.
    pub x: Option<&'a Axis>,
    /// The vertical axis.
    pub y: &'a Axis,
    /// The lines.
    pub lines: Vec<Line<'a>>,
    /// Values to compare with.
    pub references: Vec<Reference>,
}

/// One line.
pub struct Line<'a> {
    /// The line's name.
    pub name: String,
    /// Its style.
    pub look: LineStyle,
    /// In order from left to right.
    pub points: Cow<'a, [CurvePoint]>,
    /// The indexes of points before which the line is broken, because no values were measured in between.
    pub breaks: Vec<usize>,
}

/// Draws the plot, if it has a point.
pub fn draw(html: &mut String, plot: &Plot) {
    if plot.lines.iter().all(|line| line.points.is_empty()) {
        return;
    }
    put!(html, "<figure class=\"plot\"><figcaption>{}</figcaption>", escape(plot.title));
    if plot.lines.len() > 1 {
        legend(html, plot.lines.iter().map(|line| (line.name.as_str(), line.look)));
    }
    let canvas = Canvas::of(plot);
    put!(
        html,
        "<svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(plot.title)
    );
    canvas.axes(html, plot);
    canvas.references(html, plot);
    for line in &plot.lines {
        canvas.line(html, plot, line);
    }
    canvas.names_of_references(html, plot);
    canvas.names(html, plot);
    html.push_str("</svg>");
    let (_, far) = near_and_far(plot);
    for reference in far {
        put!(
            html,
            "<p class=\"note\">Far above the drawing, so not drawn: {}</p>",
            escape(&reference_name(plot, reference))
        );
    }
    html.push_str("</figure>\n");
}

/// The axes and the right edge of a drawing.
struct Canvas {
    x: AxisScale,
    y: AxisScale,
    right: f64,
}

impl Canvas {
    fn of(plot: &Plot) -> Self {
        let right = WIDTH - RIGHT - room_for_names(plot);
        let points = || plot.lines.iter().flat_map(|line| line.points.iter());
        let (near, _) = near_and_far(plot);
        let heights = points().flat_map(|point| [Some(point.y), point.low, point.high]).flatten();
        let heights = heights.chain(near.iter().map(|reference| reference.y));
        let across = plot.x.map_or(Kind::Time, |axis| Kind::Of(axis.scale));
        Self {
            x: AxisScale::fitting(across, points().map(|point| point.x), LEFT, right),
            y: AxisScale::from_zero(Kind::Of(plot.y.scale), heights, HEIGHT - BOTTOM, TOP),
            right,
        }
    }

    fn axes(&self, html: &mut String, plot: &Plot) {
        let (base, right) = (HEIGHT - BOTTOM, self.right);
        for (y, word) in self.y.marks() {
            put!(
                html,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{word}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        put!(html, "<line class=\"base\" x1=\"{LEFT}\" x2=\"{right:.1}\" y1=\"{base}\" y2=\"{base}\"/>");
        for (x, word) in self.marks_across(plot) {
            put!(
                html,
                "<line class=\"base\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{base}\" y2=\"{:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{word}</text>",
                base + 4.0,
                base + 17.0
            );
        }
        let across = plot.x.map_or_else(|| "Time since the start".to_owned(), axis_name);
        put!(
            html,
            "<text class=\"axis\" x=\"{LEFT}\" y=\"13\">{}</text>\
             <text class=\"axis\" x=\"{right:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            escape(&axis_name(plot.y)),
            HEIGHT - 6.0,
            escape(&across)
        );
    }

    /// The marks on the horizontal axis: at the values of the points if they are few, otherwise at round values.
    fn marks_across(&self, plot: &Plot) -> Vec<(f64, String)> {
        let chosen = plot.x.is_some_and(|axis| axis.scale != Scale::Percentile);
        let mut values: Vec<f64> =
            plot.lines.iter().flat_map(|line| line.points.iter().map(|point| point.x)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if chosen && values.len() <= OWN_MARKS_MAX {
            self.x.marks_where(&values, MARK_ROOM)
        } else {
            self.x.marks()
        }
    }

    fn references(&self, html: &mut String, plot: &Plot) {
        for reference in near_and_far(plot).0 {
            let y = self.y.at(reference.y);
            put!(
                html,
                "<g class=\"reference\"><title>{}</title>\
                 <line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/></g>",
                escape(&reference_name(plot, reference)),
                self.right,
            );
        }
    }

    /// Draws the names of references. They are drawn after the lines, so that no line hides them.
    fn names_of_references(&self, html: &mut String, plot: &Plot) {
        for reference in near_and_far(plot).0 {
            put!(
                html,
                "<text class=\"theirs\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT + 6.0,
                self.y.at(reference.y) - 5.0,
                escape(&reference_name(plot, reference)),
            );
        }
    }

    fn line(&self, html: &mut String, plot: &Plot, line: &Line) {
        let drawable = |point: &&CurvePoint| self.x.holds(point.x) && self.y.holds(point.y);
        let mut path = String::new();
        for (index, point) in line.points.iter().enumerate().filter(|(_, point)| drawable(point)) {
            let letter = if path.is_empty() || line.breaks.contains(&index) { 'M' } else { 'L' };
            put!(path, "{letter}{:.1} {:.1}", self.x.at(point.x), self.y.at(point.y));
        }
        let points: Vec<&CurvePoint> = line.points.iter().filter(drawable).collect();
        put!(html, "<g class=\"{}\"><title>{}</title>", line.look.class(), escape(&line.name));
        put!(html, "<path class=\"line\"{} d=\"{path}\"/>", line.look.dash());
        let stride = points.len().div_ceil(PLACES_MAX).max(1);
        for point in points.iter().step_by(stride) {
            self.point(html, plot, line, point, points.len() <= SHAPES_MAX);
        }
        html.push_str("</g>");
    }

    /// Draws one point: its spread, its shape, and a larger invisible circle that shows the values when the reader points at it.
    fn point(&self, html: &mut String, plot: &Plot, line: &Line, point: &CurvePoint, with_shape: bool) {
        let (x, y) = (self.x.at(point.x), self.y.at(point.y));
        put!(html, "<g><title>{}</title>", escape(&told(plot, line, point)));
        if let (Some(low), Some(high)) = (point.low, point.high) {
            let (low, high) = (self.y.at(low), self.y.at(high));
            put!(html, "<path class=\"spread\" d=\"M{:.1} {low:.1}h8m-4 0V{high:.1}m-4 0h8\"/>", x - 4.0);
        }
        if with_shape {
            html.push_str(&line.look.point(x, y));
        }
        put!(html, "<circle class=\"place\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\"/></g>");
    }

    /// Draws names at the ends of the lines, so that they do not overlap.
    fn names(&self, html: &mut String, plot: &Plot) {
        if room_for_names(plot) == 0.0 {
            return;
        }
        let end = |line: &Line| line.points.last().map(|point| (self.x.at(point.x), self.y.at(point.y)));
        let mut ends: Vec<_> =
            plot.lines.iter().filter_map(|line| end(line).map(|(x, y)| (x, y, line))).collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut lowest = f64::NEG_INFINITY;
        // Each name moves down as far as the one above it requires, but not below the drawing.
        for (x, y, line) in ends {
            let y = y.max(lowest + NAME_ROOM).min(HEIGHT - BOTTOM);
            lowest = y;
            put!(
                html,
                "<text class=\"end {}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                line.look.class(),
                x + 10.0,
                y + 4.0,
                escape(&line.name)
            );
        }
    }
}

/// The width of the names at the ends of the lines; 0 if they are too long or too many to be shown.
fn room_for_names(plot: &Plot) -> f64 {
    let longest = plot.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    if longest > NAME_LETTERS_MAX || plot.lines.len() > 4 || plot.x.is_none() {
        return 0.0;
    }
    longest as f64 * LETTER + 4.0
}

/// The references to draw, and those that are too far above the points.
fn near_and_far<'a>(plot: &'a Plot) -> (Vec<&'a Reference>, Vec<&'a Reference>) {
    let points = plot.lines.iter().flat_map(|line| line.points.iter());
    let most = points.map(|point| point.high.unwrap_or(point.y)).fold(0.0, f64::max);
    plot.references.iter().partition(|reference| reference.y <= most * REFERENCE_FAR)
}

fn reference_name(plot: &Plot, reference: &Reference) -> String {
    format!("{}, {} {}", reference.label, number(reference.y), plot.y.unit).trim_end().to_owned()
}

fn axis_name(axis: &Axis) -> String {
    match (axis.title.is_empty(), axis.unit.is_empty()) {
        (_, true) => axis.title.clone(),
        (true, false) => axis.unit.clone(),
        (false, false) => format!("{}, {}", axis.title, axis.unit),
    }
}

/// The text that a point shows when the reader points at it.
fn told(plot: &Plot, line: &Line, point: &CurvePoint) -> String {
    let with_unit = |value: f64, axis: &Axis| {
        let value = if axis.scale == Scale::Percentile { format!("{value}") } else { number(value) };
        format!("{value} {}", axis.unit).trim_end().to_owned()
    };
    let across = plot.x.map_or_else(|| clock(point.x.max(0.0) as u64), |axis| with_unit(point.x, axis));
    let spread = match (point.low, point.high) {
        (Some(low), Some(high)) => format!(" ({}–{})", number(low), number(high)),
        _ => String::new(),
    };
    format!("{}, {across}: {}{spread}", line.name, with_unit(point.y, plot.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64) -> CurvePoint {
        CurvePoint { x, y, low: Some(y * 0.9), high: Some(y * 1.1) }
    }

    fn drawn(lines: &[(&str, &[CurvePoint])], references: Vec<Reference>) -> String {
        let (x, y) = (Axis::linear("Rate", "messages/s"), Axis::linear("CPU", "%"));
        let lines = lines.iter().enumerate().map(|(index, (name, points))| Line {
            name: (*name).to_owned(),
            look: LineStyle::of(index),
            points: (*points).into(),
            breaks: Vec::new(),
        });
        let plot = Plot { title: "CPU by rate", x: Some(&x), y: &y, lines: lines.collect(), references };
        let mut html = String::new();
        draw(&mut html, &plot);
        html
    }

    #[test]
    fn a_point_says_its_value_and_spread_when_pointed_at() {
        let html = drawn(&[("forebay", &[point(10_000.0, 20.0), point(40_000.0, 30.0)])], Vec::new());
        assert!(html.contains("<title>forebay, 10,000 messages/s: 20 % (18–22)</title>"));
        assert!(html.contains(">CPU, %<") && html.contains(">Rate, messages/s<"));
        assert!(!html.contains("legend"), "a single line needs none");
    }

    #[test]
    fn several_lines_have_a_legend() {
        let points = [point(1.0, 2.0), point(2.0, 3.0)];
        let html = drawn(&[("a", &points), ("b", &points)], Vec::new());
        assert!(html.contains("class=\"legend\""));
        assert!(html.contains("hue0") && html.contains("hue1"));
    }

    #[test]
    fn a_reference_far_above_is_told_and_does_not_flatten_the_lines() {
        let reference = |y| Reference { label: "the report's".into(), y };
        let html = drawn(&[("a", &[point(1.0, 2.0)])], vec![reference(3.0), reference(1000.0)]);
        assert_eq!(html.matches("class=\"reference\"").count(), 1);
        assert!(html.contains("not drawn: the report&#39;s, 1,000 %"));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(drawn(&[("a", &[])], Vec::new()), "");
    }
}
