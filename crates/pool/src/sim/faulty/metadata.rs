//! The copies of the metadata: the first copy, and the stores in the second directory.
//!
//! The second directory may be away for a whole life, or for some steps. Whatever is not synced there may be lost by a crash, like
//! everything else. Losing the first copy means that the pool goes on with what the second directory has.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;

use super::node::{Outcome, failure};
use super::{FaultyDisk, Inner, Lie, apply};
use crate::format::keys::Key;
use crate::opening::promote::promoted_state;
use crate::sim::random::Random;
use crate::store::meta::{
    Batch, CopyRule, MemoryMeta, MetaFiles, MetaStore, MetaView, NewCopy, PairedMeta, Position, SecondMeta,
    Visit,
};
use crate::store::witness::{Found, State};
use crate::{Error, Mismatch, Result};

/// So many batches can be had one by one.
const RECENT_MAX: usize = 200;

/// A store as it is on the disk.
#[derive(Clone, Default)]
pub(super) struct Stored {
    pub(super) map: BTreeMap<Key, Bytes>,
    /// The number of the last batch in `map`.
    pub(super) batch: u64,
    /// Unsynced batches, in order.
    pub(super) batches: Vec<Batch>,
    /// The last numbered batches in `map`.
    recent: VecDeque<(u64, Batch)>,
    /// Whether batches have no numbers.
    is_filling: bool,
}

impl Stored {
    fn keep(&mut self, batch: Batch) {
        apply(&mut self.map, &batch);
        if self.is_filling {
            return;
        }
        self.batch += 1;
        self.recent.push_back((self.batch, batch));
        if self.recent.len() > RECENT_MAX {
            self.recent.pop_front();
        }
    }

    pub(super) fn make_durable(&mut self) {
        for batch in std::mem::take(&mut self.batches) {
            self.keep(batch);
        }
    }

    /// A crash keeps a prefix of the batches.
    pub(super) fn lose_unsynced(&mut self, random: &mut Random) {
        let batches = std::mem::take(&mut self.batches);
        let kept = random.below(batches.len() as u64 + 1) as usize;
        batches.into_iter().take(kept).for_each(|batch| self.keep(batch));
    }

    /// The journals were removed, because the tables have their batches.
    fn forget_batches(&mut self) {
        self.recent.clear();
    }

    fn after(&self, number: u64) -> Option<Vec<Batch>> {
        let batches: Vec<Batch> =
            self.recent.iter().filter(|(known, _)| *known > number).map(|(_, batch)| batch.clone()).collect();
        (batches.len() as u64 == self.batch - number).then_some(batches)
    }
}

/// What the second directory has of the metadata.
#[derive(Clone, Default)]
pub(super) struct Second {
    stores: BTreeMap<u64, Stored>,
    /// The store that META names, and whether it is whole.
    named: Option<(u64, bool)>,
    /// The states, like those of the first copy.
    states: Vec<State>,
}

/// What happens to the second directory.
#[derive(Default)]
pub(super) struct Fate {
    /// It cannot be reached in this life.
    is_away: bool,
    /// From this step in the directory on, this many fail.
    outage: Option<(u64, u64)>,
    steps: u64,
    /// It may be stale without saying so: only the operator knows.
    may_be_stale: bool,
    /// It lacks segments, or did, so that it cannot take the place of the first copy.
    lacks_segments: bool,
    /// What it had at an earlier time.
    kept: Option<Second>,
    pub(super) broken: Option<CopyRule>,
}

/// A store of one start.
pub(super) struct FaultyMeta {
    pub(super) disk: Arc<FaultyDisk>,
    /// `None` for the first copy, or the number of a store in the second directory.
    pub(super) store: Option<u64>,
    pub(super) seen: MemoryMeta,
    pub(super) written: AtomicU64,
    is_poisoned: AtomicBool,
}

impl Inner {
    fn stored(&mut self, store: Option<u64>) -> &mut Stored {
        match store {
            None => &mut self.meta,
            Some(number) => self.second.stores.entry(number).or_default(),
        }
    }
}

impl FaultyMeta {
    /// A store with what the disk has of it.
    pub(super) fn open(disk: &Arc<FaultyDisk>, store: Option<u64>) -> Result<FaultyMeta> {
        let (changes, written) = {
            let mut inner = disk.inner();
            let stored = inner.stored(store);
            let changes = stored.map.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect();
            (changes, stored.batch)
        };
        let (seen, written) = (MemoryMeta::default(), AtomicU64::new(written));
        // Not while the disk's own lock is held: another node may have its turn here.
        seen.write(Batch { changes })?;
        Ok(FaultyMeta { disk: disk.clone(), store, seen, written, is_poisoned: AtomicBool::new(false) })
    }

    fn check(&self) -> Result<()> {
        let is_poisoned = match self.store {
            None => self.disk.node().poisoned,
            Some(_) => self.is_poisoned.load(Ordering::SeqCst),
        };
        if is_poisoned { Err(failure("use the poisoned metadata store")) } else { Ok(()) }
    }
}

impl MetaView for FaultyMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.disk.read()?;
        self.seen.get(key)
    }
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        self.disk.read()?;
        self.seen.scan(range, visit)
    }
}

impl MetaStore for FaultyMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        let bytes = batch.changes.iter().map(|(key, value)| {
            key.len() + value.as_ref().map_or(0, |value| value.iter().map(|byte| *byte as usize).sum())
        });
        let outcome = self.disk.change("batch", batch.changes.len() as u64, bytes.sum::<usize>() as u64);
        self.check()?;
        if outcome != Outcome::Dead {
            self.disk.inner().stored(self.store).batches.push(batch.clone());
        }
        outcome.check()?;
        if self.store.is_some() && !self.disk.second_answers() {
            // Whether the batch is there is not known.
            self.is_poisoned.store(true, Ordering::SeqCst);
            return Err(failure("write to the second copy of the metadata"));
        }
        self.written.fetch_add(1, Ordering::SeqCst);
        self.seen.write(batch)
    }
    fn make_durable(&self) -> Result<()> {
        let slow = self.disk.inner().slow;
        self.disk.linger(slow);
        self.disk.change("durable", 0, 0).check()?;
        self.check()?;
        if self.store.is_some() && !self.disk.second_answers() {
            self.is_poisoned.store(true, Ordering::SeqCst);
            self.disk.inner().stored(self.store).batches.clear();
            return Err(failure("sync the second copy of the metadata"));
        }
        if self.store.is_none() && self.disk.sync_fails() {
            self.disk.node().poisoned = true;
            return Err(failure("sync the metadata"));
        }
        let mut inner = self.disk.inner();
        if inner.lie != Some(Lie::Metadata) {
            inner.stored(self.store).make_durable();
        }
        Ok(())
    }
    fn position(&self) -> Position {
        let durable = self.disk.inner().stored(self.store).batch;
        Position { written: self.written.load(Ordering::SeqCst), durable, tables: [0; 2] }
    }
}

impl PairedMeta for FaultyMeta {
    fn batches_after(&self, number: u64) -> Result<Option<Vec<Batch>>> {
        self.disk.read()?;
        Ok(self.disk.inner().stored(self.store).after(number))
    }
}

impl NewCopy for FaultyMeta {
    fn fill(&self, batch: Batch) -> Result<()> {
        self.write(batch)
    }
    fn numbered(self: Arc<Self>, last: u64) -> Result<Arc<dyn PairedMeta>> {
        let mut inner = self.disk.inner();
        let stored = inner.stored(self.store);
        // A store that does not count yet need not lose anything.
        stored.make_durable();
        (stored.batch, stored.is_filling) = (last, false);
        self.written.store(last, Ordering::SeqCst);
        drop(inner);
        Ok(self)
    }
}

/// The second directory.
pub(super) struct FaultyPlace {
    disk: Arc<FaultyDisk>,
}

fn away() -> Error {
    failure("find the second copy")
}

impl SecondMeta for FaultyPlace {
    fn open(&self) -> Result<Option<Arc<dyn PairedMeta>>> {
        if !self.disk.second_answers() {
            return Err(away());
        }
        let named = self.disk.inner().second.named;
        match named {
            Some((number, true)) => Ok(Some(Arc::new(FaultyMeta::open(&self.disk, Some(number))?))),
            _ => Ok(None),
        }
    }
    fn create(&self) -> Result<Arc<dyn NewCopy>> {
        self.disk.change("newcopy", 0, 0).check()?;
        if !self.disk.second_answers() {
            return Err(away());
        }
        let number = {
            let mut inner = self.disk.inner();
            let second = &mut inner.second;
            let number = second.stores.keys().max().map_or(1, |last| last + 1);
            let named = second.named.map(|(number, _)| number);
            second.stores.retain(|number, _| Some(*number) == named);
            second.stores.insert(number, Stored { is_filling: true, ..Stored::default() });
            number
        };
        Ok(Arc::new(FaultyMeta::open(&self.disk, Some(number))?))
    }
    fn declare_whole(&self) -> Result<()> {
        let outcome = self.disk.change("whole", 0, 0);
        let mut inner = self.disk.inner();
        if outcome != Outcome::Dead {
            let number = inner.second.stores.keys().max().copied().unwrap_or_default();
            inner.second.named = Some((number, true));
            inner.fate.may_be_stale = false;
        }
        outcome.check()
    }
    fn declare_stale(&self) -> Result<()> {
        let named = self.disk.inner().second.named;
        if !named.is_some_and(|(_, is_whole)| is_whole) {
            return if self.disk.second_answers() { Ok(()) } else { Err(away()) };
        }
        let outcome = self.disk.change("stale", 0, 0);
        let answers = self.disk.second_answers();
        let mut inner = self.disk.inner();
        if !answers {
            inner.fate.may_be_stale = true;
            return Err(away());
        }
        if outcome != Outcome::Dead && inner.fate.broken != Some(CopyRule::DeclareStale) {
            inner.second.named = named.map(|(number, _)| (number, false));
        }
        outcome.check()
    }
}

impl FaultyDisk {
    /// The copies of the metadata.
    pub(super) fn meta_files(self: &Arc<Self>) -> Result<MetaFiles> {
        let first = Arc::new(FaultyMeta::open(self, None)?);
        let mut files = MetaFiles::of(first, None);
        let inner = self.inner();
        if inner.mirrored {
            files.second = Some(Arc::new(FaultyPlace { disk: self.clone() }));
        }
        files.broken = inner.fate.broken;
        Ok(files)
    }

    /// Switches a rule of the copies of the metadata off.
    pub(crate) fn breaking_copies(self, rule: CopyRule) -> FaultyDisk {
        self.inner().fate.broken = Some(rule);
        self
    }

    /// The pool says that the second copy has everything.
    pub(crate) fn trust_second(&self) {
        self.inner().fate.may_be_stale = false;
    }

    /// Counts a step in the second directory. Returns false if it cannot be reached.
    fn second_answers(&self) -> bool {
        let mut inner = self.inner();
        let fate = &mut inner.fate;
        let step = fate.steps;
        fate.steps += 1;
        let is_out =
            fate.outage.is_some_and(|(from, count)| (from..from.saturating_add(count)).contains(&step));
        !fate.is_away && !is_out
    }

    /// The state in the second directory.
    pub(super) fn state_in_copy(&self) -> Found {
        let inner = self.inner();
        if inner.fate.is_away {
            return Found::Missing;
        }
        inner.second.states.last().map_or(Found::Missing, |state| Found::There(*state))
    }

    pub(super) fn note_state_in_copy(
        &self,
        state: &State,
        durably: bool,
        may_replace: &dyn Fn(&Found) -> bool,
    ) -> Result<()> {
        if !self.inner().mirrored {
            return Ok(());
        }
        let found = self.state_in_copy();
        if !may_replace(&found) {
            return Err(away());
        }
        let outcome = self.change("copystat", state.boot, state.batch);
        let answers = self.second_answers();
        let mut inner = self.inner();
        if !answers {
            return Err(away());
        }
        let old_log = inner.second.states.last().map(|state| state.log);
        let breaks_laps = inner.fate.broken == Some(CopyRule::TellLaps);
        let log = old_log.filter(|_| breaks_laps).unwrap_or(state.log);
        let state = State { log, ..*state };
        match outcome {
            Outcome::Works if durably => inner.second.states = vec![state],
            Outcome::Works | Outcome::FailsNow => inner.second.states.push(state),
            Outcome::Dead => {}
        }
        outcome.check()
    }

    /// A crash of what is in the second directory.
    pub(super) fn lose_unsynced_of_second(inner: &mut Inner, random: &mut Random) {
        for stored in inner.second.stores.values_mut() {
            stored.lose_unsynced(random);
        }
        if !inner.second.states.is_empty() {
            let kept = random.below(inner.second.states.len() as u64) as usize;
            inner.second.states = vec![inner.second.states[kept]];
        }
    }

    /// Decides what happens to the copies of the metadata between two lives, and in the next one. Returns whether the first copy was lost.
    pub(crate) fn befall(self: &Arc<Self>, random: &mut Random, steps: u64) -> Result<bool> {
        if !self.inner().mirrored {
            return Ok(false);
        }
        let is_lost = random.permille(300) && self.lose_first()?;
        let mut inner = self.inner();
        let inner = &mut *inner;
        let fate = &mut inner.fate;
        if random.permille(150) {
            inner.meta.forget_batches();
            inner.second.stores.values_mut().for_each(Stored::forget_batches);
        }
        if random.permille(200) {
            fate.kept = Some(inner.second.clone());
        } else if random.permille(150)
            && let Some(kept) = fate.kept.take()
        {
            // An old copy comes back.
            inner.second = kept;
            fate.may_be_stale = true;
        }
        if is_lost {
            fate.kept = None;
        }
        fate.is_away = random.permille(150);
        fate.outage =
            random.permille(300).then(|| (random.below(steps), random.pick(&[1, 2, 5, 100]).unwrap_or(1)));
        fate.steps = 0;
        Ok(is_lost)
    }

    /// The first copy is destroyed, with everything in its directory. The pool is what the second directory has. Returns false, and loses
    /// nothing, if the pool cannot do without the first copy.
    fn lose_first(self: &Arc<Self>) -> Result<bool> {
        let number = {
            let inner = self.inner();
            let fate = &inner.fate;
            let Some((number, true)) = inner.second.named else { return Ok(false) };
            if fate.may_be_stale || fate.lacks_segments || inner.log_hurt == Some(1) || !inner.created {
                return Ok(false);
            }
            number
        };
        let meta = FaultyMeta::open(self, Some(number))?;
        let found = self.inner().second.states.last().map_or(Found::Missing, |state| Found::There(*state));
        let (state, mismatches) = promoted_state(&meta, found, true)?;
        if mismatches.contains(&Mismatch::CopyLog) {
            return Ok(false);
        }
        if let Some(mismatch) = mismatches.into_iter().next() {
            return Err(Error::refused(mismatch));
        }
        let mut inner = self.inner();
        let inner = &mut *inner;
        inner.meta = inner.second.stores.remove(&number).unwrap_or_default();
        inner.second = Second::default();
        inner.states = vec![state];
        inner.copies[0] = std::mem::take(&mut inner.copies[1]);
        inner.aside[0] = std::mem::take(&mut inner.aside[1]);
        inner.log[0] = std::mem::take(&mut inner.log[1]);
        inner.log_hurt = None;
        inner.fate.lacks_segments = true;
        Ok(true)
    }
}
