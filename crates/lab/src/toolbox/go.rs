//! Compiles programs from their source in a Go module into a folder of the cache, with the dependencies that their authors locked.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::exec;

/// Compiles a package's program to `root/bin`.
pub(super) fn install(package: &str, version: &str, root: &Path) -> Result<()> {
    let mut command = Command::new("go");
    command.arg("install").arg(format!("{package}@{version}")).env("GOBIN", root.join("bin"));
    exec::run(&mut command).with_context(|| {
        format!(
            "cannot compile {package} {version}; check go (https://go.dev/dl) and the access to Go modules"
        )
    })
}
