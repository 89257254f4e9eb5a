//! Kafka's jars, the records tool, the load driver and the object store tool, built by Maven from the project's `kafka/lab` folder.
//!
//! The folder's sources are part of this program, so that an installed lab needs no checkout. The result of the build is kept in the cache,
//! under a name that is a hash of the sources. The build needs the network, because Maven downloads dependencies.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::maven;
use crate::request::KafkaVersion;

/// Path of a source below the `kafka/lab` folder, and its text.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../kafka/lab/", $path)))),*]
    };
}

pub(super) const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "dist/pom.xml",
    "faults/pom.xml",
    "faults/src/main/java/forebay/faults/Errors.java",
    "faults/src/main/java/forebay/faults/FaultyRemoteStorageManager.java",
    "faults/src/main/java/forebay/faults/ThrowingHttpClient.java",
    "faults/src/main/java/forebay/faults/package-info.java",
    "records/pom.xml",
    "records/src/main/java/forebay/records/AcknowledgementLog.java",
    "records/src/main/java/forebay/records/ClusterOptions.java",
    "records/src/main/java/forebay/records/Envelope.java",
    "records/src/main/java/forebay/records/CopyCommand.java",
    "records/src/main/java/forebay/records/Gaps.java",
    "records/src/main/java/forebay/records/LogSegment.java",
    "records/src/main/java/forebay/records/Main.java",
    "records/src/main/java/forebay/records/Pace.java",
    "records/src/main/java/forebay/records/Pause.java",
    "records/src/main/java/forebay/records/Payload.java",
    "records/src/main/java/forebay/records/ProduceCommand.java",
    "records/src/main/java/forebay/records/Producing.java",
    "records/src/main/java/forebay/records/Production.java",
    "records/src/main/java/forebay/records/RandomRead.java",
    "records/src/main/java/forebay/records/ReadCommand.java",
    "records/src/main/java/forebay/records/ReadTotals.java",
    "records/src/main/java/forebay/records/Reading.java",
    "records/src/main/java/forebay/records/RecordFormat.java",
    "records/src/main/java/forebay/records/Report.java",
    "records/src/main/java/forebay/records/SequentialRead.java",
    "records/src/main/java/forebay/records/SegmentCounts.java",
    "records/src/main/java/forebay/records/SegmentsCommand.java",
    "records/src/main/java/forebay/records/TiersCommand.java",
    "records/src/main/java/forebay/records/TimeLookups.java",
    "records/src/main/java/forebay/records/TransactionalProduction.java",
    "records/src/main/java/forebay/records/Verification.java",
    "records/src/main/java/forebay/records/VerifyCommand.java",
    "records/src/main/java/forebay/records/WatchCommand.java",
    "records/src/main/java/forebay/records/package-info.java",
    "objects/pom.xml",
    "objects/src/main/java/forebay/objects/Buckets.java",
    "objects/src/main/java/forebay/objects/Cases.java",
    "objects/src/main/java/forebay/objects/CheckCommand.java",
    "objects/src/main/java/forebay/objects/ConditionChecks.java",
    "objects/src/main/java/forebay/objects/Content.java",
    "objects/src/main/java/forebay/objects/DeleteChecks.java",
    "objects/src/main/java/forebay/objects/Endpoint.java",
    "objects/src/main/java/forebay/objects/Groups.java",
    "objects/src/main/java/forebay/objects/ListChecks.java",
    "objects/src/main/java/forebay/objects/Main.java",
    "objects/src/main/java/forebay/objects/MultipartChecks.java",
    "objects/src/main/java/forebay/objects/Names.java",
    "objects/src/main/java/forebay/objects/OverwriteChecks.java",
    "objects/src/main/java/forebay/objects/ProcessorTime.java",
    "objects/src/main/java/forebay/objects/RangesCommand.java",
    "objects/src/main/java/forebay/objects/Report.java",
    "objects/src/main/java/forebay/objects/SegmentChecks.java",
    "objects/src/main/java/forebay/objects/Sizes.java",
    "objects/src/main/java/forebay/objects/Speed.java",
    "objects/src/main/java/forebay/objects/SpeedCommand.java",
    "objects/src/main/java/forebay/objects/Store.java",
    "objects/src/main/java/forebay/objects/TieringChecks.java",
    "objects/src/main/java/forebay/objects/Timings.java",
    "objects/src/main/java/forebay/objects/UploadCommand.java",
    "objects/src/main/java/forebay/objects/Workers.java",
    "objects/src/main/java/forebay/objects/package-info.java",
    "local-tier/pom.xml",
    "local-tier/src/main/java/org/apache/kafka/common/utils/LogContext.java",
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
    kafka_version: KafkaVersion,
}

impl Distribution {
    /// The distribution in the cache, which may not have been built yet.
    pub(super) fn in_cache(cache: &Path, version: KafkaVersion) -> Self {
        let folder =
            cache.join(format!("kafka-{}-{:016x}", version.artifacts(), maven::fingerprint(SOURCES)));
        Self { folder, kafka_version: version }
    }

    /// The version of Kafka.
    pub fn kafka_version(&self) -> KafkaVersion {
        self.kafka_version
    }

    /// Its folder, which holds Kafka's jars.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The class-data archive, if there is one.
    pub fn archive(&self) -> Option<PathBuf> {
        let file = self.archive_file();
        fs::metadata(&file).is_ok_and(|stat| stat.len() > 0).then_some(file)
    }

    pub(super) fn archive_file(&self) -> PathBuf {
        self.folder.join("kafka.jsa")
    }

    /// The argument of `java -cp`.
    pub fn class_path(&self) -> String {
        format!("{}/*", self.folder.display())
    }

    /// The value of Kafka's `remote.log.storage.manager.class.path` for Kafka's own tier in a directory.
    pub fn local_tier_class_path(&self) -> String {
        format!("{}/local-tier/*", self.folder.display())
    }

    /// The class path of the classes that make the plugin for tiered storage fail.
    pub fn faults_class_path(&self) -> String {
        format!("{}/faults/*", self.folder.display())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that is not listed would be missing from the distribution of an installed lab.
    #[test]
    fn every_source_of_the_lab_is_part_of_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kafka/lab");
        let mut found: Vec<String> = vec!["pom.xml".into(), "dist/pom.xml".into()];
        let packages = [
            ("records", "forebay/records"),
            ("workload", "forebay/workload"),
            ("objects", "forebay/objects"),
            ("faults", "forebay/faults"),
            ("local-tier", "org/apache/kafka/common/utils"),
        ];
        for (module, package) in packages {
            found.push(format!("{module}/pom.xml"));
            let java = format!("{module}/src/main/java/{package}");
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
