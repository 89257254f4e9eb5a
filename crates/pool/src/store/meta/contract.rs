//! Tests of the stores that the pool brings: the contract, and what a journal may be like after a crash.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::{Batch, Expected, FjallMeta, MemoryMeta, MetaStore, MetaView};
use crate::store::contract::metadata;
use crate::{Error, Mismatch, Permit};

/// Opens the store, or creates it if there is none.
fn open(directory: &std::path::Path) -> crate::Result<FjallMeta> {
    let is_new = !directory.join("version").exists();
    FjallMeta::open(directory, &Expected { is_new, ..expected(0, [0; 2]) })
}

fn batch(changes: &[(&str, Option<&str>)]) -> Batch {
    let change = |(key, value): &(&str, Option<&str>)| {
        (key.as_bytes().to_vec(), value.map(|value| Bytes::copy_from_slice(value.as_bytes())))
    };
    Batch { changes: changes.iter().map(change).collect() }
}

#[test]
fn every_store_keeps_the_contract() {
    metadata::one_life(&|_| Arc::<MemoryMeta>::default());
    let directories = Mutex::new(Vec::new());
    let open_one = |again: bool| -> Arc<dyn MetaStore> {
        let mut directories = directories.lock().unwrap();
        if !again {
            directories.push(tempfile::tempdir().unwrap());
        }
        Arc::new(open(directories.last().unwrap().path()).unwrap())
    };
    metadata::one_life(&open_one);
    metadata::several_lives(&open_one);
}

fn is_journal_damage(error: &crate::Error) -> bool {
    matches!(error, crate::Error::Refused { mismatch, .. } if matches!(**mismatch, Mismatch::Journal { .. }))
}

/// A store with journals as a power failure or a faulty disk may leave them.
struct Journal {
    directory: tempfile::TempDir,
}

impl Journal {
    /// Writes groups of batches, each batch one key with a large value. Each group is synced, the last one only if `synced`.
    fn of(groups: &[&[&str]], synced: bool) -> Journal {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path()).unwrap();
        for (number, group) in groups.iter().enumerate() {
            for key in *group {
                store.write(batch(&[(*key, Some(&key.repeat(20_000)))])).unwrap();
            }
            if synced || number + 1 < groups.len() {
                store.make_durable().unwrap();
            }
        }
        Journal { directory }
    }

    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("0.jnl")
    }

    /// Loses a page of the batch with this key, as if it had never reached the disk.
    fn lose_page_of(&self, key: &str) {
        let mut bytes = std::fs::read(self.path()).unwrap();
        let pattern = key.repeat(8);
        let at = bytes.windows(8).position(|window| window == pattern.as_bytes()).unwrap() + 8_192;
        bytes[at..at + 4_096].fill(0);
        std::fs::write(self.path(), &bytes).unwrap();
    }

    fn has(&self, store: &FjallMeta, key: &str) -> bool {
        let value = store.get(key.as_bytes()).unwrap();
        assert!(value.as_ref().is_none_or(|value| *value == key.repeat(20_000).as_bytes()));
        value.is_some()
    }

    fn torn_ends(&self) -> usize {
        let names = std::fs::read_dir(self.directory.path()).unwrap();
        names.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().ends_with(".torn")).count()
    }
}

/// Power fails while batches are being written: the middle of the first one never reached the disk.
#[test]
fn a_journal_torn_after_its_last_sync_loses_what_was_not_synced_and_keeps_it_aside() {
    for (kept, lost) in [(vec![], "a"), (vec!["a"], "b")] {
        let groups = [&["a"][..], &["b", "c"]];
        let journal = Journal::of(if kept.is_empty() { &[&["a", "b", "c"]] } else { &groups }, false);
        journal.lose_page_of(lost);
        for _ in 0..2 {
            let store = open(journal.directory.path()).unwrap();
            for key in ["a", "b", "c"] {
                assert_eq!(journal.has(&store, key), kept.contains(&key), "{key}");
            }
            store.write(batch(&[("d", Some("3"))])).unwrap();
            store.make_durable().unwrap();
        }
        assert_eq!(journal.torn_ends(), 1);
    }
}

/// Another node takes the pool while this one opens it, and writes to the journal.
#[test]
fn a_node_that_is_replaced_while_it_repairs_a_journal_does_not_cut_it() {
    for permitted in 0..3 {
        let journal = Journal::of(&[&["a"], &["b", "c"]], false);
        journal.lose_page_of("b");
        let before = std::fs::read(journal.path()).unwrap();
        let asked = AtomicUsize::new(0);
        let permit = Permit::asking(move || {
            let is_permitted = asked.fetch_add(1, Ordering::SeqCst) < permitted;
            if is_permitted { Ok(()) } else { Err("another node has the pool".to_owned()) }
        });
        let opened = FjallMeta::open(journal.directory.path(), &Expected { permit, ..expected(0, [0; 2]) });
        assert!(matches!(opened, Err(Error::NotPermitted(_))));
        assert!(std::fs::read(journal.path()).unwrap() == before);
        assert_eq!(journal.torn_ends(), usize::from(permitted == 2), "it is kept before the cut");
    }
}

#[test]
fn damage_before_the_last_sync_is_refused_and_nothing_is_changed() {
    let groups: [&[&str]; 4] = [&["a"], &["b", "c"], &["d"], &["e"]];
    for (synced, lost) in [(true, "a"), (true, "b"), (true, "d"), (true, "e"), (false, "a"), (false, "c")] {
        let journal = Journal::of(&groups, synced);
        journal.lose_page_of(lost);
        let before = std::fs::read(journal.path()).unwrap();
        let error = open(journal.directory.path()).err().expect("it must not open");
        assert!(is_journal_damage(&error), "{error}");
        assert!(error.to_string().contains("0.jnl"), "{error}");
        assert!(std::fs::read(journal.path()).unwrap() == before, "{lost}");
        assert_eq!(journal.torn_ends(), 0);
    }
}

/// fjall silently ends a journal where it finds no start of a batch, whatever follows.
#[test]
fn a_damaged_start_of_a_synced_batch_is_no_end() {
    let journal = Journal::of(&[&["a"], &["b"], &["c"]], true);
    let mut bytes = std::fs::read(journal.path()).unwrap();
    let value = bytes.windows(8).position(|window| window == b"bbbbbbbb").unwrap();
    let start = value - 1 - 22 - 13;
    bytes[start..start + 13].fill(0);
    std::fs::write(journal.path(), &bytes).unwrap();
    assert!(open(journal.directory.path()).is_err_and(|error| is_journal_damage(&error)));
}

#[test]
fn any_cut_through_the_unsynced_end_keeps_what_was_synced() {
    let journal = Journal::of(&[&["a"], &["b", "c"]], false);
    let whole = std::fs::read(journal.path()).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let first = whole.windows(8).position(|window| window == b"bbbbbbbb").unwrap();
    for cut in (first..end).step_by(2_999) {
        std::fs::write(journal.path(), &whole[..cut]).unwrap();
        let copy = Journal { directory: tempfile::tempdir().unwrap() };
        copy_directory(journal.directory.path(), copy.directory.path());
        let store = open(copy.directory.path()).unwrap();
        assert!(copy.has(&store, "a"), "cut at {cut}");
        assert!(copy.has(&store, "b") || !copy.has(&store, "c"), "cut at {cut}");
    }
}

fn copy_directory(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy_directory(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn expected(batch: u64, tables: [u64; 2]) -> Expected {
    let view_parent = std::env::temp_dir();
    Expected { batch, witness: "the test".into(), tables, view_parent, ..Expected::default() }
}

fn mismatch(opened: crate::Result<FjallMeta>) -> Mismatch {
    match opened {
        Err(crate::Error::Refused { mismatch, .. }) => *mismatch,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("the store was opened"),
    }
}

#[test]
fn batches_are_counted_from_one_through_restarts() {
    let journal = Journal::of(&[&["a"], &["b", "c"]], true);
    let store = open(journal.directory.path()).unwrap();
    // The last batch was written when the store was dropped.
    assert_eq!(store.position().written, 4);
}

#[test]
fn a_store_that_ends_too_early_is_refused_and_left_as_it_is() {
    let journal = Journal::of(&[&["a"], &["b"], &["c"]], true);
    let before = std::fs::read(journal.path()).unwrap();
    assert_eq!(
        mismatch(FjallMeta::open(journal.directory.path(), &expected(9, [0; 2]))),
        Mismatch::Behind { found: 4, known: 9, witness: "the test".into() }
    );
    let cut = before.windows(8).position(|window| window == b"cccccccc").unwrap() - 100;
    std::fs::write(journal.path(), &before[..cut]).unwrap();
    for _ in 0..2 {
        let refused = mismatch(FjallMeta::open(journal.directory.path(), &expected(3, [0; 2])));
        assert!(matches!(refused, Mismatch::Behind { known: 3, .. }), "{refused}");
        assert_eq!(std::fs::read(journal.path()).unwrap().len(), cut);
        assert_eq!(journal.torn_ends(), 0);
    }
}

#[test]
fn trees_that_are_older_than_they_were_are_refused() {
    let journal = Journal::of(&[&["a"]], true);
    let opened = FjallMeta::open(journal.directory.path(), &expected(1, [0, 99]));
    assert!(matches!(mismatch(opened), Mismatch::MetadataOld { known: 99, .. }));
}

#[test]
fn a_journal_that_is_missing_between_others_is_a_gap() {
    let journal = Journal::of(&[&["a"]], true);
    {
        let store = open(journal.directory.path()).unwrap();
        // Fill some journals. The tables hold only the first ones.
        for round in 0..4000 {
            store.write(batch(&[(&format!("key{round}"), Some(&"x".repeat(20_000)))])).unwrap();
        }
        store.make_durable().unwrap();
    }
    // By chance the tables hold everything by now, and the last journal nothing. This is in the last journal only.
    let known = {
        let store = open(journal.directory.path()).unwrap();
        store.write(batch(&[("last", Some("1"))])).unwrap();
        store.make_durable().unwrap();
        store.position().written
    };
    let mut numbers: Vec<u64> = std::fs::read_dir(journal.directory.path())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".jnl")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    if numbers.len() > 1 {
        let copy = tempfile::tempdir().unwrap();
        copy_directory(journal.directory.path(), copy.path());
        let last = numbers.last().unwrap();
        std::fs::remove_file(copy.path().join(format!("{last}.jnl"))).unwrap();
        let refused = mismatch(FjallMeta::open(copy.path(), &expected(known, [0; 2])));
        assert!(matches!(refused, Mismatch::Behind { .. }), "{refused}");
    }
}

/// fjall recreates missing parts. The store must be refused before that happens.
#[test]
fn a_store_that_lacks_a_part_is_refused_and_left_as_it_is() {
    let journal = Journal::of(&[&["a"], &["b"]], true);
    for part in [
        "version",
        "0.jnl",
        "keyspaces",
        "keyspaces/0",
        "keyspaces/1",
        "keyspaces/0/current",
        "keyspaces/1/current",
    ] {
        let copy = tempfile::tempdir().unwrap();
        copy_directory(journal.directory.path(), copy.path());
        let path = copy.path().join(part);
        if path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap()
        } else {
            std::fs::remove_file(&path).unwrap()
        }
        for _ in 0..2 {
            let refused = mismatch(FjallMeta::open(copy.path(), &expected(0, [0; 2])));
            assert!(matches!(refused, Mismatch::MetadataPart { .. }), "{part}: {refused}");
            assert!(!path.exists(), "{part}");
        }
    }
}
