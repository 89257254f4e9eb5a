//! Tables give back memory that they no longer use.

use std::collections::HashMap;
use std::hash::Hash;

/// A table up to this capacity is never shrunk.
const TABLE_CAPACITY_KEPT: usize = 64;

/// Releases unused capacity of a table that is mostly empty.
pub(crate) fn shrink<K: Eq + Hash, V>(table: &mut HashMap<K, V>) {
    if table.capacity() > TABLE_CAPACITY_KEPT && table.len() < table.capacity() / 4 {
        table.shrink_to(2 * table.len());
    }
}
