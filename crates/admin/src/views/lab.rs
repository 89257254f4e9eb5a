//! Lab reports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;

words! {
    /// The scope of a report.
    LabReportKind {
        /// One experiment, on one or more storage systems.
        Run = "run",
        /// Several experiments, with links to the report of each.
        All = "all",
        /// A comparison of arbitrary runs.
        Comparison = "comparison",
    }
}

words! {
    /// The verdict of an experiment.
    LabVerdict {
        /// All checks passed, and all targets were reached.
        Pass = "pass",
        /// All checks passed, and not all targets were reached.
        Measured = "measured",
        /// At least one check failed.
        Fail = "fail",
    }
}

/// A list of lab reports.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LabReportsView {
    /// The directory that is searched for reports; null if none is configured (`lab.results_directory`).
    pub directory: Option<String>,
    /// The reason why the list may be incomplete, and the remedy.
    pub problem: Option<String>,
    /// The reports, newest first.
    pub items: Vec<LabReportView>,
    /// The total number of reports; larger than the length of `items` if a limit was given.
    pub total: u64,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LabReportView {
    /// The report's id, as in `lab/reports/{id}`. It is derived from the report's place in the directory.
    #[schema(pattern = "^[0-9a-f]{16}$")]
    pub id: String,
    /// The scope of the report.
    pub kind: LabReportKind,
    /// The report's folder, relative to the directory of results; empty if it is in that directory itself.
    pub folder: String,
    /// The experiment, if the report covers only one.
    pub experiment: Option<String>,
    /// When the first run started. For a report without runs, or a damaged one, when it was written.
    #[schema(format = DateTime)]
    pub time: String,
    /// The runs, one for each storage system.
    pub runs: Vec<LabRunView>,
    /// The size of the page in bytes; null if there is no page.
    pub page_bytes: Option<u64>,
    /// The problem with the report, if it has one.
    pub problem: Option<String>,
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LabRunView {
    /// The storage system; if the run compares several, their names separated by commas.
    pub storage: String,
    /// The profile, which sets the sizes.
    pub profile: String,
    /// The verdict.
    pub verdict: LabVerdict,
    /// The reason for the verdict, in one or two sentences.
    pub why: String,
    /// When it started.
    #[schema(format = DateTime)]
    pub started: String,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// Number of checks.
    pub checks: u64,
    /// Number of checks that passed.
    pub checks_passed: u64,
    /// Versions of the software that took part, by name.
    pub versions: BTreeMap<String, String>,
}

/// The path of a report's page.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LabPageView {
    /// A path on this server that needs no token. Pages that this page links to are available there as well.
    pub path: String,
    /// When the path expires.
    #[schema(format = DateTime)]
    pub expires: String,
}
