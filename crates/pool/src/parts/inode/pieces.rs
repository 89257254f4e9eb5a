//! Bytes that were written to a file and are not durable yet. Pieces never overlap: the newest write wins.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;

/// See the module. Pieces are slices of the callers' buffers: nothing is copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    map: BTreeMap<u64, Bytes>,
    bytes: u64,
}

fn end(offset: u64, piece: &Bytes) -> u64 {
    offset.saturating_add(piece.len() as u64)
}

fn index(bytes: u64) -> usize {
    // An offset within a piece, whose length is a usize.
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl Pieces {
    /// The number of bytes in all pieces.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.map.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Inserts `piece` at `offset`, replacing any bytes there.
    pub(crate) fn insert(&mut self, offset: u64, piece: Bytes) {
        if piece.is_empty() {
            return;
        }
        self.remove(offset..end(offset, &piece));
        self.bytes += piece.len() as u64;
        self.map.insert(offset, piece);
    }

    /// Removes all bytes within `range`.
    pub(crate) fn remove(&mut self, range: Range<u64>) {
        let first = self.map.range(..range.start).next_back();
        let from = match first {
            Some((offset, piece)) if end(*offset, piece) > range.start => *offset,
            _ => range.start,
        };
        let touched: Vec<u64> = self.map.range(from..range.end).map(|(offset, _)| *offset).collect();
        for offset in touched {
            let Some(piece) = self.map.remove(&offset) else { continue };
            self.bytes -= piece.len() as u64;
            if offset < range.start {
                self.keep(offset, piece.slice(..index(range.start - offset)));
            }
            if end(offset, &piece) > range.end {
                self.keep(range.end, piece.slice(index(range.end - offset)..));
            }
        }
    }

    fn keep(&mut self, offset: u64, piece: Bytes) {
        self.bytes += piece.len() as u64;
        self.map.insert(offset, piece);
    }

    /// The pieces within `range`, cut to it, in order.
    pub(crate) fn within(&self, range: Range<u64>) -> Vec<(u64, Bytes)> {
        if range.is_empty() {
            return Vec::new();
        }
        let before = self.map.range(..range.start).next_back();
        let before = before.filter(|(offset, piece)| end(**offset, piece) > range.start);
        let cut = |(offset, piece): (&u64, &Bytes)| {
            let from = range.start.max(*offset);
            let to = range.end.min(end(*offset, piece));
            (from, piece.slice(index(from - offset)..index(to - offset)))
        };
        before.into_iter().chain(self.map.range(range.clone())).map(cut).collect()
    }

    /// The bytes from `offset` on, up to the first gap.
    pub(crate) fn run(&self, offset: u64) -> impl Iterator<Item = Bytes> {
        let before = self.map.range(..offset).next_back();
        let before = before.filter(|(start, piece)| end(**start, piece) > offset);
        let mut reached = offset;
        before.into_iter().chain(self.map.range(offset..)).map_while(move |(start, piece)| {
            let skip = index(reached.saturating_sub(*start));
            let is_next = *start <= reached;
            reached = end(*start, piece);
            is_next.then(|| piece.slice(skip..))
        })
    }

    /// All pieces, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Bytes)> {
        self.map.iter().map(|(offset, piece)| (*offset, piece))
    }

    /// Where the last piece begins.
    pub(crate) fn last_offset(&self) -> Option<u64> {
        self.map.last_key_value().map(|(offset, _)| *offset)
    }

    /// The first `count` pieces, and the pieces after them. `None` if there are no pieces after them.
    pub(crate) fn split(&self, count: usize) -> Option<(Pieces, Pieces)> {
        let (&at, _) = self.map.iter().nth(count)?;
        let copy = |range: std::collections::btree_map::Range<'_, u64, Bytes>| {
            let map: BTreeMap<u64, Bytes> = range.map(|(offset, piece)| (*offset, piece.clone())).collect();
            Pieces { bytes: map.values().map(|piece| piece.len() as u64).sum(), map }
        };
        Some((copy(self.map.range(..at)), copy(self.map.range(at..))))
    }

    /// Inserts a piece that is older than those in `self`.
    pub(crate) fn insert_under(&mut self, offset: u64, older: Bytes) {
        let newer = self.within(offset..end(offset, &older));
        self.insert(offset, older);
        for (offset, piece) in newer {
            self.insert(offset, piece);
        }
    }

    /// Restores pieces that are older than those in `self`. Returns how many bytes the newer pieces replace.
    pub(crate) fn restore_under(&mut self, older: &Pieces) -> u64 {
        let mut merged = older.clone();
        let bytes = self.bytes + older.bytes;
        for (offset, piece) in std::mem::take(&mut self.map) {
            merged.insert(offset, piece);
        }
        *self = merged;
        bytes - self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPACE: usize = 64;

    fn flat(pieces: &Pieces, range: Range<u64>) -> Vec<(u64, u8)> {
        let within = pieces.within(range);
        within
            .iter()
            .flat_map(|(offset, piece)| {
                piece.iter().enumerate().map(move |(at, byte)| (offset + at as u64, *byte))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn pieces_are_what_a_plain_array_says(
            steps in prop::collection::vec((0..3u8, 0..SPACE, 0..SPACE, any::<u8>()), 0..40)
        ) {
            let mut pieces = Pieces::default();
            let mut model = vec![None; SPACE * 2];
            for (what, from, length, byte) in steps {
                if what < 2 {
                    pieces.insert(from as u64, Bytes::from(vec![byte; length]));
                    model[from..from + length].fill(Some(byte));
                } else {
                    pieces.remove(from as u64..(from + length) as u64);
                    model[from..from + length].fill(None);
                }
                let expected: Vec<(u64, u8)> =
                    model.iter().enumerate().filter_map(|(at, byte)| Some((at as u64, (*byte)?))).collect();
                prop_assert_eq!(pieces.bytes(), expected.len() as u64);
                prop_assert_eq!(flat(&pieces, 0..u64::MAX), expected.clone());
                let some: Vec<_> = expected.into_iter().filter(|(at, _)| (10..30).contains(at)).collect();
                prop_assert_eq!(flat(&pieces, 10..30), some);
                let run: Vec<u8> = pieces.run(10).flatten().collect();
                let expected: Vec<u8> = model[10..].iter().map_while(|byte| *byte).collect();
                prop_assert_eq!(run, expected);
            }
        }
    }

    #[test]
    fn pieces_are_split_by_their_number() {
        let mut pieces = Pieces::default();
        for at in [0, 10, 20] {
            pieces.insert(at, Bytes::from_static(b"piece"));
        }
        assert!(pieces.split(3).is_none());
        let (first, rest) = pieces.split(2).unwrap();
        assert_eq!((first.bytes(), rest.bytes()), (10, 5));
        assert_eq!(first.iter().map(|(offset, _)| offset).collect::<Vec<_>>(), [0, 10]);
        assert_eq!(rest.iter().map(|(offset, _)| offset).collect::<Vec<_>>(), [20]);
    }

    #[test]
    fn restored_pieces_lie_under_newer_ones() {
        let mut older = Pieces::default();
        older.insert(0, Bytes::from_static(b"oldold"));
        let mut newer = Pieces::default();
        newer.insert(2, Bytes::from_static(b"NEW!!!"));
        assert_eq!(newer.restore_under(&older), 4);
        let text: Vec<u8> = flat(&newer, 0..100).into_iter().map(|(_, byte)| byte).collect();
        assert_eq!(text, b"olNEW!!!");
        assert_eq!(newer.bytes(), 8);
    }
}
