//! The command line's side of the admin socket.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use super::protocol::{ANSWER_BYTES_MAX, Answer, Command, Outcome, Request, Response, VERSION};

/// Longer than any command takes but a check, so that a daemon that hangs does not hang the caller for ever.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(120);

/// Nobody listens on the admin socket.
#[derive(Debug)]
pub struct NoDaemon(String);

impl std::fmt::Display for NoDaemon {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NoDaemon {}

/// Sends one command to the daemon that listens on `socket`, and returns its answer.
pub fn call(socket: &Path, command: Command) -> Result<Answer> {
    super::check_socket_path(socket)?;
    let stream = UnixStream::connect(socket).map_err(|error| unreachable(socket, &error))?;
    let line = exchange(&stream, &Request { version: VERSION, command })
        .with_context(|| format!("admin socket {}: the daemon did not answer", socket.display()))?;
    let response: Response = serde_json::from_slice(&line).with_context(|| {
        format!("admin socket {}: what answered is not this release's daemon", socket.display())
    })?;
    match response.outcome {
        Outcome::Answer(answer) => Ok(*answer),
        Outcome::Error(message) => Err(anyhow!(message)),
    }
}

fn exchange(mut stream: &UnixStream, request: &Request) -> Result<Vec<u8>> {
    let takes_as_long_as_it_takes =
        matches!(request.command, Command::PoolCheck { .. } | Command::Efficiency { .. });
    stream.set_read_timeout((!takes_as_long_as_it_takes).then_some(ANSWER_WAIT_MAX))?;
    let mut bytes = serde_json::to_vec(request)?;
    bytes.push(b'\n');
    stream.write_all(&bytes)?;
    let mut line = Vec::new();
    BufReader::new(stream).take(ANSWER_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        bail!("it closed the connection; its log says why");
    }
    Ok(line)
}

fn unreachable(socket: &Path, error: &std::io::Error) -> anyhow::Error {
    let path = socket.display();
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => anyhow!(NoDaemon(format!(
            "no daemon listens on {path}: start one with `forebay serve`, or say where the running one has its \
             pool (--pool-directory DIR) or its socket (--admin-socket PATH)"
        ))),
        ErrorKind::PermissionDenied => {
            anyhow!("admin socket {path}: permission denied; run this as root or as the daemon's user")
        }
        _ => anyhow!("admin socket {path}: {error}"),
    }
}
