//! What every metadata store must do. Each test runs against each implementation.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use super::{Batch, FjallMeta, MemoryMeta, MetaStore};
use crate::keys::Key;

fn each(test: impl Fn(&dyn MetaStore)) {
    test(&MemoryMeta::default());
    let directory = tempfile::tempdir().unwrap();
    test(&FjallMeta::open(directory.path()).unwrap());
}

fn batch(changes: &[(&str, Option<&str>)]) -> Batch {
    let change = |(key, value): &(&str, Option<&str>)| {
        (key.as_bytes().to_vec(), value.map(|value| Bytes::copy_from_slice(value.as_bytes())))
    };
    Batch { changes: changes.iter().map(change).collect() }
}

fn keys(store: &dyn MetaStore, from: &str, to: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let range: std::ops::Range<Key> = from.into()..to.into();
    store
        .scan(range, &mut |key, _| {
            keys.push(String::from_utf8_lossy(key).into_owned());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    keys
}

#[test]
fn a_batch_is_visible_when_written() {
    each(|store| {
        store.write(batch(&[("a", Some("1")), ("b", Some("2"))])).unwrap();
        assert_eq!(store.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
        store.write(batch(&[("a", None), ("b", Some("3"))])).unwrap();
        assert_eq!(store.get(b"a").unwrap(), None);
        assert_eq!(store.get(b"b").unwrap().as_deref(), Some(&b"3"[..]));
        store.make_durable().unwrap();
    });
}

#[test]
fn an_empty_value_is_a_value() {
    each(|store| {
        store.write(batch(&[("a", Some(""))])).unwrap();
        assert_eq!(store.get(b"a").unwrap().as_deref(), Some(&b""[..]));
    });
}

#[test]
fn a_scan_is_in_order_and_within_its_bounds() {
    each(|store| {
        store.write(batch(&[("c", Some("")), ("a", Some("")), ("b", Some("")), ("d", Some(""))])).unwrap();
        assert_eq!(keys(store, "a", "d"), ["a", "b", "c"]);
        assert_eq!(keys(store, "d", "a"), [""; 0]);
        store.write(batch(&[("b", None)])).unwrap();
        assert_eq!(keys(store, "a", "z"), ["a", "c", "d"]);
    });
}

#[test]
fn a_scan_ends_when_told_and_passes_errors_on() {
    each(|store| {
        store.write(batch(&[("a", Some("")), ("b", Some(""))])).unwrap();
        let mut seen = 0;
        store
            .scan(b"a".to_vec()..b"z".to_vec(), &mut |_, _| {
                seen += 1;
                Ok(ControlFlow::Break(()))
            })
            .unwrap();
        assert_eq!(seen, 1);
        let error = store.scan(b"a".to_vec()..b"z".to_vec(), &mut |_, _| Err(crate::Error::NoSpace));
        assert!(matches!(error, Err(crate::Error::NoSpace)));
    });
}

#[test]
fn a_scan_may_read_and_is_as_of_one_instant() {
    each(|store| {
        store.write(batch(&[("a", Some("")), ("b", Some(""))])).unwrap();
        let mut seen = Vec::new();
        store
            .scan(b"a".to_vec()..b"z".to_vec(), &mut |key, _| {
                seen.push(key.to_vec());
                store.write(batch(&[("b", None), ("c", Some(""))])).unwrap();
                assert_eq!(store.get(b"b").unwrap(), None);
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(seen, [b"a".to_vec(), b"b".to_vec()]);
    });
}

#[test]
fn no_scan_sees_half_a_batch() {
    fn run(store: Arc<dyn MetaStore>) {
        let names: Vec<String> = (0..50).map(|n| format!("k{n:02}")).collect();
        let writer = {
            let (store, names) = (store.clone(), names.clone());
            std::thread::spawn(move || {
                for round in 0..100 {
                    let value = Bytes::from(format!("{round:03}"));
                    let changes =
                        names.iter().map(|name| (name.clone().into_bytes(), Some(value.clone()))).collect();
                    store.write(Batch { changes }).unwrap();
                }
            })
        };
        while !writer.is_finished() {
            let mut values = std::collections::BTreeSet::new();
            store
                .scan(b"k".to_vec()..b"l".to_vec(), &mut |_, value| {
                    values.insert(value.to_vec());
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
            assert!(values.len() <= 1, "half a batch: {values:?}");
        }
        writer.join().unwrap();
    }
    run(Arc::new(MemoryMeta::default()));
    let directory = tempfile::tempdir().unwrap();
    run(Arc::new(FjallMeta::open(directory.path()).unwrap()));
}

#[test]
fn what_was_made_durable_is_there_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    {
        let store = FjallMeta::open(directory.path()).unwrap();
        store.write(batch(&[("a", Some("1"))])).unwrap();
        store.make_durable().unwrap();
    }
    let store = FjallMeta::open(directory.path()).unwrap();
    assert_eq!(store.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
}

/// Power fails while a batch larger than some pages is on its way: its middle never reached the disk.
#[test]
fn a_journal_torn_in_the_middle_of_a_batch_loses_that_batch_only() {
    let directory = tempfile::tempdir().unwrap();
    let journal = directory.path().join("0.jnl");
    let large = "x".repeat(20_000);
    {
        let store = FjallMeta::open(directory.path()).unwrap();
        store.write(batch(&[("a", Some("1"))])).unwrap();
        store.make_durable().unwrap();
        store.write(batch(&[("b", Some(&large)), ("c", Some("2"))])).unwrap();
        store.make_durable().unwrap();
    }
    let mut bytes = std::fs::read(&journal).unwrap();
    let middle = bytes.windows(4).position(|window| window == b"xxxx").unwrap() + 8_192;
    bytes[middle..middle + 4_096].fill(0);
    std::fs::write(&journal, &bytes).unwrap();
    for _ in 0..2 {
        let store = FjallMeta::open(directory.path()).unwrap();
        assert_eq!(store.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
        assert_eq!(store.get(b"b").unwrap(), None);
        assert_eq!(store.get(b"c").unwrap(), None);
        store.write(batch(&[("d", Some("3"))])).unwrap();
        store.make_durable().unwrap();
    }
}
