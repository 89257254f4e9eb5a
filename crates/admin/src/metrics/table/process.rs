//! Metrics of the daemon's process, under the names that collectors expect.

use super::{Collect, Family, Kind, Label};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_build_info",
        kind: Kind::Gauge,
        labels: &[Label { name: "release", bound: "one: the running release" }],
        says: "Always 1; its label is the running release.",
        then: "Nothing to do; it shows when a release was deployed, and whether all nodes run the same one.",
        collect: Collect::Process(|_, samples| samples.with(&[("release", env!("CARGO_PKG_VERSION"))], 1u64)),
    },
    Family {
        name: "process_cpu_seconds_total",
        kind: Kind::Counter,
        labels: &[],
        says: "CPU time used by the daemon.",
        then: "If it reaches the number of CPU cores, clients wait. Check which operations increased, and \
               whether zstd compression is on.",
        collect: Collect::Process(|seen, samples| samples.one(seen.cpu_seconds)),
    },
    Family {
        name: "process_resident_memory_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Resident memory of the daemon.",
        then: "It is bounded by pool.dirty_max, pool.cache_max, pool.fingerprints_max, nfs.requests_max, \
               nfs.state_max and s3.requests_max, plus 128 KiB for each S3 connection and what the metadata store \
               keeps. Report a bug if it exceeds that.",
        collect: Collect::Process(|seen, samples| samples.one(seen.resident_bytes)),
    },
    Family {
        name: "process_open_fds",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files and connections that the daemon has open.",
        then: "Near process_max_fds, new connections are refused: raise LimitNOFILE, or find the clients \
               that open connections.",
        collect: Collect::Process(|seen, samples| samples.one(seen.files)),
    },
    Family {
        name: "process_max_fds",
        kind: Kind::Gauge,
        labels: &[],
        says: "Maximum number of files and connections that the daemon can open.",
        then: "If process_open_fds comes close, raise it with LimitNOFILE in the unit.",
        collect: Collect::Process(|seen, samples| samples.one(seen.files_max)),
    },
    Family {
        name: "process_threads",
        kind: Kind::Gauge,
        labels: &[],
        says: "Number of threads of the daemon.",
        then: "Hundreds of threads that persist mean that the disk does not respond: check the sync \
               durations and the kernel's log.",
        collect: Collect::Process(|seen, samples| samples.one(seen.threads)),
    },
    Family {
        name: "process_start_time_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the daemon started, in seconds since 1970.",
        then: "If it changes without a planned restart, the daemon crashed: read its log from before that \
               time.",
        collect: Collect::Process(|seen, samples| samples.one(seen.started_seconds)),
    },
    Family {
        name: "forebay_traces_spans_exported_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Trace spans that the collector at traces.otlp_endpoint accepted.",
        then: "If it does not increase while there are requests, the collector accepts nothing: see \
               forebay_traces_spans_dropped_total.",
        collect: Collect::Process(|seen, samples| samples.one(seen.spans_exported)),
    },
    Family {
        name: "forebay_traces_spans_dropped_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Trace spans that were dropped because the collector did not accept them, or accepted them too \
               slowly.",
        then: "Requests are not affected; only traces have gaps. Check whether the collector runs (the log \
               has its answer), or trace fewer COMPOUNDs (traces.nfs_one_in).",
        collect: Collect::Process(|seen, samples| samples.one(seen.spans_dropped)),
    },
];
