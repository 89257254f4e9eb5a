//! Reports: from the events of a run to files that people read and programs check.
//!
//! An experiment writes to a [`Recorder`] while it works. [`Recorder::finish`] makes a [`RunResult`] of it, and [`write`]
//! leaves that in the results' folder as `result.json` and, drawn, as `report.html`. [`table`] is the end of the command's
//! output. [`read()`] finds results again, [`write_comparison`] puts any of them side by side, and [`write_all`] does so for all experiments, with an
//! index. Open `result.rs` first: everything else shows its content. `figure_table.rs` puts the figures of several runs beside each other.

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
pub use curve::{Axis, CurveSpec};
pub use files::{COMPARISON_FILE, forget, storage_file_name, write, write_all, write_comparison};
pub use html::{All, NotRun, number};
pub use read::read;
pub use recorder::Recorder;
pub use result::{Better, Excerpt, Measurement, RunResult, Samples, Target, Verdict};
pub use subject::Subject;
pub use table::table;
