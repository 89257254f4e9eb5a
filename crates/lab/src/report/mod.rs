//! Reports: from the events of a run to files that people read and programs check.
//!
//! An experiment writes to a [`Recorder`] while it works. [`Recorder::finish`] turns the record into a [`RunResult`], and [`write`]
//! writes that to the folder of results as `result.json` and, as a page, `report.html`. [`table`] is the end of the command's output.
//! [`read()`] reads results, [`write_comparison`] compares any of them, and [`write_all`] compares those of all experiments and adds an
//! index. Open `result.rs` first: everything else shows its content. `figure_table.rs` makes one table of the figures of several runs.

mod compare;
mod curve;
mod figure_table;
mod files;
mod group;
mod html;
mod printable;
mod read;
mod recorder;
mod reference;
mod result;
mod subject;
mod table;

pub use compare::{comparison_table, verdict_table};
pub use curve::{Axis, CurveSpec, Reference};
pub use files::{COMPARISON_FILE, forget, storage_file_name, write, write_all, write_comparison};
pub use html::{All, NotRun, number};
pub use read::read;
pub use recorder::Recorder;
pub use result::{Better, Excerpt, Measurement, RunResult, Samples, Target, Verdict};
pub use subject::Subject;
pub use table::table;
