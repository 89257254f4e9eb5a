//! A cache of answers from the database of users and groups.
//!
//! ```text
//! age  0 ────── FRESH ────────── STALE ────────────────── KEPT
//!      used     │ used, and      │ looked up again by all  │ removed
//!               │ refreshed by   │ callers; the old answer │
//!               │ the first      │ is used only if that    │
//!               │ caller         │ fails                   │
//! ```
//!
//! So a user who works all day never waits for the database again, and changes there take effect after
//! [`STALE`] at the latest. Concurrent callers with the same question share one lookup, and only a few
//! lookups run at a time, since a database that does not answer blocks a thread for each.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::directory::{Directory, Found, Unavailable};
use forebay_service::Clock;

const FRESH: Duration = Duration::from_secs(5 * 60);
pub(super) const STALE: Duration = Duration::from_secs(10 * 60);
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// After a failure the database is not queried for this long, whatever the question.
const PAUSE: Duration = Duration::from_secs(5);
/// Maximum time for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum number of concurrent lookups of one kind.
const QUESTIONS_MAX: usize = 4;
/// Maximum number of cached answers of one kind: more than the number of concurrently active users.
const ENTRIES_MAX: usize = 10_000;

/// Answers to questions of one kind.
pub(super) struct Cache<K, V> {
    shared: Arc<Shared<K, V>>,
}

struct Shared<K, V> {
    clock: Clock,
    directory: Directory,
    ask: fn(&Directory, &K) -> Found<V>,
    asking: Arc<Semaphore>,
    entries: Mutex<HashMap<K, Arc<Entry<V>>>>,
    /// The last failure, and its time.
    failed: Mutex<Option<(Unavailable, Duration)>>,
}

struct Entry<V> {
    /// The last answer, and its time.
    known: Mutex<Option<Known<V>>>,
    /// Held during a lookup.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Known<V> {
    answer: Option<V>,
    at: Duration,
}

/// How usable an entry is.
enum Age<V> {
    Fresh(Option<V>),
    /// Usable once more; a refresh is due.
    Ageing(Option<V>),
    /// Usable only if a lookup fails.
    Old(Option<V>),
    Unknown,
}

impl<V: Clone> Entry<V> {
    fn new() -> Arc<Self> {
        Arc::new(Entry { known: Mutex::new(None), asking: tokio::sync::Mutex::default() })
    }

    /// The value is replaced as a whole, so a panic elsewhere leaves it valid.
    fn known(&self) -> MutexGuard<'_, Option<Known<V>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, now: Duration) -> Age<V> {
        let Some(Known { answer, at }) = self.known().clone() else { return Age::Unknown };
        match now.saturating_sub(at) {
            age if age < FRESH => Age::Fresh(answer),
            age if age < STALE => Age::Ageing(answer),
            age if age < KEPT => Age::Old(answer),
            _ => Age::Unknown,
        }
    }
}

impl<K, V> Cache<K, V>
where
    K: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + 'static,
{
    pub fn new(clock: &Clock, directory: &Directory, ask: fn(&Directory, &K) -> Found<V>) -> Self {
        let shared = Shared {
            clock: clock.clone(),
            directory: directory.clone(),
            ask,
            asking: Arc::new(Semaphore::new(QUESTIONS_MAX)),
            entries: Mutex::default(),
            failed: Mutex::default(),
        };
        Cache { shared: Arc::new(shared) }
    }

    pub fn forget(&self) {
        self.shared.entries().clear();
    }

    /// The cached answer, if any.
    pub fn known(&self, key: &K) -> Option<V> {
        let entry = self.shared.entries().get(key).cloned()?;
        let known = entry.known();
        known.as_ref().and_then(|known| known.answer.clone())
    }

    /// The answer, from the cache or from the database.
    pub async fn get(&self, key: &K) -> Found<V> {
        let entry = self.shared.entry(key);
        match entry.at(self.shared.clock.now()) {
            Age::Fresh(answer) => Ok(answer),
            Age::Old(_) | Age::Unknown => self.shared.ask(key, &entry).await,
            Age::Ageing(answer) => {
                let (shared, key) = (self.shared.clone(), key.clone());
                if entry.asking.try_lock().is_ok() {
                    tokio::spawn(async move { shared.ask(&key, &entry).await });
                }
                Ok(answer)
            }
        }
    }
}

impl<K, V> Shared<K, V>
where
    K: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + 'static,
{
    /// Entries are added and removed as a whole, so a panic elsewhere leaves the map valid.
    fn entries(&self) -> MutexGuard<'_, HashMap<K, Arc<Entry<V>>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, key: &K) -> Arc<Entry<V>> {
        let mut entries = self.entries();
        if let Some(known) = entries.get(key) {
            return known.clone();
        }
        if entries.len() >= ENTRIES_MAX {
            let now = self.clock.now();
            entries.retain(|_, entry| matches!(entry.at(now), Age::Fresh(Some(_))));
        }
        if entries.len() >= ENTRIES_MAX {
            entries.clear();
        }
        entries.entry(key.clone()).or_insert_with(Entry::new).clone()
    }

    /// Queries the database, unless another caller did so meanwhile or it has just failed.
    async fn ask(self: &Arc<Self>, key: &K, entry: &Entry<V>) -> Found<V> {
        let _asking = entry.asking.lock().await;
        if let Age::Fresh(answer) = entry.at(self.clock.now()) {
            return Ok(answer);
        }
        let asked = match self.failing() {
            Some(failed) => Err(failed),
            None => self.ask_in_time(key).await,
        };
        match (asked, entry.at(self.clock.now())) {
            (Ok(answer), _) => {
                *entry.known() = Some(Known { answer: answer.clone(), at: self.clock.now() });
                Ok(answer)
            }
            (Err(_), Age::Fresh(answer) | Age::Ageing(answer) | Age::Old(answer)) => Ok(answer),
            (Err(failed), Age::Unknown) => Err(failed),
        }
    }

    /// A recent failure.
    fn failing(&self) -> Option<Unavailable> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (failed, at) = failed.as_ref()?;
        (self.clock.now().saturating_sub(*at) < PAUSE).then(|| failed.clone())
    }

    async fn ask_in_time(self: &Arc<Self>, key: &K) -> Found<V> {
        let late = |_| Err(Unavailable(format!("no answer within {} seconds", ANSWER_TIME_MAX.as_secs())));
        let answer = tokio::time::timeout(ANSWER_TIME_MAX, self.ask_in_thread(key.clone())).await;
        answer.unwrap_or_else(late).inspect_err(|failed| {
            tracing::warn!(?key, error = %failed, "users and groups cannot be looked up; what was known of them holds");
            let mut last = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Some((failed.clone(), self.clock.now()));
        })
    }

    /// The thread continues if the caller no longer waits, and keeps its place until it ends.
    async fn ask_in_thread(self: &Arc<Self>, key: K) -> Found<V> {
        let gone = |_| Unavailable("the server ends".to_owned());
        let place = self.asking.clone().acquire_owned().await.map_err(gone)?;
        let shared = self.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let answer = (shared.ask)(&shared.directory, &key);
            drop(place);
            answer
        });
        asked.await.unwrap_or_else(|error| Err(Unavailable(error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::directory::Person;

    fn users(clock: &Clock, directory: &Directory) -> Cache<String, u32> {
        Cache::new(clock, directory, |directory, name: &String| directory.number(Person::User, name))
    }

    /// Lets tasks run until this many questions were asked.
    async fn until_asked(directory: &Directory, questions: usize) {
        let asked = async {
            while directory.questions() < questions {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("it is asked");
    }

    #[tokio::test]
    async fn an_answer_is_used_until_it_is_old_and_renewed_before_that() {
        let (clock, directory) = (Clock::manual(), Directory::fixed());
        directory.set_user("kafka", 1, &[]);
        let users = users(&clock, &directory);
        let kafka = "kafka".to_owned();
        let (one, other) = tokio::join!(users.get(&kafka), users.get(&kafka));
        assert_eq!((one, other, directory.questions()), (Ok(Some(1)), Ok(Some(1)), 1), "one asks for both");
        directory.set_user("other", 1, &[]);
        directory.set_user("kafka", 2, &[]);
        clock.advance(FRESH - Duration::from_secs(1));
        assert_eq!((users.get(&kafka).await, directory.questions()), (Ok(Some(1)), 1));
        clock.advance(Duration::from_secs(2));
        assert_eq!(users.get(&kafka).await, Ok(Some(1)), "it is asked, and not waited for");
        until_asked(&directory, 2).await;
        let renewed = async {
            while users.get(&kafka).await != Ok(Some(2)) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), renewed).await.expect("it is renewed");
        clock.advance(STALE);
        directory.set_user("kafka", 3, &[]);
        directory.set_user("was-kafka", 2, &[]);
        assert_eq!(users.get(&kafka).await, Ok(Some(3)), "too old not to wait");
    }

    #[tokio::test]
    async fn while_the_database_fails_what_it_said_holds_for_a_day() {
        let (clock, directory) = (Clock::manual(), Directory::fixed());
        directory.set_user("kafka", 1, &[]);
        let users = users(&clock, &directory);
        let (kafka, other) = ("kafka".to_owned(), "other".to_owned());
        assert_eq!(users.get(&kafka).await, Ok(Some(1)));
        directory.fail(true);
        clock.advance(STALE);
        assert_eq!(users.get(&kafka).await, Ok(Some(1)));
        assert!(users.get(&other).await.is_err());
        let questions = directory.questions();
        assert!(users.get(&other).await.is_err());
        assert_eq!(directory.questions(), questions, "it is left alone for a moment");
        directory.fail(false);
        clock.advance(PAUSE);
        assert_eq!(users.get(&other).await, Ok(None));
        directory.fail(true);
        clock.advance(KEPT);
        assert!(users.get(&kafka).await.is_err());
    }

    #[tokio::test]
    async fn strangers_do_not_fill_the_memory() {
        let (clock, directory) = (Clock::manual(), Directory::fixed());
        let users = users(&clock, &directory);
        for number in 0..=ENTRIES_MAX {
            users.shared.entry(&number.to_string());
        }
        assert!(users.shared.entries().len() <= ENTRIES_MAX);
    }
}
