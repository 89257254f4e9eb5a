//! Metrics of volumes.

use super::{Collect, Family, Kind, Label};

const VOLUME: &[Label] =
    &[Label { name: "volume", bound: "volume names: the oldest 1,000, and `other` for the rest" }];

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_volume_read_bytes_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Bytes that clients read from the volume and its snapshots.",
        then: "More than usual means a consumer that reads old records, a replica that is being rebuilt, or \
               a backup.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.traffic.read.bytes)),
    },
    Family {
        name: "forebay_volume_written_bytes_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Bytes that clients wrote to the volume.",
        then: "More than usual means more production, or replicas that move; `forebay size` calculates what \
               a cluster needs.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.traffic.written.bytes)),
    },
    Family {
        name: "forebay_volume_read_duration_seconds",
        kind: Kind::Histogram,
        labels: VOLUME,
        says: "Duration of READ and READ_PLUS of the volume, excluding the wait for its limit.",
        then: "Slower reads with more cache misses come from the disk: raise pool.cache_max. Without more \
               misses, check the CPU.",
        collect: Collect::Volume(|volume, samples| samples.times(&[], &volume.traffic.read.times)),
    },
    Family {
        name: "forebay_volume_write_duration_seconds",
        kind: Kind::Histogram,
        labels: VOLUME,
        says: "Duration of WRITE to the volume, excluding the wait for its limit.",
        then: "If forebay_pool_write_waits_total grows as well, the disk does not keep up; otherwise check \
               the sync durations.",
        collect: Collect::Volume(|volume, samples| samples.times(&[], &volume.traffic.written.times)),
    },
    Family {
        name: "forebay_volume_logical_bytes",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Bytes of the volume's file data, holes excluded.",
        then: "Near forebay_volume_size_bytes, writes will fail: enlarge the volume (`forebay volume \
               resize`), or shorten retention.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.bytes_logical)),
    },
    Family {
        name: "forebay_volume_data_ratio",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Bytes of the volume's data per byte stored for it, as it was calculated last; missing until then.",
        then: "See forebay_pool_data_ratio. What a volume shares with others counts for each in equal parts.",
        collect: Collect::Volume(|volume, samples| {
            if let Some(ratio) = volume.efficiency.and_then(|counted| counted.ratio()) {
                samples.one(ratio);
            }
        }),
    },
    Family {
        name: "forebay_volume_size_bytes",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Maximum size of the volume in bytes; missing if not limited.",
        then: "Changes when the volume is resized.",
        collect: Collect::Volume(|volume, samples| {
            if let Some(size) = volume.usage.size {
                samples.one(size);
            }
        }),
    },
    Family {
        name: "forebay_volume_inodes",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Files, directories and other inodes of the volume.",
        then: "Growth without more partitions means that a program creates small files: find them with \
               `find` on a client.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.inodes)),
    },
    Family {
        name: "forebay_volume_orphans",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Deleted files of the volume that clients still have open; they keep their space.",
        then: "A few for about a minute are normal: Kafka deletes that way. If they stay, find the clients \
               with `forebay nfs opens`.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.orphans)),
    },
    Family {
        name: "forebay_volume_snapshots",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Snapshots of the volume.",
        then: "They keep data that has been deleted since: delete snapshots that are no longer needed.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.snapshots)),
    },
    Family {
        name: "forebay_volume_limit_bytes_per_second",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Maximum bytes per second that clients may read and write; missing if not limited.",
        then: "Changes when the limit is changed.",
        collect: Collect::Volume(|volume, samples| {
            if let Some(limit) = volume.usage.max_bytes_per_second {
                samples.one(limit);
            }
        }),
    },
    Family {
        name: "forebay_volume_limit_waits_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Requests that waited for the volume's limit since it was set.",
        then: "The limit works as configured. If the volume's brokers lag, raise it.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.waits)),
    },
    Family {
        name: "forebay_volume_limit_wait_seconds_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Total time that requests waited for the volume's limit since it was set.",
        then: "Divided by the waits, it is the average wait. Beyond a second clients notice it: raise the \
               limit.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.waited.as_secs_f64())),
    },
    Family {
        name: "forebay_volume_limit_turned_away_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Requests that were asked to retry later because the volume's limit would have made them wait \
               too long, since it was set.",
        then: "Clients send more than the limit for longer than it can smooth: raise the limit, or reduce \
               the load.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.turned_away)),
    },
    Family {
        name: "forebay_volume_failures_total",
        kind: Kind::Counter,
        labels: &[
            Label { name: "volume", bound: "volume names: the oldest 1,000, and `other` for the rest" },
            Label { name: "class", bound: "`space`, `io`" },
        ],
        says: "NFS operations on the volume that failed for lack of space (`space`), or because of the pool or its disk (`io`).",
        then: "Both stop a Kafka broker. `forebay status` names the clients. `space`: enlarge the volume or the pool. `io`: check the \
               log and the disk.",
        collect: Collect::Volume(|volume, samples| {
            for (class, count) in ["space", "io"].into_iter().zip(volume.failed) {
                samples.with(&[("class", class)], count);
            }
        }),
    },
];
