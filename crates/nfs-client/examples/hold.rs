//! Holds files of a volume open, and continuously writes and reads a little, until standard input ends. The console's tests use
//! it as an example client.
//!
//! `hold 127.0.0.1:2049 /kafka`

use std::error::Error;
use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions};

const FILES: usize = 3;
const BYTES: u32 = 64 << 10;
/// The number of writes after which a file is overwritten from its start. It limits the size of the files.
const WRITES_MAX: u64 = 512;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("give the server's ADDRESS:PORT and the PATH of a volume".into());
    };
    let (end, mut ended) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // An error counts as the end of standard input.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(end);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            held = hold(address.parse()?, &path) => held,
            _ = &mut ended => Ok(()),
        }
    })
}

async fn hold(address: SocketAddr, path: &str) -> Result<(), Box<dyn Error>> {
    let client = Client::connect(address, ClientOptions::new("example-broker")).await?;
    // The server refuses this if an earlier run did it under this name and its lease has not expired.
    let _ = client.reclaim_complete().await;
    let files = client.files();
    let directory = files.resolve(path).await?;
    let mut open = Vec::new();
    for number in 0..FILES {
        let name = format!("{number:020}.log");
        // Removes the file of an earlier run, if there is one.
        let _ = files.remove(&directory, &name).await;
        open.push(files.create(&directory, &name).await?);
    }
    println!("holding");
    let mut state = 1_u64;
    for round in (0..WRITES_MAX).cycle() {
        let offset = round * u64::from(BYTES);
        for file in &open {
            files.write(file, offset, noise(&mut state), StableHow::Unstable).await?;
            files.read(file, offset, BYTES).await?;
            files.commit(&file.handle).await?;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Bytes that cannot be compressed (xorshift).
fn noise(state: &mut u64) -> Bytes {
    let mut bytes = Vec::new();
    while bytes.len() < BYTES as usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    Bytes::from(bytes)
}
