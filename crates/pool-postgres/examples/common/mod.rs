//! Functions that several measuring programs use.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use forebay_pool::store::{Backends, FileSegments, FileSystemRoom, Notes};
use forebay_pool::{Pool, PoolOptions};
use forebay_pool_postgres::{Database, PostgresMeta, PostgresOptions};

/// Opens a pool whose segments lie in a directory, as a process that takes it over.
pub async fn open(database: &Database, directory: &Path, options: PoolOptions) -> Pool {
    let metadata = tokio::task::block_in_place(|| PostgresMeta::take(database, PostgresOptions::default()));
    let backends = Backends {
        metadata: Arc::new(metadata.unwrap()),
        segments: Arc::new(FileSegments::open(directory, true)),
        room: Box::new(FileSystemRoom(directory.to_owned())),
        notes: Some(Notes::Directory(directory.to_owned())),
    };
    Pool::open_on(backends, options).await.unwrap()
}

/// Adds records of chunks by SQL, because writing that much data would take hours. They belong to no file, so the pool's check would find them.
pub async fn add_chunks(url: &str, name: &str, chunks: u64) {
    let begun = Instant::now();
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let statement = format!(
        "insert into forebay_{name}.chunk select '\\x30'::bytea || sha256(int8send(n)), sha256(int8send(-n)) || int8send(n) \
         from generate_series(1, {chunks}) as n on conflict do nothing"
    );
    client.batch_execute(&statement).await.unwrap();
    client.batch_execute(&format!("analyze forebay_{name}.chunk")).await.unwrap();
    println!("{chunks} records of chunks, added in {:.0} s", begun.elapsed().as_secs_f64());
}
