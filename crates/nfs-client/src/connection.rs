//! A TCP connection that carries any number of RPC calls at a time.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND, PROCEDURE_NULL, ReplyHeader};
use forebay_nfs_proto::rpc::record::{RecordReader, write_record};
use forebay_nfs_proto::xdr::nfs4::{Operation, OperationResult};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::wire::{RECORD_BYTES_MAX, dial};
use crate::{Error, Result, TlsOptions};

/// The answer to a COMPOUND.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundReply {
    /// The status of the last operation executed.
    pub status: Status,
    /// The tag of the request.
    pub tag: Bytes,
    /// The results of the operations executed.
    pub results: Vec<OperationResult>,
    /// The whole reply as received.
    pub encoded: Bytes,
}

impl CompoundReply {
    fn decode(mut input: Decoder) -> Result<Self> {
        let encoded = input.rest().clone();
        let reply = CompoundReply {
            status: Decode::decode(&mut input)?,
            tag: Decode::decode(&mut input)?,
            results: Decode::decode(&mut input)?,
            encoded,
        };
        input.finish()?;
        Ok(reply)
    }

    /// The results, or the error of the operation that failed.
    pub fn into_results(self) -> Result<Vec<OperationResult>> {
        match self.status {
            Status::Ok => Ok(self.results),
            status => {
                let operation = self.results.last().map_or(0, OperationResult::code);
                Err(Error::Status { operation, status })
            }
        }
    }
}

#[derive(Default)]
struct Waiting {
    calls: HashMap<u32, oneshot::Sender<Bytes>>,
    closed: bool,
}

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// An RPC connection.
pub struct Connection {
    writer: tokio::sync::Mutex<Writer>,
    waiting: Arc<Mutex<Waiting>>,
    next_xid: AtomicU32,
    credential: OpaqueAuth,
    receiving: AbortHandle,
}

impl Connection {
    /// Connects. All calls are made with `credential`.
    pub async fn connect(address: SocketAddr, credential: OpaqueAuth) -> Result<Connection> {
        Connection::connect_from(None, address, credential, None).await
    }

    /// Like [`Connection::connect`], from this local address and with TLS, if given.
    pub async fn connect_from(
        source: Option<IpAddr>,
        address: SocketAddr,
        credential: OpaqueAuth,
        tls: Option<&TlsOptions>,
    ) -> Result<Connection> {
        let stream = dial(source, address).await?;
        let waiting = Arc::<Mutex<Waiting>>::default();
        let (writer, receiving): (Writer, _) = match tls {
            None => {
                let (reader, writer) = stream.into_split();
                (Box::new(writer), tokio::spawn(receive(reader, waiting.clone())))
            }
            Some(tls) => {
                let (reader, writer) = tokio::io::split(tls.secure(stream).await?);
                (Box::new(writer), tokio::spawn(receive(reader, waiting.clone())))
            }
        };
        let (writer, receiving) = (tokio::sync::Mutex::new(writer), receiving.abort_handle());
        Ok(Connection { writer, waiting, next_xid: AtomicU32::new(1), credential, receiving })
    }

    /// Calls the procedure that does nothing.
    pub async fn null(&self) -> Result<()> {
        self.call(PROCEDURE_NULL, Encoder::new()).await.map(|_| ())
    }

    /// Executes a COMPOUND of these operations, without adding SEQUENCE.
    pub async fn compound(&self, minor_version: u32, operations: &[Operation]) -> Result<CompoundReply> {
        let mut arguments = Encoder::new();
        Bytes::new().encode(&mut arguments);
        minor_version.encode(&mut arguments);
        arguments.put_length(operations.len());
        for operation in operations {
            operation.encode(&mut arguments);
        }
        CompoundReply::decode(self.call(PROCEDURE_COMPOUND, arguments).await?)
    }

    /// Calls a procedure and returns the result.
    pub async fn call(&self, procedure: u32, arguments: Encoder) -> Result<Decoder> {
        let xid = self.next_xid.fetch_add(1, Ordering::Relaxed);
        let mut out = Encoder::of(&Call::nfs(xid, procedure, self.credential.clone()));
        out.append(arguments);
        let (answer, answered) = oneshot::channel();
        {
            let mut waiting = lock(&self.waiting);
            if waiting.closed {
                return Err(Error::Closed);
            }
            waiting.calls.insert(xid, answer);
        }
        let sent = async {
            let mut writer = self.writer.lock().await;
            write_record(&mut *writer, &out.into_pieces()).await?;
            writer.flush().await
        };
        let sent = sent.await;
        if let Err(error) = sent {
            lock(&self.waiting).calls.remove(&xid);
            return Err(error.into());
        }
        let mut input = Decoder::new(answered.await.map_err(|_| Error::Closed)?);
        ReplyHeader::decode(&mut input)?.outcome.map_err(Error::Refused)?;
        Ok(input)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.receiving.abort();
    }
}

fn lock(waiting: &Mutex<Waiting>) -> std::sync::MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes each reply to the call that waits for it, until the connection ends.
async fn receive(reader: impl AsyncRead + Unpin, waiting: Arc<Mutex<Waiting>>) {
    let mut reader = RecordReader::new(reader, RECORD_BYTES_MAX);
    while let Ok(Some(record)) = reader.next().await {
        let xid = u32::decode(&mut Decoder::new(record.clone()));
        let call = xid.ok().and_then(|xid| lock(&waiting).calls.remove(&xid));
        if let Some(call) = call {
            // Fails if the caller no longer waits.
            let _ = call.send(record);
        }
    }
    let mut waiting = lock(&waiting);
    waiting.closed = true;
    waiting.calls.clear();
}
