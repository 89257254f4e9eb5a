//! The storer: one write and one sync for the chunks of many small flushes.
//!
//! A flush of a few chunks hands them to the storer's thread. When they are durable, the storer submits the flush's job
//! directly to the committer, so an fsync of a file needs few thread switches. Everything that arrives while the storer
//! writes one group goes into the next, so many fsyncs at the same time cost little each. Chunks that several flushes
//! share, as replicas do, are stored once.

use std::sync::Arc;

use crate::base::queue::{Queue, Waiting};
use crate::format::frames::Packed;
use crate::parts::committer::Stopped;
use crate::store::segment::{Appended, SegmentWriter};
use crate::{Error, Result};

/// Once a group has this many bytes of frames, no more flushes are added to it.
const GROUP_BYTES_MAX: u64 = 8 << 20;

/// The chunks that one flush wants to store.
pub(crate) struct Store {
    pub(crate) chunks: Vec<Packed>,
    /// Receives the places of the chunks once they are durable, or the error.
    pub(crate) then: Box<dyn FnOnce(Result<Appended>) + Send>,
}

/// The storer's thread.
pub(crate) type Storer = Queue<Store>;

/// Starts the storer.
pub(crate) fn start(writer: Arc<SegmentWriter>, stopped: Stopped) -> Result<Storer> {
    Queue::start("pool-store", move |first, waiting| {
        let group = collect(first, waiting);
        store(&writer, &stopped, group);
    })
}

fn collect(first: Store, waiting: &mut Waiting<Store>) -> Vec<Store> {
    let bytes_of = |store: &Store| store.chunks.iter().map(Packed::bytes_stored).sum::<u64>();
    let mut bytes = bytes_of(&first);
    let mut group = vec![first];
    while bytes < GROUP_BYTES_MAX
        && let Ok(next) = waiting.try_recv()
    {
        bytes += bytes_of(&next);
        group.push(next);
    }
    group
}

fn store(writer: &SegmentWriter, stopped: &Stopped, group: Vec<Store>) {
    let (chunks, thens): (Vec<_>, Vec<_>) = group.into_iter().map(|store| (store.chunks, store.then)).unzip();
    let thens = thens.into_iter();
    match append(writer, stopped, chunks.clone()) {
        Ok(appended) => thens.zip(appended).for_each(|(then, appended)| then(Ok(appended))),
        // There may still be room for one of them alone.
        Err(_) => thens.zip(chunks).for_each(|(then, chunks)| {
            let alone = append(writer, stopped, vec![chunks]);
            then(alone.and_then(|mut appended| appended.pop().ok_or(Error::Closed)));
        }),
    }
}

/// Appends the chunks of several flushes and makes them durable.
fn append(writer: &SegmentWriter, stopped: &Stopped, chunks: Vec<Vec<Packed>>) -> Result<Vec<Appended>> {
    let appended = writer.append_together(chunks)?;
    if let Some(last) = appended.last() {
        writer.sync(last.ticket).inspect_err(|error| stopped.stop(error))?;
    }
    Ok(appended)
}
