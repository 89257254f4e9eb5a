//! Metrics of volumes.

use super::{Collect, Family, Kind, Label};

const VOLUME: &[Label] = &[Label {
    name: "volume",
    bound: "names of volumes: the oldest 1,000, and `other` for all others together",
}];

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_volume_read_bytes_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Bytes that clients read from the volume and its snapshots.",
        then: "More than usual is a consumer that reads old records, a replica that is rebuilt, or a backup.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.traffic.read.bytes)),
    },
    Family {
        name: "forebay_volume_written_bytes_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Bytes that clients wrote to the volume.",
        then: "More than usual is more produced, or replicas that move; `forebay size` says what a cluster should need.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.traffic.written.bytes)),
    },
    Family {
        name: "forebay_volume_read_duration_seconds",
        kind: Kind::Histogram,
        labels: VOLUME,
        says: "How long READ and READ_PLUS of the volume took, without the wait for its limit.",
        then: "Slower reads with more cache misses come from the disk: give pool.cache_max more memory. Without, look at the processors.",
        collect: Collect::Volume(|volume, samples| samples.times(&[], &volume.traffic.read.times)),
    },
    Family {
        name: "forebay_volume_write_duration_seconds",
        kind: Kind::Histogram,
        labels: VOLUME,
        says: "How long WRITE to the volume took, without the wait for its limit.",
        then: "Slow writes with forebay_pool_write_waits_total growing wait for the disk to keep up; else look at the sync durations.",
        collect: Collect::Volume(|volume, samples| samples.times(&[], &volume.traffic.written.times)),
    },
    Family {
        name: "forebay_volume_logical_bytes",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Bytes of the volume's files that are not holes.",
        then: "Near forebay_volume_size_bytes writes will fail: give the volume more (`forebay volume resize`), or shorten retention.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.bytes_logical)),
    },
    Family {
        name: "forebay_volume_size_bytes",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Bytes that the volume may hold; missing where that is not limited.",
        then: "It moves when somebody resizes the volume.",
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
        then: "Growth without more partitions is something that makes small files: find it with `find` on a client.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.inodes)),
    },
    Family {
        name: "forebay_volume_orphans",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Files of the volume that were deleted and that clients still have open; they keep their space.",
        then: "Some for a minute are how Kafka deletes. If they stay, see who has them: `forebay nfs opens`.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.orphans)),
    },
    Family {
        name: "forebay_volume_snapshots",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Snapshots of the volume.",
        then: "They keep the space of what was deleted since: delete those that nobody needs.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.usage.snapshots)),
    },
    Family {
        name: "forebay_volume_limit_bytes_per_second",
        kind: Kind::Gauge,
        labels: VOLUME,
        says: "Bytes that clients may read and write in a second; missing where that is not limited.",
        then: "It moves when somebody changes the limit.",
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
        says: "Requests that waited for the volume's limit, since it was set.",
        then: "The limit does what it is for; if the volume's brokers lag, raise it.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.waits)),
    },
    Family {
        name: "forebay_volume_limit_wait_seconds_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "How long requests waited for the volume's limit, all together, since it was set.",
        then: "Divided by the waits it is what a request waits; beyond a second clients feel it: raise the limit.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.waited.as_secs_f64())),
    },
    Family {
        name: "forebay_volume_limit_turned_away_total",
        kind: Kind::Counter,
        labels: VOLUME,
        says: "Requests that were told to come again, as the volume's limit would have let them wait too long, since it was set.",
        then: "Clients send more than the limit for longer than it can smooth: raise it, or have them send less.",
        collect: Collect::Volume(|volume, samples| samples.one(volume.turned_away)),
    },
];
