//! Storages: they hold the brokers' logs.
//!
//! A storage is started before its guests boot, because one kind gives each guest a disk ([`Storage::prepare`]). Then each
//! guest mounts the storage ([`Storage::mount`]). Every kind is one file here. A folder of the host ([`Storage::folder`]) is
//! already mounted, and has no guests. Object stores ([`object`]) are not mounted either: clients speak S3 to them.

mod buckets;
mod elsewhere;
mod forebay;
mod ganesha;
mod interface;
mod kernel_nfs;
mod local;
mod mounted;
mod nfs;
mod null;
mod object;
mod pair;
mod pools;
mod relay;
mod server;
mod supervisor;
mod usage;
mod views;

use anyhow::{Result, bail};

use crate::host::Environment;
use crate::request::StorageKind;

pub use buckets::Buckets;
pub use forebay::{Forebay, MadeBackup, POOL_PORT};
pub use interface::{HostServer, Space, Storage, Volumes, Written};
pub use mounted::check as check_folder;
pub use nfs::mount_nfs;
pub use object::{AccessKey, ObjectStore, SharedPool, start as start_object_store};
pub use pair::{Node, Pair, PairStorage, Place};
pub use pools::Pools;
pub use relay::{Disturbance, Relay};
pub use usage::{cpu_of_process, process_has_ended};
pub use views::{BrokerView, Cell, KafkaViews, Leftover, TopicView, Totals};

/// Starts an empty storage.
pub fn start(kind: &StorageKind, environment: &Environment) -> Result<Box<dyn Storage>> {
    Ok(match kind {
        StorageKind::Local => Box::new(local::LocalDisk::start(environment)?),
        StorageKind::KnfsdV3 => Box::new(kernel_nfs::KernelNfs::start(environment, kernel_nfs::Version::V3)?),
        StorageKind::KnfsdV4 => Box::new(kernel_nfs::KernelNfs::start(environment, kernel_nfs::Version::V4)?),
        StorageKind::Forebay => Box::new(Forebay::start(environment, &[])?),
        StorageKind::Daemon(program) => Box::new(Forebay::start_other(environment, program)?),
        StorageKind::Ganesha => Box::new(ganesha::Ganesha::start(environment)?),
        StorageKind::Null => Box::new(null::Null::start(environment)?),
        StorageKind::Versitygw | StorageKind::Garage | StorageKind::Minio | StorageKind::Url(_) => {
            bail!("{kind} has objects and no files, so it cannot be mounted")
        }
        StorageKind::Mount(folder) => Box::new(mounted::Mounted::start(folder, environment)?),
    })
}
