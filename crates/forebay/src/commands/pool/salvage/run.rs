//! `forebay pool salvage`: shows the progress of the salvage and prints its report.

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;

use anyhow::Result;
use forebay_pool::salvage::{Options, Phase, Progress, Report, StreamReport, salvage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::SalvageArgs;
use crate::config::size;
use crate::output::{print_as, print_columns, print_line, print_pairs};

/// Maximum number of streams to print; the report has all of them.
const STREAMS_SHOWN: usize = 20;

/// Some data that was found could not be recovered.
#[derive(Debug)]
struct Incomplete {
    report: PathBuf,
    lost: usize,
    incomplete_batches: usize,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "not everything was recovered: {} damaged parts of segments have no intact copy, and {} record \
             batches are incomplete; {} lists them",
            self.lost,
            self.incomplete_batches,
            self.report.display()
        )
    }
}

impl std::error::Error for Incomplete {}

/// Carries out `forebay pool salvage`.
pub fn run(arguments: SalvageArgs) -> Result<()> {
    let format = arguments.format();
    let SalvageArgs { from, copy, to, other, .. } = arguments;
    let options = Options { from, copy, to, other };
    let bars = Bars::default();
    let report = salvage(&options, &|progress| bars.show(progress))?;
    bars.finish();
    print_as(format, &report, show)?;
    if !report.complete {
        let lost = report.lost();
        let incomplete_batches = report.incomplete_batches.len();
        return Err(Incomplete { report: options.to.join("report.json"), lost, incomplete_batches }.into());
    }
    if format.is_for_people() {
        print_line(&format!(
            "everything found was recovered; see {}",
            options.to.join("README.txt").display()
        ))?;
    }
    Ok(())
}

/// A progress bar for each phase, if standard error is a terminal.
#[derive(Default)]
struct Bars(RefCell<Option<(Phase, ProgressBar)>>);

impl Bars {
    fn show(&self, progress: Progress) {
        let mut shown = self.0.borrow_mut();
        let bar = match &*shown {
            Some((phase, bar)) if *phase == progress.phase => bar.clone(),
            _ => {
                if let Some((_, bar)) = shown.take() {
                    bar.finish_and_clear();
                }
                let bar = new_bar(progress);
                *shown = Some((progress.phase, bar.clone()));
                bar
            }
        };
        bar.set_position(progress.bytes_done);
    }

    fn finish(&self) {
        if let Some((_, bar)) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(progress: Progress) -> ProgressBar {
    let target =
        if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let template = match progress.phase {
        Phase::Reading => "{bar:40} {bytes} of {total_bytes} read, {eta} left",
        Phase::Writing => "{bar:40} {bytes} of {total_bytes} written, {eta} left",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(progress.bytes_total), target).with_style(style)
}

fn show(report: &Report) -> Result<()> {
    let recovered = report.damaged.len() - report.lost();
    let ambiguous = report.streams.iter().filter(|stream| stream.begins_ambiguously).count();
    let other = if report.other.written { "written to other/" } else { "not written; --other writes them" };
    print_pairs(&[
        ("segments", format!("{} ({} files)", report.segments, report.files)),
        ("read and verified", size::rounded(report.bytes_read)),
        ("chunks", report.chunks.to_string()),
        ("logs", report.streams.len().to_string()),
        ("logs with an uncertain start", ambiguous.to_string()),
        ("record batches", report.batches.to_string()),
        ("records", report.records.to_string()),
        ("written", size::rounded(report.bytes_written)),
        ("damaged, recovered from a copy", recovered.to_string()),
        ("damaged, lost", report.lost().to_string()),
        ("incomplete record batches", report.incomplete_batches.len().to_string()),
        (
            "chunks that are not Kafka's",
            format!("{} ({}), {other}", report.other.chunks, size::rounded(report.other.bytes)),
        ),
    ])?;
    if report.streams.is_empty() {
        return Ok(());
    }
    print_line("")?;
    let row = |stream: &StreamReport| {
        vec![
            stream.directory.clone(),
            stream.first_offset.to_string(),
            stream.last_offset.to_string(),
            stream.records.to_string(),
            size::rounded(stream.bytes),
        ]
    };
    print_columns(
        &["log", "first offset", "last offset", "records", "size"],
        report.streams.iter().take(STREAMS_SHOWN).map(row),
    )?;
    let more = report.streams.len().saturating_sub(STREAMS_SHOWN);
    if more > 0 { print_line(&format!("and {more} more, all shorter")) } else { Ok(()) }
}
