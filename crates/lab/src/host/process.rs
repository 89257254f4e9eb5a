//! A program that runs inside a guest.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::wire::{self, Exit, Program, Reply, Request, STDERR, STDIN, STDOUT};

/// Bytes of each output that are kept in memory for [`Process::output`]; the rest goes to the log only.
const OUTPUT_BYTES_MAX: usize = 4 << 20;

/// A program to start in a guest, like [`std::process::Command`].
#[derive(Debug, Clone)]
pub struct GuestCommand {
    program: Program,
    log: Option<PathBuf>,
    is_passed_through: bool,
}

impl GuestCommand {
    /// A program in the guest's search path; the guest has the host's root file system.
    pub fn new(program: impl Into<String>) -> Self {
        Self::from_words([program.into()])
    }

    /// A program and its arguments.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Self {
        let argv = words.into_iter().collect();
        let program = Program { argv, env: Vec::new(), folder: None, takes_input: false };
        Self { program, log: None, is_passed_through: false }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, word: impl Into<String>) -> Self {
        self.program.argv.push(word.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.program.argv.extend(words.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.program.env.push((key.into(), value.into()));
        self
    }

    /// Sets the working folder, in the guest.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.program.folder = Some(folder.into());
        self
    }

    /// Appends both outputs to a file on the host as they arrive, so that the file has everything that the program wrote before it ended.
    #[must_use]
    pub fn log(mut self, path: impl Into<PathBuf>) -> Self {
        self.log = Some(path.into());
        self
    }

    /// Accepts input ([`Process::feed`]).
    #[must_use]
    pub fn with_input(mut self) -> Self {
        self.program.takes_input = true;
        self
    }

    /// Writes both outputs to those of this process as they arrive, and accepts input ([`Process::feed`]).
    #[must_use]
    pub fn pass_through(mut self) -> Self {
        self.program.takes_input = true;
        self.is_passed_through = true;
        self
    }

    fn name(&self) -> &str {
        self.program.argv.first().map_or("", String::as_str)
    }
}

impl std::fmt::Display for GuestCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.program.argv.join(" "))
    }
}

/// The outputs of a program, and how it ended.
#[derive(Debug, Clone)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output (the first 4 MiB).
    pub stdout: String,
    /// Its standard error (the first 4 MiB).
    pub stderr: String,
}

/// A running or ended program in a guest. Dropping it ends the program and everything that it started.
#[derive(Debug)]
pub struct Process {
    name: String,
    stream: TcpStream,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    end: Option<End>,
}

#[derive(Debug, Clone)]
enum End {
    Exited(Exit),
    /// The connection broke, because the guest has ended.
    Lost(String),
}

impl Process {
    /// Starts a program over a fresh connection to a guest's agent.
    pub(super) fn start(command: &GuestCommand, mut stream: TcpStream) -> Result<Self> {
        let name = command.name().to_owned();
        wire::write_message(&mut stream, &Request::Spawn(command.program.clone()))?;
        match wire::read_message(&mut stream)? {
            Reply::Started(_) => {}
            Reply::Failed(why) => bail!("{why}"),
            other => bail!("unexpected answer to the start of {name}: {other:?}"),
        }
        stream.set_read_timeout(None)?;
        let log = match &command.log {
            Some(path) => Some(
                File::options()
                    .create(true)
                    .append(true)
                    .open(path)
                    .with_context(|| format!("open the log {}", path.display()))?,
            ),
            None => None,
        };
        let shared = Arc::new(Shared::default());
        let reader = stream.try_clone()?;
        let theirs = Arc::clone(&shared);
        let outlets = OutputSinks { log, is_passed_through: command.is_passed_through };
        std::thread::spawn(move || theirs.follow(reader, outlets));
        Ok(Self { name, stream, shared })
    }

    /// How it ended, or `None` while it runs. An error means that the guest has ended.
    pub fn exit(&self) -> Result<Option<Exit>> {
        let end = self.shared.lock().end.clone();
        end.map(|end| self.exit_of(end)).transpose()
    }

    /// Copies a source to its standard input. The caller must send nothing else to it during that time.
    pub fn feed(&self, mut source: impl Read) -> Result<()> {
        let mut buffer = [0u8; 16 << 10];
        loop {
            let count = source.read(&mut buffer).with_context(|| format!("read input for {}", self.name))?;
            let bytes = buffer.get(..count).unwrap_or_default();
            if let Err(error) = wire::write_frame(&mut &self.stream, STDIN, bytes) {
                // The program has ended, and needs no more input.
                return if self.exit()?.is_some() { Ok(()) } else { Err(error.into()) };
            }
            if count == 0 {
                return Ok(());
            }
        }
    }

    /// Waits until it ends, without a time limit.
    pub fn wait_to_end(&self) -> Result<Exit> {
        let mut state = self.shared.lock();
        loop {
            if let Some(end) = state.end.clone() {
                return self.exit_of(end);
            }
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for its end.
    pub fn wait(&self, patience: Duration) -> Result<Exit> {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        loop {
            if let Some(end) = state.end.clone() {
                return self.exit_of(end);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("{} still runs after {} s", self.name, patience.as_secs());
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sends a signal, by number, to its process group.
    pub fn signal(&self, number: i32) -> Result<()> {
        if self.exit()?.is_some() {
            return Ok(());
        }
        wire::write_message(&mut &self.stream, &Request::Signal(number))
            .with_context(|| format!("send signal {number} to {}", self.name))
    }

    /// Ends it with SIGTERM, or with SIGKILL if it does not end. Waits until it has ended.
    pub fn stop(&self, patience: Duration) -> Result<Exit> {
        self.signal(15)?;
        if let Ok(exit) = self.wait(patience) {
            return Ok(exit);
        }
        self.signal(9)?;
        self.wait(patience)
    }

    /// Its standard output and standard error so far (the first 4 MiB of each).
    pub fn output(&self) -> (String, String) {
        let state = self.shared.lock();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&state.stdout), text(&state.stderr))
    }

    fn exit_of(&self, end: End) -> Result<Exit> {
        match end {
            End::Exited(exit) => Ok(exit),
            End::Lost(why) => bail!("the guest in which {} ran is gone: {why}", self.name),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The agent ends a program whose connection closes; the reader thread ends for the same reason.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// The destinations of outputs besides memory.
struct OutputSinks {
    log: Option<File>,
    is_passed_through: bool,
}

impl OutputSinks {
    fn write(&mut self, kind: u8, bytes: &[u8]) {
        // A failure to write the output must not end the program.
        if let Some(log) = &mut self.log {
            let _ = log.write_all(bytes);
        }
        if self.is_passed_through && kind == STDOUT {
            let _ = std::io::stdout().write_all(bytes).and_then(|()| std::io::stdout().flush());
        } else if self.is_passed_through {
            let _ = std::io::stderr().write_all(bytes);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads frames until the program ends or the connection breaks.
    fn follow(&self, mut stream: TcpStream, mut outlets: OutputSinks) {
        let end = loop {
            match wire::read_frame(&mut stream) {
                Ok(Some((kind @ (STDOUT | STDERR), bytes))) => {
                    outlets.write(kind, &bytes);
                    self.keep(kind, &bytes);
                }
                Ok(Some((_, message))) => match serde_json::from_slice(&message) {
                    Ok(Reply::Exited(exit)) => break End::Exited(exit),
                    other => break End::Lost(format!("unexpected message {other:?}")),
                },
                Ok(None) => break End::Lost("it closed the connection".into()),
                Err(error) => break End::Lost(error.to_string()),
            }
        };
        self.lock().end = Some(end);
        self.changed.notify_all();
    }

    fn keep(&self, kind: u8, bytes: &[u8]) {
        let mut state = self.lock();
        let kept = if kind == STDOUT { &mut state.stdout } else { &mut state.stderr };
        let room = OUTPUT_BYTES_MAX.saturating_sub(kept.len());
        kept.extend(bytes.iter().take(room));
    }
}
