//! What the owner keeps in memory: changes that are not durable yet, and units of keys that were read.
//!
//! The owner is the only writer. So a unit that is there stays right as long as each write changes it. A unit is loaded while writes go on:
//! what is not durable when the load begins, and what is written while it lasts, is noted, and applied to what the database answers, in
//! order. The answer may have some of these changes already. The last one of each key wins, whatever the answer had.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use forebay_pool::store::{Batch, Key, Unit, wait_in_place};

/// The rows of a unit.
pub(crate) type Rows = Arc<BTreeMap<Key, Bytes>>;
/// Changes of keys, in order.
pub(crate) type Changes = Vec<(Key, Option<Bytes>)>;

/// Memory for each row in addition to its bytes.
const ENTRY_BYTES: usize = 96;
/// Memory for each unit in addition to its rows: the entry in the map of units, the reference counts, and the root node of its tree. The node has
/// room for eleven rows, and stays allocated when the last row is removed.
const UNIT_BYTES: usize = 800;
/// The part of the bound that is free after an eviction.
const FREED: usize = 8;

/// See the module.
pub(crate) struct Cache {
    state: Mutex<State>,
    loaded: Condvar,
    bytes_max: usize,
}

struct State {
    /// Changes that are not durable, with the number of the batch.
    pending: BTreeMap<Key, (Option<Bytes>, u64)>,
    units: HashMap<Key, Slot>,
    bytes: usize,
    /// Counts uses of units.
    uses: u64,
    written: u64,
    durable: u64,
    loads: u64,
}

enum Slot {
    /// A thread is reading it: the number of the load, and what is to be applied to its rows.
    Loading(u64, Changes),
    Loaded {
        rows: Rows,
        bytes: usize,
        used: u64,
    },
    /// It has too many rows.
    Large,
}

/// What is known about a unit.
pub(crate) enum Found {
    Rows(Rows),
    Large,
    /// The caller loads the unit, and must call [`Cache::finish`] or [`Cache::give_up`] with this number.
    Load(u64),
}

/// What is known about a key.
pub(crate) enum Known {
    Value(Option<Bytes>),
    /// Its unit is not in memory.
    Unknown,
}

impl Cache {
    /// A cache of up to about so many bytes, for a store whose last batch has this number.
    pub(crate) fn new(bytes_max: usize, batch: u64) -> Cache {
        let state = State {
            pending: BTreeMap::new(),
            units: HashMap::new(),
            bytes: 0,
            uses: 0,
            written: batch,
            durable: batch,
            loads: 0,
        };
        Cache { state: Mutex::new(state), loaded: Condvar::new(), bytes_max }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most bytes that one unit may have.
    pub(crate) fn unit_bytes_max(&self) -> usize {
        self.bytes_max / 4
    }

    /// The last batch, and the last durable one.
    pub(crate) fn position(&self) -> (u64, u64) {
        let state = self.state();
        (state.written, state.durable)
    }

    /// How many units were read from the database, how many are in memory, and their bytes.
    pub(crate) fn sizes(&self) -> (u64, usize, usize) {
        let state = self.state();
        (state.loads, state.units.len(), state.bytes)
    }

    /// Applies a batch. It is visible at once, as a whole.
    pub(crate) fn write(&self, batch: Batch) {
        let mut state = self.state();
        state.written += 1;
        let number = state.written;
        for (key, value) in batch.changes {
            state.change_units(&key, &value);
            state.pending.insert(key, (value, number));
        }
        self.evict(&mut state);
    }

    /// The changes that are not durable, all or those in a range, and the number of the last batch.
    pub(crate) fn pending(&self, range: Option<&Range<Key>>) -> (BTreeMap<Key, Option<Bytes>>, u64) {
        let state = self.state();
        let copied = |(key, (value, _)): (&Key, &(Option<Bytes>, u64))| (key.clone(), value.clone());
        let changes = match range {
            Some(range) => state.pending.range(range.clone()).map(copied).collect(),
            None => state.pending.iter().map(copied).collect(),
        };
        (changes, state.written)
    }

    /// All batches up to this one are durable.
    pub(crate) fn durable(&self, batch: u64) {
        let mut state = self.state();
        state.durable = batch;
        state.pending.retain(|_, (_, number)| *number > batch);
    }

    /// The value of a key, if it can be told without the database.
    pub(crate) fn get(&self, key: &[u8]) -> Known {
        let mut state = self.state();
        if let Some((value, _)) = state.pending.get(key) {
            return Known::Value(value.clone());
        }
        let (unit, small) = (Unit::prefix_of(key), Unit::small_prefix_of(key));
        let mut rows = state.rows(unit);
        if rows.is_none() && small.len() > unit.len() {
            rows = state.rows(small);
        }
        match rows {
            Some(rows) => Known::Value(rows.get(key).cloned()),
            None => Known::Unknown,
        }
    }

    /// The unit with this prefix. Waits while another thread loads it.
    pub(crate) fn find(&self, unit: &[u8]) -> Found {
        let mut state = self.state();
        loop {
            match state.units.get(unit) {
                Some(Slot::Loading(..)) => {
                    state = self.wait(state);
                }
                Some(Slot::Large) => return Found::Large,
                Some(Slot::Loaded { .. }) => match state.rows(unit) {
                    Some(rows) => return Found::Rows(rows),
                    None => return Found::Large,
                },
                None => return Found::Load(state.begin(unit)),
            }
        }
    }

    /// Waits until a load ends. A thread that runs tasks lets another one run them meanwhile: the load may need one of them.
    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        wait_in_place(|| self.loaded.wait(state).unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins to load those of these units that are not there, and returns them. Does not wait for units that others load.
    pub(crate) fn begin(&self, units: &[Key]) -> Vec<(Key, u64)> {
        let mut state = self.state();
        let mut begun = Vec::new();
        for unit in units {
            if !state.units.contains_key(unit) {
                let load = state.begin(unit);
                begun.push((unit.clone(), load));
            }
        }
        begun
    }

    /// The unit was read: these are its rows in the database, or it has too many.
    pub(crate) fn finish(&self, unit: &[u8], load: u64, rows: Option<BTreeMap<Key, Bytes>>) -> Option<Rows> {
        let mut state = self.state();
        let noted = state.end(unit, load)?;
        self.loaded.notify_all();
        let Some(mut rows) = rows else {
            state.units.insert(unit.to_vec(), Slot::Large);
            return None;
        };
        for (key, value) in noted {
            match value {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
        let bytes =
            UNIT_BYTES + unit.len() + rows.iter().map(|(key, value)| row_bytes(key, value)).sum::<usize>();
        let rows = Arc::new(rows);
        if bytes > self.unit_bytes_max() {
            state.units.insert(unit.to_vec(), Slot::Large);
            return Some(rows);
        }
        state.uses += 1;
        let used = state.uses;
        state.bytes += bytes;
        state.units.insert(unit.to_vec(), Slot::Loaded { rows: rows.clone(), bytes, used });
        self.evict(&mut state);
        Some(rows)
    }

    /// The unit could not be read.
    pub(crate) fn give_up(&self, unit: &[u8], load: u64) {
        self.state().end(unit, load);
        self.loaded.notify_all();
    }

    /// Forgets the units that were not used for the longest time, if there is too much.
    fn evict(&self, state: &mut State) {
        if state.bytes <= self.bytes_max {
            return;
        }
        let mut used: Vec<(u64, usize)> = state
            .units
            .values()
            .filter_map(|slot| {
                if let Slot::Loaded { bytes, used, .. } = slot { Some((*used, *bytes)) } else { None }
            })
            .collect();
        used.sort_unstable();
        let (mut bytes, mut until) = (state.bytes, 0);
        for (used, size) in used {
            if bytes <= self.bytes_max - self.bytes_max / FREED {
                break;
            }
            (bytes, until) = (bytes.saturating_sub(size), used);
        }
        state.units.retain(|_, slot| !matches!(slot, Slot::Loaded { used, .. } if *used <= until));
        state.bytes = bytes;
    }
}

/// What a row takes in memory.
pub(crate) fn row_bytes(key: &[u8], value: &Bytes) -> usize {
    ENTRY_BYTES + key.len() + value.len()
}

impl State {
    /// Takes what was noted for a load, unless that has ended.
    fn end(&mut self, unit: &[u8], load: u64) -> Option<Changes> {
        match self.units.get_mut(unit) {
            Some(Slot::Loading(number, noted)) if *number == load => {
                let noted = std::mem::take(noted);
                self.units.remove(unit);
                Some(noted)
            }
            _ => None,
        }
    }

    fn begin(&mut self, unit: &[u8]) -> u64 {
        self.loads += 1;
        let within = self.pending.range(Unit::range_of(unit));
        let noted = within.map(|(key, (value, _))| (key.clone(), value.clone())).collect();
        self.units.insert(unit.to_vec(), Slot::Loading(self.loads, noted));
        self.loads
    }

    fn rows(&mut self, unit: &[u8]) -> Option<Rows> {
        self.uses += 1;
        let uses = self.uses;
        match self.units.get_mut(unit) {
            Some(Slot::Loaded { rows, used, .. }) => {
                *used = uses;
                Some(rows.clone())
            }
            _ => None,
        }
    }

    fn change_units(&mut self, key: &[u8], value: &Option<Bytes>) {
        let (unit, small) = (Unit::prefix_of(key), Unit::small_prefix_of(key));
        self.change_unit(unit, key, value);
        if small.len() > unit.len() {
            self.change_unit(small, key, value);
        }
    }

    fn change_unit(&mut self, unit: &[u8], key: &[u8], value: &Option<Bytes>) {
        match self.units.get_mut(unit) {
            Some(Slot::Loading(_, noted)) => noted.push((key.to_vec(), value.clone())),
            Some(Slot::Loaded { rows, bytes, .. }) => {
                // Copies the rows if a reader has them.
                let rows = Arc::make_mut(rows);
                let (old, new) = match value {
                    Some(value) => (rows.insert(key.to_vec(), value.clone()), row_bytes(key, value)),
                    None => (rows.remove(key), 0),
                };
                let old = old.map_or(0, |old| row_bytes(key, &old));
                *bytes = (*bytes + new).saturating_sub(old);
                self.bytes = (self.bytes + new).saturating_sub(old);
            }
            Some(Slot::Large) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(changes: &[(&[u8], Option<&'static str>)]) -> Batch {
        let change = |(key, value): &(&[u8], Option<&'static str>)| (key.to_vec(), value.map(Bytes::from));
        Batch { changes: changes.iter().map(change).collect() }
    }

    const A: &[u8] = &[0x22, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1];
    const B: &[u8] = &[0x22, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 2];

    fn rows(pairs: &[(&[u8], &'static str)]) -> BTreeMap<Key, Bytes> {
        pairs.iter().map(|(key, value)| (key.to_vec(), Bytes::from(*value))).collect()
    }

    fn value(cache: &Cache, key: &[u8]) -> Option<Option<Bytes>> {
        if let Known::Value(value) = cache.get(key) { Some(value) } else { None }
    }

    fn begun(cache: &Cache) -> u64 {
        let Found::Load(load) = cache.find(Unit::prefix_of(A)) else { panic!("it is not to be loaded") };
        load
    }

    #[test]
    fn a_load_that_was_given_up_does_not_end_the_next_one() {
        let cache = Cache::new(1 << 20, 0);
        let first = begun(&cache);
        cache.give_up(Unit::prefix_of(A), first);
        let second = begun(&cache);
        cache.write(batch(&[(A, Some("new"))]));
        cache.durable(1);
        assert!(cache.finish(Unit::prefix_of(A), first, Some(BTreeMap::new())).is_none());
        cache.give_up(Unit::prefix_of(A), first);
        cache.finish(Unit::prefix_of(A), second, Some(BTreeMap::new()));
        assert_eq!(value(&cache, A), Some(Some(Bytes::from("new"))));
    }

    #[test]
    fn changes_during_a_load_win_over_what_the_database_answers() {
        let cache = Cache::new(1 << 20, 0);
        cache.write(batch(&[(A, Some("before"))]));
        let load = begun(&cache);
        cache.write(batch(&[(A, None), (B, Some("during"))]));
        // The group commits meanwhile, and the answer has a part of it.
        cache.durable(2);
        cache.finish(Unit::prefix_of(A), load, Some(rows(&[(A, "before")])));
        assert_eq!(value(&cache, A), Some(None));
        assert_eq!(value(&cache, B), Some(Some(Bytes::from("during"))));
    }

    #[test]
    fn a_unit_without_a_row_is_known_to_be_empty_and_follows_writes() {
        let cache = Cache::new(1 << 20, 0);
        assert!(value(&cache, A).is_none());
        let load = begun(&cache);
        cache.finish(Unit::prefix_of(A), load, Some(BTreeMap::new()));
        assert_eq!(value(&cache, A), Some(None));
        cache.write(batch(&[(A, Some("new"))]));
        cache.durable(1);
        assert_eq!(value(&cache, A), Some(Some(Bytes::from("new"))));
    }

    #[test]
    fn what_is_not_durable_stays_visible_when_its_unit_goes() {
        let cache = Cache::new(20_000, 0);
        let load = begun(&cache);
        cache.finish(Unit::prefix_of(A), load, Some(BTreeMap::new()));
        cache.write(batch(&[(A, Some("new"))]));
        for n in 0..100_u8 {
            let key = [&[0x30][..], &[n; 32]].concat();
            let begun = cache.begin(std::slice::from_ref(&key));
            cache.finish(&key, begun[0].1, Some(BTreeMap::new()));
        }
        assert!(cache.sizes().2 <= 20_000);
        begun(&cache);
        assert_eq!(value(&cache, A), Some(Some(Bytes::from("new"))));
    }

    #[test]
    fn a_unit_counts_with_what_it_takes_beside_its_rows_and_still_does_when_it_is_emptied() {
        let cache = Cache::new(1 << 20, 0);
        let load = begun(&cache);
        cache.finish(Unit::prefix_of(A), load, Some(rows(&[(A, "1")])));
        assert!(cache.sizes().2 > UNIT_BYTES + ENTRY_BYTES);
        cache.write(batch(&[(A, None)]));
        assert_eq!(cache.sizes().2, UNIT_BYTES + Unit::prefix_of(A).len());
    }

    #[test]
    fn a_task_that_waits_for_a_unit_lets_other_tasks_run() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let cache = Arc::new(Cache::new(1 << 20, 0));
        let load = begun(&cache);
        let (sender, receiver) = std::sync::mpsc::channel();
        let (waiting, loading, begins) = (cache.clone(), cache.clone(), sender.clone());
        runtime.spawn(async move {
            let _ = begins.send(());
            waiting.find(Unit::prefix_of(A));
        });
        receiver.recv().unwrap();
        runtime.spawn(async move {
            loading.finish(Unit::prefix_of(A), load, Some(BTreeMap::new()));
            let _ = sender.send(());
        });
        let is_loaded = receiver.recv_timeout(std::time::Duration::from_secs(10)).is_ok();
        // Otherwise the first task never ends, and neither does its runtime.
        cache.give_up(Unit::prefix_of(A), load);
        assert!(is_loaded, "the task that loads the unit did not run");
    }

    #[test]
    fn a_unit_that_is_too_large_is_not_kept() {
        let cache = Cache::new(4000, 0);
        let load = begun(&cache);
        let large = BTreeMap::from([(A.to_vec(), Bytes::from(vec![0; 3000]))]);
        assert!(cache.finish(Unit::prefix_of(A), load, Some(large)).is_some());
        assert!(matches!(cache.find(Unit::prefix_of(A)), Found::Large));
        assert!(value(&cache, A).is_none());
    }

    #[test]
    fn a_reader_keeps_the_rows_that_it_has() {
        let cache = Cache::new(1 << 20, 0);
        let load = begun(&cache);
        let rows = cache.finish(Unit::prefix_of(A), load, Some(rows(&[(A, "1")]))).unwrap();
        cache.write(batch(&[(A, None), (B, Some("2"))]));
        assert_eq!(rows.keys().collect::<Vec<_>>(), [A]);
        let Found::Rows(now) = cache.find(Unit::prefix_of(A)) else { panic!("it is there") };
        assert_eq!(now.keys().collect::<Vec<_>>(), [B]);
    }
}
