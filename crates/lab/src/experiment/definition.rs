//! The trait of experiments.

use anyhow::Result;

use crate::host::Environment;
use crate::report::{Recorder, Subject};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::toolbox::Toolset;

/// An experiment.
pub trait Experiment: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Its description in reports.
    fn subject(&self) -> Subject;

    /// Whether it needs Java and Kafka.
    fn needs_kafka(&self) -> bool {
        true
    }

    /// Whether it runs Kafka's own tests of tiered storage.
    fn needs_kafka_tests(&self) -> bool {
        false
    }

    /// The tool sets that it needs besides the guest kernel ([`Environment::tools_of`]).
    fn tools(&self) -> &'static [Toolset] {
        &[]
    }

    /// The parts that can be run alone.
    fn parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it needs guests of its own: it kills them, mounts in them, or starts and ends their storage. If it does not, it also runs
    /// on a folder of this host ([`StorageKind::Mount`]).
    fn needs_guests(&self) -> bool {
        true
    }

    /// Whether it needs neither guests nor namespaces, and so no root: it starts servers on loopback addresses of this machine.
    fn is_on_host(&self) -> bool {
        false
    }

    /// Whether it also runs on a cluster that the lab did not start.
    fn takes_clusters(&self) -> bool {
        false
    }

    /// Whether it has a tier, and takes `--tier`.
    fn takes_tiers(&self) -> bool {
        false
    }

    /// The faults that happen if the user names none, for experiments with a tier. It takes no `--fault` if this is empty.
    fn default_faults(&self) -> &'static [Fault] {
        if self.takes_tiers() { &[Fault::None] } else { &[] }
    }

    /// The free space in bytes that it needs if brokers keep their logs in a folder of this host.
    fn disk_bytes(&self, profile: Profile) -> u64 {
        let _ = profile;
        1 << 30
    }

    /// Whether it repeats a test of the technical reports. `forebay lab run all` runs those.
    fn is_of_reports(&self) -> bool {
        false
    }

    /// Whether it can be run on a storage of this kind.
    fn fits(&self, kind: &StorageKind) -> bool {
        !kind.is_object_store()
            && *kind != StorageKind::Null
            && (kind.folder().is_none() || !self.needs_guests())
    }

    /// Whether several storages are measured in turns within one run, instead of one run for each.
    fn compares(&self) -> bool {
        false
    }

    /// Its storages if the user names none.
    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay]
    }

    /// Runs the experiment. Returns a sentence that explains the verdict if all checks passed. An error means that the experiment could not
    /// be run, so there is no verdict.
    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String>;
}
