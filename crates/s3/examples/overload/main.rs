//! Measures what hostile clients cost: the memory of a running daemon, and the throughput of honest clients without and with an attack.
//!
//! usage: overload ADDRESS ACCESS_KEY SECRET_KEY PID [SECONDS]
//!
//! Four honest clients put and get objects of 1 MiB. The attack has 64 connections that each announce a chunk of 4 GiB or a signed one of
//! 16 MiB and fall silent, 1,000 connections that send a byte a second, and 256 connections that read a large object slowly. All
//! come back when the server ends them. Honest clients and each kind of attack have a loopback address of their own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement that cannot go on fails by panicking"
)]

mod attack;
mod connection;
mod honest;
#[path = "../../tests/s3/common/signer.rs"]
mod signer;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use signer::Signer;

/// The time that the attack has before honest clients are measured.
const SETTLE: Duration = Duration::from_secs(20);
/// The time between two looks at the daemon's memory.
const SAMPLE_PERIOD: Duration = Duration::from_millis(50);
const LARGE_BYTES: usize = 256 << 20;

/// The server, and the bucket for the measurement.
struct Target {
    address: SocketAddr,
    signer: Signer,
    bucket: String,
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some([address, access_key, secret, pid]), seconds) = (arguments.first_chunk(), arguments.get(4))
    else {
        eprintln!("usage: overload ADDRESS ACCESS_KEY SECRET_KEY PID [SECONDS]");
        std::process::exit(2);
    };
    let span = Duration::from_secs(seconds.map_or(20, |seconds| seconds.parse().unwrap()));
    let pid: u32 = pid.parse().unwrap();
    let bucket = format!("/overload-{}", std::process::id());
    let target = Arc::new(Target {
        address: address.parse().unwrap(),
        signer: Signer::new(access_key, secret),
        bucket,
    });
    honest::prepare(&target, LARGE_BYTES).await;

    println!("{:34} {:>12} {:>12} {:>10} {:>8}", "", "RSS MiB", "peak MiB", "MiB/s", "refused");
    let alone = measured("without attack", &target, pid, span).await;
    let counts = attack::start(&target);
    let peak = Peak::watch(pid);
    tokio::time::sleep(SETTLE).await;
    println!("{:34} {:>12} {:>12}", "attack begins", rss(pid) >> 20, peak.end() >> 20);
    let attacked = measured("with attack", &target, pid, span).await;
    println!("honest clients keep {:.0} %", 100.0 * attacked / alone);
    println!("answers and ends that the attack saw:");
    for (name, count) in counts.lock().unwrap().iter() {
        println!("  {count:7} {name}");
    }
}

async fn measured(name: &str, target: &Arc<Target>, pid: u32, span: Duration) -> f64 {
    let peak = Peak::watch(pid);
    let result = honest::run(target, span).await;
    let rate = result.bytes as f64 / span.as_secs_f64() / (1 << 20) as f64;
    let (now, peak) = (rss(pid) >> 20, peak.end() >> 20);
    println!("{name:34} {now:>12} {peak:>12} {rate:>10.1} {:>8}", result.refused);
    rate
}

/// The greatest memory of a process while this watches.
struct Peak {
    bytes: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

impl Peak {
    fn watch(pid: u32) -> Peak {
        let peak = Peak { bytes: Arc::default(), ended: Arc::default() };
        let (bytes, ended) = (peak.bytes.clone(), peak.ended.clone());
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                bytes.fetch_max(rss(pid), Ordering::Relaxed);
                std::thread::sleep(SAMPLE_PERIOD);
            }
        });
        peak
    }

    fn end(&self) -> u64 {
        self.ended.store(true, Ordering::Relaxed);
        self.bytes.load(Ordering::Relaxed)
    }
}

/// The resident memory of a process, in bytes.
fn rss(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the daemon runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}
