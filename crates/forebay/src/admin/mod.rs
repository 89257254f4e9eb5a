//! The admin socket: how `forebay volume` and `forebay pool` reach the daemon on the same machine.
//!
//! [`protocol`] is what is said, [`server`] the daemon's side, [`client`] the command line's side, and
//! [`commands`] does what is asked for, with `exports` for policies and `nfs` for clients. Who may connect is decided by the socket file's permissions (0600).

pub mod client;
pub mod commands;
mod exports;
mod nfs;
pub mod protocol;
pub mod server;

use std::path::Path;

use anyhow::{Result, bail};

/// Bytes that the path of a UNIX socket may have on Linux: `sun_path` less its terminating NUL.
const SOCKET_PATH_BYTES_MAX: usize = 107;

/// Refuses a path that the system could not bind or connect to, with a remedy.
pub fn check_socket_path(path: &Path) -> Result<()> {
    let bytes = path.as_os_str().len();
    if bytes > SOCKET_PATH_BYTES_MAX {
        bail!(
            "admin socket {}: the path has {bytes} bytes, the system allows {SOCKET_PATH_BYTES_MAX}; \
             choose a shorter one with --admin-socket",
            path.display()
        );
    }
    Ok(())
}
