//! Many append streams, like those of a broker with many partitions. Each is flushed often.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use clap::Args;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, OpenFile};
use tokio::task::JoinSet;

use super::meter::Meter;
use super::target::{self, Target};
use super::{LoadDone, content};

/// The arguments.
#[derive(Debug, Args)]
pub struct AppendArgs {
    /// Files, each with a stream of its own
    #[arg(long, default_value_t = 64)]
    streams: usize,
    /// Bytes of each file
    #[arg(long, default_value_t = 6 << 20)]
    bytes: usize,
    /// Number of bytes after which a stream sends a COMMIT and waits for the reply
    #[arg(long, default_value_t = 64 << 10)]
    commit_bytes: usize,
    /// Bytes of one WRITE
    #[arg(long, default_value_t = 32 << 10)]
    write_bytes: usize,
    /// Make every WRITE stable, as a kernel client does for a small fsync, and send no COMMIT
    #[arg(long)]
    stable: bool,
}

/// How a stream appends.
#[derive(Clone, Copy)]
struct Pace {
    commit_bytes: usize,
    write_bytes: usize,
    stable: StableHow,
}

/// One file and its content.
struct Stream {
    name: String,
    file: OpenFile,
    content: Bytes,
}

/// Writes all streams at the same time. An operation consists of the writes up to a COMMIT, and the COMMIT.
pub async fn run(target: &Target, args: &AppendArgs) -> Result<LoadDone> {
    ensure!(args.write_bytes > 0 && args.commit_bytes > 0, "a write and a commit cover at least one byte");
    let stable = if args.stable { StableHow::FileSync } else { StableHow::Unstable };
    let rhythm = Pace { commit_bytes: args.commit_bytes, write_bytes: args.write_bytes, stable };
    let client = target.client(0).await?;
    let folder = target.folder(&client).await?;
    let mut streams = Vec::new();
    for number in 0..args.streams {
        let name = format!("append-{number:03}.log");
        let file = target::create(&client, &folder, &name).await?;
        let content = content::batches(content::seed(target.seed, number), args.bytes);
        streams.push(Arc::new(Stream { name, file, content }));
    }
    let meter = Arc::new(Meter::begin(target)?);
    let mut work = JoinSet::new();
    for stream in &streams {
        let (client, stream, meter) = (client.clone(), stream.clone(), meter.clone());
        work.spawn(async move { append(&client, &stream, rhythm, &meter).await });
    }
    target::all(work).await?;
    let meter = Arc::into_inner(meter).context("a stream is still measured")?;
    let done = meter.end((args.streams * args.bytes) as u64)?;
    for stream in &streams {
        target::remove(&client, &folder, &stream.file, &stream.name).await?;
    }
    target::leave(client).await?;
    Ok(done)
}

async fn append(client: &Client, stream: &Stream, rhythm: Pace, meter: &Meter) -> Result<()> {
    let mut rest = stream.content.clone();
    let mut offset = 0;
    while !rest.is_empty() {
        let begun = Instant::now();
        let mut piece = rest.split_to(rhythm.commit_bytes.min(rest.len()));
        let mut verifier = None;
        while !piece.is_empty() {
            let data = piece.split_to(rhythm.write_bytes.min(piece.len()));
            let count = data.len();
            let written = client.files().write(&stream.file, offset, data, rhythm.stable).await?;
            ensure!(written.count as usize == count, "{} of {count} bytes were written", written.count);
            verifier = Some(written.writeverf);
            offset += count as u64;
        }
        if rhythm.stable == StableHow::Unstable {
            let committed = client.files().commit(&stream.file.handle).await?;
            ensure!(verifier == Some(committed), "the server has started again during the load");
        }
        meter.operation(begun);
    }
    Ok(())
}
