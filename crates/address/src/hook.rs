//! Programs that the operator provides, to move an address or to fence a machine.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How much of the end of a program's output is kept, in bytes, for each of standard output and standard error.
const OUTPUT_MAX: usize = 4096;
/// How long output is awaited after the program ended. A program that it left in the background may keep its output open.
const OUTPUT_PATIENCE: Duration = Duration::from_millis(200);
/// How long a killed program may take to end. One that waits for a disk may take for ever.
const KILL_PATIENCE: Duration = Duration::from_secs(1);

/// A program that runs at certain moments, such as when an address is acquired.
///
/// It is started as `PROGRAM ACTION ARGUMENTS…` without a shell, in a process group of its own, with the environment of this process and
/// no standard input. Exit status 0 means success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The program's absolute path.
    pub program: PathBuf,
    /// How long it may run. Then its process group is killed.
    pub timeout: Duration,
}

/// Why a hook failed. Each message names the program.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// The path of the program is relative.
    #[error("hook {program}: give the absolute path of the program", program = program.display())]
    NotAbsolute {
        /// The program.
        program: PathBuf,
    },
    /// The program does not exist, or may not be looked up.
    #[error("hook {program}: {source}; it must be a program that exists on this machine", program = program.display())]
    Missing {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program is no file, or this process may not execute it.
    #[error("hook {program} is not executable; make it so with `chmod +x {program}`", program = program.display())]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The system cannot start the program.
    #[error(
        "hook {program} cannot be started: {source}; it must be a binary for this machine, or a script whose first line is \
         like `#!/bin/sh`",
        program = program.display()
    )]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The program ended with another status than 0.
    #[error(
        "hook `{program} {action}` failed with {status}: {output}; run it by hand to find out why",
        program = program.display(),
        status = describe(*status)
    )]
    Failed {
        /// The program.
        program: PathBuf,
        /// What it was run for.
        action: String,
        /// How it ended.
        status: ExitStatus,
        /// The last line that it wrote to standard error, or to standard output if there is none.
        output: String,
    },
    /// The program ran for too long, and was killed.
    #[error(
        "hook `{program} {action}` did not end within {seconds} s and was killed; its output: {output}",
        program = program.display(),
        seconds = limit.as_secs_f64()
    )]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// What it was run for.
        action: String,
        /// How long it was allowed to run.
        limit: Duration,
        /// The last line that it wrote, as in `Failed`.
        output: String,
    },
}

impl Hook {
    /// Checks that the program exists and may be executed, so that a wrong path is found when the daemon starts, not when it
    /// takes over.
    ///
    /// # Errors
    /// [`HookError::NotAbsolute`], [`HookError::Missing`] or [`HookError::NotExecutable`].
    pub fn check(&self) -> Result<(), HookError> {
        let program = || self.program.clone();
        if !self.program.is_absolute() {
            return Err(HookError::NotAbsolute { program: program() });
        }
        let metadata = std::fs::metadata(&self.program)
            .map_err(|source| HookError::Missing { program: program(), source })?;
        if !metadata.is_file() || access(&self.program, Access::EXEC_OK).is_err() {
            return Err(HookError::NotExecutable { program: program() });
        }
        Ok(())
    }

    /// Runs the program and waits for it.
    ///
    /// `action` is its first argument: "acquire", "release" or "fence". `environment` is added to the environment of this process.
    ///
    /// The program, and all that is in its process group, is killed if it runs for too long or if the future is dropped. What it
    /// leaves in the background when it ends in time keeps running, but can no longer write to the output that it inherited.
    ///
    /// # Errors
    /// The errors of [`Hook::check`], [`HookError::Start`], [`HookError::Failed`] or [`HookError::TimedOut`].
    pub async fn run(
        &self,
        action: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<(), HookError> {
        self.check()?;
        let child = Command::new(&self.program)
            .arg(action)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| HookError::Start { program: self.program.clone(), source })?;
        let mut group = Group(child);
        let output = Output::of(&mut group.0);

        let ended = timeout(self.timeout, group.0.wait()).await;
        if ended.is_err() {
            group.kill();
            // The error below says more than whether it could be killed.
            let _ = timeout(KILL_PATIENCE, group.0.wait()).await;
        }
        let program = self.program.clone();
        let output = output.last_line().await;
        match ended {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(HookError::Failed { program, action: action.to_owned(), status, output }),
            Ok(Err(source)) => Err(HookError::Start { program, source }),
            Err(_) => {
                Err(HookError::TimedOut { program, action: action.to_owned(), limit: self.timeout, output })
            }
        }
    }
}

/// A program that leads a process group. If it is still running when this is dropped, the group is killed.
struct Group(Child);

impl Group {
    fn kill(&self) {
        // The number is there until the program was waited for. Until then no other group can have it.
        let leader = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(leader) = leader {
            // It fails only if nobody is left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a program writes, while it runs.
struct Output {
    stdout: Tail,
    stderr: Tail,
    readers: JoinSet<()>,
}

type Tail = Arc<Mutex<VecDeque<u8>>>;

impl Output {
    fn of(child: &mut Child) -> Self {
        let mut output = Self { stdout: Tail::default(), stderr: Tail::default(), readers: JoinSet::new() };
        if let Some(stdout) = child.stdout.take() {
            output.readers.spawn(keep_tail(stdout, output.stdout.clone()));
        }
        if let Some(stderr) = child.stderr.take() {
            output.readers.spawn(keep_tail(stderr, output.stderr.clone()));
        }
        output
    }

    /// The last line of the program that has ended.
    async fn last_line(mut self) -> String {
        let all_read = async { while self.readers.join_next().await.is_some() {} };
        // Without the rest there is still what was read.
        let _ = timeout(OUTPUT_PATIENCE, all_read).await;
        let lines = [&self.stderr, &self.stdout].into_iter().map(last_line);
        lines.into_iter().flatten().next().unwrap_or_else(|| "it wrote nothing".to_owned())
    }
}

/// Reads until the end, so that the program never waits for a reader.
async fn keep_tail(mut from: impl AsyncRead + Unpin, tail: Tail) {
    let mut buffer = [0; OUTPUT_MAX];
    while let Ok(len @ 1..) = from.read(&mut buffer).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&buffer[..len]);
        let excess = tail.len().saturating_sub(OUTPUT_MAX);
        tail.drain(..excess);
    }
}

/// The last line that is not blank, without what would confuse a terminal or a log.
fn last_line(tail: &Tail) -> Option<String> {
    let bytes: Vec<u8> = tail.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).collect())
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}
