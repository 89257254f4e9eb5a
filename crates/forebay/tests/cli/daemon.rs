//! Runs `forebay`, and keeps a `forebay serve` running for a test.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

/// Longer than anything here takes, also on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// A command that sees nothing of the caller's own configuration.
pub fn forebay() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    // Otherwise commands without options would find daemons of other tests.
    command.env("XDG_RUNTIME_DIR", "/nonexistent");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FOREBAY_") {
            command.env_remove(name);
        }
    }
    command
}

/// What a finished command left.
#[derive(Debug)]
pub struct Finished {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Finished {
    let output = command.output().unwrap();
    Finished {
        status: output.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `forebay` with these arguments to its end.
pub fn run(arguments: &[&str]) -> Finished {
    finish(forebay().args(arguments))
}

/// Asserts that a command failed with one line, without a backtrace, that says all of `parts`.
pub fn assert_refused(finished: &Finished, status: i32, parts: &[&str]) {
    assert_eq!(finished.status, status, "{finished:?}");
    let complaint = finished.stderr.lines().filter(|line| line.starts_with("forebay: ")).collect::<Vec<_>>();
    assert_eq!(complaint.len(), 1, "{finished:?}");
    assert_eq!(finished.stderr.lines().next_back(), Some(complaint[0]), "{finished:?}");
    for part in parts {
        assert!(complaint[0].contains(part), "{part:?} is not in {:?}", complaint[0]);
    }
}

/// Waits until `condition` holds.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "not within {DEADLINE:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A `forebay serve` that clients can connect to. Killed when dropped.
pub struct Daemon {
    child: Child,
    pub pool: PathBuf,
    pub ready: String,
    printed: Arc<Mutex<String>>,
    log: PathBuf,
}

impl Daemon {
    /// Starts one on the pool in `scratch`, on a free port, and waits until it is ready.
    pub fn start(scratch: &Path) -> Daemon {
        Daemon::start_with(scratch, &[])
    }

    /// The same with more arguments.
    pub fn start_with(scratch: &Path, arguments: &[&str]) -> Daemon {
        Daemon::start_in(scratch, arguments, &[])
    }

    /// The same in an environment.
    pub fn start_in(scratch: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Daemon {
        Daemon::start_by(forebay(), scratch, arguments, environment)
    }

    /// One whose writes can be made to fail with [`Daemon::fail_writes`].
    pub fn start_that_survives_file_limits(scratch: &Path, arguments: &[&str]) -> Daemon {
        let program = forebay();
        let mut shell = Command::new("sh");
        // What a shell ignores, the program ignores, too: it gets EFBIG instead of the signal.
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(program.get_program());
        for (name, _) in program.get_envs() {
            shell.env_remove(name);
        }
        Daemon::start_by(shell, scratch, arguments, &[])
    }

    /// From now on the daemon can write to no file, as if the disk failed.
    pub fn fail_writes(&self) {
        let limit = Rlimit { current: Some(0), maximum: Some(0) };
        prlimit(Some(Pid::from_child(&self.child)), Resource::Fsize, limit).unwrap();
    }

    fn start_by(
        mut program: Command,
        scratch: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Daemon {
        let pool = scratch.join("pool");
        let log = scratch.join("log");
        let mut child = program
            .args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0", "--pool-directory"])
            .arg(&pool)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let (sender, receiver) = mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        let printed = Arc::<Mutex<String>>::default();
        let said = printed.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                *said.lock().unwrap() += &format!("{line}\n");
                if line.starts_with("ready:") {
                    let _ = sender.send(line);
                }
            }
        });
        let mut daemon = Daemon { child, pool, ready: String::new(), printed, log };
        daemon.ready = receiver
            .recv_timeout(DEADLINE)
            .unwrap_or_else(|error| panic!("not ready: {error}: {}", daemon.log()));
        daemon
    }

    /// What it has printed when it was ready.
    pub fn greeting(&self) -> String {
        // The lines come together, and the first one has been read.
        wait_until("the daemon says where the console is", || {
            self.printed.lock().unwrap().contains("console: ")
        });
        std::thread::sleep(Duration::from_millis(100));
        self.printed.lock().unwrap().clone()
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The address that clients connect to, from its ready line.
    pub fn address(&self) -> SocketAddr {
        let port = self.ready.split("port=").nth(1).unwrap().split_whitespace().next().unwrap();
        format!("127.0.0.1:{port}").parse().unwrap()
    }

    /// The URL of its API over TCP, from its log.
    pub fn api(&self) -> String {
        let find = || {
            let log = self.log();
            let said = log.split("the API at ").nth(1)?;
            Some(
                said.split(|letter: char| letter.is_whitespace() || letter == '"')
                    .next()?
                    .trim_end_matches(',')
                    .to_owned(),
            )
        };
        wait_until("the API's address is logged", || find().is_some());
        find().unwrap()
    }

    /// The address of its S3 server, from its log.
    pub fn s3(&self) -> SocketAddr {
        let find = || {
            let log = self.log();
            let said = log.split("S3 at ").nth(1)?.split("://").nth(1)?;
            said.split(|letter: char| letter.is_whitespace() || letter == '"').next()?.parse().ok()
        };
        wait_until("the address of S3 is logged", || find().is_some());
        find().unwrap()
    }

    /// The path of its admin socket.
    pub fn socket(&self) -> PathBuf {
        self.pool.join("admin.sock")
    }

    /// Runs `forebay` with these arguments against this daemon.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        finish(forebay().args(arguments).arg("--pool-directory").arg(&self.pool))
    }

    /// The same, and it must succeed; returns what was printed.
    pub fn done(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        assert_eq!(finished.status, 0, "{arguments:?}: {finished:?}");
        finished.stdout
    }

    /// Sends a signal. With SIGSTOP it waits until every thread is stopped, which takes a moment.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        if signal == Signal::STOP {
            wait_until("the daemon is stopped", || self.is_stopped());
        }
    }

    fn is_stopped(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // The state is behind the name, which is in parentheses.
        let state = |stat: &str| stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        threads.flatten().all(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("stat"));
            stat.is_ok_and(|stat| state(&stat) == Some('T'))
        })
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        let child = &mut self.child;
        wait_until("the daemon ends", || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Stops it as an init system would; it must end well.
    pub fn stop(mut self) {
        self.signal(Signal::TERM);
        let status = self.wait();
        assert!(status.success(), "{status}: {}", self.log());
    }

    /// Kills it as a power loss would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
