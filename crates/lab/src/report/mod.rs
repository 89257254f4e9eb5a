//! From what happened in a run to what a person reads and a machine checks.
//!
//! An experiment writes to a [`Recorder`] while it works. [`Recorder::finish`] makes a [`RunResult`] of it, and [`write`]
//! leaves that in the results' folder as `result.json` and, drawn, as `report.html`. [`table`] is the end of the command's
//! output. [`read()`] finds results again, [`write_comparison`] puts any of them side by side, and [`write_all`] does so for all experiments, with an
//! index. Open `result.rs` first: everything else shows what it holds. `figure_table.rs` is how runs stand beside each other, whoever shows them.

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
pub use curve::{Axis, Curve, CurveLine, CurvePoint, CurveSpec, Reference, Scale};
pub use files::{COMPARISON_FILE, forget, storage_file_name, write, write_all, write_comparison};
pub use html::{All, NotRun, number};
pub use read::{Found, read};
pub use recorder::Recorder;
pub use result::{
    Better, Check, Event, Excerpt, Figure, Lane, Measurement, REPORT_FILE, RESULT_FILE, RunResult, Samples,
    Series, Span, Target, Verdict,
};
pub use subject::{Subject, SubjectOf};
pub use table::table;
