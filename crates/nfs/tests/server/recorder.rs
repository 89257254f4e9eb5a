//! Records what clients send: the first inputs of the fuzz targets (`fuzz/`) come from here.
//!
//! With `FOREBAY_RECORD_REQUESTS=DIR` clients reach the server through a relay, which writes the requests in the order in which they
//! come to a file for each server, each request behind its length as four bytes (big endian). Tests that look at addresses fail then.

use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use forebay_nfs_proto::rpc::record::{RecordReader, write_record};
use tokio::net::{TcpListener, TcpStream};

const RECORD_BYTES_MAX: usize = 2 << 20;

/// Where clients are to connect: the relay, or the server itself.
pub async fn before(server: SocketAddr) -> SocketAddr {
    static SERVERS: AtomicUsize = AtomicUsize::new(0);
    let Some(folder) = std::env::var_os("FOREBAY_RECORD_REQUESTS").map(PathBuf::from) else { return server };
    let number = SERVERS.fetch_add(1, Ordering::Relaxed);
    let file = File::create(folder.join(format!("requests-{number:03}"))).expect("a file for the requests");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a relay");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(accept(listener, server, Arc::new(Mutex::new(file))));
    address
}

async fn accept(listener: TcpListener, server: SocketAddr, file: Arc<Mutex<File>>) {
    while let Ok((client, _)) = listener.accept().await {
        // The server is gone when it refuses.
        let Ok(server) = TcpStream::connect(server).await else { return };
        let file = file.clone();
        tokio::spawn(async move {
            let (from_client, mut to_client) = client.into_split();
            let (mut from_server, to_server) = server.into_split();
            tokio::select! {
                _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
                () = forward(from_client, to_server, &file) => {}
            }
        });
    }
}

async fn forward(
    client: tokio::net::tcp::OwnedReadHalf,
    mut server: tokio::net::tcp::OwnedWriteHalf,
    file: &Mutex<File>,
) {
    let mut requests = RecordReader::new(client, RECORD_BYTES_MAX);
    while let Ok(Some(request)) = requests.next().await {
        note(file, &request);
        if write_record(&mut server, &[request]).await.is_err() {
            return;
        }
    }
}

fn note(file: &Mutex<File>, request: &Bytes) {
    let mut file = file.lock().expect("nobody panics with it");
    let length = u32::try_from(request.len()).expect("a short request");
    file.write_all(&[&length.to_be_bytes(), &request[..]].concat()).expect("the request is written");
}
