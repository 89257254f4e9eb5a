//! The end of a command's output: a table that compares the runs, for a terminal.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};

use super::figure_table::{self, FigureTable, Named, Row, named};
use super::html::{number, ratio_text};
use super::result::{RunResult, Verdict};

/// A row for each run's verdict, and one for each figure and measurement with a column for each storage.
pub fn table(runs: &[RunResult]) -> String {
    group(&named(&runs.iter().collect::<Vec<_>>()))
}

/// Like [`table`], for runs that already have names.
pub(super) fn group(runs: &[Named]) -> String {
    let mut parts = vec![verdicts(runs)];
    let sheet = FigureTable::of(runs);
    // Rows with a target matter most and come first.
    let (aimed, other): (Vec<_>, Vec<_>) = sheet.rows.iter().partition(|row| row.target.is_some());
    parts.extend(
        [(aimed, true), (other, false)].into_iter().filter_map(|(rows, aims)| figures(&sheet, &rows, aims)),
    );
    parts.join("\n")
}

fn empty(header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(120);
    }
    table.set_header(header.into_iter().map(|text| Cell::new(text).add_attribute(Attribute::Bold)));
    table
}

/// A row for each run's verdict.
pub(super) fn verdicts(runs: &[Named]) -> String {
    let header = ["experiment", "storage", "verdict", "checks", "time", "why"].map(str::to_owned).to_vec();
    let mut table = empty(header);
    for Named { name, run, .. } in runs {
        let color = match run.verdict {
            Verdict::Pass => Color::Green,
            Verdict::Measured => Color::Yellow,
            Verdict::Fail => Color::Red,
        };
        let held = run.checks.iter().filter(|check| check.passed).count();
        table.add_row(vec![
            Cell::new(plain(&run.experiment)),
            Cell::new(plain(name)),
            Cell::new(run.verdict.word()).fg(color).add_attribute(Attribute::Bold),
            Cell::new(format!("{held} of {}", run.checks.len())),
            Cell::new(format!("{} s", run.duration_ms / 1000)),
            Cell::new(plain(&run.why)),
        ]);
    }
    table.to_string()
}

/// Figures and measurements: the median, the smallest and the largest value, and the ratio of the first storage to each other one.
fn figures(sheet: &FigureTable, rows: &[&Row], aims: bool) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let mut header = vec!["median (low–high)".to_owned()];
    for (index, column) in sheet.columns.iter().enumerate() {
        header.push(plain(column));
        if index > 0 {
            header.push("ratio".to_owned());
        }
    }
    if aims {
        header.extend(["target".to_owned(), String::new()]);
    }
    let mut table = empty(header);
    for row in rows {
        let unit = if row.unit.is_empty() { String::new() } else { format!(", {}", row.unit) };
        let mut cells = vec![Cell::new(plain(&format!("{}{unit}", row.title)))];
        for (index, cell) in row.cells.iter().enumerate() {
            cells.push(right(cell.as_ref().map_or("-".to_owned(), measured)));
            if index > 0 {
                cells.push(right(compared(row, index)));
            }
        }
        if aims {
            cells.extend(target(row));
        }
        table.add_row(cells);
    }
    Some(table.to_string())
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn measured(cell: &figure_table::Cell) -> String {
    match cell.count {
        1 => number(cell.median),
        _ => format!("{} ({}–{})", number(cell.median), number(cell.low), number(cell.high)),
    }
}

fn compared(row: &Row, column: usize) -> String {
    let Some(ratio) = row.ratio(column) else { return "-".to_owned() };
    match row.pair_ratio(column) {
        Some(pairs) => {
            format!("{} ({}–{})", ratio_text(ratio), ratio_text(pairs.low), ratio_text(pairs.high))
        }
        None => ratio_text(ratio),
    }
}

/// Removes control characters, because text from a file must not control the terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn target(row: &Row) -> [Cell; 2] {
    let Some((target, reached)) = row.target else { return [Cell::new(""), Cell::new("-")] };
    let (word, color) = if reached { ("PASS", Color::Green) } else { ("short", Color::Red) };
    [Cell::new(target), Cell::new(word).fg(color)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::{Better, Measurement, Recorder};

    #[test]
    fn figures_and_measurements_stand_side_by_side() {
        let run = |storage: &str, values: &[f64]| {
            let recorder = Recorder::new(Progress::silent());
            recorder.check("c", "C", true, "\u{1b}[2Jfine");
            recorder.figure("rate_mb_per_s", "Rate", 14.4, "MB/s");
            let values = vec![(storage.to_owned(), values.to_vec())];
            recorder.measurement(Measurement::new("cpu", "CPU", "%", Better::Lower, values));
            recorder.finish("cpu", storage, "laptop", "\u{1b}[2Jfine")
        };
        let text = table(&[run("forebay", &[10.0, 12.0, 11.0]), run("local", &[22.0])]);
        for told in ["11 (10–12)", "0.50", "14.4", "Rate, MB/s", "[2Jfine"] {
            assert!(text.contains(told), "{told} is missing in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "a file cannot speak to the terminal");
    }
}
