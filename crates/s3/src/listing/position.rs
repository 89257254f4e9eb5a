//! The order of a bucket's entries, and seeking in it.

/// A place in the order of entries: everything at or after this key and rank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The key. It may be bytes between two keys, and need not be UTF-8.
    pub key: Vec<u8>,
    /// The rank within the key.
    pub rank: u64,
}

/// One entry of a bucket's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    /// The key.
    pub key: String,
    /// The order within the key: a version's rank rises as its age does, an upload's as its time of initiation does.
    pub rank: u64,
    /// Whether listings of current objects omit the key if this is its first entry, as with a delete marker.
    pub hidden: bool,
    /// What the entry stands for.
    pub item: T,
}

/// A bucket's table, in order.
pub trait Source {
    /// What an entry stands for.
    type Item;
    /// What can go wrong.
    type Error;

    /// Returns entries from a position on, in order: at least one unless there are none, and at most `limit`.
    fn seek(&mut self, from: &Position, limit: usize) -> Result<Vec<Entry<Self::Item>>, Self::Error>;
}

impl Position {
    /// The place of the first entry of a key, if it has any.
    pub fn at_key(key: impl Into<Vec<u8>>) -> Position {
        Position { key: key.into(), rank: 0 }
    }

    /// The place behind all entries of a key.
    pub fn after_key(key: &str) -> Position {
        let mut key = key.as_bytes().to_vec();
        key.push(0);
        Position { key, rank: 0 }
    }

    /// The place behind one entry.
    pub fn after_entry(key: &str, rank: u64) -> Position {
        match rank.checked_add(1) {
            Some(rank) => Position { key: key.as_bytes().to_vec(), rank },
            None => Position::after_key(key),
        }
    }

    /// The place behind all keys with a prefix, or `None` if no key can be greater.
    pub fn after_prefix(prefix: &str) -> Option<Position> {
        let mut key = prefix.as_bytes().to_vec();
        while let Some(last) = key.pop() {
            if let Some(next) = last.checked_add(1) {
                key.push(next);
                return Some(Position::at_key(key));
            }
        }
        None
    }

    /// Returns whether an entry lies before this place.
    pub fn is_after<T>(&self, entry: &Entry<T>) -> bool {
        (entry.key.as_bytes(), entry.rank) < (self.key.as_slice(), self.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_lies_behind_the_empty_prefix() {
        assert_eq!(Position::after_prefix(""), None);
        assert_eq!(Position::after_prefix("a/").unwrap().key, b"a0");
    }

    #[test]
    fn the_last_rank_is_followed_by_the_next_key() {
        assert_eq!(Position::after_entry("a", u64::MAX), Position::after_key("a"));
        assert!(Position::after_entry("a", 5) < Position::after_key("a"));
    }

    proptest! {
        #[test]
        fn a_prefix_ends_where_its_keys_end(prefix in "[a-b/\u{7f}\u{10ffff}]{1,3}", key in "[a-b/\u{7f}\u{10ffff}]{1,5}") {
            let end = Position::after_prefix(&prefix).unwrap();
            let below = Position::at_key(key.as_bytes()) < end;
            let lies_within = key >= prefix && below;
            prop_assert_eq!(lies_within, key.starts_with(&prefix));
        }

        #[test]
        fn nothing_lies_between_a_key_and_the_place_behind_it(a in "[^\0]{1,4}", b in "[^\0]{1,4}") {
            let behind = Position::after_key(&a) <= Position::at_key(b.as_bytes());
            prop_assert_eq!(behind, a < b);
        }
    }
}
