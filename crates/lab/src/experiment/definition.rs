//! What an experiment is.

use anyhow::Result;

use crate::host::Environment;
use crate::report::{Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::toolbox::Toolset;

/// Something the lab can try.
pub trait Experiment: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What the report says about it.
    fn subject(&self) -> Subject;

    /// Whether Java and Kafka must be there.
    fn needs_kafka(&self) -> bool {
        true
    }

    /// What must be there besides the guest kernel ([`Environment::tools_of`]).
    fn tools(&self) -> &'static [Toolset] {
        &[]
    }

    /// The parts that can be asked for alone.
    fn parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it cannot do without guests of its own: it kills them, mounts in them, or starts and ends their storage. If it can do
    /// without, it also runs on a folder of this host ([`StorageKind::Mount`]).
    fn needs_guests(&self) -> bool {
        true
    }

    /// Whether it also runs on a cluster that the lab did not start.
    fn takes_clusters(&self) -> bool {
        false
    }

    /// How many bytes of free space it needs where brokers keep their logs in a folder of this host.
    fn disk_bytes(&self, profile: Profile) -> u64 {
        let _ = profile;
        1 << 30
    }

    /// Whether it repeats a test of the technical reports. `forebay lab run all` runs those.
    fn is_of_reports(&self) -> bool {
        false
    }

    /// Whether it can be run on such a storage at all.
    fn fits(&self, kind: &StorageKind) -> bool {
        kind.folder().is_none() || !self.needs_guests()
    }

    /// Whether several storages are measured in turns within one run, instead of one run for each.
    fn compares(&self) -> bool {
        false
    }

    /// The storages it uses if the person names none.
    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay]
    }

    /// Does it. Returns why it passed, in a sentence, for the case that every check held; an error means that it could not be
    /// run, which is no verdict.
    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String>;
}
