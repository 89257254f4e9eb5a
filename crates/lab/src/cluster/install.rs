//! Installs Kafka in the cache: Maven builds it, and a first start creates the class-data archive that makes later starts quick.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::archive;
use super::distribution::{Distribution, SOURCES};
use crate::progress::{Progress, Tone};

impl Distribution {
    /// The distribution in the cache, which is built first if it is not there.
    pub fn open(cache: &Path, progress: &Progress) -> Result<Self> {
        let kafka = Self::in_cache(cache);
        if !kafka.folder().exists() || !kafka.archive_file().exists() {
            fs::create_dir_all(cache)
                .with_context(|| format!("make the cache folder {}", cache.display()))?;
            let lock_path = cache.join("kafka.lock");
            let lock =
                fs::File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
            lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
            if !kafka.folder().exists() {
                build(cache, kafka.folder(), progress)?;
            }
            if !kafka.archive_file().exists() {
                kafka.make_archive(cache, progress)?;
            }
        }
        Ok(kafka)
    }

    /// Creates the class-data archive, so that brokers start quickly. If that fails, they start slowly.
    fn make_archive(&self, cache: &Path, progress: &Progress) -> Result<()> {
        progress.event(Tone::Plain, "starting Kafka once, so that it starts quickly from then on");
        let work = cache.join("kafka-archive");
        remove_folder(&work)?;
        let file = self.archive_file();
        if let Err(error) = archive::make(self, &work, &file) {
            progress.event(Tone::Plain, &format!("that failed, and brokers will start slowly: {error:#}"));
            // An empty file: it is not tried again.
            fs::write(&file, b"").with_context(|| format!("write {}", file.display()))?;
        }
        remove_folder(&work)
    }
}

/// Builds beside the folder and then renames, so that a folder that exists is complete.
fn build(cache: &Path, folder: &Path, progress: &Progress) -> Result<()> {
    progress.event(
        Tone::Plain,
        "building Kafka's distribution with Maven (downloads about 60 MB the first time)",
    );
    progress.detail("mvn package");
    let work = cache.join("kafka-build");
    remove_folder(&work)?;
    for (path, text) in SOURCES {
        write_source(&work.join(path), text)?;
    }
    run_maven(&work)?;
    fs::rename(work.join("dist/target/lib"), folder)
        .with_context(|| format!("move what Maven built to {}", folder.display()))?;
    remove_folder(&work)
}

/// Removes a folder if it is there.
fn remove_folder(folder: &Path) -> Result<()> {
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

fn run_maven(work: &Path) -> Result<()> {
    let output = Command::new("mvn")
        .args(["--batch-mode", "--quiet", "-Dmaven.test.skip=true", "package"])
        .current_dir(work)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(
                "mvn, which builds Kafka's distribution, is missing: install it (Debian: apt-get install maven)"
            )
        }
        other => other.context("start mvn")?,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let errors: Vec<&str> = said.lines().filter(|line| line.contains("ERROR")).take(5).collect();
        bail!("mvn could not build Kafka's distribution in {}:\n{}", work.display(), errors.join("\n"));
    }
    Ok(())
}
