//! Whether stored data is safe.

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, SETTLED, hours, minutes};
use crate::base::words::{bytes, several, span};

/// A scrub is due every pool.scrub_days, a week by default.
const SCRUB_AGE_MAX: std::time::Duration = hours(15 * 24);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayPoolStopped",
        severity: Severity::Critical,
        watches: "Stable storage failed: a write or a sync of the disk returned an error. `/health` answers 503.",
        summary: "stable storage failed, and all changes fail",
        runbook: "1. The line \"the pool has stopped\" in the daemon's log says what failed. 2. Check the disk (kernel log, SMART, file \
                  system). 3. Restart the daemon. Everything that was acknowledged as durable is there, and clients send the rest again by \
                  themselves.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: pool_stopped },
    },
    Rule {
        name: "ForebayDamageFound",
        severity: Severity::Critical,
        watches: "A frame did not match its checksum in the last hour, or the last scrub found frames that are damaged in every copy.",
        summary: "the disk returned wrong bytes for stored data",
        runbook: "1. `forebay pool scrub status` and the lines \"damaged\" in the log name the files. Readers got an error or an intact \
                  copy, never wrong bytes. 2. Start a scrub (`forebay pool scrub start`) to find all damage. 3. Rebuild the affected \
                  replicas in Kafka from the others: stop the broker, delete the partition's directory, start the broker. 4. Replace the \
                  disk.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: damage_found },
    },
    Rule {
        name: "ForebayDiskDoesNotRead",
        severity: Severity::Critical,
        watches: "The disk returned an error for a read of stored data in the last hour.",
        summary: "the disk cannot read stored data",
        runbook: "1. Look for I/O errors in the kernel's log. 2. Without a second copy (pool.copies_directory), let Kafka rebuild the data \
                  that cannot be read. 3. Replace the disk.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: disk_does_not_read },
    },
    Rule {
        name: "ForebaySegmentsMissing",
        severity: Severity::Critical,
        watches: "Segments that hold data were missing when the pool was opened.",
        summary: "segments that hold data are missing; their data cannot be read",
        runbook: "1. The lines \"a segment that holds data is missing\" in the log name them. 2. Put the segments back and restart the \
                  daemon, or let Kafka rebuild the affected replicas.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: segments_missing },
    },
    Rule {
        name: "ForebayPoolDegraded",
        severity: Severity::Warning,
        watches: "The second copy of the pool is missing.",
        summary: "the second copy of the pool is missing",
        runbook: "The pool serves and stores all data, in one copy. Mount or repair the disk of pool.copies_directory. The pool finds it \
                  within a minute, and a scrub writes what is missing.",
        source: Daemon { hold: AT_ONCE, keep: SETTLED, check: pool_degraded },
    },
    Rule {
        name: "ForebayMetadataInOneCopy",
        severity: Severity::Warning,
        watches: "For five minutes, the second copy of the metadata has been missing, behind, or being built.",
        summary: "the metadata is in one copy",
        runbook: "If the first disk is lost now, the pool is lost. 1. `forebay pool show` says why, and how far a new copy is. 2. Mount or \
                  repair the disk of pool.copies_directory, or make room on it. The pool finds it within seconds and builds a new copy \
                  while it serves.",
        source: Daemon { hold: minutes(5), keep: SETTLED, check: metadata_in_one_copy },
    },
    Rule {
        name: "ForebayMetadataRescued",
        severity: Severity::Critical,
        watches: "The first copy of the metadata could not be read, and the second one was.",
        summary: "the first copy of the metadata is damaged; the second one is read instead",
        runbook: "1. Look for I/O errors in the kernel's log. 2. Stop the daemon, and make the second copy the pool: `forebay pool promote \
                  DIRECTORY`. 3. Replace the first disk, and name a directory on it as pool.copies_directory.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: metadata_rescued },
    },
    Rule {
        name: "ForebayScrubOverdue",
        severity: Severity::Warning,
        watches: "No scrub has finished for 15 days, while the daemon was running for as long.",
        summary: "no scrub has finished for more than two weeks",
        runbook: "A scrub is due every pool.scrub_days (7). `forebay pool scrub status` shows whether one is running. If it never \
                  finishes, raise pool.scrub_rate. If it fails, the log says why.",
        source: Daemon { hold: hours(1), keep: AT_ONCE, check: scrub_overdue },
    },
    Rule {
        name: "ForebayScrubVerifiedNothing",
        severity: Severity::Info,
        watches: "The last scrub verified no data, and the pool has some: it was written after the scrub began.",
        summary: "the last scrub verified nothing of what is stored",
        runbook: "The pool had no data when the scrub ran, so the scrub says nothing about the data that is there now. Run `forebay pool \
                  scrub start`, or wait for the next scrub of the schedule (pool.scrub_days).",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: scrub_verified_nothing },
    },
    Rule {
        name: "ForebaySnapshotMissed",
        severity: Severity::Warning,
        watches: "For ten minutes, the schedule of a volume has said that a snapshot is due, and it was not taken.",
        summary: "scheduled snapshots are not taken",
        runbook: "1. The lines \"scheduled snapshot\" in the daemon's log say why: usually the pool has no space. See ForebayPoolFull. 2. \
                  `forebay snapshot create VOLUME NAME` shows the error at once. The schedule goes on by itself when the cause is gone.",
        source: Daemon { hold: minutes(10), keep: AT_ONCE, check: snapshot_missed },
    },
    Rule {
        name: "ForebayBucketDoesNotAnswer",
        severity: Severity::Critical,
        watches: "The bucket that has the segments has not answered as it should for five seconds.",
        summary: "the bucket does not answer",
        runbook: "Clients wait meanwhile. After 120 s the pool stops. 1. The daemon's log has the error. 2. See whether the bucket's server runs, and \
                  whether this machine reaches it. The pool goes on by itself when it answers.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: bucket_is_out },
    },
    Rule {
        name: "ForebayBackupFailed",
        severity: Severity::Warning,
        watches: "The last backup into backup.directory failed, and none has succeeded since.",
        summary: "the last backup failed",
        runbook: "1. `forebay pool backups` says why: usually the disk with the backups is full or not mounted. 2. Mend that, and run \
                  `forebay pool backup`. A scheduled backup is also tried again after an hour. Earlier backups in the directory are not \
                  affected.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: backup_failed },
    },
    Rule {
        name: "ForebayBackupOverdue",
        severity: Severity::Warning,
        watches: "With a schedule, the last finished backup is older than twice backup.every_hours.",
        summary: "the last backup is too old",
        runbook: "1. `forebay pool backups` shows the last backup and the schedule, `forebay job list` whether one is running. 2. If it takes \
                  longer than the schedule allows, raise backup.rate or backup.every_hours.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: backup_overdue },
    },
    Rule {
        name: "ForebayUpgradeNotFinalized",
        severity: Severity::Info,
        watches: "The pool has the format of the former release.",
        summary: "the pool's upgrade is not finalized",
        runbook: "The former release can still open the pool, and what only the new format has is switched off. `forebay pool upgrade --check` \
                  says what that is. When you do not need the former release any more, run `forebay pool upgrade --finalize`.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: upgrade_not_finalized },
    },
    Rule {
        name: "ForebayNothingBecomesDurable",
        severity: Severity::Critical,
        watches: "Writes have been in memory for five minutes, and no group was committed.",
        summary: "writes are in memory, and none has become durable for minutes",
        runbook: "1. See ForebayPoolStopped and the log. 2. Processes in state D and the kernel's log show whether the disk hangs. 3. \
                  If the pool ran out of space, see ForebayPoolNearlyFull. Clients keep data that is not durable and send it again after a \
                  restart.",
        source: Daemon { hold: minutes(1), keep: AT_ONCE, check: nothing_becomes_durable },
    },
    Rule {
        name: "ForebaySegmentsSetAside",
        severity: Severity::Info,
        watches: "Segments that no metadata names are in lost+found.",
        summary: "segments that no metadata names are in lost+found",
        runbook: "This is usual after a crash: they hold what was never acknowledged. If nothing is missing, delete them with \
                  `forebay pool lost-found`.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: segments_set_aside },
    },
];

fn pool_stopped(facts: &Facts<'_>) -> Vec<Finding> {
    let is_stopped = facts.pool().is_some_and(|pool| pool.stopped);
    when(is_stopped, "pool", || {
        "Stable storage failed, and all changes fail. The pool takes no writes until it is opened again."
            .into()
    })
}

fn damage_found(facts: &Facts<'_>) -> Vec<Finding> {
    let found = facts.increase(hours(1), |counts| counts.frames_damaged);
    let scrub = facts.pool().map(|pool| &pool.scrub);
    let damaged = scrub.map_or(0, |scrub| scrub.damaged);
    when(found > 0 || damaged > 0, "pool", || {
        let first =
            scrub.and_then(|scrub| scrub.damage.last()).map(|one| format!(" {one}.")).unwrap_or_default();
        if damaged > 0 {
            format!(
                "{} damaged in every copy. Clients that read the data get an I/O error, never wrong data.{first}",
                several(damaged, "frame")
            )
        } else {
            format!(
                "The disk returned wrong bytes for {} in the last hour. Readers got an intact copy or an error.{first}",
                several(found, "frame")
            )
        }
    })
}

fn disk_does_not_read(facts: &Facts<'_>) -> Vec<Finding> {
    let failed = facts.increase(hours(1), |counts| counts.frames_unreadable);
    when(failed > 0, "pool", || {
        format!("The disk could not read {} in the last hour.", several(failed, "frame"))
    })
}

fn segments_missing(facts: &Facts<'_>) -> Vec<Finding> {
    let missing = facts.pool().map_or(0, |pool| pool.stored.segments_missing);
    when(missing > 0, "pool", || {
        format!(
            "{} with data missing. Clients that read the data get an I/O error, never wrong data.",
            several(missing, "segment")
        )
    })
}

fn pool_degraded(facts: &Facts<'_>) -> Vec<Finding> {
    let is_degraded = facts.pool().is_some_and(|pool| pool.scrub.degraded);
    when(is_degraded, "pool", || "The second copy of the pool is missing. Data is stored in one copy.".into())
}

fn metadata_in_one_copy(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(metadata) = facts.pool().map(|pool| &pool.metadata) else { return Vec::new() };
    when(metadata.whole < metadata.wanted, "pool", || match (&metadata.building, &metadata.cause) {
        (Some((keys, total)), _) => {
            format!("A second copy of the metadata is being built: {keys} of about {total} keys.")
        }
        (None, Some(cause)) => format!("The metadata is in one copy: {cause}"),
        (None, None) => "The metadata is in one copy.".into(),
    })
}

fn metadata_rescued(facts: &Facts<'_>) -> Vec<Finding> {
    let rescued = facts.pool().map_or(0, |pool| pool.metadata.rescued);
    when(rescued > 0, "pool", || {
        format!(
            "{} of metadata were answered by the second copy, because the first is damaged.",
            several(rescued, "read")
        )
    })
}

fn scrub_overdue(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pool) = facts.pool() else { return Vec::new() };
    // Without a first scrub, the age counts from the start.
    let age = pool.scrub.finished.map_or(facts.uptime, |finished| facts.since(finished));
    when(age > SCRUB_AGE_MAX, "pool", || match pool.scrub.finished {
        Some(_) => format!("No scrub has finished for {}.", span(age)),
        None => format!("No scrub has finished since the daemon started, {} ago.", span(age)),
    })
}

fn scrub_verified_nothing(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(pool) = facts.pool() else { return Vec::new() };
    let Some(finished) = pool.scrub.finished.filter(|_| !pool.scrub.running) else { return Vec::new() };
    when(pool.scrub.frames == 0 && pool.stored.bytes_live > 0, "pool", || {
        format!(
            "The last scrub finished {} ago and verified nothing: the {} that are stored were written after it began.",
            span(facts.since(finished)),
            bytes(pool.stored.bytes_live)
        )
    })
}

fn snapshot_missed(facts: &Facts<'_>) -> Vec<Finding> {
    let due = facts.pool().map(|pool| pool.snapshots_due.as_slice()).unwrap_or_default();
    let finding = |(volume, period): &(String, forebay_pool::Period)| {
        let message = format!("The {} snapshot is due, and was not taken.", period.name());
        Finding::new(format!("volume {volume}"), message)
    };
    let mut found: Vec<Finding> = due.iter().map(finding).collect();
    // One alert for a volume.
    found.sort_by(|one, other| one.object.cmp(&other.object));
    found.dedup_by(|second, first| second.object == first.object);
    found
}

fn upgrade_not_finalized(facts: &Facts<'_>) -> Vec<Finding> {
    let old = facts.seen.format.as_ref().filter(|format| format.found < format.newest);
    let finding = old
        .map(|format| format!("The pool has format {}; this release's is {}.", format.found, format.newest));
    when(finding.is_some(), "pool", || finding.unwrap_or_default())
}

/// How long a bucket may refuse requests before that is a problem.
const BUCKET_OUT_MS: u64 = 5000;

fn bucket_is_out(facts: &Facts<'_>) -> Vec<Finding> {
    let objects = facts.seen.pool.as_ref().and_then(|pool| pool.objects);
    let out_for_ms = objects.map_or(0, |objects| objects.out_for_ms);
    when(out_for_ms >= BUCKET_OUT_MS, "the bucket", || {
        format!(
            "The bucket with the segments has not answered as it should for {} s; clients wait.",
            out_for_ms / 1000
        )
    })
}

fn backup_failed(facts: &Facts<'_>) -> Vec<Finding> {
    let error = facts.seen.backups.error.as_deref();
    when(error.is_some(), "pool", || {
        format!("The last backup failed: {}.", error.unwrap_or_default().trim_end_matches('.'))
    })
}

fn backup_overdue(facts: &Facts<'_>) -> Vec<Finding> {
    let backups = &facts.seen.backups;
    let is_overdue = backups.every.is_some_and(|every| backups.overdue > every);
    when(is_overdue, "pool", || match backups.last {
        Some(last) => format!("The last backup is {} old.", span(facts.since(last))),
        None => "There is no backup of the pool.".to_owned(),
    })
}

fn nothing_becomes_durable(facts: &Facts<'_>) -> Vec<Finding> {
    let period = minutes(5);
    let is_dirty = facts.trail.always(facts.uptime, period, |digest| digest.dirty > 0);
    let is_stuck = is_dirty && facts.digest.dirty > 0 && facts.increase(period, |counts| counts.groups) == 0;
    when(is_stuck, "pool", || {
        format!(
            "{} of writes are in memory, and none has become durable for five minutes.",
            bytes(facts.digest.dirty)
        )
    })
}

fn segments_set_aside(facts: &Facts<'_>) -> Vec<Finding> {
    let (count, size) =
        facts.pool().map_or((0, 0), |pool| (pool.stored.lost_found_segments, pool.stored.lost_found_bytes));
    when(count > 0, "pool", || {
        format!("{} ({}) that no metadata names in lost+found.", several(count, "segment"), bytes(size))
    })
}
