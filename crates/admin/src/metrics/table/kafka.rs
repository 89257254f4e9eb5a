//! Metrics of Kafka, from the last report. They have no samples if Kafka views are off.

use std::collections::BTreeMap;

use super::{Collect, Family, Kind, Label};
use crate::kafka::holders::BrokerState;

const CLUSTER: Label =
    Label { name: "cluster", bound: "ids of Kafka clusters, at most 200 for topics beyond the named ones" };
const TOPIC: Label = Label {
    name: "topic",
    bound: "the kafka.metrics_topics topics that store most, and `other` for the rest",
};
const NODE: Label =
    Label { name: "node", bound: "node ids of the brokers of the first 1,000 log directories" };
const STATE: Label = Label { name: "state", bound: "`live`, `deleted`, `future`, `stray`" };

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_kafka_topic_logical_bytes",
        kind: Kind::Gauge,
        labels: &[CLUSTER, TOPIC],
        says: "Bytes in the files of the topic's replicas, holes excluded.",
        then: "Growth beyond what producers send means a longer retention: `forebay kafka topic` shows the oldest segments.",
        collect: Collect::Kafka(|kafka, samples| {
            for topic in &kafka.digest.topics {
                samples.with(&[("cluster", &topic.cluster), ("topic", &topic.topic)], topic.bytes_in_files);
            }
        }),
    },
    Family {
        name: "forebay_kafka_topic_physical_bytes",
        kind: Kind::Gauge,
        labels: &[CLUSTER, TOPIC],
        says: "Bytes stored for the topic. What several topics share belongs to them in equal parts.",
        then: "Near the logical bytes, replicas are not stored once: `forebay kafka sharing` shows why.",
        collect: Collect::Kafka(|kafka, samples| {
            for topic in &kafka.digest.topics {
                samples.with(&[("cluster", &topic.cluster), ("topic", &topic.topic)], topic.bytes_stored);
            }
        }),
    },
    Family {
        name: "forebay_kafka_topic_shared_ratio",
        kind: Kind::Gauge,
        labels: &[CLUSTER, TOPIC],
        says: "The least part of a live replica that another replica of its partition has too, from 0 to 1; missing without another replica.",
        then: "Below 0.8, a replica was rebuilt, lags, or is compacted: `forebay kafka sharing` names it and the reason.",
        collect: Collect::Kafka(|kafka, samples| {
            for topic in &kafka.digest.topics {
                if let Some(shared) = topic.shared {
                    samples.with(&[("cluster", &topic.cluster), ("topic", &topic.topic)], shared);
                }
            }
        }),
    },
    Family {
        name: "forebay_kafka_broker_up",
        kind: Kind::Gauge,
        labels: &[CLUSTER, NODE],
        says: "1 if a client that is heard of holds `.lock` in each of the broker's log directories, otherwise 0.",
        then: "0: the broker has stopped, or its host is silent. `forebay kafka brokers` shows since when.",
        collect: Collect::Kafka(|kafka, samples| {
            let mut up: BTreeMap<(&str, String), bool> = BTreeMap::new();
            for broker in &kafka.brokers {
                let node = broker.node.map(|node| node.to_string()).unwrap_or_default();
                let is_up = up.entry((&broker.cluster, node)).or_insert(true);
                *is_up &= matches!(broker.state, BrokerState::Up(_));
            }
            for ((cluster, node), is_up) in up {
                samples.with(&[("cluster", cluster), ("node", &node)], is_up);
            }
        }),
    },
    Family {
        name: "forebay_kafka_replicas",
        kind: Kind::Gauge,
        labels: &[STATE],
        says: "Number of replicas in log directories, by what brokers do with them.",
        then: "`deleted` for longer than some minutes, or `stray`: `forebay kafka cleanup` shows the directories.",
        collect: Collect::Kafka(|kafka, samples| {
            for (state, count) in
                ["live", "deleted", "future", "stray"].into_iter().zip(kafka.digest.replicas)
            {
                samples.with(&[("state", state)], count);
            }
        }),
    },
    Family {
        name: "forebay_kafka_report_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the last report about Kafka was taken, in seconds since 1970; missing before the first.",
        then: "Much older than kafka.interval_seconds: `forebay kafka clusters` says why there is no newer one.",
        collect: Collect::Kafka(|kafka, samples| {
            if let Some(taken) = kafka.digest.taken {
                samples.one(taken.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs_f64());
            }
        }),
    },
    Family {
        name: "forebay_kafka_report_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "How long the last report about Kafka took to make.",
        then: "More than a tenth of kafka.interval_seconds means that reports come less often.",
        collect: Collect::Kafka(|kafka, samples| {
            if kafka.digest.taken.is_some() {
                samples.one(kafka.digest.seconds);
            }
        }),
    },
];
