//! Compiles programs from their source on crates.io into a folder of the cache, with the dependencies that their authors
//! locked.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::exec;

/// Libraries that a program may link with: the name that the linker looks for, and the paths of the library on machines without
/// its development package. Only the name is missing there, so the lab makes a link with that name.
const LIBRARIES: [(&str, [&str; 3]); 1] = [(
    "libacl.so",
    ["/usr/lib/x86_64-linux-gnu/libacl.so.1", "/lib/x86_64-linux-gnu/libacl.so.1", "/usr/lib64/libacl.so.1"],
)];

/// Compiles a crate's program to `root/bin`. Intermediate files go to `work`.
pub(super) fn install(name: &str, version: &str, work: &Path, root: &Path) -> Result<()> {
    let links = work.join("libraries");
    fs::create_dir_all(&links).with_context(|| format!("make {}", links.display()))?;
    for (link, candidates) in LIBRARIES {
        if let Some(library) = candidates.iter().map(Path::new).find(|path| path.exists()) {
            symlink(library, links.join(link)).with_context(|| format!("link {link}"))?;
        }
    }
    let mut command = Command::new("cargo");
    command.args(["install", name, "--version", version, "--locked", "--quiet", "--no-track"]);
    command.arg("--root").arg(root).arg("--target-dir").arg(work.join("target"));
    command.env("LIBRARY_PATH", &links);
    exec::run(&mut command)
        .with_context(|| format!("cannot compile {name} {version}; check cargo and the access to crates.io"))
}
