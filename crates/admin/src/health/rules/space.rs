//! Whether there is space.

use std::collections::BTreeMap;
use std::net::IpAddr;

use forebay_nfs::statistics::{FailureCounts, StatusClass, operation_name};
use forebay_pool::VolumeId;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, SETTLED, minutes};
use crate::base::words::{bytes, names, percent, several, span};
use crate::metrics::VolumeSeen;

/// How long failures of clients are shown after the last one: brokers that it stopped do not try again.
const SHOWN: std::time::Duration = minutes(10);
/// A pool is nearly full with a tenth free, and full with three hundredths.
const NEARLY_FULL: u64 = 10;
const FULL: u64 = 3;
/// A volume is nearly full with nine tenths used, and full with 99 hundredths.
const VOLUME_NEARLY_FULL: u64 = 90;
const VOLUME_FULL: u64 = 99;
/// The pool fills up if the rate of the last hours fills it within a day.
const FILLS_UP: std::time::Duration = super::hours(24);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayNoSpaceForClients",
        severity: Severity::Critical,
        watches: "An NFS operation failed with \"no space left on device\" in the last ten minutes. The alert names the volume and the clients.",
        summary: "clients get \"no space left on device\", which stops a Kafka broker",
        runbook: "1. Enlarge the volume (`forebay volume resize NAME SIZE`), or free space in the pool: see ForebayVolumeFull and \
                  ForebayPoolFull. 2. Restart brokers whose log directory failed.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: no_space_for_clients },
    },
    Rule {
        name: "ForebayVolumeFull",
        severity: Severity::Critical,
        watches: "A volume has used 99 % of its size.",
        summary: "a volume is full, and writes to it fail",
        runbook: "Enlarge the volume (`forebay volume resize NAME SIZE`; clients see the new size at once), or shorten retention in \
                  Kafka. Restart brokers whose log directory failed.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: volume_full },
    },
    Rule {
        name: "ForebayVolumeNearlyFull",
        severity: Severity::Warning,
        watches: "A volume has used 90 % of its size.",
        summary: "a volume has used more than 90 % of its size",
        runbook: "Enlarge the volume (`forebay volume resize NAME SIZE`; clients see the new size at once), or shorten retention in \
                  Kafka.",
        source: Daemon { hold: AT_ONCE, keep: minutes(1), check: volume_nearly_full },
    },
    Rule {
        name: "ForebayPoolFull",
        severity: Severity::Critical,
        watches: "Less than 3 % of the pool is free.",
        summary: "less than 3 % of the pool is free; when it is full, writes fail and brokers stop",
        runbook: "Follow ForebayPoolNearlyFull, immediately. Reads and deletes continue in a full pool. Restart brokers whose log \
                  directory failed when there is space again.",
        source: Daemon { hold: AT_ONCE, keep: SETTLED, check: pool_full },
    },
    Rule {
        name: "ForebayPoolNearlyFull",
        severity: Severity::Warning,
        watches: "Less than 10 % of the pool is free.",
        summary: "less than 10 % of the pool is free",
        runbook: "1. `forebay volume list` and `forebay snapshot list` show what takes the space, and `forebay volume list --deleted` the \
                  deleted volumes that still do; `forebay volume purge NAME` frees one of them at once. 2. Delete snapshots that are no longer \
                  needed, shorten retention in Kafka (retention.ms, retention.bytes), or enlarge the file system below the pool; no \
                  restart is needed. 3. Files that are deleted but still open (forebay_pool_orphans) keep their space until they are \
                  closed.",
        source: Daemon { hold: AT_ONCE, keep: minutes(1), check: pool_nearly_full },
    },
    Rule {
        name: "ForebayPoolFillsUp",
        severity: Severity::Warning,
        watches: "At the rate of the last six hours the pool is full within a day, and less than 40 % is free.",
        summary: "at the rate of the last hours, the pool will be full within a day",
        runbook: "Follow ForebayPoolNearlyFull. `forebay size` calculates how much storage a cluster needs.",
        source: Daemon { hold: minutes(10), keep: minutes(10), check: pool_fills_up },
    },
];

/// Failures of one class in the last minutes, by volume.
pub(super) fn failures<'a>(
    facts: &Facts<'a>,
    class: StatusClass,
) -> BTreeMap<Option<VolumeId>, Vec<&'a FailureCounts>> {
    let mut by_volume: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let of_class = facts.seen.nfs.failures.iter().filter(|one| one.key.class == class);
    for one in of_class.filter(|one| facts.since(one.last) < SHOWN) {
        by_volume.entry(one.key.volume).or_default().push(one);
    }
    by_volume
}

/// How often, from where, and when last: `41 times in the last minute, from 10.1.0.12 (COMMIT)`.
pub(super) fn described(facts: &Facts<'_>, failures: &[&FailureCounts]) -> String {
    let before = &facts.ago(minutes(1)).failures;
    let recent: u64 = failures
        .iter()
        .map(|one| one.count.saturating_sub(before.get(&one.key).copied().unwrap_or_default()))
        .sum();
    let often = if recent > 0 {
        format!("{} in the last minute", several(recent, "time"))
    } else {
        let last = failures.iter().map(|one| facts.since(one.last)).min().unwrap_or_default();
        format!("last {} ago", span(last))
    };
    let mut clients: Vec<IpAddr> = failures.iter().map(|one| one.key.client).collect();
    clients.sort_unstable();
    clients.dedup();
    let total = clients.len();
    let latest = failures.iter().max_by_key(|one| one.last);
    let operation = latest.map(|one| format!(" ({})", operation_name(one.operation))).unwrap_or_default();
    format!("{often}, from {}{operation}", names(clients.iter().map(IpAddr::to_string).collect(), total))
}

/// The object of failures in a volume.
pub(super) fn object(facts: &Facts<'_>, volume: Option<VolumeId>) -> String {
    facts.volume_name(volume).map_or_else(|| "NFS".to_owned(), |name| format!("volume {name}"))
}

fn no_space_for_clients(facts: &Facts<'_>) -> Vec<Finding> {
    let found = failures(facts, StatusClass::Space).into_iter().map(|(volume, failures)| {
        let seen = facts.seen.volumes.iter().find(|seen| seen.usage.id == volume && volume.is_some());
        let sized = seen.and_then(|seen| Some((seen, seen.usage.size?)));
        let is_full = |(seen, size): &(&VolumeSeen, u64)| is_used(seen.usage.bytes_logical, *size, VOLUME_NEARLY_FULL);
        let described = described(facts, &failures);
        let object = object(facts, volume);
        match sized.filter(is_full) {
            Some((seen, size)) => Finding::new(
                object,
                format!(
                    "Writes fail with \"no space left on device\": {described}. The volume has used {} of {}. Kafka stops a broker whose log \
                     directory reports this.",
                    bytes(seen.usage.bytes_logical),
                    bytes(size)
                ),
            )
            .with_remedy(enlarge(&seen.usage.name, size)),
            None => {
                let free = facts.pool().map_or(0, |pool| pool.space.bytes_free);
                Finding::new(
                    object,
                    format!(
                        "Writes fail with \"no space left on device\": {described}. {} of the pool are free. Kafka stops a broker whose log \
                         directory reports this.",
                        bytes(free)
                    ),
                )
            }
        }
    });
    found.collect()
}

/// The command that gives a volume a quarter more.
fn enlarge(volume: &str, size: u64) -> String {
    const GIB: u64 = 1 << 30;
    let larger = size.saturating_add(size / 4).div_ceil(GIB).max(1);
    format!(
        "`forebay volume resize {volume} {larger}GiB`, or shorten retention in Kafka. Then restart brokers whose log directory failed."
    )
}

fn is_used(used: u64, size: u64, percent: u64) -> bool {
    u128::from(used) * 100 >= u128::from(size) * u128::from(percent)
}

fn volumes(
    facts: &Facts<'_>,
    wanted: impl Fn(u64, u64) -> bool,
    message: impl Fn(&str, u64, u64) -> String,
) -> Vec<Finding> {
    let sized = facts.seen.volumes.iter().filter_map(|volume| Some((&volume.usage, volume.usage.size?)));
    let found = sized.filter(|(usage, size)| wanted(usage.bytes_logical, *size)).map(|(usage, size)| {
        let said = message(&usage.name, usage.bytes_logical, size);
        Finding::new(format!("volume {}", usage.name), said).with_remedy(enlarge(&usage.name, size))
    });
    found.collect()
}

fn volume_full(facts: &Facts<'_>) -> Vec<Finding> {
    volumes(
        facts,
        |used, size| is_used(used, size, VOLUME_FULL),
        |_, used, size| {
            format!("The volume is full: it has used {} of {}. Writes to it fail.", bytes(used), bytes(size))
        },
    )
}

fn volume_nearly_full(facts: &Facts<'_>) -> Vec<Finding> {
    let wanted = |used, size| is_used(used, size, VOLUME_NEARLY_FULL) && !is_used(used, size, VOLUME_FULL);
    volumes(facts, wanted, |_, used, size| {
        format!("The volume has used {} of its {}.", percent(used, size), bytes(size))
    })
}

/// Whether less than a part of the pool is free, in per cent.
fn is_short(facts: &Facts<'_>, part: u64) -> bool {
    facts.pool().is_some_and(|pool| {
        let space = &pool.space;
        space.bytes_total > 0 && !is_used(space.bytes_free, space.bytes_total, part)
    })
}

fn free(facts: &Facts<'_>) -> String {
    let space = facts.pool().map(|pool| pool.space).unwrap_or_default();
    format!(
        "{} of the pool is free ({} of {})",
        percent(space.bytes_free, space.bytes_total),
        bytes(space.bytes_free),
        bytes(space.bytes_total)
    )
}

fn pool_full(facts: &Facts<'_>) -> Vec<Finding> {
    let found = when(is_short(facts, FULL), "pool", || {
        format!("{}. When it is full, writes fail and brokers stop.{}", free(facts), deleted(facts))
    });
    with_purge(facts, found)
}

fn pool_nearly_full(facts: &Facts<'_>) -> Vec<Finding> {
    let is_nearly_full = is_short(facts, NEARLY_FULL) && !is_short(facts, FULL);
    let found = when(is_nearly_full, "pool", || format!("{}.{}", free(facts), deleted(facts)));
    with_purge(facts, found)
}

/// The deleted volumes that still take space, in a sentence; empty if there are none.
fn deleted(facts: &Facts<'_>) -> String {
    let Some(pool) = facts.pool().filter(|pool| pool.deleted_bytes_logical > 0) else { return String::new() };
    format!(
        " {} with {} of files can still be recovered.",
        several(pool.deleted_volumes, "deleted volume"),
        bytes(pool.deleted_bytes_logical)
    )
}

/// Begins the remedy with the deleted volumes, if there are any.
fn with_purge(facts: &Facts<'_>, found: Vec<Finding>) -> Vec<Finding> {
    if deleted(facts).is_empty() {
        return found;
    }
    let purge = "`forebay volume list --deleted` shows the deleted volumes; `forebay volume purge NAME` frees the space of one at once. \
                 Otherwise delete snapshots that are no longer needed (`forebay snapshot list`), shorten retention in Kafka, or enlarge the \
                 file system below the pool.";
    found.into_iter().map(|finding| finding.with_remedy(purge)).collect()
}

fn pool_fills_up(facts: &Facts<'_>) -> Vec<Finding> {
    let full_in = facts.pool_full_in().filter(|time| *time < FILLS_UP && is_short(facts, 40));
    let found = full_in.map(|time| {
        Finding::new(
            "pool",
            format!("At the rate of the last hours, the pool is full in {}. {}.", span(time), free(facts)),
        )
    });
    found.into_iter().collect()
}
