//! The experiments, and their trait.
//!
//! An experiment boots guests in an [`Environment`], does its work on one or more storages, and writes events, figures and checks
//! to a [`Recorder`]. The checks decide the verdict. To add an experiment, implement [`Experiment`] in a new file and add it to [`ALL`].

mod backlog;
mod backup;
mod bench;
mod broker_replacement;
mod clone;
mod combined;
mod cpu;
mod definition;
mod efficiency;
mod failover;
mod hostile;
mod kafka_tiering;
mod kill_load;
mod kill_storage;
mod memory;
mod mount;
mod object_space;
mod object_speed;
mod object_store;
mod pools;
mod posix;
mod referrals;
mod restart;
mod scaling;
mod silly_rename;
mod sizing;
mod throughput;
mod tier_copy;
mod tier_correctness;
mod tier_fetch;
mod tier_replacement;
mod tier_retention;
mod tier_workload;
mod tls;
mod views;

use crate::report::Subject;
use crate::storage::Place;
pub use definition::Experiment;

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
    &pools::Pools,
    &referrals::Referrals,
    &views::Views,
    &clone::Clone,
    &backup::Backup,
    &kill_storage::KillStorage,
    &kill_load::KillLoad,
    &failover::Failover(Place::Directory),
    &failover::Failover(Place::Elsewhere),
    &restart::Restart,
    &memory::Memory,
    &posix::Posix,
    &hostile::Hostile,
    &bench::Bench,
    &tls::Tls,
    &object_store::ObjectStoreCheck,
    &object_space::ObjectSpace,
    &object_speed::ObjectSpeed,
    &tier_correctness::TierCorrectness,
    &kafka_tiering::KafkaTiering,
    &tier_copy::TierCopy,
    &tier_fetch::TierFetch,
    &tier_workload::TierWorkload,
    &tier_retention::TierRetention,
    &tier_replacement::TierReplacement,
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

/// The description of the experiment of this name.
pub fn subject_of(name: &str) -> Option<Subject> {
    find(name).map(|experiment| experiment.subject())
}
