//! The reference pages are what the code says.

use crate::daemon::run;

fn assert_current(page: &str) {
    let path = format!("{}/../../docs/reference/{page}.md", env!("CARGO_MANIFEST_DIR"));
    let printed = run(&["reference", page]).stdout;
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(printed == stored, "docs/reference/{page}.md differs from the code: run `make docs`");
}

#[test]
fn the_configuration_page_is_current() {
    assert_current("configuration");
}

#[test]
fn the_command_line_page_is_current() {
    assert_current("command-line");
}
