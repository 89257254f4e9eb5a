//! Only the segments of a pool are left: every record batch is recovered exactly once, byte for byte.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forebay_pool::salvage::{Options, Report, salvage};
use forebay_pool::*;

use crate::common::*;

/// A batch with a correct CRC.
fn batch(base_offset: i64, producer: i64, sequence: i32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(61 + payload.len());
    bytes.extend(base_offset.to_be_bytes());
    bytes.extend((49 + payload.len() as u32).to_be_bytes());
    bytes.extend(3i32.to_be_bytes());
    bytes.push(2);
    bytes.extend([0; 4]);
    bytes.extend(0u16.to_be_bytes());
    bytes.extend(9i32.to_be_bytes());
    bytes.extend(1_700_000_000_000i64.to_be_bytes());
    bytes.extend(1_700_000_000_009i64.to_be_bytes());
    bytes.extend(producer.to_be_bytes());
    bytes.extend(0i16.to_be_bytes());
    bytes.extend(sequence.to_be_bytes());
    bytes.extend(10i32.to_be_bytes());
    bytes.extend(payload);
    let crc = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// The batches of one partition, about `bytes` bytes in total. Their sizes repeat.
fn partition(number: i64, bytes: usize, sizes: &[usize], noise: &[u8]) -> Vec<Vec<u8>> {
    let (mut batches, mut length) = (Vec::new(), 0);
    for index in 0.. {
        if length >= bytes {
            break;
        }
        let size = sizes[(index * 7 + number as usize) % sizes.len()];
        let from = (index * 7919 + number as usize * 104_729) % (noise.len() - size);
        let sequence = index as i32 * 10 + number as i32 * 1_000;
        let batch = batch(index as i64 * 10, 4_000 + number, sequence, &noise[from..from + size]);
        length += batch.len();
        batches.push(batch);
    }
    batches
}

/// Writes logs as brokers do: a part of each in turn, with commits in between. Each log is a file of every replica.
async fn write_logs(pool: &Pool, root: Handle, logs: &[Vec<u8>], replicas: usize, step: usize) {
    let mut files = Vec::new();
    for replica in 0..replicas {
        for number in 0..logs.len() {
            files.push((number, file(pool, root, &format!("{replica}-{number}.log")).await));
        }
    }
    let longest = logs.iter().map(Vec::len).max().unwrap_or(0);
    for (round, at) in (0..longest).step_by(step).enumerate() {
        for (index, (number, file)) in files.iter().enumerate() {
            let log = &logs[*number];
            if at < log.len() {
                write(pool, *file, at as u64, &log[at..log.len().min(at + step)]).await;
            }
            if (round + index) % 3 == 0 {
                pool.commit(*file, 0, 0).await.unwrap();
            }
        }
    }
    for (_, file) in &files {
        pool.commit(*file, 0, 0).await.unwrap();
    }
}

/// Deletes everything in a pool except its segments.
fn lose_metadata(pool: &Path) {
    for entry in std::fs::read_dir(pool).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_name().to_str() {
            Some("segments") => {}
            _ if entry.path().is_dir() => std::fs::remove_dir_all(entry.path()).unwrap(),
            _ => std::fs::remove_file(entry.path()).unwrap(),
        }
    }
}

/// Every file below a directory, with the hash of its content and its modification time.
fn state(directory: &Path) -> BTreeMap<PathBuf, ([u8; 32], SystemTime)> {
    let mut state = BTreeMap::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let (path, changed) = (entry.path(), entry.metadata().unwrap().modified().unwrap());
            if path.is_dir() {
                state.insert(path.clone(), ([0; 32], changed));
                folders.push(path);
            } else {
                let hash = *blake3::hash(&std::fs::read(&path).unwrap()).as_bytes();
                state.insert(path, (hash, changed));
            }
        }
    }
    state
}

/// Salvages, and checks that the sources are unchanged.
fn salvaged(from: &Path, copy: Option<&Path>, to: &Path) -> Report {
    let sources: Vec<&Path> = [Some(from), copy].into_iter().flatten().collect();
    let before: Vec<_> = sources.iter().map(|source| state(source)).collect();
    let options =
        Options { from: from.to_owned(), copy: copy.map(Path::to_owned), to: to.to_owned(), other: false };
    let report = salvage(&options, &|_| {}).unwrap();
    let after: Vec<_> = sources.iter().map(|source| state(source)).collect();
    assert!(before == after, "the sources have changed");
    report
}

/// The batches of each stream.
fn streams(to: &Path, report: &Report) -> Vec<Vec<Vec<u8>>> {
    let of = |file: PathBuf| {
        let content = std::fs::read(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(name, format!("{:020}", i64::from_be_bytes(content[..8].try_into().unwrap())));
        let (mut batches, mut rest) = (Vec::new(), &content[..]);
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[8..12].try_into().unwrap()) as usize + 12;
            let (batch, after) = rest.split_at(length);
            batches.push(batch.to_vec());
            rest = after;
        }
        batches
    };
    let folders = report.streams.iter().map(|stream| (to.join(&stream.directory), &stream.files));
    folders.map(|(folder, files)| files.iter().flat_map(|file| of(folder.join(file))).collect()).collect()
}

/// Checks that every batch is there once, and nothing else: the pool was closed cleanly, so all data is in segments.
fn assert_all_there(streams: &[Vec<Vec<u8>>], partitions: &[Vec<Vec<u8>>]) {
    let mut found: HashMap<&[u8], u32> = HashMap::new();
    streams.iter().flatten().for_each(|batch| *found.entry(batch).or_default() += 1);
    for batch in partitions.iter().flatten() {
        assert_eq!(found.remove(batch.as_slice()), Some(1), "a batch is missing, or there twice");
    }
    assert!(found.is_empty(), "{} batches that nobody wrote", found.len());
}

/// Checks that the streams are the partitions.
fn assert_linked(streams: &[Vec<Vec<u8>>], partitions: &[Vec<Vec<u8>>], report: &Report) {
    assert_eq!(streams.len(), partitions.len(), "{:?}", report.streams);
    for stream in streams {
        let partition = partitions.iter().find(|batches| batches[0] == stream[0]).unwrap();
        assert!(stream == partition);
    }
}

const SIZES: [usize; 9] = [90, 900, 40_000, 7_000, 300_000, 16_000, 3_000, 700_000, 20_000];

fn partitions(count: i64, bytes: usize) -> Vec<Vec<Vec<u8>>> {
    let noise = pattern(1, 2 << 20);
    (0..count).map(|number| partition(number, bytes, &SIZES, &noise)).collect()
}

fn logs(partitions: &[Vec<Vec<u8>>]) -> Vec<Vec<u8>> {
    partitions.iter().map(|batches| batches.concat()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_batch_of_three_replicas_comes_back_once_from_the_segments_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let (home, to) = (scratch.path().join("pool"), scratch.path().join("out"));
    let partitions = partitions(5, 6 << 20);
    let pool = Pool::open(&home, options()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    write_logs(&pool, root, &logs(&partitions), 3, 333_333).await;
    // Data that is not Kafka's.
    let index = file(&pool, root, "index").await;
    write(&pool, index, 0, &pattern(9, 300_000)).await;
    pool.commit(index, 0, 0).await.unwrap();
    pool.close().await.unwrap();
    lose_metadata(&home);

    let report = salvaged(&home, None, &to);
    assert_eq!(report.lost(), 0, "{:?}", report.damaged);
    assert!(report.batches_joined > 0 && report.other.chunks > 0, "{report:?}");
    let streams = streams(&to, &report);
    assert_all_there(&streams, &partitions);
    assert_linked(&streams, &partitions, &report);
    let all: usize = partitions.iter().map(Vec::len).sum();
    assert_eq!(report.batches as usize, all);
    assert!(to.join("README.txt").is_file() && to.join("report.json").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_first_copy_has_lost_comes_from_the_second_and_from_lost_and_found() {
    let scratch = tempfile::tempdir().unwrap();
    let place = |name: &str| scratch.path().join(name);
    let (home, copy) = (place("pool"), place("copy"));
    let partitions = partitions(3, 4 << 20);
    let options = PoolOptions { copies_directory: Some(copy.clone()), scrub_period: None, ..options() };
    let pool = Pool::open(&home, options).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    write_logs(&pool, root, &logs(&partitions), 1, 200_000).await;
    pool.close().await.unwrap();
    lose_metadata(&home);
    let mut segments: Vec<_> =
        std::fs::read_dir(home.join("segments")).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    assert!(segments.len() > 4);
    // All segments are damaged except one, which is missing in the copy and is in lost+found here.
    let lost = home.join("segments/lost+found");
    std::fs::create_dir(&lost).unwrap();
    let moved = segments.remove(2);
    std::fs::rename(&moved, lost.join(moved.file_name().unwrap())).unwrap();
    std::fs::remove_file(copy.join("segments").join(moved.file_name().unwrap())).unwrap();
    for path in &segments {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }

    let report = salvaged(&home, Some(&copy), &place("out"));
    assert_eq!((report.lost(), report.damaged.len()), (0, segments.len()), "{:?}", report.damaged);
    let found = streams(&place("out"), &report);
    assert_all_there(&found, &partitions);
    assert_linked(&found, &partitions, &report);

    let alone = salvaged(&home, None, &place("alone"));
    assert!(!alone.complete && alone.lost() > 0);
    let rest = streams(&place("alone"), &alone);
    assert!(rest.iter().flatten().count() > found.iter().flatten().count() / 2);
    let known: Vec<_> = partitions.iter().flatten().collect();
    assert!(rest.iter().flatten().all(|batch| known.contains(&batch)));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_megabytes_of_logs_are_salvaged() {
    let scratch = tempfile::tempdir().unwrap();
    let (home, to) = (scratch.path().join("pool"), scratch.path().join("out"));
    let noise = pattern(2, 2 << 20);
    let partitions: Vec<_> =
        (0..8).map(|number| partition(number, 24 << 20, &[16_000, 1_000, 30_000], &noise)).collect();
    let options = PoolOptions { segment_bytes: 32 << 20, dirty_bytes_max: 64 << 20, ..options() };
    let pool = Pool::open(&home, options).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    write_logs(&pool, root, &logs(&partitions), 1, 4 << 20).await;
    pool.close().await.unwrap();
    lose_metadata(&home);

    let began = tokio::time::Instant::now();
    let options = Options { from: home.clone(), copy: None, to: to.clone(), other: false };
    let report = salvage(&options, &|_| {}).unwrap();
    let seconds = began.elapsed().as_secs_f64();
    let rate = report.bytes_written as f64 / 1e6 / seconds;
    println!("{} MB in {seconds:.2} s: {rate:.0} MB/s", report.bytes_written / 1_000_000);
    assert!(report.complete, "{:?}", report.damaged);
    let found = streams(&to, &report);
    assert_all_there(&found, &partitions);
    assert_linked(&found, &partitions, &report);
}
