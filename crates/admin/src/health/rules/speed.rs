//! Whether it is fast enough.

use std::time::Duration;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, minutes};
use crate::base::words::{millis, percent};

/// The period of which the duration of COMMIT is judged. Short, so that brokers that are hurt are seen at once.
const COMMITS_PERIOD: Duration = Duration::from_secs(30);
/// With fewer COMMITs the 99th percentile says nothing.
const COMMITS_MIN: u64 = 10;
/// COMMIT is slow from here on, whatever is usual.
const COMMITS_SLOW: Duration = Duration::from_secs(1);
/// Without a usual value, from here on.
const COMMITS_SLOW_UNKNOWN: Duration = Duration::from_millis(500);
/// It is slower than usual at four times the usual value, but not below this.
const COMMITS_FACTOR: u32 = 4;
const COMMITS_UNUSUAL_MIN: Duration = Duration::from_millis(100);
/// A COMMIT waits for the sync that is under way and for its own, and percentiles are rounded.
const SYNCS_OF_COMMIT: u32 = 3;
/// Syncs of the disk are slow from here on.
const SYNCS_SLOW: Duration = Duration::from_millis(500);
/// More than a tenth of writes wait.
const WAITS_PART: u64 = 10;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayCommitsSlow",
        severity: Severity::Warning,
        watches: "The 99th percentile of COMMIT (a broker's fsync) in the last 30 s is above 1 s, or above four times its usual value and \
                  100 ms. The usual value is the median of the minutes of the last day; until ten minutes are known, 500 ms counts as slow.",
        summary: "fsyncs of brokers are slower than usual",
        runbook: "If syncs of the disk are slow, too, see ForebaySyncsSlow. Otherwise clients write more at once than the disk can take: \
                  see who writes most on the Overview or with `forebay status`, check the processors, and limit volumes that can wait \
                  (`forebay volume modify NAME --max-bytes-per-second RATE`).",
        source: Daemon { hold: AT_ONCE, keep: minutes(1), check: commits_slow },
    },
    Rule {
        name: "ForebaySyncsSlow",
        severity: Severity::Warning,
        watches: "The 99th percentile of syncs of the disk in the last five minutes is above 500 ms, for five minutes.",
        summary: "syncs of the disk take more than half a second",
        runbook: "The cause is the disk below the pool. Check its own latency (iostat -x), other users of the disk, its health, and \
                  whether its write cache was switched off (for example, because a battery failed).",
        source: Daemon { hold: minutes(5), keep: minutes(1), check: syncs_slow },
    },
    Rule {
        name: "ForebayWritersWait",
        severity: Severity::Warning,
        watches: "More than 10 % of writes in the last five minutes waited for the disk, for five minutes.",
        summary: "more than 10 % of writes wait for the disk to keep up",
        runbook: "Clients write more than the disk can take. Enable compression in the producers, limit volumes that can wait, or give the \
                  pool a faster disk. A larger pool.dirty_max only smooths bursts.",
        source: Daemon { hold: minutes(5), keep: minutes(1), check: writers_wait },
    },
];

/// The 99th percentile of COMMIT in the last half minute, if there were enough.
pub fn commit_p99(facts: &Facts<'_>) -> Option<Duration> {
    let commits = facts.times(COMMITS_PERIOD, |digest| &digest.commits);
    (commits.count() >= COMMITS_MIN).then(|| commits.percentile(99))
}

fn commits_slow(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(now) = commit_p99(facts) else { return Vec::new() };
    let unusual = match facts.usual {
        Some(usual) => usual.saturating_mul(COMMITS_FACTOR).max(COMMITS_UNUSUAL_MIN),
        None => COMMITS_SLOW_UNKNOWN,
    };
    when(now > unusual.min(COMMITS_SLOW), "NFS", || {
        let usual = match facts.usual {
            Some(usual) => format!("usual: {}", millis(usual)),
            None => "the usual value is not known yet".to_owned(),
        };
        let syncs = facts.times(COMMITS_PERIOD, |digest| &digest.syncs).percentile(99);
        let cause = if syncs > now / SYNCS_OF_COMMIT {
            format!("Syncs of the disk take {}: the disk is slow.", millis(syncs))
        } else {
            format!(
                "Syncs of the disk take {}, so clients wait for something else: more data at once than the disk can take, or the processors.",
                millis(syncs)
            )
        };
        format!("Fsyncs of brokers take {} (99th percentile; {usual}). {cause}", millis(now))
    })
}

fn syncs_slow(facts: &Facts<'_>) -> Vec<Finding> {
    let syncs = facts.times(minutes(5), |digest| &digest.syncs).percentile(99);
    when(syncs > SYNCS_SLOW, "pool", || {
        format!("Syncs of the disk take {} (99th percentile of five minutes).", millis(syncs))
    })
}

fn writers_wait(facts: &Facts<'_>) -> Vec<Finding> {
    let writes = facts.increase(minutes(5), |counts| counts.writes);
    let waits = facts.increase(minutes(5), |counts| counts.write_waits);
    when(waits.saturating_mul(WAITS_PART) > writes && waits > 0, "pool", || {
        format!("{} of the writes of the last five minutes waited for the disk.", percent(waits, writes))
    })
}
