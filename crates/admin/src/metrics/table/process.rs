//! Metrics of the daemon's process, under the names that all collectors know.

use super::{Collect, Family, Kind, Label};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_build_info",
        kind: Kind::Gauge,
        labels: &[Label { name: "release", bound: "one: the release that runs" }],
        says: "Always 1; its label says which release runs.",
        then: "Nothing; it shows when a release came into use, and whether all nodes have the same.",
        collect: Collect::Process(|_, samples| samples.with(&[("release", env!("CARGO_PKG_VERSION"))], 1u64)),
    },
    Family {
        name: "process_cpu_seconds_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Processor time that the daemon took.",
        then: "At the number of processors, clients wait for them: look which operations grew, and whether compression is zstd.",
        collect: Collect::Process(|seen, samples| samples.one(seen.cpu_seconds)),
    },
    Family {
        name: "process_resident_memory_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Memory that the daemon has in use.",
        then: "It is bounded by pool.dirty_max, pool.cache_max, pool.fingerprints_max and nfs.requests_max and nfs.state_max together with what the metadata store \
               keeps; beyond that, report it.",
        collect: Collect::Process(|seen, samples| samples.one(seen.resident_bytes)),
    },
    Family {
        name: "process_open_fds",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files and connections that the daemon has open.",
        then: "Near process_max_fds new connections are refused: raise LimitNOFILE, or find out who opens connections.",
        collect: Collect::Process(|seen, samples| samples.one(seen.files)),
    },
    Family {
        name: "process_max_fds",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files and connections that the daemon may have open.",
        then: "Raise it with LimitNOFILE in the unit if process_open_fds comes near it.",
        collect: Collect::Process(|seen, samples| samples.one(seen.files_max)),
    },
    Family {
        name: "process_threads",
        kind: Kind::Gauge,
        labels: &[],
        says: "Threads of the daemon.",
        then: "Hundreds that stay mean that the disk does not answer: look at the sync durations and the kernel's log.",
        collect: Collect::Process(|seen, samples| samples.one(seen.threads)),
    },
    Family {
        name: "process_start_time_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the daemon started, in seconds since 1970.",
        then: "If it moves and nobody restarted the daemon, it crashed: read its log from before that time.",
        collect: Collect::Process(|seen, samples| samples.one(seen.started_seconds)),
    },
    Family {
        name: "forebay_traces_spans_exported_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Spans of traces that the collector at traces.otlp_endpoint has taken.",
        then: "If it stands still while there are requests, the collector takes nothing: see forebay_traces_spans_dropped_total.",
        collect: Collect::Process(|seen, samples| samples.one(seen.spans_exported)),
    },
    Family {
        name: "forebay_traces_spans_dropped_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Spans of traces that were thrown away, since the collector did not take them, or too slowly.",
        then: "The service does not suffer, only traces have gaps: look whether the collector runs (the log says what it answers), or have                fewer COMPOUNDs traced (traces.nfs_one_in).",
        collect: Collect::Process(|seen, samples| samples.one(seen.spans_dropped)),
    },
];
