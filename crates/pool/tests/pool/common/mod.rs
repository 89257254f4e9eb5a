//! Functions that the tests of the pool's interface share.
#![allow(dead_code, reason = "an example uses a part of it")]

use bytes::Bytes;
use forebay_pool::*;

/// Options so small that tests reach every limit.
pub fn options() -> PoolOptions {
    PoolOptions {
        bytes_max: None,
        dirty_bytes_max: 4 << 20,
        dirty_age_ms_max: 60_000,
        segment_bytes: 1 << 20,
        cache_bytes: 1 << 20,
        fingerprint_bytes: 64 << 10,
        ..PoolOptions::default()
    }
}

pub fn spec(name: &str) -> VolumeSpec {
    VolumeSpec::new(name, &format!("/{name}"))
}

pub fn new(kind: Kind) -> NewInode {
    NewInode { uid: 1, gid: 2, ..NewInode::new(kind, 0o644) }
}

/// A pool in memory with a volume, reaping orphans.
pub async fn memory() -> (Pool, Handle) {
    let pool = Pool::in_memory(options()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    (pool, root)
}

/// A pool on disk with a volume, reaping orphans.
pub async fn disk() -> (tempfile::TempDir, Pool, Handle) {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    (directory, pool, root)
}

pub async fn file(pool: &Pool, directory: Handle, name: &str) -> Handle {
    pool.create(directory, name.as_bytes(), new(Kind::File)).await.unwrap().attributes.handle
}

pub async fn directory(pool: &Pool, directory: Handle, name: &str) -> Handle {
    pool.create(directory, name.as_bytes(), new(Kind::Directory)).await.unwrap().attributes.handle
}

pub async fn write(pool: &Pool, file: Handle, offset: u64, bytes: &[u8]) -> Attributes {
    pool.write(file, offset, Bytes::copy_from_slice(bytes), Stability::Unstable).await.unwrap()
}

pub async fn read(pool: &Pool, file: Handle, offset: u64, length: u32) -> Vec<u8> {
    pool.read(file, offset, length).await.unwrap().pieces.concat()
}

pub async fn read_all(pool: &Pool, file: Handle) -> Vec<u8> {
    let data = pool.read(file, 0, u32::MAX).await.unwrap();
    assert!(data.eof);
    data.pieces.concat()
}

/// Bytes that do not repeat within any block.
pub fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

pub async fn names(pool: &Pool, directory: Handle) -> Vec<String> {
    let mut names = Vec::new();
    let mut cookie = 0;
    loop {
        let page = pool.readdir(directory, cookie, 7).await.unwrap();
        for entry in &page.entries {
            names.push(String::from_utf8(entry.name.to_vec()).unwrap());
            cookie = entry.cookie;
        }
        if page.end {
            break;
        }
    }
    names.sort();
    names
}

/// Copies a directory and all in it. A copy of an open pool is what a killed daemon leaves.
pub fn copy_directory(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(std::result::Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_directory(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Removes a directory at one instant, also while a pool makes files in it.
pub fn lose(directory: &std::path::Path) {
    let gone = tempfile::tempdir().unwrap();
    std::fs::rename(directory, gone.path().join("lost")).unwrap();
}
