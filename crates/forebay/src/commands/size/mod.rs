//! How much storage a Kafka cluster needs: throughput, capacity, nodes.
//!
//! The arithmetic is that of TR-4947: each of `replication` replicas is written to storage once, so the
//! cluster's limit is `nodes × (limit of one node) / replication`. Capacity is computed twice: for separate
//! replicas, and as Forebay stores them, each record batch once.

mod quantity;
mod show;

use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;

use quantity::{parse_bytes, parse_rate};
pub use show::run;

/// The fraction of the ideal sharing that real clusters reached after a replica was rebuilt and a topic's
/// start was moved (2.80 of 3; the experiment `efficiency`).
const REPLICAS_SHARED: f64 = 0.93;

/// `forebay size`.
#[derive(Args, Debug)]
pub struct SizeArgs {
    /// Total rate of all producers, such as 1.2GB/s or 400MiB/s
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    produce: f64,

    /// Replication factor of the topics
    #[arg(long, value_name = "FACTOR", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    replication: u32,

    /// Retention time of the records, such as 7d or 36h
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = parse_time)]
    retention: Duration,

    /// Number of brokers
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    brokers: u32,

    /// Total rate of consumers that read records no longer in the brokers' memory
    ///
    /// Consumers that keep up are served from the brokers' memory and cause no reads from storage.
    #[arg(long, value_name = "RATE", default_value = "0B/s", value_parser = parse_rate)]
    read: f64,

    /// Compression ratio of the records on storage; 1 if producers compress
    #[arg(long, value_name = "RATIO", default_value_t = 1.0)]
    compression: f64,

    /// Free space reserve, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0)]
    reserve: f64,

    /// Maximum throughput of one storage node; `forebay lab run bench` measures it on your hardware
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    node_throughput: Option<f64>,

    /// Capacity of one storage node, such as 100TB
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    node_capacity: Option<f64>,

    /// Print a JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The result, in bytes and bytes per second.
#[derive(Debug, PartialEq, Serialize)]
pub struct Plan {
    produce: f64,
    replication: u32,
    retention_seconds: f64,
    brokers: u32,
    /// Write rate of the storage, with all replicas.
    storage_write: f64,
    /// Read and write rate of the storage.
    storage_throughput: f64,
    /// Write rate of each broker.
    broker_write: f64,
    /// Size of all replicas.
    capacity_logical: f64,
    /// Ratio of logical to physical size.
    efficiency: f64,
    /// Stored size.
    capacity_physical: f64,
    /// Stored size plus the free space reserve.
    capacity_with_reserve: f64,
    /// The same, if every replica was stored separately.
    capacity_without_efficiency: f64,
    /// Number of storage nodes.
    nodes: Option<Nodes>,
}

/// The number of nodes, and the reasons.
#[derive(Debug, PartialEq, Serialize)]
pub struct Nodes {
    for_throughput: Option<u64>,
    for_capacity: Option<u64>,
    needed: u64,
    /// Maximum produce rate with these nodes, by replication factor.
    produce_max: Vec<(u32, f64)>,
}

/// Calculates the storage for the given cluster.
pub fn plan(wanted: &SizeArgs) -> Result<Plan> {
    ensure!(wanted.produce > 0.0, "--produce is 0: give the rate of the producers, such as 1.2GB/s");
    ensure!(
        wanted.compression >= 1.0,
        "--compression is {}: compression must not enlarge records; use 1 or more",
        wanted.compression
    );
    ensure!((0.0..=90.0).contains(&wanted.reserve), "--reserve is {}: use 0 to 90 percent", wanted.reserve);
    ensure!(
        wanted.replication <= wanted.brokers,
        "--replication {} needs as many brokers, and --brokers is {}",
        wanted.replication,
        wanted.brokers
    );
    let factor = f64::from(wanted.replication);
    let storage_write = wanted.produce * factor;
    let capacity_logical = storage_write * wanted.retention.as_secs_f64();
    let shared = if wanted.replication > 1 { factor * REPLICAS_SHARED } else { 1.0 };
    let efficiency = shared * wanted.compression;
    let free = 1.0 - wanted.reserve / 100.0;
    let capacity_with_reserve = capacity_logical / efficiency / free;
    let storage_throughput = storage_write + wanted.read;
    Ok(Plan {
        produce: wanted.produce,
        replication: wanted.replication,
        retention_seconds: wanted.retention.as_secs_f64(),
        brokers: wanted.brokers,
        storage_write,
        storage_throughput,
        broker_write: storage_write / f64::from(wanted.brokers),
        capacity_logical,
        efficiency,
        capacity_physical: capacity_logical / efficiency,
        capacity_with_reserve,
        capacity_without_efficiency: capacity_logical / free,
        nodes: nodes(wanted, storage_throughput, capacity_with_reserve),
    })
}

fn nodes(wanted: &SizeArgs, throughput: f64, capacity: f64) -> Option<Nodes> {
    let for_throughput = wanted.node_throughput.map(|node| count(throughput / node));
    let for_capacity = wanted.node_capacity.map(|node| count(capacity / node));
    let needed = for_throughput.max(for_capacity)?;
    let produce_max = wanted.node_throughput.map_or_else(Vec::new, |node| {
        // TR-4947: max(t_cluster) = max(t_storage) × nodes / replication.
        let all = (node * needed as f64 - wanted.read).max(0.0);
        (1..=wanted.replication.max(3)).map(|factor| (factor, all / f64::from(factor))).collect()
    });
    Some(Nodes { for_throughput, for_capacity, needed, produce_max })
}

/// Whole nodes. If no number of nodes is enough, the result is the largest number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts saturate, and it is not negative"
)]
fn count(nodes: f64) -> u64 {
    (nodes.ceil() as u64).max(1)
}

fn parse_time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time.is_zero() => Err(format!("`{text}` is not a retention time")),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write it like 7d, 36h or 30days")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        wanted: SizeArgs,
    }

    fn of(words: &str) -> Result<Plan> {
        plan(&Words::try_parse_from(format!("size {words}").split(' '))?.wanted)
    }

    #[test]
    fn every_replica_is_written_and_each_record_is_kept_once() {
        let plan = of("--produce 1.2GB/s --replication 3 --retention 7d --brokers 6").unwrap();
        assert_eq!(plan.storage_write, 3.6e9);
        assert_eq!(plan.broker_write, 0.6e9);
        assert_eq!(plan.capacity_logical, 3.6e9 * 604_800.0);
        assert!((plan.efficiency - 2.79).abs() < 1e-9);
        let free = plan.capacity_with_reserve / plan.capacity_physical;
        assert!((free - 1.25).abs() < 1e-9);
        assert_eq!(plan.nodes, None);
    }

    /// The table of TR-4947: one system of 10.2 GB/s can take 10.2, 5.1 and 3.4 GB/s at factors 1, 2 and 3.
    #[test]
    fn the_reports_table_comes_out() {
        let nodes = of("--produce 3.4GB/s --brokers 8 --node-throughput 10.2GB/s").unwrap().nodes.unwrap();
        assert_eq!((nodes.needed, nodes.for_throughput, nodes.for_capacity), (1, Some(1), None));
        let rounded: Vec<f64> =
            nodes.produce_max.iter().map(|(_, rate)| (rate / 1e8).round() / 10.0).collect();
        assert_eq!(rounded, [10.2, 5.1, 3.4]);
    }

    #[test]
    fn the_scarcer_of_throughput_and_capacity_decides() {
        let words = "--produce 100MB/s --retention 30d --node-throughput 1GB/s --node-capacity 100TB";
        let nodes = of(words).unwrap().nodes.unwrap();
        assert_eq!((nodes.for_throughput, nodes.for_capacity, nodes.needed), (Some(1), Some(4), 4));
        let reading = of(&format!("{words} --read 9GB/s")).unwrap().nodes.unwrap();
        assert_eq!(reading.for_throughput, Some(10));
    }

    /// The console has the same arithmetic in TypeScript, and its test uses the same cases.
    #[test]
    fn the_cases_that_the_console_shares_come_out() {
        let cases: Vec<serde_json::Value> = serde_json::from_str(include_str!("cases.json")).unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            let words = case["words"].as_str().unwrap();
            let made = serde_json::to_value(of(words).unwrap()).unwrap();
            let expected = case["plan"].as_object().unwrap();
            expected.iter().for_each(|(field, value)| assert_close(&made[field], value, words));
            for field in ["produce", "replication", "retention_seconds", "brokers"] {
                assert_close(&made[field], &case["wanted"][field], words);
            }
        }
    }

    fn assert_close(made: &serde_json::Value, expected: &serde_json::Value, case: &str) {
        use serde_json::Value;
        match (made, expected) {
            (Value::Number(made), Value::Number(expected)) => {
                let (made, expected) = (made.as_f64().unwrap(), expected.as_f64().unwrap());
                assert!((made - expected).abs() <= expected.abs() * 1e-9, "{case}: {made}, not {expected}");
            }
            (Value::Array(made), Value::Array(expected)) => {
                assert_eq!(made.len(), expected.len(), "{case}");
                made.iter().zip(expected).for_each(|(made, expected)| assert_close(made, expected, case));
            }
            (Value::Object(_), Value::Object(expected)) => {
                expected.iter().for_each(|(field, value)| assert_close(&made[field], value, case));
            }
            _ => assert_eq!(made, expected, "{case}"),
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |words: &str, why: &str| {
            let error = of(words).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        };
        refused("--produce 0B/s", "--produce is 0");
        refused("--produce 1GB/s --replication 5", "needs as many brokers");
        refused("--produce 1GB/s --compression 0.5", "must not enlarge");
        refused("--produce 1GB/s --reserve 95", "--reserve");
        refused("--produce fast", "fast");
        refused("--produce 1GB/s --retention 0s", "not a retention time");
    }
}
