//! `forebay lab`: everything but `reports` is done by the program `forebay-lab`, which this process becomes.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The lab's program.
const PROGRAM: &str = "forebay-lab";
/// Tells the lab which daemon to test, if the user has not named one.
const DAEMON_VARIABLE: &str = "FOREBAY_LAB_DAEMON";

/// The words after `forebay lab`, if the command line begins so and the lab's program is the one to understand them.
pub fn arguments() -> Option<Vec<OsString>> {
    let mut words = std::env::args_os().skip(1);
    let rest: Vec<_> = words.next().filter(|word| word == "lab").map(|_| words.collect())?;
    (rest.first().is_none_or(|word| word != "reports")).then_some(rest)
}

/// Replaces this process with the lab's program. Returns only if that fails.
pub fn run(arguments: &[OsString]) -> Result<Infallible> {
    let own = std::env::current_exe().context("find this program")?;
    let program = find(&own, std::env::var_os("PATH").as_deref()).with_context(|| missing(&own))?;
    let mut command = Command::new(&program);
    command.args(arguments);
    if std::env::var_os(DAEMON_VARIABLE).is_none() {
        command.env(DAEMON_VARIABLE, &own);
    }
    Err(command.exec()).with_context(|| format!("run {}", program.display()))
}

/// The lab's program: beside this one, else in a directory of PATH.
fn find(own: &Path, search_path: Option<&OsStr>) -> Option<PathBuf> {
    let beside = own.with_file_name(PROGRAM);
    let in_path = search_path.into_iter().flat_map(std::env::split_paths).map(|folder| folder.join(PROGRAM));
    std::iter::once(beside).chain(in_path).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|stat| stat.is_file() && stat.permissions().mode() & 0o111 != 0)
}

fn missing(own: &Path) -> String {
    let folder = own.parent().unwrap_or(own).display();
    format!(
        "`forebay lab` needs the program {PROGRAM}, which is neither in {folder}, where this program is, nor in PATH: the Debian package \
         `forebay` installs it, and `make build` builds it"
    )
}
