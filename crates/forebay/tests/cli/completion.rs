//! A shell completes the command line, with names that the running daemon has.

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::tempdir;

use crate::daemon::{Daemon, finish, forebay};

/// The completions that fish offers for these words, without options. The last word is still being typed.
pub fn offered(program: &Path, search_path: Option<&Path>, words: &[&str]) -> Vec<String> {
    let mut command = std::process::Command::new(program);
    command
        .env("COMPLETE", "fish")
        .env("XDG_RUNTIME_DIR", "/nonexistent")
        .args(["--", "forebay"])
        .args(words);
    if let Some(path) = search_path {
        command.env("PATH", path);
    }
    let done = finish(&mut command);
    assert_eq!((done.status, done.stderr.as_str()), (0, ""), "{words:?}");
    let words = done.stdout.lines().map(|line| line.split('\t').next().unwrap_or_default());
    words.filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
}

fn program() -> std::path::PathBuf {
    forebay().get_program().into()
}

#[test]
fn names_of_the_running_daemon_are_completed() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--pool-size-max", "1GiB"]);
    for name in ["orders", "payments"] {
        daemon.done(&["volume", "create", name]);
    }
    daemon.done(&["snapshot", "create", "orders", "nightly"]);
    daemon.done(&["export", "create", "brokers"]);
    daemon.done(&["user", "set", "olga", "--role", "operator"]);
    let pool = daemon.pool.to_str().unwrap();
    let at = |words: &[&str]| {
        let (command, rest) = words.split_at(2);
        offered(&program(), None, &[command, &["--pool-directory", pool], rest].concat())
    };
    assert_eq!(at(&["volume", "show", "o"]), ["orders"]);
    assert_eq!(at(&["snapshot", "create", "kafka,p"]), ["kafka,payments"]);
    assert_eq!(at(&["snapshot", "delete", ""]), ["orders@nightly"]);
    assert_eq!(at(&["volume", "rollback", "orders", "--to", ""]), ["nightly"]);
    assert_eq!(at(&["volume", "modify", "orders", "--export", "b"]), ["brokers"]);
    assert_eq!(at(&["user", "delete", "ol"]), ["olga"]);
    assert_eq!(at(&["kafka", "snapshot", "o"]), ["orders@nightly"]);
    assert!(at(&["volume", "create", "o"]).is_empty(), "a new name is free");
    daemon.done(&["volume", "delete", "payments"]);
    assert_eq!(at(&["volume", "recover", ""]), ["payments"]);
    daemon.stop();
}

#[test]
fn without_a_daemon_there_are_no_names_no_messages_and_no_delay() {
    let scratch = tempdir().unwrap();
    let pool = scratch.path().to_str().unwrap();
    let begun = Instant::now();
    assert!(offered(&program(), None, &["volume", "show", "--pool-directory", pool, "o"]).is_empty());
    // A daemon that accepts and does not answer.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    assert!(offered(&program(), None, &["volume", "show", "--server", &url, "o"]).is_empty());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(offered(&program(), None, &["volume", "sh"]).contains(&"show".to_owned()));
}
