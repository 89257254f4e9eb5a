//! Builds Java programs with Maven, from sources that are part of this program.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A build with Maven.
pub struct Build<'a> {
    /// The name of the result, in messages.
    pub what: &'a str,
    /// The paths of the sources, and their texts.
    pub sources: &'a [(&'a str, &'a str)],
    /// Properties that replace those of the sources.
    pub properties: &'a [(&'a str, &'a str)],
    /// The path of the result.
    pub product: &'a str,
}

/// Builds something in the folder `work`, and moves the result to `target`. A target that exists is therefore complete.
pub fn package(build: &Build<'_>, work: &Path, target: &Path) -> Result<()> {
    remove_folder(work)?;
    for (path, text) in build.sources {
        write_source(&work.join(path), text)?;
    }
    run(work, build)?;
    fs::rename(work.join(build.product), target)
        .with_context(|| format!("move what Maven built to {}", target.display()))?;
    remove_folder(work)
}

/// A number that follows from sources, for the name of what is built from them.
pub fn fingerprint(sources: &[(&str, &str)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    sources.hash(&mut hasher);
    hasher.finish()
}

/// Removes a folder if it is there.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn write_source(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("make folder {}", parent.display()))?;
    }
    fs::write(path, text).with_context(|| format!("write {}", path.display()))
}

fn run(work: &Path, build: &Build<'_>) -> Result<()> {
    let what = build.what;
    let output = Command::new("mvn")
        .args(["--batch-mode", "--quiet", "-Dmaven.test.skip=true", "package"])
        .args(build.properties.iter().map(|(name, value)| format!("-D{name}={value}")))
        .current_dir(work)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("mvn, which builds {what}, is missing: install it (Debian: apt-get install maven)")
        }
        other => other.context("start mvn")?,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let errors: Vec<&str> = said.lines().filter(|line| line.contains("ERROR")).take(5).collect();
        bail!("mvn could not build {what} in {}:\n{}", work.display(), errors.join("\n"));
    }
    Ok(())
}
