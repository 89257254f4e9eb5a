//! Kafka's jars, the records tool and the load driver, built by Maven from the project's `kafka` folder.
//!
//! The folder's sources are part of this binary, so that an installed lab needs no checkout; what Maven makes of them is
//! kept in the cache under a name that follows from them. Maven downloads, so this must happen where there is a network.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::archive;
use crate::progress::Progress;
use crate::report::Tone;

/// Path of a source below the `kafka` folder, and its text.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../kafka/", $path)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "dist/pom.xml",
    "records/pom.xml",
    "records/src/main/java/forebay/records/AcknowledgementLog.java",
    "records/src/main/java/forebay/records/ClusterOptions.java",
    "records/src/main/java/forebay/records/Main.java",
    "records/src/main/java/forebay/records/Payload.java",
    "records/src/main/java/forebay/records/ProduceCommand.java",
    "records/src/main/java/forebay/records/Production.java",
    "records/src/main/java/forebay/records/Reading.java",
    "records/src/main/java/forebay/records/RecordFormat.java",
    "records/src/main/java/forebay/records/Report.java",
    "records/src/main/java/forebay/records/Verification.java",
    "records/src/main/java/forebay/records/VerifyCommand.java",
    "records/src/main/java/forebay/records/WatchCommand.java",
    "records/src/main/java/forebay/records/package-info.java",
    "workload/pom.xml",
    "workload/src/main/java/forebay/workload/Clients.java",
    "workload/src/main/java/forebay/workload/Driver.java",
    "workload/src/main/java/forebay/workload/KafkaClients.java",
    "workload/src/main/java/forebay/workload/KeyDistributor.java",
    "workload/src/main/java/forebay/workload/Load.java",
    "workload/src/main/java/forebay/workload/Main.java",
    "workload/src/main/java/forebay/workload/Pace.java",
    "workload/src/main/java/forebay/workload/Payloads.java",
    "workload/src/main/java/forebay/workload/Phase.java",
    "workload/src/main/java/forebay/workload/Progress.java",
    "workload/src/main/java/forebay/workload/RateSearch.java",
    "workload/src/main/java/forebay/workload/Result.java",
    "workload/src/main/java/forebay/workload/Run.java",
    "workload/src/main/java/forebay/workload/Sample.java",
    "workload/src/main/java/forebay/workload/Statistics.java",
    "workload/src/main/java/forebay/workload/UsageException.java",
    "workload/src/main/java/forebay/workload/Workload.java",
    "workload/src/main/java/forebay/workload/Yaml.java",
    "workload/src/main/java/forebay/workload/package-info.java",
];

/// Kafka, ready to run.
#[derive(Debug, Clone)]
pub struct Distribution {
    folder: PathBuf,
}

impl Distribution {
    /// The distribution in the cache, which is built first if it is not there.
    pub fn open(cache: &Path, progress: &Progress) -> Result<Self> {
        let folder = cache.join(format!("kafka-{:016x}", fingerprint()));
        let kafka = Self { folder };
        if !kafka.folder.exists() || !kafka.archive_file().exists() {
            fs::create_dir_all(cache)
                .with_context(|| format!("make the cache folder {}", cache.display()))?;
            let lock_path = cache.join("kafka.lock");
            let lock =
                fs::File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
            lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
            if !kafka.folder.exists() {
                build(cache, &kafka.folder, progress)?;
            }
            if !kafka.archive_file().exists() {
                kafka.make_archive(cache, progress)?;
            }
        }
        Ok(kafka)
    }

    /// Lets brokers start quickly from now on; if that fails they start as they did.
    fn make_archive(&self, cache: &Path, progress: &Progress) -> Result<()> {
        progress.event(Tone::Plain, "starting Kafka once, so that it starts quickly from then on");
        let work = cache.join("kafka-archive");
        remove_folder(&work)?;
        let file = self.archive_file();
        if let Err(error) = archive::make(self, &work, &file) {
            progress.event(Tone::Plain, &format!("that failed, and brokers will start slowly: {error:#}"));
            // Empty: it is not tried again.
            fs::write(&file, b"").with_context(|| format!("write {}", file.display()))?;
        }
        remove_folder(&work)
    }

    /// The class-data archive, if there is one.
    pub fn archive(&self) -> Option<PathBuf> {
        let file = self.archive_file();
        fs::metadata(&file).is_ok_and(|stat| stat.len() > 0).then_some(file)
    }

    fn archive_file(&self) -> PathBuf {
        self.folder.join("kafka.jsa")
    }

    /// What `java -cp` takes.
    pub fn class_path(&self) -> String {
        format!("{}/*", self.folder.display())
    }

    /// Kafka's version, from the name of its jar.
    pub fn version(&self) -> Result<String> {
        let names = fs::read_dir(&self.folder).with_context(|| format!("list {}", self.folder.display()))?;
        names
            .flatten()
            .find_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(name.strip_prefix("kafka-clients-")?.strip_suffix(".jar")?.to_owned())
            })
            .with_context(|| {
                format!("{} holds no Kafka; remove that folder to build it again", self.folder.display())
            })
    }
}

fn fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    SOURCES.hash(&mut hasher);
    hasher.finish()
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
            bail!("mvn is missing, which fetches Kafka: install it (Debian: apt-get install maven)")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that is not listed would be missing from the distribution of an installed lab.
    #[test]
    fn every_source_of_the_kafka_folder_is_part_of_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kafka");
        let mut found: Vec<String> = vec!["pom.xml".into(), "dist/pom.xml".into()];
        for tool in ["records", "workload"] {
            found.push(format!("{tool}/pom.xml"));
            let java = format!("{tool}/src/main/java/forebay/{tool}");
            for entry in fs::read_dir(root.join(&java)).unwrap() {
                found.push(format!("{java}/{}", entry.unwrap().file_name().into_string().unwrap()));
            }
        }
        let mut listed: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).collect();
        found.sort();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
