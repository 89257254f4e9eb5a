//! Reports of the lab.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;

words! {
    /// What a report is about.
    LabReportKind {
        /// One experiment, on one storage or several.
        Run = "run",
        /// Several experiments, with links to the reports of each.
        All = "all",
        /// Any runs, side by side.
        Comparison = "comparison",
    }
}

words! {
    /// The answer of an experiment.
    LabVerdict {
        /// Every check held.
        Pass = "pass",
        /// At least one did not.
        Fail = "fail",
    }
}

/// The reports that there are.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LabReportsView {
    /// The directory in which they are looked for; null if none is configured (`lab.results_directory`).
    pub directory: Option<String>,
    /// Why there may be more than are shown, and what to do.
    pub problem: Option<String>,
    /// They, the youngest first.
    pub items: Vec<LabReportView>,
    /// How many there are; more than `items` has if a limit was given.
    pub total: u64,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LabReportView {
    /// Names it: `lab/reports/{id}`. It follows from its place in the directory.
    #[schema(pattern = "^[0-9a-f]{16}$")]
    pub id: String,
    /// What it is about.
    pub kind: LabReportKind,
    /// The folder that it is in, from the directory of results; empty if it is in that directory itself.
    pub folder: String,
    /// The experiment, if it is about one.
    pub experiment: Option<String>,
    /// When its first run began; of what is no run, or is damaged, when it was written.
    #[schema(format = DateTime)]
    pub time: String,
    /// The runs, one for each storage.
    pub runs: Vec<LabRunView>,
    /// Bytes of the page; null if there is none.
    pub page_bytes: Option<u64>,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LabRunView {
    /// The storage; of several that it compares, with commas between them.
    pub storage: String,
    /// Which sizes it had.
    pub profile: String,
    /// What came of it.
    pub verdict: LabVerdict,
    /// Why, in one or two sentences.
    pub why: String,
    /// When it began.
    #[schema(format = DateTime)]
    pub started: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Things that had to hold.
    pub checks: u64,
    /// Those of them that did.
    pub checks_passed: u64,
    /// Versions of what took part, by name.
    pub versions: BTreeMap<String, String>,
}

/// Where a report's page can be looked at.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LabPageView {
    /// A path on this server that needs no token. Pages that this one links to are there as well.
    pub path: String,
    /// Until when.
    #[schema(format = DateTime)]
    pub expires: String,
}
