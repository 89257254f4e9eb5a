//! Kafka's brokers, log directories and topics.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity};
use super::{AT_ONCE, hours, minutes};
use crate::base::words::{bytes, several, span};
use crate::kafka::digest::{BrokerName, DeletedSeen, GrowingSeen, OlderSeen, UnsharedSeen};
use crate::kafka::holders::{Broker, BrokerState, Holding};

/// A broker that is gone is shown for this long. After that its operator knows.
const GONE_SHOWN: Duration = hours(24);
/// A directory that a broker should have removed is listed for this long before the alert fires.
const DELETED_LISTED: Duration = minutes(5);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayKafkaBrokerGone",
        severity: Severity::Warning,
        watches: "For two minutes nobody holds `.lock` in a log directory that a broker used since the daemon started, and the broker did \
                  not stop in order; or the host that holds it has been silent for a minute. The alert ends after a day.",
        summary: "a Kafka broker is gone from its log directory",
        runbook: "1. Look at the broker's log and at its host: the alert names the address. 2. `forebay kafka brokers` shows all brokers, \
                  `forebay nfs clients` the hosts. 3. Start the broker again, on any host.",
        source: Daemon { hold: minutes(2), keep: AT_ONCE, check: broker_gone },
    },
    Rule {
        name: "ForebayKafkaNodeTwice",
        severity: Severity::Critical,
        watches: "Two hosts hold `.lock` in log directories of the same node id and cluster.",
        summary: "two brokers of a Kafka cluster run with the same node id",
        runbook: "1. Stop the broker that should not run: the alert names both hosts. 2. Compare node.id and log.dirs in their \
                  server.properties. 3. Replicas that the wrong one has written are in its own log directory; remove it when the right \
                  one is in sync.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: node_twice },
    },
    Rule {
        name: "ForebayKafkaDeletedStays",
        severity: Severity::Warning,
        watches: "A broker renamed a replica's directory to delete it, and five minutes after the time of kafka.deleted_after_seconds it is \
                  still there: a quarter of an hour by default.",
        summary: "directories of deleted Kafka replicas stay, and keep their space",
        runbook: "1. `forebay kafka cleanup` shows the directories and the hosts of their brokers. 2. A broker that does not run deletes \
                  nothing: start it. 3. If it runs, look for the directory in its log. 4. If \
                  log.segment.delete.delay.ms is longer than usual, set kafka.deleted_after_seconds.",
        source: Daemon { hold: minutes(1), keep: AT_ONCE, check: deleted_stays },
    },
    Rule {
        name: "ForebayKafkaReplicaNotShared",
        severity: Severity::Info,
        watches: "For a day a replica has less than 80 % of its bytes in common with others of its partition, and at least 64 MiB that \
                  are not. Compacted partitions are excluded.",
        summary: "a Kafka replica is not stored once with the others of its partition",
        runbook: "1. `forebay kafka sharing TOPIC` names the replica and the reason. 2. A replica that was rebuilt shares again with its \
                  next retention. 3. If brokers compress batches again, set compression.type=producer.",
        source: Daemon { hold: hours(24), keep: minutes(30), check: not_shared },
    },
    Rule {
        name: "ForebayKafkaTopicGrows",
        severity: Severity::Warning,
        watches: "In the last day topics of a cluster grew three times as fast as usual, and each by at least 1 GiB and a tenth of its \
                  size. What is usual is known after four days.",
        summary: "a Kafka topic grows three times as fast as usual",
        runbook: "1. `forebay kafka topics --sort grown` names the topics below its table, and `forebay kafka history TOPIC` shows their days. \
                  2. Look for a producer that sends more than before, and for a longer retention (retention.ms, retention.bytes). 3. \
                  `forebay pool capacity` says when the pool will be full.",
        source: Daemon { hold: minutes(10), keep: hours(1), check: topic_grows },
    },
    Rule {
        name: "ForebayKafkaRetentionDiffers",
        severity: Severity::Warning,
        watches: "For an hour a replica has records that all others of its partition have deleted, and the oldest is twice as old as theirs. \
                  Compacted partitions are excluded.",
        summary: "the oldest record of a Kafka replica is twice as old as its peers'",
        runbook: "1. `forebay kafka topics --sort peers` names the partitions below its table. 2. Look in the broker's log for errors of its log \
                  manager: a broker that cannot delete segments fills its volume. 3. Compare log.retention.ms, log.retention.bytes and \
                  log.retention.check.interval.ms in the brokers' server.properties.",
        source: Daemon { hold: hours(1), keep: minutes(30), check: retention_differs },
    },
];

fn brokers<'a>(facts: &Facts<'a>) -> &'a [Broker] {
    facts.seen.kafka.as_ref().map(|kafka| &kafka.brokers[..]).unwrap_or_default()
}

fn named(broker: &Broker) -> BrokerName {
    BrokerName { cluster: broker.cluster.clone(), node: broker.node }
}

/// One finding for each broker.
fn each(messages: BTreeMap<BrokerName, String>) -> Vec<Finding> {
    messages.into_iter().map(|(broker, message)| Finding::new(broker.to_string(), message)).collect()
}

fn broker_gone(facts: &Facts<'_>) -> Vec<Finding> {
    let message = |broker: &Broker| match &broker.state {
        BrokerState::Silent(Holding { address, .. }, silence) if *silence < GONE_SHOWN => {
            Some(format!("It ran on {address}, which has sent nothing for {}.", span(*silence)))
        }
        BrokerState::Gone(Holding { address, since, .. })
            if !broker.is_clean && facts.since(*since) < GONE_SHOWN =>
        {
            let (ago, volume) = (span(facts.since(*since)), &broker.volume);
            Some(format!("It ran on {address} until {ago} ago, and nobody holds .lock on volume {volume}."))
        }
        _ => None,
    };
    each(brokers(facts).iter().filter_map(|broker| Some((named(broker), message(broker)?))).collect())
}

fn node_twice(facts: &Facts<'_>) -> Vec<Finding> {
    let mut hosts: BTreeMap<BrokerName, BTreeMap<IpAddr, &str>> = BTreeMap::new();
    for broker in brokers(facts).iter().filter(|broker| broker.node.is_some()) {
        let (BrokerState::Up(holding) | BrokerState::Silent(holding, _)) = &broker.state else { continue };
        hosts.entry(named(broker)).or_default().insert(holding.address, &broker.volume);
    }
    let twice = hosts.into_iter().filter(|(_, hosts)| hosts.len() > 1);
    let message = |(broker, hosts): (BrokerName, BTreeMap<IpAddr, &str>)| {
        let places: Vec<_> =
            hosts.iter().map(|(address, volume)| format!("{address} with volume {volume}")).collect();
        (broker, format!("It runs on {}.", places.join(" and on ")))
    };
    each(twice.map(message).collect())
}

fn deleted_stays(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(kafka) = &facts.seen.kafka else { return Vec::new() };
    // The report must be that much younger than the deletion: an older one shows directories that may be gone.
    let taken = kafka.digest.taken;
    let stays = |one: &&DeletedSeen| {
        let seen = taken.and_then(|taken| taken.duration_since(one.since).ok());
        seen.is_some_and(|seen| seen >= kafka.digest.deleted_after + DELETED_LISTED)
    };
    let mut found: BTreeMap<&BrokerName, (u64, u64, Duration)> = BTreeMap::new();
    for one in kafka.digest.deleted.iter().filter(stays) {
        let (count, size, oldest) = found.entry(&one.broker).or_default();
        *count += 1;
        *size = size.saturating_add(one.bytes_in_files);
        *oldest = facts.since(one.since).max(*oldest);
    }
    let message = |(count, size, oldest)| {
        let (size, oldest) = (bytes(size), span(oldest));
        let noun = if count == 1 { "directory" } else { "directories" };
        format!("It has not removed {count} {noun} of deleted replicas, with {size} in files, for {oldest}.")
    };
    each(found.into_iter().map(|(broker, seen)| (broker.clone(), message(seen))).collect())
}

fn not_shared(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(kafka) = &facts.seen.kafka else { return Vec::new() };
    let mut found: BTreeMap<&BrokerName, Vec<&UnsharedSeen>> = BTreeMap::new();
    for one in &kafka.digest.unshared {
        found.entry(&one.broker).or_default().push(one);
    }
    let message = |(broker, mut replicas): (&BrokerName, Vec<&UnsharedSeen>)| {
        replicas.sort_by_key(|one| one.shared_permille);
        let least = replicas.first()?;
        let (count, share) = (several(replicas.len() as u64, "replica"), least.shared_permille / 10);
        Some((
            broker.clone(),
            format!(
                "{count} of it: the least has {share} % in common with others. {}.",
                upper(&least.reason)
            ),
        ))
    };
    each(found.into_iter().filter_map(message).collect())
}

fn topic_grows(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(kafka) = &facts.seen.kafka else { return Vec::new() };
    let finding = |seen: &GrowingSeen| {
        let count = several(seen.topics, "topic");
        let (has, grows) = if seen.topics == 1 { ("has", "grows") } else { ("have", "grow") };
        let (grown, usual) = (bytes(seen.last_day), bytes(seen.usual));
        let message =
            format!("{count} of it {has} grown by {grown} in the last day, and usually {grows} by {usual}.");
        Finding::new(format!("Kafka cluster {}", seen.cluster), message)
    };
    kafka.digest.growing.iter().map(finding).collect()
}

fn retention_differs(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(kafka) = &facts.seen.kafka else { return Vec::new() };
    let finding = |seen: &OlderSeen| {
        let count = several(seen.replicas, "replica");
        let (age, of_peers) = (span(seen.age), span(seen.age_of_peers));
        let verb = if seen.replicas == 1 { "keeps" } else { "keep" };
        let message = format!(
            "{count} of it {verb} records that others of the partition have deleted: the oldest record is {age} old, theirs {of_peers}."
        );
        Finding::new(seen.broker.to_string(), message)
    };
    kafka.digest.older.iter().map(finding).collect()
}

/// With its first letter in upper case.
fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
