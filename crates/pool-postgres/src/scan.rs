//! Reads of one instant: a transaction in the database, and the changes that were not durable when it began.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use bytes::Bytes;
use forebay_pool::Result;
use forebay_pool::store::{Key, Table, Visit};

/// Rows that the first page of a scan has, and the most that a page has.
const PAGE_FIRST: i64 = 64;
const PAGE_MAX: i64 = 4096;

/// Rows of a table, in order.
pub(crate) type Page = Vec<(Key, Bytes)>;

/// Visits the keys of a range in order: what `page` returns of each table, changed by `pending`. `page` is asked for a range and a number of
/// rows; fewer rows are the end of the range.
pub(crate) fn scan(
    range: Range<Key>,
    pending: &BTreeMap<Key, Option<Bytes>>,
    page: &mut dyn FnMut(Table, Range<Key>, i64) -> Result<Page>,
    visit: &mut Visit<'_>,
) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let mut changes = pending.range(range.clone()).peekable();
    for (table, part) in parts_of(&range) {
        let (mut from, mut rows) = (part.start, PAGE_FIRST);
        loop {
            let found = page(table, from.clone()..part.end.clone(), rows)?;
            let is_last = (found.len() as i64) < rows;
            for (key, value) in &found {
                while let Some((changed, value)) = changes.next_if(|(changed, _)| *changed < key) {
                    if visit_change(changed, value, visit)?.is_break() {
                        return Ok(());
                    }
                }
                let ended = match changes.next_if(|(changed, _)| *changed == key) {
                    Some((changed, value)) => visit_change(changed, value, visit)?,
                    None => visit(key, value)?,
                };
                if ended.is_break() {
                    return Ok(());
                }
            }
            match found.last() {
                Some((last, _)) if !is_last => from = [&last[..], &[0]].concat(),
                _ => break,
            }
            rows = (rows * 4).min(PAGE_MAX);
        }
    }
    for (changed, value) in changes {
        if visit_change(changed, value, visit)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn visit_change(key: &Key, value: &Option<Bytes>, visit: &mut Visit<'_>) -> Result<ControlFlow<()>> {
    value.as_ref().map_or(Ok(ControlFlow::Continue(())), |value| visit(key, value))
}

/// The parts of a range in each table, in order.
fn parts_of(range: &Range<Key>) -> Vec<(Table, Range<Key>)> {
    let mut parts = Vec::new();
    for table in Table::ALL {
        for part in table.ranges() {
            let start = part.start.max(range.start.clone());
            let end = part.end.min(range.end.clone());
            if start < end {
                parts.push((table, start..end));
            }
        }
    }
    parts.sort_by(|one, other| one.1.start.cmp(&other.1.start));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database as one map, and the pages that were asked for.
    fn scanned(
        rows: &BTreeMap<Key, Bytes>,
        pending: &BTreeMap<Key, Option<Bytes>>,
        range: Range<Key>,
        stop_after: usize,
    ) -> (Vec<Key>, usize) {
        let (mut seen, mut pages) = (Vec::new(), 0);
        let mut page = |table: Table, range: Range<Key>, limit: i64| {
            pages += 1;
            let of_table = rows.range(range).filter(|(key, _)| Table::of(key) == table);
            Ok(of_table.take(limit as usize).map(|(key, value)| (key.clone(), value.clone())).collect())
        };
        scan(range, pending, &mut page, &mut |key, _| {
            seen.push(key.to_vec());
            Ok(if seen.len() == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
        .unwrap();
        (seen, pages)
    }

    #[test]
    fn rows_of_all_tables_and_changes_come_in_order() {
        let rows: BTreeMap<Key, Bytes> = [[0x20, 1], [0x22, 1], [0x22, 2], [0x30, 1], [0x31, 1]]
            .map(|key| (key.to_vec(), Bytes::new()))
            .into();
        let new = Some(Bytes::new());
        let pending: BTreeMap<Key, Option<Bytes>> = [
            (vec![0x10, 1], new.clone()),
            (vec![0x22, 1], None),
            (vec![0x22, 3], new.clone()),
            (vec![0x30, 1], new.clone()),
            (vec![0x40, 1], new),
            (vec![0x41, 1], None),
        ]
        .into();
        let expected: Vec<Key> =
            [[0x10, 1], [0x20, 1], [0x22, 2], [0x22, 3], [0x30, 1], [0x31, 1], [0x40, 1]]
                .map(|key| key.to_vec())
                .into();
        assert_eq!(scanned(&rows, &pending, Vec::new()..vec![255], 0).0, expected);
        assert_eq!(scanned(&rows, &pending, Vec::new()..vec![255], 3).0, expected[..3]);
        assert_eq!(scanned(&rows, &pending, vec![0x22]..vec![0x23], 0).0, expected[2..4]);
        assert_eq!(scanned(&rows, &pending, vec![0x23]..vec![0x22], 0).0, Vec::<Key>::new());
    }

    #[test]
    fn pages_grow_and_are_not_asked_for_in_vain() {
        let rows: BTreeMap<Key, Bytes> =
            (0..1000_u16).map(|n| ([&[0x22][..], &n.to_be_bytes()].concat(), Bytes::new())).collect();
        let (seen, pages) = scanned(&rows, &BTreeMap::new(), vec![0x22]..vec![0x23], 0);
        assert_eq!((seen.len(), pages), (1000, 3));
        assert_eq!(scanned(&rows, &BTreeMap::new(), vec![0x22]..vec![0x23], 5).1, 1);
    }
}
