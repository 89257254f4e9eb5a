//! Runs on object stores: without root, and what they leave.

use crate::{Run, can_run_kafka, lab, said};

/// Nothing listens there: the discard port of the loopback address.
const NOBODY: &str = "http://127.0.0.1:9";

#[test]
fn a_store_without_a_key_is_refused_with_the_names_of_the_variables() {
    if !can_run_kafka() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let output = lab(&["run", "object-store", "--storage", NOBODY, "--out"])
        .arg(out.path())
        .env_remove("AWS_ACCESS_KEY_ID")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("AWS_ACCESS_KEY_ID is not set"), "{}", said(&output));
}

#[test]
fn a_store_that_does_not_answer_could_not_be_checked_and_the_run_leaves_nothing() {
    if !can_run_kafka() {
        return;
    }
    let mut run = Run::with(&["object-store", "--storage", NOBODY], |command| {
        command.env("AWS_ACCESS_KEY_ID", "nobody").env("AWS_SECRET_ACCESS_KEY", "a-secret-of-nobody");
    });
    assert_eq!(run.status(), Some(1), "{}", run.said());
    assert!(run.said().contains("the tool ended early"), "{}", run.said());
    assert!(!run.said().contains("a-secret-of-nobody"), "{}", run.said());
    assert!(!run.out.path().join("result.json").exists());
    assert!(!run.state_folder().exists());
    assert_eq!(run.processes(), 0);
}
