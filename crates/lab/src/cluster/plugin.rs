//! The plugin for tiered storage, built by Maven from the project's `kafka/tiered-storage` folder.
//!
//! As with [`Distribution`](super::Distribution), the sources are part of this program, and the result is kept in the cache, under a name
//! that is a hash of the sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::maven::{self, Build};
use crate::progress::{Progress, Tone};

/// Path of a source below the `kafka/tiered-storage` folder, and its text.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../kafka/tiered-storage/", $path)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "src/main/java/forebay/tiered/AbortableHttpClient.java",
    "src/main/java/forebay/tiered/Block.java",
    "src/main/java/forebay/tiered/BlockMemory.java",
    "src/main/java/forebay/tiered/Call.java",
    "src/main/java/forebay/tiered/CallEndedException.java",
    "src/main/java/forebay/tiered/Calls.java",
    "src/main/java/forebay/tiered/Crc64Nvme.java",
    "src/main/java/forebay/tiered/CredentialsFile.java",
    "src/main/java/forebay/tiered/DamagedSegmentException.java",
    "src/main/java/forebay/tiered/Deletes.java",
    "src/main/java/forebay/tiered/Failures.java",
    "src/main/java/forebay/tiered/Fetches.java",
    "src/main/java/forebay/tiered/FilePart.java",
    "src/main/java/forebay/tiered/ForebayRemoteStorageManager.java",
    "src/main/java/forebay/tiered/Guard.java",
    "src/main/java/forebay/tiered/IndexSections.java",
    "src/main/java/forebay/tiered/IndexStream.java",
    "src/main/java/forebay/tiered/KafkaSegments.java",
    "src/main/java/forebay/tiered/Metrics.java",
    "src/main/java/forebay/tiered/NotByReference.java",
    "src/main/java/forebay/tiered/ObjectKeys.java",
    "src/main/java/forebay/tiered/ObjectStore.java",
    "src/main/java/forebay/tiered/ObjectStream.java",
    "src/main/java/forebay/tiered/ObjectSums.java",
    "src/main/java/forebay/tiered/Readers.java",
    "src/main/java/forebay/tiered/RecordWalk.java",
    "src/main/java/forebay/tiered/ReferenceCopy.java",
    "src/main/java/forebay/tiered/SegmentCheck.java",
    "src/main/java/forebay/tiered/SegmentCopy.java",
    "src/main/java/forebay/tiered/SegmentFacts.java",
    "src/main/java/forebay/tiered/SegmentFile.java",
    "src/main/java/forebay/tiered/SegmentReads.java",
    "src/main/java/forebay/tiered/Settings.java",
    "src/main/java/forebay/tiered/StaleUploads.java",
    "src/main/java/forebay/tiered/StoreException.java",
    "src/main/java/forebay/tiered/StoredObject.java",
    "src/main/java/forebay/tiered/TierCheck.java",
    "src/main/java/forebay/tiered/TierCommand.java",
    "src/main/java/forebay/tiered/TrustStore.java",
    "src/main/java/forebay/tiered/Upload.java",
    "src/main/java/forebay/tiered/UploadRate.java",
    "src/main/java/forebay/tiered/package-info.java",
];

/// The plugin, ready for brokers.
#[derive(Debug, Clone)]
pub struct Plugin {
    folder: PathBuf,
}

impl Plugin {
    /// The plugin in the cache, which is built first if it is not there.
    pub fn open(cache: &Path, progress: &Progress) -> Result<Self> {
        let plugin =
            Self { folder: cache.join(format!("tiered-storage-{:016x}", maven::fingerprint(SOURCES))) };
        if !plugin.folder.exists() {
            fs::create_dir_all(cache)
                .with_context(|| format!("make the cache folder {}", cache.display()))?;
            let lock_path = cache.join("tiered-storage.lock");
            let lock =
                fs::File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
            lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
            // Another process may have built it meanwhile.
            if !plugin.folder.exists() {
                progress.event(Tone::Plain, "building the plugin for tiered storage with Maven");
                let work = cache.join("tiered-storage-build");
                let build = Build {
                    what: "the plugin for tiered storage",
                    sources: SOURCES,
                    properties: &[],
                    product: "target/forebay-tiered-storage",
                };
                maven::package(&build, &work, &plugin.folder)?;
            }
        }
        Ok(plugin)
    }

    /// The value of Kafka's `remote.log.storage.manager.class.path`, and an argument of `java -cp`.
    pub fn class_path(&self) -> String {
        format!("{}/*", self.folder.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that is not listed would be missing from the plugin of an installed lab.
    #[test]
    fn every_source_of_the_plugin_is_part_of_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kafka/tiered-storage");
        let java = "src/main/java/forebay/tiered";
        let entries = fs::read_dir(root.join(java)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut found: Vec<String> = names.map(|name| format!("{java}/{name}")).collect();
        found.push("pom.xml".to_owned());
        let mut listed: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).collect();
        found.sort();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
