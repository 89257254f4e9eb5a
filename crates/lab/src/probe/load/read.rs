//! Many sequential readers at the same time, like consumers that catch up.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, OpenFile};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::meter::Meter;
use super::target::{self, Target};
use super::{LoadDone, content};

/// The size of a WRITE when the files are created, in bytes.
const WRITE_BYTES: usize = 1 << 20;
/// The number of WRITEs in flight when the files are created.
const WRITES_MAX: usize = 8;

/// The arguments.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Files, each with a reader of its own
    #[arg(long, default_value_t = 16)]
    streams: usize,
    /// Bytes of each file
    #[arg(long, default_value_t = 96 << 20)]
    bytes: u64,
    /// Bytes of one READ
    #[arg(long, default_value_t = 1 << 20)]
    read_bytes: u32,
    /// Number of READs in flight for each reader, like the read-ahead of a kernel client
    #[arg(long, default_value_t = 2)]
    ahead: usize,
    /// Accept any content, from a server that does not keep what is written
    #[arg(long)]
    any_content: bool,
}

fn name(number: usize) -> String {
    format!("read-{number:03}.log")
}

/// Writes the files. An operation is a WRITE.
pub async fn prepare(target: &Target, args: &ReadArgs) -> Result<LoadDone> {
    let client = target.client(0).await?;
    let folder = target.folder(&client).await?;
    let meter = Meter::begin(target)?;
    for number in 0..args.streams {
        let file = target::create(&client, &folder, &name(number)).await?;
        let seed = content::seed(target.seed, number);
        let mut offset = 0;
        while offset < args.bytes {
            let end = args.bytes.min(offset + (WRITE_BYTES * WRITES_MAX) as u64);
            write_some(&client, &file, seed, offset..end).await?;
            offset = end;
        }
        client.files().commit(&file.handle).await?;
        client.files().close(&file).await?;
    }
    let done = meter.end(args.streams as u64 * args.bytes)?;
    target::leave(client).await?;
    Ok(done)
}

async fn write_some(
    client: &Arc<Client>,
    file: &OpenFile,
    seed: u64,
    range: std::ops::Range<u64>,
) -> Result<()> {
    let mut work = JoinSet::new();
    for offset in range.clone().step_by(WRITE_BYTES) {
        let count = usize::try_from(range.end - offset).unwrap_or(usize::MAX).min(WRITE_BYTES);
        let data = content::words(seed, offset / 8, count);
        let (client, file) = (client.clone(), file.clone());
        work.spawn(async move {
            let written = client.files().write(&file, offset, data, StableHow::Unstable).await?;
            ensure!(written.count as usize == count, "{} of {count} bytes were written", written.count);
            Ok(())
        });
    }
    target::all(work).await
}

/// Reads the files that [`prepare`] wrote. An operation is a READ.
pub async fn run(target: &Target, args: &ReadArgs) -> Result<LoadDone> {
    ensure!(args.read_bytes > 0 && args.ahead > 0, "a reader reads at least one byte");
    let client = target.client(0).await?;
    let folder = target.folder(&client).await?;
    let mut files = Vec::new();
    for number in 0..args.streams {
        let file = client.files().open(&folder, &name(number)).await;
        files.push(file.with_context(|| format!("open {}; was it written?", name(number)))?);
    }
    let meter = Arc::new(Meter::begin(target)?);
    let mut work = JoinSet::new();
    for (number, file) in files.iter().enumerate() {
        let reader = Arc::new(Reader {
            client: client.clone(),
            file: file.clone(),
            seed: (!args.any_content).then(|| content::seed(target.seed, number)),
            meter: meter.clone(),
        });
        work.spawn(reader.read_all(args.bytes, args.read_bytes, args.ahead));
    }
    target::all(work).await?;
    let meter = Arc::into_inner(meter).context("a stream is still measured")?;
    let done = meter.end(args.streams as u64 * args.bytes)?;
    for file in &files {
        client.files().close(file).await?;
    }
    target::leave(client).await?;
    Ok(done)
}

struct Reader {
    client: Arc<Client>,
    file: OpenFile,
    /// The seed of the content; `None` if any content is right.
    seed: Option<u64>,
    meter: Arc<Meter>,
}

impl Reader {
    /// Reads the file from beginning to end, with `ahead` READs in flight.
    async fn read_all(self: Arc<Self>, bytes: u64, read_bytes: u32, ahead: usize) -> Result<()> {
        let free = Arc::new(Semaphore::new(ahead));
        let mut work = JoinSet::new();
        for offset in (0..bytes).step_by(read_bytes as usize) {
            let permit = free.clone().acquire_owned().await?;
            let reader = self.clone();
            let count = u32::try_from(bytes - offset).unwrap_or(u32::MAX).min(read_bytes);
            work.spawn(async move {
                let done = reader.read(offset, count).await;
                drop(permit);
                done
            });
        }
        target::all(work).await
    }

    async fn read(&self, offset: u64, count: u32) -> Result<()> {
        let begun = Instant::now();
        let (data, _) = self.client.files().read(&self.file, offset, count).await?;
        self.meter.operation(begun);
        ensure!(data.len() == count as usize, "{} of {count} bytes at {offset} were read", data.len());
        let Some(seed) = self.seed else { return Ok(()) };
        let right = data.0.first().is_some_and(|piece| content::is_right(seed, offset, piece));
        ensure!(right, "{count} bytes at {offset} are not what was written");
        Ok(())
    }
}
