//! The paths of the programs that the lab starts: this one again, as a worker, an agent or a probe, and the daemon under test.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// The daemon's program, which is installed in the directory of this one.
const DAEMON: &str = "forebay";
/// The environment variable that names another program. `forebay lab` sets it to its own path.
pub const DAEMON_VARIABLE: &str = "FOREBAY_LAB_DAEMON";

/// This program. Guests see the host's file system, so it has the same path there.
pub fn lab() -> Result<PathBuf> {
    std::env::current_exe().context("find this program")
}

/// The daemon: the given program, or the one in the directory of this program.
pub fn daemon(named: Option<PathBuf>) -> Result<PathBuf> {
    let path = match named {
        Some(path) => std::path::absolute(&path).with_context(|| format!("resolve {}", path.display()))?,
        None => lab()?.with_file_name(DAEMON),
    };
    if !path.is_file() {
        bail!(
            "there is no daemon to test at {}: build it with `make build`, or name its program with --daemon or {DAEMON_VARIABLE}",
            path.display()
        );
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_is_missing_is_named_with_what_to_do() {
        let error = daemon(Some("/nowhere/forebay".into())).unwrap_err().to_string();
        assert!(error.contains("/nowhere/forebay") && error.contains("--daemon"), "{error}");
        assert_eq!(daemon(Some("/bin/sh".into())).unwrap(), PathBuf::from("/bin/sh"));
    }
}
