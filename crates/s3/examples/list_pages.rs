//! Measures listings of large buckets, over HTTP: a page of 1,000 keys of 1,000,000 and of 10,000, and a page of 100 prefixes with
//! 10,000 and with 10 keys below each. Fails if a page of the larger bucket takes more than 1.5 times as long.
//!
//! The buckets are filled through the pool: with entries as PutObject makes them, but without content. Pages of both buckets are
//! asked by turns, from random keys on.
//!
//! usage: list_pages DIRECTORY

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_net::http::{self, Limits, Listener};
use forebay_pool::{BucketSpec, EntryContent, Pool, PoolOptions};
use forebay_s3::auth::access::Caller;
use forebay_s3::facts::ObjectFacts;
use forebay_s3::server::Server;
use forebay_s3::shared::Shared;
use forebay_s3::store::OBJECTS;
use forebay_service::{Service, ServiceOptions};
use s3s::S3Result;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::SimpleAuth;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Done<T> = Result<T, Box<dyn Error>>;

const PAGE: u64 = 1000;
const TURNS: u64 = 300;
const PREFIXES: u64 = 100;
/// The largest permitted ratio of the larger bucket's median to the smaller one's.
const RATIO_MAX: f64 = 1.5;
/// Entries of one change.
const CHANGE: u64 = 4000;

/// Lets everybody do everything, also without a signature.
struct Everything;

#[async_trait::async_trait]
impl S3Access for Everything {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        let caller = Caller { user: "example".to_owned(), bypasses_governance: true, ..Caller::default() };
        context.extensions_mut().insert(caller);
        Ok(())
    }
}

/// A bucket: this many prefixes, with this many keys below each.
struct Filled {
    name: &'static str,
    prefixes: u64,
    keys: u64,
}

impl Filled {
    fn key(&self, index: u64) -> String {
        format!("topic-{:05}/{:020}.log", index / self.keys, index % self.keys * 1000)
    }

    async fn fill(&self, pool: &Pool) -> Done<()> {
        let bucket = pool.bucket_create(BucketSpec::new(self.name), |_| Ok(())).await?.id;
        let total = self.prefixes * self.keys;
        for first in (0..total).step_by(CHANGE as usize) {
            let mut entries = Vec::new();
            for index in first..total.min(first + CHANGE) {
                let facts = ObjectFacts {
                    size: 1 << 20,
                    modified_ms: 1_700_000_000_000 + index,
                    etag: format!("{:032x}", u128::from(index) << 64 | u128::from(index)),
                    owner: "example".to_owned(),
                    null_version: true,
                    ..ObjectFacts::default()
                };
                entries.push((self.key(index), Bytes::from(facts.encode()?)));
            }
            let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
                for (key, facts) in entries {
                    change.put(OBJECTS, key.as_bytes(), 1, facts, EntryContent::None)?;
                }
                Ok(())
            };
            pool.bucket_change(bucket, change).await?;
        }
        Ok(())
    }

    /// The time for a page of keys from a random one on.
    async fn page_of_keys(&self, server: SocketAddr, turn: u64) -> Done<Duration> {
        let after = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) % (self.prefixes * self.keys - PAGE - 1);
        let target =
            format!("/{}?list-type=2&start-after={}", self.name, self.key(after).replace('/', "%2F"));
        get(server, &target, "<Contents>", PAGE).await
    }

    /// The time for a page of all prefixes.
    async fn page_of_prefixes(&self, server: SocketAddr) -> Done<Duration> {
        let target = format!("/{}?list-type=2&delimiter=%2F", self.name);
        get(server, &target, "<CommonPrefixes>", self.prefixes).await
    }
}

/// Sends a request, and counts the elements of the answer.
async fn get(server: SocketAddr, target: &str, element: &str, count: u64) -> Done<Duration> {
    let mut stream = TcpStream::connect(server).await?;
    let request = format!("GET {target} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n");
    let begun = Instant::now();
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let elapsed = begun.elapsed();
    let found = answer.matches(element).count() as u64;
    if found != count {
        let line = answer.lines().next().unwrap_or_default();
        return Err(format!("GET {target}: {found} of {count} {element}, {line}").into());
    }
    Ok(elapsed)
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Prints both medians. Returns whether the ratio is small enough.
fn compare(what: &str, small: Vec<Duration>, large: Vec<Duration>) -> bool {
    let (small, large) = (median_ms(small), median_ms(large));
    let ratio = large / small;
    println!("{what}: {small:.2} ms and {large:.2} ms, ratio {ratio:.2}, at most {RATIO_MAX}");
    ratio <= RATIO_MAX
}

#[tokio::main]
async fn main() -> Done<()> {
    let Some(directory) = std::env::args().nth(1) else { return Err("usage: list_pages DIRECTORY".into()) };
    let pool = Pool::open(Path::new(&directory), PoolOptions::default()).await?;
    let service = Arc::new(Service::open(pool.clone(), ServiceOptions::default())?);
    let shared = Arc::new(Shared::new(service, "us-east-1"));
    let server = Server::new(shared, SimpleAuth::from_single("nobody", "nothing"), Everything, &[])?;
    let listener = Listener::tcp("127.0.0.1:0".parse()?, None).await?;
    let address = listener.local_addr().ok_or("the listener has no address")?;
    let limits = Limits { name: "s3", connections_max: 64, connections_per_address_max: 64 };
    tokio::spawn(http::serve(listener, limits, server, std::future::pending()));

    let keys = [
        Filled { name: "keys-10000", prefixes: 10, keys: 1000 },
        Filled { name: "keys-1000000", prefixes: 1000, keys: 1000 },
    ];
    let prefixes = [
        Filled { name: "prefixes-of-10", prefixes: PREFIXES, keys: 10 },
        Filled { name: "prefixes-of-10000", prefixes: PREFIXES, keys: 10_000 },
    ];
    for bucket in keys.iter().chain(&prefixes) {
        let begun = Instant::now();
        bucket.fill(&pool).await?;
        let count = bucket.prefixes * bucket.keys;
        println!("{}: {count} keys in {:.1} s", bucket.name, begun.elapsed().as_secs_f64());
    }
    let [mut small, mut large, mut few, mut many] = [const { Vec::new() }; 4];
    for turn in 0..TURNS {
        small.push(keys[0].page_of_keys(address, turn).await?);
        large.push(keys[1].page_of_keys(address, turn).await?);
        few.push(prefixes[0].page_of_prefixes(address).await?);
        many.push(prefixes[1].page_of_prefixes(address).await?);
    }
    let is_good = [
        compare("a page of 1,000 keys, of 10,000 and of 1,000,000", small, large),
        compare("a page of 100 prefixes, with 10 and with 10,000 keys below each", few, many),
    ];
    pool.close().await?;
    if is_good.contains(&false) {
        Err("the time of a page depends on the bucket's size".into())
    } else {
        Ok(())
    }
}
