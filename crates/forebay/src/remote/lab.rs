//! `forebay lab reports`.

use anyhow::Result;
use forebay_admin::views::{LabReportView, LabReportsView, LabRunView};

use crate::admin::client::Client;
use crate::cli::Remote;
use crate::output::{print_as, print_columns, print_line};

/// Prints the reports that a daemon shows.
pub fn reports(remote: &Remote) -> Result<()> {
    let reports: LabReportsView = Client::new(remote)?.get("lab/reports")?;
    print_as(remote.format(), &reports, list)
}

fn list(reports: &LabReportsView) -> Result<()> {
    let Some(directory) = &reports.directory else {
        return print_line("the daemon shows no reports: set lab.results_directory, and restart it");
    };
    if reports.items.is_empty() {
        print_line(&format!("no reports in {directory}"))?;
    } else {
        let rows = reports.items.iter().flat_map(rows);
        print_columns(&["id", "experiment", "storage", "verdict", "checks", "started", "folder"], rows)?;
    }
    reports.problem.as_ref().map_or(Ok(()), |problem| print_line(problem))
}

/// One row for each run; for a page over several, or one that cannot be read, one.
fn rows(report: &LabReportView) -> Vec<Vec<String>> {
    let none = || "-".to_owned();
    let experiment = report.experiment.clone().unwrap_or_else(|| report.kind.to_string());
    let row = |storage, verdict, checks, started| {
        let folder = report.folder.clone();
        vec![report.id.clone(), experiment.clone(), storage, verdict, checks, started, folder]
    };
    if report.runs.is_empty() {
        let verdict = report.problem.clone().unwrap_or_else(none);
        return vec![row(none(), verdict, none(), report.time.clone())];
    }
    let of_run = |run: &LabRunView| {
        let checks = format!("{} of {}", run.checks_passed, run.checks);
        row(run.storage.clone(), run.verdict.to_string(), checks, run.started.clone())
    };
    report.runs.iter().map(of_run).collect()
}
