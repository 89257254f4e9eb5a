//! Reads what Kafka's tools print: the log directories, and the replicas of partitions in their order.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A partition of a topic.
pub type Name = (String, u32);

/// The name of a partition as Kafka writes it.
pub fn written((topic, number): &Name) -> String {
    format!("{topic}-{number}")
}

/// Output of `kafka-log-dirs.sh --describe`.
#[derive(Debug, Deserialize)]
pub struct LogDirs {
    /// The brokers that answered.
    pub brokers: Vec<BrokerDirs>,
}

/// The log directories of a broker.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerDirs {
    /// Its id.
    pub broker: u32,
    /// Its log directories.
    pub log_dirs: Vec<LogDir>,
}

/// A log directory.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogDir {
    /// The entry of `log.dirs`.
    pub log_dir: String,
    /// The problem, if it is offline.
    pub error: Option<String>,
    /// The replicas in it.
    pub partitions: Vec<DirReplica>,
}

/// A replica in a log directory.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirReplica {
    /// `TOPIC-NUMBER`
    pub partition: String,
    /// The size of its segments; a broker may not know it.
    pub size: i64,
    /// Whether it is a copy that replaces the replica in another directory when it is complete.
    #[serde(default)]
    pub is_future: bool,
}

impl LogDirs {
    /// Reads the tool's output: lines of text, then the description in JSON.
    pub fn read(text: &str) -> Result<Self> {
        let tool = "kafka-log-dirs.sh --describe";
        let start = text
            .char_indices()
            .find(|(at, character)| {
                *character == '{'
                    && text.get(..*at).is_none_or(|before| before.is_empty() || before.ends_with('\n'))
            })
            .map(|(at, _)| at);
        let json = start.and_then(|start| text.get(start..));
        let json = json.with_context(|| format!("has no line of JSON: it must be what {tool} prints"))?;
        serde_json::from_str(json).map_err(|error| {
            if error.is_eof() {
                anyhow::anyhow!("ends within the JSON: it was cut off; run {tool} again")
            } else {
                anyhow::anyhow!("is not what {tool} prints: {error}")
            }
        })
    }
}

impl DirReplica {
    /// The partition's name.
    pub fn name(&self) -> Result<Name> {
        let parts = self.partition.rsplit_once('-').filter(|(topic, _)| !topic.is_empty());
        let read = parts.and_then(|(topic, number)| Some((topic.to_owned(), number.parse().ok()?)));
        read.with_context(|| format!("`{}` is not the name of a partition, such as orders-0", self.partition))
    }
}

/// The brokers to which Kafka has assigned a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The brokers with its replicas, the preferred leader first. During a reassignment between brokers also those that are added or removed.
    pub brokers: Vec<u32>,
    /// Whether such a reassignment is under way.
    pub is_changing: bool,
}

/// The brokers of all partitions.
pub type Assignment = BTreeMap<Name, Assigned>;

/// Reads what `kafka-topics.sh --describe` has printed.
pub fn assignment(text: &str) -> Result<Assignment> {
    let mut found = Assignment::new();
    for line in text.lines() {
        let field = |name: &str| {
            let mut fields = line.split('\t').map(str::trim);
            fields.find_map(|field| field.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let (Some(topic), Some(number), Some(replicas)) =
            (field("Topic"), field("Partition"), field("Replicas"))
        else {
            continue;
        };
        let numbers = replicas.split(',').map(|id| id.trim().parse::<u32>().ok()).collect::<Option<Vec<_>>>();
        let (Ok(number), Some(replicas)) = (number.parse(), numbers) else {
            bail!("has a line that kafka-topics.sh --describe does not print: {}", line.trim());
        };
        let is_changing = ["Adding Replicas", "Removing Replicas"]
            .iter()
            .any(|name| field(name).is_some_and(|ids| !ids.is_empty()));
        found.insert((topic.to_owned(), number), Assigned { brokers: replicas, is_changing });
    }
    if found.is_empty() {
        bail!("names no partition: it must be what kafka-topics.sh --describe prints");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"version":1,"brokers":[{"broker":2,"logDirs":[{"partitions":[{"partition":"a-b-7","size":12,"offsetLag":0,"isFuture":true}],"error":null,"logDir":"/p1"}]}]}"#;

    #[test]
    fn the_description_is_found_behind_the_lines_that_the_tool_prints_first() {
        let told = format!("Querying brokers {{for log directories}}\nReceived it from brokers 2\n{LINE}\n");
        for text in [told.as_str(), LINE] {
            let read = LogDirs::read(text).unwrap();
            let directory = &read.brokers[0].log_dirs[0];
            assert_eq!((read.brokers[0].broker, directory.log_dir.as_str()), (2, "/p1"));
            let replica = &directory.partitions[0];
            assert_eq!((replica.name().unwrap(), replica.size), (("a-b".to_owned(), 7), 12));
            assert!(replica.is_future && directory.error.is_none());
        }
    }

    #[test]
    fn what_the_tool_does_not_print_is_refused_with_the_reason() {
        let refused = |text: &str, why: &str| {
            let error = LogDirs::read(text).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        };
        refused("", "no line of JSON");
        refused("Timed out waiting for a node assignment\n", "no line of JSON");
        for end in 1..LINE.len() {
            refused(&LINE[..end], "cut off");
        }
        refused("{\"version\":1}", "brokers");
        refused(&format!("{LINE}x"), "is not what");
        let replica = |name: &str| DirReplica { partition: name.to_owned(), size: 0, is_future: false };
        assert!(
            ["orders", "-1", "orders-x", "orders-"].into_iter().all(|name| replica(name).name().is_err())
        );
    }

    #[test]
    fn the_order_of_replicas_is_read() {
        let text = "Topic: t\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: \n\
                    \tTopic: t\tPartition: 0\tLeader: 3\tReplicas: 3,1,2\tIsr: 3,1,2\tElr: \tLastKnownElr: \n\
                    \tTopic: t\tPartition: 1\tLeader: none\tReplicas: 1,2,3\tIsr: \n\
                    \tTopic: t\tPartition: 2\tLeader: 2\tReplicas: 4,2,3,1\tIsr: 1,2,3\tElr: \tLastKnownElr: \tAdding Replicas: 4\tRemoving Replicas: 1\n";
        let found = assignment(text).unwrap();
        let of = |number: u32| {
            (&found[&("t".to_owned(), number)].brokers[..], found[&("t".to_owned(), number)].is_changing)
        };
        assert_eq!((of(0), of(1)), ((&[3, 1, 2][..], false), (&[1, 2, 3][..], false)));
        assert_eq!(of(2), (&[4, 2, 3, 1][..], true));
        assert_eq!(found.len(), 3);
        assert!(assignment("Topic: t\tPartition: 0\tReplicas: one\n").is_err());
        assert!(assignment("nothing").is_err());
    }
}
