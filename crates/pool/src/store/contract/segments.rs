//! The contract of [`SegmentStore`].

use std::sync::Arc;

use bytes::Bytes;

use crate::format::frames::BLOCK_BYTES;
use crate::store::{SegmentId, SegmentStore};

const ID: SegmentId = SegmentId(7);

/// Opens a store: an empty one, or with `true` the one that was opened last, after it was dropped.
pub type Open<'a> = dyn Fn(bool) -> Arc<dyn SegmentStore> + 'a;

/// Everything that a store must do while it is open. `open` is only asked for empty stores.
pub fn one_life(open: &Open<'_>) {
    parts_are_written_one_after_the_other_and_read_back(&*open(false));
    writing_again_at_an_offset_replaces_what_a_failed_write_left(&*open(false));
    a_read_past_the_end_or_of_no_segment_is_none(&*open(false));
    sealing_gives_a_segment_its_length(&*open(false));
    deleting_is_final_and_may_be_repeated(&*open(false));
    many_parts_are_written_whole(&*open(false));
    large_writes_on_blocks_of_their_own_come_in_any_order_beside_small_ones(&*open(false));
    what_was_set_aside_is_no_part_of_the_store_and_is_kept_until_it_is_deleted(&*open(false));
    sealing_never_makes_a_segment_longer(&*open(false));
    a_deletion_is_told_of_when_it_is_done_in_every_copy(&*open(false));
    several_are_synced_at_once(&*open(false));
    starts_are_listed_from_one_on(&*open(false));
}

/// Everything that a store must do over several lives.
pub fn several_lives(open: &Open<'_>) {
    what_was_synced_is_there_after_reopening(open);
    what_was_set_aside_or_deleted_stays_so(open);
}

fn parts(texts: &[&'static str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect()
}

fn listed(store: &dyn SegmentStore) -> Vec<(SegmentId, u64)> {
    let mut listed = store.list().unwrap();
    listed.sort_unstable();
    listed
}

fn parts_are_written_one_after_the_other_and_read_back(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["ab", "", "cde"])).unwrap();
    store.write(ID, 5, &parts(&["fg"])).unwrap();
    store.sync(ID).unwrap();
    assert_eq!(store.read(ID, 1, 5).unwrap().unwrap(), &b"bcdef"[..]);
    assert_eq!(store.list().unwrap(), [(ID, 7)]);
    assert_eq!((store.length(ID).unwrap(), store.length(SegmentId(8)).unwrap()), (Some(7), None));
}

fn writing_again_at_an_offset_replaces_what_a_failed_write_left(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["good", "torn"])).unwrap();
    store.write(ID, 4, &parts(&["new!"])).unwrap();
    assert_eq!(store.read(ID, 0, 8).unwrap().unwrap(), &b"goodnew!"[..]);
}

fn a_read_past_the_end_or_of_no_segment_is_none(store: &dyn SegmentStore) {
    assert_eq!(store.read(ID, 0, 1).unwrap(), None);
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["abc"])).unwrap();
    assert_eq!(store.read(ID, 1, 3).unwrap(), None);
    assert_eq!(store.read(ID, u64::MAX / 2, 3).unwrap(), None);
}

fn sealing_gives_a_segment_its_length(store: &dyn SegmentStore) {
    store.create(ID, 1 << 20).unwrap();
    store.write(ID, 0, &parts(&["abc", "rest"])).unwrap();
    store.seal(ID, 3).unwrap();
    assert_eq!(store.list().unwrap(), [(ID, 3)]);
    assert_eq!(store.read(ID, 0, 3).unwrap().unwrap(), &b"abc"[..]);
}

fn deleting_is_final_and_may_be_repeated(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["abc"])).unwrap();
    store.delete(ID).unwrap();
    store.delete(ID).unwrap();
    assert_eq!(store.read(ID, 0, 3).unwrap(), None);
    assert!(store.list().unwrap().is_empty());
}

fn many_parts_are_written_whole(store: &dyn SegmentStore) {
    store.create(ID, 1 << 20).unwrap();
    let parts: Vec<Bytes> = (0..3000u32).map(|n| Bytes::from(n.to_le_bytes().to_vec())).collect();
    store.write(ID, 0, &parts).unwrap();
    assert_eq!(store.read(ID, 0, 12_000).unwrap().unwrap(), parts.concat());
}

fn large_writes_on_blocks_of_their_own_come_in_any_order_beside_small_ones(store: &dyn SegmentStore) {
    store.create(ID, 8 << 20).unwrap();
    let large = |seed: u8| -> Vec<Bytes> { (0..37u8).map(|n| Bytes::from(vec![n ^ seed; 90_001])).collect() };
    let bytes = 37 * 90_001u64;
    let second_at = (BLOCK_BYTES + bytes).next_multiple_of(BLOCK_BYTES);
    store.write(ID, 0, &parts(&["header"])).unwrap();
    store.write(ID, second_at, &large(0x55)).unwrap();
    store.write(ID, BLOCK_BYTES, &large(0xaa)).unwrap();
    let behind = (second_at + bytes).next_multiple_of(BLOCK_BYTES);
    store.write(ID, behind, &parts(&["footer"])).unwrap();
    store.sync(ID).unwrap();
    assert_eq!(store.read(ID, 0, 6).unwrap().unwrap(), &b"header"[..]);
    assert_eq!(store.read(ID, BLOCK_BYTES, bytes as usize).unwrap().unwrap(), large(0xaa).concat());
    assert_eq!(store.read(ID, second_at, bytes as usize).unwrap().unwrap(), large(0x55).concat());
    assert_eq!(store.read(ID, behind, 6).unwrap().unwrap(), &b"footer"[..]);
}

fn what_was_set_aside_is_no_part_of_the_store_and_is_kept_until_it_is_deleted(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["abc"])).unwrap();
    store.seal(ID, 3).unwrap();
    assert!(store.list_aside().unwrap().is_empty());
    store.set_aside(ID).unwrap();
    assert_eq!(store.read(ID, 0, 3).unwrap(), None);
    assert!(store.list().unwrap().is_empty());
    assert_eq!(store.list_aside().unwrap(), [(ID, 3)]);
    store.set_aside(ID).unwrap();
    store.delete_aside(ID).unwrap();
    assert!(store.list_aside().unwrap().is_empty());
    store.delete_aside(ID).unwrap();
}

fn sealing_never_makes_a_segment_longer(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    store.write(ID, 0, &parts(&["abc"])).unwrap();
    store.seal(ID, 100).unwrap();
    assert_eq!(store.list().unwrap(), [(ID, 3)]);
}

fn a_deletion_is_told_of_when_it_is_done_in_every_copy(store: &dyn SegmentStore) {
    store.create(ID, 4096).unwrap();
    assert!(store.delete(ID).unwrap() && store.sync_deletions().unwrap());
    assert!(store.list().unwrap().is_empty());
}

fn several_are_synced_at_once(store: &dyn SegmentStore) {
    let ids: Vec<SegmentId> = (1..20).map(SegmentId).collect();
    for id in &ids {
        store.create(*id, 4096).unwrap();
        store.write(*id, 0, &[Bytes::from(id.0.to_le_bytes().to_vec())]).unwrap();
    }
    store.sync_all(&ids).unwrap();
    // As often as one likes.
    store.sync_all(&ids).unwrap();
    store.sync(SegmentId(3)).unwrap();
    assert_eq!(listed(store), ids.iter().map(|id| (*id, 8)).collect::<Vec<_>>());
    for id in ids {
        assert_eq!(store.read(id, 0, 8).unwrap().unwrap(), &id.0.to_le_bytes()[..]);
        assert_eq!(store.read_stored(id, 1, 7).unwrap().unwrap(), &id.0.to_le_bytes()[1..]);
    }
}

fn starts_are_listed_from_one_on(store: &dyn SegmentStore) {
    let ids = [(1, false), (2, false), (9, false), (10, true), (300, true)];
    let ids: Vec<SegmentId> = ids.map(|(boot, many)| SegmentId::first_of(boot, many)).to_vec();
    for id in &ids {
        store.create(*id, 4096).unwrap();
        store.write(*id, 0, &parts(&["abc"])).unwrap();
        store.sync(*id).unwrap();
    }
    let starts = [
        (0, false, 5),
        (1, false, 5),
        (2, false, 4),
        (9, false, 3),
        (10, true, 2),
        (11, true, 1),
        (301, true, 0),
    ];
    for (boot, many, count) in starts {
        let mut listed = store.list_since(SegmentId::first_of(boot, many)).unwrap();
        listed.sort_unstable();
        assert_eq!(listed, ids[5 - count..].iter().map(|id| (*id, 3)).collect::<Vec<_>>(), "from {boot}");
    }
    let behind = SegmentId(SegmentId::first_of(10, true).0 + 1);
    assert_eq!(store.list_since(behind).unwrap(), [(ids[4], 3)], "not the first one of start 10");
}

fn what_was_synced_is_there_after_reopening(open: &Open<'_>) {
    let large = Bytes::from((0..3_000_001_u32).map(|n| (n / 3) as u8).collect::<Vec<u8>>());
    let store = open(false);
    for (id, bytes) in [(SegmentId(3), &parts(&["abc"])[0]), (SegmentId(4), &large)] {
        store.create(id, 1 << 20).unwrap();
        store.write(id, 0, std::slice::from_ref(bytes)).unwrap();
        store.sync(id).unwrap();
        store.seal(id, bytes.len() as u64).unwrap();
    }
    drop(store);
    let store = open(true);
    assert_eq!(listed(&*store), [(SegmentId(3), 3), (SegmentId(4), 3_000_001)]);
    assert_eq!(store.read(SegmentId(3), 0, 3).unwrap().unwrap(), &b"abc"[..]);
    for (offset, length) in [(0, 3_000_001), (1_048_575, 2), (1, 99), (2_999_000, 1001), (500_000, 2_000_000)]
    {
        let read = store.read(SegmentId(4), offset as u64, length).unwrap().unwrap();
        assert!(read == large[offset..offset + length], "{length} bytes at {offset}");
    }
    assert_eq!(store.read(SegmentId(4), 2_999_000, 1002).unwrap(), None);
    assert_eq!(store.length(SegmentId(4)).unwrap(), Some(3_000_001));
}

fn what_was_set_aside_or_deleted_stays_so(open: &Open<'_>) {
    let store = open(false);
    for id in [1, 2, 3].map(SegmentId) {
        store.create(id, 4096).unwrap();
        store.write(id, 0, &parts(&["abcd"])).unwrap();
        store.sync(id).unwrap();
        store.seal(id, 4).unwrap();
    }
    store.set_aside(SegmentId(1)).unwrap();
    assert!(store.delete(SegmentId(2)).unwrap() && store.sync_deletions().unwrap());
    drop(store);
    let store = open(true);
    assert_eq!(listed(&*store), [(SegmentId(3), 4)]);
    assert_eq!(store.list_aside().unwrap(), [(SegmentId(1), 4)]);
    assert_eq!(store.read(SegmentId(1), 0, 1).unwrap(), None);
}
