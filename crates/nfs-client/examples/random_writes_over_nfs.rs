//! Writes pages of 4 KiB (UNSTABLE) to random places of a file over NFS, then commits. For each tenth of the writes, prints the rate
//! and the memory of the server's process.
//!
//! `random_writes_over_nfs 127.0.0.1:2049 /kafka PID [--writes 1000000] [--file-bytes 2147483648] [--at-once 32] [--idle SECONDS]`
//!
//! All users must be able to write to the volume: create it with `--mode 0777`.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions};
use tokio::task::JoinSet;

const PAGE_BYTES: usize = 4096;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The server's current and peak memory, in MiB.
fn memory(pid: &str) -> (u64, u64) {
    let table = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mib = |name: &str| {
        let rest = table.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        rest.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() >> 10
    };
    (mib("VmRSS:"), mib("VmHWM:"))
}

/// The mixing function of splitmix64. Places and contents are the same in every run.
fn mixed(step: u64) -> u64 {
    let mut state = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

fn page(number: u64) -> Bytes {
    (0..PAGE_BYTES as u64 / 8).flat_map(|word| mixed(number << 32 | word).to_ne_bytes()).collect()
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, pid, settings @ ..] = &given[..] else {
        return Err("give the server's ADDRESS:PORT, the PATH of a volume, and the server's PID".into());
    };
    let number = |name: &str, usual: u64| -> Outcome<u64> {
        let value = settings.iter().skip_while(|given| *given != name).nth(1);
        value.map_or(Ok(usual), |value| Ok(value.parse()?))
    };
    let (writes, at_once) = (number("--writes", 1_000_000)?, number("--at-once", 32)?);
    let pages = number("--file-bytes", 2 << 30)? / PAGE_BYTES as u64;
    let options = ClientOptions::new(&format!("random-writes-{}", std::process::id()));
    let client = Arc::new(Client::mount(address.parse()?, options).await?);
    let root = client.files().resolve(path).await?;
    let file = Arc::new(client.files().create(&root, "random").await?);
    println!("{:>10} {:>10} {:>8} {:>8}", "writes", "writes/s", "RSS MiB", "peak MiB");
    let next = Arc::new(AtomicU64::new(0));
    let tenth = (writes / 10).max(1);
    for until in (1..=10).map(|part| part * tenth) {
        let began = Instant::now();
        let mut workers = JoinSet::new();
        for _ in 0..at_once {
            let (client, file, next) = (client.clone(), file.clone(), next.clone());
            workers.spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= until {
                        next.fetch_sub(1, Ordering::Relaxed);
                        return Outcome::Ok(());
                    }
                    let offset = mixed(!number) % pages * PAGE_BYTES as u64;
                    client.files().write(&file, offset, page(number), StableHow::Unstable).await?;
                }
            });
        }
        while let Some(done) = workers.join_next().await {
            done??;
        }
        let (now, most) = memory(pid);
        println!("{until:>10} {:>10.0} {now:>8} {most:>8}", tenth as f64 / began.elapsed().as_secs_f64());
    }
    let began = Instant::now();
    client.files().commit(&file.handle).await?;
    let (now, most) = memory(pid);
    println!("COMMIT took {:.1} s {now:>20} {most:>8}", began.elapsed().as_secs_f64());
    let idle = number("--idle", 60)?;
    tokio::time::sleep(Duration::from_secs(idle)).await;
    let (now, most) = memory(pid);
    println!("after {idle} s idle {now:>21} {most:>8}");
    Ok(())
}
