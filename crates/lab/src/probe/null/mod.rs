//! A server of NFSv4.1 and 4.2 that does no work. It keeps names and sizes, discards what is written, and answers every READ from
//! one buffer of zeros. The speed of a load on it is what the client and the network can do at best.
//!
//! It is a part of the lab's program and of no daemon: nothing that a client stores on it exists afterwards.

mod compound;
mod files;

use std::io::{self, BufReader, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use bytes::{Bytes, BytesMut};
use clap::Args;
use forebay_nfs_proto::rpc::record;

use compound::NullServer;

/// The most bytes of a request: a WRITE of 1 MiB and its header.
const RECORD_BYTES_MAX: usize = (1 << 20) + (64 << 10);
/// Small, so that it takes in a request without a payload, and hardly any of a payload is copied twice.
const READ_BUFFER_BYTES: usize = 1 << 10;
/// The flag of the last fragment in a record's mark.
const LAST_FRAGMENT: u32 = 0x8000_0000;

/// The arguments.
#[derive(Debug, Args)]
pub struct NullServerArgs {
    /// Address to listen on
    #[arg(long)]
    listen: SocketAddr,
}

/// Serves until the process is killed.
pub fn run(args: &NullServerArgs) -> Result<()> {
    let listener = TcpListener::bind(args.listen).with_context(|| format!("listen on {}", args.listen))?;
    let server = Arc::new(NullServer::new());
    for stream in listener.incoming() {
        let (stream, server) = (stream.context("accept a connection")?, server.clone());
        // A connection that breaks concerns its client only.
        thread::spawn(move || serve(stream, &server).ok());
    }
    Ok(())
}

/// Answers the requests of a connection, one after the other. Each is read into the memory of the one before.
fn serve(mut stream: TcpStream, server: &NullServer) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(READ_BUFFER_BYTES, stream.try_clone()?);
    let mut buffer = BytesMut::new();
    loop {
        let mut mark = [0; record::MARK_BYTES];
        reader.read_exact(&mut mark)?;
        let length = length_of(u32::from_be_bytes(mark))?;
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        reader.read_exact(buffer.get_mut(..length).unwrap_or_default())?;
        let whole = buffer.freeze();
        let reply = server.answer(whole.slice(..length)).map_err(|_| io::ErrorKind::InvalidData)?;
        buffer = whole.try_into_mut().unwrap_or_default();
        send(&mut stream, &reply)?;
    }
}

/// The length of a record in one fragment, which is what clients send.
fn length_of(mark: u32) -> io::Result<usize> {
    let length = (mark & !LAST_FRAGMENT) as usize;
    if mark & LAST_FRAGMENT == 0 || length > RECORD_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(length)
}

fn send(stream: &mut TcpStream, pieces: &[Bytes]) -> io::Result<()> {
    let mark = record::mark(pieces.iter().map(Bytes::len).sum())?;
    let mut slices = vec![IoSlice::new(&mark)];
    slices.extend(pieces.iter().map(|piece| IoSlice::new(piece)));
    let mut rest = slices.as_mut_slice();
    while !rest.is_empty() {
        let written = stream.write_vectored(rest)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut rest, written);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_nfs_client::xdr::nfs4::StableHow;
    use forebay_nfs_client::{Client, ClientOptions, Error, xdr::Status};

    #[tokio::test]
    async fn names_and_sizes_are_kept_and_data_is_zeros() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = Arc::new(NullServer::new());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let server = server.clone();
                thread::spawn(move || serve(stream.unwrap(), &server).ok());
            }
        });
        let client = Client::mount(address, ClientOptions::new("test")).await.unwrap();
        let files = client.files();
        let folder = files.resolve("/kafka").await.unwrap();
        let file = files.create(&folder, "log").await.unwrap();
        let written = files.write(&file, 100, vec![7; 1 << 20].into(), StableHow::Unstable).await.unwrap();
        assert_eq!(written.writeverf, files.commit(&file.handle).await.unwrap());
        let (data, end) = files.read(&file, 50, 1 << 20).await.unwrap();
        assert!(!end && data.into_bytes() == vec![0; 1 << 20]);
        let (data, end) = files.read(&file, 1 << 20, 1 << 20).await.unwrap();
        assert_eq!((data.len(), end), (100, true));
        assert_eq!(files.getattr(&file.handle).await.unwrap().size, Some((1 << 20) + 100));
        files.close(&file).await.unwrap();
        files.remove(&folder, "log").await.unwrap();
        let gone = files.lookup(&folder, "log").await;
        assert!(matches!(gone, Err(Error::Status { status: Status::NoEnt, .. })));
    }
}
