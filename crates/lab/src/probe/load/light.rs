//! A light client: it does one small step after another, to show how much other clients slow it down.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bytes::Bytes;
use clap::Args;
use forebay_nfs_client::xdr::nfs4::StableHow;

use super::LoadDone;
use super::meter::Meter;
use super::target::{self, Target};

const WRITE_BYTES: usize = 4 << 10;
/// The size of the file, which is overwritten repeatedly.
const FILE_WRITES: u64 = 256;
/// The pause between two steps, so that the client itself is hardly a load.
const PAUSE: Duration = Duration::from_millis(2);

/// The duration.
#[derive(Debug, Args)]
pub struct LightArgs {
    /// Milliseconds
    #[arg(long, default_value_t = 3000)]
    ms: u64,
}

/// Runs the client. An operation consists of GETATTR, an unstable WRITE of 4 KiB, and COMMIT.
pub async fn run(target: &Target, args: &LightArgs) -> Result<LoadDone> {
    let client = target.client(0).await?;
    let folder = target.folder(&client).await?;
    let name = format!("light-{}", std::process::id());
    let file = target::create(&client, &folder, &name).await?;
    let data = Bytes::from(vec![7; WRITE_BYTES]);
    let meter = Meter::begin(target)?;
    let begun = Instant::now();
    let mut count = 0;
    while begun.elapsed() < Duration::from_millis(args.ms) {
        let step = Instant::now();
        let files = client.files();
        files.getattr(&file.handle).await?;
        let offset = count % FILE_WRITES * WRITE_BYTES as u64;
        let written = files.write(&file, offset, data.clone(), StableHow::Unstable).await?;
        let committed = files.commit(&file.handle).await?;
        ensure!(written.writeverf == committed, "the server has started again meanwhile");
        meter.operation(step);
        count += 1;
        tokio::time::sleep(PAUSE).await;
    }
    let done = meter.end(count * WRITE_BYTES as u64)?;
    target::remove(&client, &folder, &file, &name).await?;
    target::leave(client).await?;
    Ok(done)
}
