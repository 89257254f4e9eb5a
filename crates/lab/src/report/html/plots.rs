//! Plots of several runs in common drawings: their curves, and their figures over time.

use super::line_style::LineStyle;
use super::plot::{Line, Plot, draw};
use crate::report::curve::{Axis, Curve, CurvePoint, Reference};
use crate::report::figure_table::Named;
use crate::report::result::Series;

/// Draws every curve of these runs. Curves of the same drawing share a plot.
pub fn curves(html: &mut String, runs: &[Named]) {
    for Drawing { plot, .. } in drawings(runs) {
        draw(html, &plot);
    }
}

/// The curves of several runs with the same drawing name.
pub struct Drawing<'a> {
    /// The stable name.
    pub drawing: &'a str,
    /// The lines of all runs.
    pub plot: Plot<'a>,
}

/// The curves of these runs, grouped by drawing.
pub fn drawings<'a>(runs: &[Named<'a>]) -> Vec<Drawing<'a>> {
    let mut firsts: Vec<&'a Curve> = Vec::new();
    for curve in runs.iter().flat_map(|named| &named.run.curves) {
        if !firsts.iter().any(|first| share_a_drawing(first, curve)) {
            firsts.push(curve);
        }
    }
    let drawing = |first: &'a Curve| Drawing { drawing: &first.spec.drawing, plot: overlay(first, runs) };
    firsts.into_iter().map(drawing).collect()
}

/// Whether two curves share a drawing: they need the same name, the same units, and the same horizontal scale.
fn share_a_drawing(one: &Curve, other: &Curve) -> bool {
    let (one, other) = (&one.spec, &other.spec);
    one.drawing == other.drawing
        && one.x.unit == other.x.unit
        && one.y.unit == other.y.unit
        && one.x.scale == other.x.scale
}

fn overlay<'a>(first: &'a Curve, runs: &[Named<'a>]) -> Plot<'a> {
    let mut lines = Vec::new();
    let mut references: Vec<Reference> = Vec::new();
    for (number, named) in runs.iter().enumerate() {
        let Some(curve) = named.run.curves.iter().find(|curve| share_a_drawing(first, curve)) else {
            continue;
        };
        for reference in &curve.spec.references {
            if !references.contains(reference) {
                references.push(reference.clone());
            }
        }
        let names: Vec<&str> = curve.lines.iter().map(|line| line.name.as_str()).collect();
        for (line, (name, look)) in curve.lines.iter().zip(names_and_looks(named, number, &names, runs.len()))
        {
            lines.push(Line { name, look, points: line.points.as_slice().into(), breaks: Vec::new() });
        }
    }
    Plot { title: &first.spec.title, x: Some(&first.spec.x), y: &first.spec.y, lines, references }
}

/// The names and styles of one run's lines in a drawing: a colour for each storage, and dashes for its parts.
fn names_and_looks(named: &Named, number: usize, lines: &[&str], runs: usize) -> Vec<(String, LineStyle)> {
    let owner = |line: &str| named.storage_of(line).map(|storage| storage.number);
    let alone = runs == 1 && named.storages.len() == 1;
    let look_and_name = |(index, line): (usize, &&str)| {
        let Some(storage) = named.storage_of(line) else {
            let name = if runs == 1 { (*line).to_owned() } else { format!("{} · {line}", named.name) };
            return (name, LineStyle::of_part(number, index, lines.len()));
        };
        let own = |lines: &[&str]| lines.iter().filter(|line| owner(line) == Some(storage.number)).count();
        let (parts, part) = (own(lines), own(lines.get(..index).unwrap_or_default()));
        let name = match line.strip_prefix(storage.storage) {
            _ if runs == 1 => (*line).to_owned(),
            _ if parts == 1 => storage.name.clone(),
            Some(rest) => format!("{}{rest}", storage.name),
            None => format!("{} · {line}", storage.name),
        };
        (name, if alone { LineStyle::of(part) } else { LineStyle::of_part(storage.number, part, parts) })
    };
    lines.iter().enumerate().map(look_and_name).collect()
}

/// Draws the figures over time of several runs. Figures with the same name share a plot.
pub fn series(html: &mut String, runs: &[Named]) {
    let mut drawn: Vec<(&str, &str)> = Vec::new();
    for series in runs.iter().flat_map(|named| &named.run.series) {
        let key = (drawing_name(series), series.unit.as_str());
        if drawn.contains(&key) {
            continue;
        }
        drawn.push(key);
        let y = Axis::linear("", key.1);
        let lines = lines_over_time(key, runs);
        draw(html, &Plot { title: key.0, x: None, y: &y, lines, references: Vec::new() });
    }
}

fn lines_over_time<'a>((drawing, unit): (&str, &str), runs: &[Named]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (number, named) in runs.iter().enumerate() {
        let belongs = |series: &&Series| drawing_name(series) == drawing && series.unit == unit;
        // Two points or fewer do not make a useful line.
        let parts: Vec<&Series> =
            named.run.series.iter().filter(belongs).filter(|series| series.points.len() > 2).collect();
        let names: Vec<&str> = parts.iter().map(|series| series.title.as_str()).collect();
        for (series, (name, look)) in parts.iter().zip(names_and_looks(named, number, &names, runs.len())) {
            let points = series.points.iter();
            let points =
                points.map(|(ms, value)| CurvePoint { x: *ms as f64, y: *value, low: None, high: None });
            let mut breaks = Vec::new();
            for stretch in series.stretches() {
                breaks.push(breaks.last().copied().unwrap_or_default() + stretch.len());
            }
            lines.push(Line { name, look, points: points.collect::<Vec<_>>().into(), breaks });
        }
    }
    lines
}

fn drawing_name(series: &Series) -> &str {
    if series.drawing.is_empty() { &series.title } else { &series.drawing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::figure_table::named;
    use crate::report::{CurveSpec, Recorder, RunResult};

    fn run(storage: &str, unit: &str, lines: &[&str]) -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.curve(CurveSpec {
            drawing: "latency".into(),
            title: "Latency by percentile".into(),
            x: Axis::percentile(),
            y: Axis::log("Latency", unit),
            references: vec![Reference { label: "limit".into(), y: 20.0 }],
        });
        for line in lines {
            recorder.curve_point("latency", line, 50.0, 2.0);
            recorder.curve_point("latency", line, 99.9, 30.0);
        }
        recorder.finish("throughput", storage, "laptop", "")
    }

    #[test]
    fn storages_are_lines_of_one_drawing() {
        let (first, second) = (run("forebay", "ms", &["forebay"]), run("local", "ms", &["local"]));
        let mut html = String::new();
        curves(&mut html, &named(&[&first, &second]));
        assert_eq!(html.matches("<figure").count(), 1);
        assert!(html.contains("forebay, 99.9 %: 30 ms") && html.contains("local, 50 %: 2 ms"));
        assert_eq!(
            html.matches("class=\"reference\"").count(),
            1,
            "a reference that both name is drawn once"
        );
    }

    #[test]
    fn parts_of_several_storages_say_whose_they_are() {
        let (first, second) =
            (run("forebay", "ms", &["sync", "async"]), run("local", "ms", &["sync", "async"]));
        let mut html = String::new();
        curves(&mut html, &named(&[&first, &second]));
        for name in ["forebay · sync", "forebay · async", "local · sync", "local · async"] {
            assert!(html.contains(name), "{name}");
        }
    }

    #[test]
    fn other_units_are_another_drawing() {
        let (first, second) = (run("forebay", "ms", &["p"]), run("local", "s", &["p"]));
        let mut html = String::new();
        curves(&mut html, &named(&[&first, &second]));
        assert_eq!(html.matches("<figure").count(), 2);
    }
}
