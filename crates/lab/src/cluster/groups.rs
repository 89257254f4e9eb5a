//! Consumer groups and their offsets.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::tools::Tools;

const CONSUMER: &str = "org.apache.kafka.tools.consumer.ConsoleConsumer";
const GROUPS_TOOL: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
/// How long the consumer waits for a record before it considers the topic read.
const IDLE_MS: &str = "60000";

/// The offsets that a group has committed, by topic and partition.
pub type Offsets = BTreeMap<(String, u32), u64>;

impl Tools {
    /// Makes a group consume this many records of a topic from its beginning, and commit its offsets.
    pub fn consume(&self, group: &str, topic: &str, records: u64) -> Result<()> {
        let records = records.to_string();
        let mut arguments = vec!["--topic", topic, "--group", group, "--max-messages", &records];
        arguments.extend(["--from-beginning", "--timeout-ms", IDLE_MS]);
        self.run(CONSUMER, &arguments)
            .map(drop)
            .with_context(|| format!("consume topic {topic} as group {group}"))
    }

    /// The offsets that a group has committed.
    pub fn group_offsets(&self, group: &str) -> Result<Offsets> {
        let said = self.run(GROUPS_TOOL, &["--describe", "--offsets", "--group", group])?;
        Ok(offsets_in(&said, group))
    }
}

/// The lines of the tool's table that begin with the group: group, topic, partition, offset. A group's partition without an offset has none.
fn offsets_in(said: &str, group: &str) -> Offsets {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [first, topic, partition, offset, ..] = words.as_slice() else { return None };
        (*first == group).then_some(())?;
        Some((((*topic).to_owned(), partition.parse().ok()?), offset.parse().ok()?))
    };
    said.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_from_the_tools_table() {
        let said = "\nConsumer group 'g' has no active members.\n\n\
            GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n\
            g     data  0         500            900            400 -           -    -\n\
            g     data  1         -              900            -   -           -    -\n";
        assert_eq!(offsets_in(said, "g"), BTreeMap::from([(("data".to_owned(), 0), 500)]));
    }
}
