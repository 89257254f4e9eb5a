//! Whether NFS clients are served.

use std::time::Duration;

use forebay_nfs::state::{ClientTraffic, Condition};
use forebay_nfs::statistics::StatusClass;

use super::super::facts::Facts;
use super::super::rule::Source::Daemon;
use super::super::rule::{Finding, Rule, Severity, when};
use super::space::{described, failures, object};
use super::{AT_ONCE, SETTLED, minutes};
use crate::base::words::{client_name, names, several, span};

/// A grace period that takes longer than this stays.
const GRACE_MAX: Duration = minutes(5);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "ForebayServerFails",
        severity: Severity::Critical,
        watches: "An NFS operation failed with an I/O error in the last ten minutes. The alert names the volume and the clients.",
        summary: "NFS operations fail because of the pool or its disk",
        runbook: "The daemon's log names the file and the cause. See ForebayPoolStopped, ForebayDamageFound and ForebayDiskDoesNotRead.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: server_fails },
    },
    Rule {
        name: "ForebayGracePeriod",
        severity: Severity::Warning,
        watches: "Clients reclaim what they had open before the restart; in their volumes nothing new can be opened. The alert names \
                  the clients that have not come back.",
        summary: "grace period after a restart: clients can open nothing new until the others are back",
        runbook: "Nothing to do for up to nfs.grace_seconds (45). It ends as soon as all clients are back. Check the machines of the clients \
                  that have not come back; the grace period ends without them.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: grace_period },
    },
    Rule {
        name: "ForebayGracePeriodStays",
        severity: Severity::Critical,
        watches: "The grace period has taken more than five minutes.",
        summary: "the grace period has lasted for minutes, and clients cannot open new files",
        runbook: "The grace period ends after nfs.grace_seconds (45), unless clients continue to reclaim their state, or the pool cannot \
                  store their records. The log says which.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: grace_period_stays },
    },
    Rule {
        name: "ForebayClientsRefused",
        severity: Severity::Warning,
        watches: "An export policy refused a client in the last two minutes. The alert names the client, the volume and the rule.",
        summary: "an export policy refuses clients",
        runbook: "`forebay event list` names the client and the rule. If it is a broker, add a rule for it (`forebay export rule add`). \
                  If not, find out why it can reach this machine.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: clients_refused },
    },
    Rule {
        name: "ForebayClientSilent",
        severity: Severity::Warning,
        watches: "A client has been silent beyond its lease for a minute.",
        summary: "clients are silent beyond their lease",
        runbook: "`forebay nfs clients` names them: machines that are down or cut off. They keep their open files for a day, unless \
                  another client needs them. `forebay nfs evict` revokes the state of a client that will not come back.",
        source: Daemon { hold: minutes(1), keep: AT_ONCE, check: client_silent },
    },
    Rule {
        name: "ForebayClientCannotLeave",
        severity: Severity::Warning,
        watches: "The state of a client cannot be revoked for ten minutes.",
        summary: "the state of clients cannot be revoked",
        runbook: "The pool cannot remove their records; the log says why. See ForebayPoolStopped, and check the free space.",
        source: Daemon { hold: minutes(10), keep: AT_ONCE, check: client_cannot_leave },
    },
    Rule {
        name: "ForebayConnectionsRefused",
        severity: Severity::Warning,
        watches: "NFS connections were refused in the last ten minutes because there were too many.",
        summary: "NFS connections are refused because there are too many",
        runbook: "The log names the addresses and the setting that limits them. Raise it, or find out which client opens so many \
                  connections.",
        source: Daemon { hold: AT_ONCE, keep: AT_ONCE, check: connections_refused },
    },
    Rule {
        name: "ForebayClientsWaitForMemory",
        severity: Severity::Warning,
        watches: "Opens or locks were refused in the last ten minutes because the memory for client state is used up, for a minute.",
        summary: "clients cannot open or lock files because the memory for client state is used up",
        runbook: "The log names the address that uses most, and `forebay nfs clients` shows how much each client uses. If these are \
                  brokers with many open files, raise nfs.state_max. Otherwise shut the client out.",
        source: Daemon { hold: minutes(1), keep: AT_ONCE, check: clients_wait_for_memory },
    },
    Rule {
        name: "ForebayHandshakesFail",
        severity: Severity::Warning,
        watches: "More than ten TLS handshakes of NFS clients failed in the last 15 minutes.",
        summary: "TLS handshakes of NFS clients fail",
        runbook: "The log names addresses and causes. Certificates of clients may have expired, or clients may not trust the authority.",
        source: Daemon { hold: AT_ONCE, keep: SETTLED, check: handshakes_fail },
    },
];

fn server_fails(facts: &Facts<'_>) -> Vec<Finding> {
    let found = failures(facts, StatusClass::Io).into_iter().map(|(volume, failures)| {
        let message = format!(
            "Operations fail with an I/O error: {}. Kafka stops a broker whose log directory reports this.",
            described(facts, &failures)
        );
        Finding::new(object(facts, volume), message)
    });
    found.collect()
}

fn grace_period(facts: &Facts<'_>) -> Vec<Finding> {
    grace(facts, |elapsed| elapsed <= GRACE_MAX)
}

fn grace_period_stays(facts: &Facts<'_>) -> Vec<Finding> {
    grace(facts, |elapsed| elapsed > GRACE_MAX)
}

fn grace(facts: &Facts<'_>, wanted: impl Fn(Duration) -> bool) -> Vec<Finding> {
    let Some(grace) = facts.seen.nfs.grace.as_ref().filter(|grace| wanted(grace.elapsed)) else {
        return Vec::new();
    };
    let ends = if grace.remaining.is_zero() {
        format!(
            "It has taken {} so far, because clients still reclaim or their records cannot be stored",
            span(grace.elapsed)
        )
    } else {
        format!("It ends in {} at the latest", span(grace.remaining))
    };
    let missing = match &grace.missing {
        Some(missing) if missing.is_empty() => "All clients are back and reclaim".to_owned(),
        Some(missing) => {
            let count = grace.missing_count as u64;
            let named = names(missing.iter().map(|owner| client_name(owner)).collect(), grace.missing_count);
            format!(
                "{} {} not come back: {named}",
                several(count, "client"),
                if count == 1 { "has" } else { "have" }
            )
        }
        None => "Clients are coming back".to_owned(),
    };
    let message = format!(
        "Clients reclaim what they had open before the restart, and can open nothing new. {ends}. {missing}."
    );
    vec![Finding::new("NFS", message)]
}

fn clients_refused(facts: &Facts<'_>) -> Vec<Finding> {
    let found = facts.seen.run.refused.iter().map(|one| {
        let finding = Finding::new(
            format!("client {}", one.client),
            format!("The client is refused volume {}: {}.", one.volume, one.cause),
        );
        match &one.remedy {
            Some(remedy) => finding.with_remedy(format!("{remedy}.")),
            None => finding,
        }
    });
    let mut found: Vec<Finding> = found.collect();
    // One alert for a client; the reasons for several volumes are usually the same.
    found.dedup_by(|second, first| second.object == first.object);
    found
}

fn client_silent(facts: &Facts<'_>) -> Vec<Finding> {
    let silent = facts.seen.nfs.clients.iter().filter(|client| client.condition == Condition::Courteous);
    let finding = |client: &ClientTraffic| {
        let (name, address) = (client_name(&client.owner), client.address.ip());
        let message = format!("{name} has been silent for {}, beyond its lease.", span(client.silence));
        let remedy = format!(
            "Check that machine and its network. It keeps its open files for a day, unless another client needs them; `forebay nfs evict \
             {:016x}` revokes them if it will not come back.",
            client.id.0
        );
        Finding::new(format!("client {address}"), message).with_remedy(remedy)
    };
    let mut found: Vec<Finding> = silent.map(finding).collect();
    found.sort_by(|one, other| one.object.cmp(&other.object));
    found.dedup_by(|second, first| second.object == first.object);
    found
}

fn client_cannot_leave(facts: &Facts<'_>) -> Vec<Finding> {
    let leaving = facts.seen.nfs.census.leaving;
    when(leaving > 0, "NFS", || format!("The state of {} cannot be revoked.", several(leaving, "client")))
}

fn connections_refused(facts: &Facts<'_>) -> Vec<Finding> {
    let refused = facts.increase(minutes(10), |counts| counts.nfs_refused);
    when(refused > 0, "NFS", || {
        format!(
            "{} refused in the last ten minutes because there were too many.",
            several(refused, "connection")
        )
    })
}

fn clients_wait_for_memory(facts: &Facts<'_>) -> Vec<Finding> {
    let refused = facts.increase(minutes(10), |counts| counts.files_refused);
    when(refused > 0, "NFS", || {
        format!(
            "{} for files refused in the last ten minutes because the memory for client state is used up.",
            several(refused, "request")
        )
    })
}

fn handshakes_fail(facts: &Facts<'_>) -> Vec<Finding> {
    let failed = facts.increase(minutes(15), |counts| counts.handshakes_failed);
    when(failed > 10, "NFS", || {
        format!("{} failed in the last 15 minutes.", several(failed, "TLS handshake"))
    })
}
