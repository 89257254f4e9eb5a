//! A table that compares runs of one experiment: a column for each storage, and a row for each figure and measurement.
//!
//! The report, the comparison and the terminal show the same table. A figure was measured once; a measurement has a median and
//! a spread. A ratio is the first column's value divided by the other column's, as in `result.json`.

use super::result::{Better, RunResult, Samples, Target};

/// A run with a name that no other run in the table has.
#[derive(Debug, Clone)]
pub struct Named<'a> {
    /// The storage and, if several runs have the same one, the start time of the run.
    pub name: String,
    /// The storages of the run: one, unless the experiment compares several.
    pub storages: Vec<NamedStorage<'a>>,
    /// The run.
    pub run: &'a RunResult,
}

/// A storage of a run.
#[derive(Debug, Clone)]
pub struct NamedStorage<'a> {
    /// Its name in the run.
    pub storage: &'a str,
    /// A name that no other storage of any run has.
    pub name: String,
    /// Its index among the storages of all runs.
    pub number: usize,
}

impl Named<'_> {
    /// The storage of a line in a drawing: the run's only one, or the one whose name begins the line's name.
    pub fn storage_of(&self, line: &str) -> Option<&NamedStorage<'_>> {
        if let [only] = self.storages.as_slice() {
            return Some(only);
        }
        self.storages.iter().find(|own| {
            let rest = line.strip_prefix(own.storage);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-'))
        })
    }
}

/// Gives each run, and each of its storages, a unique name.
pub fn named<'a>(runs: &[&'a RunResult]) -> Vec<Named<'a>> {
    let mut taken = Vec::new();
    let mut number = 0;
    let mut all = Vec::new();
    for &run in runs {
        let has_it = |other: &RunResult| {
            other.storage == run.storage || other.storage.split(',').any(|storage| storage == run.storage)
        };
        let name = distinct(&run.storage, run, has_it, runs, &mut taken);
        let mut storages = Vec::new();
        for storage in run.storage.split(',') {
            let same = |other: &RunResult| other.storage.split(',').any(|other| other == storage);
            let name = if storage == run.storage {
                name.clone()
            } else {
                distinct(storage, run, same, runs, &mut taken)
            };
            storages.push(NamedStorage { storage, name, number });
            number += 1;
        }
        all.push(Named { name, storages, run });
    }
    all
}

/// The plain name, with the start time of the run if several runs have the same name, and a number if the times are the same too.
fn distinct(
    plain: &str,
    run: &RunResult,
    has_it: impl Fn(&RunResult) -> bool,
    runs: &[&RunResult],
    taken: &mut Vec<String>,
) -> String {
    let name = if runs.iter().filter(|other| has_it(other)).count() == 1 {
        plain.to_owned()
    } else {
        format!("{plain} ({})", run.started_at.replace('T', " ").replace('Z', ""))
    };
    let mut found = name.clone();
    let mut number = 2;
    while taken.contains(&found) {
        found = format!("{name} #{number}");
        number += 1;
    }
    taken.push(found.clone());
    found
}

/// The figures and measurements of all runs.
#[derive(Debug)]
pub struct FigureTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows in the order of the first run, followed by those that only other runs have.
    pub rows: Vec<Row>,
}

/// One figure or measurement of all columns.
#[derive(Debug)]
pub struct Row {
    /// Stable name.
    pub name: String,
    /// The displayed name.
    pub title: String,
    /// The unit of all values.
    pub unit: String,
    /// Whether higher or lower is better, if known.
    pub better: Option<Better>,
    /// One entry for each column; `None` where it was not measured.
    pub cells: Vec<Option<Cell>>,
    /// The target, and whether it was reached, in the first run that has one.
    pub target: Option<(Target, bool)>,
}

/// The value of one storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The value, or the median of several.
    pub median: f64,
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The number of values.
    pub count: usize,
    /// The ratio of the first column to this one, if both were measured in pairs.
    pub pair_ratio: Option<Spread>,
}

/// The median of several ratios, and their range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Cell {
    fn once(value: f64) -> Self {
        Self { median: value, low: value, high: value, count: 1, pair_ratio: None }
    }

    fn of(samples: &Samples) -> Self {
        let Spread { median, low, high } = Spread::of(samples);
        Self { median, low, high, count: samples.values.len(), pair_ratio: None }
    }
}

impl Spread {
    fn of(samples: &Samples) -> Self {
        Self { median: samples.median, low: samples.min, high: samples.max }
    }
}

impl Row {
    /// The ratios of the pairs of the first column and this one, if they were measured in pairs.
    pub fn pair_ratio(&self, column: usize) -> Option<Spread> {
        self.cells.get(column).copied().flatten()?.pair_ratio
    }

    /// The first column's value divided by this column's; `None` for the first column, and if either value is missing or zero. Of pairs,
    /// it is the median of their ratios.
    pub fn ratio(&self, column: usize) -> Option<f64> {
        if let Some(pairs) = self.pair_ratio(column) {
            return Some(pairs.median);
        }
        let median = |column: usize| self.cells.get(column).copied().flatten().map(|cell| cell.median);
        let (first, other) = (median(0)?, median(column)?);
        let ratio = first / other;
        (column > 0 && first != 0.0 && ratio.is_finite()).then_some(ratio)
    }

    /// Whether the ranges of the first column and of this one do not overlap. Always false for values that were measured once,
    /// because these may differ by chance.
    pub fn is_apart(&self, column: usize) -> bool {
        let cell = |column: usize| self.cells.get(column).copied().flatten().filter(|cell| cell.count > 1);
        match (cell(0), cell(column)) {
            (Some(first), Some(other)) => first.high < other.low || other.high < first.low,
            _ => false,
        }
    }
}

impl FigureTable {
    /// Makes the table of these runs.
    pub fn of(runs: &[Named]) -> Self {
        let mut sheet = Self { columns: Vec::new(), rows: Vec::new() };
        for named in runs {
            sheet.add(named);
        }
        for row in &mut sheet.rows {
            row.cells.resize(sheet.columns.len(), None);
        }
        sheet
    }

    fn add(&mut self, named: &Named) {
        let run = named.run;
        let own = self.columns.len();
        // A run that compares storages has a column for each of them, and one for itself only if it has figures.
        let compared = compared_storages(run);
        if compared.is_empty() || !run.figures.is_empty() {
            self.columns.push(named.name.clone());
        }
        for figure in &run.figures {
            let row = self.row(&figure.name, &figure.title, &figure.unit);
            row.set(own, Cell::once(figure.value));
        }
        let first_compared = self.columns.len();
        for storage in &compared {
            let known = named.storages.iter().find(|known| known.storage == *storage);
            self.columns.push(known.map_or_else(|| storage.clone(), |known| known.name.clone()));
        }
        for measurement in &run.measurements {
            let row = self.row(&measurement.name, &measurement.title, &measurement.unit);
            row.better = Some(measurement.better);
            row.target = row.target.or(measurement.target.zip(measurement.reached));
            for samples in &measurement.samples {
                let place = compared.iter().position(|storage| *storage == samples.storage);
                // A ratio of pairs is one to the first column only if that is the first storage of the same run.
                let pairs = measurement.pair_ratios.iter().filter(|_| first_compared == 0);
                let pairs = pairs.into_iter().find(|ratios| ratios.storage == samples.storage);
                let cell = Cell { pair_ratio: pairs.map(Spread::of), ..Cell::of(samples) };
                row.set(place.map_or(own, |place| first_compared + place), cell);
            }
        }
    }

    /// The row with this name and unit. Adds one if there is none. Rows with another unit do not match.
    fn row(&mut self, name: &str, title: &str, unit: &str) -> &mut Row {
        let found = self.rows.iter().position(|row| row.name == name && row.unit == unit);
        let index = found.unwrap_or_else(|| {
            let (name, title, unit) = (name.to_owned(), title.to_owned(), unit.to_owned());
            self.rows.push(Row { name, title, unit, better: None, cells: Vec::new(), target: None });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }
}

impl Row {
    fn set(&mut self, column: usize, cell: Cell) {
        if self.cells.len() <= column {
            self.cells.resize(column + 1, None);
        }
        self.cells[column] = Some(cell);
    }
}

/// The storages that a run compares; none if it has only one.
fn compared_storages(run: &RunResult) -> Vec<String> {
    let mut storages: Vec<String> = Vec::new();
    for samples in run.measurements.iter().flat_map(|measurement| &measurement.samples) {
        if !storages.contains(&samples.storage) {
            storages.push(samples.storage.clone());
        }
    }
    if storages.len() > 1 { storages } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::{Measurement, Recorder};

    fn run(storage: &str, rate: Option<f64>, values: &[f64]) -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        if let Some(rate) = rate {
            recorder.figure("rate_mb_per_s", "Rate", rate, "MB/s");
        }
        let values = vec![(storage.to_owned(), values.to_vec())];
        recorder.measurement(Measurement::new("cpu_percent", "CPU", "%", Better::Lower, values));
        recorder.finish("cpu", storage, "laptop", "")
    }

    #[test]
    fn what_a_storage_lacks_is_missing_and_not_zero() {
        let (first, second) = (run("forebay", None, &[1.0, 2.0, 9.0]), run("local", Some(30.0), &[4.0]));
        let sheet = FigureTable::of(&named(&[&first, &second]));
        assert_eq!(sheet.columns, ["forebay", "local"]);
        let row = |name| sheet.rows.iter().find(|row| row.name == name).unwrap();
        let cpu = row("cpu_percent");
        assert_eq!(cpu.cells[0], Some(Cell { median: 2.0, low: 1.0, high: 9.0, count: 3, pair_ratio: None }));
        assert_eq!((cpu.ratio(0), cpu.ratio(1)), (None, Some(0.5)));
        let rate = row("rate_mb_per_s");
        assert_eq!((rate.cells[0], rate.ratio(1)), (None, None));
    }

    #[test]
    fn storages_differ_if_no_repetition_of_one_comes_near_the_other() {
        let apart = |first: &[f64], second: &[f64]| {
            let runs = (run("forebay", None, first), run("local", None, second));
            FigureTable::of(&named(&[&runs.0, &runs.1])).rows[0].is_apart(1)
        };
        assert!(apart(&[1.0, 2.0], &[3.0, 4.0]));
        assert!(!apart(&[1.0, 3.5], &[3.0, 4.0]));
        assert!(!apart(&[1.0], &[3.0]), "measured once");
    }

    #[test]
    fn the_same_storage_twice_is_told_apart_by_when_it_ran() {
        let (mut first, mut second) = (run("forebay", None, &[]), run("forebay", None, &[]));
        first.started_at = "2026-01-01T10:00:00Z".into();
        second.started_at = "2026-01-02T10:00:00Z".into();
        let names = |runs: &[&RunResult]| named(runs).into_iter().map(|named| named.name).collect::<Vec<_>>();
        assert_eq!(
            names(&[&first, &second]),
            ["forebay (2026-01-01 10:00:00)", "forebay (2026-01-02 10:00:00)"]
        );
        assert_eq!(names(&[&first, &first])[1], "forebay (2026-01-01 10:00:00) #2");
        assert_eq!(names(&[&first]), ["forebay"]);
    }

    #[test]
    fn a_run_that_compares_storages_has_a_column_for_each() {
        let recorder = Recorder::new(Progress::silent());
        let values = vec![("forebay".to_owned(), vec![3.0]), ("ganesha".to_owned(), vec![2.0])];
        let measured = Measurement::new("write", "Write", "MB/s", Better::Higher, values);
        recorder.measurement(measured.with_target(Some(Target::Ratio(1.0))));
        let run = recorder.finish("bench", "forebay,ganesha", "laptop", "");
        let sheet = FigureTable::of(&named(&[&run]));
        assert_eq!(sheet.columns, ["forebay", "ganesha"]);
        assert_eq!(sheet.rows[0].ratio(1), Some(1.5));
        assert_eq!(sheet.rows[0].target, Some((Target::Ratio(1.0), true)));
    }

    #[test]
    fn a_ratio_of_pairs_is_shown_in_the_run_that_measured_them() {
        let recorder = Recorder::new(Progress::silent());
        let values = vec![("forebay".to_owned(), vec![3.0, 8.0]), ("ganesha".to_owned(), vec![1.0, 8.0])];
        recorder.measurement(Measurement::of_pairs("write", "Write", "MB/s", Better::Higher, values));
        let run = recorder.finish("bench", "forebay,ganesha", "laptop", "");
        let alone = FigureTable::of(&named(&[&run]));
        assert_eq!(alone.rows[0].pair_ratio(1), Some(Spread { median: 2.0, low: 1.0, high: 3.0 }));
        assert_eq!(alone.rows[0].ratio(1), Some(2.0));
        let twice = FigureTable::of(&named(&[&run, &run]));
        assert_eq!(twice.rows[0].pair_ratio(3), None, "the first column is that of another run");
    }

    #[test]
    fn storages_that_a_run_compares_stand_beside_those_of_other_runs() {
        let (both, other) = (run("forebay,local", None, &[]), run("knfsd-v4", None, &[]));
        let again = run("forebay", None, &[]);
        let names = |runs: &[&RunResult]| {
            let storages = named(runs).into_iter().flat_map(|named| named.storages);
            storages.map(|storage| (storage.name, storage.number)).collect::<Vec<_>>()
        };
        let expected =
            [("forebay", 0), ("local", 1), ("knfsd-v4", 2)].map(|(name, at)| (name.to_owned(), at));
        assert_eq!(names(&[&both, &other]), expected);
        let twice = names(&[&both, &again]);
        assert!(twice[0].0.starts_with("forebay (") && twice[2].0.starts_with("forebay ("), "{twice:?}");
        assert_eq!(twice[1].0, "local");
    }

    #[test]
    fn a_line_belongs_to_the_storage_with_which_its_name_begins() {
        let run = run("local,local-2", None, &[]);
        let named = named(&[&run]);
        let of = |line| named[0].storage_of(line).map(|storage| storage.storage);
        assert_eq!(of("local, 4000/s"), Some("local"));
        assert_eq!(of("local-2"), Some("local-2"));
        assert_eq!(of("ganesha"), None);
    }
}
