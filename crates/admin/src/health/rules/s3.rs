//! Whether S3 is served.

use std::time::Duration;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, hours, minutes};
use crate::base::words::{bytes, millis, percent, several};

const READS_SLOW: Duration = Duration::from_secs(1);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayS3Fails",
        severity: Severity::Critical,
        watches: "An S3 request failed because of the server in the last five minutes.",
        summary: "S3 requests fail with errors of the server",
        runbook: "1. The line \"s3: a request failed because of the server\" in the daemon's log has the request's id; the lines with the \
                  same id name the cause. 2. See ForebayPoolStopped, ForebayDamageFound and ForebayPoolFull.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: fails },
    },
    Rule {
        name: "ForebayS3NoSpace",
        severity: Severity::Critical,
        watches: "An S3 request found no space in the last five minutes.",
        summary: "S3 clients cannot store more",
        runbook: "Check which bucket has reached its size (ForebayS3BucketNearlyFull), or whether the pool is full (ForebayPoolFull).",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: no_space },
    },
    Rule {
        name: "ForebayS3ReadsSlow",
        severity: Severity::Warning,
        watches: "The 99th percentile of GetObject and HeadObject in the last five minutes is above 1 s, for five minutes.",
        summary: "S3 reads take more than a second to the first byte",
        runbook: "Check the processors, the latency of the disk (iostat -x), and whether a scrub or a rebuild reads much. \
                  Reads that miss the cache more often than usual need a larger pool.cache_max.",
        source: Daemon { hold: minutes(5), keep: minutes(1), check: reads_slow },
    },
    Rule {
        name: "ForebayS3ConnectionsRefused",
        severity: Severity::Warning,
        watches: "S3 connections were refused in the last ten minutes because there were too many.",
        summary: "S3 connections are refused because there are too many",
        runbook: "Raise s3.connections_max or s3.connections_per_client_max, or find out which client opens so many connections.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: connections_refused },
    },
    Rule {
        name: "ForebayS3SignaturesRefused",
        severity: Severity::Warning,
        watches: "S3 refused more than one request a second for its signature or access key, over 15 minutes.",
        summary: "S3 refuses many requests for their signature or access key",
        runbook: "`forebay event list` and the log name the addresses, the keys and the reasons: a key that was disabled or has expired, a \
                  clock that is off, another region, or an attack.",
        source: Daemon { hold: AT_ONCE, keep: minutes(1), check: signatures_refused },
    },
    Rule {
        name: "ForebayS3BucketNearlyFull",
        severity: Severity::Warning,
        watches: "A bucket has used 90 % of its size.",
        summary: "a bucket has used more than 90 % of its size",
        runbook: "Enlarge the bucket (`forebay bucket modify NAME --size SIZE`), or set a lifecycle rule that removes what is no longer \
                  needed.",
        source: Daemon { hold: AT_ONCE, keep: minutes(1), check: bucket_nearly_full },
    },
    Rule {
        name: "ForebayS3LifecycleFails",
        severity: Severity::Warning,
        watches: "More than one pass of the lifecycle worker failed in three hours, or none has finished for six hours.",
        summary: "lifecycle rules of buckets are not carried out",
        runbook: "The log names the bucket and the cause. Until a pass succeeds, expired objects and abandoned uploads keep their space.",
        source: Daemon { hold: minutes(5), keep: AT_ONCE, check: lifecycle_fails },
    },
];

fn fails(facts: &Facts<'_>) -> Vec<Finding> {
    let before = &facts.ago(minutes(5)).s3_failed;
    let found = facts.digest.s3_failed.iter().filter_map(|(operation, count)| {
        let failed = count.saturating_sub(before.get(operation).copied().unwrap_or_default());
        let message = || {
            format!("{} failed because of the server in the last five minutes.", several(failed, "request"))
        };
        (failed > 0).then(|| Finding::new(format!("S3 {operation}"), message()))
    });
    found.collect()
}

fn no_space(facts: &Facts<'_>) -> Vec<Finding> {
    let refused = facts.increase(minutes(5), |counts| counts.s3_no_space);
    when(refused > 0, "S3", || {
        format!("{} found no space in the last five minutes.", several(refused, "request"))
    })
}

fn reads_slow(facts: &Facts<'_>) -> Vec<Finding> {
    let time = facts.times(minutes(5), |digest| &digest.s3_reads).percentile(99);
    when(time > READS_SLOW, "S3", || {
        format!("Reads take {} to the first byte (99th percentile of five minutes).", millis(time))
    })
}

fn connections_refused(facts: &Facts<'_>) -> Vec<Finding> {
    let refused = facts.increase(minutes(10), |counts| counts.s3_refused);
    when(refused > 0, "S3", || {
        format!(
            "{} refused in the last ten minutes because there were too many.",
            several(refused, "connection")
        )
    })
}

fn signatures_refused(facts: &Facts<'_>) -> Vec<Finding> {
    let period = minutes(15);
    let refused = facts.increase(period, |counts| counts.s3_signatures);
    when(refused > period.as_secs(), "S3", || {
        format!(
            "{} refused for the signature or the access key in the last 15 minutes.",
            several(refused, "request")
        )
    })
}

fn bucket_nearly_full(facts: &Facts<'_>) -> Vec<Finding> {
    let sized =
        facts.seen.s3.iter().flat_map(|s3| &s3.buckets).filter_map(|bucket| Some((bucket, bucket.size?)));
    let full = sized.filter(|(bucket, size)| u128::from(bucket.bytes) * 10 >= u128::from(*size) * 9);
    let found = full.map(|(bucket, size)| {
        let message = format!("The bucket has used {} of its {}.", percent(bucket.bytes, size), bytes(size));
        Finding::new(format!("bucket {}", bucket.name), message)
    });
    found.collect()
}

fn lifecycle_fails(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(s3) = &facts.seen.s3 else { return Vec::new() };
    let failed = facts.increase(hours(3), |counts| counts.lifecycle_failures);
    let is_late = s3.lifecycle.finished.is_some_and(|finished| facts.since(finished) > hours(6));
    when(failed > 1 || is_late, "S3", || {
        if is_late {
            "No pass over the lifecycle rules has finished for six hours.".to_owned()
        } else {
            format!("{} over a bucket's lifecycle rules failed in three hours.", several(failed, "run"))
        }
    })
}
