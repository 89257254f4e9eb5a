//! `forebay lab setup`, and what `run` does of it by itself.

use anyhow::Result;

use super::args::CacheArgs;
use crate::cluster::{Distribution, KafkaTests, Plugin};
use crate::host::{Needs, check_prerequisites};
use crate::output::print;
use crate::progress::Progress;
use crate::request::KafkaVersion;
use crate::toolbox::{Cache, Toolbox, Toolset};

/// Checks the machine and fetches everything; returns the exit status.
pub fn run(cache: CacheArgs) -> Result<u8> {
    check_prerequisites(Needs { namespaces: true, guests: true, kafka: true })?;
    let cache = cache.resolve()?;
    provide(&cache, Toolset::ALL, Some(KafkaVersion::default()))?;
    print(&format!("the lab is ready; its cache is {}", cache.folder.display()))?;
    Ok(0)
}

/// Fetches what is missing. The worker cannot do that: its network namespace does not reach the machine's network.
pub fn provide(cache: &Cache, sets: &[Toolset], kafka: Option<KafkaVersion>) -> Result<()> {
    let progress = Progress::new();
    let mut result = sets.iter().try_for_each(|set| Toolbox::provide(cache, *set, &progress));
    if let (Some(version), true) = (kafka, result.is_ok()) {
        result = Distribution::open(&cache.folder, version, &progress).map(drop);
    }
    progress.finish();
    result
}

/// Builds the plugin for tiered storage if the cache does not have it.
pub fn provide_plugin(cache: &Cache) -> Result<()> {
    let progress = Progress::new();
    let result = Plugin::open(&cache.folder, &progress).map(drop);
    progress.finish();
    result
}

/// Builds Kafka's tests of tiered storage if the cache does not have them.
pub fn provide_kafka_tests(cache: &Cache) -> Result<()> {
    let progress = Progress::new();
    let result = KafkaTests::open(&cache.folder, &progress).map(drop);
    progress.finish();
    result
}
