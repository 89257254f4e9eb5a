//! Metrics of the NFS server.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use forebay_nfs::NfsCounters;
use forebay_nfs::state::{ActivityView, ClientTraffic};
use forebay_nfs::statistics::StatusClass;

use super::{Collect, Family, Kind, Label};

const OPERATION: Label =
    Label { name: "operation", bound: "operations of NFSv4.1 and 4.2 as the RFCs name them, and `ILLEGAL`" };

const CLIENT: Label = Label { name: "client", bound: "the owner strings of the oldest 100 clients" };
const CLIENT_ID: Label =
    Label { name: "id", bound: "their ids, which are new after each mount and each reboot" };
/// The number of clients that have their own samples.
const CLIENTS_MAX: usize = 100;

/// The owner string, the id and the counters of the oldest clients.
fn clients(nfs: &NfsCounters) -> Vec<(String, String, &ActivityView)> {
    let mut clients: Vec<_> = nfs.clients.iter().collect();
    clients.sort_by_key(|client| client.id.0);
    let row = |client: &'_ ClientTraffic| {
        (client.owner.escape_ascii().to_string(), format!("{:016x}", client.id.0))
    };
    let oldest = clients.into_iter().take(CLIENTS_MAX);
    oldest
        .map(|client| {
            let (owner, id) = row(client);
            (owner, id, &client.activity)
        })
        .collect()
}

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_nfs_operation_duration_seconds",
        kind: Kind::Histogram,
        labels: &[OPERATION],
        says: "Duration of operations, including failed ones, excluding the wait for a volume's limit.",
        then: "COMMIT, and WRITE from brokers that sync, follow the disk: check the sync durations. If all \
               operations are slower, check the CPU.",
        collect: Collect::Nfs(|nfs, samples| {
            for operation in &nfs.operations {
                samples.times(&[("operation", &operation.name())], &operation.times);
            }
        }),
    },
    Family {
        name: "forebay_nfs_operation_errors_total",
        kind: Kind::Counter,
        labels: &[
            OPERATION,
            Label {
                name: "class",
                bound: "`not_found`, `exists`, `access`, `conflict`, `compared`, `delay`, `space`, `io`, `state`, `unsupported`, `invalid`",
            },
        ],
        says: "Failed operations, by class of their NFS status.",
        then: "`space` and `io` are serious: free space, or check the disk and the log. `access` comes from \
               export policies; `state` and `delay` from a restart or an eviction. `not_found` and `exists` \
               are normal.",
        collect: Collect::Nfs(|nfs, samples| {
            for operation in &nfs.operations {
                let mut classes: BTreeMap<StatusClass, u64> = BTreeMap::new();
                for (status, count) in &operation.failures {
                    *classes.entry(StatusClass::of(*status)).or_default() += count;
                }
                for (class, count) in classes {
                    samples.with(&[("operation", &operation.name()), ("class", class.name())], count);
                }
            }
        }),
    },
    Family {
        name: "forebay_nfs_operation_limit_waits_total",
        kind: Kind::Counter,
        labels: &[OPERATION],
        says: "Operations that waited for their volume's limit.",
        then: "See forebay_volume_limit_waits_total for the volumes.",
        collect: Collect::Nfs(|nfs, samples| {
            for operation in nfs.operations.iter().filter(|operation| operation.waits > 0) {
                samples.with(&[("operation", &operation.name())], operation.waits);
            }
        }),
    },
    Family {
        name: "forebay_nfs_operation_limit_wait_seconds_total",
        kind: Kind::Counter,
        labels: &[OPERATION],
        says: "Total time that operations waited for their volume's limit.",
        then: "See forebay_volume_limit_wait_seconds_total for the volumes.",
        collect: Collect::Nfs(|nfs, samples| {
            for operation in nfs.operations.iter().filter(|operation| operation.waits > 0) {
                samples.with(&[("operation", &operation.name())], operation.waited.as_secs_f64());
            }
        }),
    },
    Family {
        name: "forebay_nfs_requests_turned_away_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Requests that were asked to retry later because a volume's limit would have made them wait \
               too long.",
        then: "Raise the limit of the volume that forebay_volume_limit_turned_away_total shows.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.turned_away)),
    },
    Family {
        name: "forebay_nfs_requests_held_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Operations that waited for the end of a grace period, because they open or lock something new.",
        then: "They wait for nfs.grace_hold_seconds at most, and are then asked to retry. `forebay nfs clients` shows who reclaims.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.held)),
    },
    Family {
        name: "forebay_nfs_memory_waits_total",
        kind: Kind::Counter,
        labels: &[Label { name: "memory", bound: "`requests`, `replies`" }],
        says: "Times that a client had to wait for memory: for its request, or because it does not read its \
               replies.",
        then: "`requests`: raise nfs.requests_max if there is memory. `replies`: a client or its network is \
               slow.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("memory", "requests")], nfs.events.request_memory_waits);
            samples.with(&[("memory", "replies")], nfs.events.reply_memory_waits);
        }),
    },
    Family {
        name: "forebay_nfs_policy_refusals_total",
        kind: Kind::Counter,
        labels: &[Label { name: "reason", bound: "`hidden`, `read_only`, `insecure`, `undecided`" }],
        says: "Operations that export policies refused.",
        then: "A client tried something that is not allowed, or a rule is missing: `forebay export show`. If \
               `undecided` persists, host names or users cannot be looked up.",
        collect: Collect::Nfs(|nfs, samples| {
            let refused = nfs.events.refused;
            samples.with(&[("reason", "hidden")], refused.hidden);
            samples.with(&[("reason", "read_only")], refused.read_only);
            samples.with(&[("reason", "insecure")], refused.insecure);
            samples.with(&[("reason", "undecided")], refused.undecided);
        }),
    },
    Family {
        name: "forebay_nfs_replays_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Requests answered from the reply cache because the client had not received the reply.",
        then: "A few are normal after a broken connection; many mean that the network loses connections.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.replays)),
    },
    Family {
        name: "forebay_nfs_connections",
        kind: Kind::Gauge,
        labels: &[],
        says: "Open connections.",
        then: "Each client has as many as nconnect in its mount. Near nfs.connections_max, connections that \
               no mount uses are replaced.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections)),
    },
    Family {
        name: "forebay_nfs_connections_accepted_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Accepted connections.",
        then: "Growth without new clients means that connections are breaking: check the network and the \
               clients' logs.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections_accepted)),
    },
    Family {
        name: "forebay_nfs_connections_refused_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Connections that were closed immediately because there were too many.",
        then: "Raise nfs.connections_max or nfs.connections_per_client_max, or find the clients that open \
               them; the log has their addresses.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections_refused)),
    },
    Family {
        name: "forebay_nfs_clients",
        kind: Kind::Gauge,
        labels: &[Label {
            name: "state",
            bound: "`unconfirmed`, `reclaiming`, `confirmed`, `courteous`, `leaving`",
        }],
        says: "Clients, by state. Courteous clients are silent beyond their lease and keep state that no \
               other client needs.",
        then: "A courteous client usually means that a broker's machine is down or disconnected. If a client \
               stays in `leaving`, its state cannot be removed: see the log.",
        collect: Collect::Nfs(|nfs, samples| {
            let census = nfs.census;
            samples.with(&[("state", "unconfirmed")], census.unconfirmed);
            samples.with(&[("state", "reclaiming")], census.reclaiming);
            samples.with(&[("state", "confirmed")], census.confirmed);
            samples.with(&[("state", "courteous")], census.courteous);
            samples.with(&[("state", "leaving")], census.leaving);
        }),
    },
    Family {
        name: "forebay_nfs_client_bytes_total",
        kind: Kind::Counter,
        labels: &[CLIENT, CLIENT_ID, Label { name: "direction", bound: "`read`, `write`" }],
        says: "Bytes that a client has read and written since it registered.",
        then: "Shows which broker reads or writes most.",
        collect: Collect::Nfs(|nfs, samples| {
            for (owner, id, activity) in clients(nfs) {
                let labels =
                    |direction| [("client", owner.as_str()), ("id", id.as_str()), ("direction", direction)];
                samples.with(&labels("read"), activity.reads.bytes);
                samples.with(&labels("write"), activity.writes.bytes);
            }
        }),
    },
    Family {
        name: "forebay_nfs_client_operations_total",
        kind: Kind::Counter,
        labels: &[CLIENT, CLIENT_ID],
        says: "Operations of a client since it registered, without SEQUENCE and PUTFH.",
        then: "A client with many operations and few bytes scans directories or opens files over and over.",
        collect: Collect::Nfs(|nfs, samples| {
            for (owner, id, activity) in clients(nfs) {
                samples.with(&[("client", &owner), ("id", &id)], activity.operations);
            }
        }),
    },
    Family {
        name: "forebay_nfs_client_commit_seconds_total",
        kind: Kind::Counter,
        labels: &[CLIENT, CLIENT_ID],
        says: "The time that a client's COMMITs took together, since it registered.",
        then: "Divided by forebay_nfs_client_commits_total it is the mean duration of a broker's fsync. If one client's is longer than \
               that of others, its volume has a limit, or its network is slow.",
        collect: Collect::Nfs(|nfs, samples| {
            for (owner, id, activity) in clients(nfs) {
                samples.with(&[("client", &owner), ("id", &id)], activity.commits.sum().as_secs_f64());
            }
        }),
    },
    Family {
        name: "forebay_nfs_client_commits_total",
        kind: Kind::Counter,
        labels: &[CLIENT, CLIENT_ID],
        says: "COMMITs of a client since it registered.",
        then: "See forebay_nfs_client_commit_seconds_total.",
        collect: Collect::Nfs(|nfs, samples| {
            for (owner, id, activity) in clients(nfs) {
                samples.with(&[("client", &owner), ("id", &id)], activity.commits.count());
            }
        }),
    },
    Family {
        name: "forebay_nfs_sessions",
        kind: Kind::Gauge,
        labels: &[],
        says: "Client sessions.",
        then: "Linux has one session per mounted server. Many more sessions than clients means that a client \
               does not end them.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.sessions)),
    },
    Family {
        name: "forebay_nfs_state_bytes",
        kind: Kind::Gauge,
        labels: &[Label { name: "of", bound: "`clients`, `sessions`, `files`" }],
        says: "Memory for client state between requests: registrations, sessions with their cached replies, \
               opens and locks.",
        then: "Near forebay_nfs_state_max_bytes, clients wait: raise nfs.state_max, or find the largest \
               users with `forebay nfs clients`.",
        collect: Collect::Nfs(|nfs, samples| {
            let usage = nfs.memory.usage;
            samples.with(&[("of", "clients")], usage.clients);
            samples.with(&[("of", "sessions")], usage.sessions);
            samples.with(&[("of", "files")], usage.files);
        }),
    },
    Family {
        name: "forebay_nfs_state_max_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Maximum memory for client state between requests: nfs.state_max.",
        then: "Compare with forebay_nfs_state_bytes.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.memory.usage.bytes_max)),
    },
    Family {
        name: "forebay_nfs_state_refusals_total",
        kind: Kind::Counter,
        labels: &[Label { name: "of", bound: "`clients`, `sessions`, `files`" }],
        says: "Requests that were asked to retry later because there was no memory for their state, or \
               because the client or its address had used its share.",
        then: "The log has the address that uses most. If that is expected, raise nfs.state_max; otherwise \
               find out what its clients do. A client that uses no export gets little memory, and is refused \
               early.",
        collect: Collect::Nfs(|nfs, samples| {
            let [clients, sessions, files] = nfs.memory.usage.refused;
            samples.with(&[("of", "clients")], clients);
            samples.with(&[("of", "sessions")], sessions);
            samples.with(&[("of", "files")], files);
        }),
    },
    Family {
        name: "forebay_nfs_state_evictions_total",
        kind: Kind::Counter,
        labels: &[Label { name: "reason", bound: "`clients`, `memory`" }],
        says: "Clients that lost their state: `clients`, to make room because there were too many; `memory`, \
               because others needed the memory.",
        then: "`clients` had used no export, or were silent: growth means that someone registers clients by \
               the thousand. `memory` are silent clients with open files: raise nfs.state_max to keep their \
               state.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("reason", "clients")], nfs.memory.evicted_for_clients);
            samples.with(&[("reason", "memory")], nfs.memory.evicted_for_memory);
        }),
    },
    Family {
        name: "forebay_nfs_opens",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files that clients have open, counted per owner.",
        then: "A broker has about four per segment. Growth without more partitions is a leak: `forebay nfs \
               opens` shows the clients.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.census.opens)),
    },
    Family {
        name: "forebay_nfs_locks",
        kind: Kind::Gauge,
        labels: &[],
        says: "Byte ranges that clients have locked.",
        then: "A broker locks one file in each log directory; `forebay nfs locks` shows the owners of other \
               locks.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.census.locks)),
    },
    Family {
        name: "forebay_nfs_grace_period_active",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 while clients reclaim their open files after a restart; in their volumes nothing new can be opened during \
               that time.",
        then: "It ends when all clients have returned, or after nfs.grace_seconds. If it does not end, the \
               pool does not accept records: check the log.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.grace.is_some())),
    },
    Family {
        name: "forebay_nfs_tls_handshakes_total",
        kind: Kind::Counter,
        labels: &[Label { name: "result", bound: "`done`, `failed`" }],
        says: "TLS handshakes, by result.",
        then: "`failed`: a certificate has expired or is not trusted, or someone is probing the port; the \
               log has addresses and causes.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("result", "done")], nfs.events.tls_handshakes);
            samples.with(&[("result", "failed")], nfs.events.tls_handshakes_failed);
        }),
    },
    Family {
        name: "forebay_nfs_tls_certificate_expiry_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the first of the server's certificates expires, in seconds since 1970; missing without \
               TLS.",
        then: "Renew the certificate before then, and send SIGHUP to the daemon. It reads the files again \
               without closing connections.",
        collect: Collect::Nfs(|nfs, samples| {
            if let Some(expires) = nfs.certificate_expires {
                samples.one(expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
            }
        }),
    },
];
