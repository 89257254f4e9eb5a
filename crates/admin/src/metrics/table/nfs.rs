//! Metrics of the NFS server.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use forebay_nfs::statistics::StatusClass;

use super::{Collect, Family, Kind, Label};

const OPERATION: Label =
    Label { name: "operation", bound: "operations of NFSv4.1 and 4.2 as the RFCs name them, and `ILLEGAL`" };

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_nfs_operation_duration_seconds",
        kind: Kind::Histogram,
        labels: &[OPERATION],
        says: "How long operations took, failed ones included, without the wait for a volume's limit.",
        then: "COMMIT, and WRITE of brokers that sync, follow the disk: see the sync durations. If all grew, look at the processors.",
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
        says: "Operations that failed, by class of their NFS status.",
        then: "`space` and `io` are serious: free space, or check the disk and the log. `access` follows export policies, `state` and \
               `delay` a restart or an eviction; `not_found` and `exists` are part of every day.",
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
        says: "Operations that waited for the limit of their volume.",
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
        says: "How long operations waited for the limit of their volume, all together.",
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
        says: "Requests that were told to come again, because a volume's limit would have let them wait too long.",
        then: "Raise the limit of the volume that forebay_volume_limit_turned_away_total shows.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.turned_away)),
    },
    Family {
        name: "forebay_nfs_memory_waits_total",
        kind: Kind::Counter,
        labels: &[Label { name: "memory", bound: "`requests`, `replies`" }],
        says: "Times that a client had to wait for memory: for its request, or because it does not take its replies.",
        then: "`requests`: raise nfs.requests_max if there is memory. `replies`: a client, or the network to it, is slow.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("memory", "requests")], nfs.events.request_memory_waits);
            samples.with(&[("memory", "replies")], nfs.events.reply_memory_waits);
        }),
    },
    Family {
        name: "forebay_nfs_policy_refusals_total",
        kind: Kind::Counter,
        labels: &[Label { name: "reason", bound: "`hidden`, `read_only`, `insecure`, `undecided`" }],
        says: "Operations that export policies did not let through.",
        then: "Somebody tries what is not allowed, or a rule is missing: `forebay export show`. `undecided` that lasts means that host \
               names or users cannot be looked up.",
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
        says: "Requests that were answered again, not executed again, because the client had not got the answer.",
        then: "A few come with each broken connection; many mean that the network loses connections.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.replays)),
    },
    Family {
        name: "forebay_nfs_connections",
        kind: Kind::Gauge,
        labels: &[],
        says: "Connections that are open.",
        then: "Each client has as many as its mount says with nconnect. Near nfs.connections_max the oldest make room.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections)),
    },
    Family {
        name: "forebay_nfs_connections_accepted_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Connections that were let in.",
        then: "Growth without new clients means that connections break: look at the network, and at the clients' logs.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections_accepted)),
    },
    Family {
        name: "forebay_nfs_connections_refused_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Connections that were closed at once, as there were too many.",
        then: "Raise nfs.connections_max or nfs.connections_per_client_max, or find who opens them; the log names addresses.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.events.connections_refused)),
    },
    Family {
        name: "forebay_nfs_clients",
        kind: Kind::Gauge,
        labels: &[Label {
            name: "state",
            bound: "`unconfirmed`, `reclaiming`, `confirmed`, `courteous`, `leaving`",
        }],
        says: "Clients, by what they may do. Courteous ones are silent beyond their lease and keep what nobody else wants.",
        then: "A courteous client is a broker's machine that is down or cut off. One that is leaving for long cannot be taken off: see the log.",
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
        name: "forebay_nfs_sessions",
        kind: Kind::Gauge,
        labels: &[],
        says: "Sessions of clients.",
        then: "Linux has one for each server it mounts; many more than clients is a client that does not end them.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.sessions)),
    },
    Family {
        name: "forebay_nfs_state_bytes",
        kind: Kind::Gauge,
        labels: &[Label { name: "of", bound: "`clients`, `sessions`, `files`" }],
        says: "Memory that is kept for clients between requests: registrations; sessions with the replies kept in them; opens and locks.",
        then: "Near forebay_nfs_state_max_bytes clients wait: raise nfs.state_max, or find who has most with `forebay nfs clients`.",
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
        says: "Memory that may be kept for clients between requests: nfs.state_max.",
        then: "Compare forebay_nfs_state_bytes with it.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.memory.usage.bytes_max)),
    },
    Family {
        name: "forebay_nfs_state_refusals_total",
        kind: Kind::Counter,
        labels: &[Label { name: "of", bound: "`clients`, `sessions`, `files`" }],
        says: "Requests that were told to come again because there was no memory to keep for them, or the client, or its address, had its part.",
        then: "The log names the address that has most. If that is in order, raise nfs.state_max; else find out what its clients do. \
               A client that uses no export has little, and is refused early.",
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
        says: "Clients that lost what was kept for them: `clients`, to make room as there were too many; `memory`, as others wanted the memory.",
        then: "`clients` are some that had used no export, or were silent: if it grows, somebody registers clients by the thousand. `memory` \
               are silent ones with files open: raise nfs.state_max, so that they keep them.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("reason", "clients")], nfs.memory.evicted_for_clients);
            samples.with(&[("reason", "memory")], nfs.memory.evicted_for_memory);
        }),
    },
    Family {
        name: "forebay_nfs_opens",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files that clients have open, counted for each owner.",
        then: "A broker has about four for each segment; growth without more partitions is a leak: `forebay nfs opens` shows whose.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.census.opens)),
    },
    Family {
        name: "forebay_nfs_locks",
        kind: Kind::Gauge,
        labels: &[],
        says: "Ranges of files that clients have locked.",
        then: "A broker locks one file in each log directory; `forebay nfs locks` shows whose others are.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.census.locks)),
    },
    Family {
        name: "forebay_nfs_grace_period_active",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 while clients of before the restart take back what they had open; nothing new can be opened then.",
        then: "It ends when all have come back, or after nfs.grace_seconds. If it stays, the pool does not take records: see the log.",
        collect: Collect::Nfs(|nfs, samples| samples.one(nfs.in_grace)),
    },
    Family {
        name: "forebay_nfs_tls_handshakes_total",
        kind: Kind::Counter,
        labels: &[Label { name: "result", bound: "`done`, `failed`" }],
        says: "TLS handshakes, by what became of them.",
        then: "`failed`: a certificate ended or is not trusted, or somebody probes; the log names addresses and causes.",
        collect: Collect::Nfs(|nfs, samples| {
            samples.with(&[("result", "done")], nfs.events.tls_handshakes);
            samples.with(&[("result", "failed")], nfs.events.tls_handshakes_failed);
        }),
    },
    Family {
        name: "forebay_nfs_tls_certificate_expiry_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the first of the server's certificates ends, in seconds since 1970; missing without TLS.",
        then: "Renew it before, and send the daemon SIGHUP: it reads the files again, and connections stay.",
        collect: Collect::Nfs(|nfs, samples| {
            if let Some(expires) = nfs.certificate_expires {
                samples.one(expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
            }
        }),
    },
];
