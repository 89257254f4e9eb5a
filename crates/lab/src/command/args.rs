//! The options of the lab's commands.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::executable;
use crate::request::{Fault, KafkaVersion, Profile, StorageKind, TierKind};
use crate::toolbox::Cache;

/// The options of `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Name of the experiment, from `forebay lab list`; `all` runs every experiment that repeats a test of the technical reports
    pub(super) experiment: String,
    /// Storages to run on, separated by commas; the default depends on the experiment
    ///
    /// mount:DIR is a directory of this host, such as an NFS mount. The brokers then run on this host, without guests.
    /// forebay:PROGRAM is another build of the daemon, such as an earlier release.
    /// http://HOST:PORT is an object store; its key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    pub(super) storage: Vec<StorageKind>,
    /// Storages that are expected to fail, separated by commas: the exit status then counts fail as pass, and pass as fail
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    pub(super) expect_fail: Vec<StorageKind>,
    /// Run on an existing Kafka cluster instead of on storages: addresses of brokers, separated by commas
    ///
    /// Only for experiments that do nothing but produce and consume. Root is not needed. The run creates its own topics and deletes them
    /// when it ends.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', value_parser = broker_address, conflicts_with_all = ["storage", "expect_fail"])]
    pub(super) bootstrap_server: Vec<String>,
    /// Client settings for that cluster (security.protocol, sasl.…): a properties file like those of Kafka's own tools
    #[arg(long, value_name = "FILE", requires = "bootstrap_server")]
    pub(super) client_config: Option<PathBuf>,
    /// Sizes of the experiment
    #[arg(long, default_value = "laptop")]
    pub(super) profile: Profile,
    /// Parts of the experiment to run, separated by commas; the default is all of them
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    pub(super) part: Vec<String>,
    /// Where closed segments go, for experiments on tiered storage; the default is forebay
    ///
    /// forebay copies segments by reference only: a copy that would have to be uploaded fails.
    #[arg(long, value_name = "TIER")]
    pub(super) tier: Option<TierKind>,
    /// What happens while segments are copied, for experiments on tiered storage: faults in their order, separated by commas; the
    /// default depends on the experiment
    #[arg(long, value_delimiter = ',', value_name = "FAULT")]
    pub(super) fault: Vec<Fault>,
    /// Version of Kafka
    #[arg(long, value_name = "VERSION", default_value = "4.4.0")]
    pub(super) kafka: KafkaVersion,
    /// Number of times to repeat each measurement, on all storages in turns if the experiment compares them
    #[arg(long, visible_alias = "pairs", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) repetitions: Option<u32>,
    /// Folder for the results; the default is ./lab-results/EXPERIMENT-STORAGE-TIME
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Program of the daemon to test; the default is the `forebay` that runs the lab, or the one in the directory of `forebay-lab`
    #[arg(long, env = executable::DAEMON_VARIABLE, value_name = "FILE")]
    pub(super) daemon: Option<PathBuf>,
    #[command(flatten)]
    pub(super) cache: CacheArgs,
}

impl RunArgs {
    /// A storage that is named more than once.
    pub(super) fn storage_named_twice(&self) -> Option<&StorageKind> {
        let mut seen = HashSet::new();
        self.storage.iter().find(|kind| !seen.insert(*kind))
    }
}

/// Where the lab keeps what it fetches.
#[derive(Debug, Clone, Args)]
pub struct CacheArgs {
    /// Folder for what the lab fetches; the default is $XDG_CACHE_HOME/forebay or ~/.cache/forebay
    #[arg(long = "cache", env = "FOREBAY_LAB_CACHE", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Address of a Debian mirror; the default is the one in this machine's package sources
    #[arg(long, env = "FOREBAY_LAB_MIRROR", value_name = "URL")]
    mirror: Option<String>,
}

/// The address of a broker, `HOST:PORT`.
fn broker_address(text: &str) -> Result<String, String> {
    let (host, port) =
        text.rsplit_once(':').ok_or_else(|| format!("{text:?} has no port: write HOST:PORT"))?;
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err(format!("{text:?} names no host: write HOST:PORT"));
    }
    match port.parse::<u16>() {
        Ok(1..) => Ok(text.to_owned()),
        _ => Err(format!("{port:?} is not a port: write HOST:PORT")),
    }
}

/// The arguments that a guest's kernel passes to its first process.
#[derive(Debug, Args)]
pub struct GuestArgs {
    /// The guest's configuration
    pub(super) config: PathBuf,
    /// Arguments that the kernel adds itself
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    ignored: Vec<String>,
}

impl CacheArgs {
    pub(super) fn resolve(self) -> Result<Cache> {
        let folder = match self.folder {
            Some(folder) => folder,
            None => default_cache()?,
        };
        let folder = std::path::absolute(&folder).with_context(|| format!("resolve {}", folder.display()))?;
        Ok(Cache { folder, mirror: self.mirror })
    }
}

fn default_cache() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    Ok(base.context("no HOME to keep a cache in: name a folder with --cache")?.join("forebay"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_broker_has_a_host_and_a_port() {
        for good in ["kafka-1:9092", "127.0.0.1:1", "[::1]:9092"] {
            assert_eq!(broker_address(good).unwrap(), good);
        }
        for bad in ["kafka-1", ":9092", "kafka-1:", "kafka-1:0", "kafka-1:70000", "two hosts:9092"] {
            assert!(broker_address(bad).is_err(), "{bad}");
        }
    }
}
