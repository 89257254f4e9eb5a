//! The experiments, and what an experiment is.
//!
//! An experiment boots guests at a [`Site`], does its work on one or more storages, and writes what happens to a
//! [`Recorder`]: checks decide the verdict. To add one, implement [`Experiment`] in a file of its own and name it in [`ALL`].

mod backlog;
mod bed;
mod bench;
mod broker_replacement;
mod clone;
mod cpu;
mod efficiency;
mod existing;
mod hostile;
mod kill_load;
mod kill_storage;
mod memory;
mod mount;
mod node;
mod posix;
mod replicas;
mod restart;
mod scaling;
mod silly_rename;
mod sizing;
mod stand;
mod tally;
mod target;
mod throughput;
mod tls;
mod watch;

use anyhow::Result;

use crate::host::Site;
use crate::host::toolbox::Toolset;
use crate::report::{Recorder, Subject};
use crate::request::{Profile, Request};
use crate::storage::StorageKind;

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

    /// What must be there besides the guest kernel ([`Site::tools_of`]).
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
    fn run(&self, site: &Site, request: &Request, recorder: &Recorder) -> Result<String>;
}

/// Every experiment, in the order of `forebay lab list`.
pub static ALL: &[&dyn Experiment] = &[
    &silly_rename::SillyRename,
    &cpu::Cpu,
    &broker_replacement::BrokerReplacement,
    &throughput::Throughput,
    &backlog::Backlog,
    &scaling::Scaling,
    &sizing::Sizing,
    &efficiency::Efficiency,
    &clone::Clone,
    &kill_storage::KillStorage,
    &kill_load::KillLoad,
    &restart::Restart,
    &memory::Memory,
    &posix::Posix,
    &hostile::Hostile,
    &bench::Bench,
    &tls::Tls,
    &mount::MountCheck,
];

/// The experiments that repeat a test of the technical reports.
pub fn of_reports() -> impl Iterator<Item = &'static dyn Experiment> {
    ALL.iter().copied().filter(|experiment| experiment.is_of_reports())
}

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static dyn Experiment> {
    ALL.iter().copied().find(|experiment| experiment.name() == name)
}

/// What the experiment of this name is.
pub fn subject_of(name: &str) -> Option<Subject> {
    find(name).map(|experiment| experiment.subject())
}
