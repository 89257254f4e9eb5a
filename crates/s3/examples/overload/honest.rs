//! Honest clients: each puts an object of 1 MiB and gets it again, over a connection that it keeps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::Target;
use crate::connection::{connect, exchange};

const CLIENTS: u64 = 4;
const OBJECT_BYTES: usize = 1 << 20;
const ADDRESS: u8 = 2;
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// What honest clients have done.
#[derive(Default)]
pub struct Done {
    pub bytes: usize,
    pub refused: usize,
}

/// Makes the bucket and the object that slow readers read.
pub async fn prepare(target: &Target, large_bytes: usize) {
    let mut stream = connect(target.address, ADDRESS, None).await.unwrap();
    let mut numbers = Numbers(7);
    let large = numbers.bytes(large_bytes);
    let key = format!("{}/large", target.bucket);
    for (path, body) in [(&target.bucket, &[][..]), (&key, &large)] {
        let raw = target.signer.with_payload("PUT", path, &[], UNSIGNED, body);
        let raw = raw.altered("connection: close\r\n", "");
        let (status, _) = exchange(&mut stream, &raw).await.unwrap();
        assert_eq!(status, 200, "PUT {path}");
    }
}

/// Runs all clients for a while.
pub async fn run(target: &Arc<Target>, span: Duration) -> Done {
    let clients: Vec<_> =
        (0..CLIENTS).map(|client| tokio::spawn(one(target.clone(), client, span))).collect();
    let mut all = Done::default();
    for client in clients {
        let done = client.await.unwrap();
        all.bytes += done.bytes;
        all.refused += done.refused;
    }
    all
}

async fn one(target: Arc<Target>, client: u64, span: Duration) -> Done {
    let mut done = Done::default();
    let seed = u64::from(Instant::now().elapsed().subsec_nanos()) ^ u64::from(std::process::id());
    let mut numbers = Numbers(seed << 8 | (client + 1));
    let mut content = numbers.bytes(OBJECT_BYTES);
    let begun = Instant::now();
    let mut stream = None;
    for number in 0_u64.. {
        // New content, at little cost for the client.
        for block in content.chunks_mut(512) {
            block[..8].copy_from_slice(&numbers.next().to_le_bytes());
        }
        let path = format!("{}/honest-{client}-{}", target.bucket, number % 64);
        for (method, body) in [("PUT", content.as_slice()), ("GET", &[])] {
            if begun.elapsed() >= span {
                return done;
            }
            let raw = target.signer.with_payload(method, &path, &[], UNSIGNED, body);
            let raw = raw.altered("connection: close\r\n", "");
            if stream.is_none() {
                stream = connect(target.address, ADDRESS, None).await.ok();
            }
            let Some(connected) = &mut stream else {
                done.refused += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            match exchange(connected, &raw).await {
                Ok((200, length)) => done.bytes += length.max(body.len()),
                _ => {
                    done.refused += 1;
                    stream = None;
                }
            }
        }
    }
    done
}

/// Numbers that look random (xorshift), so that nothing can be compressed or is there already.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count / 8).flat_map(|_| self.next().to_le_bytes()).collect()
    }
}
