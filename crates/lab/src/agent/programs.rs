//! Runs one program for the worker, and streams its output over the connection of the request.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::wire::{self, Exit, Program, Reply, Request, STDERR, STDIN, STDOUT};

/// How long to wait for the rest of a program's output after it has ended. A child that it left running may keep the pipe open
/// forever.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// The connection, shared by all writers.
type Sink = Arc<Mutex<TcpStream>>;

/// Starts the program, streams its output, delivers signals, and replies how the program ended. Returns when it has ended.
pub fn run(program: &Program, mut stream: TcpStream) -> Result<()> {
    let mut child = match start(program) {
        Ok(child) => child,
        Err(error) => return Ok(wire::write_message(&mut stream, &Reply::Failed(format!("{error:#}")))?),
    };
    let pid = i32::try_from(child.id()).context("pid out of range")?;
    wire::write_message(&mut stream, &Reply::Started(pid))?;

    let ended = Arc::new(AtomicBool::new(false));
    obey(stream.try_clone()?, pid, child.stdin.take(), Arc::clone(&ended));
    let sink: Sink = Arc::new(Mutex::new(stream));
    let (done, all_read) = mpsc::channel();
    pump(child.stdout.take(), STDOUT, &sink, done.clone());
    pump(child.stderr.take(), STDERR, &sink, done);

    let status = child.wait().context("wait for a program")?;
    ended.store(true, Ordering::SeqCst);
    for _ in [STDOUT, STDERR] {
        if all_read.recv_timeout(OUTPUT_GRACE).is_err() {
            break;
        }
    }
    let exit = Exit { code: status.code(), signal: status.signal() };
    let mut stream = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    wire::write_message(&mut *stream, &Reply::Exited(exit))?;
    Ok(stream.shutdown(Shutdown::Both)?)
}

fn start(program: &Program) -> Result<Child> {
    let (name, arguments) = program.argv.split_first().context("no program given")?;
    let mut command = Command::new(name);
    command.args(arguments).envs(program.env.iter().map(|(key, value)| (key, value)));
    command.current_dir(program.folder.as_deref().unwrap_or(std::path::Path::new("/")));
    let stdin = if program.takes_input { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command.spawn().with_context(|| format!("start {name}"))
}

/// Copies one output of the program to the connection. Signals the end of the output.
fn pump(source: Option<impl Read + Send + 'static>, kind: u8, sink: &Sink, done: mpsc::Sender<()>) {
    let sink = Arc::clone(sink);
    std::thread::spawn(move || {
        let mut buffer = [0u8; 16 << 10];
        let mut source = source;
        while let Some(Ok(count @ 1..)) = source.as_mut().map(|source| source.read(&mut buffer)) {
            let mut stream = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // If the connection is closed, the program will be killed. Its output must be drained so that it can end.
            let _ = wire::write_frame(&mut *stream, kind, buffer.get(..count).unwrap_or_default());
        }
        let _ = done.send(());
    });
}

/// Passes the worker's signals to the program's process group, and input to the program. Kills the program when the worker disconnects.
fn obey(mut stream: TcpStream, pid: i32, mut stdin: Option<ChildStdin>, ended: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        loop {
            let signal = match wire::read_frame(&mut stream) {
                Ok(Some((STDIN, bytes))) => {
                    // Fails if the program has closed its standard input.
                    stdin = stdin.filter(|mut stdin| !bytes.is_empty() && stdin.write_all(&bytes).is_ok());
                    continue;
                }
                Ok(Some((_, message))) => match serde_json::from_slice(&message) {
                    Ok(Request::Signal(number)) => Signal::from_named_raw(number),
                    _ => continue,
                },
                Ok(None) | Err(_) => Some(Signal::KILL),
            };
            let hung_up = signal == Some(Signal::KILL);
            if ended.load(Ordering::SeqCst) {
                return;
            }
            if let (Some(pid), Some(signal)) = (Pid::from_raw(pid), signal) {
                let _ = kill_process_group(pid, signal);
            }
            if hung_up {
                return;
            }
        }
    });
}
