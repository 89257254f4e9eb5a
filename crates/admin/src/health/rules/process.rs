//! Whether the daemon runs, and its certificates.

use std::time::{Duration, SystemTime};

use forebay_ownership::TakeoverKind;
use forebay_pool::LastStop;

use super::super::facts::Facts;
use super::super::rule::Source::{Daemon, Prometheus};
use super::super::rule::{Finding, Rule, Severity, when};
use super::{AT_ONCE, STALLED, hours, minutes};
use crate::base::words::span;

/// How long an unclean stop is an alert. The status and the events of the start name it for longer.
const UNCLEAN_SHOWN: Duration = hours(1);
/// A certificate is to be renewed from here on.
const RENEW: Duration = hours(14 * 24);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayDown",
        severity: Severity::Critical,
        watches: "Prometheus cannot scrape the daemon.",
        summary: "the daemon does not answer",
        runbook: "1. `systemctl status forebay` and its log show whether it runs. 2. Start it: brokers wait for it (mounts are hard) and \
                  continue by themselves. 3. If it runs, check that Prometheus uses the address in api.listen, and whether the daemon \
                  requires a token.",
        source: Prometheus { expression: "up{job=\"forebay\"} == 0", hold: "1m" },
    },
    Rule {
        name: "ForebayRestartsOften",
        severity: Severity::Warning,
        watches: "The daemon was started more than twice in an hour.",
        summary: "the daemon was started {{ $value }} times in an hour",
        runbook: "The log before each start says why the daemon ended. The kernel's log shows whether it ran out of memory.",
        source: Prometheus {
            expression: "changes(process_start_time_seconds{job=\"forebay\"}[1h]) > 2",
            hold: "",
        },
    },
    Rule {
        name: "ForebayUncleanStop",
        severity: Severity::Warning,
        watches: "The daemon started less than an hour ago, and had not closed the pool before: it was killed or crashed, the machine lost \
                  power, or stable storage had failed. A node that took the pool from another one reports ForebayNodeFenced instead.",
        summary: "the daemon was not stopped in order before its last start",
        runbook: "The daemon's log before the start (`journalctl -u forebay`) and the kernel's log say why it ended: out of memory, a crash, \
                  a power loss. Everything that was acknowledged as durable is there, and clients send the rest again by themselves.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: unclean_stop },
    },
    Rule {
        name: STALLED,
        severity: Severity::Critical,
        watches: "The rules have not been evaluated for 20 s, because the file system below the pool does not answer.",
        summary: "the file system below the pool does not answer",
        runbook: "Processes in state D and the kernel's log show whether the disk or the shared file system hangs. Other alerts are as old \
                  as the last evaluation.",
        // The recorder adds what it finds: when it is missing, there is no observation to look at.
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: |_| Vec::new() },
    },
    Rule {
        name: "ForebayNotEvaluated",
        severity: Severity::Critical,
        watches: "The daemon answers Prometheus, and has not evaluated its rules for a minute.",
        summary: "the daemon has not evaluated its rules for {{ $value | humanizeDuration }}",
        runbook: "Follow ForebayEvaluationStalled. If the file system answers, restart the daemon, and report this as a bug.",
        source: Prometheus {
            expression: "time() - forebay_alerts_evaluated_timestamp_seconds > 60",
            hold: "1m",
        },
    },
    Rule {
        name: "ForebayAlertsNotDelivered",
        severity: Severity::Warning,
        watches: "A target of alerts has not taken a notice for a minute. The alert names the target and the cause.",
        summary: "notices of alerts do not reach a target",
        runbook: "Mend the target, or its entry in the file that alerts.targets names, and send the daemon SIGHUP. `forebay alert test` \
                  tries again.",
        source: Daemon { hold: minutes(1), keep: AT_ONCE, check: alerts_not_delivered },
    },
    Rule {
        name: "ForebayFilesShort",
        severity: Severity::Warning,
        watches: "The daemon has used 90 % of the files that it may open, for a minute.",
        summary: "the daemon has opened more than 90 % of the files that its limit allows",
        runbook: "Raise LimitNOFILE in the unit and restart the daemon, or lower nfs.connections_max.",
        source: Daemon { hold: minutes(1), keep: minutes(1), check: files_short },
    },
    Rule {
        name: "ForebayCertificateExpired",
        severity: Severity::Critical,
        watches: "A certificate of NFS, of the API or of S3 has expired.",
        summary: "a certificate has expired, and new TLS connections fail",
        runbook: "Replace the file in nfs.tls_certificate, api.tls_certificate or s3.tls_certificate, and send the daemon SIGHUP \
                  (`systemctl reload forebay`). Existing connections stay.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: certificate_expired },
    },
    Rule {
        name: "ForebayCertificateEnds",
        severity: Severity::Warning,
        watches: "A certificate of NFS, of the API or of S3 expires within two weeks.",
        summary: "a certificate expires within two weeks",
        runbook: "Replace the file in nfs.tls_certificate, api.tls_certificate or s3.tls_certificate, and send the daemon SIGHUP \
                  (`systemctl reload forebay`). Existing connections stay. After the certificate expires, new connections and mounts fail.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: certificate_ends },
    },
];

fn alerts_not_delivered(facts: &Facts<'_>) -> Vec<Finding> {
    let failing = facts.seen.alert_targets_failing.iter();
    failing
        .map(|(name, error)| {
            Finding::new(format!("alert target {name}"), format!("The last notice did not arrive: {error}."))
        })
        .collect()
}

fn unclean_stop(facts: &Facts<'_>) -> Vec<Finding> {
    let run = &facts.seen.run;
    let is_new = run.started.is_some_and(|started| facts.since(started) < UNCLEAN_SHOWN);
    let was_fenced =
        facts.seen.node.as_ref().is_some_and(|beats| beats.owner.takeover_kind() == TakeoverKind::Fenced);
    when(run.last_stop == LastStop::Unclean && is_new && !was_fenced, "daemon", || {
        "The daemon was not stopped in order before its last start: it was killed or crashed, the machine lost power, or stable storage had \
         failed."
            .to_owned()
    })
}

fn files_short(facts: &Facts<'_>) -> Vec<Finding> {
    let process = &facts.seen.process;
    when(process.files.saturating_mul(10) > process.files_max.saturating_mul(9), "daemon", || {
        format!("The daemon has {} of at most {} files open.", process.files, process.files_max)
    })
}

fn certificates(
    facts: &Facts<'_>,
    wanted: impl Fn(Duration) -> bool,
    message: impl Fn(Duration) -> String,
) -> Vec<Finding> {
    let seen = facts.seen;
    let all: [(&str, &str, Option<SystemTime>); 3] = [
        ("NFS certificate", "nfs.tls_certificate", seen.nfs.certificate_expires),
        ("API certificate", "api.tls_certificate", seen.run.certificate_expires),
        ("S3 certificate", "s3.tls_certificate", seen.s3.as_ref().and_then(|s3| s3.certificate_expires)),
    ];
    let found = all.into_iter().filter_map(|(object, setting, expires)| {
        let left = expires?.duration_since(facts.now).unwrap_or_default();
        let remedy = format!(
            "Replace the file in {setting}, then `systemctl reload forebay`. Existing connections stay."
        );
        wanted(left).then(|| Finding::new(object, message(left)).with_remedy(remedy))
    });
    found.collect()
}

fn certificate_expired(facts: &Facts<'_>) -> Vec<Finding> {
    certificates(
        facts,
        |left| left.is_zero(),
        |_| "The certificate has expired. New connections fail.".to_owned(),
    )
}

fn certificate_ends(facts: &Facts<'_>) -> Vec<Finding> {
    let wanted = |left: Duration| !left.is_zero() && left < RENEW;
    certificates(facts, wanted, |left| {
        format!("The certificate expires in {}. After that, new connections fail.", span(left))
    })
}
