//! The lab's command line, and that a run leaves nothing behind however it ends.
//!
//! Tests that start guests need root and a tap device; without them they do nothing but say so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(240);

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    command.arg("lab").args(arguments);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn can_start_guests() -> bool {
    let can = rustix::process::geteuid().is_root() && Path::new("/dev/net/tun").exists();
    if !can {
        eprintln!("skipped: guests need root and /dev/net/tun");
    }
    can
}

/// A run of the shortest experiment, in the background.
struct Run {
    child: Child,
    out: tempfile::TempDir,
}

impl Run {
    fn start() -> Self {
        let out = tempfile::tempdir().unwrap();
        let child = lab(&["run", "mount", "--storage", "local", "--out"])
            .arg(out.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, out }
    }

    fn state_folder(&self) -> PathBuf {
        PathBuf::from(format!("/run/forebay-lab/forebay-lab-{}", self.child.id()))
    }

    /// Returns once a guest's kernel runs.
    fn wait_for_guest(&self) {
        let console = self.out.path().join("logs/first-console.log");
        wait_until("a guest starts", || console.exists());
    }

    fn kill(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Processes whose command line names this run's folder: its worker, and its guests' kernels.
    fn processes(&self) -> usize {
        let folder = self.state_folder().to_string_lossy().into_owned();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).contains(&folder)).count()
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_experiment_and_storage_is_listed() {
    let output = lab(&["list"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success());
    for name in ["silly-rename", "restart", "posix", "bench", "knfsd-v3", "ganesha"] {
        assert!(text.contains(name), "{name} is not in {text}");
    }
}

#[test]
fn what_is_wrong_with_the_command_line_is_said_with_status_2() {
    for (arguments, named) in [
        (&["run", "no-such-experiment"][..], "no-such-experiment"),
        (&["run", "mount", "--storage", "floppy"], "floppy"),
        (&["run", "mount", "--storage", "local,local"], "local"),
        (&["run", "mount", "--profile", "huge"], "huge"),
    ] {
        let output = lab(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(named), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn without_root_it_says_so_and_starts_nothing() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
    // Another user cannot reach a program below root's home, so a copy is run.
    let folder =
        tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir();
    let folder = folder.unwrap();
    let copy = folder.path().join("forebay");
    fs::copy(program, &copy).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&copy)
        .args(["lab", "run", "mount"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("not root"), "{}", said(&output));
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    if !can_start_guests() {
        return;
    }
    let mut run = Run::start();
    run.wait_for_guest();
    run.kill(Signal::TERM);
    assert_eq!(run.child.wait().unwrap().code(), Some(130));
    assert_eq!(run.processes(), 0);
    assert!(!run.state_folder().exists());
}

#[test]
fn a_killed_run_takes_its_guests_along_and_the_next_run_removes_its_folders() {
    if !can_start_guests() {
        return;
    }
    let mut run = Run::start();
    run.wait_for_guest();
    run.kill(Signal::KILL);
    run.child.wait().unwrap();
    wait_until("its processes end", || run.processes() == 0);
    assert!(run.state_folder().exists());

    let mut next = Run::start();
    wait_until("the next run removes the folders", || !run.state_folder().exists());
    assert_eq!(next.child.wait().unwrap().code(), Some(0));
    assert_eq!(next.processes(), 0);
    assert!(!next.state_folder().exists());
    assert!(next.out.path().join("result.json").exists() && next.out.path().join("report.html").exists());
}
