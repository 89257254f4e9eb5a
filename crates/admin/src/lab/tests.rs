//! Directories as the lab leaves them, and as it does not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::views::{LabReportKind, LabReportView};

fn run(storage: &str, started_at: &str, verdict: &str) -> Value {
    json!({
        "format": 1, "experiment": "mount", "storage": storage, "profile": "laptop", "verdict": verdict, "why": "So.",
        "started_at": started_at, "duration_ms": 1, "versions": {}, "settings": {}, "checks": [], "figures": [],
    })
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A directory with a run, several runs below an index, a comparison, and things that are none.
fn results() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let one = run("forebay", "2026-11-22T20:00:00Z", "pass");
    put(root, "mount-1/result.json", &one.to_string());
    put(root, "mount-1/report.html", "<h1>one</h1>");
    put(root, "mount-1/logs/result.json", "{}");
    let both = json!({"format": 1, "experiment": "mount", "profile": "laptop", "verdict": "fail",
        "runs": [one, run("knfsd-v3", "2026-11-21T20:00:00Z", "fail")]});
    put(root, "all-1/mount/result.json", &both.to_string());
    put(root, "all-1/mount/report.html", "<h1>both</h1>");
    put(root, "all-1/mount/forebay/result.json", &one.to_string());
    put(root, "all-1/report.html", "<a href=\"mount/report.html\">mount</a>");
    put(root, "all-1/compare.html", "<h1>compared</h1>");
    put(root, "broken/result.json", "{\"format\": 1");
    put(root, "pageless/result.json", &run("local", "2020-01-01T00:00:00Z", "pass").to_string());
    put(root, "notes/readme.txt", "nothing");
    scratch
}

async fn views(lab: &Lab) -> Vec<LabReportView> {
    lab.scan().await.entries.iter().map(|entry| entry.view.clone()).collect()
}

fn at<'a>(views: &'a [LabReportView], folder: &str, kind: LabReportKind) -> &'a LabReportView {
    views.iter().find(|view| view.folder == folder && view.kind == kind).unwrap()
}

#[tokio::test]
async fn all_kinds_of_reports_are_found_and_a_broken_one_says_so() {
    let scratch = results();
    let lab = Lab::new(Some(scratch.path().to_owned()));
    let views = views(&lab).await;
    assert_eq!(views.len(), 6, "{views:#?}");
    let both = at(&views, "all-1/mount", LabReportKind::Run);
    assert_eq!((both.runs.len(), both.time.as_str()), (2, "2026-11-21T20:00:00Z"));
    at(&views, "all-1", LabReportKind::All);
    at(&views, "all-1", LabReportKind::Comparison);
    let broken = at(&views, "broken", LabReportKind::Run);
    assert!(broken.problem.as_deref().unwrap().contains("cut off"), "{broken:?}");
    assert!(!broken.time.starts_with("1970"), "when it was written");
    let pageless = at(&views, "pageless", LabReportKind::Run);
    assert_eq!((pageless.page_bytes, pageless.runs.len()), (None, 1));
    assert!(pageless.problem.as_deref().unwrap().contains("report.html: missing"));
    assert_eq!(lab.scan().await.problem, None);
}

#[tokio::test]
async fn only_pages_of_reports_are_read_however_they_are_asked_for() {
    let scratch = results();
    let lab = Lab::new(Some(scratch.path().to_owned()));
    assert_eq!(lab.page_at("all-1/mount/report.html").await.unwrap().unwrap(), b"<h1>both</h1>");
    for path in [
        "notes/readme.txt",
        "mount-1/result.json",
        "../report.html",
        "mount-1/../mount-1/report.html",
        "/",
        "",
    ] {
        assert!(lab.page_at(path).await.is_none(), "{path}");
    }
    // What became a link after it was found is not followed.
    let page = scratch.path().join("mount-1/report.html");
    fs::remove_file(&page).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &page).unwrap();
    assert!(lab.page_at("mount-1/report.html").await.is_none_or(|read| read.is_err()));
    let (moved, there) = (scratch.path().join("moved"), scratch.path().join("all-1"));
    fs::rename(&there, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &there).unwrap();
    assert!(lab.page_at("all-1/compare.html").await.is_none_or(|read| read.is_err()));
}

#[tokio::test]
async fn what_changes_is_read_again_and_ids_stay() {
    let scratch = results();
    let first = Scan::of(scratch.path(), &Scan::default());
    put(scratch.path(), "broken/result.json", &run("local", "2026-11-22T20:00:00Z", "fail").to_string());
    let second = Scan::of(scratch.path(), &first);
    let views = |scan: &Scan| scan.entries.iter().map(|entry| entry.view.clone()).collect::<Vec<_>>();
    let (first, second) = (views(&first), views(&second));
    let of = |views| at(views, "broken", LabReportKind::Run).clone();
    assert_eq!((of(&first).id, of(&second).runs.len()), (of(&second).id, 1));
    assert_eq!(at(&first, "mount-1", LabReportKind::Run), at(&second, "mount-1", LabReportKind::Run));
}

#[tokio::test]
async fn a_missing_directory_and_none_are_no_failure() {
    let lab = Lab::new(Some("/nonexistent/results".into()));
    let problem = lab.scan().await.problem.clone().unwrap();
    assert!(problem.contains("lab.results_directory /nonexistent/results: cannot be read"), "{problem}");
    let none = Lab::new(None);
    assert!(none.scan().await.entries.is_empty() && none.directory().is_none());
}

#[tokio::test]
async fn a_page_that_is_too_large_is_not_shown() {
    let scratch = results();
    let file = fs::File::options().write(true).open(scratch.path().join("mount-1/report.html")).unwrap();
    file.set_len(PAGE_BYTES_MAX + 1).unwrap();
    let lab = Lab::new(Some(scratch.path().to_owned()));
    let views = views(&lab).await;
    let large = at(&views, "mount-1", LabReportKind::Run);
    assert_eq!(large.page_bytes, None);
    assert!(large.problem.as_deref().unwrap().contains("larger than 16 MiB"));
    assert!(lab.page_at("mount-1/report.html").await.unwrap().is_err());
}
