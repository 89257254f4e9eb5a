//! The versions of Kafka that the lab runs.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::{Deserialize, Serialize};

/// A version of Kafka.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KafkaVersion {
    /// 4.4.0.
    #[default]
    V4_4,
    /// 4.1.0, the first whose tiered storage the plugin was written for.
    V4_1,
    /// 3.9.2, the last with ZooKeeper, which the technical reports used.
    V3_9,
}

impl KafkaVersion {
    /// The version of its artifacts.
    pub fn artifacts(self) -> &'static str {
        match self {
            Self::V4_4 => "4.4.0",
            Self::V4_1 => "4.1.0",
            Self::V3_9 => "3.9.2",
        }
    }

    /// The version of the artifact with Kafka's tests, which is not published for all.
    pub fn test_artifacts(self) -> &'static str {
        match self {
            Self::V4_4 => "4.3.0",
            Self::V4_1 => "4.1.0",
            Self::V3_9 => "3.9.2",
        }
    }

    /// Whether ZooKeeper coordinates its brokers, and not a KRaft controller.
    pub fn has_zookeeper(self) -> bool {
        self == Self::V3_9
    }

    /// Whether `segment.bytes` may be less than 1 MiB. Other versions have `internal.segment.bytes` for that.
    fn has_segments_of_any_size(self) -> bool {
        self == Self::V3_9
    }

    /// The name of the setting of a topic for segments of this size.
    pub fn segment_setting(self, bytes: u64) -> &'static str {
        if self.has_segments_of_any_size() || bytes >= 1 << 20 {
            "segment.bytes"
        } else {
            "internal.segment.bytes"
        }
    }

    /// The class of the tool that changes settings of topics and brokers.
    pub fn config_tool(self) -> &'static str {
        match self {
            Self::V4_4 => "org.apache.kafka.tools.ConfigCommand",
            Self::V4_1 | Self::V3_9 => "kafka.admin.ConfigCommand",
        }
    }

    /// What is known to be wrong with it.
    pub fn warning(self) -> Option<&'static str> {
        (self == Self::V4_1).then_some(
            "Kafka 4.1.0 can lose tiered records with retention by size after a change of the leader (KAFKA-20732)",
        )
    }
}

impl ValueEnum for KafkaVersion {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::V4_4, Self::V4_1, Self::V3_9]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::V4_4 => PossibleValue::new("4.4.0").alias("4.4"),
            Self::V4_1 => PossibleValue::new("4.1.0").alias("4.1"),
            Self::V3_9 => PossibleValue::new("3.9").alias("3.9.2").help("With ZooKeeper"),
        })
    }
}
