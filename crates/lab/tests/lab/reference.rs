//! The lab's part of the command-line reference is what the code says.

use std::fs;

use crate::lab;

#[test]
fn the_command_line_page_is_current() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/command-line.md");
    let page = fs::read_to_string(page).unwrap();
    let printed = String::from_utf8(lab(&["reference"]).output().unwrap().stdout).unwrap();
    let at = page.find("\n## The lab\n").unwrap_or(page.len());
    assert!(page[at..] == printed, "docs/reference/command-line.md differs from the code: run `make docs`");
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    assert!(lab(&["man"]).arg(folder.path()).status().unwrap().success());
    let page = fs::read_to_string(folder.path().join("forebay-lab-run.1")).unwrap();
    assert!(page.contains("bootstrap\\-server"), "{page}");
}
