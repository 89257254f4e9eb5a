//! Compares any runs: for each experiment the verdicts, figures with ratios, curves and series in common drawings, and the technical
//! reports' ratios.

use std::fmt::Write;

use super::figures::ratio_text;
use super::line_style::{LineStyle, legend};
use super::text::{duration, escape};
use super::{figures, parts, plots, put, ratios};
use crate::report::figure_table::{FigureTable, Named};
use crate::report::group::Group;
use crate::report::reference::{self, Reported};

const QUESTION: &str = "The same experiments on several storages: which pass, how fast each storage is, at what cost, and how this \
                        compares with the technical reports.";

/// Explains how far the reports' figures can be compared with these.
const HONESTY: &str = "The report (TR-4947, Apache Kafka with NFS storage) used machines of another size, so its MB/s, minutes and \
                       percentages cannot be compared with these runs. Ratios can: of two storages on the same machines, or of two \
                       loads on one storage. The table shows ratios of two of the report's figures, and the same ratios of these runs.";

/// The whole page.
pub fn compare(groups: &[Group]) -> String {
    let runs: usize = groups.iter().map(|group| group.runs.len()).sum();
    let about = [
        ("experiments", groups.len().to_string()),
        ("runs", runs.to_string()),
        ("profiles", profiles(groups)),
    ];
    let mut html = String::new();
    parts::head(&mut html, "Storages side by side", QUESTION, &about);
    overview(&mut html, groups);
    for group in groups {
        section(&mut html, group);
    }
    parts::foot(&mut html);
    html
}

fn profiles(groups: &[Group]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for named in groups.iter().flat_map(|group| &group.runs) {
        if !names.contains(&named.run.profile.as_str()) {
            names.push(&named.run.profile);
        }
    }
    names.join(", ")
}

fn overview(html: &mut String, groups: &[Group]) {
    html.push_str(
        "<section><h2>Verdicts</h2><div class=\"wide\"><table class=\"checks\"><thead><tr><th>Experiment</th><th>Storage</th>\
         <th>Verdict</th><th>Checks</th><th>Duration</th></tr></thead><tbody>",
    );
    for group in groups {
        for (index, Named { name, run, .. }) in group.runs.iter().enumerate() {
            html.push_str("<tr>");
            if index == 0 {
                put!(
                    html,
                    "<th scope=\"rowgroup\" rowspan=\"{}\"><a href=\"#{}\">{}</a></th>",
                    group.runs.len(),
                    anchor(group),
                    escape(group.title())
                );
            }
            let word = run.verdict.word();
            let class = parts::class_of(run.verdict);
            let held = run.checks.iter().filter(|check| check.passed).count();
            put!(
                html,
                "<td><code>{}</code></td><td class=\"{class}\">{}<b>{word}</b></td><td>{held} of {}</td><td>{}</td></tr>",
                escape(name),
                parts::sign_of(run.verdict),
                run.checks.len(),
                duration(run.duration_ms)
            );
        }
    }
    html.push_str("</tbody></table></div></section>\n");
}

/// The anchor of an experiment's section. The name may come from a file, so it must be safe in an attribute.
fn anchor(group: &Group) -> String {
    let safe = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    group.experiment.chars().map(safe).collect()
}

fn section(html: &mut String, group: &Group) {
    put!(
        html,
        "<section class=\"experiment\" id=\"{}\"><h2>{} <small><code>{}</code></small></h2><p class=\"question\">{}</p>",
        anchor(group),
        escape(group.title()),
        escape(group.experiment),
        escape(group.subject.map_or("", |subject| subject.question))
    );
    parts::cards(html, &group.runs);
    let sheet = FigureTable::of(&group.runs);
    if !sheet.rows.is_empty() {
        html.push_str("<h3>Figures</h3>");
        figures::draw(html, &sheet);
    }
    let mut drawn = String::new();
    plots::curves(&mut drawn, &group.runs);
    ratios::draw_all(&mut drawn, group.experiment, &group.runs);
    plots::series(&mut drawn, &group.runs);
    if !drawn.is_empty() {
        put!(html, "<h3>Plots</h3><div class=\"plots\">{drawn}</div>");
    }
    reported(html, group, &sheet);
    conditions(html, group);
    html.push_str("</section>\n");
}

/// Draws the reports' ratios next to those of the runs. Draws nothing if the runs have none of them.
fn reported(html: &mut String, group: &Group, sheet: &FigureTable) {
    let rows: Vec<_> =
        reference::of(group.experiment).map(|reported| (reported, reported.here.find(sheet))).collect();
    if rows.iter().all(|(_, here)| here.is_empty()) {
        return;
    }
    put!(html, "<h3>Comparison with the reports</h3><p class=\"note\">{HONESTY}</p>");
    let looks =
        sheet.columns.iter().enumerate().map(|(index, column)| (column.as_str(), LineStyle::of(index)));
    legend(html, looks);
    html.push_str(
        "<div class=\"wide\"><table class=\"sheet\"><thead><tr><th>Ratio</th><th class=\"number\">Report</th>\
         <th class=\"number\">These runs</th><th></th></tr></thead><tbody>",
    );
    for (reported, here) in rows {
        put!(
            html,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"number\"><b>{}</b></td><td class=\"number\">",
            escape(reported.what),
            escape(reported.source),
            ratio_text(reported.value)
        );
        if here.is_empty() {
            html.push_str("<span class=\"muted\">not measured</span>");
        }
        for (column, ratio) in &here {
            put!(html, "<b>{}</b><small>{}</small>", ratio_text(*ratio), escape(column));
        }
        put!(html, "</td><td>{}</td></tr>", beside(reported, &here, sheet));
    }
    html.push_str("</tbody></table></div>\n");
}

/// Draws the report's ratio as a line and those of the runs as points, on a scale that begins at zero.
fn beside(reported: &Reported, here: &[(String, f64)], sheet: &FigureTable) -> String {
    let largest = here.iter().map(|(_, ratio)| *ratio).fold(reported.value, f64::max) * 1.08;
    let at = |ratio: f64| 6.0 + (ratio / largest).clamp(0.0, 1.0) * 208.0;
    let mut svg = String::new();
    put!(
        svg,
        "<svg class=\"beside\" viewBox=\"0 0 220 24\" role=\"img\" aria-label=\"The report's ratio and those of these runs\">\
         <path class=\"rail\" d=\"M6 12h208\"/><path class=\"theirs\" d=\"M{:.1} 2v20\"><title>the report: {}</title></path>",
        at(reported.value),
        ratio_text(reported.value)
    );
    for (column, ratio) in here {
        let look = LineStyle::of(sheet.columns.iter().position(|known| known == column).unwrap_or_default());
        put!(
            svg,
            "<g class=\"{}\"><title>{}: {}</title>{}</g>",
            look.class(),
            escape(column),
            ratio_text(*ratio),
            look.point(at(*ratio), 12.0)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Draws the settings in which the runs differ, the checks, the versions and the method.
fn conditions(html: &mut String, group: &Group) {
    let mut different = String::new();
    if group.runs.len() > 1 && parts::different_settings(&mut different, &group.runs) {
        put!(
            html,
            "<h3>Settings that differ</h3><p class=\"note\">Different sizes can cause different figures on the same storage.</p>{different}"
        );
    }
    html.push_str("<details><summary>Checks</summary>");
    parts::checks(html, &group.runs);
    html.push_str("</details><details><summary>Versions</summary>");
    parts::versions(html, &group.runs);
    html.push_str("</details>");
    if let Some(subject) = group.subject {
        put!(
            html,
            "<details><summary>Method</summary><p class=\"method\">{}</p></details>",
            escape(subject.method)
        );
    }
}
