//! The contract of [`MetaStore`].

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use crate::Error;
use crate::store::{Batch, Key, MetaStore, MetaView};

/// Opens a store: an empty one, or with `true` the one that was opened last, after it was dropped.
pub type Open<'a> = dyn Fn(bool) -> Arc<dyn MetaStore> + 'a;

/// Everything that a store must do while it is open. `open` is only asked for empty stores.
pub fn one_life(open: &Open<'_>) {
    a_batch_is_visible_when_written(&*open(false));
    an_empty_value_is_a_value(&*open(false));
    a_scan_is_in_order_and_within_its_bounds(&*open(false));
    a_scan_ends_when_told_and_passes_errors_on(&*open(false));
    a_scan_may_read_and_is_as_of_one_instant(&*open(false));
    no_scan_sees_half_a_batch(open(false));
    batches_are_counted(&*open(false));
    many_keys_are_read_as_one_by_one(&*open(false));
    a_snapshot_does_not_change(&*open(false));
    random_changes_are_found_again(&*open(false), 1);
}

/// Everything that a store must do over several lives.
pub fn several_lives(open: &Open<'_>) {
    what_was_made_durable_is_there_after_reopening(open);
    a_history_of_several_lives_is_found_again(open);
}

fn batch(changes: &[(&str, Option<&str>)]) -> Batch {
    let change = |(key, value): &(&str, Option<&str>)| {
        (key.as_bytes().to_vec(), value.map(|value| Bytes::copy_from_slice(value.as_bytes())))
    };
    Batch { changes: changes.iter().map(change).collect() }
}

fn pairs(store: &dyn MetaView, range: Range<Key>) -> Vec<(Key, Bytes)> {
    let mut pairs = Vec::new();
    store
        .scan(range, &mut |key, value| {
            pairs.push((key.to_vec(), Bytes::copy_from_slice(value)));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    pairs
}

fn keys(store: &dyn MetaView, from: &str, to: &str) -> Vec<String> {
    let found = pairs(store, from.into()..to.into());
    found.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect()
}

fn value(store: &dyn MetaView, key: &str) -> Option<Bytes> {
    store.get(key.as_bytes()).unwrap()
}

fn a_batch_is_visible_when_written(store: &dyn MetaStore) {
    store.write(batch(&[("a", Some("1")), ("b", Some("2"))])).unwrap();
    assert_eq!(value(store, "a").as_deref(), Some(&b"1"[..]));
    store.write(batch(&[("a", None), ("b", Some("3"))])).unwrap();
    assert_eq!(value(store, "a"), None);
    assert_eq!(value(store, "b").as_deref(), Some(&b"3"[..]));
    store.make_durable().unwrap();
    assert_eq!(value(store, "a"), None);
    assert_eq!(value(store, "b").as_deref(), Some(&b"3"[..]));
}

fn an_empty_value_is_a_value(store: &dyn MetaStore) {
    store.write(batch(&[("a", Some(""))])).unwrap();
    assert_eq!(value(store, "a").as_deref(), Some(&b""[..]));
    store.make_durable().unwrap();
    assert_eq!(value(store, "a").as_deref(), Some(&b""[..]));
}

fn a_scan_is_in_order_and_within_its_bounds(store: &dyn MetaStore) {
    store.write(batch(&[("c", Some("")), ("a", Some("")), ("b", Some("")), ("d", Some(""))])).unwrap();
    assert_eq!(keys(store, "a", "d"), ["a", "b", "c"]);
    assert_eq!(keys(store, "d", "a"), [""; 0]);
    store.make_durable().unwrap();
    store.write(batch(&[("b", None)])).unwrap();
    assert_eq!(keys(store, "a", "z"), ["a", "c", "d"]);
}

fn a_scan_ends_when_told_and_passes_errors_on(store: &dyn MetaStore) {
    store.write(batch(&[("a", Some("")), ("b", Some(""))])).unwrap();
    let mut seen = 0;
    store
        .scan(b"a".to_vec()..b"z".to_vec(), &mut |_, _| {
            seen += 1;
            Ok(ControlFlow::Break(()))
        })
        .unwrap();
    assert_eq!(seen, 1);
    let error = store.scan(b"a".to_vec()..b"z".to_vec(), &mut |_, _| Err(Error::NoSpace));
    assert!(matches!(error, Err(Error::NoSpace)));
}

fn a_scan_may_read_and_is_as_of_one_instant(store: &dyn MetaStore) {
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
}

/// Each batch changes keys of several kinds, which a store may keep in several places, and some batches become durable meanwhile.
fn no_scan_sees_half_a_batch(store: Arc<dyn MetaStore>) {
    let names: Vec<Key> = (0..50).map(|n: u8| vec![0x20 + n % 3, 0, 0, 0, 1, n]).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, names, is_over) = (store.clone(), names.clone(), is_over.clone());
        std::thread::spawn(move || {
            for round in 0..100 {
                let value = Bytes::from(format!("{round:03}"));
                let changes = names.iter().map(|name| (name.clone(), Some(value.clone()))).collect();
                store.write(Batch { changes }).unwrap();
                if round % 3 == 0 {
                    store.make_durable().unwrap();
                }
            }
            is_over.store(true, Ordering::SeqCst);
        })
    };
    while !is_over.load(Ordering::SeqCst) && !writer.is_finished() {
        for range in
            [vec![0x20]..vec![0x23], vec![0x21]..vec![0x22], vec![0x22, 0, 0, 0, 1]..vec![0x22, 0, 0, 0, 2]]
        {
            let mut values = std::collections::BTreeSet::new();
            let found = pairs(&*store, range);
            values.extend(found.iter().map(|(_, value)| value.clone()));
            assert!(values.len() <= 1, "half a batch: {values:?}");
        }
    }
    writer.join().unwrap();
}

fn batches_are_counted(store: &dyn MetaStore) {
    let before = store.position();
    store.write(batch(&[("a", Some("1"))])).unwrap();
    store.write(batch(&[("b", Some("1"))])).unwrap();
    assert_eq!(store.position().written, before.written + 2);
    assert!(store.position().durable <= before.written + 2);
    store.make_durable().unwrap();
    assert_eq!(store.position().durable, before.written + 2);
}

fn many_keys_are_read_as_one_by_one(store: &dyn MetaStore) {
    let named: Vec<(Key, Option<Bytes>)> =
        (0..200).map(|n: u8| (vec![0x30, n], Some(Bytes::from(vec![n; 16])))).collect();
    store.write(Batch { changes: named.clone() }).unwrap();
    store.make_durable().unwrap();
    store
        .write(Batch {
            changes: vec![(vec![0x30, 7], None), (vec![0x30, 8], Some(Bytes::from_static(b"new")))],
        })
        .unwrap();
    let asked: Vec<Key> = [7, 8, 9, 255, 9].into_iter().map(|n: u8| vec![0x30, n]).collect();
    let expected: Vec<Option<Bytes>> = asked.iter().map(|key| store.get(key).unwrap()).collect();
    assert_eq!(store.get_many(&asked).unwrap(), expected);
    assert_eq!(expected[0], None);
    assert_eq!(expected[1].as_deref(), Some(&b"new"[..]));
    assert_eq!((expected[2].is_some(), &expected[3]), (true, &None));
    assert_eq!(store.get_many(&[]).unwrap(), []);
}

fn a_snapshot_does_not_change(store: &dyn MetaStore) {
    store.write(batch(&[("a", Some("1")), ("b", Some("1"))])).unwrap();
    store.make_durable().unwrap();
    store.write(batch(&[("b", Some("2")), ("c", Some("1"))])).unwrap();
    let snapshot = store.snapshot().unwrap();
    store.write(batch(&[("a", None), ("b", Some("3")), ("d", Some("1"))])).unwrap();
    store.make_durable().unwrap();
    assert_eq!(keys(&*snapshot, "a", "z"), ["a", "b", "c"]);
    assert_eq!(value(&*snapshot, "b").as_deref(), Some(&b"2"[..]));
    assert_eq!(value(&*snapshot, "d"), None);
    assert_eq!(keys(store, "a", "z"), ["b", "c", "d"]);
}

/// A generator whose numbers are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Keys of all kinds, few enough to be changed often.
fn key(numbers: &mut Numbers) -> Key {
    let kind = [0x01, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x30, 0x31, 0x40][numbers.below(11) as usize];
    let inode = numbers.below(4).to_be_bytes();
    match kind {
        0x30 => [&[kind][..], &[numbers.below(40) as u8; 32]].concat(),
        _ => [&[kind, 0, 0, 0, 1][..], &inode, &[numbers.below(5) as u8]].concat(),
    }
}

fn changes(numbers: &mut Numbers) -> BTreeMap<Key, Option<Bytes>> {
    let count = 1 + numbers.below(12);
    let change = |numbers: &mut Numbers| {
        let key = key(numbers);
        let bytes = [0, 5, 90, 3000][numbers.below(4) as usize];
        let value = (numbers.below(3) > 0).then(|| Bytes::from(vec![numbers.below(256) as u8; bytes]));
        (key, value)
    };
    (0..count).map(|_| change(numbers)).collect()
}

fn apply(model: &mut BTreeMap<Key, Bytes>, changes: BTreeMap<Key, Option<Bytes>>) {
    for (key, value) in changes {
        match value {
            Some(value) => model.insert(key, value),
            None => model.remove(&key),
        };
    }
}

/// A range of keys: all, of one kind, of one volume, of one file, or any.
fn range(numbers: &mut Numbers) -> Range<Key> {
    let (one, other) = (key(numbers), key(numbers));
    match numbers.below(5) {
        0 => vec![1]..vec![255],
        1 => vec![one[0]]..vec![one[0] + 1],
        2 => one[..5].to_vec()..[&one[..4], &[one[4].saturating_add(1)]].concat(),
        3 => one[..one.len() - 1].to_vec()..[&one[..one.len() - 1], &[255]].concat(),
        _ => one.clone().min(other.clone())..one.max(other),
    }
}

fn look(store: &dyn MetaView, model: &BTreeMap<Key, Bytes>, numbers: &mut Numbers) {
    let asked = key(numbers);
    assert_eq!(store.get(&asked).unwrap(), model.get(&asked).cloned(), "{asked:?}");
    let many: Vec<Key> = (0..numbers.below(6)).map(|_| key(numbers)).collect();
    let expected: Vec<Option<Bytes>> = many.iter().map(|key| model.get(key).cloned()).collect();
    assert_eq!(store.get_many(&many).unwrap(), expected, "{many:?}");
    let range = range(numbers);
    if range.start < range.end {
        let expected: Vec<(Key, Bytes)> =
            model.range(range.clone()).map(|(key, value)| (key.clone(), value.clone())).collect();
        assert_eq!(pairs(store, range.clone()), expected, "{range:?}");
    }
}

fn live(store: &dyn MetaStore, model: &mut BTreeMap<Key, Bytes>, numbers: &mut Numbers) {
    let mut snapshot: Option<(Arc<dyn MetaView>, BTreeMap<Key, Bytes>)> = None;
    for _ in 0..300 {
        let made = changes(numbers);
        store.write(Batch { changes: made.clone().into_iter().collect() }).unwrap();
        apply(model, made);
        if numbers.below(4) == 0 {
            store.make_durable().unwrap();
        }
        look(store, model, numbers);
        match &snapshot {
            Some((view, then)) => look(&**view, then, numbers),
            None => snapshot = Some((store.snapshot().unwrap(), model.clone())),
        }
        if numbers.below(20) == 0 {
            snapshot = None;
        }
    }
    store.make_durable().unwrap();
}

/// A long history of changes, looked at all the time.
pub fn random_changes_are_found_again(store: &dyn MetaStore, seed: u64) {
    live(store, &mut BTreeMap::new(), &mut Numbers(seed));
}

fn what_was_made_durable_is_there_after_reopening(open: &Open<'_>) {
    let store = open(false);
    store.write(batch(&[("a", Some("1"))])).unwrap();
    store.make_durable().unwrap();
    let durable = store.position().durable;
    drop(store);
    let store = open(true);
    assert_eq!(value(&*store, "a").as_deref(), Some(&b"1"[..]));
    assert!(store.position().written >= durable, "batches are counted on");
}

fn a_history_of_several_lives_is_found_again(open: &Open<'_>) {
    let (mut model, mut numbers) = (BTreeMap::new(), Numbers(7));
    for life in 0..4 {
        let store = open(life > 0);
        look(&*store, &model, &mut numbers);
        assert_eq!(pairs(&*store, vec![1]..vec![255]).len(), model.len(), "life {life}");
        live(&*store, &mut model, &mut numbers);
    }
}
