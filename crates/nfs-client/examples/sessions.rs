//! Floods a server with sessions whose slots all hold a reply, while a few clients work. Prints the memory of the server's process, the
//! number of requests that the server refused, and how long the working clients had to wait.
//!
//! `sessions 127.0.0.1:2049 /kafka PID [--clients 1000] [--sessions 10] [--slots 256] [--apart] [--strangers | --open] [--wait SECONDS]`
//!
//! All users must be able to write to the volume: create it with `--mode 0777`. With `--apart` each client of the flood has its own
//! address in 127.0.0.0/8. With `--strangers` the flood uses no export. With `--open` each of its clients holds a file open, for which
//! the server grants it more memory. At the end the example waits until the leases have expired.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions, Hoard, Hoarder};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const WORKERS: usize = 8;
/// The number of clients of the flood that run at the same time.
const AT_ONCE: usize = 32;
/// The pause between two rounds of a working client. It keeps the pool's own memory use small.
const PAUSE: Duration = Duration::from_millis(50);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Arguments {
    address: SocketAddr,
    path: String,
    pid: u32,
    clients: usize,
    sessions: usize,
    slots: u32,
    wait: Duration,
    apart: bool,
    strangers: bool,
    open: bool,
}

impl Arguments {
    fn read() -> Outcome<Arguments> {
        let given: Vec<String> = std::env::args().skip(1).collect();
        let [address, path, pid, options @ ..] = &given[..] else {
            return Err("give the server's ADDRESS:PORT, the PATH of a volume, and the server's PID".into());
        };
        let number = |name: &str, usual: u64| -> Outcome<u64> {
            let value = options.iter().skip_while(|given| *given != name).nth(1);
            value.map_or(Ok(usual), |value| Ok(value.parse()?))
        };
        let has = |name: &str| options.iter().any(|given| given == name);
        Ok(Arguments {
            address: address.parse()?,
            path: path.clone(),
            pid: pid.parse()?,
            clients: usize::try_from(number("--clients", 1000)?)?,
            sessions: usize::try_from(number("--sessions", 10)?)?,
            slots: u32::try_from(number("--slots", 256)?)?,
            wait: Duration::from_secs(number("--wait", 60)?),
            apart: has("--apart"),
            strangers: has("--strangers"),
            open: has("--open"),
        })
    }

    fn source(&self, number: usize) -> IpAddr {
        let [.., high, low] = (number + 1).to_be_bytes();
        IpAddr::V4(if self.apart { Ipv4Addr::new(127, 1, high, low) } else { Ipv4Addr::LOCALHOST })
    }
}

/// The results of the working clients.
#[derive(Default)]
struct Work {
    done: usize,
    delays: usize,
    slowest: Duration,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments = Arc::new(Arguments::read()?);
    let begin = Instant::now();
    report(begin, &arguments, "before");
    let ending = Arc::new(AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for number in 0..WORKERS {
        workers.spawn(work(arguments.clone(), number, ending.clone()));
    }
    let (hoard, flooders) = flood(&arguments, begin).await?;
    report(begin, &arguments, "full");
    println!("{hoard:?}");
    drop(flooders);
    let full = Instant::now();
    while full.elapsed() < arguments.wait {
        tokio::time::sleep(Duration::from_secs(5)).await;
        report(begin, &arguments, "expiring");
    }
    ending.store(true, Ordering::Relaxed);
    let mut all = Work::default();
    while let Some(done) = workers.join_next().await {
        let work = done??;
        all.done += work.done;
        all.delays += work.delays;
        all.slowest = all.slowest.max(work.slowest);
    }
    println!(
        "{WORKERS} clients worked all the time: {} rounds, {} replies of NFS4ERR_DELAY, the slowest round took {:?}",
        all.done, all.delays, all.slowest
    );
    report(begin, &arguments, "after");
    Ok(())
}

/// Prints the current and the peak memory of the server's process.
fn report(begin: Instant, arguments: &Arguments, phase: &str) {
    let table = std::fs::read_to_string(format!("/proc/{}/status", arguments.pid)).unwrap_or_default();
    let mib = |line: &str| {
        let rest = table.lines().find_map(|found| found.strip_prefix(line)).unwrap_or_default();
        rest.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() >> 10
    };
    let (now, most) = (mib("VmRSS:"), mib("VmHWM:"));
    println!("{:>6.1}s {phase:<9} {now:>5} MiB, peak {most} MiB", begin.elapsed().as_secs_f64());
}

/// A client of the flood.
struct Flooder {
    _hoarder: Hoarder,
    /// With `--open`, the client that holds a file open.
    _open: Option<Client>,
}

async fn flooder(arguments: &Arguments, number: usize) -> Outcome<(Flooder, Hoard)> {
    let options = ClientOptions::new(&format!("hoarder-{number}")).from(arguments.source(number));
    let mut open = None;
    if arguments.open {
        let client = Client::mount(arguments.address, options.clone()).await?;
        let root = client.files().resolve(&arguments.path).await?;
        client.files().create(&root, &format!("hoard-{number}")).await?;
        open = Some(client);
    }
    let mut hoarder = Hoarder::connect(arguments.address, options).await?;
    let path = if arguments.strangers { None } else { Some(arguments.path.as_str()) };
    let hoard = hoarder.hoard(arguments.sessions, arguments.slots, path).await?;
    Ok((Flooder { _hoarder: hoarder, _open: open }, hoard))
}

async fn flood(arguments: &Arc<Arguments>, begin: Instant) -> Outcome<(Hoard, Vec<Flooder>)> {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    for number in 0..arguments.clients {
        let (arguments, at_once) = (arguments.clone(), at_once.clone());
        tasks.spawn(async move {
            let _permit = at_once.acquire_owned().await?;
            flooder(&arguments, number).await
        });
    }
    let (mut all, mut flooders) = (Hoard::default(), Vec::new());
    while let Some(done) = tasks.join_next().await {
        let (flooder, hoard) = done??;
        all += hoard;
        flooders.push(flooder);
        if flooders.len() % 100 == 0 {
            report(begin, arguments, "filling");
        }
    }
    Ok((all, flooders))
}

/// Works like a broker until `ending` is set: writes, reads, and creates, renames and removes files.
async fn work(arguments: Arc<Arguments>, number: usize, ending: Arc<AtomicBool>) -> Outcome<Work> {
    let mut work = Work::default();
    let client = Client::mount(
        arguments.address,
        ClientOptions::new(&format!("worker-{}-{number}", std::process::id())),
    )
    .await?;
    let files = client.files();
    let root = files.resolve(&arguments.path).await?;
    let log = files.create(&root, &format!("log-{number}")).await?;
    let names = [format!("new-{number}"), format!("renamed-{number}")];
    let [name, renamed] = &names;
    while !ending.load(Ordering::Relaxed) {
        let begin = Instant::now();
        let offset = (work.done % 16) as u64 * 4096;
        loop {
            let round = async {
                files.write(&log, offset, Bytes::from(vec![7; 4096]), StableHow::Unstable).await?;
                files.commit(&log.handle).await?;
                files.read(&log, offset, 4096).await?;
                let file = files.create(&root, name).await?;
                files.close(&file).await?;
                files.rename(&root, name, &root, renamed).await?;
                files.remove(&root, renamed).await
            };
            match round.await {
                Ok(()) => break,
                Err(error) if error.status() == Some(Status::Delay) => {
                    work.delays += 1;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        work.done += 1;
        work.slowest = work.slowest.max(begin.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(work)
}
