//! The storer: one write and one sync for the chunks of many small flushes.
//!
//! A flush of a few chunks hands them to the storer's thread, and the storer hands what comes next, which is the flush's
//! job for the committer, to that. So a file's fsync changes threads as seldom as can be, and of many at the same time
//! each costs little: what has come while the last group was on its way to the disk goes together. What they have in common, as
//! replicas do, is stored once.

use std::sync::Arc;

use crate::base::queue::{Queue, Waiting};
use crate::format::frames::Packed;
use crate::parts::committer::Stopped;
use crate::store::segment::{Appended, SegmentWriter};
use crate::{Error, Result};

/// Bytes of frames after which a group is not extended.
const GROUP_BYTES_MAX: u64 = 8 << 20;

/// What one flush wants stored.
pub(crate) struct Store {
    pub(crate) chunks: Vec<Packed>,
    /// Is told where the chunks are, once they are durable there.
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
        // For one of them there may be room.
        Err(_) => thens.zip(chunks).for_each(|(then, chunks)| {
            let alone = append(writer, stopped, vec![chunks]);
            then(alone.and_then(|mut appended| appended.pop().ok_or(Error::Closed)));
        }),
    }
}

/// Appends for several, and makes it durable.
fn append(writer: &SegmentWriter, stopped: &Stopped, chunks: Vec<Vec<Packed>>) -> Result<Vec<Appended>> {
    let appended = writer.append_together(chunks)?;
    if let Some(last) = appended.last() {
        writer.sync(last.ticket).inspect_err(|error| stopped.stop(error))?;
    }
    Ok(appended)
}
