//! A segment that is gathered in memory, until it becomes an object.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};

/// What gaps between pieces are filled with.
static ZEROS: [u8; 4096] = [0; 4096];

/// The pieces that were written, which do not overlap.
#[derive(Default)]
pub(crate) struct Gathered {
    pieces: BTreeMap<u64, Bytes>,
    length: u64,
}

impl Gathered {
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Writes bytes; what was there before is replaced.
    pub(crate) fn write(&mut self, offset: u64, bytes: &Bytes) {
        if bytes.is_empty() {
            return;
        }
        let end = offset.saturating_add(bytes.len() as u64);
        self.clear(offset, end);
        self.pieces.insert(offset, bytes.clone());
        self.length = self.length.max(end);
    }

    /// Cuts everything off behind this length.
    pub(crate) fn truncate(&mut self, length: u64) {
        if length < self.length {
            self.clear(length, self.length);
            self.length = length;
        }
    }

    /// Removes what lies between two offsets.
    fn clear(&mut self, from: u64, to: u64) {
        let before = self.pieces.range(..from).next_back().map(|(at, piece)| (*at, piece.clone()));
        let within: Vec<u64> = self.pieces.range(from..to).map(|(at, _)| *at).collect();
        let cut = before
            .into_iter()
            .chain(within.into_iter().filter_map(|at| Some((at, self.pieces.get(&at)?.clone()))));
        for (at, piece) in cut.collect::<Vec<_>>() {
            let end = at + piece.len() as u64;
            if end <= from {
                continue;
            }
            self.pieces.remove(&at);
            if at < from {
                self.pieces.insert(at, piece.slice(..(from - at) as usize));
            }
            if end > to {
                self.pieces.insert(to, piece.slice((to - at) as usize..));
            }
        }
    }

    /// All bytes, in order, in pieces.
    pub(crate) fn all(&self) -> Vec<Bytes> {
        let mut all = Vec::with_capacity(self.pieces.len());
        let mut at = 0;
        let fill = |all: &mut Vec<Bytes>, from: u64, to: u64| {
            let mut left = to.saturating_sub(from);
            while left > 0 {
                let count = left.min(ZEROS.len() as u64);
                all.extend(ZEROS.get(..count as usize).map(Bytes::from_static));
                left -= count;
            }
        };
        for (offset, piece) in &self.pieces {
            fill(&mut all, at, *offset);
            all.push(piece.clone());
            at = offset + piece.len() as u64;
        }
        fill(&mut all, at, self.length);
        all
    }

    /// Exactly `length` bytes at `offset`, or none if it is shorter.
    pub(crate) fn read(&self, offset: u64, length: usize) -> Option<Bytes> {
        let end = offset.checked_add(length as u64).filter(|end| *end <= self.length)?;
        let first = self.pieces.range(..=offset).next_back().map_or(offset, |(at, _)| *at);
        if let Some((at, piece)) = self.pieces.range(first..).next()
            && *at <= offset
            && at + piece.len() as u64 >= end
        {
            let from = (offset - at) as usize;
            return Some(piece.slice(from..from + length));
        }
        let mut bytes = BytesMut::zeroed(length);
        for (at, piece) in self.pieces.range(first..end) {
            let (from, to) = ((*at).max(offset), (at + piece.len() as u64).min(end));
            if from < to
                && let Some(place) = bytes.get_mut((from - offset) as usize..(to - offset) as usize)
                && let Some(source) = piece.get((from - at) as usize..(to - at) as usize)
            {
                place.copy_from_slice(source);
            }
        }
        Some(bytes.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_any_order_is_read_back() {
        // A generator of its own, so that a failure can be repeated.
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let (mut gathered, mut model) = (Gathered::default(), Vec::new());
            for step in 0..30 {
                if random(10) == 0 {
                    let length = random(3000);
                    gathered.truncate(length);
                    model.truncate(length as usize);
                } else {
                    let (offset, bytes) = (random(2500), vec![step as u8 + 1; random(500) as usize]);
                    if !bytes.is_empty() {
                        let end = offset as usize + bytes.len();
                        model.resize(model.len().max(end), 0);
                        model[offset as usize..end].copy_from_slice(&bytes);
                    }
                    gathered.write(offset, &Bytes::from(bytes));
                }
                assert_eq!(gathered.length(), model.len() as u64);
                assert!(gathered.all().concat() == model);
                let (offset, length) = (random(2600), random(600) as usize);
                let expected = model.get(offset as usize..offset as usize + length);
                assert!(gathered.read(offset, length).as_deref() == expected, "{length} at {offset}");
            }
        }
        assert_eq!(Gathered::default().read(u64::MAX, 2), None);
    }
}
