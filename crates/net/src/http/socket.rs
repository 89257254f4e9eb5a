//! The UNIX socket. Its file's permissions are the access control: every process that can open it is admin.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// Bytes that the path of a UNIX socket may have on Linux: `sun_path` less its terminating NUL.
const PATH_BYTES_MAX: usize = 107;

/// The mode of a socket that the daemon's group may connect to.
const GROUP_MODE: u32 = 0o660;

/// Why the socket cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("admin socket {path}: {problem}", path = path.display())]
pub struct BindError {
    path: PathBuf,
    problem: String,
}

fn refused(path: &Path, problem: impl Into<String>) -> BindError {
    BindError { path: path.to_owned(), problem: problem.into() }
}

/// Refuses a path that the system could not bind or connect to.
pub fn check_path(path: &Path) -> Result<(), BindError> {
    let bytes = path.as_os_str().len();
    if bytes <= PATH_BYTES_MAX {
        return Ok(());
    }
    let problem = format!(
        "the path has {bytes} bytes, the system allows {PATH_BYTES_MAX}; choose a shorter one with --admin-socket"
    );
    Err(refused(path, problem))
}

/// The bound socket. Its file is removed when this is dropped.
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Binds `path`, and replaces a socket file that a killed daemon left there. With `group_access` the process's group may connect
    /// as well.
    ///
    /// The process's umask must keep others out, because the file exists before its mode can be changed.
    pub fn bind(path: PathBuf, group_access: bool) -> Result<Socket, BindError> {
        check_path(&path)?;
        remove_leftover(&path)?;
        let listener = UnixListener::bind(&path).map_err(|error| {
            refused(&path, format!("cannot be made: {error}; choose another with --admin-socket"))
        })?;
        let socket = Socket { listener, path };
        if group_access {
            std::fs::set_permissions(&socket.path, Permissions::from_mode(GROUP_MODE)).map_err(|error| {
                refused(
                    &socket.path,
                    format!("cannot be opened to the group: {error}; set admin.group_access to off"),
                )
            })?;
        }
        Ok(socket)
    }

    /// The listener.
    pub(super) fn listener(&self) -> &UnixListener {
        &self.listener
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // The next start replaces a file that stays.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes a socket without a listener. Anything else at `path` is an error.
fn remove_leftover(path: &Path) -> Result<(), BindError> {
    use std::os::unix::fs::FileTypeExt;
    let metadata = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|error| refused(path, format!("cannot be looked at: {error}")))?,
    };
    if !metadata.file_type().is_socket() {
        let problem =
            "a file that is no socket is there; remove it, or choose another path with --admin-socket";
        return Err(refused(path, problem));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(refused(path, "in use by another daemon; choose another path with --admin-socket"));
    }
    std::fs::remove_file(path).map_err(|error| refused(path, format!("cannot be replaced: {error}")))
}
