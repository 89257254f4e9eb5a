//! Consecutive bytes of a file that are in several pieces in memory.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

/// See the module. Positions count from the start of the rope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rope {
    /// The start of each piece, and the piece, which is not empty.
    pieces: Vec<(usize, Bytes)>,
    length: usize,
}

impl Rope {
    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            let start = self.length;
            self.length += piece.len();
            self.pieces.push((start, piece));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bytes of `range`, or those of them that exist. Copies only if they are in several pieces.
    pub(crate) fn slice(&self, range: Range<usize>) -> Bytes {
        let mut parts = self.parts(range.clone());
        let first = parts.next().unwrap_or_default();
        let Some(second) = parts.next() else { return first };
        let mut joined = BytesMut::with_capacity(range.len());
        joined.extend_from_slice(&first);
        joined.extend_from_slice(&second);
        parts.for_each(|part| joined.extend_from_slice(&part));
        joined.freeze()
    }

    /// Whether the bytes of `range` are in one piece, so that [`Rope::slice`] does not copy them.
    pub(crate) fn is_one_piece(&self, range: Range<usize>) -> bool {
        let first = self.pieces.partition_point(|(start, piece)| start + piece.len() <= range.start);
        self.pieces.get(first).is_some_and(|(start, piece)| range.end <= start + piece.len())
    }

    /// The bytes from `at` on, which are not copied.
    pub(crate) fn from(&self, at: usize) -> Rope {
        let mut rest = Rope::default();
        self.parts(at..self.length).for_each(|part| rest.push(part));
        rest
    }

    /// The `N` bytes at `at`, if that many exist.
    pub(crate) fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let end = at.checked_add(N).filter(|end| *end <= self.length)?;
        let mut array = [0; N];
        let mut rest = &mut array[..];
        for part in self.parts(at..end) {
            let (now, later) = rest.split_at_mut_checked(part.len())?;
            now.copy_from_slice(&part);
            rest = later;
        }
        Some(array)
    }

    /// The bytes of `range`, piece by piece.
    fn parts(&self, range: Range<usize>) -> impl Iterator<Item = Bytes> {
        let first = self.pieces.partition_point(|(start, piece)| start + piece.len() <= range.start);
        let pieces = self.pieces.get(first..).unwrap_or_default();
        let touched = pieces.iter().take_while(move |(start, _)| *start < range.end);
        touched.map(move |(start, piece)| {
            let from = range.start.saturating_sub(*start).min(piece.len());
            let to = (range.end - start).min(piece.len());
            piece.slice(from..to.max(from))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_read_as_the_whole(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..12),
            from in 0..80usize,
            length in 0..80usize,
        ) {
            let whole = pieces.concat();
            let mut rope = Rope::default();
            pieces.into_iter().for_each(|piece| rope.push(piece.into()));
            prop_assert_eq!(rope.len(), whole.len());
            let (start, end) = (from.min(whole.len()), (from + length).min(whole.len()));
            let slice = rope.slice(from..from + length);
            prop_assert_eq!(&slice[..], &whole[start..end]);
            if end - start == length && length > 0 {
                let is_inside = |piece: &Bytes| piece.as_ptr_range().contains(&slice.as_ptr());
                let is_slice = rope.pieces.iter().any(|(_, piece)| is_inside(piece));
                prop_assert_eq!(rope.is_one_piece(from..from + length), is_slice);
            }
            let rest = rope.from(from.min(whole.len()));
            prop_assert_eq!(&rest.slice(0..rest.len())[..], &whole[start..]);
            let array: Option<[u8; 7]> = whole.get(from..).and_then(|rest| rest.first_chunk()).copied();
            prop_assert_eq!(rope.array::<7>(from), array);
        }
    }
}
