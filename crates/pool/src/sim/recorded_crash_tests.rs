//! Crash tests of changes that store a protocol's record: the power fails at every single step of a history. Afterwards the pool
//! has the record of a change if, and only if, it has the change.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;

use crate::sim::faulty::{self, FaultyDisk};
use crate::*;

const NAMESPACE: &str = "test";

#[derive(Clone, Copy, Debug)]
enum Step {
    Create(&'static str),
    CreateDirectory(&'static str),
    /// Of the first name, the second.
    Link(&'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    SetXattr(&'static str),
    RemoveXattr(&'static str),
    /// Fails, and leaves no record.
    CreateExisting(&'static str),
    /// Renames one name of a file to another one: changes nothing, and leaves no record.
    RenameToItself(&'static str, &'static str),
    Snapshot,
    DeleteRecords(&'static [u8]),
}

/// The record of each step has the step's number as its key.
const HISTORY: &[Step] = &[
    Step::Create("a"),
    Step::CreateDirectory("d"),
    Step::Link("a", "b"),
    Step::CreateExisting("a"),
    Step::RenameToItself("a", "b"),
    Step::SetXattr("a"),
    Step::Create("c"),
    Step::Snapshot,
    Step::Rename("c", "a"),
    Step::RemoveXattr("b"),
    Step::Remove("d"),
    Step::DeleteRecords(&[0, 1, 3]),
    Step::Rename("a", "e"),
    Step::Remove("b"),
];

/// What the pool holds: names, names of files with an extended attribute, and the keys of records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct World {
    names: BTreeSet<String>,
    attributes: BTreeSet<String>,
    records: BTreeSet<u8>,
}

impl World {
    fn apply(&mut self, number: u8, step: Step) {
        let mut is_recorded = true;
        match step {
            Step::Create(name) | Step::CreateDirectory(name) | Step::Link(_, name) => {
                self.names.insert(name.to_owned());
            }
            Step::Remove(name) => {
                self.names.remove(name);
                self.attributes.remove(name);
            }
            Step::Rename(from, to) => {
                self.names.remove(from);
                self.names.insert(to.to_owned());
                self.attributes.remove(to);
                if self.attributes.remove(from) {
                    self.attributes.insert(to.to_owned());
                }
            }
            // "a" and "b" are one file here.
            Step::SetXattr(_) => self.attributes.extend(["a".to_owned(), "b".to_owned()]),
            Step::RemoveXattr(name) => {
                self.attributes.remove(name);
            }
            Step::CreateExisting(_) | Step::RenameToItself(..) | Step::Snapshot => is_recorded = false,
            Step::DeleteRecords(keys) => {
                self.records.retain(|key| !keys.contains(key));
                is_recorded = false;
            }
        }
        if is_recorded {
            self.records.insert(number);
        }
    }

    async fn of(pool: &Pool) -> World {
        let mut world = World::default();
        for entry in pool.readdir(pool.volume("a").unwrap().root, 0, 1000).await.unwrap().entries {
            let name = String::from_utf8(entry.name.to_vec()).unwrap();
            if pool.xattr_get(entry.attributes.handle, b"x").await.is_ok() {
                world.attributes.insert(name.clone());
            }
            world.names.insert(name);
        }
        for (key, value) in pool.records(NAMESPACE).unwrap() {
            assert_eq!(pool.record(NAMESPACE, &key).unwrap(), Some(value.clone()));
            assert_eq!(value, result_of(key[0]), "the value comes from the result");
            world.records.insert(key[0]);
        }
        world
    }
}

fn result_of(number: u8) -> Bytes {
    Bytes::from(vec![number; 3])
}

/// The record of a step. `is_of` checks the result that it is made from.
fn record<T: 'static>(number: u8, is_of: impl FnOnce(&T) -> bool + Send + 'static) -> Option<RecordOf<T>> {
    Some(Box::new(move |result: &T| {
        assert!(is_of(result));
        ProtocolRecord { namespace: NAMESPACE, key: Bytes::from(vec![number]), value: result_of(number) }
    }))
}

fn is_later(change: &ChangeInfo) -> bool {
    change.after > change.before
}

async fn apply(pool: &Pool, number: u8, step: Step) -> Result<()> {
    let root = pool.volume("a")?.root;
    let find = async |name: &str| Ok::<_, Error>(pool.lookup(root, name.as_bytes()).await?.handle);
    match step {
        Step::Create(name) | Step::CreateExisting(name) => {
            let record = record(number, |created: &Created| created.attributes.kind == Kind::File);
            let new = NewInode::new(Kind::File, 0o644);
            match (step, pool.create_with(root, name.as_bytes(), new, record).await) {
                (Step::CreateExisting(_), Err(Error::Exists(_))) => {}
                (_, created) => drop(created?),
            }
        }
        Step::CreateDirectory(name) => {
            let record = record(number, |created: &Created| created.attributes.kind == Kind::Directory);
            pool.create_with(root, name.as_bytes(), NewInode::new(Kind::Directory, 0o755), record).await?;
        }
        Step::Link(name, new) => {
            pool.link_with(find(name).await?, root, new.as_bytes(), record(number, is_later)).await?;
        }
        Step::Remove(name) => {
            let handle = find(name).await?;
            let record = record(number, move |removed: &Removed| removed.handle == handle);
            pool.remove_with(root, name.as_bytes(), record).await?;
        }
        Step::Rename(from, to) | Step::RenameToItself(from, to) => {
            let handle = find(from).await?;
            let record = record(number, move |renamed: &Renamed| renamed.handle == handle);
            pool.rename_with((root, from.as_bytes()), (root, to.as_bytes()), record).await?;
        }
        Step::SetXattr(name) => {
            let (handle, value) = (find(name).await?, Bytes::from_static(b"value"));
            pool.xattr_set_with(handle, b"x", value, SetXattr::Create, record(number, is_later)).await?;
        }
        Step::RemoveXattr(name) => {
            pool.xattr_remove_with(find(name).await?, b"x", record(number, is_later)).await?;
        }
        Step::Snapshot => drop(pool.snapshot_create(&["a".to_owned()], "s").await?),
        Step::DeleteRecords(keys) => {
            let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from(vec![*key])).collect();
            pool.records_delete(NAMESPACE, &keys).await?;
        }
    }
    Ok(())
}

/// Runs the history until the disk fails at step number `failing`. Returns false if the history ended before that step.
async fn crash_at(failing: u64) -> bool {
    let disk = Arc::new(FaultyDisk::default());
    let pool = disk.open(faulty::options()).unwrap();
    pool.volume_create(VolumeSpec::new("a", "/a")).await.unwrap();
    pool.reap_orphans().await.unwrap();
    disk.fail_at(failing);
    let mut model = World::default();
    let mut next = model.clone();
    for (number, step) in (0..).zip(HISTORY) {
        next.apply(number, *step);
        if apply(&pool, number, *step).await.is_err() {
            break;
        }
        model = next.clone();
    }
    let failed = disk.has_failed();
    let _ = pool.close().await;
    drop(pool);
    disk.crash(failing);
    let pool = disk.open(faulty::options()).unwrap();
    let found = World::of(&pool).await;
    assert!(
        found == model || found == next,
        "failing at {failing}: {found:?} instead of {model:?} or {next:?}"
    );
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}");
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_a_record_is_there_if_its_change_is() {
    let mut failing = 0;
    while crash_at(failing).await {
        failing += 1;
    }
    assert!(failing > 20, "too few steps to mean anything: {failing}");
}
