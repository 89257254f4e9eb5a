//! A body for tests, which comes in given pieces and may fail at its end.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;

pub(in crate::guard) struct TestBody {
    pieces: VecDeque<Bytes>,
    fails: bool,
    /// Bodies are pending before each piece, as bodies from the network are.
    ready: bool,
}

impl TestBody {
    pub(in crate::guard) fn new(pieces: impl IntoIterator<Item = impl Into<Bytes>>, fails: bool) -> Self {
        TestBody { pieces: pieces.into_iter().map(Into::into).collect(), fails, ready: false }
    }
}

impl Body for TestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.ready = !self.ready;
        if self.ready {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(match self.pieces.pop_front() {
            Some(piece) => Some(Ok(Frame::data(piece))),
            None if std::mem::take(&mut self.fails) => Some(Err(io::ErrorKind::ConnectionReset.into())),
            None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && !self.fails
    }
}

/// The data of a body up to its end or its error.
pub(in crate::guard) async fn gather<B: Body<Data = Bytes>>(body: B) -> (Vec<u8>, Option<B::Error>) {
    let mut body = Box::pin(body);
    let mut data = Vec::new();
    loop {
        match body.frame().await {
            None => return (data, None),
            Some(Err(error)) => return (data, Some(error)),
            Some(Ok(frame)) => data.extend_from_slice(frame.data_ref().unwrap()),
        }
    }
}
