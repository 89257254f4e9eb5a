//! From what happened in a run to what a person reads and a machine checks.
//!
//! An experiment writes to a [`Recorder`] while it works. [`Recorder::finish`] makes a [`RunResult`] of it, and [`write`]
//! leaves that in the results' folder as `result.json` and, drawn, as `report.html`. [`table`] is the end of the command's
//! output. [`read()`] finds results again, [`write_comparison`] puts any of them side by side, and [`write_all`] does so for all experiments, with an
//! index. Open `result.rs` first: everything else shows what it holds. `sheet.rs` is how runs stand beside each other, whoever shows them.

mod compare;
mod curve;
mod files;
mod html;
mod printable;
mod read;
mod recorder;
mod reference;
mod result;
mod sheet;
mod table;

pub use compare::{SubjectOf, comparison_table, verdict_table};
pub use curve::{Axis, Curve, CurveLine, CurvePoint, CurveSpec, Reference, Scale};
pub use files::{
    All, COMPARISON_FILE, NotRun, REPORT_FILE, RESULT_FILE, forget, write, write_all, write_comparison,
};
pub use html::number;
pub use read::{Found, read};
pub use recorder::Recorder;
pub use result::{
    Better, Check, Event, Excerpt, Figure, Lane, Measurement, RunResult, Samples, Series, Span, Target, Tone,
    Verdict,
};
pub use table::table;

/// What the report says about an experiment itself.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// The experiment's title.
    pub title: &'static str,
    /// What it asks, in one or two sentences.
    pub question: &'static str,
    /// What it does, step by step, in a reader's words: so that who reads the report could do the same by hand.
    pub method: &'static str,
}
