//! Reads the data for the list of reports from a `result.json`.
//!
//! Anyone may have written the file, so it is read strictly and within limits. Measured values are skipped.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Deserialize;

use crate::views::{self, LabRunView, LabVerdict};

/// The newest format that this release reads.
const FORMAT_MAX: u64 = 1;
/// Maximum number of runs in a file. There is one for each storage.
const RUNS_MAX: usize = 64;
/// Maximum size of the data that is kept of a file, in bytes.
const KEPT_BYTES_MAX: usize = 64 << 10;

/// The data that is kept of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The experiment.
    pub experiment: String,
    /// The start time of the first run.
    pub started: SystemTime,
    /// The runs.
    pub runs: Vec<LabRunView>,
}

#[derive(Deserialize)]
struct Head {
    format: u64,
    experiment: String,
    runs: Option<Vec<Run>>,
}

#[derive(Deserialize)]
struct Run {
    storage: String,
    profile: String,
    verdict: LabVerdict,
    why: String,
    started_at: String,
    duration_ms: u64,
    versions: BTreeMap<String, String>,
    checks: Vec<Check>,
}

#[derive(Deserialize)]
struct Check {
    passed: bool,
}

/// Reads the runs of a file. An error describes the problem with the file.
pub fn read(text: &[u8]) -> Result<Outcome, String> {
    let head: Head = serde_json::from_slice(text).map_err(not_a_result)?;
    if head.format > FORMAT_MAX {
        return Err(format!(
            "it is of format {}, and this daemon reads up to {FORMAT_MAX}; install a later release",
            head.format
        ));
    }
    let runs = match head.runs {
        Some(runs) => runs,
        None => vec![serde_json::from_slice(text).map_err(not_a_result)?],
    };
    if runs.is_empty() || runs.len() > RUNS_MAX {
        return Err(format!("it has {} runs; a result has from 1 to {RUNS_MAX}", runs.len()));
    }
    if head.experiment.len() + runs.iter().map(kept_bytes).sum::<usize>() > KEPT_BYTES_MAX {
        return Err("its names, versions or reasons are longer than those of any result".to_owned());
    }
    let mut viewed = Vec::with_capacity(runs.len());
    let mut started = None;
    for run in runs {
        let began = humantime::parse_rfc3339(&run.started_at)
            .map_err(|_| format!("{:?} is no time; it was damaged or changed", run.started_at))?;
        started = Some(started.map_or(began, |first: SystemTime| first.min(began)));
        viewed.push(view(run, began));
    }
    let started = started.unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(Outcome { experiment: head.experiment, started, runs: viewed })
}

fn not_a_result(error: serde_json::Error) -> String {
    format!("it is no result of the lab ({error}); it was cut off or changed, run the experiment again")
}

fn kept_bytes(run: &Run) -> usize {
    let versions = run.versions.iter().map(|(name, version)| name.len() + version.len()).sum::<usize>();
    [&run.storage, &run.profile, &run.why, &run.started_at].iter().map(|text| text.len()).sum::<usize>()
        + versions
}

fn view(run: Run, began: SystemTime) -> LabRunView {
    LabRunView {
        storage: run.storage,
        profile: run.profile,
        verdict: run.verdict,
        why: run.why,
        started: views::time(began),
        duration_ms: run.duration_ms,
        checks: run.checks.len() as u64,
        checks_passed: run.checks.iter().filter(|check| check.passed).count() as u64,
        versions: run.versions,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn run(storage: &str, started_at: &str) -> Value {
        json!({
            "format": 1, "experiment": "mount", "storage": storage, "profile": "laptop", "verdict": "pass", "why": "It works.",
            "started_at": started_at, "duration_ms": 1200, "versions": {"forebay": "0.1.0"}, "settings": {"guests": 2},
            "checks": [{"name": "a", "title": "A", "passed": true, "detail": ""}, {"name": "b", "title": "B", "passed": false, "detail": ""}],
            "series": [{"title": "S", "unit": "s", "points": [[0, 1.5]]}],
        })
    }

    fn read(value: &Value) -> Result<Outcome, String> {
        super::read(value.to_string().as_bytes())
    }

    #[test]
    fn one_run_and_several_are_read() {
        let one = read(&run("forebay", "2026-11-22T20:00:00Z")).unwrap();
        assert_eq!((one.experiment.as_str(), one.runs.len()), ("mount", 1));
        assert_eq!((one.runs[0].checks, one.runs[0].checks_passed), (2, 1));
        let runs = [run("local", "2026-11-22T21:00:00Z"), run("forebay", "2026-11-22T20:00:00Z")];
        let several =
            json!({"format": 1, "experiment": "mount", "profile": "laptop", "verdict": "pass", "runs": runs});
        let several = read(&several).unwrap();
        assert_eq!(several.runs.len(), 2);
        assert_eq!(views::time(several.started), "2026-11-22T20:00:00Z");
    }

    #[test]
    fn what_is_no_result_says_so() {
        let with = |field: &str, value: Value| {
            let mut run = run("forebay", "2026-11-22T20:00:00Z");
            run[field] = value;
            read(&run).unwrap_err()
        };
        assert!(with("format", json!(2)).contains("later release"));
        assert!(with("verdict", json!("perhaps")).contains("no result"));
        assert!(with("started_at", json!("yesterday")).contains("no time"));
        assert!(with("why", json!("x".repeat(KEPT_BYTES_MAX))).contains("longer"));
        assert!(with("runs", json!([])).contains("0 runs"));
        assert!(super::read(b"{\"format\": 1, \"exp").unwrap_err().contains("cut off"));
        assert!(super::read(b"[[[[").is_err());
    }
}
