//! Looks at entries, and reads contents while others replace them.

use super::super::client::Client;
use super::model::{Buckets, Entry, OBJECTS, TABLES, of_scan};
use super::perform::ENTRIES_MAX;
use crate::*;

/// A content that a client reads, and holds.
pub(in crate::sim) struct Reader {
    content: Handle,
    /// The moment at which it was opened.
    from: usize,
}

impl Client {
    pub(super) fn scan(&self, id: VolumeId, prefix: &[u8], from: &Seek<'_>, entries_max: usize) {
        for table in TABLES {
            let begun = self.moment_now();
            match self.pool.bucket_scan(id, table, prefix, from, entries_max) {
                Ok(found) => {
                    let (found, is_sorted) = of_scan(table, &found);
                    let is_right = |state: &Buckets| {
                        let bucket = state.get(&id);
                        bucket.is_some_and(|bucket| {
                            bucket.entries.scan(table, prefix, from, entries_max) == found
                        })
                    };
                    if !is_sorted || !self.ever_since(begun, is_right) {
                        self.fail(format!("scan of {id:?} {prefix:?} {from:?} {entries_max}: {found:?}"));
                    }
                }
                Err(error) => self.look_failed(id, begun, &error),
            }
        }
    }

    fn look_failed(&self, id: VolumeId, begun: usize, error: &Error) {
        let is_gone =
            matches!(error, Error::Stale) && self.ever_since(begun, |state| !state.contains_key(&id));
        if !is_gone && !self.is_excused(error) {
            self.fail(format!("look at bucket {id:?}: {error}"));
        }
    }

    pub(super) fn newest(&self, id: VolumeId, key: &[u8]) {
        let begun = self.moment_now();
        match self.pool.bucket_newest(id, OBJECTS, key) {
            Ok(found) => self.compare_newest(id, key, begun, found.as_ref()),
            Err(error) => self.look_failed(id, begun, &error),
        }
    }

    fn compare_newest(&self, id: VolumeId, key: &[u8], begun: usize, found: Option<&BucketEntry>) {
        let found =
            found.map(|found| (found.version, Entry { facts: found.facts.clone(), content: found.content }));
        let is_right = |state: &Buckets| {
            state.get(&id).is_some_and(|bucket| {
                let newest = bucket.entries.newest(OBJECTS, key);
                newest.map(|(version, entry)| (version, entry.clone())) == found
            })
        };
        if !self.ever_since(begun, is_right) {
            self.fail(format!("the newest version of {key:?} in {id:?} is not {found:?}"));
        }
    }

    pub(super) fn list_buckets(&self) {
        let begun = self.moment_now();
        match self.pool.buckets() {
            Ok(found) => {
                let world = self.shared.world.borrow();
                let is_right = |state: &Buckets| {
                    state.len() == found.len()
                        && found.iter().all(|found| {
                            state.get(&found.id).is_some_and(|known| known.spec.name == found.spec.name)
                        })
                };
                if !world.buckets.ever(world.buckets.until_now(begun), is_right) {
                    self.fail(format!("buckets {found:?}"));
                }
            }
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("buckets: {error}")),
        }
    }

    /// Looks up the newest version of a key, and holds its content.
    pub(super) fn open_object(&mut self, id: VolumeId, key: &[u8]) {
        let from = self.moment_now();
        let found = match self.pool.bucket_newest(id, OBJECTS, key) {
            Ok(found) => found,
            Err(error) => return self.look_failed(id, from, &error),
        };
        self.compare_newest(id, key, from, found.as_ref());
        let Some(content) = found.and_then(|found| found.content) else { return };
        match self.pool.hold(content) {
            Ok(()) => self.readers.push(Reader { content, from }),
            Err(error) => {
                let is_lost = |state: &Buckets| {
                    state.get(&id).is_none_or(|bucket| bucket.contents().all(|other| other != content))
                };
                let is_right = matches!(error, Error::Stale) && self.ever_since(from, is_lost);
                if !is_right && !self.is_excused(&error) {
                    self.fail(format!("hold of {content:?}: {error}"));
                }
            }
        }
    }

    /// Reads a range of a content that was opened before. Only the end of its bucket takes it away.
    pub(super) async fn read_on(&mut self) {
        let at = self.random.below(self.readers.len() as u64) as usize;
        let Some(Reader { content, from }) = self.readers.get(at) else { return };
        let (content, from) = (*content, *from);
        let expected = self.shared.world.borrow().buckets.contents.get(&content).cloned();
        let Some(expected) = expected else { return self.fail(format!("nobody made {content:?}")) };
        let size = expected.len() as u64;
        let (offset, length) =
            if self.random.permille(500) { (0, u32::MAX) } else { (self.random.below(size + 10), 50_000) };
        match self.pool.read(content, offset, length).await {
            Ok(read) => {
                let end = size.min(offset.saturating_add(u64::from(length)));
                let expected = expected.slice((offset.min(end) as usize)..end as usize);
                if read.pieces.concat() != expected {
                    self.fail(format!("{content:?} at {offset}: not the bytes that it has"));
                }
            }
            Err(error) => {
                let is_gone = |state: &Buckets| !state.contains_key(&content.volume);
                let is_right = matches!(error, Error::Stale) && self.ever_since(from, is_gone);
                if !is_right && !self.is_excused(&error) {
                    self.fail(format!("read of {content:?}: {error}"));
                }
            }
        }
    }

    pub(super) fn close_object(&mut self) {
        if let Some(reader) = self.readers.pop() {
            self.pool.release(reader.content);
        }
    }
}

/// All buckets as the pool has them.
pub(super) fn all_buckets(pool: &Pool) -> Result<Buckets> {
    let mut buckets = Buckets::new();
    for bucket in pool.buckets()? {
        let mut entries = super::model::Entries::default();
        for table in TABLES {
            let found = pool.bucket_scan(bucket.id, table, b"", &Seek::Start, ENTRIES_MAX)?;
            entries.0.extend(of_scan(table, &found).0.0);
        }
        buckets.insert(bucket.id, super::model::Bucket { spec: bucket.spec, entries });
    }
    Ok(buckets)
}
