//! The pool: durability, storage efficiency, and data integrity.

use super::panels::PanelKind::Graph;
use super::panels::{DAEMONS, Dashboard, Panel, Row, Unit};

/// The dashboard of the pool.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-pool",
    title: "Forebay: pool and efficiency",
    instances: DAEMONS,
    volumes: false,
    rows: &[
        Row {
            title: "Disk writes",
            panels: &[
                Panel {
                    title: "Written and stored",
                    says: "Bytes that clients write, bytes appended to segments, and bytes written to the metadata store.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_written_bytes_total{$i}[$r]))", "written"),
                        ("sum(rate(forebay_pool_segment_appended_bytes_total{$i}[$r]))", "to segments"),
                        ("sum(rate(forebay_pool_metadata_written_bytes_total{$i}[$r]))", "to metadata"),
                    ],
                },
                Panel {
                    title: "Sync latency p99",
                    says: "99th percentile of sync duration. It shows the disk's speed: every fsync of a broker waits for a sync.",
                    kind: Graph,
                    unit: Unit::Seconds,
                    lines: &[
                        (
                            "histogram_quantile(0.99, sum by (le) (rate(forebay_pool_segment_sync_duration_seconds_bucket{$i}[$r])))",
                            "segments",
                        ),
                        (
                            "histogram_quantile(0.99, sum by (le) (rate(forebay_pool_metadata_sync_duration_seconds_bucket{$i}[$r])))",
                            "metadata",
                        ),
                        (
                            "histogram_quantile(0.99, sum by (le) (rate(forebay_pool_log_sync_duration_seconds_bucket{$i}[$r])))",
                            "intent log",
                        ),
                    ],
                },
                Panel {
                    title: "Not durable yet",
                    says: "Bytes of writes in memory, and the limit. At the limit, writers wait.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[
                        ("sum(forebay_pool_dirty_bytes{$i})", "in memory"),
                        ("sum(forebay_pool_dirty_limit_bytes{$i})", "limit"),
                    ],
                },
                Panel {
                    title: "Syncs per second",
                    says: "Syncs of segments, of metadata and of the intent log, and commit groups.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_segment_sync_duration_seconds_count{$i}[$r]))", "segments"),
                        ("sum(rate(forebay_pool_metadata_sync_duration_seconds_count{$i}[$r]))", "metadata"),
                        ("sum(rate(forebay_pool_log_groups_total{$i}[$r]))", "intent log"),
                        ("sum(rate(forebay_pool_commit_groups_total{$i}[$r]))", "commit groups"),
                    ],
                },
                Panel {
                    title: "Jobs per commit group",
                    says: "Number of jobs that share a sync. Large groups mean that syncs are slow for the load.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "sum(rate(forebay_pool_commit_jobs_total{$i}[$r])) / sum(rate(forebay_pool_commit_groups_total{$i}[$r]))",
                        "jobs",
                    )],
                },
                Panel {
                    title: "Writers that waited",
                    says: "Writes that waited because too much data was not durable yet: the disk does not keep up.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_write_waits_total{$i}[$r]))", "waited"),
                        ("sum(rate(forebay_pool_writes_total{$i}[$r]))", "all writes"),
                    ],
                },
            ],
        },
        Row {
            title: "Efficiency",
            panels: &[
                Panel {
                    title: "Data per byte stored",
                    says: "Bytes of data divided by bytes stored, each stored version once. With three replicas it is near 3.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[("min(forebay_pool_data_ratio{$i})", "data to stored")],
                },
                Panel {
                    title: "Stored once",
                    says: "Bytes and chunks that were not stored again because the pool already had them.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_dedup_bytes_total{$i}[$r]))", "not stored again"),
                        ("sum(rate(forebay_pool_compression_input_bytes_total{$i}[$r]))", "stored"),
                    ],
                },
                Panel {
                    title: "Compression",
                    says: "Stored bytes per byte of input. Near 1, the data does not compress or is compressed already.",
                    kind: Graph,
                    unit: Unit::Ratio,
                    lines: &[(
                        "sum(rate(forebay_pool_compression_output_bytes_total{$i}[$r])) / sum(rate(forebay_pool_compression_input_bytes_total{$i}[$r]))",
                        "stored",
                    )],
                },
                Panel {
                    title: "Reads from memory",
                    says: "Fraction of requested chunks that were in memory.",
                    kind: Graph,
                    unit: Unit::Ratio,
                    lines: &[(
                        "sum(rate(forebay_pool_cache_requests_total{$i,result=\"hit\"}[$r])) / sum(rate(forebay_pool_cache_requests_total{$i}[$r]))",
                        "from memory",
                    )],
                },
                Panel {
                    title: "Segments",
                    says: "Live and dead bytes of segments, and bytes in the metadata store.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[
                        ("sum(forebay_pool_segment_live_bytes{$i})", "live"),
                        ("sum(forebay_pool_segment_dead_bytes{$i})", "dead"),
                        ("sum(forebay_pool_inline_bytes{$i})", "in metadata"),
                    ],
                },
                Panel {
                    title: "Moved by the cleaner",
                    says: "Bytes that the cleaner moves out of mostly dead segments. This adds to the disk load of the clients.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[("sum(rate(forebay_pool_cleaner_moved_bytes_total{$i}[$r]))", "moved")],
                },
            ],
        },
        Row {
            title: "Health",
            panels: &[
                Panel {
                    title: "Verified",
                    says: "Frames that readers, the cleaner and the scrub read and verified.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[("sum(rate(forebay_pool_frames_verified_total{$i}[$r]))", "whole")],
                },
                Panel {
                    title: "Damaged, unreadable, repaired",
                    says: "Corrupt and unreadable frames, and frames restored from the second copy. All should be zero.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_frames_damaged_total{$i}[$r]))", "damaged"),
                        ("sum(rate(forebay_pool_frames_unreadable_total{$i}[$r]))", "unreadable"),
                        ("sum(rate(forebay_pool_frames_repaired_total{$i}[$r]))", "repaired"),
                    ],
                },
                Panel {
                    title: "Scrub",
                    says: "Progress of the scrub, and whether one is running.",
                    kind: Graph,
                    unit: Unit::Ratio,
                    lines: &[
                        ("min(forebay_pool_scrub_progress_ratio{$i})", "verified"),
                        ("max(forebay_pool_scrub_running{$i})", "running"),
                    ],
                },
            ],
        },
    ],
};
