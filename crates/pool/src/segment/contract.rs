//! What every segment store must do. Each test runs against each implementation.

use bytes::Bytes;

use super::{FileSegments, MemorySegments, SegmentId, SegmentStore};

const ID: SegmentId = SegmentId(7);

fn each(test: impl Fn(&dyn SegmentStore)) {
    test(&MemorySegments::default());
    let directory = tempfile::tempdir().unwrap();
    test(&FileSegments::open(directory.path()).unwrap());
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
fn files_are_found_again_and_strangers_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    {
        let store = FileSegments::open(directory.path()).unwrap();
        store.create(ID, 4096).unwrap();
        store.write(ID, 0, &parts(&["abc"])).unwrap();
        store.sync(ID).unwrap();
    }
    let store = FileSegments::open(directory.path()).unwrap();
    assert_eq!(store.list().unwrap(), [(ID, 3)]);
    assert_eq!(store.read(ID, 0, 3).unwrap().unwrap(), &b"abc"[..]);
}
