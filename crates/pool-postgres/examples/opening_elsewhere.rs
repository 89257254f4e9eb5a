//! Measures how long a pool with many files takes to open when its metadata lies in a database.
//!
//! ```text
//! opening_elsewhere URL DIRECTORY FILES CHUNKS
//! ```
//! DIRECTORY must be empty; the segments go there. FILES files are created, in directories of 1,000. CHUNKS records of chunks are added by SQL, because
//! writing that much data would take hours; they belong to no file, so the pool's check would find them. Then another process's takeover
//! is measured: until the pool is open, until one file was found and read, and until one inode of each directory was.

#![allow(clippy::unwrap_used, reason = "a program for developers, which may stop at any error")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_postgres::{Database, create};

use common::{add_chunks, open};

/// Files of a directory, as many as a broker has in some hundred partitions.
const FILES_PER_DIRECTORY: usize = 1_000;
/// Tasks that create directories and files.
const CREATORS: usize = 32;
/// What each file contains.
const CONTENT: &[u8] = b"the content of a small file";
/// How often the takeover is measured.
const OPENINGS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, directory, files, chunks] = &arguments[..] else {
        eprintln!("opening_elsewhere: write `opening_elsewhere URL DIRECTORY FILES CHUNKS`");
        std::process::exit(2);
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(url, Path::new(directory), files.parse().unwrap(), chunks.parse().unwrap()));
}

async fn run(url: &str, directory: &Path, files: usize, chunks: u64) {
    let name = format!("opening_{}", std::process::id());
    let database = Database::of(url, &name).unwrap();
    tokio::task::block_in_place(|| create(&database).unwrap());
    let begun = Instant::now();
    let pool = open(&database, directory, PoolOptions::default()).await;
    pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
    let root = pool.volume("v").unwrap().root;
    let directories = files.div_ceil(FILES_PER_DIRECTORY);
    let creators: Vec<_> = (0..CREATORS)
        .map(|creator| {
            let pool = pool.clone();
            tokio::spawn(async move {
                for number in (creator..directories).step_by(CREATORS) {
                    fill(&pool, root, number, FILES_PER_DIRECTORY.min(files - number * FILES_PER_DIRECTORY))
                        .await;
                }
            })
        })
        .collect();
    for creator in creators {
        creator.await.unwrap();
    }
    pool.close().await.unwrap();
    drop(pool);
    println!("{files} files in {directories} directories, created in {:.0} s", begun.elapsed().as_secs_f64());
    add_chunks(url, &name, chunks).await;
    println!("{:>10} {:>14} {:>20}", "open", "a file read", "a file of each directory");
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        let begun = Instant::now();
        let pool = open(&database, directory, PoolOptions::default()).await;
        let opened = begun.elapsed();
        read(&pool, directories / 2).await;
        let answered = begun.elapsed();
        for number in 0..directories {
            read(&pool, number).await;
        }
        let all = begun.elapsed();
        println!("{:>10} {:>14} {:>20}", seconds(opened), seconds(answered), seconds(all));
        times.push(answered);
        // As when it is killed: the next one takes over.
        std::mem::forget(pool);
    }
    times.sort_unstable();
    println!("until a file was read, median: {}", seconds(times[times.len() / 2]));
    // Threads of pools that were left alone still run.
    std::process::exit(0);
}

async fn fill(pool: &Pool, root: Handle, number: usize, files: usize) {
    let new = NewInode::new(Kind::Directory, 0o700);
    let name = format!("d{number}");
    let own = pool.create(root, name.as_bytes(), new).await.unwrap().attributes.handle;
    for file in 0..files {
        let new = NewInode::new(Kind::File, 0o600);
        let made = pool.create(own, format!("f{file}").as_bytes(), new).await.unwrap().attributes.handle;
        pool.write(made, 0, Bytes::from_static(CONTENT), Stability::Unstable).await.unwrap();
    }
}

async fn read(pool: &Pool, number: usize) {
    let root = pool.volume("v").unwrap().root;
    let directory = pool.lookup(root, format!("d{number}").as_bytes()).await.unwrap().handle;
    let file = pool.lookup(directory, b"f0").await.unwrap().handle;
    let read = pool.read(file, 0, 4096).await.unwrap();
    assert_eq!(read.pieces.concat(), CONTENT);
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
