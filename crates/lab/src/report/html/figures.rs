//! The table of figures and measurements: the median, the smallest and the largest value, the number of repetitions, and ratios.

use std::fmt::Write;

use super::put;
use super::text::{escape, number};
use crate::report::figure_table::{Cell, FigureTable, Row};
use crate::report::result::Better;

/// Draws the table, if it has rows.
pub fn draw(html: &mut String, sheet: &FigureTable) {
    if sheet.rows.is_empty() {
        return;
    }
    let aims = sheet.rows.iter().any(|row| row.target.is_some());
    html.push_str("<div class=\"wide\"><table class=\"sheet\"><thead><tr><th>Figure</th><th>Unit</th>");
    for (index, column) in sheet.columns.iter().enumerate() {
        put!(html, "<th class=\"number\">{}</th>", escape(column));
        if let Some(first) = sheet.columns.first().filter(|_| index > 0) {
            put!(html, "<th class=\"number ratio\">{} ÷ {}</th>", escape(first), escape(column));
        }
    }
    html.push_str(if aims { "<th>Target</th></tr></thead><tbody>" } else { "</tr></thead><tbody>" });
    for row in &sheet.rows {
        draw_row(html, row, aims);
    }
    html.push_str("</tbody></table></div>\n");
    if sheet.rows.iter().flat_map(|row| row.cells.iter().flatten()).any(|cell| cell.count > 1) {
        html.push_str(
            "<p class=\"note\">A value is the median of its repetitions. Below it are the smallest and the largest value, and the number \
             of repetitions. The strip shows the same on a scale from zero to the largest value of the row. A value without them was \
             measured once. A ratio is coloured if the ranges of the two storages do not overlap.</p>\n",
        );
    }
}

fn draw_row(html: &mut String, row: &Row, aims: bool) {
    let note = match row.better {
        Some(Better::Higher) => " <small>more is better</small>",
        Some(Better::Lower) => " <small>less is better</small>",
        None => "",
    };
    put!(
        html,
        "<tr><th scope=\"row\">{}{note}</th><td class=\"unit\">{}</td>",
        escape(&row.title),
        escape(&row.unit)
    );
    let largest = row.cells.iter().flatten().map(|cell| cell.high).fold(0.0, f64::max);
    for (column, cell) in row.cells.iter().enumerate() {
        match cell {
            Some(cell) => draw_cell(html, cell, largest),
            None => html.push_str("<td class=\"number muted\">not measured</td>"),
        }
        if column > 0 {
            draw_ratio(html, row, column);
        }
    }
    if aims {
        draw_target(html, row);
    }
    html.push_str("</tr>");
}

fn draw_cell(html: &mut String, cell: &Cell, largest: f64) {
    put!(html, "<td class=\"number\"><b>{}</b>", number(cell.median));
    if cell.count > 1 {
        put!(
            html,
            "<small>{}–{} of {}</small>{}",
            number(cell.low),
            number(cell.high),
            cell.count,
            strip(cell, largest)
        );
    }
    html.push_str("</td>");
}

/// Draws a line from the smallest to the largest value and a mark at the median, on a scale from zero to the row's largest value.
fn strip(cell: &Cell, largest: f64) -> String {
    let at = |value: f64| {
        let share = value / largest;
        if share.is_finite() { 1.0 + share.clamp(0.0, 1.0) * 98.0 } else { 1.0 }
    };
    format!(
        "<svg class=\"strip\" viewBox=\"0 0 100 8\" aria-hidden=\"true\"><path class=\"rail\" d=\"M0 4h100\"/>\
         <path class=\"range\" d=\"M{:.1} 4H{:.1}\"/><path class=\"median\" d=\"M{:.1} 0v8\"/></svg>",
        at(cell.low),
        at(cell.high).max(at(cell.low) + 0.5),
        at(cell.median)
    )
}

fn draw_ratio(html: &mut String, row: &Row, column: usize) {
    let Some(ratio) = row.ratio(column) else {
        html.push_str("<td class=\"number ratio muted\">–</td>");
        return;
    };
    let class = match row.better {
        Some(better) if row.is_apart(column) && (ratio > 1.0) == (better == Better::Higher) => " good",
        Some(_) if row.is_apart(column) => " bad",
        _ => "",
    };
    put!(html, "<td class=\"number ratio{class}\">{}", ratio_text(ratio));
    if let Some(pairs) = row.pair_ratio(column) {
        put!(html, "<small>{}–{}</small>", ratio_text(pairs.low), ratio_text(pairs.high));
    }
    html.push_str("</td>");
}

/// A ratio, with two decimals if it has an ordinary size.
pub fn ratio_text(ratio: f64) -> String {
    if ratio.abs() >= 0.1 && ratio.abs() < 100.0 { format!("{ratio:.2}") } else { number(ratio) }
}

fn draw_target(html: &mut String, row: &Row) {
    let Some((target, reached)) = row.target else {
        html.push_str("<td></td>");
        return;
    };
    let (class, word) = if reached { ("good", "reached") } else { ("bad", "missed") };
    put!(html, "<td>{target} <b class=\"{class}\">{word}</b></td>");
}
