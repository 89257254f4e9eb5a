//! Runs on a directory of this host (`mount:DIR`): what they refuse, and that they leave nothing there however they end.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Run, can_run_kafka, lab, said, wait_until};

fn can_run() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("skipped: namespaces need root");
    }
    root && can_run_kafka()
}

/// A run with brokers on this host, and the directory that they use.
struct Native {
    run: Run,
    storage: tempfile::TempDir,
}

impl Native {
    fn start() -> Self {
        let storage = tempfile::tempdir().unwrap();
        let run = Run::of(&["silly-rename", "--storage", &format!("mount:{}", storage.path().display())]);
        Self { run, storage }
    }

    /// Returns once programs run that write to the directory.
    fn wait_for_brokers(&self) {
        let log = self.run.out.path().join("logs/broker1.log");
        wait_until("a broker starts", || fs::metadata(&log).is_ok_and(|stat| stat.len() > 0));
        assert_eq!(self.left().len(), 1, "the run has one folder of its own");
    }

    fn left(&self) -> Vec<PathBuf> {
        fs::read_dir(self.storage.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// The worker, not the program that gives it its namespaces.
    fn worker(&self) -> Pid {
        let lines = self.run.command_lines();
        let worker = lines.iter().find(|(_, words)| words.get(1).is_some_and(|word| word == "worker"));
        Pid::from_raw(worker.unwrap().0).unwrap()
    }

    fn assert_nothing_left(&self) {
        assert_eq!(self.left(), Vec::<PathBuf>::new());
        assert_eq!(self.run.processes(), 0);
        assert!(!self.run.state_folder().exists());
        assert_eq!(control_groups(self.run.child.id()), Vec::<PathBuf>::new());
    }
}

/// The control groups of a run, wherever the machine keeps them.
fn control_groups(supervisor: u32) -> Vec<PathBuf> {
    let name = format!("forebay-lab-{supervisor}");
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .map(|root| Path::new(root).join(&name))
        .into_iter()
        .filter(|group| group.exists())
        .collect()
}

#[test]
fn a_directory_that_cannot_be_used_is_refused_with_the_reason() {
    if !can_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    for (path, reason) in
        [(folder.path().join("missing"), "there is no directory"), (file, "is not a directory")]
    {
        let output = lab(&["run", "silly-rename", "--storage", &format!("mount:{}", path.display())])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(reason), "{}", said(&output));
    }
}

#[test]
fn an_interrupted_run_on_a_directory_leaves_nothing_there_and_says_where_it_stopped() {
    if !can_run() {
        return;
    }
    let mut native = Native::start();
    native.wait_for_brokers();
    native.run.kill(Signal::INT);
    assert_eq!(native.run.status(), Some(130));
    native.assert_nothing_left();
    assert!(native.run.said().contains("interrupted at: brokers"), "{}", native.run.said());
}

#[test]
fn a_killed_worker_leaves_nothing_and_it_is_told_where_it_was() {
    if !can_run() {
        return;
    }
    let mut native = Native::start();
    native.wait_for_brokers();
    kill_process(native.worker(), Signal::KILL).unwrap();
    assert_eq!(native.run.status(), Some(1));
    native.assert_nothing_left();
    assert!(native.run.said().contains("brokers"), "{}", native.run.said());
}

#[test]
fn what_a_killed_run_left_in_a_directory_is_removed_by_the_next_run() {
    if !can_run() {
        return;
    }
    let mut native = Native::start();
    native.wait_for_brokers();
    native.run.kill(Signal::KILL);
    native.run.status();
    wait_until("its processes end", || native.run.processes() == 0);
    assert_eq!(native.left().len(), 1);
    // It cannot run, but it cleans up before it says so.
    let output = lab(&["run", "silly-rename", "--storage", "mount:/no/such/directory"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    native.assert_nothing_left();
}
