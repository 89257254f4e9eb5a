//! Installs Kafka in the cache: Maven builds it, and a first start creates the class-data archive that makes later starts quick.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::archive;
use super::distribution::{Distribution, SOURCES};
use super::maven::{self, Build, remove_folder};
use crate::progress::{Progress, Tone};
use crate::request::KafkaVersion;

impl Distribution {
    /// The distribution in the cache, which is built first if it is not there.
    pub fn open(cache: &Path, version: KafkaVersion, progress: &Progress) -> Result<Self> {
        let kafka = Self::in_cache(cache, version);
        if !kafka.folder().exists() || !kafka.archive_file().exists() {
            fs::create_dir_all(cache)
                .with_context(|| format!("make the cache folder {}", cache.display()))?;
            let lock_path = cache.join("kafka.lock");
            let lock =
                fs::File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
            lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
            if !kafka.folder().exists() {
                build(cache, &kafka, progress)?;
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

fn build(cache: &Path, kafka: &Distribution, progress: &Progress) -> Result<()> {
    let version = kafka.kafka_version();
    let message = format!(
        "building the distribution of Kafka {} with Maven (downloads about 60 MB the first time)",
        version.artifacts()
    );
    progress.event(Tone::Plain, &message);
    progress.detail("mvn package");
    let build = Build {
        what: "Kafka's distribution",
        sources: SOURCES,
        properties: &[
            ("kafka.version", version.artifacts()),
            ("kafka.test.version", version.test_artifacts()),
        ],
        product: "dist/target/lib",
    };
    maven::package(&build, &cache.join("kafka-build"), kafka.folder())
}
