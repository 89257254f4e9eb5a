//! The pool's background tasks: they flush aged data, chunk inline bytes, free what was deleted, take scheduled snapshots,
//! and verify stored data. They end when the pool is closed or dropped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::base::signals::Signals;
use crate::engine::Engine;
use crate::parts::dirty::WRITE_BEHIND_BYTES;
use crate::parts::inode::Inode;
use crate::upkeep::sweep::{LIST_AGAIN, SWEEP_EVERY, SWEEP_FIRST};
use crate::volumes::schedule;
use crate::{Error, Result};

/// The number of inodes that are flushed at the same time.
const FLUSHES_MAX: usize = 16;

/// How often the scrubber checks whether it has work.
const SCRUB_PAUSE: Duration = Duration::from_secs(60);

/// How often a second copy of the metadata that is missing is looked for.
const COPY_PAUSE: Duration = Duration::from_secs(5);

/// The longest pause after failures: a disk that is full stays full for a while.
const COPY_PAUSE_MAX: Duration = Duration::from_secs(60);

/// Starts the tasks.
pub(crate) fn start(engine: &Arc<Engine>) -> Vec<JoinHandle<()>> {
    let age = Duration::from_millis(engine.options.dirty_age_ms_max.max(1));
    let mut tasks = vec![
        tokio::spawn(flusher(Arc::downgrade(engine), engine.signals.clone(), age)),
        tokio::spawn(scheduler(Arc::downgrade(engine), engine.signals.clone())),
        tokio::spawn(reaper(Arc::downgrade(engine), engine.signals.clone(), age)),
        tokio::spawn(chunker(Arc::downgrade(engine), engine.signals.clone(), engine.options.inline_age)),
        tokio::spawn(scrubber(Arc::downgrade(engine), engine.signals.clone())),
    ];
    if engine.stores.meta.copies().wanted > 1 {
        tasks.push(tokio::spawn(copier(Arc::downgrade(engine), engine.signals.clone())));
    }
    if engine.stores.segments.keeps_objects() {
        tasks.push(tokio::spawn(sweeper(Arc::downgrade(engine), engine.signals.clone())));
    }
    if let Some(log) = &engine.log {
        tasks.push(tokio::spawn(log_keeper(Arc::downgrade(engine), engine.signals.clone(), log.wanted())));
    }
    tasks
}

/// Flushes inodes whose oldest dirty change is older than `age`, or that have much dirty data. Under memory pressure,
/// flushes all of them.
async fn flusher(engine: Weak<Engine>, signals: Arc<Signals>, age: Duration) {
    let pause = (age / 4).clamp(Duration::from_millis(5), Duration::from_secs(1));
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        let due = due(&engine, age);
        let failed = flush_all(&engine, due).await;
        drop(engine);
        // A flush that failed, for example for lack of space, is not repeated at once, however high the pressure.
        let pressure = async {
            if failed {
                std::future::pending::<()>().await;
            }
            signals.pressure.notified().await;
        };
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            () = pressure => {}
            () = signals.closing() => {}
        }
    }
}

fn due(engine: &Engine, age: Duration) -> Vec<Arc<Inode>> {
    let now = Instant::now();
    let mut due = engine.writes.dirty.inodes();
    if !engine.writes.dirty.is_pressed() {
        due.retain(|inode| {
            let state = inode.state();
            let aged = state.dirty_since.is_none_or(|since| now.duration_since(since) >= age);
            aged || state.dirty.bytes() >= WRITE_BEHIND_BYTES
        });
    }
    due
}

/// Returns true if a flush failed.
async fn flush_all(engine: &Arc<Engine>, inodes: Vec<Arc<Inode>>) -> bool {
    let mut failed = false;
    for some in inodes.chunks(FLUSHES_MAX) {
        let mut flushes = tokio::task::JoinSet::new();
        for inode in some {
            let (engine, inode) = (engine.clone(), inode.clone());
            flushes.spawn(async move {
                let outcome = engine.flush_aged(&inode).await;
                if let Err(error) = &outcome {
                    let (volume, inode) = (inode.handle.volume.0, inode.handle.inode.0);
                    tracing::warn!(volume, inode, %error, "flush failed; the dirty data stays in memory");
                }
                engine.writes.dirty.settle(&inode);
                outcome.is_err()
            });
        }
        while let Some(outcome) = flushes.join_next().await {
            failed |= outcome.unwrap_or(true);
        }
    }
    failed
}

/// Takes scheduled snapshots, and removes snapshots and deleted volumes whose time is over.
async fn scheduler(engine: Weak<Engine>, signals: Arc<Signals>) {
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        if let Err(error) = keep_times(&engine).await
            && !engine.is_closing()
        {
            tracing::warn!(%error, "removing what has expired failed; the pool will try again");
        }
        if let Err(error) = engine.keep_schedule().await
            && !engine.is_closing()
        {
            tracing::warn!(%error, "taking scheduled snapshots failed; the pool will try again");
        }
        drop(engine);
        tokio::select! {
            biased;
            () = tokio::time::sleep(schedule::LOOK_EVERY) => {}
            () = signals.closing() => {}
        }
    }
}

/// Removes what has reached its deadline.
async fn keep_times(engine: &Arc<Engine>) -> Result<()> {
    engine.keep_time().await?;
    engine.expire_snapshots().await?;
    engine.purge_due().await
}

/// Frees orphans, deleted volumes and dead segments.
async fn reaper(engine: Weak<Engine>, signals: Arc<Signals>, pause: Duration) {
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        engine.reaper_round().await;
        drop(engine);
        tokio::select! {
            biased;
            () = signals.reap.notified() => {}
            () = tokio::time::sleep(pause) => {}
            () = signals.closing() => {}
        }
    }
}

/// Turns inline bytes of files that are no longer written to into chunks.
async fn chunker(engine: Weak<Engine>, signals: Arc<Signals>, age: Duration) {
    let pause = (age / 4).clamp(Duration::from_millis(5), Duration::from_secs(15));
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        if let Err(error) = engine.chunk_round().await
            && !engine.is_closing()
        {
            tracing::warn!(%error, "chunking inline bytes failed; the pool will try again");
        }
        drop(engine);
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            () = signals.inline.notified() => {}
            () = signals.closing() => {}
        }
    }
}

/// Keeps files of the intent log ready.
async fn log_keeper(engine: Weak<Engine>, signals: Arc<Signals>, wanted: Arc<Notify>) {
    while !signals.is_closing() {
        tokio::select! {
            biased;
            () = wanted.notified() => {}
            () = signals.closing() => break,
        }
        let Some(engine) = engine.upgrade() else { break };
        if let Err(error) = engine.log_round().await
            && !engine.is_closing()
            && !matches!(error, Error::NoSpace)
        {
            tracing::warn!(%error, "no file of the intent log could be prepared; until one is, syncs take longer");
        }
    }
}

/// Sweeps a store in which opening does not look at all segments.
async fn sweeper(engine: Weak<Engine>, signals: Arc<Signals>) {
    loop {
        let Some(engine) = engine.upgrade() else { return };
        let found = tokio::select! {
            biased;
            found = engine.find_segments() => found,
            // The list of a bucket may take minutes.
            () = signals.closing() => return,
        };
        let Err(error) = found else { break };
        tracing::warn!(%error, "the segments of earlier starts cannot be listed; until they are, what is written again is stored again");
        drop(engine);
        tokio::select! {
            biased;
            () = tokio::time::sleep(LIST_AGAIN) => {}
            () = signals.closing() => return,
        }
    }
    let mut pause = SWEEP_FIRST;
    while !signals.is_closing() {
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            () = signals.closing() => break,
        }
        let Some(engine) = engine.upgrade() else { break };
        pause = SWEEP_EVERY;
        if let Err(error) = engine.sweep().await
            && !engine.is_closing()
        {
            tracing::warn!(%error, "looking for segments that nothing names failed; the pool will try again in an hour");
            pause = SWEEP_FIRST;
        }
    }
}

/// Builds a second copy of the metadata when there is none.
async fn copier(engine: Weak<Engine>, signals: Arc<Signals>) {
    let (mut last, mut pause) = (String::new(), COPY_PAUSE);
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        let built = engine.copy_metadata().await.map_err(|error| error.to_string());
        pause = if built.is_ok() { COPY_PAUSE } else { (pause * 2).min(COPY_PAUSE_MAX) };
        if let Err(error) = built
            && !engine.is_closing()
            && error != last
        {
            tracing::warn!(
                error,
                "there is no second copy of the metadata; the pool tries to build one at least once a minute"
            );
            last = error;
        }
        drop(engine);
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            () = signals.closing() => {}
        }
    }
}

/// Scrubs the pool when a scrub is due, or when the operator asks for one.
async fn scrubber(engine: Weak<Engine>, signals: Arc<Signals>) {
    while !signals.is_closing() {
        let Some(engine) = engine.upgrade() else { break };
        if let Err(error) = engine.scrub_round().await
            && !engine.is_closing()
        {
            tracing::warn!(%error, "the scrub stopped early; it continues within a minute");
        }
        drop(engine);
        tokio::select! {
            biased;
            () = signals.scrub.notified() => {}
            () = tokio::time::sleep(SCRUB_PAUSE) => {}
            () = signals.closing() => {}
        }
    }
}
