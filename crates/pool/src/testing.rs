//! A pool in memory whose metadata store says what it was asked for, and holds back its syncs.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use bytes::Bytes;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::Key;
use crate::opening::lifecycle::Foundation;
use crate::store::meta::{Batch, MemoryMeta, MetaStore, MetaView, Position, Visit};
use crate::{Pool, PoolOptions, Result};

/// How often a store was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// For several keys at once, which are read soon.
    pub(crate) together: usize,
    /// For a key that was not among those, or a range.
    pub(crate) alone: usize,
}

enum Question {
    Get(Key),
    Warm(Vec<Key>),
    Scan(Range<Key>),
}

/// A metadata store that a test watches.
#[derive(Default)]
pub(crate) struct Watched {
    store: MemoryMeta,
    questions: Mutex<Vec<Question>>,
    held: Mutex<bool>,
    freed: Condvar,
}

impl Watched {
    /// How often it was asked for keys of a kind, such as [`crate::format::keys::EXTENT`], since the last call.
    pub(crate) fn asked(&self, kind: u8) -> Asked {
        let (mut asked, mut warm) = (Asked::default(), HashSet::new());
        let is_of_kind = |key: &Key| key.first() == Some(&kind);
        for question in sync::lock(&self.questions).drain(..) {
            match question {
                Question::Get(key) => asked.alone += usize::from(is_of_kind(&key) && !warm.contains(&key)),
                Question::Warm(keys) => {
                    asked.together += usize::from(keys.iter().any(is_of_kind));
                    warm.extend(keys);
                }
                Question::Scan(range) => asked.alone += usize::from(is_of_kind(&range.start)),
            }
        }
        asked
    }

    /// Forgets what it was asked for so far.
    pub(crate) fn forget_questions(&self) {
        sync::lock(&self.questions).clear();
    }

    /// Holds back syncs, or no longer.
    pub(crate) fn hold(&self, held: bool) {
        *sync::lock(&self.held) = held;
        self.freed.notify_all();
    }

    fn ask(&self, question: Question) {
        sync::lock(&self.questions).push(question);
    }
}

impl MetaView for Watched {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.ask(Question::Get(key.to_vec()));
        self.store.get(key)
    }
    fn warm(&self, keys: &mut dyn Iterator<Item = Key>) -> Result<()> {
        self.ask(Question::Warm(keys.collect()));
        Ok(())
    }
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        self.ask(Question::Scan(range.clone()));
        self.store.scan(range, visit)
    }
}

impl MetaStore for Watched {
    fn write(&self, batch: Batch) -> Result<()> {
        self.store.write(batch)
    }
    fn position(&self) -> Position {
        self.store.position()
    }
    fn make_durable(&self) -> Result<()> {
        let held = sync::lock(&self.held);
        drop(self.freed.wait_while(held, |held| *held).unwrap_or_else(PoisonError::into_inner));
        self.store.make_durable()
    }
}

/// A new pool on a watched store.
pub(crate) fn watched_pool(options: PoolOptions) -> (Arc<Watched>, Pool) {
    let meta = Arc::<Watched>::default();
    let foundation = Foundation::in_memory(meta.clone(), Arc::default()).unwrap();
    (meta, Pool::on(Engine::open(foundation, options).unwrap()).unwrap())
}
