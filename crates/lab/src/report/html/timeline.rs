//! The timeline of a run: its figures over time and, below them on the same axis, a lane for the stages and for each process.

use std::fmt::Write;

use super::axis_scale::{AxisScale, Kind};
use super::line_style::LineStyle;
use super::put;
use super::text::{clock, escape, number};
use crate::progress::Tone;
use crate::report::curve::Scale;
use crate::report::result::{Lane, RunResult, Series, Span};

const WIDTH: f64 = 1000.0;
/// Minimum width of the names on the left.
const LEFT_MIN: f64 = 96.0;
const RIGHT: f64 = 14.0;
const AREA_HEIGHT: f64 = 96.0;
const AREA_GAP: f64 = 22.0;
/// Height of a row of names above an area.
const NAMES_HEIGHT: f64 = 18.0;
const LANE_HEIGHT: f64 = 22.0;
const LANE_GAP: f64 = 8.0;
const AXIS_HEIGHT: f64 = 24.0;
/// Width of a letter in the drawing's font, rounded up.
const LETTER: f64 = 6.7;
/// Maximum number of letters of a lane's name.
const LANE_LETTERS_MAX: usize = 24;

/// Draws the run's series and lanes, if it has any.
pub fn draw(html: &mut String, run: &RunResult) {
    let left = room_for_names(&run.lanes);
    let areas: Vec<Area> = drawings(&run.series).into_iter().map(|series| Area::of(series, left)).collect();
    if run.lanes.is_empty() && areas.is_empty() {
        return;
    }
    let end_ms = run.duration_ms.max(1) as f64;
    let x = AxisScale::fitting(Kind::Time, [0.0, end_ms].into_iter(), left, WIDTH - RIGHT);
    let above: f64 = areas.iter().map(Area::height).sum();
    let lanes = run.lanes.len() as f64 * (LANE_HEIGHT + LANE_GAP);
    put!(
        html,
        "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" \
         aria-label=\"The run over time\">",
        above + lanes + AXIS_HEIGHT
    );
    for (at, word) in x.marks() {
        put!(
            html,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{:.1}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{word}</text>",
            above + lanes,
            above + lanes + 16.0
        );
    }
    let mut top = 0.0;
    for area in &areas {
        area.draw(html, &x, top);
        top += area.height();
    }
    for (index, lane) in run.lanes.iter().enumerate() {
        let top = above + index as f64 * (LANE_HEIGHT + LANE_GAP);
        draw_lane_name(html, &lane.name, left, top);
        draw_lane(html, &x, lane, run.duration_ms, top);
    }
    html.push_str("</svg></div>");
}

/// The left edge of the drawing. The names of the lanes are to its left.
fn room_for_names(lanes: &[Lane]) -> f64 {
    let longest = lanes.iter().map(|lane| lane.name.chars().count()).max().unwrap_or_default();
    (longest.min(LANE_LETTERS_MAX) as f64 * LETTER + 14.0).max(LEFT_MIN)
}

/// The series of each drawing, in the order of their first points.
fn drawings(all: &[Series]) -> Vec<Vec<&Series>> {
    let mut drawings: Vec<Vec<&Series>> = Vec::new();
    // Two points or fewer do not make a useful line.
    for series in all.iter().filter(|series| series.points.len() > 2) {
        let shared = |other: &&Series| {
            !series.drawing.is_empty() && other.drawing == series.drawing && other.unit == series.unit
        };
        match drawings.iter_mut().find(|drawing| drawing.first().is_some_and(shared)) {
            Some(drawing) => drawing.push(series),
            None => drawings.push(vec![series]),
        }
    }
    drawings
}

/// A drawing of one or more series on one scale. The area below a single series is filled.
struct Area<'a> {
    left: f64,
    series: Vec<&'a Series>,
    names: Names<'a>,
}

/// The positions of the names above an area: the row and the horizontal position of each.
struct Names<'a> {
    left: f64,
    title: &'a str,
    placed: Vec<(usize, f64)>,
    rows: usize,
}

impl<'a> Area<'a> {
    fn of(series: Vec<&'a Series>, left: f64) -> Self {
        let names = Names::of(&series, left);
        Self { left, series, names }
    }

    fn height(&self) -> f64 {
        self.names.rows as f64 * NAMES_HEIGHT + AREA_HEIGHT + AREA_GAP
    }

    fn draw(&self, html: &mut String, x: &AxisScale, top: f64) {
        let ceiling = top + self.names.rows as f64 * NAMES_HEIGHT + 4.0;
        let base = ceiling + AREA_HEIGHT;
        let values = self.series.iter().flat_map(|series| &series.points).map(|(_, value)| *value);
        let y = AxisScale::from_zero(Kind::Of(Scale::Linear), values, base, ceiling);
        self.names.draw(html, &self.series, top + 12.0);
        let unit = self.series.first().map_or("", |first| first.unit.as_str());
        for (at, word) in y.marks() {
            put!(
                html,
                "<line class=\"grid\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{word} {}</text>",
                self.left,
                WIDTH - RIGHT,
                self.left - 8.0,
                at + 4.0,
                escape(unit)
            );
        }
        for (index, series) in self.series.iter().enumerate() {
            let look = LineStyle::of(index);
            put!(html, "<g class=\"{}\"><title>{}</title>", look.class(), escape(&told(series)));
            for stretch in series.stretches() {
                draw_stretch(html, stretch, look, (x, &y), (self.series.len() == 1).then_some(base));
            }
            html.push_str("</g>");
        }
    }
}

/// Draws a line without gaps, and fills the area between it and `base`, if given.
fn draw_stretch(
    html: &mut String,
    stretch: &[(u64, f64)],
    look: LineStyle,
    (x, y): (&AxisScale, &AxisScale),
    base: Option<f64>,
) {
    let points = stretch.iter().map(|(ms, value)| format!("{:.1},{:.1}", x.at(*ms as f64), y.at(*value)));
    let line = points.collect::<Vec<_>>().join(" ");
    if let (Some(base), Some(from), Some(to)) = (base, stretch.first(), stretch.last()) {
        let (from, to) = (x.at(from.0 as f64), x.at(to.0 as f64));
        put!(html, "<polygon class=\"area\" points=\"{from:.1},{base:.1} {line} {to:.1},{base:.1}\"/>");
    }
    put!(html, "<polyline class=\"line\"{} points=\"{line}\"/>", look.dash());
}

/// The text that a series shows when the reader points at it.
fn told(series: &Series) -> String {
    let values = || series.points.iter().map(|(_, value)| *value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    format!("{}: {} to {} {}", series.title, number(least), number(most), series.unit)
}

impl<'a> Names<'a> {
    fn of(series: &[&'a Series], left: f64) -> Self {
        let title = series.first().map_or("", |first| first.drawing.as_str());
        let (mut row, mut x) = (0, left);
        if !title.is_empty() {
            x += title.chars().count() as f64 * LETTER + 24.0;
        }
        let mut placed = Vec::new();
        for series in series {
            let width = 36.0 + series.title.chars().count() as f64 * LETTER + 18.0;
            if x + width > WIDTH - RIGHT && x > left {
                (row, x) = (row + 1, left);
            }
            placed.push((row, x));
            x += width;
        }
        Self { left, title, placed, rows: row + 1 }
    }

    fn draw(&self, html: &mut String, series: &[&Series], top: f64) {
        if !self.title.is_empty() {
            let (x, title) = (self.left, escape(self.title));
            put!(html, "<text class=\"name\" x=\"{x:.1}\" y=\"{top:.1}\">{title}</text>");
        }
        for (index, (one, (row, x))) in series.iter().zip(&self.placed).enumerate() {
            let y = top + *row as f64 * NAMES_HEIGHT;
            let (look, mut x) = (LineStyle::of(index), *x);
            if series.len() > 1 {
                put!(
                    html,
                    "<g class=\"{}\"><path class=\"line\"{} d=\"M{x:.1} {:.1}h26\"/></g>",
                    look.class(),
                    look.dash(),
                    y - 4.0
                );
                x += 32.0;
            }
            put!(html, "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(&one.title));
        }
    }
}

fn draw_lane_name(html: &mut String, name: &str, left: f64, top: f64) {
    put!(
        html,
        "<g><title>{}</title><text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text></g>",
        escape(name),
        left - 8.0,
        top + 15.0,
        escape(&shortened(name))
    );
}

fn draw_lane(html: &mut String, x: &AxisScale, lane: &Lane, end_ms: u64, top: f64) {
    for span in &lane.spans {
        draw_span(html, x, span, end_ms, top);
    }
    if let Some(last) = lane.spans.last().filter(|span| span.tone == Tone::Bad) {
        let (x, y) = (x.at(last.to_ms.unwrap_or(end_ms) as f64) + 4.0, top + LANE_HEIGHT / 2.0 - 4.0);
        // At the very end of the run there is no space to the right of the span.
        let x = x.min(WIDTH - 10.0);
        put!(html, "<path class=\"cross\" d=\"M{x:.1} {y:.1}l8 8m0 -8l-8 8\"/>");
    }
}

/// Shortens a name that is too long. Keeps its end, which distinguishes the brokers of one storage.
fn shortened(name: &str) -> String {
    let letters = name.chars().count();
    if letters <= LANE_LETTERS_MAX {
        return name.to_owned();
    }
    ['…'].into_iter().chain(name.chars().skip(letters - LANE_LETTERS_MAX + 1)).collect()
}

fn draw_span(html: &mut String, x: &AxisScale, span: &Span, run_end_ms: u64, top: f64) {
    let end_ms = span.to_ms.unwrap_or(run_end_ms);
    let (from, to) = (x.at(span.from_ms as f64), x.at(end_ms as f64));
    let width = (to - from - 1.5).max(1.5);
    let class = match span.tone {
        Tone::Plain => "plain",
        Tone::Stage => "stage",
        Tone::Good => "good",
        Tone::Bad => "bad",
    };
    put!(
        html,
        "<g class=\"span {class}\"><title>{label}, {} to {}</title>\
         <rect x=\"{from:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LANE_HEIGHT}\" rx=\"3\"/>",
        clock(span.from_ms),
        clock(end_ms),
        label = escape(&span.label),
    );
    if span.label.chars().count() as f64 * LETTER + 10.0 <= width {
        put!(html, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", from + 6.0, top + 15.0, escape(&span.label));
    }
    html.push_str("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(drawing: &str, title: &str) -> Series {
        let points = vec![(0, 1.0), (1000, 2.0), (2000, 3.0)];
        Series { title: title.into(), drawing: drawing.into(), unit: "MB".into(), points }
    }

    #[test]
    fn names_that_have_no_room_in_one_row_take_another() {
        let all: Vec<Series> =
            (0..9).map(|index| series("Memory", &format!("a rather long name, number {index}"))).collect();
        let area = Area::of(all.iter().collect(), LEFT_MIN);
        assert!(area.names.rows > 1);
        let mut html = String::new();
        let x = AxisScale::fitting(Kind::Time, [0.0, 2000.0].into_iter(), LEFT_MIN, WIDTH - RIGHT);
        area.draw(&mut html, &x, 0.0);
        assert!(html.contains("number 8"));
    }

    #[test]
    fn brokers_of_a_storage_with_a_long_name_are_told_apart() {
        let names = [1, 2].map(|broker| shortened(&format!("mount:/a/rather/long/folder broker {broker}")));
        assert!(names.iter().all(|name| name.starts_with('…') && name.chars().count() == LANE_LETTERS_MAX));
        assert_ne!(names[0], names[1]);
        assert_eq!(shortened("forebay broker 1"), "forebay broker 1");
    }

    #[test]
    fn series_of_one_drawing_share_a_scale_and_others_do_not() {
        let all = [series("Memory", "server"), series("", "client"), series("Memory", "cache")];
        let drawings = drawings(&all);
        assert_eq!(drawings.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }
}
