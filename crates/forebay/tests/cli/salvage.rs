//! `forebay pool salvage`, as someone uses it whose pool is lost.

use std::path::Path;

use bytes::Bytes;
use forebay_pool::{Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, run};

/// A record batch of 100 KB, which is a chunk by itself.
fn batch(base_offset: i64) -> Vec<u8> {
    let payload = [base_offset as u8 ^ 0x55; 100_000];
    let mut bytes = Vec::new();
    bytes.extend(base_offset.to_be_bytes());
    bytes.extend((49 + payload.len() as u32).to_be_bytes());
    bytes.extend(3i32.to_be_bytes());
    bytes.push(2);
    bytes.extend([0; 4]);
    bytes.extend(0u16.to_be_bytes());
    bytes.extend(9i32.to_be_bytes());
    bytes.extend(1_700_000_000_000i64.to_be_bytes());
    bytes.extend(1_700_000_000_009i64.to_be_bytes());
    bytes.extend([0xff; 14]);
    bytes.extend(10i32.to_be_bytes());
    bytes.extend(payload);
    let crc = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// Makes a pool with one log in it, of which only the segments are left. Returns the log.
fn lost_pool(directory: &Path) -> Vec<u8> {
    let log: Vec<u8> = (0..5).flat_map(|number| batch(number * 10)).collect();
    let content = Bytes::from(log.clone());
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let pool = Pool::open(directory, PoolOptions::default()).await.unwrap();
        let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
        let file = pool.create(root, b"log", NewInode::new(Kind::File, 0o644)).await.unwrap();
        let file = file.attributes.handle;
        pool.write(file, 0, content, Stability::FileSync).await.unwrap();
        pool.close().await.unwrap();
    });
    std::fs::remove_dir_all(directory.join("meta")).unwrap();
    std::fs::remove_file(directory.join("FORMAT")).unwrap();
    log
}

#[test]
fn a_pool_without_metadata_is_salvaged_and_the_report_is_printed() {
    let scratch = tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let log = lost_pool(&scratch.path().join("pool"));
    let finished = run(&["pool", "salvage", "--from", &path("pool"), "--to", &path("out")]);
    assert_eq!(finished.status, 0, "{finished:?}");
    assert_eq!(finished.stderr, "");
    assert!(finished.stdout.contains("logs/stream-00001"), "{}", finished.stdout);
    assert!(finished.stdout.contains("everything found was recovered"), "{}", finished.stdout);
    let stream = scratch.path().join("out/logs/stream-00001");
    assert!(std::fs::read(stream.join("00000000000000000000.log")).unwrap() == log);

    let json = run(&["pool", "salvage", "--from", &path("pool"), "--to", &path("again"), "--output", "json"]);
    assert_eq!(json.status, 0, "{json:?}");
    let printed: Value = serde_json::from_str(&json.stdout).unwrap();
    let stored: Value =
        serde_json::from_slice(&std::fs::read(scratch.path().join("again/report.json")).unwrap()).unwrap();
    assert_eq!(printed, stored);
    assert_eq!((&printed["batches"], &printed["complete"]), (&5.into(), &true.into()));
    assert_eq!(printed["streams"][0]["last_offset"], 49);
}

#[test]
fn damage_is_reported_and_is_status_1_unless_a_copy_is_whole() {
    let scratch = tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    lost_pool(&scratch.path().join("pool"));
    std::fs::create_dir(scratch.path().join("copy")).unwrap();
    for entry in std::fs::read_dir(scratch.path().join("pool/segments")).unwrap() {
        let segment = entry.unwrap().path();
        let mut bytes = std::fs::read(&segment).unwrap();
        std::fs::write(scratch.path().join("copy").join(segment.file_name().unwrap()), &bytes).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&segment, bytes).unwrap();
    }
    let alone = run(&["pool", "salvage", "--from", &path("pool"), "--to", &path("alone")]);
    assert_refused(&alone, 1, &["not everything was recovered", "1 damaged", "report.json"]);
    let report = std::fs::read(scratch.path().join("alone/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["damaged"][0]["kind"], "frame");
    assert_eq!(report["damaged"][0]["recovered"], false);

    let both =
        run(&["pool", "salvage", "--from", &path("pool"), "--copy", &path("copy"), "--to", &path("both")]);
    assert_eq!(both.status, 0, "{both:?}");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_remedy_and_changes_nothing() {
    let scratch = tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let daemon = Daemon::start(scratch.path());
    let to = path("out");
    let salvage = |from: &str, to: &str| run(&["pool", "salvage", "--from", from, "--to", to]);
    let pool = path("pool");
    let segments = scratch.path().join("pool/segments");
    std::fs::write(segments.join("0000000000000001.seg"), "x").unwrap();
    assert_refused(&salvage(&pool, &to), 1, &["in use by another process", "stop it first"]);
    daemon.stop();
    assert_refused(&salvage(&path("none"), &to), 1, &["none", "No such file"]);
    std::fs::create_dir(scratch.path().join("empty")).unwrap();
    assert_refused(&salvage(&path("empty"), &to), 1, &["holds no segments", "name a pool's directory"]);
    assert!(!scratch.path().join("out").exists());

    lost_pool(&scratch.path().join("lost"));
    let inside = path("lost/segments/out");
    assert_refused(&salvage(&path("lost"), &inside), 1, &["lies within", "outside"]);
    assert_refused(
        &salvage(&path("lost"), scratch.path().to_str().unwrap()),
        1,
        &["not empty", "new or empty"],
    );
    assert_eq!(run(&["pool", "salvage", "--from", &pool]).status, 2);
}
