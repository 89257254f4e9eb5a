//! The reference pages are what the code says.

use crate::daemon::run;

fn assert_current(page: &str, file: &str) {
    let path = format!("{}/../../docs/reference/{file}", env!("CARGO_MANIFEST_DIR"));
    let printed = run(&["reference", page]).stdout;
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    // What follows is about the lab, and checked by its own tests.
    let stored = stored.split("\n## The lab\n").next().unwrap_or_default();
    assert!(printed == stored, "docs/reference/{file} differs from the code: run `make docs`");
}

#[test]
fn the_configuration_page_is_current() {
    assert_current("configuration", "configuration.md");
}

#[test]
fn the_command_line_page_is_current() {
    assert_current("command-line", "command-line.md");
}

#[test]
fn the_openapi_document_is_current() {
    assert_current("openapi", "openapi.json");
}

#[test]
fn the_metrics_page_is_current() {
    assert_current("metrics", "metrics.md");
}

#[test]
fn the_page_of_s3_operations_is_current() {
    assert_current("s3-operations", "s3-operations.md");
}

#[test]
fn the_page_on_alerts_is_current() {
    assert_current("alerts", "alerts.md");
}
