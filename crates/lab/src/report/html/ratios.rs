//! Plots of the ratio of shared storages to local disks, with the technical reports' ratios as reference lines.

use super::line_style::LineStyle;
use super::plot::{Line, Plot, draw};
use super::plots;
use crate::report::curve::{Axis, CurvePoint, Reference};
use crate::report::figure_table::Named;
use crate::report::reference::{self, Here, Reported, is_local};

/// Draws the ratios of those of an experiment's curves for which the reports give ratios.
pub fn draw_all(html: &mut String, experiment: &str, runs: &[Named]) {
    for curve in plots::drawings(runs) {
        let reported: Vec<_> =
            reference::of(experiment).filter(|reported| reported.drawing == Some(curve.drawing)).collect();
        let Some(first) = reported.first() else { continue };
        let Some(local) = curve.plot.lines.iter().find(|line| is_local(&line.name)) else { continue };
        let upside_down = matches!(first.here, Here::LocalByShared(_));
        let shared = curve.plot.lines.iter().filter(|line| !is_local(&line.name));
        let lines: Vec<_> = shared.filter_map(|line| over(line, local, upside_down)).collect();
        let Some(only) = lines.first() else { continue };
        let what = match lines.len() {
            1 => only.name.clone(),
            _ if upside_down => "local ÷ shared".to_owned(),
            _ => "shared ÷ local".to_owned(),
        };
        let title = format!("{}: {what}", curve.plot.title);
        let y = Axis::linear("Ratio", "");
        draw(html, &Plot { title: &title, x: curve.plot.x, y: &y, lines, references: lines_of(&reported) });
    }
}

fn lines_of(reported: &[&Reported]) -> Vec<Reference> {
    let end = |here: &Here| match here {
        Here::SharedByLocal(reference::Pick::Highest(_))
        | Here::LocalByShared(reference::Pick::Highest(_)) => "report, highest load",
        _ => "report, lowest load",
    };
    reported
        .iter()
        .map(|reported| Reference { label: end(&reported.here).to_owned(), y: reported.value })
        .collect()
}

/// The ratio of two lines at each `x` where both have a point; `None` if there is no such `x`.
fn over<'a>(shared: &Line, local: &Line, upside_down: bool) -> Option<Line<'a>> {
    let mut points = Vec::new();
    for point in shared.points.iter() {
        let Some(other) = local.points.iter().find(|other| other.x == point.x) else { continue };
        let ratio = if upside_down { other.y / point.y } else { point.y / other.y };
        if ratio.is_finite() {
            points.push(CurvePoint { x: point.x, y: ratio, low: None, high: None });
        }
    }
    let name = if upside_down {
        format!("{} ÷ {}", local.name, shared.name)
    } else {
        format!("{} ÷ {}", shared.name, local.name)
    };
    let look: LineStyle = shared.look;
    (!points.is_empty()).then_some(Line { name, look, points: points.into(), breaks: Vec::new() })
}
