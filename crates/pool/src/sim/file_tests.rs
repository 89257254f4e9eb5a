//! What the model of a file allows after a clone that is not certain to be whole.

use bytes::Bytes;

use super::clone_ends::Ends;
use super::file::{Change, FileModel, Look};

const LENGTH: usize = 30;

/// A file of so many bytes, and a clone of 30 that starts at 5 and whose batches ended at 15 and 25. It has failed.
fn failed_clone(size: usize) -> FileModel {
    let mut file = FileModel::holding(vec![1; size]);
    let (bytes, ends) = (Bytes::from_static(&[2; LENGTH]), Ends::from([15, 25]));
    let number = file.begin(Change::Clone { offset: 5, bytes, ends }, 1);
    file.end(number, 2, false, false);
    file
}

/// The content of 40 bytes if the clone reached to `end`.
fn cloned_to(end: usize) -> Vec<u8> {
    let mut content = vec![1; 40];
    content[5..end].fill(2);
    content
}

#[test]
fn a_clone_that_failed_is_there_up_to_the_end_of_one_of_its_batches() {
    let file = failed_clone(40);
    for look in [Look::Read { from: 3 }, Look::Crash] {
        for end in 5..=35 {
            let is_allowed = file.wrong(0, &cloned_to(end), look).is_none();
            assert_eq!(is_allowed, [5, 15, 25].contains(&end), "{end} at {look:?}");
        }
    }
}

#[test]
fn a_clone_that_failed_extends_the_file_to_the_end_of_one_of_its_batches() {
    let file = failed_clone(10);
    for look in [Look::Read { from: 3 }, Look::Crash] {
        let sizes: Vec<u64> = (0..50).filter(|size| file.sizes(look).contains(*size)).collect();
        assert_eq!(sizes, [10, 15, 25], "{look:?}");
    }
    assert_eq!(file.end_of_file(), 35, "clients append behind all that may be there");
}

#[test]
fn a_clone_that_failed_has_no_gaps() {
    let mut content = cloned_to(25);
    content[5] = 1;
    let wrong = failed_clone(40).wrong(0, &content, Look::Crash).unwrap();
    assert!(wrong.contains("reaches at least to 25 and at most to 5"), "{wrong}");
}

#[test]
fn a_later_write_may_hide_any_part_of_a_clone() {
    let mut file = failed_clone(40);
    let number = file.begin(Change::Write { offset: 8, bytes: Bytes::from_static(&[3; 4]) }, 3);
    file.end(number, 4, true, true);
    let mut content = cloned_to(15);
    assert!(file.wrong(0, &content, Look::Crash).is_some());
    content[8..12].fill(3);
    assert_eq!(file.wrong(0, &content, Look::Crash), None);
}
