//! The end of a command's output: the runs side by side, for a terminal.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table};

use super::{Measurement, RunResult, Target, Verdict, number};

/// One row per run, or one per measurement where that is what was asked.
pub fn table(runs: &[RunResult]) -> String {
    let mut parts = vec![verdicts(runs)];
    parts.extend(
        runs.iter().filter(|run| !run.measurements.is_empty()).map(|run| measurements(&run.measurements)),
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

fn verdicts(runs: &[RunResult]) -> String {
    let header = ["experiment", "storage", "verdict", "checks", "time", "why"].map(str::to_owned).to_vec();
    let mut table = empty(header);
    for run in runs {
        let color = if run.verdict == Verdict::Pass { Color::Green } else { Color::Red };
        let held = run.checks.iter().filter(|check| check.passed).count();
        table.add_row(vec![
            Cell::new(&run.experiment),
            Cell::new(&run.storage),
            Cell::new(run.verdict.word()).fg(color).add_attribute(Attribute::Bold),
            Cell::new(format!("{held} of {}", run.checks.len())),
            Cell::new(format!("{} s", run.duration_ms / 1000)),
            Cell::new(&run.why),
        ]);
    }
    table.to_string()
}

/// Those with a target first, then the others in a table of their own.
fn measurements(measurements: &[Measurement]) -> String {
    let (aimed, other): (Vec<_>, Vec<_>) =
        measurements.iter().partition(|measurement| measurement.target.is_some());
    let mut tables = Vec::new();
    if !aimed.is_empty() {
        tables.push(side_by_side(&aimed, true));
    }
    if !other.is_empty() {
        tables.push(side_by_side(&other, false));
    }
    tables.join("\n")
}

fn side_by_side(measurements: &[&Measurement], with_target: bool) -> String {
    let storages: Vec<&str> = measurements
        .first()
        .map(|first| first.samples.iter().map(|samples| samples.storage.as_str()).collect())
        .unwrap_or_default();
    let mut header = vec!["median (spread)".to_owned()];
    header.extend(storages.iter().map(|&storage| storage.to_owned()));
    header.push("ratio".to_owned());
    if with_target {
        header.extend(["target".to_owned(), "".to_owned()]);
    }
    let mut table = empty(header);
    for measurement in measurements {
        let mut row = vec![Cell::new(format!("{}, {}", measurement.title, measurement.unit))];
        for storage in &storages {
            let samples = measurement.samples.iter().find(|samples| samples.storage == *storage);
            row.push(Cell::new(samples.map_or("-".to_owned(), |samples| {
                format!("{} ({:.0} %)", number(samples.median), samples.spread_percent)
            })));
        }
        row.push(Cell::new(measurement.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))));
        if with_target {
            row.extend(target(measurement));
        }
        table.add_row(row);
    }
    table.to_string()
}

fn target(measurement: &Measurement) -> [Cell; 2] {
    let aim = match measurement.target {
        Some(Target::Ratio(least)) => format!("ratio ≥ {least}"),
        Some(Target::Median(least)) => format!("≥ {least}"),
        None => String::new(),
    };
    let (word, color) = match measurement.reached {
        Some(true) => ("PASS", Color::Green),
        Some(false) => ("short", Color::Red),
        None => ("-", Color::Reset),
    };
    [Cell::new(aim), Cell::new(word).fg(color)]
}
