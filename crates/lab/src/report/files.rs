//! The files of a folder of results.
//!
//! With one storage, `result.json` is its [`RunResult`]. With several, each has a folder of its own with its `result.json`, and
//! the `result.json` above them holds all of them in `runs`, with one verdict. `report.html` shows all runs of the folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::read::Found;
use super::result::{FORMAT, REPORT_FILE, RESULT_FILE, RunResult, Verdict};
use super::subject::{Subject, SubjectOf};
use super::{compare, html};

/// The file that compares runs.
pub const COMPARISON_FILE: &str = "compare.html";

/// The name of a storage's files and folders. Storages with different names get different file names in all practical cases.
pub fn storage_file_name(name: &str) -> String {
    match name.split_once(":/") {
        Some((kind, path)) => format!("{kind}-{}", path.replace('-', "--").replace('/', "-")),
        None => name.replace([':', '/'], "-"),
    }
}

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
                let own = folder.join(storage_file_name(&run.storage));
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

/// Removes both files of an earlier run, if there are any.
pub fn forget(folder: &Path) -> Result<()> {
    for name in [RESULT_FILE, REPORT_FILE] {
        let file = folder.join(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("remove {} of an earlier run", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes `report.html`, which links to the report of each run, and `compare.html`, which compares them. Links to reports in
/// `out` are relative, so that the folder can be moved. Returns the path of `report.html`.
pub fn write_all(out: &Path, found: &[Found], all: &html::All) -> Result<PathBuf> {
    fs::create_dir_all(out).with_context(|| format!("make folder {}", out.display()))?;
    let relative = |page: &PathBuf| page.strip_prefix(out).unwrap_or(page).display().to_string();
    let page_of = |found: &Found| found.page.as_ref().map(relative);
    let entries: Vec<_> =
        found.iter().map(|found| html::Entry { run: &found.run, page: page_of(found) }).collect();
    let report = out.join(REPORT_FILE);
    let index = html::index(&entries, all, COMPARISON_FILE);
    fs::write(&report, index).with_context(|| format!("write {}", report.display()))?;
    write_comparison(&out.join(COMPARISON_FILE), found, all.subject_of)?;
    Ok(report)
}

/// Writes the page that compares these runs.
pub fn write_comparison(file: &Path, found: &[Found], subject_of: SubjectOf) -> Result<()> {
    let page = compare::comparison_page(found, subject_of);
    fs::write(file, page).with_context(|| format!("write {}", file.display()))
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
    use crate::report::{NotRun, Recorder};

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

    #[test]
    fn what_an_earlier_run_left_is_forgotten_and_what_lies_beside_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        forget(folder.path()).unwrap();
        write(folder.path(), &SUBJECT, &[run("local", true)]).unwrap();
        fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        forget(folder.path()).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["notes.txt"]);
        forget(&folder.path().join("missing")).unwrap();
    }

    #[test]
    fn the_index_leads_to_each_report_and_names_what_was_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        write(&out.join("mount"), &SUBJECT, &[run("forebay", true)]).unwrap();
        let mut found = crate::report::read(&[out.to_owned()]).unwrap();
        found.push(Found { run: run("local", false), page: None });
        let not_run = [NotRun { experiment: "cpu".into(), storage: "local".into(), why: "no <Java>".into() }];
        let all = html::All { took_ms: 754_000, not_run: &not_run, subject_of: |_| None };
        let report = write_all(out, &found, &all).unwrap();
        let html = fs::read_to_string(report).unwrap();
        assert!(html.contains("href=\"mount/report.html\"") && html.contains("href=\"compare.html\""));
        assert!(html.contains("1 of 2 runs passed. 1 could not be run."));
        assert!(html.contains("12 min 34 s") && html.contains("no &lt;Java&gt;"));
        assert!(fs::read_to_string(out.join(COMPARISON_FILE)).unwrap().contains("local"));
        for foreign in ["<script", "<link", "src=", "http:", "https:", "url("] {
            assert!(!html.contains(foreign), "{foreign} is in the page");
        }
    }
}
