//! Kafka's own integration tests of tiered storage: the program of the project's `kafka/tiering-tests` folder, built by Maven.
//!
//! As with [`Distribution`](super::Distribution), the sources are part of this program, and the result is kept in the cache, under a name
//! that is a hash of the sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::java::QUICK_COMPILER;
use super::maven::{self, Build};
use super::plugin::Plugin;
use crate::progress::{Progress, Tone};

/// Path of a source below the `kafka/tiering-tests` folder, and its text.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../kafka/tiering-tests/", $path)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "src/main/java/forebay/tiering/KafkaTests.java",
    "src/main/java/forebay/tiering/package-info.java",
    "src/main/java/org/apache/kafka/server/log/remote/storage/LocalTieredStorage.java",
    "src/main/resources/log4j2-test.properties",
];
const MAIN: &str = "forebay.tiering.KafkaTests";
/// Of the tests, which run three brokers in one process.
const HEAP_MIB: u32 = 1024;
/// The version that the sources name.
const VERSION: &str = "4.1.0";

/// The program.
#[derive(Debug, Clone)]
pub struct KafkaTests {
    folder: PathBuf,
}

/// A line of the program's output.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum TestLine {
    /// What there is.
    Plan {
        /// The simple names of all classes.
        classes: Vec<String>,
    },
    /// A test has ended.
    Test {
        /// Its name, without that of its class.
        name: String,
    },
    /// A class has ended.
    Class(TestClass),
    /// All have ended.
    Summary {},
}

/// The result of a class of tests.
#[derive(Debug, Clone, Deserialize)]
pub struct TestClass {
    /// Its simple name.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// The number of tests that passed.
    pub passed: u64,
    /// The number of tests that were left out.
    pub skipped: u64,
    /// Segments that were copied to the tier meanwhile.
    pub copies: u64,
    /// The names of the tests that failed, with the reasons.
    pub failures: std::collections::BTreeMap<String, String>,
}

impl KafkaTests {
    /// The program in the cache, which is built first if it is not there.
    pub fn open(cache: &Path, progress: &Progress) -> Result<Self> {
        let tests =
            Self { folder: cache.join(format!("tiering-tests-{:016x}", maven::fingerprint(SOURCES))) };
        if !tests.folder.exists() {
            fs::create_dir_all(cache)
                .with_context(|| format!("make the cache folder {}", cache.display()))?;
            let lock_path = cache.join("tiering-tests.lock");
            let lock =
                fs::File::create(&lock_path).with_context(|| format!("create {}", lock_path.display()))?;
            lock.lock().with_context(|| format!("lock {}", lock_path.display()))?;
            // Another process may have built it meanwhile.
            if !tests.folder.exists() {
                progress.event(Tone::Plain, "building Kafka's tests of tiered storage with Maven");
                let work = cache.join("tiering-tests-build");
                let build = Build {
                    what: "Kafka's tests of tiered storage",
                    sources: SOURCES,
                    properties: &[],
                    product: "target/tiering-tests",
                };
                maven::package(&build, &work, &tests.folder)?;
            }
        }
        Ok(tests)
    }

    /// The version of Kafka whose tests these are.
    pub fn kafka_version(&self) -> &'static str {
        VERSION
    }

    /// The command line that runs a class of tests with settings of the plugin. Their brokers have their log directories in `folder`.
    pub fn words(
        &self,
        plugin: &Plugin,
        settings: &[(String, String)],
        folder: &str,
        class: &str,
    ) -> Vec<String> {
        let own = self.folder.display();
        let mut words = vec![
            "java".into(),
            format!("-Xmx{HEAP_MIB}m"),
            "-XX:+ExitOnOutOfMemoryError".into(),
            "-XX:+UseSerialGC".into(),
            "-XX:-UsePerfData".into(),
            QUICK_COMPILER.into(),
            format!("-Djava.io.tmpdir={folder}"),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error".into(),
        ];
        words.extend(settings.iter().map(|(key, value)| format!("-Dforebay.tier.{key}={value}")));
        // The first jar has a class that must be found before that of Kafka.
        let path = format!("{own}/forebay-tiering-tests.jar:{own}/lib/*:{}", plugin.class_path());
        words.extend(["-cp".into(), path, MAIN.into(), class.into()]);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that is not listed would be missing from the tests of an installed lab.
    #[test]
    fn every_source_of_the_tests_is_part_of_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kafka/tiering-tests");
        let mut found = vec!["pom.xml".to_owned()];
        let mut folders = vec!["src".to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root.join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
                let kind = if entry.path().is_dir() { &mut folders } else { &mut found };
                kind.push(path);
            }
        }
        let mut listed: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).collect();
        found.sort();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn the_version_is_that_of_the_sources() {
        let (_, pom) = SOURCES[0];
        assert!(pom.contains(&format!("<kafka.version>{VERSION}</kafka.version>")));
    }
}
