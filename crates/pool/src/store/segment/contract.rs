//! The contract of segment stores against the pool's own implementations, and what the stores of files do beyond it.

use std::cell::RefCell;
use std::sync::Arc;

use bytes::Bytes;

use super::{FileSegments, MemorySegments, SegmentCopies, SegmentStore, SingleSegments};
use crate::format::keys::SegmentId;
use crate::store::contract::segments;

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

#[test]
fn the_store_in_memory_keeps_the_contract() {
    segments::one_life(&|_| Arc::<MemorySegments>::default());
}

#[test]
fn the_store_of_files_keeps_the_contract() {
    for direct in [false, true] {
        let directory = RefCell::new(tempfile::tempdir().unwrap());
        let open = |again: bool| -> Arc<dyn SegmentStore> {
            if !again {
                directory.replace(tempfile::tempdir().unwrap());
            }
            let store = FileSegments::open(directory.borrow().path(), direct);
            store.prepare().unwrap();
            Arc::new(store)
        };
        segments::one_life(&open);
        segments::several_lives(&open);
    }
}

#[test]
fn a_directory_that_is_not_there_has_no_segments() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileSegments::open(&directory.path().join("segments"), false);
    assert!(store.list().unwrap().is_empty());
    store.prepare().unwrap();
    assert!(directory.path().join("segments").is_dir());
}

fn parts(texts: &[&'static str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect()
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
