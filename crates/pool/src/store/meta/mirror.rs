//! Two copies of the metadata, in two stores. docs/decisions/0046-second-copy-of-the-metadata.md has the rules, and what each is for.
//!
//! Every batch goes to both stores, to the first one first, and both are synced before anything is acknowledged. They number their batches
//! alike. A *pair number*, a record in both, says that they are one history. The first copy decides: if it fails, the operation fails. If
//! the second fails, its pair number is removed from the first, in a batch before any that the second lacks, and the pool goes on with
//! one copy. [`MetaCopies::build_copy`] then makes a new one, while the pool serves.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use bytes::Bytes;

use super::{Batch, MetaCopies, MetaStore, MetaView, PairedMeta, Position, SingleMeta, Visit};
use crate::base::sync;
use crate::format::keys::{self, Key};
use crate::format::records::{Record, StartRecord};
use crate::{Error, MetadataCopies, Result};

/// The key of the pair number. It sorts before all of the pool's own.
pub(crate) const PAIR_KEY: [u8; 2] = [0, 1];
/// The first key that may be the pool's own.
const FIRST_KEY: [u8; 1] = [1];
/// A part that is copied at once.
const PART_BYTES: usize = 256 << 10;
// Few in tests, so that clients write while a copy is built.
const PART_KEYS: usize = if cfg!(test) { 5 } else { 2000 };

/// The place of the second copy.
pub(crate) trait SecondMeta: Send + Sync + 'static {
    /// Opens the copy. Returns `None` if there is none, or if it does not count.
    fn open(&self) -> Result<Option<Arc<dyn PairedMeta>>>;
    /// Creates an empty store beside the one that counts, if any, which must be declared stale.
    fn create(&self) -> Result<Arc<dyn NewCopy>>;
    /// Lets the store that was created last count, durably, and removes all others.
    fn declare_whole(&self) -> Result<()>;
    /// Lets no store count, durably. Succeeds if none does.
    fn declare_stale(&self) -> Result<()>;
}

/// A store that becomes a copy of another one.
pub(crate) trait NewCopy: Send + Sync + 'static {
    /// Applies changes that no batch number covers.
    fn fill(&self, batch: Batch) -> Result<()>;
    /// Continues as a store whose last batch had this number. [`PairedMeta::begin_write_out`] must follow its first batch.
    fn numbered(self: Arc<Self>, last: u64) -> Result<Arc<dyn PairedMeta>>;
}

/// A rule of the copies. Tests switch one off, and see that the simulation finds out.
#[cfg_attr(not(test), allow(dead_code, reason = "the simulation's disk breaks these itself"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Both copies are synced before anything is acknowledged.
    SyncBoth,
    /// A batch is durable when it is durable in both.
    DurableInBoth,
    /// The pair number is removed before the first copy gets a batch alone.
    RemovePair,
    /// A copy that lacks something is declared stale.
    DeclareStale,
    /// A copy that leads after a crash is followed by the other one.
    Follow,
    /// Batches are applied to the part of a new copy that is there already.
    ApplyWhileBuilding,
    /// The second copy's `STATE` says which laps of the log are needed.
    TellLaps,
}

#[cfg(test)]
impl Rule {
    pub(crate) const ALL: [Rule; 7] = [
        Rule::SyncBoth,
        Rule::DurableInBoth,
        Rule::RemovePair,
        Rule::DeclareStale,
        Rule::Follow,
        Rule::ApplyWhileBuilding,
        Rule::TellLaps,
    ];
}

/// The copies of the metadata.
pub(crate) struct MetaFiles {
    pub(crate) first: Arc<dyn PairedMeta>,
    /// `None` if the pool keeps one copy.
    pub(crate) second: Option<Arc<dyn SecondMeta>>,
    /// A rule that does not hold.
    #[cfg(test)]
    pub(crate) broken: Option<Rule>,
}

impl MetaFiles {
    /// A store that is the only copy.
    pub(crate) fn single(first: Arc<dyn MetaStore>) -> MetaFiles {
        MetaFiles::of(Arc::new(SingleMeta(first)), None)
    }

    /// A store, and the place of its second copy if there is to be one.
    pub(crate) fn of(first: Arc<dyn PairedMeta>, second: Option<Arc<dyn SecondMeta>>) -> MetaFiles {
        MetaFiles {
            first,
            second,
            #[cfg(test)]
            broken: None,
        }
    }

    /// All copies as one store. `boot_max` is the last start that the pool's state knows: the first copy does not follow a second one
    /// beyond that. Without it, the second copy is not used, and is built again.
    pub(crate) fn store(self, boot_max: Option<u64>) -> Result<Arc<dyn MetaCopies>> {
        let pair = pair_of(&*self.first)?;
        // A pool that keeps one copy no longer must remove the pair number.
        if self.second.is_none() && pair.is_none() {
            return Ok(Arc::new(SingleMeta(self.first)));
        }
        let mut cause = None;
        let second = self.open_second(pair, boot_max).unwrap_or_else(|error| {
            tracing::error!(%error, "the second copy of the metadata cannot be used; a new one is built when its directory can be");
            cause = Some(error.to_string());
            None
        });
        let durable = AtomicU64::new(self.first.position().durable);
        let state = State {
            second: second.clone().map_or(Second::Missing, Second::Whole),
            is_paired: pair.is_some(),
            is_declared: false,
        };
        Ok(Arc::new(MirroredMeta {
            first: self.first,
            place: self.second,
            state: Mutex::new(state),
            whole: RwLock::new(second),
            durable,
            rescued: AtomicU64::new(0),
            told: Mutex::new(Told { building: None, cause }),
            #[cfg(test)]
            broken: self.broken,
        }))
    }

    /// Opens the second copy, if it is of one history with the first, and lets the one that is behind follow the other.
    fn open_second(&self, pair: Option<u64>, boot_max: Option<u64>) -> Result<Option<Arc<dyn PairedMeta>>> {
        let (Some(place), Some(pair), Some(boot_max)) = (&self.second, pair, boot_max) else {
            return Ok(None);
        };
        let Some(second) = place.open()? else { return Ok(None) };
        if pair_of(&*second)? != Some(pair) {
            return Ok(None);
        }
        #[cfg(test)]
        if self.broken == Some(Rule::Follow) {
            return Ok(Some(second));
        }
        let (ours, theirs) = (self.first.position().written, second.position().written);
        let is_later = last_start(&*second)? > boot_max;
        let (from, to, since) = match ours.cmp(&theirs) {
            std::cmp::Ordering::Equal => return Ok(Some(second)),
            std::cmp::Ordering::Greater => (&self.first, &second, theirs),
            // A first copy from a backup: opening has to compare it with everything else as it is.
            std::cmp::Ordering::Less if is_later => return Ok(None),
            std::cmp::Ordering::Less => (&second, &self.first, ours),
        };
        let Some(batches) = from.batches_after(since)? else { return Ok(None) };
        tracing::info!(ours, theirs, "one copy of the metadata gets the last batches of the other");
        for batch in batches {
            to.write(batch)?;
        }
        to.make_durable()?;
        let is_same = self.first.position().written == second.position().written;
        Ok(is_same.then_some(second))
    }
}

/// The pair number in a store.
pub(crate) fn pair_of(store: &dyn MetaView) -> Result<Option<u64>> {
    let value = store.get(&PAIR_KEY)?;
    Ok(value.map(|value| value.first_chunk().map_or(0, |number| u64::from_be_bytes(*number))))
}

/// The last start that a store has counted.
fn last_start(store: &dyn MetaView) -> Result<u64> {
    let mut last = 0;
    store.scan(keys::starts(), &mut |key, value| {
        StartRecord::decode(key, value)?;
        last = keys::start_in(key).unwrap_or_default().max(last);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(last)
}

fn pair_batch(pair: Option<u64>) -> Batch {
    let value = pair.map(|pair| Bytes::copy_from_slice(&pair.to_be_bytes()));
    Batch { changes: vec![(PAIR_KEY.to_vec(), value)] }
}

/// See the module.
struct MirroredMeta {
    first: Arc<dyn PairedMeta>,
    /// `None` if the pool keeps one copy.
    place: Option<Arc<dyn SecondMeta>>,
    /// Locked while a store is written.
    state: Mutex<State>,
    /// The second copy, for readers.
    whole: RwLock<Option<Arc<dyn PairedMeta>>>,
    /// All batches up to this number are durable in each copy that counts.
    durable: AtomicU64,
    rescued: AtomicU64,
    /// Not locked while a store is written, so that a disk that hangs is still reported.
    told: Mutex<Told>,
    #[cfg(test)]
    broken: Option<Rule>,
}

/// What is reported about the second copy.
#[derive(Default)]
struct Told {
    /// Keys that are copied, and about how many there are.
    building: Option<(u64, u64)>,
    /// Why there is no second copy.
    cause: Option<String>,
}

struct State {
    second: Second,
    /// Whether the first copy has a pair number.
    is_paired: bool,
    /// Whether this start has declared the second copy stale, or has built it.
    is_declared: bool,
}

enum Second {
    Missing,
    Building(Building),
    /// It has every batch, with the first copy's numbers, and does not count yet.
    Numbered(Arc<dyn PairedMeta>),
    /// It has every batch that the first copy has.
    Whole(Arc<dyn PairedMeta>),
}

struct Building {
    store: Arc<dyn NewCopy>,
    /// Keys before this one are copied.
    until: Key,
    keys: u64,
}

impl MirroredMeta {
    #[cfg(test)]
    fn keeps(&self, rule: Rule) -> bool {
        self.broken != Some(rule)
    }

    #[cfg(not(test))]
    fn keeps(&self, _rule: Rule) -> bool {
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        sync::lock(&self.state)
    }

    /// Goes on without the second copy. What follows is written to the first alone.
    fn leave(&self, state: &mut State, cause: String) {
        tracing::error!(
            cause,
            "the second copy of the metadata is behind: going on with one; a new one is built when its directory can be written"
        );
        *sync::write(&self.whole) = None;
        state.second = Second::Missing;
        state.is_declared = false;
        self.tell(None, Some(cause));
    }

    fn tell(&self, building: Option<(u64, u64)>, cause: Option<String>) {
        *sync::lock(&self.told) = Told { building, cause };
    }

    /// To be called before a batch is written, or made durable, in the first copy alone.
    fn go_alone(&self, state: &mut State) -> Result<()> {
        if let Second::Whole(_) = state.second {
            return Ok(());
        }
        if state.is_paired {
            if self.keeps(Rule::RemovePair) {
                self.first.write(pair_batch(None))?;
            }
            state.is_paired = false;
        }
        if !state.is_declared {
            state.is_declared = true;
            let declared = self.place.as_ref().map_or(Ok(()), |place| place.declare_stale());
            if let Err(error) = declared {
                tracing::warn!(%error, "the second copy of the metadata could not be marked as stale");
            }
        }
        Ok(())
    }

    /// Begins to build a second copy.
    fn begin_building(&self, state: &mut State, place: &dyn SecondMeta) -> Result<()> {
        place.declare_stale()?;
        state.is_declared = true;
        self.go_alone(state)?;
        self.first.make_durable()?;
        let store = place.create()?;
        tracing::info!("building a second copy of the metadata");
        state.second = Second::Building(Building { store, until: FIRST_KEY.to_vec(), keys: 0 });
        Ok(())
    }

    /// Copies a part. Returns false at the end.
    fn copy_part(&self, building: &mut Building) -> Result<bool> {
        let Part { pairs, next } = part_of(&*self.first, building.until.clone())?;
        building.keys += pairs.len() as u64;
        let is_rest = next.is_some();
        building.until = next.unwrap_or_else(keys::end);
        let changes = pairs.into_iter().map(|(key, value)| (key, Some(value))).collect();
        building.store.fill(Batch { changes })?;
        self.tell(Some((building.keys, self.first.keys_about().max(building.keys))), None);
        Ok(is_rest)
    }

    /// Lets the copy count that was built.
    fn finish_building(
        &self,
        state: &mut State,
        second: Arc<dyn PairedMeta>,
        place: &dyn SecondMeta,
        pair: u64,
    ) -> Result<()> {
        second.write(pair_batch(Some(pair)))?;
        second.make_durable()?;
        // Until the first copy says so, an error leaves a copy that counts and gets no more batches.
        state.is_declared = false;
        place.declare_whole()?;
        state.is_paired = true;
        self.first.write(pair_batch(Some(pair)))?;
        self.first.make_durable()?;
        self.durable.store(self.first.position().durable, Ordering::SeqCst);
        *sync::write(&self.whole) = Some(second.clone());
        state.second = Second::Whole(second);
        self.tell(None, None);
        tracing::info!("the second copy of the metadata is whole");
        Ok(())
    }

    /// Does a part of the work. Returns true if there is more to do.
    fn build_part(&self, state: &mut State, place: &dyn SecondMeta, pair: u64) -> Result<bool> {
        match &mut state.second {
            Second::Whole(_) => Ok(false),
            // Batches go on while the numbers are written to tables.
            Second::Numbered(second) if !second.is_written_out()? => Ok(true),
            Second::Numbered(second) => {
                let second = second.clone();
                self.finish_building(state, second, place, pair).map(|()| false)
            }
            Second::Missing => self.begin_building(state, place).map(|()| true),
            Second::Building(building) => {
                if self.copy_part(building)? {
                    return Ok(true);
                }
                let second = building.store.clone().numbered(self.first.position().written)?;
                // The first batch with a number.
                second.write(Batch::default())?;
                self.first.write(Batch::default())?;
                second.begin_write_out()?;
                state.second = Second::Numbered(second);
                Ok(true)
            }
        }
    }

    fn give_up_building(&self, state: &mut State, error: &Error) {
        state.second = Second::Missing;
        self.tell(None, Some(error.to_string()));
    }

    /// The second copy, if a read of the first failed in a way that the second may not.
    fn rescuer(&self, error: &Error) -> Option<Arc<dyn PairedMeta>> {
        let second = may_be_read_elsewhere(error).then(|| sync::read(&self.whole).clone())??;
        if self.rescued.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::error!(%error, "the first copy of the metadata cannot be read everywhere; the second is read there");
        }
        Some(second)
    }
}

/// Some keys and values.
#[derive(PartialEq, Eq)]
struct Part {
    pairs: Vec<(Key, Bytes)>,
    /// The key to continue with; `None` at the end.
    next: Option<Key>,
}

fn part_of(store: &dyn MetaView, from: Key) -> Result<Part> {
    let (mut part, mut bytes) = (Part { pairs: Vec::new(), next: None }, 0);
    store.scan(from..keys::end(), &mut |key, value| {
        if bytes >= PART_BYTES || part.pairs.len() >= PART_KEYS {
            part.next = Some(key.to_vec());
            return Ok(ControlFlow::Break(()));
        }
        bytes += key.len() + value.len();
        part.pairs.push((key.to_vec(), Bytes::copy_from_slice(value)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(part)
}

fn may_be_read_elsewhere(error: &Error) -> bool {
    matches!(error, Error::Damaged(_) | Error::Meta(_))
}

/// Scans `first`, and the rest of the range in what `second` returns if that fails.
fn scan_either(
    first: &dyn MetaView,
    range: Range<Key>,
    visit: &mut Visit<'_>,
    second: impl FnOnce(&Error) -> Option<Arc<dyn MetaView>>,
) -> Result<()> {
    let Range { start, end } = range;
    let (mut from, mut of_visitor) = (start.clone(), Ok(()));
    let scanned = first.scan(start..end.clone(), &mut |key, value| {
        from = [key, &[0]].concat();
        visit(key, value).or_else(|error| {
            of_visitor = Err(error);
            Ok(ControlFlow::Break(()))
        })
    });
    of_visitor?;
    let Err(error) = scanned else { return Ok(()) };
    match second(&error) {
        Some(second) => second.scan(from..end, visit),
        None => Err(error),
    }
}

impl MetaView for MirroredMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.first.get(key).or_else(|error| match self.rescuer(&error) {
            Some(second) => second.get(key),
            None => Err(error),
        })
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        scan_either(&*self.first, range, visit, |error| {
            self.rescuer(error).map(|second| -> Arc<dyn MetaView> { second })
        })
    }
}

impl MetaStore for MirroredMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        let mut state = self.state();
        self.go_alone(&mut state)?;
        self.first.write(batch.clone())?;
        let written = match &state.second {
            Second::Missing => return Ok(()),
            Second::Whole(second) | Second::Numbered(second) => second.write(batch),
            Second::Building(building) => {
                let mut changes = batch.changes;
                changes.retain(|(key, _)| *key < building.until && self.keeps(Rule::ApplyWhileBuilding));
                building.store.fill(Batch { changes })
            }
        };
        if let Err(error) = written {
            self.leave(&mut state, format!("write to the second copy of the metadata: {error}"));
            self.go_alone(&mut state)?;
        }
        Ok(())
    }

    fn make_durable(&self) -> Result<()> {
        let mut state = self.state();
        self.go_alone(&mut state)?;
        if let Second::Whole(second) = &state.second {
            let second = second.clone();
            let written = self.first.position().written;
            if !self.keeps(Rule::DurableInBoth) {
                self.durable.store(written, Ordering::SeqCst);
            }
            let sync_second = || if self.keeps(Rule::SyncBoth) { second.make_durable() } else { Ok(()) };
            let (first, other) = sync::both(|| self.first.make_durable(), sync_second);
            first?;
            if let Err(error) = other.unwrap_or(Err(Error::Closed)) {
                self.leave(&mut state, format!("sync the second copy of the metadata: {error}"));
                self.go_alone(&mut state)?;
                self.first.make_durable()?;
            }
        } else {
            self.first.make_durable()?;
        }
        self.durable.store(self.first.position().durable, Ordering::SeqCst);
        Ok(())
    }

    fn position(&self) -> Position {
        let durable = self.durable.load(Ordering::SeqCst);
        Position { durable, ..self.first.position() }
    }

    fn give_back(&self) -> Result<()> {
        self.first.give_back()?;
        let second = sync::read(&self.whole).clone();
        second.map_or(Ok(()), |second| second.give_back()).or_else(|error| {
            // Its next write fails, if it cannot go on.
            tracing::warn!(%error, "the second copy of the metadata could not merge its tables");
            Ok(())
        })
    }

    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        let _state = self.state();
        let first = self.first.snapshot()?;
        let second = sync::read(&self.whole).clone().and_then(|second| second.snapshot().ok());
        Ok(Arc::new(MirroredView { first, second }))
    }
}

impl MetaCopies for MirroredMeta {
    fn copies(&self) -> MetadataCopies {
        let wanted = if self.place.is_some() { 2 } else { 1 };
        let whole = 1 + u64::from(sync::read(&self.whole).is_some());
        let rescued = self.rescued.load(Ordering::Relaxed);
        let Told { building, cause } = &*sync::lock(&self.told);
        MetadataCopies { wanted, whole, building: *building, cause: cause.clone(), rescued }
    }

    fn build_copy(&self, pair: u64) -> Result<bool> {
        let Some(place) = &self.place else { return Ok(false) };
        let mut state = self.state();
        self.build_part(&mut state, &**place, pair)
            .inspect_err(|error| self.give_up_building(&mut state, error))
    }

    fn compare_copies(&self, from: Key) -> Result<Option<Key>> {
        let mut state = self.state();
        let Second::Whole(second) = &state.second else { return Ok(None) };
        let from = from.max(FIRST_KEY.to_vec());
        let cause = match (part_of(&*self.first, from.clone()), part_of(&**second, from)) {
            (Ok(ours), Ok(theirs)) if ours == theirs => return Ok(ours.next),
            // Reading found this, too, and was answered by the second copy.
            (Err(error), Ok(theirs)) if may_be_read_elsewhere(&error) => return Ok(theirs.next),
            (Err(error), _) => return Err(error),
            (Ok(_), Ok(_)) => "the second copy of the metadata differs from the first".to_owned(),
            (Ok(_), Err(error)) => format!("read the second copy of the metadata: {error}"),
        };
        self.leave(&mut state, cause);
        Ok(None)
    }

    fn drop_copy(&self, cause: &str) {
        let mut state = self.state();
        // One that is being built is given up, too: it would count without what could not be told.
        if !matches!(state.second, Second::Missing) {
            self.leave(&mut state, cause.to_owned());
            // At once: what the log answers until the next write would not be there.
            state.is_declared = self.place.as_ref().is_some_and(|place| place.declare_stale().is_ok());
        }
    }
}

/// Both copies at one instant.
struct MirroredView {
    first: Arc<dyn MetaView>,
    second: Option<Arc<dyn MetaView>>,
}

impl MirroredView {
    fn rescuer(&self, error: &Error) -> Option<Arc<dyn MetaView>> {
        self.second.clone().filter(|_| may_be_read_elsewhere(error))
    }
}

impl MetaView for MirroredView {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.first.get(key).or_else(|error| match self.rescuer(&error) {
            Some(second) => second.get(key),
            None => Err(error),
        })
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        scan_either(&*self.first, range, visit, |error| self.rescuer(error))
    }
}
