//! Tests chunking of inline bytes, with a power failure at every step of the work.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::format::frames::ALIKE;
use crate::format::keys;
use crate::sim::faulty::{FaultyDisk, Plan, options};
use crate::testing::{Asked, watched_pool};
use crate::{Error, Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};

const AGE: Duration = Duration::from_secs(60);

fn bytes(seed: u8, length: usize) -> Bytes {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes.into()
}

/// Writes tails and overwrites to files of two volumes, in two epochs, with a snapshot in between.
async fn small_writes(pool: &Pool) -> Vec<Handle> {
    let mut files = Vec::new();
    for name in ["v", "w"] {
        let root = pool.volume_create(VolumeSpec::new(name, &format!("/{name}"))).await.unwrap().root;
        for number in 0..3u8 {
            let new = NewInode::new(Kind::File, 0o600);
            let made = pool.create(root, format!("f{number}").as_bytes(), new).await.unwrap();
            files.push(made.attributes.handle);
        }
    }
    pool.snapshot_create(&["v".to_owned()], "before").await.unwrap();
    for (number, file) in files.iter().enumerate() {
        let seed = number as u8;
        pool.write(*file, 0, bytes(seed, 70_000), Stability::FileSync).await.unwrap();
        for (at, length) in [(70_000, 3000), (73_000, 10), (20_000, 4096), (90_000, 100)] {
            pool.write(*file, at, bytes(seed ^ 1, length), Stability::FileSync).await.unwrap();
        }
    }
    pool.snapshot_create(&["v".to_owned()], "s").await.unwrap();
    for file in &files {
        pool.write(*file, 73_010, bytes(9, 500), Stability::FileSync).await.unwrap();
        pool.write(*file, 20_000, bytes(8, 4000), Stability::FileSync).await.unwrap();
    }
    files
}

async fn contents(pool: &Pool, files: &[Handle]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let snapshot = pool.snapshot("v", "s").unwrap();
    let shown: Vec<Handle> = files
        .iter()
        .filter(|file| file.volume == snapshot.volume)
        .map(|file| Handle { volume: snapshot.id, ..*file })
        .collect();
    for file in files.iter().chain(&shown) {
        all.push(pool.read(*file, 0, u32::MAX).await.unwrap().pieces.concat());
    }
    all
}

/// Does the work of a round, for all files.
async fn chunk(pool: &Pool) -> crate::Result<()> {
    pool.engine()?.chunk_all(|| true).await.map(drop)
}

fn quiet() -> PoolOptions {
    // The pool's own rounds leave the files alone, and each call here finds files that are old enough.
    PoolOptions { inline_age: Duration::ZERO, ..options() }
}

#[tokio::test]
async fn whatever_step_the_power_fails_at_inline_bytes_stay_what_they_are() {
    let mut step = 0;
    loop {
        let disk = Arc::<FaultyDisk>::default();
        let pool = disk.open(PoolOptions { inline_age: AGE, ..options() }).unwrap();
        let files = small_writes(&pool).await;
        let expected = contents(&pool, &files).await;
        drop(pool);
        disk.crash(step);
        let pool = disk.open(quiet()).unwrap();
        let inline = pool.stored().unwrap().bytes_inline;
        assert!(inline > 20_000, "{inline} bytes are inline");
        disk.arm(Plan { power: Some(step), ..Plan::default() });
        let outcome = chunk(&pool).await;
        let cut = disk.was_cut();
        assert_eq!(outcome.is_err(), cut, "cut at {step}: {outcome:?}");
        disk.arm(Plan::default());
        drop(pool);
        disk.crash(step + 1);
        let pool = disk.open(PoolOptions { inline_age: AGE, ..options() }).unwrap();
        assert_eq!(contents(&pool, &files).await, expected, "cut at {step}");
        assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new(), "cut at {step}");
        if !cut {
            assert_eq!(pool.stored().unwrap().bytes_inline, 0);
            break;
        }
        step += 1;
    }
    assert!(step > 4, "too few steps to mean anything: {step}");
}

#[tokio::test]
async fn inline_bytes_are_stored_again_if_the_object_with_the_same_ones_is_lost() {
    let disk = Arc::new(FaultyDisk::elsewhere());
    let pool = disk.open(quiet()).unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let create = async |pool: &Pool, name: &[u8]| {
        let made = pool.create(root, name, NewInode::new(Kind::File, 0o600)).await.unwrap();
        let file = made.attributes.handle;
        pool.write(file, 0, bytes(1, 500), Stability::FileSync).await.unwrap();
        file
    };
    let one = create(&pool, b"one").await;
    chunk(&pool).await.unwrap();
    assert_eq!(pool.stored().unwrap().bytes_inline, 0);
    pool.close().await.unwrap();
    // Without what the caches know.
    let pool = disk.open(quiet()).unwrap();
    disk.lose_segments();
    assert!(matches!(pool.read(one, 0, 500).await, Err(Error::Damaged(_))));
    let two = create(&pool, b"two").await;
    chunk(&pool).await.unwrap();
    assert_eq!(pool.stored().unwrap().bytes_inline, 0);
    pool.close().await.unwrap();
    let pool = disk.open(quiet()).unwrap();
    for file in [one, two] {
        assert_eq!(pool.read(file, 0, 500).await.unwrap().pieces.concat(), bytes(1, 500));
    }
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn the_metadata_store_is_asked_for_all_chunks_of_a_step_at_once() {
    let (meta, pool) = watched_pool(PoolOptions { log_bytes_max: 0, ..quiet() });
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    for number in 0..12u8 {
        let new = NewInode::new(Kind::File, 0o600);
        let made = pool.create(root, format!("f{number}").as_bytes(), new).await.unwrap();
        pool.write(made.attributes.handle, 0, bytes(number, 500), Stability::FileSync).await.unwrap();
    }
    meta.forget_questions();
    chunk(&pool).await.unwrap();
    // A file that is still locked for a moment begins a step of its own.
    let Asked { together, alone } = meta.asked(keys::CHUNK);
    assert!((1..=3).contains(&together) && alone == 0, "{together} and {alone}");
    assert_eq!(pool.stored().unwrap().bytes_inline, 0);
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn tails_that_have_the_same_name_and_differ_stay_inline() {
    let pool = Arc::<FaultyDisk>::default().open(PoolOptions { dedup_verify: true, ..quiet() }).unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let mut files = Vec::new();
    for (name, fill) in [("one", 1), ("other", 2), ("third", 1)] {
        let made = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
        let content = Bytes::from([ALIKE, &[fill; 500]].concat());
        pool.write(made.attributes.handle, 0, content.clone(), Stability::FileSync).await.unwrap();
        pool.commit(made.attributes.handle, 0, 0).await.unwrap();
        chunk(&pool).await.unwrap();
        files.push((made.attributes.handle, content));
    }
    let inline = pool.stored().unwrap().bytes_inline;
    assert_eq!(inline, (ALIKE.len() + 500) as u64, "only the tail that differs stays");
    for (file, content) in files {
        assert_eq!(pool.read(file, 0, u32::MAX).await.unwrap().pieces.concat(), content);
    }
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

/// The next append must be cut with the chunked bytes, so that replicas still share chunks.
#[tokio::test]
async fn a_stream_that_goes_on_after_a_pause_is_cut_like_one_without_a_pause() {
    let pool = Arc::<FaultyDisk>::default().open(quiet()).unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let content = bytes(1, 900_000);
    let mut files = Vec::new();
    for name in ["one", "other"] {
        let made = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
        files.push(made.attributes.handle);
    }
    pool.write(files[0], 0, content.clone(), Stability::FileSync).await.unwrap();
    let live = pool.stored().unwrap().bytes_live;
    for at in (0..content.len()).step_by(5_000) {
        let append = content.slice(at..at + 5_000);
        pool.write(files[1], at as u64, append, Stability::FileSync).await.unwrap();
        if at % 3 == 0 {
            chunk(&pool).await.unwrap();
        }
    }
    let shared = pool.stored().unwrap();
    // Only the tail differs from the other file's.
    assert!(shared.bytes_live + shared.bytes_inline < live + 300_000, "{shared:?} after {live}");
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}
