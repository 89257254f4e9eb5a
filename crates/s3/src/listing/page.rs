//! Building one page of a listing.

use super::{Entry, Position, Query, Select, Source, Start};

/// The entries that one seek returns: this many at first if keys may be rolled up, and at most.
const BATCH_ROLLED_UP: usize = 32;
const BATCH_MAX: usize = 1000;
const BATCH_MIN: usize = 2;

/// The seeks of a page that may yield no item. A bucket full of delete markers, or of old versions, ends its pages early
/// instead of holding up the caller.
const FRUITLESS_SEEKS_MAX: usize = 64;

/// An entry of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The entry.
    pub entry: Entry<T>,
    /// Whether it is the first entry of its key: the latest version.
    pub first_of_key: bool,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries, in order.
    pub entries: Vec<Listed<T>>,
    /// The common prefixes, in order.
    pub common_prefixes: Vec<String>,
    /// Where the next page begins, if there may be more items. It is [`Start::Within`] if the page ended early because
    /// too many keys were hidden.
    pub next: Option<Start>,
}

impl<T> Page<T> {
    /// Returns the greatest entry or common prefix of the page: the marker for the next page of ListObjects. A page
    /// that ended early may have none; the caller then reads on from `next`.
    pub fn last_item(&self) -> Option<&str> {
        let entry = self.entries.last().map(|listed| listed.entry.key.as_str());
        entry.max(self.common_prefixes.last().map(String::as_str))
    }
}

/// Reads one page.
pub fn page<S: Source>(source: &mut S, query: &Query) -> Result<Page<S::Item>, S::Error> {
    let mut builder = Builder::new(query);
    let Some(start) = query.first_position().filter(|_| query.max_items > 0) else {
        return Ok(builder.finish(None));
    };
    builder.look_before(source, &start)?;
    let mut batches = BatchSize::new(query);
    let mut position = Some(start);
    let mut fruitless = 0;
    while let Some(from) = position {
        let batch = source.seek(&from, batches.limit)?;
        let returned = batch.len();
        let items_before = builder.items();
        match builder.add_batch(from, batch) {
            Step::Continue { next, used } => {
                batches.adapt(returned, used);
                position = next;
            }
            Step::Full => {
                let next = builder.last_item.take();
                return Ok(builder.finish(next));
            }
            Step::End => break,
        }
        fruitless += usize::from(builder.items() == items_before);
        if fruitless >= FRUITLESS_SEEKS_MAX
            && let Some(hidden) = builder.last_hidden.take()
        {
            return Ok(builder.finish(Some(Start::Within(hidden))));
        }
    }
    Ok(builder.finish(None))
}

struct Builder<'a, T> {
    query: &'a Query,
    entries: Vec<Listed<T>>,
    common_prefixes: Vec<String>,
    /// The key of the last entry listed.
    last_key: Option<String>,
    /// Where a page begins that follows the last item.
    last_item: Option<Start>,
    /// The key of the last entry examined, if it is hidden.
    last_hidden: Option<String>,
}

enum Step {
    /// Go on at a position, or end if there is none. `used` entries of the batch were not skipped.
    Continue { next: Option<Position>, used: usize },
    /// There is an item for which the page has no room.
    Full,
    /// No further entry has the prefix.
    End,
}

impl<'a, T> Builder<'a, T> {
    fn new(query: &'a Query) -> Builder<'a, T> {
        Builder {
            query,
            entries: Vec::new(),
            common_prefixes: Vec::new(),
            last_key: None,
            last_item: None,
            last_hidden: None,
        }
    }

    fn items(&self) -> usize {
        self.entries.len() + self.common_prefixes.len()
    }

    /// If the page begins within a key, finds out whether the key has entries before that.
    fn look_before<S: Source<Item = T>>(&mut self, source: &mut S, start: &Position) -> Result<(), S::Error> {
        if start.rank == 0 {
            return Ok(());
        }
        let first = source.seek(&Position::at_key(start.key.clone()), 1)?.into_iter().next();
        let earlier = first.filter(|entry| entry.key.as_bytes() == start.key && start.is_after(entry));
        self.last_key = earlier.map(|entry| entry.key);
        Ok(())
    }

    fn add_batch(&mut self, from: Position, batch: Vec<Entry<T>>) -> Step {
        if batch.is_empty() {
            return Step::End;
        }
        let mut next = from;
        let mut used = 0;
        for entry in batch {
            if next.is_after(&entry) {
                continue;
            }
            used += 1;
            match self.add(entry) {
                Step::Continue { next: Some(position), .. } => next = position,
                other => return other,
            }
        }
        Step::Continue { next: Some(next), used }
    }

    /// Adds an entry, and says where the next one of interest may be.
    fn add(&mut self, entry: Entry<T>) -> Step {
        if !entry.key.starts_with(&self.query.prefix) {
            return Step::End;
        }
        let is_hidden = self.query.select == Select::First && entry.hidden;
        if !is_hidden && self.items() == self.query.max_items {
            return Step::Full;
        }
        self.last_hidden = None;
        let next = if is_hidden {
            let next = Position::after_key(&entry.key);
            self.last_hidden = Some(entry.key);
            Some(next)
        } else if let Some(prefix) = self.query.common_prefix(&entry.key).map(str::to_owned) {
            self.last_item = Some(Start::AfterKey(prefix.clone()));
            let next = Position::after_prefix(&prefix);
            self.common_prefixes.push(prefix);
            next
        } else {
            Some(self.list(entry))
        };
        Step::Continue { next, used: 1 }
    }

    fn list(&mut self, entry: Entry<T>) -> Position {
        let first_of_key = self.last_key.as_deref() != Some(entry.key.as_str());
        let key = entry.key.clone();
        let (position, start) = match self.query.select {
            Select::First => (Position::after_key(&key), Start::AfterKey(key.clone())),
            Select::All => {
                (Position::after_entry(&key, entry.rank), Start::AfterEntry(key.clone(), entry.rank))
            }
        };
        self.last_key = Some(key);
        self.last_item = Some(start);
        self.entries.push(Listed { entry, first_of_key });
        position
    }

    fn finish(self, next: Option<Start>) -> Page<T> {
        Page { entries: self.entries, common_prefixes: self.common_prefixes, next }
    }
}

/// How many entries the next seek returns. If most entries of a batch are skipped, the next batch is smaller.
struct BatchSize {
    limit: usize,
}

impl BatchSize {
    fn new(query: &Query) -> BatchSize {
        let rolls_up = !query.delimiter.is_empty();
        let whole_page = query.max_items.saturating_add(1).clamp(BATCH_MIN, BATCH_MAX);
        BatchSize { limit: if rolls_up { BATCH_ROLLED_UP.min(whole_page) } else { whole_page } }
    }

    fn adapt(&mut self, returned: usize, used: usize) {
        let mostly_used = used.saturating_mul(2) >= returned;
        self.limit = if mostly_used { self.limit * 4 } else { self.limit / 4 }.clamp(BATCH_MIN, BATCH_MAX);
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
