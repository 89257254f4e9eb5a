//! Metrics of the pool.

use std::time::UNIX_EPOCH;

use super::{Collect, Family, Kind, Label};

const PART: &[Label] = &[Label {
    name: "part",
    bound: "`shown`, `cloned`, `retained`, `data`, `deduplicated`, `compressed`, `stored`, `holes`",
}];

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_pool_written_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of writes that were accepted into memory, from all clients.",
        then: "This is the load. forebay_pool_segment_appended_bytes_total shows how much of it reaches the \
               disk.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_written)),
    },
    Family {
        name: "forebay_pool_writes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Writes that were accepted into memory.",
        then: "Bytes divided by writes is the average write size. Small writes cost more CPU time per byte; \
               check the clients' wsize.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.writes)),
    },
    Family {
        name: "forebay_pool_write_waits_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Writes that waited because too much data in memory was not durable yet.",
        then: "The disk does not keep up with the load: use a faster disk, or write fewer bytes (compression \
               in the producers). pool.dirty_max only smooths bursts.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.write_waits)),
    },
    Family {
        name: "forebay_pool_dirty_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of writes that are in memory and not durable; clients still have them as well.",
        then: "Near the limit, writers wait. If the value stays high while nothing is written, flushing \
               fails: check the log and free space.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.dirty_bytes)),
    },
    Family {
        name: "forebay_pool_dirty_limit_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Maximum bytes of writes in memory that are not durable: pool.dirty_max.",
        then: "Changes only with the configuration.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.dirty_bytes_max)),
    },
    Family {
        name: "forebay_pool_segment_appended_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes appended to segments: new chunks with their headers, and data that the cleaner moves.",
        then: "If it grows while writes do not, less data is shared or compressed: check the dedup and \
               compression metrics.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_appended)),
    },
    Family {
        name: "forebay_pool_early_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of chunks that were appended while their stream still arrived, before a client asked for a sync.",
        then: "See forebay_pool_early_named_bytes_total.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_early)),
    },
    Family {
        name: "forebay_pool_early_named_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of these chunks that a flush has made part of a file.",
        then: "If it stays far behind, clients overwrite or delete what they have just written, and the cleaner \
               has more to do.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_early_named)),
    },
    Family {
        name: "forebay_pool_compared_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of stored chunks that were read and compared before new ones were shared, with pool.dedup_verify.",
        then: "These reads are the price of that setting.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_compared)),
    },
    Family {
        name: "forebay_pool_metadata_written_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of keys and values written to the metadata store, including tails of files.",
        then: "Growth without more data means many small synchronous appends, or many files created and \
               deleted.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_metadata)),
    },
    Family {
        name: "forebay_pool_segment_sync_duration_seconds",
        kind: Kind::Histogram,
        labels: &[],
        says: "Duration of segment syncs.",
        then: "It shows the disk's speed: check the disk's own latency, its health, and what else uses it.",
        collect: Collect::Pool(|pool, samples| samples.times(&[], &pool.segment_syncs)),
    },
    Family {
        name: "forebay_pool_metadata_sync_duration_seconds",
        kind: Kind::Histogram,
        labels: &[],
        says: "Duration of metadata store syncs, one per commit group that wrote anything.",
        then: "It shows the disk's speed, and every fsync of a broker waits for it: check the disk's own \
               latency and health.",
        collect: Collect::Pool(|pool, samples| samples.times(&[], &pool.metadata_syncs)),
    },
    Family {
        name: "forebay_pool_log_sync_duration_seconds",
        kind: Kind::Histogram,
        labels: &[],
        says: "Duration of writes to the intent log with their syncs, one per group.",
        then: "Most fsyncs of brokers wait for one of them: if it grows, check the disk's own latency and health.",
        collect: Collect::Pool(|pool, samples| samples.times(&[], &pool.log_syncs)),
    },
    Family {
        name: "forebay_pool_log_groups_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Groups of records written to the intent log, each with one sync.",
        then: "0 while brokers flush means that there is no log: see pool.log_max, and check the log file for \
               a failure.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.log_groups)),
    },
    Family {
        name: "forebay_pool_log_records_total",
        kind: Kind::Counter,
        labels: &[Label { name: "result", bound: "`logged`, `flushed`" }],
        says: "Syncs of files with unsynced data: answered by the intent log, or flushed because they had too \
               much data or the log had no room.",
        then: "Many flushed ones with little data each mean that the log is too small: raise pool.log_max.",
        collect: Collect::Pool(|pool, samples| {
            samples.with(&[("result", "logged")], pool.log_records);
            samples.with(&[("result", "flushed")], pool.log_refused);
        }),
    },
    Family {
        name: "forebay_pool_log_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes written to the intent log, with padding.",
        then: "They are written again to segments later. If the disk's bandwidth is the limit, put the log on \
               another disk with pool.log_directory.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.log_bytes)),
    },
    Family {
        name: "forebay_pool_commit_groups_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Commit groups: sets of jobs that share one sync.",
        then: "If it does not increase while bytes are dirty, nothing becomes durable: check the log and the \
               disk.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.commit_groups)),
    },
    Family {
        name: "forebay_pool_commit_jobs_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Jobs in commit groups: flushes and metadata changes.",
        then: "Divided by the number of groups, it is how many jobs share a sync. Large groups mean that \
               syncs are slow.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.commit_jobs)),
    },
    Family {
        name: "forebay_pool_cache_requests_total",
        kind: Kind::Counter,
        labels: &[Label { name: "result", bound: "`hit`, `miss`" }],
        says: "Chunks requested by readers, by whether they were in memory.",
        then: "Misses are disk reads. They are rare while consumers keep up; otherwise raise pool.cache_max.",
        collect: Collect::Pool(|pool, samples| {
            samples.with(&[("result", "hit")], pool.cache_hits);
            samples.with(&[("result", "miss")], pool.cache_misses);
        }),
    },
    Family {
        name: "forebay_pool_dedup_chunks_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Chunks that were not stored again because the pool already had them.",
        then: "See forebay_pool_dedup_bytes_total.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.chunks_shared)),
    },
    Family {
        name: "forebay_pool_dedup_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of chunks that were not stored again because the pool already had them.",
        then: "With three replicas it is about twice the bytes stored. If it falls, replicas differ: brokers \
               recompress, or topics have other settings.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_shared)),
    },
    Family {
        name: "forebay_pool_compression_input_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of new chunks, before compression.",
        then: "See forebay_pool_compression_output_bytes_total.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_packed)),
    },
    Family {
        name: "forebay_pool_compression_output_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of the frames of these chunks, compressed where that saves enough.",
        then: "If it is nearly as large as the input, producers compress already or the data does not \
               compress. That is normal.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_packed_stored)),
    },
    Family {
        name: "forebay_pool_frames_verified_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Frames that readers, the cleaner or the scrub read and verified.",
        then: "Nothing to do; it shows that reads are verified.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.frames_verified)),
    },
    Family {
        name: "forebay_pool_frames_damaged_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Frames that did not match their checksum when read, in one copy or in all.",
        then: "The disk returned wrong data: replace it. Without a second copy, restore the files that the \
               log names from a replica.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.frames_damaged)),
    },
    Family {
        name: "forebay_pool_frames_unreadable_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Frames that the disk could not read.",
        then: "The disk is failing: check the kernel's log and replace it. Readers get the second copy if \
               there is one.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.frames_unreadable)),
    },
    Family {
        name: "forebay_pool_frames_repaired_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Frames and whole segments that were restored from another copy.",
        then: "No data is lost, but a disk returned wrong data or lost writes: check it.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.frames_repaired)),
    },
    Family {
        name: "forebay_pool_cleaner_moved_bytes_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Bytes of frames that the cleaner moved out of mostly dead segments.",
        then: "This adds to the disk load of the clients. It grows when the disk is nearly full: give the \
               pool more space.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.bytes_moved)),
    },
    Family {
        name: "forebay_pool_size_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Capacity of the pool in bytes.",
        then: "It shrinks when other data fills the pool's file system: give the pool its own.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.space.bytes_total)),
    },
    Family {
        name: "forebay_pool_free_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes that can still be written.",
        then: "At zero, writes fail and brokers stop. Before that, shorten retention, delete snapshots, or \
               enlarge the file system.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.space.bytes_free)),
    },
    Family {
        name: "forebay_pool_logical_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of file data, holes excluded.",
        then: "This is the used space that clients see. Divided by the physical bytes, it is the efficiency \
               ratio.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.space.bytes_logical)),
    },
    Family {
        name: "forebay_pool_physical_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes stored for files and snapshots: live frames, and tails in the metadata store.",
        then: "Growth without more logical bytes means that snapshots keep deleted data, or less data is \
               shared.",
        collect: Collect::Pool(|pool, samples| {
            samples.one(pool.stored.bytes_live.saturating_add(pool.stored.bytes_inline));
        }),
    },
    Family {
        name: "forebay_pool_data_ratio",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of data per byte stored, each stored version once, as it was calculated last; missing until then.",
        then: "With three replicas it is near 3. If it falls, forebay_pool_data_bytes shows which part shrinks: deduplication, if \
               replicas are written differently, or compression.",
        collect: Collect::Efficiency(|counted, samples| {
            if let Some(ratio) = counted.ratio() {
                samples.one(ratio);
            }
        }),
    },
    Family {
        name: "forebay_pool_data_bytes",
        kind: Kind::Gauge,
        labels: PART,
        says: "The parts of forebay_pool_data_ratio: shown - cloned + retained = data, and data - deduplicated - compressed = stored.",
        then: "Much in `retained` means that snapshots keep deleted data.",
        collect: Collect::Efficiency(|counted, samples| {
            let found = &counted.found;
            for (part, bytes) in [
                ("shown", found.bytes_shown),
                ("cloned", found.bytes_cloned),
                ("retained", found.bytes_retained),
                ("data", found.bytes_logical),
                ("deduplicated", found.bytes_deduplicated),
                ("compressed", found.bytes_compressed),
                ("stored", found.bytes_physical),
                ("holes", found.bytes_holes),
            ] {
                samples.with(&[("part", part)], bytes);
            }
        }),
    },
    Family {
        name: "forebay_pool_data_calculated_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When forebay_pool_data_ratio was calculated last, in seconds since 1970; missing until then.",
        then: "It is calculated every ten seconds in a small pool, and every hour in a large one. `forebay pool show --efficiency` calculates it now.",
        collect: Collect::Efficiency(|counted, samples| {
            samples.one(counted.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
        }),
    },
    Family {
        name: "forebay_pool_segments",
        kind: Kind::Gauge,
        labels: &[],
        says: "Segments, each a file in the pool's directory.",
        then: "Nothing to do; each segment holds up to pool.segment_size bytes.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.segments)),
    },
    Family {
        name: "forebay_pool_segment_live_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of frames that files or snapshots reference.",
        then: "See forebay_pool_physical_bytes.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.bytes_live)),
    },
    Family {
        name: "forebay_pool_segment_dead_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of unreferenced frames; the cleaner reclaims them.",
        then: "About as much as the live bytes is normal. If it keeps growing, the cleaner cannot read \
               something: check the log.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.bytes_dead)),
    },
    Family {
        name: "forebay_pool_inline_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of files that are in the metadata store: tails, and small overwrites.",
        then: "A few KiB for each file that is being written is normal.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.bytes_inline)),
    },
    Family {
        name: "forebay_pool_inodes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Files, directories and other inodes of all volumes.",
        then: "See forebay_volume_inodes for the volumes.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.space.inodes_used)),
    },
    Family {
        name: "forebay_pool_orphans",
        kind: Kind::Gauge,
        labels: &[],
        says: "Deleted files that clients still have open; they keep their space.",
        then: "A few for about a minute are normal: Kafka deletes that way. If they stay, find the clients \
               with `forebay nfs opens`.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.space.orphans)),
    },
    Family {
        name: "forebay_pool_deleted_volumes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Deleted volumes that can still be recovered.",
        then: "`forebay volume list --deleted` shows them, and when each is purged.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.deleted_volumes)),
    },
    Family {
        name: "forebay_pool_deleted_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of files in deleted volumes that can still be recovered.",
        then: "They take space until then. `forebay volume purge NAME` frees it at once.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.deleted_bytes_logical)),
    },
    Family {
        name: "forebay_pool_volumes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Volumes of the pool.",
        then: "Changes when a volume is created or deleted.",
        collect: Collect::Pool(|pool, samples| {
            samples.one(pool.volumes.iter().filter(|volume| !volume.is_bucket).count() as u64)
        }),
    },
    Family {
        name: "forebay_pool_snapshots",
        kind: Kind::Gauge,
        labels: &[],
        says: "Snapshots of all volumes.",
        then: "They keep data that has been deleted since: delete snapshots that are no longer needed.",
        collect: Collect::Pool(|pool, samples| {
            samples.one(pool.volumes.iter().map(|volume| volume.snapshots).sum::<u64>());
        }),
    },
    Family {
        name: "forebay_pool_segments_missing",
        kind: Kind::Gauge,
        labels: &[],
        says: "Segments that hold data and were missing when the pool was opened.",
        then: "Their data cannot be read. Restore the segments that the log names. For Kafka: let brokers \
               rebuild the affected replicas.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.segments_missing)),
    },
    Family {
        name: "forebay_pool_lost_found_segments",
        kind: Kind::Gauge,
        labels: &[],
        says: "Segments in lost+found, which are unknown to the metadata.",
        then: "After a crash they usually hold data that was never acknowledged. `forebay pool lost-found` \
               lists and deletes them.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.lost_found_segments)),
    },
    Family {
        name: "forebay_pool_lost_found_bytes",
        kind: Kind::Gauge,
        labels: &[],
        says: "Bytes of the segments in lost+found.",
        then: "They take space until you delete them.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stored.lost_found_bytes)),
    },
    Family {
        name: "forebay_pool_copies",
        kind: Kind::Gauge,
        labels: &[],
        says: "Number of copies that the pool keeps: 1, or 2 with pool.copies_directory.",
        then: "Changes only with the configuration.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.scrub.copies)),
    },
    Family {
        name: "forebay_pool_degraded",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 while the second copy is missing.",
        then: "Mount or repair its disk. The pool detects it within a minute, and the scrub fills in the \
               missing data.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.scrub.degraded)),
    },
    Family {
        name: "forebay_pool_metadata_copies",
        kind: Kind::Gauge,
        labels: &[],
        says: "Number of copies of the metadata that have everything that was acknowledged.",
        then: "Below forebay_pool_copies, the pool depends on the first disk. `forebay pool show` says why, and how far a new copy is.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.metadata.whole)),
    },
    Family {
        name: "forebay_pool_metadata_reads_rescued_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Reads of metadata that the first copy could not answer, and the second one did.",
        then: "The first disk is damaged: replace it. See \"Losing a disk\" in the operator's guide.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.metadata.rescued)),
    },
    Family {
        name: "forebay_pool_backup_last_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "The instant that the last finished backup shows, in seconds since 1970; missing if there is none.",
        then: "Its age is what a loss of the pool costs. `forebay pool backup` makes a backup, backup.every_hours a schedule.",
        collect: Collect::Backups(|backups, samples| {
            if let Some(last) = backups.last {
                samples.one(last.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
            }
        }),
    },
    Family {
        name: "forebay_pool_backup_failing",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 if the last attempt of a backup into backup.directory failed.",
        then: "`forebay pool backups` says why. A scheduled backup is tried again after an hour.",
        collect: Collect::Backups(|backups, samples| samples.one(backups.error.is_some())),
    },
    Family {
        name: "forebay_pool_stopped",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 after stable storage failed; all changes then fail.",
        then: "Check the disk, then restart the daemon. Everything that was acknowledged as durable is \
               preserved.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.stopped)),
    },
    Family {
        name: "forebay_pool_scrub_running",
        kind: Kind::Gauge,
        labels: &[],
        says: "1 while a scrub is running.",
        then: "It reads the disk at pool.scrub_rate; `forebay pool scrub stop` stops it.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.scrub.running)),
    },
    Family {
        name: "forebay_pool_scrub_progress_ratio",
        kind: Kind::Gauge,
        labels: &[],
        says: "Fraction of the stored data that the current or last scrub has verified, from 0 to 1.",
        then: "If it does not increase while a scrub is running, the disk does not respond.",
        collect: Collect::Pool(|pool, samples| {
            let (done, total) = (pool.scrub.bytes as f64, pool.scrub.bytes_total as f64);
            samples.one(if total > 0.0 { (done / total).min(1.0) } else { 0.0 });
        }),
    },
    Family {
        name: "forebay_pool_scrub_finished_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the last scrub finished, not counting stopped ones, in seconds since 1970; missing if \
               there was none.",
        then: "If it is several days older than pool.scrub_days, scrubs do not finish: check the log.",
        collect: Collect::Pool(|pool, samples| {
            if let Some(finished) = pool.scrub.finished {
                samples.one(finished.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
            }
        }),
    },
    Family {
        name: "forebay_pool_scrub_damaged_frames",
        kind: Kind::Gauge,
        labels: &[],
        says: "Frames that the current or last scrub found damaged in every copy.",
        then: "`forebay pool scrub status` lists them, and the log has details. Restore the files from \
               replicas, and check the disk.",
        collect: Collect::Pool(|pool, samples| samples.one(pool.scrub.damaged)),
    },
];
