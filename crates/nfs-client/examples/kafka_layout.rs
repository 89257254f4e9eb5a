//! Writes what three brokers of a Kafka cluster would have written, and holds their locks until standard input ends. The console's tests
//! use it.
//!
//! `kafka_layout 127.0.0.1:2049 /kafka [TOPICS]`

use std::error::Error;
use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::{
    LockArgs, LockType, Locker, OpenToLockOwner, Operation, PutfhArgs, StableHow,
};
use forebay_nfs_client::{Client, ClientOptions, FileHandle};

const BROKERS: u64 = 3;
const BLOCK: usize = 128 << 10;
const ID: &str = "0123456789abcdef0123456789abcdef";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("give the server's ADDRESS:PORT and the PATH of a volume".into());
    };
    let topics = arguments.next().map_or(Ok(0), |count| count.parse())?;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // An error counts as the end of standard input.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(end);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = address.parse()?;
        let mut brokers = Vec::new();
        for node in 1..=BROKERS {
            brokers.push(broker(address, &path, node, topics).await?);
        }
        println!("holding");
        let mut ended = ended;
        loop {
            tokio::select! {
                _ = &mut ended => return Ok(()),
                () = tokio::time::sleep(Duration::from_secs(5)) => {}
            }
            for broker in &brokers {
                broker.renew().await?;
            }
        }
    })
}

/// Bytes that cannot be compressed (xorshift).
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = Vec::with_capacity(bytes + 8);
    while noise.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend_from_slice(&state.to_le_bytes());
    }
    noise.truncate(bytes);
    noise
}

async fn write(
    client: &Client,
    directory: &FileHandle,
    name: &str,
    content: &[u8],
) -> Result<(), Box<dyn Error>> {
    let files = client.files();
    let file = files.create(directory, name).await?;
    for (index, part) in content.chunks(BLOCK).enumerate() {
        let offset = (index * BLOCK) as u64;
        files.write(&file, offset, Bytes::copy_from_slice(part), StableHow::Unstable).await?;
    }
    files.commit(&file.handle).await?;
    files.close(&file).await?;
    Ok(())
}

async fn replica(
    client: &Client,
    broker: &FileHandle,
    name: &str,
    base: u64,
    content: &[u8],
) -> Result<(), Box<dyn Error>> {
    let directory = client.files().mkdir(broker, name).await?;
    write(client, &directory, &format!("{base:020}.log"), content).await?;
    write(client, &directory, &format!("{base:020}.index"), b"").await
}

async fn broker(address: SocketAddr, path: &str, node: u64, topics: u64) -> Result<Client, Box<dyn Error>> {
    let client =
        Client::connect(address, ClientOptions::new(&format!("Linux NFSv4.2 broker-{node}"))).await?;
    // The server refuses this if an earlier run did it under this name and its lease has not expired.
    let _ = client.reclaim_complete().await;
    let files = client.files();
    let volume = files.resolve(path).await?;
    let directory = files.mkdir(&volume, &format!("broker-{node}")).await?;
    let meta =
        format!("#\ncluster.id=5L6g3nShT-eMCtK--X86sw\ndirectory.id=w{node}\nnode.id={node}\nversion=1\n");
    write(&client, &directory, "meta.properties", meta.as_bytes()).await?;
    let checkpoint = b"0\n3\nclickstream 0 9000\norders 0 4000\norders 1 4000\n";
    write(&client, &directory, "replication-offset-checkpoint", checkpoint).await?;
    write(&client, &directory, "cleaner-offset-checkpoint", b"0\n1\n__consumer_offsets 0 17\n").await?;
    replica(&client, &directory, "clickstream-0", 0, &noise(1, 24 * BLOCK)).await?;
    replica(&client, &directory, "orders-0", 0, &noise(2, 8 * BLOCK)).await?;
    // The third broker's replica was rebuilt from another offset, in other batches.
    let (base, seed) = if node == 3 { (3500, 4) } else { (0, 3) };
    replica(&client, &directory, "orders-1", base, &noise(seed, 8 * BLOCK)).await?;
    replica(&client, &directory, "__consumer_offsets-0", 0, &noise(10 + node, 2 * BLOCK)).await?;
    replica(&client, &directory, &format!("old-events-0.{ID}-stray"), 0, &noise(20, 4 * BLOCK)).await?;
    for topic in 0..topics {
        replica(
            &client,
            &directory,
            &format!("team-{}.topic-{topic:05}-0", topic % 7),
            0,
            &noise(1000 + topic, 2048),
        )
        .await?;
    }
    let lock = files.create(&directory, ".lock").await?;
    let new = OpenToLockOwner {
        open_seqid: 0,
        open_stateid: lock.stateid,
        lock_seqid: 0,
        lock_owner: files.owner("broker"),
    };
    let locker = Locker::New(new);
    let args = LockArgs { locktype: LockType::Write, reclaim: false, offset: 0, length: u64::MAX, locker };
    let put = Operation::Putfh(PutfhArgs { object: lock.handle.clone() });
    client.compound([put, Operation::Lock(args)]).await?;
    Ok(client)
}
