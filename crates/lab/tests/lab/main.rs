//! The lab's command line, and that a run leaves nothing behind however it ends.
//!
//! Tests that start guests need root and a tap device; without them they do nothing but say so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod cluster;
mod native;
mod object_store;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A fresh machine downloads Kafka and builds the load driver within it.
const PATIENCE: Duration = Duration::from_secs(600);

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay-lab"));
    command.args(arguments);
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

/// Whether Kafka can be run, with root's help or without. The first test that needs it has the lab build it.
fn can_run_kafka() -> bool {
    let there = |program| Command::new(program).arg("-version").output().is_ok();
    let can = there("java") && there("mvn");
    if !can {
        eprintln!("skipped: Kafka needs java and mvn");
    }
    can
}

/// A run in the background.
struct Run {
    child: Child,
    out: tempfile::TempDir,
}

impl Run {
    /// Of the shortest experiment.
    fn start() -> Self {
        Self::of(&["mount", "--storage", "local"])
    }

    /// Of what the command line says.
    fn of(arguments: &[&str]) -> Self {
        Self::with(arguments, |_| {})
    }

    /// The same, with a change of the command.
    fn with(arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let out = tempfile::tempdir().unwrap();
        let said = fs::File::create(out.path().join("stderr")).unwrap();
        let mut command = lab(&[&["run"], arguments].concat());
        command.arg("--out").arg(out.path()).stdout(Stdio::null()).stderr(said);
        change(&mut command);
        Self { child: command.spawn().unwrap(), out }
    }

    /// What it said so far.
    fn said(&self) -> String {
        fs::read_to_string(self.out.path().join("stderr")).unwrap()
    }

    /// Waits until it has ended; returns its exit status.
    fn status(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
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
        self.command_lines().len()
    }

    /// Their pids, and their words.
    fn command_lines(&self) -> Vec<(i32, Vec<String>)> {
        let folder = self.state_folder().to_string_lossy().into_owned();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let line = |entry: fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = String::from_utf8_lossy(&fs::read(entry.path().join("cmdline")).ok()?).into_owned();
            line.contains(&folder).then(|| (pid, line.split('\0').map(str::to_owned).collect()))
        };
        entries.filter_map(line).collect()
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
    for name in ["silly-rename", "restart", "posix", "bench", "knfsd-v3", "ganesha", "mount:DIR"]
        .into_iter()
        .chain(["object-store", "versitygw", "garage", "minio"])
    {
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
        (&["run", "silly-rename", "--storage", "mount:"], "names no directory"),
        (&["run", "silly-rename", "--storage", "mount:/a,b"], "comma"),
        (&["run", "mount", "--storage", "forebay,mount:/tmp"], "mount:/tmp has none"),
        (&["run", "silly-rename", "--bootstrap-server", "kafka:9092"], "cluster of its own"),
        (&["run", "throughput", "--bootstrap-server", "kafka"], "HOST:PORT"),
        (&["run", "throughput", "--bootstrap-server", "kafka:9092", "--storage", "local"], "--storage"),
        (&["run", "throughput", "--client-config", "/a"], "--bootstrap-server"),
        (&["run", "nonsense"], "there is no experiment \"nonsense\""),
        (&["run", "silly-rename", "--storage", "local,local"], "storage local is named twice"),
        (&["run", "silly-rename", "--part", "drivers"], "silly-rename has no part \"drivers\""),
        (
            &["run", "silly-rename", "--storage", "forebay", "--expect-fail", "knfsd-v3"],
            "silly-rename is not run on knfsd-v3 here",
        ),
        (&["run", "throughput", "--expect-fail", "local"], "--expect-fail local is about that of one"),
        (&["run", "restart", "--storage", "local"], "restart cannot be run on local"),
        (&["run", "mount", "--storage", "minio"], "mount cannot be run on minio"),
        (&["run", "mount", "--fault", "daemon-kill"], "experiment mount has no tier"),
        (&["run", "tier-correctness", "--tier", "floppy"], "floppy"),
        (&["run", "tier-fetch", "--fault", "daemon-kill"], "experiment tier-fetch is without faults"),
        (&["run", "kafka-tiering", "--fault", "daemon-kill"], "experiment kafka-tiering is without faults"),
        (&["run", "tier-retention", "--fault", "daemon-kill"], "experiment tier-retention is without faults"),
        (&["run", "throughput", "--storage", "http://s3.example"], "cannot be run on http://s3.example"),
        (&["run", "object-store", "--storage", "local"], "object-store cannot be run on local"),
        (&["run", "object-store", "--storage", "http://key:secret@s3.example"], "AWS_ACCESS_KEY_ID"),
    ] {
        let output = lab(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(named), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn a_daemon_that_is_missing_is_named_with_what_to_do() {
    let output = lab(&["run", "mount", "--daemon", "/nowhere/forebay"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("no daemon to test at /nowhere/forebay"), "{}", said(&output));
}

#[test]
fn reports_are_asked_of_the_daemons_program() {
    let output = lab(&["reports", "--json"]).env("FOREBAY_LAB_DAEMON", "/bin/echo").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "lab reports --json\n", "{}", said(&output));
}

#[test]
fn without_root_it_says_so_and_starts_nothing() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_forebay-lab"));
    // Another user cannot reach a program below root's home, so a copy is run.
    let folder =
        tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir();
    let folder = folder.unwrap();
    let copy = folder.path().join("forebay-lab");
    fs::copy(program, &copy).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&copy)
        .args(["run", "mount", "--storage", "local"])
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
