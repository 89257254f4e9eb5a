//! Command line of `forebay kafka place`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::Sure;
use crate::config::size;

/// `forebay kafka place`.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// What `kafka-log-dirs.sh --describe` has printed; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "kafka", conflicts_with = "kafka")]
    pub log_dirs: Option<PathBuf>,

    /// A pool: its name, and the log directories in it, separated by commas; give it for each pool
    ///
    /// A path is an entry of the brokers' `log.dirs`. If brokers use one path for different pools, write BROKER:PATH.
    #[arg(long = "pool", value_name = "NAME=PATH", required = true, value_parser = pool)]
    pub pools: Vec<PoolPaths>,

    /// Log directories that are in no pool, separated by commas: partitions with a replica there are left out
    ///
    /// As with --pool, BROKER:PATH means that of one broker.
    #[arg(long, value_name = "PATH", value_delimiter = ',', value_parser = path)]
    pub other: Vec<PoolPath>,

    /// What `kafka-topics.sh --describe` has printed, for the order of the replicas
    ///
    /// The first replica of a partition is its preferred leader. Kafka's reassignment names all replicas in their order, and the log
    /// directories do not show it. Without this file only the report can be printed.
    #[arg(long, value_name = "FILE", conflicts_with = "kafka")]
    pub assignment: Option<PathBuf>,

    /// Run the tools in this directory of Kafka, instead of reading a file
    #[arg(long, value_name = "DIR", requires = "bootstrap_server")]
    pub kafka: Option<PathBuf>,

    /// The brokers that the tools ask
    #[arg(long, value_name = "HOST:PORT", requires = "kafka")]
    pub bootstrap_server: Option<String>,

    /// Properties of the tools' client, such as its credentials
    #[arg(long, value_name = "FILE", requires = "kafka")]
    pub command_config: Option<PathBuf>,

    /// Move partitions of these topics only; `*` stands for any text
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub topics: Vec<String>,

    /// How far a pool may be above its equal share of the bytes, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub balance: u32,

    /// Move as few bytes as possible, however unequal the pools become
    #[arg(long, conflicts_with = "balance")]
    pub keep: bool,

    /// Have Kafka make the moves, and wait until they are complete
    #[arg(long, requires = "kafka")]
    pub execute: bool,

    /// Bytes per second that each broker copies between its log directories, such as 50MB
    ///
    /// When all is moved, Kafka's tool removes this limit, and with it all other limits of replication that the brokers have at the time.
    #[arg(long, value_name = "SIZE", requires = "execute", value_parser = rate)]
    pub throttle: Option<u64>,

    /// The output: a report, or the reassignment that kafka-reassign-partitions.sh reads
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "table")]
    pub output: PlaceFormat,

    /// Whether to ask before the moves begin.
    #[command(flatten)]
    pub sure: Sure,
}

/// The output of `forebay kafka place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlaceFormat {
    /// A report for people
    Table,
    /// Kafka's reassignment, for `kafka-reassign-partitions.sh --reassignment-json-file`
    Json,
}

/// A pool, as the command line describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolPaths {
    /// Its name.
    pub name: String,
    /// Its log directories.
    pub paths: Vec<PoolPath>,
}

/// A log directory of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolPath {
    /// The only broker that it is meant for; `None`: each broker that has it.
    pub broker: Option<u32>,
    /// The entry of `log.dirs`.
    pub path: String,
}

/// A path as it is compared: without a slash at its end.
pub fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        trimmed => trimmed,
    }
}

fn pool(text: &str) -> Result<PoolPaths, String> {
    let hint = "write NAME=PATH[,PATH], such as one=/p1, or NAME=BROKER:PATH";
    let (name, paths) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(hint)?;
    let paths = paths.split(',').map(|text| path(text).map_err(|why| format!("{why}; {hint}")));
    Ok(PoolPaths { name: name.to_owned(), paths: paths.collect::<Result<_, String>>()? })
}

fn path(text: &str) -> Result<PoolPath, String> {
    let (broker, path) = match text.split_once(':') {
        Some((broker, path)) if !text.starts_with('/') => {
            (Some(broker.parse().map_err(|_| format!("`{broker}` is no broker id"))?), path)
        }
        _ => (None, text),
    };
    if !path.starts_with('/') {
        return Err(format!("`{path}` is not an absolute path"));
    }
    Ok(PoolPath { broker, path: trimmed(path).to_owned() })
}

fn rate(text: &str) -> Result<u64, String> {
    /// Kafka's tool asks for at least this.
    const RATE_MIN: u64 = 1024;
    let text = text.strip_suffix("/s").unwrap_or(text);
    let bytes = size::parse(text)?;
    if bytes < RATE_MIN {
        Err(format!("{bytes} bytes per second are less than {RATE_MIN}"))
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_paths_of_all_brokers_or_of_one() {
        let all = |path: &str| PoolPath { broker: None, path: path.to_owned() };
        assert_eq!(pool("one=/p1/").unwrap().paths, [all("/p1")]);
        assert_eq!(pool("one=/p1,/p2").unwrap().paths, [all("/p1"), all("/p2")]);
        let third = PoolPath { broker: Some(3), path: "/a:b".to_owned() };
        assert_eq!(pool("one=3:/a:b,/").unwrap().paths, [third, all("/")]);
        assert_eq!(pool("one=/a:b").unwrap().paths, [all("/a:b")]);
        for wrong in ["", "one", "=/p1", "one=", "one=p1", "one=/p1,", "one=x:/p1", "one=3:p1"] {
            assert!(pool(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_throttle_is_a_number_of_bytes() {
        assert_eq!((rate("50MB"), rate("1MiB/s")), (Ok(50_000_000), Ok(1 << 20)));
        assert!(rate("1KB").is_err() && rate("fast").is_err());
    }
}
