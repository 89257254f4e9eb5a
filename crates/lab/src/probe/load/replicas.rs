//! Three brokers that write the log of one partition: the same record batches, but from different sessions, in different writes,
//! and at their own pace. For comparison, each broker can write different batches, so that nothing is shared.

use std::path::PathBuf;
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

/// The size of a WRITE of each stream, in bytes.
const WRITE_BYTES: [usize; 3] = [1 << 20, 256 << 10, 700_000];
/// The number of WRITEs in flight for each stream.
const WRITES_MAX: usize = 4;

/// The arguments.
#[derive(Debug, Args)]
pub struct ReplicasArgs {
    /// Bytes of each stream
    #[arg(long, default_value_t = 192 << 20)]
    bytes: usize,
    /// Bytes after which a stream commits
    #[arg(long, default_value_t = 16 << 20)]
    commit_bytes: usize,
    /// Give every stream different batches
    #[arg(long)]
    unique: bool,
    /// Leave the files on the server
    #[arg(long)]
    keep: bool,
    /// Also write the first stream's content to this file of the host
    #[arg(long, value_name = "FILE")]
    copy: Option<PathBuf>,
}

struct Stream {
    client: Arc<Client>,
    name: String,
    file: OpenFile,
    content: Bytes,
    write_bytes: usize,
}

/// Writes the streams at the same time. An operation is a WRITE.
pub async fn run(target: &Target, args: &ReplicasArgs) -> Result<LoadDone> {
    ensure!(args.commit_bytes > 0, "a commit covers at least one byte");
    let shared = content::batches(content::seed(target.seed, 0), args.bytes);
    if let Some(copy) = &args.copy {
        std::fs::write(copy, &shared).with_context(|| format!("write {}", copy.display()))?;
    }
    let mut streams = Vec::new();
    for (number, write_bytes) in WRITE_BYTES.into_iter().enumerate() {
        let client = target.client(number).await?;
        let folder = target.folder(&client).await?;
        let name = format!("replica-{number}-{}.log", target.seed);
        let file = target::create(&client, &folder, &name).await?;
        let content = if args.unique && number > 0 {
            content::batches(content::seed(target.seed, number), args.bytes)
        } else {
            shared.clone()
        };
        streams.push(Arc::new(Stream { client, name, file, content, write_bytes }));
    }
    let meter = Arc::new(Meter::begin(target)?);
    let mut work = JoinSet::new();
    for stream in &streams {
        work.spawn(stream.clone().write_all(args.commit_bytes, meter.clone()));
    }
    target::all(work).await?;
    let meter = Arc::into_inner(meter).context("a stream is still measured")?;
    let done = meter.end((streams.len() * args.bytes) as u64)?;
    for stream in streams {
        let folder = target.folder(&stream.client).await?;
        if args.keep {
            let closed = stream.client.files().close(&stream.file).await;
            closed.with_context(|| format!("close {}", stream.name))?;
        } else {
            target::remove(&stream.client, &folder, &stream.file, &stream.name).await?;
        }
        let stream = Arc::into_inner(stream).context("a stream is still written")?;
        target::leave(stream.client).await?;
    }
    Ok(done)
}

impl Stream {
    async fn write_all(self: Arc<Self>, commit_bytes: usize, meter: Arc<Meter>) -> Result<()> {
        let mut rest = self.content.clone();
        let mut offset = 0;
        while !rest.is_empty() {
            let portion = rest.split_to(commit_bytes.min(rest.len()));
            let bytes = portion.len() as u64;
            self.clone().write_portion(portion, offset, &meter).await?;
            self.client.files().commit(&self.file.handle).await?;
            offset += bytes;
        }
        Ok(())
    }

    /// Writes a portion with several WRITEs in flight.
    async fn write_portion(
        self: Arc<Self>,
        mut portion: Bytes,
        mut offset: u64,
        meter: &Arc<Meter>,
    ) -> Result<()> {
        let mut work = JoinSet::new();
        while !portion.is_empty() {
            if work.len() >= WRITES_MAX
                && let Some(done) = work.join_next().await
            {
                done.context("a write panicked")??;
            }
            let data = portion.split_to(self.write_bytes.min(portion.len()));
            let (at, count) = (offset, data.len());
            offset += count as u64;
            let (stream, meter) = (self.clone(), meter.clone());
            work.spawn(async move {
                let begun = Instant::now();
                let written =
                    stream.client.files().write(&stream.file, at, data, StableHow::Unstable).await?;
                ensure!(written.count as usize == count, "{} of {count} bytes were written", written.count);
                meter.operation(begun);
                Ok(())
            });
        }
        target::all(work).await
    }
}
