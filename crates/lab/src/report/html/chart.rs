//! The run over time: figures as areas, and below them, on the same axis, who was there and what happened.

use std::fmt::Write;

use super::put;
use super::text::{clock, escape, number};
use crate::report::{Lane, RunResult, Series, Span, Tone};

const WIDTH: f64 = 1000.0;
/// Room for names on the left.
const LEFT: f64 = 96.0;
const RIGHT: f64 = 14.0;
const AREA_HEIGHT: f64 = 96.0;
const AREA_GAP: f64 = 38.0;
const LANE_HEIGHT: f64 = 22.0;
const LANE_GAP: f64 = 8.0;
const AXIS_HEIGHT: f64 = 24.0;
/// Width of a letter in the drawing's type, a little generous.
const LETTER: f64 = 6.7;

/// Draws the run's series and lanes, if it has any.
pub fn draw(html: &mut String, run: &RunResult) {
    let drawings = drawings(&run.series);
    if run.lanes.is_empty() && drawings.is_empty() {
        return;
    }
    let axis = Axis { end_ms: run.duration_ms.max(1) };
    let areas = drawings.len() as f64 * (AREA_HEIGHT + AREA_GAP);
    let lanes = run.lanes.len() as f64 * (LANE_HEIGHT + LANE_GAP);
    let height = areas + lanes + AXIS_HEIGHT;
    put!(
        html,
        "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"The run over time\">"
    );
    ticks(html, &axis, areas + lanes);
    for (index, series) in drawings.iter().enumerate() {
        area(html, &axis, series, index as f64 * (AREA_HEIGHT + AREA_GAP));
    }
    for (index, lane) in run.lanes.iter().enumerate() {
        draw_lane(html, &axis, lane, areas + index as f64 * (LANE_HEIGHT + LANE_GAP));
    }
    html.push_str("</svg></div>");
}

struct Axis {
    end_ms: u64,
}

impl Axis {
    fn x(&self, ms: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (ms.min(self.end_ms) as f64 / self.end_ms as f64)
    }

    /// Milliseconds between marks, so that there are at most a dozen.
    fn step_ms(&self) -> u64 {
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800]
            .map(|seconds| seconds * 1000)
            .into_iter()
            .find(|step| self.end_ms / step <= 12)
            .unwrap_or(3_600_000)
    }
}

fn ticks(html: &mut String, axis: &Axis, bottom: f64) {
    let step = axis.step_ms();
    for index in 0..=axis.end_ms / step {
        let x = axis.x(index * step);
        put!(
            html,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom:.1}\"/>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            clock(index * step)
        );
    }
}

/// The series of each drawing, in the order of their first points.
fn drawings(all: &[Series]) -> Vec<Vec<&Series>> {
    let mut drawings: Vec<Vec<&Series>> = Vec::new();
    // Fewer points make no line.
    for series in all.iter().filter(|series| series.points.len() > 2) {
        let shared = |other: &&Series| !series.drawing.is_empty() && other.drawing == series.drawing;
        match drawings.iter_mut().find(|drawing| drawing.first().is_some_and(shared)) {
            Some(drawing) => drawing.push(series),
            None => drawings.push(vec![series]),
        }
    }
    drawings
}

/// Draws series over each other, on one scale: the first as an area, the others as lines.
fn area(html: &mut String, axis: &Axis, drawing: &[&Series], top: f64) {
    let Some(first) = drawing.first() else { return };
    let values = drawing.iter().flat_map(|series| &series.points).map(|(_, value)| *value);
    let ceiling = nice_ceiling(values.fold(0.0, f64::max));
    let base = top + AREA_HEIGHT + 22.0;
    let y = |value: f64| base - AREA_HEIGHT * (value.max(0.0) / ceiling);
    names(html, drawing, top + 12.0);
    for part in [0.0, 0.5, 1.0] {
        let at = y(ceiling * part);
        put!(
            html,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} {}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            number(ceiling * part),
            escape(&first.unit)
        );
    }
    for (index, series) in drawing.iter().enumerate() {
        let points = series.points.iter().map(|(ms, value)| format!("{:.1},{:.1}", axis.x(*ms), y(*value)));
        let line = points.collect::<Vec<_>>().join(" ");
        let (Some(from), Some(to)) = (series.points.first(), series.points.last()) else { continue };
        if index == 0 {
            let (from, to) = (axis.x(from.0), axis.x(to.0));
            put!(html, "<polygon class=\"area\" points=\"{from:.1},{base:.1} {line} {to:.1},{base:.1}\"/>");
        }
        put!(html, "<polyline class=\"{}\" points=\"{line}\"/>", line_class(index));
    }
}

/// What is drawn, with the line of each series beside its name if there are several.
fn names(html: &mut String, drawing: &[&Series], y: f64) {
    let mut x = LEFT;
    if let Some(first) = drawing.first().filter(|first| !first.drawing.is_empty()) {
        put!(html, "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(&first.drawing));
        x += first.drawing.chars().count() as f64 * LETTER + 24.0;
    }
    for (index, series) in drawing.iter().enumerate() {
        if drawing.len() > 1 {
            let class = line_class(index);
            put!(html, "<path class=\"{class}\" d=\"M{x:.1} {:.1}h16\"/>", y - 4.0);
            x += 22.0;
        }
        put!(html, "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(&series.title));
        x += series.title.chars().count() as f64 * LETTER + 24.0;
    }
}

fn line_class(index: usize) -> &'static str {
    if index == 0 { "line" } else { "line second" }
}

/// The next of 1, 2, 4, 5 or 10 times a power of ten.
fn nice_ceiling(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 10.0]
        .into_iter()
        .map(|part| part * power)
        .find(|ceiling| *ceiling >= value)
        .unwrap_or(value)
}

fn draw_lane(html: &mut String, axis: &Axis, lane: &Lane, top: f64) {
    put!(
        html,
        "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        LEFT - 8.0,
        top + 15.0,
        escape(&lane.name)
    );
    for span in &lane.spans {
        draw_span(html, axis, span, top);
    }
    if let Some(last) = lane.spans.last().filter(|span| span.tone == Tone::Bad) {
        let (x, y) = (axis.x(last.to_ms.unwrap_or(axis.end_ms)) + 4.0, top + LANE_HEIGHT / 2.0 - 4.0);
        put!(html, "<path class=\"cross\" d=\"M{x:.1} {y:.1}l8 8m0 -8l-8 8\"/>");
    }
}

fn draw_span(html: &mut String, axis: &Axis, span: &Span, top: f64) {
    let end_ms = span.to_ms.unwrap_or(axis.end_ms);
    let (from, to) = (axis.x(span.from_ms), axis.x(end_ms));
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

    #[test]
    fn an_axis_never_has_more_than_a_dozen_marks() {
        for seconds in [1, 13, 61, 700, 7_000, 30_000] {
            let axis = Axis { end_ms: seconds * 1000 };
            assert!(axis.end_ms / axis.step_ms() <= 12, "{seconds} s");
        }
    }

    #[test]
    fn a_scale_ends_at_or_above_the_largest_value() {
        for (value, ceiling) in
            [(0.0, 1.0), (0.7, 1.0), (23_400.0, 40_000.0), (40_000.0, 40_000.0), (51.0, 100.0)]
        {
            assert!((nice_ceiling(value) - ceiling).abs() < 1e-6, "{value}");
        }
    }
}
