//! Finds the reports of `forebay lab run` and `forebay lab compare` below the directory of results.
//!
//! `result.json` is a run; a `report.html` without one links to the runs below it; `compare*.html` compares runs.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::files::{Folder, Names, Version};
use super::result::{self, Outcome};
use crate::views::{self, LabReportKind, LabReportView};

/// Maximum size of a page that is shown, in bytes.
pub const PAGE_BYTES_MAX: u64 = 16 << 20;
/// Maximum size of a result that is read, in bytes.
const RESULT_BYTES_MAX: u64 = 64 << 20;
/// Maximum number of reports in the list.
pub const REPORTS_MAX: usize = 500;
/// Limits of the search: the depth below the directory, the number of folders, and the number of names in a folder.
const DEPTH_MAX: usize = 6;
const FOLDERS_MAX: usize = 5000;
const NAMES_MAX: usize = 5000;

const RESULT: &str = "result.json";
const REPORT: &str = "report.html";
/// The name of folders with logs, which hold no results and may be large.
const LOGS: &str = "logs";

/// A report that was found.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its representation in the API.
    pub view: LabReportView,
    /// The path of its page, relative to the directory.
    pub page: Vec<String>,
    time: SystemTime,
}

/// The results of an earlier scan, so that only changed files are read again.
type Known = HashMap<Vec<String>, (Version, Arc<Result<Outcome, String>>)>;

/// The reports that a scan found.
#[derive(Default)]
pub struct Scan {
    /// The reports, newest first.
    pub entries: Vec<Entry>,
    /// The reason why the list may be incomplete, with the remedy.
    pub problem: Option<String>,
    known: Known,
}

impl Scan {
    /// Scans a directory. Reuses the results of an earlier scan for unchanged files.
    pub fn of(directory: &Path, earlier: &Scan) -> Scan {
        let mut work = Work { earlier: &earlier.known, scan: Scan::default(), folders: 0, left_out: None };
        match Folder::open(directory) {
            Ok(folder) => work.look(&folder, &[], DEPTH_MAX),
            Err(error) => {
                let directory = directory.display();
                work.scan.problem = Some(format!(
                    "lab.results_directory {directory}: cannot be read ({error}); make it, and let the daemon's user read it"
                ));
            }
        }
        let Work { mut scan, left_out, .. } = work;
        scan.problem = scan.problem.or(left_out);
        scan.entries.sort_by(|one, other| other.time.cmp(&one.time).then_with(|| one.page.cmp(&other.page)));
        if scan.entries.len() > REPORTS_MAX {
            scan.entries.truncate(REPORTS_MAX);
            let sentence =
                format!("there are more than {REPORTS_MAX} reports; move the oldest elsewhere to see all");
            scan.problem.get_or_insert(sentence);
        }
        scan
    }
}

struct Work<'a> {
    earlier: &'a Known,
    scan: Scan,
    folders: usize,
    left_out: Option<String>,
}

impl Work<'_> {
    fn look(&mut self, folder: &Folder, path: &[String], depth: usize) {
        self.folders += 1;
        if self.folders > FOLDERS_MAX {
            self.left_out
                .get_or_insert(format!("there are more than {FOLDERS_MAX} folders; move some elsewhere"));
            return;
        }
        let names = match folder.names(NAMES_MAX) {
            Ok(names) => names,
            Err(error) => return self.unreadable(path, &error),
        };
        if names.left_out {
            let sentence = format!(
                "folder {:?}: not all of it is shown; it has too many names, or some that are no text",
                path.join("/")
            );
            self.left_out.get_or_insert(sentence);
        }
        let is_done = self.take_reports(folder, path, &names);
        // The folders below a run hold the results of its storages, which the run's own result contains.
        if is_done || depth == 0 {
            return;
        }
        for name in names.folders.into_iter().filter(|name| name != LOGS) {
            let below: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            match folder.folder(&name) {
                Ok(folder) => self.look(&folder, &below, depth.saturating_sub(1)),
                Err(error) => self.unreadable(&below, &error),
            }
        }
    }

    fn unreadable(&mut self, path: &[String], error: &io::Error) {
        let sentence =
            format!("folder {:?}: cannot be read ({error}); let the daemon's user read it", path.join("/"));
        self.left_out.get_or_insert(sentence);
    }

    /// Adds the reports in a folder. Returns true if one of them is a run that could be read.
    fn take_reports(&mut self, folder: &Folder, path: &[String], names: &Names) -> bool {
        let has = |name: &str| names.files.iter().any(|known| known == name);
        let mut is_run = false;
        if has(RESULT) {
            let result = self.result(folder, path);
            is_run = result.is_ok();
            let page = if has(REPORT) { folder.version(REPORT).ok() } else { None };
            let written = page.or_else(|| folder.version(RESULT).ok());
            self.add(LabReportKind::Run, path, REPORT, page, written, Some(&result));
        } else if has(REPORT) {
            let page = folder.version(REPORT).ok();
            self.add(LabReportKind::All, path, REPORT, page, page, None);
        }
        for name in names.files.iter().filter(|name| is_comparison(name)) {
            let page = folder.version(name).ok();
            self.add(LabReportKind::Comparison, path, name, page, page, None);
        }
        is_run
    }

    fn result(&mut self, folder: &Folder, path: &[String]) -> Arc<Result<Outcome, String>> {
        let version = match folder.version(RESULT) {
            Ok(version) => version,
            Err(error) => return Arc::new(Err(cannot_read(&error))),
        };
        let result = match self.earlier.get(path) {
            Some((known, result)) if *known == version => Arc::clone(result),
            _ => Arc::new(match folder.read(RESULT, RESULT_BYTES_MAX) {
                Ok(text) => result::read(&text).map_err(|problem| format!("{RESULT}: {problem}")),
                Err(error) => Err(cannot_read(&error)),
            }),
        };
        self.scan.known.insert(path.to_vec(), (version, Arc::clone(&result)));
        result
    }

    fn add(
        &mut self,
        kind: LabReportKind,
        path: &[String],
        file: &str,
        page: Option<Version>,
        written: Option<Version>,
        result: Option<&Result<Outcome, String>>,
    ) {
        let outcome = result.and_then(|result| result.as_ref().ok());
        let written = written.map_or(SystemTime::UNIX_EPOCH, |file| file.modified());
        let time = outcome.map_or(written, |outcome| outcome.started);
        let too_large = page.is_some_and(|page| page.bytes() > PAGE_BYTES_MAX);
        let problem = match result {
            Some(Err(problem)) => Some(problem.clone()),
            _ if too_large => {
                Some(format!("{file}: larger than {} MiB, and not shown", PAGE_BYTES_MAX >> 20))
            }
            _ if page.is_none() => Some(format!("{file}: missing; run the experiment again to have one")),
            _ => None,
        };
        let page_path: Vec<String> = path.iter().cloned().chain([file.to_owned()]).collect();
        let view = LabReportView {
            id: id(&page_path),
            kind,
            folder: path.join("/"),
            experiment: outcome.map(|outcome| outcome.experiment.clone()),
            time: views::time(time),
            runs: outcome.map_or_else(Vec::new, |outcome| outcome.runs.clone()),
            page_bytes: page.filter(|_| !too_large).map(|page| page.bytes()),
            problem,
        };
        self.scan.entries.push(Entry { view, page: page_path, time });
    }
}

fn is_comparison(name: &str) -> bool {
    name.starts_with("compare") && name.ends_with(".html")
}

fn cannot_read(error: &io::Error) -> String {
    format!("{RESULT}: cannot be read ({error}); let the daemon's user read it, if it is a result")
}

/// The id of a report. It is derived from the path, so it does not change between scans.
fn id(page: &[String]) -> String {
    blake3::hash(page.join("/").as_bytes()).to_hex()[..16].to_owned()
}
