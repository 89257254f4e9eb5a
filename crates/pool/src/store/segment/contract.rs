//! What every segment store must do. Each test runs against each implementation.

use std::sync::Arc;

use bytes::Bytes;

use super::{FileSegments, MemorySegments, SegmentCopies, SegmentStore, SingleSegments};
use crate::format::frames::BLOCK_BYTES;
use crate::format::keys::SegmentId;

const ID: SegmentId = SegmentId(7);

fn each(test: impl Fn(&dyn SegmentCopies)) {
    test(&SingleSegments(Arc::<MemorySegments>::default()));
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
        assert_eq!((store.length(ID).unwrap(), store.length(SegmentId(8)).unwrap()), (Some(7), None));
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

/// Drops what the system has cached of a segment, so that the next read comes from the disk.
fn forget_cached(path: &std::path::Path) {
    let file = std::fs::File::open(path).unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

fn random(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

#[test]
fn ranges_of_all_sizes_are_read_back_from_the_disk_and_from_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    for direct in [false, true] {
        let store = FileSegments::open(directory.path(), direct);
        let id = SegmentId(u64::from(direct) + 1);
        let path = directory.path().join(format!("{id}.seg"));
        let bytes = Bytes::from(random(3_000_001));
        store.create(id, 4 << 20).unwrap();
        store.write(id, 0, &[bytes.slice(..100_000)]).unwrap();
        store.write(id, 100_000, &[bytes.slice(100_000..)]).unwrap();
        store.sync(id).unwrap();
        for sealed in [false, true] {
            if sealed {
                store.seal(id, bytes.len() as u64).unwrap();
            }
            for (offset, length) in [
                (0, 600_000),
                (4_096, 131_072),
                (4_095, 131_074),
                (1, 60_000),
                (70_001, 500_000),
                (77, 100),
                (2_500_000, 500_001),
                (2_900_000, 100_001),
                (2_999_000, 1_001),
            ] {
                let expected = &bytes[offset..offset + length];
                forget_cached(&path);
                for _ in 0..2 {
                    let read = store.read(id, offset as u64, length).unwrap().unwrap();
                    assert!(read == expected, "{length} bytes at {offset}, direct: {direct}");
                }
                assert_eq!(store.read(id, offset as u64, bytes.len() - offset + 1).unwrap(), None);
            }
            assert_eq!(store.read(id, 3_000_000, 100_000).unwrap(), None);
            assert_eq!(store.read(id, 1 << 40, 100_000).unwrap(), None);
        }
    }
}

#[test]
fn what_is_read_stays_as_it_was_while_others_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileSegments::open(directory.path(), true);
    let bytes = Bytes::from(random(4 << 20));
    store.create(ID, 4 << 20).unwrap();
    store.write(ID, 0, std::slice::from_ref(&bytes)).unwrap();
    store.seal(ID, 4 << 20).unwrap();
    let read = |offset: usize| store.read(ID, offset as u64, 200_000).unwrap().unwrap();
    let replies: Vec<(usize, Bytes)> = (0..10).map(|n| (n * 300_001, read(n * 300_001))).collect();
    for n in 0..100 {
        assert!(read(n * 30_001) == bytes[n * 30_001..][..200_000]);
        for (offset, reply) in &replies {
            assert!(*reply == bytes[*offset..][..200_000]);
        }
    }
}

#[test]
fn a_sealed_segment_that_is_repaired_is_read_as_repaired() {
    each(|store| {
        store.create(ID, 1 << 20).unwrap();
        store.write(ID, 0, &[Bytes::from(vec![1; 400_000])]).unwrap();
        store.sync(ID).unwrap();
        store.seal(ID, 400_000).unwrap();
        assert_eq!(store.read(ID, 0, 400_000).unwrap().unwrap(), vec![1; 400_000]);
        store.restore(0, ID, 100_000, &Bytes::from(vec![2; 200_000])).unwrap();
        let expected = [vec![1; 100_000], vec![2; 200_000], vec![1; 100_000]].concat();
        assert!(store.read(ID, 0, 400_000).unwrap().unwrap() == expected);
    });
}
