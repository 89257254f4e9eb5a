//! The daemon that this user has started last, so that commands find it without options.
//!
//! The daemon writes the path of its admin socket into a file in the user's runtime directory. A file that is old is harmless: a socket
//! that is gone is not used.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file in the runtime directory.
const FILE: &str = "forebay-daemon";

/// Remembers the admin socket of a daemon that was started.
pub fn remember(socket: &Path) {
    let Some(file) = file() else { return };
    if let Ok(socket) = socket.canonicalize() {
        // Only a convenience: without it, commands need an option.
        let _ = std::fs::write(file, socket.as_os_str().as_encoded_bytes());
    }
}

/// The admin socket of the daemon that was started last, if it is still there.
pub fn last() -> Option<PathBuf> {
    let socket = PathBuf::from(std::fs::read_to_string(file()?).ok()?);
    (socket.is_absolute() && socket.exists()).then_some(socket)
}

/// The file, in a directory that only this user can write to.
fn file() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usual = || if user == 0 { PathBuf::from("/run") } else { PathBuf::from(format!("/run/user/{user}")) };
    let directory = given.filter(|directory| directory.is_absolute()).unwrap_or_else(usual);
    let metadata = std::fs::metadata(&directory).ok()?;
    let is_own = metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o022 == 0;
    is_own.then(|| directory.join(FILE))
}
