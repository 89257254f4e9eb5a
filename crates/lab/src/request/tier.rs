//! The tier of the experiments on tiered storage, and the faults during them.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::storage_kind::StorageKind;
use crate::toolbox::Toolset;

/// The tier that closed segments are copied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TierKind {
    /// Forebay, with copies by reference only: a copy that would have to be uploaded fails. If the log directories are not on this
    /// daemon, segments are uploaded.
    Forebay,
    /// Forebay, with uploads only.
    ForebayUpload,
    /// VersityGW.
    Versitygw,
    /// MinIO.
    Minio,
    /// Kafka's own LocalTieredStorage, with a directory of the brokers' shared storage.
    KafkaLocal,
}

impl TierKind {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forebay => "forebay",
            Self::ForebayUpload => "forebay-upload",
            Self::Versitygw => "versitygw",
            Self::Minio => "minio",
            Self::KafkaLocal => "kafka-local",
        }
    }

    /// Its S3 server; `None` if it has none.
    pub fn server(self) -> Option<StorageKind> {
        match self {
            Self::Forebay | Self::ForebayUpload => Some(StorageKind::Forebay),
            Self::Versitygw => Some(StorageKind::Versitygw),
            Self::Minio => Some(StorageKind::Minio),
            Self::KafkaLocal => None,
        }
    }

    /// The tool set with its server, if it is compiled from source.
    pub fn toolset(self) -> Option<Toolset> {
        self.server()?.own_toolset()
    }
}

impl fmt::Display for TierKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A fault that happens while segments are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// None.
    None,
    /// The S3 server is killed with kill -9 and started again.
    DaemonKill,
    /// The S3 server's process is stopped with SIGSTOP, and continues after a while.
    DaemonHang,
    /// Requests to the S3 server are answered with errors, cut, reset, or not answered.
    S3Errors,
    /// Requests to the S3 server and their answers are slow.
    S3Slow,
    /// A broker is killed with kill -9 and started again.
    BrokerKill,
    /// Every partition gets another leader.
    LeaderChange,
    /// Every partition moves to other brokers.
    Reassign,
    /// The bucket has no room.
    DiskFull,
    /// A bit of a closed segment is flipped in the log directory before it is copied, and flipped back after a while.
    DamagedSegment,
    /// A bit of a closed segment is flipped in the pool's files before it is copied, and flipped back after a while.
    DamagedChunk,
    /// Errors of the Java runtime are thrown inside the plugin's calls.
    Errors,
}

impl Fault {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::DaemonKill => "daemon-kill",
            Self::DaemonHang => "daemon-hang",
            Self::S3Errors => "s3-errors",
            Self::S3Slow => "s3-slow",
            Self::BrokerKill => "broker-kill",
            Self::LeaderChange => "leader-change",
            Self::Reassign => "reassign",
            Self::DiskFull => "disk-full",
            Self::DamagedSegment => "damaged-segment",
            Self::DamagedChunk => "damaged-chunk",
            Self::Errors => "errors",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an experiment on tiered storage uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierRequest {
    /// The tier.
    pub kind: TierKind,
    /// The faults, one after the other.
    pub faults: Vec<Fault>,
}
