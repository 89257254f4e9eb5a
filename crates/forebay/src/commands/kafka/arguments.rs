//! Command line of `forebay kafka`.

use std::time::Duration;

use clap::{Args, Subcommand};
use forebay_admin::views::KafkaGroupBy;

use super::place::PlaceArgs;
use crate::arguments::{Remote, names};

/// `forebay kafka`.
#[derive(Debug, Subcommand)]
pub enum KafkaCommand {
    /// List the clusters, and where all stored data belongs
    Clusters {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the brokers, the hosts on which they run, and whether they are up
    ///
    /// A broker runs on the host that holds the lock on `.lock` in its log directory. It is `silent` if that host has sent nothing for a
    /// minute, and `gone` if nobody holds the lock any more.
    Brokers {
        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// List the topics, with the size of their files and the space that they take
    ///
    /// `stored` belongs to topics in equal parts where they share something, so that all rows add up to what the pool stores. `per day` is
    /// the usual growth. Below the table are topics that grow three times as fast, and replicas that keep records twice as long as others.
    Topics {
        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,

        /// The field to sort by: name, stored, files, growth, grown (in the last day), written, age, peers (age against other replicas) or
        /// ratio
        #[arg(long, value_name = "FIELD", default_value = "stored")]
        sort: String,

        /// Maximum number of topics to show
        #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        top: u32,

        /// Only topics whose name has this text in it
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
    },

    /// Show a topic with its partitions and replicas
    Topic {
        /// The topic
        topic: String,

        /// Count everything now, instead of using the last report; takes long for large topics
        #[arg(long)]
        exact: bool,

        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// Show what a topic, or all topics of a cluster, stored on each day
    ///
    /// The daemon keeps the last 400 days of a thousand topics, those that store most.
    History {
        /// The topic; all topics of the cluster without it
        topic: Option<String>,

        /// Number of days to show
        #[arg(long, value_name = "COUNT", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=400))]
        days: u32,

        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// Show the topics that a snapshot has, or the offsets of one of them and how to copy its replicas out
    Snapshot {
        /// The snapshot
        #[arg(value_name = "VOLUME@SNAPSHOT", value_parser = names::snapshot)]
        snapshot: names::SnapshotName,

        /// The topic
        topic: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show how much of each replica is shared with other replicas, and the reason if it is little
    Sharing {
        /// The topic
        topic: String,

        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// Show the monthly cost of topics
    Cost {
        /// The price of a terabyte (10^12 bytes) stored for a month
        #[arg(long, value_name = "AMOUNT")]
        price: f64,

        /// Which topics share a row: topic, or prefix: up to the first `.`, `-` or `_`
        #[arg(long, value_name = "GROUP", default_value = "topic")]
        group_by: KafkaGroupBy,

        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// Estimate the space freed by deleting topics, shorter retention, fewer replicas or deleting a snapshot
    ///
    /// Nothing is changed. TOPIC may end in `*`.
    WhatIf {
        /// Delete topics
        #[arg(long, value_name = "TOPIC")]
        delete: Vec<String>,

        /// Keep only segments whose last record is not older, such as orders=3d
        #[arg(long, value_name = "TOPIC=TIME", value_parser = retention)]
        retain: Vec<(String, Duration)>,

        /// Keep fewer replicas, such as orders=2
        #[arg(long, value_name = "TOPIC=COUNT", value_parser = factor)]
        factor: Vec<(String, u64)>,

        /// Delete a snapshot
        #[arg(long, value_name = "VOLUME@SNAPSHOT", value_parser = names::snapshot)]
        without_snapshot: Vec<names::SnapshotName>,

        /// Which cluster.
        #[command(flatten)]
        cluster: OfCluster,
    },

    /// Put all replicas of each partition into one pool, so that they are stored once
    ///
    /// Brokers that have a log directory in each of several pools store replicas of a partition once only if they lie in the same pool, and
    /// Kafka does not know that. This command plans moves between log directories of each broker, and prints Kafka's reassignment, or has
    /// Kafka carry it out. Replicas stay on their brokers and in their order. Each partition goes to the pool that has most of its bytes;
    /// then pools that are more than --balance percent above their share give partitions to others.
    ///
    /// Kafka copies each replica within its broker, and keeps the old one until the copy is complete: both take space until then, and
    /// both are read and written through the network. --throttle limits it.
    ///
    /// This command does not contact a daemon.
    #[command(after_long_help = PLACE_EXAMPLES)]
    Place(PlaceArgs),

    /// List directories that brokers left behind, and log directories that are not in use
    ///
    /// Nothing is deleted. A directory `…-delete` is listed when its broker has not removed it in the time of `kafka.deleted_after_seconds`.
    Cleanup {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const PLACE_EXAMPLES: &str = "\
Examples:
  kafka-topics.sh --bootstrap-server kafka-1:9092 --describe > topics.txt
  kafka-log-dirs.sh --bootstrap-server kafka-1:9092 --describe > log-dirs.txt
  forebay kafka place log-dirs.txt --pool one=/p1 --pool two=/p2
  forebay kafka place log-dirs.txt --pool one=/p1 --pool two=/p2 --assignment topics.txt -o json > plan.json
  kafka-reassign-partitions.sh --bootstrap-server kafka-1:9092 --reassignment-json-file plan.json --execute

  forebay kafka place --kafka /opt/kafka --bootstrap-server kafka-1:9092 --pool one=/p1 --pool two=/p2 --execute --throttle 100MB
";

/// A cluster of a daemon.
#[derive(Debug, Args)]
pub struct OfCluster {
    /// The cluster, as `forebay kafka clusters` shows it; not needed if there is only one
    #[arg(long, value_name = "CLUSTER")]
    pub cluster: Option<String>,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

fn retention(text: &str) -> Result<(String, Duration), String> {
    let hint = "write TOPIC=TIME, such as orders=3d";
    let (topic, time) = text.split_once('=').filter(|(topic, _)| !topic.is_empty()).ok_or(hint)?;
    let time = humantime::parse_duration(time).map_err(|error| format!("{error}; {hint}"))?;
    Ok((topic.to_owned(), time))
}

fn factor(text: &str) -> Result<(String, u64), String> {
    let parts = text.split_once('=').filter(|(topic, _)| !topic.is_empty());
    let read = parts.and_then(|(topic, count)| Some((topic.to_owned(), count.parse().ok()?)));
    read.filter(|(_, count)| *count > 0).ok_or_else(|| "write TOPIC=COUNT, such as orders=2".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_a_topic_and_a_value() {
        assert_eq!(retention("orders=3d").unwrap(), ("orders".to_owned(), Duration::from_secs(3 * 86_400)));
        assert_eq!(factor("team-*=2").unwrap(), ("team-*".to_owned(), 2));
        for wrong in ["orders", "=3d", "orders=", "orders=soon"] {
            assert!(retention(wrong).is_err() && factor(wrong).is_err(), "{wrong}");
        }
        assert!(factor("orders=0").is_err());
    }
}
