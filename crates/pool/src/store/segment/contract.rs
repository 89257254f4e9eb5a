//! What every segment store must do. Each test runs against each implementation.

use bytes::Bytes;

use super::{FileSegments, MemorySegments, SegmentStore};
use crate::format::frames::BLOCK_BYTES;
use crate::format::keys::SegmentId;

const ID: SegmentId = SegmentId(7);

fn each(test: impl Fn(&dyn SegmentStore)) {
    test(&MemorySegments::default());
    let directory = tempfile::tempdir().unwrap();
    // The preparation creates the directory.
    let store = FileSegments::open(&directory.path().join("segments"), false);
    assert!(store.list().unwrap().is_empty());
    store.prepare().unwrap();
    test(&store);
    let directory = tempfile::tempdir().unwrap();
    test(&FileSegments::open(directory.path(), true));
}

fn parts(texts: &[&'static str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect()
}

#[test]
fn parts_are_written_one_after_the_other_and_read_back() {
    each(|store| {
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["ab", "", "cde"])).unwrap();
        store.write(ID, 5, &parts(&["fg"])).unwrap();
        store.sync(ID).unwrap();
        assert_eq!(store.read(ID, 1, 5).unwrap().unwrap(), &b"bcdef"[..]);
        assert_eq!(store.list().unwrap(), [(ID, 7)]);
    });
}

#[test]
fn writing_again_at_an_offset_replaces_what_a_failed_write_left() {
    each(|store| {
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["good", "torn"])).unwrap();
        store.write(ID, 4, &parts(&["new!"])).unwrap();
        assert_eq!(store.read(ID, 0, 8).unwrap().unwrap(), &b"goodnew!"[..]);
    });
}

#[test]
fn a_read_past_the_end_or_of_no_segment_is_none() {
    each(|store| {
        assert_eq!(store.read(ID, 0, 1).unwrap(), None);
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["abc"])).unwrap();
        assert_eq!(store.read(ID, 1, 3).unwrap(), None);
        assert_eq!(store.read(ID, u64::MAX / 2, 3).unwrap(), None);
    });
}

#[test]
fn sealing_gives_a_segment_its_length() {
    each(|store| {
        store.create(ID, 1 << 20).unwrap();
        store.write(ID, 0, &parts(&["abc", "rest"])).unwrap();
        store.seal(ID, 3).unwrap();
        assert_eq!(store.list().unwrap(), [(ID, 3)]);
        assert_eq!(store.read(ID, 0, 3).unwrap().unwrap(), &b"abc"[..]);
    });
}

#[test]
fn deleting_is_final_and_may_be_repeated() {
    each(|store| {
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["abc"])).unwrap();
        store.delete(ID).unwrap();
        store.delete(ID).unwrap();
        assert_eq!(store.read(ID, 0, 3).unwrap(), None);
        assert!(store.list().unwrap().is_empty());
    });
}

#[test]
fn many_parts_are_written_whole() {
    each(|store| {
        store.create(ID, 1 << 20).unwrap();
        let parts: Vec<Bytes> = (0..3000u32).map(|n| Bytes::from(n.to_le_bytes().to_vec())).collect();
        store.write(ID, 0, &parts).unwrap();
        assert_eq!(store.read(ID, 0, 12_000).unwrap().unwrap(), parts.concat());
    });
}

#[test]
fn large_writes_on_blocks_of_their_own_come_in_any_order_beside_small_ones() {
    each(|store| {
        store.create(ID, 8 << 20).unwrap();
        let large =
            |seed: u8| -> Vec<Bytes> { (0..37u8).map(|n| Bytes::from(vec![n ^ seed; 90_001])).collect() };
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
    });
}

#[test]
fn files_are_found_again_and_strangers_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    {
        let store = FileSegments::open(directory.path(), true);
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["abc"])).unwrap();
        store.sync(ID).unwrap();
    }
    let store = FileSegments::open(directory.path(), true);
    assert_eq!(store.list().unwrap(), [(ID, 3)]);
    assert_eq!(store.read(ID, 0, 3).unwrap().unwrap(), &b"abc"[..]);
}

#[test]
fn what_was_set_aside_is_no_part_of_the_store_and_is_kept_until_it_is_deleted() {
    each(|store| {
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
    });
}

#[test]
fn sealing_never_makes_a_segment_longer() {
    each(|store| {
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["abc"])).unwrap();
        store.seal(ID, 100).unwrap();
        assert_eq!(store.list().unwrap(), [(ID, 3)]);
    });
}

#[test]
fn a_deletion_is_told_of_when_it_is_done_in_every_copy() {
    each(|store| {
        store.create(ID, 4096).unwrap();
        assert!(store.delete(ID).unwrap() && store.sync_deletions().unwrap());
        assert!(store.list().unwrap().is_empty());
    });
}
