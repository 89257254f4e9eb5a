//! The expected state of all buckets: a state to begin with, and the log of the changes since.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::{BucketEntry, BucketSpec, Handle, Seek, Table, VolumeId};

/// The tables that the histories use: objects, and parts of uploads.
pub(in crate::sim) const OBJECTS: Table = Table(1);
pub(in crate::sim) const PARTS: Table = Table(200);
pub(in crate::sim) const TABLES: [Table; 2] = [OBJECTS, PARTS];

/// A table, a key and a version, in the order of a scan.
pub(in crate::sim) type Place = (u8, Vec<u8>, Reverse<u64>);

pub(in crate::sim) fn place(table: Table, key: &[u8], version: u64) -> Place {
    (table.0, key.to_vec(), Reverse(version))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sim) struct Entry {
    pub(in crate::sim) facts: Bytes,
    pub(in crate::sim) content: Option<Handle>,
}

/// The entries of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sim) struct Entries(pub(in crate::sim) BTreeMap<Place, Entry>);

impl Entries {
    /// The newest version of a key.
    pub(in crate::sim) fn newest(&self, table: Table, key: &[u8]) -> Option<(u64, &Entry)> {
        let from = place(table, key, u64::MAX);
        let (found, entry) = self.0.range(from..).next()?;
        (found.0 == table.0 && found.1 == key).then_some((found.2.0, entry))
    }

    /// The same as a scan of the pool.
    pub(in crate::sim) fn scan(
        &self,
        table: Table,
        prefix: &[u8],
        from: &Seek<'_>,
        entries_max: usize,
    ) -> Entries {
        let is_behind = |place: &Place| match from {
            Seek::Start => true,
            Seek::Key(key) => place.1[..] >= **key,
            Seek::PastKey(key) => place.1[..] > **key,
            Seek::PastVersion(key, version) => (&place.1[..], place.2) > (*key, Reverse(*version)),
            Seek::PastPrefix(prefix) => place.1[..] > **prefix && !place.1.starts_with(prefix),
        };
        let found = self.0.iter().filter(|(place, _)| place.0 == table.0 && place.1.starts_with(prefix));
        let found = found.filter(|(place, _)| is_behind(place)).take(entries_max);
        Entries(found.map(|(place, entry)| (place.clone(), entry.clone())).collect())
    }

    /// The number of entries with content.
    pub(in crate::sim) fn objects(&self) -> u64 {
        self.0.values().filter(|entry| entry.content.is_some()).count() as u64
    }
}

/// The entries that a scan of one table returned. Also returns whether they came in order.
pub(in crate::sim) fn of_scan(table: Table, found: &[BucketEntry]) -> (Entries, bool) {
    let places: Vec<Place> = found.iter().map(|entry| place(table, &entry.key, entry.version)).collect();
    let is_sorted = places.windows(2).all(|pair| pair[0] < pair[1]);
    let entries = found.iter().map(|entry| Entry { facts: entry.facts.clone(), content: entry.content });
    (Entries(places.into_iter().zip(entries).collect()), is_sorted)
}

/// A bucket.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Bucket {
    /// Its settings when it was created, or at the last opening.
    pub(in crate::sim) spec: BucketSpec,
    pub(in crate::sim) entries: Entries,
}

pub(in crate::sim) type Buckets = BTreeMap<VolumeId, Bucket>;

/// What a function in the committer did.
#[derive(Clone, Debug)]
pub(in crate::sim) enum Did {
    Create {
        id: VolumeId,
        spec: BucketSpec,
        entries: Vec<(Place, Entry)>,
    },
    Delete {
        id: VolumeId,
    },
    /// `None` removes an entry.
    Write {
        id: VolumeId,
        entries: Vec<(Place, Option<Entry>)>,
    },
    /// It looked, and changed nothing.
    Refuse,
}

/// What the caller was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Open,
    /// It is durable, with everything before it.
    Durable,
    /// An error.
    Failed,
}

#[derive(Clone, Debug)]
struct Logged {
    did: Did,
    answer: Answer,
}

/// The changes in the order in which they ran. Functions in the committer add to it.
#[derive(Clone, Default)]
pub(in crate::sim) struct Log(Arc<Mutex<Vec<Logged>>>);

/// The place of a change in the log, once it ran.
#[derive(Clone, Default)]
pub(in crate::sim) struct Ticket(Arc<Mutex<Option<usize>>>);

impl Ticket {
    pub(in crate::sim) fn place(&self) -> Option<usize> {
        *self.0.lock().unwrap()
    }
}

impl Log {
    /// Notes a change. To be called at the end of a function in the committer.
    pub(in crate::sim) fn note(&self, ticket: &Ticket, did: Did) {
        let mut log = self.0.lock().unwrap();
        *ticket.0.lock().unwrap() = Some(log.len());
        log.push(Logged { did, answer: Answer::Open });
    }
}

/// See the module.
#[derive(Clone, Default)]
pub(in crate::sim) struct BucketWorld {
    /// The state after the last opening.
    base: Buckets,
    pub(in crate::sim) log: Log,
    /// The settings of buckets that were modified since the last opening.
    pub(in crate::sim) modified: BTreeMap<VolumeId, BucketSpec>,
    /// Modifications in progress, by name.
    pub(in crate::sim) modifying: BTreeMap<String, BucketSpec>,
    /// Buckets in which contents were joined. The size of a bucket does not limit that.
    pub(in crate::sim) joined: BTreeSet<VolumeId>,
    /// The bytes of each content that was ever offered to an entry, unless it is known to be gone.
    pub(in crate::sim) contents: BTreeMap<Handle, Bytes>,
    /// Whether a read of the disk may fail in this life. A change can then fail between its note and its batch.
    pub(in crate::sim) reads_fail: bool,
}

/// The moments at which a call may have looked: places in the log, the last one included.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Moments {
    from: usize,
    to: usize,
}

impl BucketWorld {
    /// Gives this copy of the model a log of its own.
    pub(in crate::sim) fn separate_log(&mut self) {
        let logged = self.log.0.lock().unwrap().clone();
        self.log = Log(Arc::new(Mutex::new(logged)));
    }

    /// The moments from now on. See [`BucketWorld::until_now`].
    pub(in crate::sim) fn moment_now(&self) -> usize {
        let log = self.log.0.lock().unwrap();
        // The last change may have noted itself and not be applied yet. So may be none before it.
        let is_applied = log.last().is_none_or(|last| last.answer == Answer::Durable);
        if is_applied { log.len() } else { log.len() - 1 }
    }

    pub(in crate::sim) fn until_now(&self, from: usize) -> Moments {
        Moments { from, to: self.log.0.lock().unwrap().len() }
    }

    /// The moment right before the change at this place.
    pub(in crate::sim) fn before(&self, place: usize) -> Moments {
        Moments { from: place, to: place }
    }

    /// The change at this place was acknowledged.
    pub(in crate::sim) fn acknowledged(&mut self, place: usize) {
        if let Some(logged) = self.log.0.lock().unwrap().get_mut(place) {
            logged.answer = Answer::Durable;
        }
    }

    /// The change at this place was answered with an error: it may have happened or not.
    pub(in crate::sim) fn failed(&mut self, place: usize) {
        if let Some(logged) = self.log.0.lock().unwrap().get_mut(place) {
            logged.answer = Answer::Failed;
        }
    }

    /// The buckets now, if all changes that ran also happened.
    pub(in crate::sim) fn now(&self) -> Buckets {
        let mut state = self.base.clone();
        self.log.0.lock().unwrap().iter().for_each(|logged| apply(&mut state, &logged.did));
        state
    }

    /// Whether the buckets had such a state at one of the moments.
    pub(in crate::sim) fn ever(&self, moments: Moments, is_right: impl Fn(&Buckets) -> bool) -> bool {
        let log = self.log.0.lock().unwrap();
        let doubtful = |(place, logged): (usize, &Logged)| {
            (self.reads_fail && logged.answer != Answer::Durable).then_some(place)
        };
        let left_out = log.iter().enumerate().take(moments.to).filter_map(doubtful).map(Some);
        // At most one change of a life fails in that way.
        std::iter::once(None).chain(left_out).any(|left_out| {
            let mut state = self.base.clone();
            (0..=moments.to.min(log.len())).any(|place| {
                if let Some(before) = place.checked_sub(1).filter(|before| Some(*before) != left_out) {
                    apply(&mut state, &log[before].did);
                }
                place >= moments.from && is_right(&state)
            })
        })
    }

    /// The settings that a bucket has, or may have while it is being modified.
    pub(in crate::sim) fn may_have(&self, id: VolumeId, bucket: &Bucket, spec: &BucketSpec) -> bool {
        self.modified.get(&id).unwrap_or(&bucket.spec) == spec
            || self.modifying.get(&bucket.spec.name) == Some(spec)
    }

    /// Whether the bucket's size is limited, or may be.
    pub(in crate::sim) fn may_be_limited(&self, id: VolumeId) -> bool {
        let state = self.now();
        state.get(&id).is_none_or(|bucket| {
            self.modified.get(&id).unwrap_or(&bucket.spec).size.is_some()
                || self.modifying.contains_key(&bucket.spec.name)
        })
    }

    /// After an opening: returns an error unless a crash may have left this. It is the state from now on.
    pub(in crate::sim) fn settle_on(&mut self, found: Buckets) -> Result<(), String> {
        let (certain, all) = {
            let log = self.log.0.lock().unwrap();
            let certain = log.iter().rposition(|logged| logged.answer == Answer::Durable);
            (certain.map_or(0, |last| last + 1), log.len())
        };
        let is_same = |state: &Buckets| {
            state.len() == found.len()
                && state.iter().zip(&found).all(|((id, known), (found_id, found))| {
                    id == found_id && known.entries == found.entries && self.may_have(*id, known, &found.spec)
                })
        };
        if !self.ever(Moments { from: certain, to: all }, is_same) {
            let now = self.now();
            return Err(format!(
                "buckets are not as they were after {certain} to {all} changes: {}",
                difference(&found, &now)
            ));
        }
        self.base = found;
        self.log = Log::default();
        self.modified.clear();
        self.modifying.clear();
        Ok(())
    }

    /// Contents that no entry owns.
    pub(in crate::sim) fn unowned(&self) -> Vec<Handle> {
        let owned: BTreeSet<Handle> = self.base.values().flat_map(Bucket::contents).collect();
        self.contents.keys().filter(|content| !owned.contains(content)).copied().collect()
    }
}

impl Bucket {
    pub(in crate::sim) fn contents(&self) -> impl Iterator<Item = Handle> {
        self.entries.0.values().filter_map(|entry| entry.content)
    }
}

fn apply(state: &mut Buckets, did: &Did) {
    match did {
        Did::Create { id, spec, entries } => {
            let entries = Entries(entries.iter().cloned().collect());
            state.insert(*id, Bucket { spec: spec.clone(), entries });
        }
        Did::Delete { id } => {
            state.remove(id);
        }
        Did::Write { id, entries } => {
            let Some(bucket) = state.get_mut(id) else { return };
            for (place, entry) in entries {
                match entry {
                    Some(entry) => bucket.entries.0.insert(place.clone(), entry.clone()),
                    None => bucket.entries.0.remove(place),
                };
            }
        }
        Did::Refuse => {}
    }
}

/// Describes a difference between the state that was found and the last one.
fn difference(found: &Buckets, now: &Buckets) -> String {
    let names = |buckets: &Buckets| -> Vec<String> {
        buckets.values().map(|bucket| format!("{:?} ({})", bucket.spec, bucket.entries.0.len())).collect()
    };
    let mut lines = vec![format!("found {:?}, last {:?}", names(found), names(now))];
    for (id, bucket) in found {
        let Some(known) = now.get(id) else { continue };
        let places: BTreeSet<&Place> = bucket.entries.0.keys().chain(known.entries.0.keys()).collect();
        let differ = |place: &&Place| bucket.entries.0.get(*place) != known.entries.0.get(*place);
        for place in places.into_iter().filter(differ).take(5) {
            let content = |entries: &Entries| entries.0.get(place).map(|entry| entry.content);
            lines.push(format!(
                "{place:?}: {:?}, last {:?}",
                content(&bucket.entries),
                content(&known.entries)
            ));
        }
    }
    lines.join("; ")
}
