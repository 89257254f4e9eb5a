//! The scrub: reads and verifies every referenced frame, in every copy, at a limited rate.
//!
//! It begins with the inline bytes in the metadata store (see [`crate::data::inline`]): reading verifies them, and in files
//! that no client is writing to, they become chunks. Then it goes from segment to segment, and durably records its progress,
//! so that it continues there after a restart. A frame that is damaged in one copy is rewritten from another. A segment that
//! a copy lacks is copied. Damage in all copies is reported and stays: a reader gets an error for it, never wrong bytes. A
//! scrub starts by itself one period after the last one, and when a copy that has missed writes is available again. It also
//! reads all metadata ([`crate::upkeep::scrub_metadata`]) and the headers of segments ([`crate::upkeep::headers`]).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::base::pace::pace;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::format::records::{Record, SegmentRecord};
use crate::parts::scrub::{KEY, NAMESPACE, ScrubRecord, State};
use crate::upkeep::cleaner::Located;
use crate::{Error, Result, ScrubStatus};

/// The number of bytes that one step verifies.
const STEP_BYTES: u64 = 2 << 20;
/// How long the scrub waits before it looks again whether a segment is no longer in use.
const SETTLING: Duration = Duration::from_millis(50);

impl Engine {
    /// Starts a scrub from the beginning, even if one is running.
    pub(crate) async fn scrub_start(self: &Arc<Self>) -> Result<()> {
        self.begin_scrub().await?;
        self.signals.scrub.notify_one();
        Ok(())
    }

    /// Stops the scrub that is running, if any.
    pub(crate) async fn scrub_stop(self: &Arc<Self>) -> Result<()> {
        let record = {
            let mut state = sync::lock(&self.upkeep.scrub.state);
            state.record.running = false;
            state.record
        };
        self.remember_scrub(record).await
    }

    pub(crate) fn scrub_status(&self) -> ScrubStatus {
        let state = sync::lock(&self.upkeep.scrub.state);
        let record = &state.record;
        let time = |seconds: u64| (seconds > 0).then(|| UNIX_EPOCH + Duration::from_secs(seconds));
        ScrubStatus {
            running: record.running,
            started: time(record.started),
            finished: time(record.finished),
            frames: record.frames,
            bytes: record.bytes,
            bytes_total: self.segments.list().iter().map(|(_, record)| record.bytes_live).sum(),
            repaired: record.repaired + state.repaired_by_readers,
            damaged: record.damaged,
            damage: state.described.clone(),
            copies: self.stores.segments.copies() as u64,
            degraded: self.stores.segments.is_degraded(),
        }
    }

    /// Does the work that is due.
    pub(crate) async fn scrub_round(self: &Arc<Self>) -> Result<()> {
        if self.copies_missed_something().await? || self.is_scrub_due().await? {
            self.begin_scrub().await?;
        }
        // A scrub that is started later is left to the next round, which begins at once.
        let generation = sync::lock(&self.upkeep.scrub.state).generation;
        self.scrub_inline().await?;
        loop {
            self.scrub_metadata().await?;
            self.require_open()?;
            let Some(segment) = self.next_to_scrub() else {
                if self.is_settling() {
                    self.pause_until(Instant::now() + SETTLING).await;
                    continue;
                }
                return self.end_scrub(generation).await;
            };
            self.stopped.check()?;
            match self.scrub_segment(segment).await {
                Err(Error::Damaged(what)) => {
                    self.upkeep
                        .scrub
                        .count_damage(format!("segment {segment} was not verified completely: {what}"));
                }
                done => done?,
            }
            let record = {
                let mut state = sync::lock(&self.upkeep.scrub.state);
                // The scrub was stopped or started again meanwhile.
                if !state.record.running || state.generation != generation {
                    return Ok(());
                }
                state.record.done = segment.0;
                state.record
            };
            self.remember_scrub(record).await?;
        }
    }

    /// Turns inline bytes into chunks. Runs before the first segment is scrubbed, so the new segment is scrubbed like any other.
    async fn scrub_inline(self: &Arc<Self>) -> Result<()> {
        let generation = {
            let state = sync::lock(&self.upkeep.scrub.state);
            if !state.record.running || state.record.done > 0 || state.walked == Some(state.generation) {
                return Ok(());
            }
            state.generation
        };
        let goes_on = |state: &State| state.record.running && state.generation == generation;
        let damaged = self.chunk_all(|| goes_on(&sync::lock(&self.upkeep.scrub.state))).await?;
        // What was written so far is scrubbed, too, also what is in the open segment.
        let engine = self.clone();
        let retire = move || {
            let is_named = |id| engine.segments.usage(id).bytes_named > 0;
            engine.stores.writer.retire_if(is_named).inspect_err(|error| engine.stopped.stop(error))?;
            Ok(engine.segments.list().last().map(|(id, _)| *id))
        };
        let last = sync::blocking(retire).await?;
        let mut state = sync::lock(&self.upkeep.scrub.state);
        state.last = last;
        if goes_on(&state) {
            state.walked = Some(generation);
            damaged.into_iter().for_each(|damage| state.describe(damage));
        }
        Ok(())
    }

    async fn copies_missed_something(self: &Arc<Self>) -> Result<bool> {
        if self.stores.segments.copies() < 2 {
            return Ok(false);
        }
        let engine = self.clone();
        sync::blocking(move || {
            if engine.stores.segments.is_degraded() {
                let mut state = sync::lock(&engine.upkeep.scrub.state);
                (state.wanted, state.retired) = (true, None);
                drop(state);
                // The reason was logged when the copy became unavailable.
                if engine.revive_copy().is_err() {
                    return Ok(false);
                }
            }
            let (was_wanted, retired) = {
                let state = sync::lock(&engine.upkeep.scrub.state);
                (state.wanted, state.retired)
            };
            if was_wanted {
                // The copy also lacks frames of the open segment, and only settled segments are scrubbed.
                let last = match retired {
                    Some(last) => last,
                    None => engine.stores.writer.retire().inspect_err(|error| engine.stopped.stop(error))?,
                };
                let is_settled = engine.stores.writer.are_settled(last);
                let mut state = sync::lock(&engine.upkeep.scrub.state);
                state.retired = (!is_settled).then_some(last);
                if !is_settled {
                    return Ok(false);
                }
                state.wanted = false;
            }
            let running = sync::lock(&engine.upkeep.scrub.state).record.running;
            let lacks = || Ok(!engine.stores.segments.is_complete()? || engine.copy_lacks_segments()?);
            Ok(was_wanted || (!running && lacks()?))
        })
        .await
    }

    fn revive_copy(&self) -> Result<bool> {
        self.stores.segments.revive(&|| self.stores.keeper.require_copy_fits())
    }

    fn copy_lacks_segments(&self) -> Result<bool> {
        for copy in 0..self.stores.segments.copies() {
            let Some(there) = self.stores.segments.list_copy(copy)? else { continue };
            let there: HashMap<SegmentId, u64> = there.into_iter().collect();
            let lacks = |id: SegmentId| !there.contains_key(&id) && self.stores.writer.is_settled(id);
            if self.segments.list().iter().any(|(id, record)| record.bytes_live > 0 && lacks(*id)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn is_scrub_due(self: &Arc<Self>) -> Result<bool> {
        let Some(period) = self.options.scrub_period else { return Ok(false) };
        let now = seconds(self.clock.now());
        let record = sync::lock(&self.upkeep.scrub.state).record;
        if record.since == 0 {
            let record = ScrubRecord { since: now, ..record };
            sync::lock(&self.upkeep.scrub.state).record = record;
            self.remember_scrub(record).await?;
            return Ok(false);
        }
        Ok(!record.running
            && now.saturating_sub(record.finished.max(record.started).max(record.since)) >= period.as_secs())
    }

    async fn begin_scrub(self: &Arc<Self>) -> Result<()> {
        let record = {
            let mut state = sync::lock(&self.upkeep.scrub.state);
            let (started, before) = (seconds(self.clock.now()), state.record);
            let (finished, since) = (before.finished, before.since);
            state.record = ScrubRecord { running: true, started, finished, since, ..ScrubRecord::default() };
            state.described.clear();
            state.generation += 1;
            let segments = &self.stores.segments;
            state.vouches = (!segments.is_degraded() && !state.wanted).then(|| segments.misses());
            state.record
        };
        tracing::info!("scrub started");
        self.remember_scrub(record).await
    }

    async fn end_scrub(self: &Arc<Self>, generation: u64) -> Result<()> {
        let (record, vouches) = {
            let mut state = sync::lock(&self.upkeep.scrub.state);
            if !state.record.running || state.generation != generation {
                return Ok(());
            }
            state.record.running = false;
            state.record.finished = seconds(self.clock.now());
            (state.record, state.vouches.take())
        };
        let engine = self.clone();
        sync::blocking(move || {
            let segments = &engine.stores.segments;
            let vouches = vouches.is_some_and(|misses| misses == segments.misses());
            if vouches && !segments.is_degraded() { segments.declare_complete(true) } else { Ok(()) }
        })
        .await?;
        let ScrubRecord { frames, bytes, repaired, damaged, .. } = record;
        tracing::info!(frames, bytes, repaired, damaged, "scrub finished");
        self.remember_scrub(record).await
    }

    async fn remember_scrub(self: &Arc<Self>, record: ScrubRecord) -> Result<()> {
        self.record_put(NAMESPACE, KEY, &record.encode()).await
    }

    /// Whether a segment that the scrub is to verify is still in use by a write that began before.
    fn is_settling(&self) -> bool {
        let state = sync::lock(&self.upkeep.scrub.state);
        let (record, last) = (state.record, state.last);
        drop(state);
        let open = self.stores.writer.open_segment();
        let is_left = |(id, segment): &(SegmentId, SegmentRecord)| {
            id.0 > record.done
                && last.is_some_and(|last| *id <= last)
                && Some(*id) != open
                && segment.bytes_live > 0
        };
        record.running && self.segments.list().iter().any(is_left)
    }

    /// The first segment that holds live data, is not scrubbed yet and no longer grows.
    fn next_to_scrub(&self) -> Option<SegmentId> {
        let record = sync::lock(&self.upkeep.scrub.state).record;
        let mut segments = self.segments.list().into_iter().filter(|_| record.running);
        segments
            .find(|(id, segment)| {
                id.0 > record.done && segment.bytes_live > 0 && self.stores.writer.is_settled(*id)
            })
            .map(|(id, _)| id)
    }

    async fn scrub_segment(self: &Arc<Self>, segment: SegmentId) -> Result<()> {
        let engine = self.clone();
        let mut chunks = sync::blocking(move || {
            let _restoring = sync::lock(&engine.upkeep.scrub.restoring);
            engine.complete_copies(segment)?;
            let chunks = engine.chunks_in(segment)?;
            engine.mend_headers(segment, &chunks)?;
            Ok(chunks)
        })
        .await?;
        while !chunks.is_empty() && sync::lock(&self.upkeep.scrub.state).record.running {
            self.require_open()?;
            let began = Instant::now();
            let mut bytes = 0;
            let count = chunks.iter().take_while(|(_, record)| {
                let fits = bytes < STEP_BYTES;
                bytes += u64::from(record.bytes_stored);
                fits
            });
            let rest = chunks.split_off(count.count().min(chunks.len()));
            let (engine, step) = (self.clone(), std::mem::replace(&mut chunks, rest));
            let bytes: u64 = step.iter().map(|(_, record)| u64::from(record.bytes_stored)).sum();
            sync::blocking(move || engine.verify(&step)).await?;
            self.pause_until(began + pace(bytes, self.options.scrub_bytes_per_second)).await;
        }
        Ok(())
    }

    /// Copies the segment to the copies in which it is missing or too short.
    fn complete_copies(&self, segment: SegmentId) -> Result<()> {
        let copies = self.stores.segments.copies();
        if copies < 2 || self.stores.segments.is_degraded() {
            return Ok(());
        }
        let mut lengths = Vec::with_capacity(copies);
        for copy in 0..copies {
            let listed = self.stores.segments.list_copy(copy)?.unwrap_or_default();
            lengths.push(listed.into_iter().find(|(id, _)| *id == segment).map_or(0, |(_, length)| length));
        }
        let longest = lengths.iter().copied().max().unwrap_or_default();
        for (copy, _) in lengths.iter().enumerate().filter(|(_, length)| **length == 0) {
            tracing::warn!(%segment, copy, "a segment is missing or too short in a copy; copying it");
            self.stores.segments.copy_over(copy, segment, longest)?;
            self.meters.frames_repaired.add(1);
            sync::lock(&self.upkeep.scrub.state).record.repaired += 1;
        }
        Ok(())
    }

    fn verify(&self, chunks: &[Located]) -> Result<()> {
        for (id, record) in chunks {
            let outcome = self.repair_frame(*id, record)?;
            let moved = match self.chunk_record(*id)? {
                Some(now) => (now.segment, now.offset) != (record.segment, record.offset),
                None => true,
            };
            let mut state = sync::lock(&self.upkeep.scrub.state);
            state.record.frames += 1;
            state.record.bytes += u64::from(record.bytes_stored);
            state.record.repaired += outcome.copies;
            if outcome.content.is_none() && !moved {
                let place = format!("the chunk at {}", record.place());
                let wrong = outcome.wrong;
                tracing::error!(
                    place,
                    wrong,
                    "scrub: every copy is damaged; the files that use this data cannot be read there"
                );
                state.describe(format!("{place}: {wrong}, in every copy"));
            }
        }
        Ok(())
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
