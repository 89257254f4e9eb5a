//! Record marking: a stream of any bytes, in pieces of any size, ends in records that were there, or in an error.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use forebay_nfs_proto::rpc::record::{RecordReader, write_record};
use tokio::io::{AsyncRead, ReadBuf};

/// Longest record that is taken.
const RECORD_BYTES_MAX: usize = 128 << 10;

/// Bytes that come a few at a time.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let (now, later) = this.rest.split_at(this.size.min(this.rest.len()).min(into.remaining()));
        into.put_slice(now);
        this.rest = later;
        Poll::Ready(Ok(()))
    }
}

/// The first byte says in which pieces the others come.
pub fn run(data: &[u8]) {
    let Some((size, stream)) = data.split_first() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let size = usize::from(*size).pow(2) + 1;
        let records = read(Pieces { rest: stream, size }).await;
        assert!(records.iter().map(Bytes::len).sum::<usize>() <= stream.len());
        assert!(records.iter().all(|record| record.len() <= RECORD_BYTES_MAX));
        assert_eq!(read(Pieces { rest: stream, size: 1 << 20 }).await, records, "whatever the pieces");
        let mut again = Vec::new();
        for record in &records {
            write_record(&mut again, std::slice::from_ref(record)).await.expect("it was a record");
        }
        assert_eq!(read(Pieces { rest: &again, size }).await, records);
    });
}

async fn read(stream: Pieces<'_>) -> Vec<Bytes> {
    let mut reader = RecordReader::new(stream, RECORD_BYTES_MAX);
    let mut records = Vec::new();
    while let Ok(Some(record)) = reader.next().await {
        records.push(record);
    }
    records
}
