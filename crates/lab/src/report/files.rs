//! The files of a results' folder.
//!
//! One storage: `result.json` is its [`RunResult`]. Several: each has a folder of its own with its `result.json`, and the
//! `result.json` above them holds them all in `runs`, with one verdict. `report.html` shows whatever is there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::result::FORMAT;
use super::{RunResult, Subject, Verdict, html};

/// The file for machines.
pub const RESULT_FILE: &str = "result.json";
/// The file for people.
pub const REPORT_FILE: &str = "report.html";

#[derive(Serialize)]
struct Comparison<'a> {
    format: u32,
    experiment: &'a str,
    profile: &'a str,
    verdict: Verdict,
    runs: &'a [RunResult],
}

/// Writes both files for these runs of one experiment, and returns the path of the report.
pub fn write(folder: &Path, subject: &Subject, runs: &[RunResult]) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("make folder {}", folder.display()))?;
    match runs {
        [run] => write_json(folder, run)?,
        runs => {
            for run in runs {
                let own = folder.join(&run.storage);
                fs::create_dir_all(&own).with_context(|| format!("make folder {}", own.display()))?;
                write_json(&own, run)?;
            }
            write_json(folder, &comparison(runs))?;
        }
    }
    let report = folder.join(REPORT_FILE);
    fs::write(&report, html::page(subject, runs)).with_context(|| format!("write {}", report.display()))?;
    Ok(report)
}

fn comparison(runs: &[RunResult]) -> Comparison<'_> {
    let first = runs.first();
    Comparison {
        format: FORMAT,
        experiment: first.map_or("", |run| &run.experiment),
        profile: first.map_or("", |run| &run.profile),
        verdict: runs.iter().fold(Verdict::Pass, |all, run| all.and(run.verdict)),
        runs,
    }
}

fn write_json(folder: &Path, what: &impl Serialize) -> Result<()> {
    let path = folder.join(RESULT_FILE);
    let mut text = serde_json::to_string_pretty(what).context("write a result as JSON")?;
    text.push('\n');
    fs::write(&path, text).with_context(|| format!("write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Recorder;

    const SUBJECT: Subject = Subject { title: "T", question: "Q?", method: "M." };

    fn run(storage: &str, passed: bool) -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.check("c", "C", passed, "detail");
        recorder.finish("silly-rename", storage, "laptop", "fine")
    }

    fn read(path: &Path) -> serde_json::Value {
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn one_storage_is_the_whole_result() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-one-{}", std::process::id()));
        let report = write(&folder, &SUBJECT, &[run("local", true)]).unwrap();
        let result = read(&folder.join(RESULT_FILE));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(report, folder.join(REPORT_FILE));
        assert_eq!((result["storage"].as_str(), result["verdict"].as_str()), (Some("local"), Some("pass")));
    }

    #[test]
    fn several_storages_have_a_result_each_and_one_verdict_together() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-several-{}", std::process::id()));
        write(&folder, &SUBJECT, &[run("knfsd-v3", false), run("forebay", true)]).unwrap();
        let (all, one) = (read(&folder.join(RESULT_FILE)), read(&folder.join("forebay").join(RESULT_FILE)));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((all["verdict"].as_str(), all["runs"].as_array().unwrap().len()), (Some("fail"), 2));
        assert_eq!(one["verdict"].as_str(), Some("pass"));
    }
}
