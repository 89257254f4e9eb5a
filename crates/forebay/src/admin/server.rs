//! The daemon's side of the admin socket.
//!
//! Bounded: at most [`CONNECTIONS_MAX`] connections, lines of at most [`REQUEST_BYTES_MAX`] bytes, and a client
//! that says nothing is let go after [`IDLE_MAX`].

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::commands::{self, Daemon};
use super::protocol::{AnyRequest, Outcome, REQUEST_BYTES_MAX, Request, Response, VERSION};

const CONNECTIONS_MAX: usize = 16;
const IDLE_MAX: Duration = Duration::from_secs(30);
/// How long commands may still take once the daemon is to stop.
const LAST_COMMANDS_MAX: Duration = Duration::from_secs(10);

/// The bound socket. Its file is removed when this is dropped.
pub struct AdminServer {
    listener: UnixListener,
    path: PathBuf,
    daemon: Daemon,
}

impl AdminServer {
    /// Binds `path`, replacing what a daemon that was killed left there.
    ///
    /// The process's umask must keep others out (see `serve`): the file exists before it could be changed.
    pub fn bind(path: PathBuf, daemon: Daemon) -> Result<AdminServer> {
        super::check_socket_path(&path)?;
        remove_leftover(&path)?;
        let listener = UnixListener::bind(&path).with_context(|| {
            format!("admin socket {}: cannot be made; choose another with --admin-socket", path.display())
        })?;
        Ok(AdminServer { listener, path, daemon })
    }

    /// Serves until `shutdown` resolves, then lets the commands that are being carried out finish.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => break,
                accepted = self.accept(&places) => accepted,
            };
            while connections.try_join_next().is_some() {}
            match accepted {
                Ok((stream, place)) => {
                    let daemon = self.daemon.clone();
                    let stopped = stopped.clone();
                    connections.spawn(async move {
                        serve_connection(stream, &daemon, stopped).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    // Such as too many open files: it passes, and must not become a busy loop.
                    tracing::warn!(%error, "admin socket: cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        // Receivers may all be gone already.
        let _ = stop.send(true);
        let last = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_COMMANDS_MAX, last).await.is_err() {
            tracing::warn!("admin socket: a command was not waited for");
        }
    }

    async fn accept(
        &self,
        places: &Arc<Semaphore>,
    ) -> io::Result<(UnixStream, tokio::sync::OwnedSemaphorePermit)> {
        let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, _) = self.listener.accept().await?;
        Ok((stream, place))
    }
}

impl Drop for AdminServer {
    fn drop(&mut self) {
        // A file that stays is replaced at the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes a socket that nobody listens on. Anything else at `path` is an error.
fn remove_leftover(path: &Path) -> Result<()> {
    use std::os::unix::fs::FileTypeExt;
    let metadata = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.with_context(|| format!("admin socket {}", path.display()))?,
    };
    if !metadata.file_type().is_socket() {
        bail!(
            "admin socket {}: a file that is no socket is there; remove it, or choose another path with \
             --admin-socket",
            path.display()
        );
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        bail!(
            "admin socket {}: in use by another daemon; choose another path with --admin-socket",
            path.display()
        );
    }
    std::fs::remove_file(path).with_context(|| format!("admin socket {}: cannot be replaced", path.display()))
}

async fn serve_connection(
    stream: UnixStream,
    daemon: &Daemon,
    mut stopped: tokio::sync::watch::Receiver<bool>,
) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let line = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return,
            line = tokio::time::timeout(IDLE_MAX, read_line(&mut reader)) => line,
        };
        let (outcome, last) = match line {
            Ok(Ok(Some(line))) => (answer(daemon, &line).await, false),
            // Where the next request would begin is not known.
            Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
                (Outcome::Error(error.to_string()), true)
            }
            // The client went, or said nothing for too long.
            _ => return,
        };
        let Ok(mut bytes) = serde_json::to_vec(&Response { version: VERSION, outcome }) else {
            return;
        };
        bytes.push(b'\n');
        match tokio::time::timeout(IDLE_MAX, writer.write_all(&bytes)).await {
            Ok(Ok(())) if !last => {}
            _ => return,
        }
    }
}

/// One line without its end; `None` at the end of the connection.
async fn read_line(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.take(REQUEST_BYTES_MAX).read_until(b'\n', &mut line).await?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) => Err(io::Error::new(
            ErrorKind::InvalidData,
            format!("a request is one line of at most {REQUEST_BYTES_MAX} bytes"),
        )),
    }
}

async fn answer(daemon: &Daemon, line: &[u8]) -> Outcome {
    match serde_json::from_slice::<AnyRequest>(line) {
        Ok(any) if any.version != VERSION => {
            return Outcome::Error(format!(
                "the daemon is release {} and speaks version {VERSION} of the admin protocol, not {}; use the \
                 `forebay` that the daemon was started with",
                env!("CARGO_PKG_VERSION"),
                any.version
            ));
        }
        Ok(_) => {}
        Err(error) => return Outcome::Error(format!("not a request: {error}")),
    }
    match serde_json::from_slice::<Request>(line) {
        Ok(request) => match commands::execute(daemon, request.command).await {
            Ok(answer) => Outcome::Answer(Box::new(answer)),
            Err(error) => Outcome::Error(format!("{error:#}")),
        },
        Err(error) => Outcome::Error(format!("not a request: {error}")),
    }
}
