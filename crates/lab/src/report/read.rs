//! Reads results from the folders of earlier runs, including those of other machines and of older versions.
//!
//! Anyone may have written these files. A file that is not a result, or is of a newer version, is an error that names the file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::printable::make_printable;
use super::result::{FORMAT, REPORT_FILE, RESULT_FILE, RunResult};

/// Maximum depth of folders that are searched for results. `lab run all` needs three.
const DEPTH_MAX: usize = 6;
/// Maximum size of a result file, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// The name of folders with logs. They are not searched, because they hold no results and may be large.
const LOGS: &str = "logs";

/// A run that was read.
#[derive(Debug, Clone)]
pub struct Found {
    /// The run.
    pub run: RunResult,
    /// The path of its report, if the report exists.
    pub page: Option<PathBuf>,
}

/// The runs in these folders and in the folders below them: in the order of the folders, and within each in order of time. A
/// run that is in several files, such as one on several storages, is returned once.
pub fn read(folders: &[PathBuf]) -> Result<Vec<Found>> {
    let mut all: Vec<Found> = Vec::new();
    for folder in folders {
        let mut files = Vec::new();
        find(folder, DEPTH_MAX, &mut files)?;
        ensure!(
            !files.is_empty(),
            "{} holds no {RESULT_FILE}, nor does a folder below it: name a folder that `forebay lab run` wrote",
            folder.display()
        );
        let mut found = Vec::new();
        for file in &files {
            found.extend(read_file(file)?);
        }
        found.sort_by(|one, other| one.run.started_at.cmp(&other.run.started_at));
        for one in found {
            if !all.iter().any(|known| known.run == one.run) {
                all.push(one);
            }
        }
    }
    Ok(all)
}

/// The result files in a folder, its own first, so that a link leads to the report of all storages and not to that of one.
fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("read folder {}", folder.display()))?;
    let own = folder.join(RESULT_FILE);
    if own.is_file() {
        files.push(own);
    }
    if depth == 0 {
        return Ok(());
    }
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("read folder {}", folder.display()))?;
        // Symbolic links are not followed, because they could form a cycle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != LOGS {
            folders.push(entry.path());
        }
    }
    folders.sort();
    folders.iter().try_for_each(|folder| find(folder, depth - 1, files))
}

/// The runs in one file: a single one, or one for each of several storages.
fn read_file(path: &Path) -> Result<Vec<Found>> {
    let length = fs::metadata(path).with_context(|| format!("read {}", path.display()))?.len();
    ensure!(
        length <= FILE_BYTES_MAX,
        "{} has {length} bytes: no result of the lab is so large",
        path.display()
    );
    let text = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let mut value: Value = serde_json::from_slice(&text).with_context(|| {
        format!("{} is not JSON: it was cut off or changed; run the experiment again", path.display())
    })?;
    make_printable(&mut value);
    let runs = match value.get_mut("runs").map(Value::take) {
        Some(Value::Array(runs)) => runs,
        Some(_) => bail!("{}: `runs` is no list, so this is no result of the lab", path.display()),
        None => vec![value],
    };
    let page = Some(path.with_file_name(REPORT_FILE)).filter(|page| page.is_file());
    runs.into_iter().map(|run| Ok(Found { run: read_run(path, run)?, page: page.clone() })).collect()
}

fn read_run(path: &Path, run: Value) -> Result<RunResult> {
    let Some(format) = run.get("format").and_then(Value::as_u64) else {
        bail!("{} is no result of the lab: it does not say its `format`", path.display());
    };
    ensure!(
        format <= u64::from(FORMAT),
        "{} has format {format}, and this forebay reads up to {FORMAT}: use the version that wrote it, or a later one",
        path.display()
    );
    RunResult::deserialize(run).with_context(|| format!("{} is no result of the lab", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::{Recorder, Subject, write};

    const SUBJECT: Subject = Subject { title: "T", question: "Q?", method: "M." };

    fn run(storage: &str) -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.check("c", "C", true, "detail");
        recorder.finish("mount", storage, "laptop", "fine")
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn runs_of_several_storages_are_found_once_with_the_report_above_them() {
        let folder = folder();
        let out = folder.path().join("all").join("mount");
        write(&out, &SUBJECT, &[run("forebay"), run("local")]).unwrap();
        let found = read(&[folder.path().to_owned()]).unwrap();
        let mut storages: Vec<_> = found.iter().map(|found| found.run.storage.as_str()).collect();
        storages.sort_unstable();
        assert_eq!(storages, ["forebay", "local"]);
        assert!(found.iter().all(|found| found.page == Some(out.join(REPORT_FILE))));
    }

    #[test]
    fn a_result_from_before_there_were_curves_is_read() {
        let folder = folder();
        let mut old = serde_json::to_value(run("forebay")).unwrap();
        assert!(
            old.as_object_mut().unwrap().remove("curves").is_none(),
            "none are written if there are none"
        );
        fs::write(folder.path().join(RESULT_FILE), old.to_string()).unwrap();
        let found = read(&[folder.path().to_owned()]).unwrap();
        assert!(found[0].run.curves.is_empty());
        assert_eq!(found[0].page, None);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_the_remedy() {
        let error = |name: &str, text: Option<&str>| {
            let folder = folder();
            if let Some(text) = text {
                fs::write(folder.path().join(RESULT_FILE), text).unwrap();
            }
            let error = format!("{:#}", read(&[folder.path().join(name)]).unwrap_err());
            assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
            error
        };
        assert!(error("", None).contains("name a folder that `forebay lab run` wrote"));
        assert!(error("missing", None).contains("read folder"));
        assert!(error("", Some("{\"experiment\": \"mou")).contains("cut off"));
        assert!(error("", Some("{}")).contains("does not say its `format`"));
        assert!(error("", Some("{\"runs\": 3}")).contains("no list"));
        assert!(error("", Some("{\"format\": 2}")).contains("format 2, and this forebay reads up to 1"));
        assert!(error("", Some("{\"format\": 1, \"experiment\": 7}")).contains("no result"));
    }
}
