//! Runs operations on buckets, and compares the answers with the model.

use bytes::Bytes;

use super::super::client::Client;
use super::model::{
    Buckets, Did, Entries, Entry, Log, OBJECTS, PARTS, Place, TABLES, Ticket, of_scan, place,
};
use super::ops::{BucketOp, Condition, PART_HOLE, facts, part_key, parts_of};
use crate::*;

/// More entries than any bucket of a history has.
pub(super) const ENTRIES_MAX: usize = 4000;

/// What a change stages. `None`: it refuses.
type Decision = Option<Vec<(Place, Option<Entry>)>>;

/// What a change returns.
struct Seen {
    /// All entries before and after, if it looked.
    all: Option<(Entries, Entries)>,
    is_refused: bool,
}

/// An acknowledged change.
pub(super) struct Answered {
    /// Its place in the log.
    pub(super) at: usize,
    pub(super) is_refused: bool,
}

impl Client {
    pub(in crate::sim) async fn perform_on_bucket(&mut self, op: BucketOp) {
        match op {
            BucketOp::Create { spec, entries } => self.create_bucket(spec, entries).await,
            BucketOp::Delete { id, force } => self.delete_bucket(id, force).await,
            BucketOp::CreateAndDelete { spec } => self.create_and_delete(spec).await,
            BucketOp::Modify { spec } => self.modify_bucket(spec).await,
            BucketOp::Put { id, key, source, share, condition, versioned, abandon } => {
                let made = self.make(id, source, share).await;
                if let Some(made) = made.filter(|_| !abandon) {
                    self.publish(id, key, made, condition, versioned).await;
                }
            }
            BucketOp::PutPart { id, upload, part, bytes } => self.put_part(id, upload, part, bytes).await,
            BucketOp::Complete { id, upload, key, condition } => {
                self.complete(id, upload, key, condition).await;
            }
            BucketOp::Describe { id, key } => self.describe(id, key).await,
            BucketOp::Remove { id, keys, all, condition } => self.remove(id, keys, all, condition).await,
            BucketOp::Mark { id, keys } => self.mark(id, keys).await,
            BucketOp::Wrong { id, key, other } => self.wrong_change(id, key, other).await,
            BucketOp::Scan { id, prefix, seek, key, version, entries_max } => {
                self.scan(id, &prefix, &seek_of(seek, &key, version), entries_max);
            }
            BucketOp::Newest { id, key } => self.newest(id, &key),
            BucketOp::List => self.list_buckets(),
            BucketOp::Open { id, key } => self.open_object(id, &key),
            BucketOp::Read => self.read_on().await,
            BucketOp::Close => self.close_object(),
        }
    }

    pub(super) fn moment_now(&self) -> usize {
        self.shared.world.borrow().buckets.moment_now()
    }

    /// Whether the buckets had such a state at some moment since `from`.
    pub(super) fn ever_since(&self, from: usize, is_right: impl Fn(&Buckets) -> bool) -> bool {
        let buckets = &self.shared.world.borrow().buckets;
        buckets.ever(buckets.until_now(from), is_right)
    }

    fn log(&self) -> Log {
        self.shared.world.borrow().buckets.log.clone()
    }

    /// Checks an error of an operation on a bucket that began at `from`. If its change ran, only a failed disk excuses it.
    pub(super) fn bucket_error(&self, what: &str, id: VolumeId, from: usize, ticket: &Ticket, error: &Error) {
        if let Some(at) = ticket.place() {
            self.shared.world.borrow_mut().buckets.failed(at);
            if !self.is_excused(error) {
                self.fail(format!("{what} of bucket {id:?} was done, and answered: {error}"));
            }
            return;
        }
        let is_gone =
            matches!(error, Error::Stale) && self.ever_since(from, |state| !state.contains_key(&id));
        let is_full =
            matches!(error, Error::NoSpace) && self.shared.world.borrow().buckets.may_be_limited(id);
        if !is_gone && !is_full && !self.is_excused(error) {
            self.fail(format!("{what} of bucket {id:?}: {error}"));
        }
    }

    /// Makes a change. Returns `None` if it failed.
    async fn change_bucket(
        &self,
        what: &str,
        id: VolumeId,
        is_looking: bool,
        decide: impl FnOnce(&mut BucketChange<'_, '_>) -> Result<Decision> + Send + 'static,
    ) -> Option<Answered> {
        match self.try_change(id, is_looking, decide).await? {
            Ok(answered) => Some(answered),
            Err((from, ticket, error)) => {
                self.bucket_error(what, id, from, &ticket, &error);
                None
            }
        }
    }

    /// Like [`Client::change_bucket`], but returns the error. Returns `None` if the power has failed.
    async fn try_change(
        &self,
        id: VolumeId,
        is_looking: bool,
        decide: impl FnOnce(&mut BucketChange<'_, '_>) -> Result<Decision> + Send + 'static,
    ) -> Option<std::result::Result<Answered, (usize, Ticket, Error)>> {
        let (from, log, ticket) = (self.moment_now(), self.log(), Ticket::default());
        let noted = ticket.clone();
        let change = move |change: &mut BucketChange<'_, '_>| {
            let before = if is_looking { Some(all(change)?) } else { None };
            let decision = decide(change)?;
            let is_refused = decision.is_none();
            let after = if is_looking { Some(all(change)?) } else { None };
            let did = decision.map_or(Did::Refuse, |entries| Did::Write { id, entries });
            log.note(&noted, did);
            Ok(Seen { all: before.zip(after), is_refused })
        };
        let outcome = self.pool.bucket_change(id, change).await;
        if self.shared.disk.is_dead() {
            return None;
        }
        let seen = match outcome {
            Ok(seen) => seen,
            Err(error) => return Some(Err((from, ticket, error))),
        };
        let at = ticket.place()?;
        let mut world = self.shared.world.borrow_mut();
        world.buckets.acknowledged(at);
        let is_at = |place: usize, entries: &Entries| {
            world.buckets.ever(world.buckets.before(place), |state| {
                state.get(&id).is_some_and(|bucket| bucket.entries == *entries)
            })
        };
        if let Some((before, after)) = seen.all
            && !(is_at(at, &before) && is_at(at + 1, &after))
        {
            self.fail(format!("change {at} of bucket {id:?} saw {before:?} and {after:?}"));
        }
        Some(Ok(Answered { at, is_refused: seen.is_refused }))
    }

    // ---- buckets ----

    async fn create_bucket(&self, spec: BucketSpec, entries: Vec<(Vec<u8>, Bytes)>) {
        let (from, ticket) = (self.moment_now(), Ticket::default());
        let fill = fill(self.log(), ticket.clone(), spec.clone(), entries, None);
        let outcome = self.pool.bucket_create(spec.clone(), fill).await;
        if !self.shared.disk.is_dead() {
            self.created(&spec, from, &ticket, outcome);
        }
    }

    fn created(&self, spec: &BucketSpec, from: usize, ticket: &Ticket, outcome: Result<Bucket>) {
        match (outcome, ticket.place()) {
            (Ok(bucket), Some(at)) => {
                self.shared.world.borrow_mut().buckets.acknowledged(at);
                if bucket.spec != *spec || bucket.objects > 0 || bucket.bytes_logical > 0 {
                    self.fail(format!("a bucket was created as {bucket:?}, not {spec:?}"));
                }
            }
            (Err(Error::Exists(_)), None) => {
                if !self.ever_since(from, |state| state.values().any(|other| other.spec.name == spec.name)) {
                    self.fail(format!("bucket {} was refused, and does not exist", spec.name));
                }
            }
            (Err(error), _) => self.bucket_error("creation", VolumeId(0), from, ticket, &error),
            (Ok(_), None) => self.fail("a bucket was created without its entries".into()),
        }
    }

    async fn delete_bucket(&self, id: VolumeId, force: bool) {
        let (from, ticket) = (self.moment_now(), Ticket::default());
        let outcome = self.pool.bucket_delete(id, check(self.log(), ticket.clone(), force)).await;
        if !self.shared.disk.is_dead() {
            self.deleted(id, from, &ticket, outcome);
        }
    }

    fn deleted(
        &self,
        id: VolumeId,
        from: usize,
        ticket: &Ticket,
        outcome: Result<std::result::Result<(), &'static str>>,
    ) {
        let (refused, at) = match (outcome, ticket.place()) {
            (Ok(outcome), Some(at)) => (outcome.is_err(), at),
            (Ok(_), None) => return self.fail("a bucket was deleted without a look".into()),
            (Err(error), _) => return self.bucket_error("deletion", id, from, ticket, &error),
        };
        let mut world = self.shared.world.borrow_mut();
        world.buckets.acknowledged(at);
        let is_there =
            |state: &Buckets| state.get(&id).is_some_and(|bucket| !refused || !bucket.entries.0.is_empty());
        if !world.buckets.ever(world.buckets.before(at), is_there) {
            self.fail(format!("the deletion of bucket {id:?}: refused {refused}"));
        }
    }

    /// The deletion may come before the creation is durable. The caller is told that it was created nevertheless.
    async fn create_and_delete(&self, spec: BucketSpec) {
        let (from, created, deleted) = (self.moment_now(), Ticket::default(), Ticket::default());
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let fill = fill(self.log(), created.clone(), spec.clone(), Vec::new(), Some(sender));
        let check = check(self.log(), deleted.clone(), true);
        let delete = async {
            let id = receiver.await.ok()?;
            Some((id, self.pool.bucket_delete(id, check).await))
        };
        let (made, gone) = tokio::join!(self.pool.bucket_create(spec.clone(), fill), delete);
        if self.shared.disk.is_dead() {
            return;
        }
        self.created(&spec, from, &created, made);
        if let Some((id, outcome)) = gone {
            self.deleted(id, from, &deleted, outcome);
        }
    }

    async fn modify_bucket(&self, spec: BucketSpec) {
        let from = self.moment_now();
        self.shared.world.borrow_mut().buckets.modifying.insert(spec.name.clone(), spec.clone());
        let update = BucketUpdate {
            size: Some(spec.size),
            max_bytes_per_second: Some(spec.max_bytes_per_second),
            compression: Some(spec.compression),
        };
        let outcome = self.pool.bucket_modify(&spec.name, update, |_| Ok(Ok::<(), ()>(()))).await;
        if self.shared.disk.is_dead() {
            return;
        }
        let is_there = |state: &Buckets| state.values().any(|bucket| bucket.spec.name == spec.name);
        let is_done = match outcome {
            Ok(Ok(bucket)) if bucket.spec == spec => {
                self.shared.world.borrow_mut().buckets.modified.insert(bucket.id, spec.clone());
                true
            }
            Ok(bucket) => return self.fail(format!("a bucket was modified to {bucket:?}, not {spec:?}")),
            Err(Error::NotFound(_)) if self.ever_since(from, |state| !is_there(state)) => true,
            Err(Error::SizeBelowUsed { used, .. }) if spec.size.is_some_and(|size| size < used) => true,
            // It is not known whether it happened.
            Err(error) if self.is_excused(&error) => false,
            Err(error) => return self.fail(format!("modification of {spec:?}: {error}")),
        };
        if is_done {
            self.shared.world.borrow_mut().buckets.modifying.remove(&spec.name);
        }
    }

    // ---- entries ----

    /// Makes a draft the content of a new version, or of the only one.
    async fn publish(
        &mut self,
        id: VolumeId,
        key: Vec<u8>,
        made: super::content::Made,
        condition: Condition,
        versioned: bool,
    ) {
        let (facts, is_committed, is_looking) =
            (facts(&mut self.random), made.is_committed, self.random.permille(250));
        let (wanted, of) = (condition.clone(), key.clone());
        let decide = move |change: &mut BucketChange<'_, '_>| {
            put_object(change, &of, facts, made.draft, &wanted, versioned)
        };
        match self.try_change(id, is_looking, decide).await {
            Some(Ok(answered)) => self.require_decided(&answered, id, &key, &condition),
            Some(Err((_, ticket, Error::Invalid(_)))) if !is_committed && ticket.place().is_none() => {}
            Some(Err((from, ticket, error))) => self.bucket_error("publication", id, from, &ticket, &error),
            None => {}
        }
    }

    /// Checks that a change was refused exactly if its condition did not hold.
    fn require_decided(&self, answered: &Answered, id: VolumeId, key: &[u8], condition: &Condition) {
        let buckets = &self.shared.world.borrow().buckets;
        let is_right = |state: &Buckets| {
            let newest = state.get(&id).and_then(|bucket| bucket.entries.newest(OBJECTS, key));
            holds(condition, newest.map(|(_, entry)| &entry.facts)) != answered.is_refused
        };
        if !buckets.ever(buckets.before(answered.at), is_right) {
            self.fail(format!("{condition:?} of {key:?}: refused {}", answered.is_refused));
        }
    }

    async fn put_part(&mut self, id: VolumeId, upload: u64, part: u8, bytes: Bytes) {
        let hole = if part == 0 { 0 } else { PART_HOLE };
        let Some(made) = self.make_part(id, hole, bytes).await else { return };
        let (facts, content) = (facts(&mut self.random), made.draft.handle());
        let decide = move |change: &mut BucketChange<'_, '_>| {
            let key = part_key(upload, part);
            change.put(PARTS, &key, 0, facts.clone(), EntryContent::Draft(made.draft))?;
            Ok(Some(vec![(place(PARTS, &key, 0), Some(Entry { facts, content: Some(content) }))]))
        };
        self.change_bucket("a part", id, self.random.clone().permille(200), decide).await;
    }

    /// Joins the parts that are there. The change is refused if one of them was replaced meanwhile.
    async fn complete(&mut self, id: VolumeId, upload: u64, key: Vec<u8>, condition: Condition) {
        let parts = parts_of(&self.shared.world.borrow().buckets.now(), id, upload);
        if parts.is_empty() {
            return;
        }
        let Some(made) = self.join(id, &parts).await else { return };
        let (facts, is_looking) = (facts(&mut self.random), self.random.permille(250));
        let decide = move |change: &mut BucketChange<'_, '_>| {
            for (part, content) in &parts {
                let there = change.get(PARTS, &part_key(upload, *part), 0)?;
                if there.and_then(|there| there.content) != Some(*content) {
                    return Ok(None);
                }
            }
            let Some(mut entries) = put_object(change, &key, facts, made.draft, &condition, false)? else {
                return Ok(None);
            };
            for (part, _) in &parts {
                let key = part_key(upload, *part);
                change.remove(PARTS, &key, 0)?;
                entries.push((place(PARTS, &key, 0), None));
            }
            Ok(Some(entries))
        };
        self.change_bucket("completion", id, is_looking, decide).await;
    }

    async fn describe(&mut self, id: VolumeId, key: Vec<u8>) {
        let (facts, is_looking) = (facts(&mut self.random), self.random.permille(250));
        let decide = move |change: &mut BucketChange<'_, '_>| {
            let Some(newest) = change.newest(OBJECTS, &key)? else { return Ok(None) };
            change.put(OBJECTS, &key, newest.version, facts.clone(), EntryContent::Keep)?;
            let entry = Entry { facts, content: newest.content };
            Ok(Some(vec![(place(OBJECTS, &key, newest.version), Some(entry))]))
        };
        self.change_bucket("facts", id, is_looking, decide).await;
    }

    async fn remove(&mut self, id: VolumeId, keys: Vec<Vec<u8>>, all: bool, condition: Condition) {
        let is_looking = self.random.permille(250);
        let (wanted, first) = (condition.clone(), keys[0].clone());
        let decide = move |change: &mut BucketChange<'_, '_>| {
            let newest = change.newest(OBJECTS, &keys[0])?;
            if !holds(&wanted, newest.as_ref().map(|newest| &newest.facts)) {
                return Ok(None);
            }
            let mut entries = Vec::new();
            for key in &keys {
                while let Some(newest) = change.newest(OBJECTS, key)? {
                    if !change.remove(OBJECTS, key, newest.version)? {
                        return Err(Error::invalid_arguments("an entry that was seen is not there"));
                    }
                    entries.push((place(OBJECTS, key, newest.version), None));
                    if !all {
                        break;
                    }
                }
            }
            Ok(Some(entries))
        };
        if let Some(answered) = self.change_bucket("removal", id, is_looking, decide).await {
            self.require_decided(&answered, id, &first, &condition);
        }
    }

    async fn mark(&mut self, id: VolumeId, keys: Vec<Vec<u8>>) {
        let (facts, is_looking) = (facts(&mut self.random), self.random.permille(250));
        let decide = move |change: &mut BucketChange<'_, '_>| {
            let mut entries = Vec::new();
            for key in &keys {
                let version = change.newest(OBJECTS, key)?.map_or(0, |newest| newest.version + 1);
                change.put(OBJECTS, key, version, facts.clone(), EntryContent::None)?;
                let entry = Entry { facts: facts.clone(), content: None };
                entries.push((place(OBJECTS, key, version), Some(entry)));
            }
            Ok(Some(entries))
        };
        self.change_bucket("markers", id, is_looking, decide).await;
    }

    /// A change that removes an entry, and then fails: with a draft of another bucket, a key that is too long, or an error of
    /// its own. The entry stays.
    async fn wrong_change(&mut self, id: VolumeId, key: Vec<u8>, other: Option<VolumeId>) {
        let draft = match other {
            Some(other) => self.pool.draft_create(other).await.ok(),
            None => None,
        };
        let is_own = self.random.permille(500);
        let decide = move |change: &mut BucketChange<'_, '_>| {
            if let Some(newest) = change.newest(OBJECTS, &key)? {
                change.remove(OBJECTS, &key, newest.version)?;
            }
            match draft {
                Some(draft) => change.put(OBJECTS, &key, 9, Bytes::new(), EntryContent::Draft(draft))?,
                None if is_own => return Err(Error::Cancelled),
                None => {
                    let long = vec![1; BUCKET_KEY_BYTES_MAX + 1];
                    change.put(OBJECTS, &long, 0, Bytes::new(), EntryContent::None)?;
                }
            }
            Ok(Some(Vec::new()))
        };
        match self.try_change(id, false, decide).await {
            None | Some(Err((_, _, Error::CrossVolume | Error::Cancelled | Error::Invalid(_)))) => {}
            Some(Err((from, ticket, error))) => {
                self.bucket_error("a wrong change", id, from, &ticket, &error)
            }
            Some(Ok(_)) => self.fail(format!("a wrong change of bucket {id:?} was accepted")),
        }
    }
}

/// The first function of a bucket: puts its first entries, and sends its id.
fn fill(
    log: Log,
    ticket: Ticket,
    spec: BucketSpec,
    entries: Vec<(Vec<u8>, Bytes)>,
    sender: Option<tokio::sync::oneshot::Sender<VolumeId>>,
) -> impl FnOnce(&mut BucketChange<'_, '_>) -> Result<()> + Send + 'static {
    move |change| {
        let mut filled = Vec::new();
        for (key, facts) in entries {
            change.put(OBJECTS, &key, 1, facts.clone(), EntryContent::None)?;
            filled.push((place(OBJECTS, &key, 1), Entry { facts, content: None }));
        }
        let id = change.bucket();
        log.note(&ticket, Did::Create { id, spec, entries: filled });
        if let Some(sender) = sender {
            let _ = sender.send(id);
        }
        Ok(())
    }
}

/// The last function of a bucket: refuses if it has entries, unless forced.
fn check(
    log: Log,
    ticket: Ticket,
    force: bool,
) -> impl FnOnce(&mut BucketChange<'_, '_>) -> Result<std::result::Result<(), &'static str>> + Send + 'static
{
    move |change| {
        let mut is_empty = true;
        for table in TABLES {
            is_empty &= change.scan(table, b"", &Seek::Start, 1)?.is_empty();
        }
        if !is_empty && !force {
            log.note(&ticket, Did::Refuse);
            return Ok(Err("it has entries"));
        }
        log.note(&ticket, Did::Delete { id: change.bucket() });
        Ok(Ok(()))
    }
}

/// Stages an object, if the condition holds.
fn put_object(
    change: &mut BucketChange<'_, '_>,
    key: &[u8],
    facts: Bytes,
    draft: Draft,
    condition: &Condition,
    versioned: bool,
) -> Result<Decision> {
    let newest = change.newest(OBJECTS, key)?;
    if !holds(condition, newest.as_ref().map(|newest| &newest.facts)) {
        return Ok(None);
    }
    let version = if versioned { newest.map_or(1, |newest| newest.version + 1) } else { 0 };
    let entry = Entry { facts: facts.clone(), content: Some(draft.handle()) };
    change.put(OBJECTS, key, version, facts, EntryContent::Draft(draft))?;
    Ok(Some(vec![(place(OBJECTS, key, version), Some(entry))]))
}

fn holds(condition: &Condition, newest: Option<&Bytes>) -> bool {
    match condition {
        Condition::Nothing => true,
        Condition::IsAbsent => newest.is_none(),
        Condition::Matches(facts) => newest == Some(facts),
    }
}

/// All entries, as a change sees them.
fn all(change: &BucketChange<'_, '_>) -> Result<Entries> {
    let mut entries = Entries::default();
    for table in TABLES {
        entries.0.extend(of_scan(table, &change.scan(table, b"", &Seek::Start, ENTRIES_MAX)?).0.0);
    }
    Ok(entries)
}

fn seek_of(seek: u8, key: &[u8], version: u64) -> Seek<'_> {
    match seek {
        0 => Seek::Start,
        1 => Seek::Key(key),
        2 => Seek::PastKey(key),
        3 => Seek::PastVersion(key, version),
        _ => Seek::PastPrefix(key),
    }
}
