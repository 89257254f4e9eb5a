//! The pool: durability, what it saves, and the health of what is stored.

use super::PanelKind::Graph;
use super::{Dashboard, Panel, Row, Unit};

/// That of the pool.
pub static DASHBOARD: Dashboard = Dashboard {
    uid: "forebay-pool",
    title: "Forebay: pool and efficiency",
    volumes: false,
    rows: &[
        Row {
            title: "To the disk",
            panels: &[
                Panel {
                    title: "Written, and what of it is stored",
                    says: "Bytes that clients write, bytes appended to segments, and bytes given to the metadata store.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_written_bytes_total{$i}[$r]))", "written"),
                        ("sum(rate(forebay_pool_segment_appended_bytes_total{$i}[$r]))", "to segments"),
                        ("sum(rate(forebay_pool_metadata_written_bytes_total{$i}[$r]))", "to metadata"),
                    ],
                },
                Panel {
                    title: "Syncs, 99 of 100",
                    says: "99 of 100 syncs took no longer. It is the disk: every fsync of a broker waits for one.",
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
                    ],
                },
                Panel {
                    title: "Not durable yet",
                    says: "Bytes of writes in memory, and the limit. At the limit writers wait.",
                    kind: Graph,
                    unit: Unit::Bytes,
                    lines: &[
                        ("sum(forebay_pool_dirty_bytes{$i})", "in memory"),
                        ("sum(forebay_pool_dirty_limit_bytes{$i})", "limit"),
                    ],
                },
                Panel {
                    title: "Syncs in a second",
                    says: "Syncs of segments and of metadata, and commit groups.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_segment_sync_duration_seconds_count{$i}[$r]))", "segments"),
                        ("sum(rate(forebay_pool_metadata_sync_duration_seconds_count{$i}[$r]))", "metadata"),
                        ("sum(rate(forebay_pool_commit_groups_total{$i}[$r]))", "commit groups"),
                    ],
                },
                Panel {
                    title: "Jobs in a commit group",
                    says: "How many share a sync. Large groups say that syncs are slow for the load.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "sum(rate(forebay_pool_commit_jobs_total{$i}[$r])) / sum(rate(forebay_pool_commit_groups_total{$i}[$r]))",
                        "jobs",
                    )],
                },
                Panel {
                    title: "Writers that waited",
                    says: "Writes that waited because too much was not durable: the disk does not keep up.",
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
                    title: "Saved",
                    says: "Bytes of files divided by bytes stored for them. With three replicas it is near 3.",
                    kind: Graph,
                    unit: Unit::Count,
                    lines: &[(
                        "sum(forebay_pool_logical_bytes{$i}) / sum(forebay_pool_physical_bytes{$i})",
                        "files to stored",
                    )],
                },
                Panel {
                    title: "Stored once",
                    says: "Bytes that were to be stored and that the pool had already, and chunks of them.",
                    kind: Graph,
                    unit: Unit::BytesPerSecond,
                    lines: &[
                        ("sum(rate(forebay_pool_dedup_bytes_total{$i}[$r]))", "not stored again"),
                        ("sum(rate(forebay_pool_compression_input_bytes_total{$i}[$r]))", "stored"),
                    ],
                },
                Panel {
                    title: "Compression",
                    says: "Bytes of frames for each byte of their chunks. Near 1: what is written does not shrink, or is compressed already.",
                    kind: Graph,
                    unit: Unit::Ratio,
                    lines: &[(
                        "sum(rate(forebay_pool_compression_output_bytes_total{$i}[$r])) / sum(rate(forebay_pool_compression_input_bytes_total{$i}[$r]))",
                        "stored",
                    )],
                },
                Panel {
                    title: "Reads from memory",
                    says: "The part of chunks wanted by readers that was in memory.",
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
                    says: "Bytes that the cleaner moves out of segments that are mostly dead: load on the disk besides the clients'.",
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
                    says: "Frames that were read and found whole, by readers, the cleaner and the scrub.",
                    kind: Graph,
                    unit: Unit::PerSecond,
                    lines: &[("sum(rate(forebay_pool_frames_verified_total{$i}[$r]))", "whole")],
                },
                Panel {
                    title: "Damaged, unreadable, repaired",
                    says: "What the disk gave wrong or not at all, and what was written again from the second copy. All zero is right.",
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
                    says: "How much of what is stored the scrub has verified, and whether one is running.",
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
