//! Requests to the bucket. Each is repeated while the bucket does not answer, or answers that it cannot at the moment, and each attempt is counted.

use std::future::Future;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::store::ObjectCounts;
use forebay_pool::{Error, Result};
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
};
use tokio::time::Instant;

use crate::address::Address;

/// The pauses between attempts: the first one, and the longest.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// A request without an answer for this long counts as one that fails.
const SLOW: Duration = Duration::from_secs(5);
/// How long the first attempt may take. Each further one has twice the time of the one before, since the way to the bucket may be slow.
const ATTEMPT_MAX: Duration = Duration::from_secs(30);
/// The most characters of a cause in a message.
const SENTENCE_CHARACTERS_MAX: usize = 400;

#[derive(Default)]
struct Counters {
    put: AtomicU64,
    get: AtomicU64,
    head: AtomicU64,
    list: AtomicU64,
    copy: AtomicU64,
    delete: AtomicU64,
    repeated: AtomicU64,
    bytes_put: AtomicU64,
    bytes_got: AtomicU64,
}

/// The objects of one pool.
pub(crate) struct Client {
    pub(crate) address: Address,
    store: Arc<dyn ObjectStore>,
    /// How long a request is repeated.
    outage_max: Duration,
    counters: Counters,
    /// Whether the store can refuse to replace an object.
    can_create: AtomicBool,
    /// Since when the bucket has not answered as it should.
    out_since: Mutex<Option<Instant>>,
    /// Whether it has ever answered.
    has_answered: AtomicBool,
    /// Whether it has ever stored an object.
    has_stored: AtomicBool,
}

/// A part of an object.
pub(crate) struct Part {
    pub(crate) bytes: Bytes,
    /// The length of the object.
    pub(crate) length: u64,
}

impl Client {
    pub(crate) fn new(address: Address, store: Arc<dyn ObjectStore>, outage_max: Duration) -> Client {
        Client {
            address,
            store,
            outage_max,
            counters: Counters::default(),
            can_create: AtomicBool::new(true),
            out_since: Mutex::default(),
            has_answered: AtomicBool::new(false),
            has_stored: AtomicBool::new(false),
        }
    }

    /// What was requested so far.
    pub(crate) fn counts(&self) -> ObjectCounts {
        let Counters { put, get, head, list, copy, delete, repeated, bytes_put, bytes_got } = &self.counters;
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let out_since = *self.out_since.lock().unwrap_or_else(PoisonError::into_inner);
        let out_for = out_since.map_or(Duration::ZERO, |since| since.elapsed());
        ObjectCounts {
            put: of(put),
            get: of(get),
            head: of(head),
            list: of(list),
            copy: of(copy),
            delete: of(delete),
            repeated: of(repeated),
            bytes_put: of(bytes_put),
            bytes_got: of(bytes_got),
            out_for_ms: u64::try_from(out_for.as_millis()).unwrap_or(u64::MAX),
            ..ObjectCounts::default()
        }
    }

    fn path(&self, object: &str) -> Path {
        if self.address.prefix.is_empty() {
            Path::from(object)
        } else {
            Path::from(format!("{}/{object}", self.address.prefix))
        }
    }

    /// The name of an object below the prefix.
    fn name<'a>(&self, path: &'a Path) -> Option<&'a str> {
        let path = path.as_ref();
        if self.address.prefix.is_empty() {
            return Some(path);
        }
        path.strip_prefix(&self.address.prefix)?.strip_prefix('/')
    }

    /// Stores an object that is not there yet. It may be there because an earlier attempt was carried out and its answer was lost: it then has the
    /// same bytes. Anything else is an error, and the object stays as it is.
    pub(crate) async fn create(&self, object: &str, bytes: Vec<Bytes>) -> Result<()> {
        let payload = PutPayload::from_iter(bytes);
        let length = payload.content_length() as u64;
        let path = self.path(object);
        let begun = Instant::now();
        loop {
            if self.try_create(object, &path, &payload).await? {
                break;
            }
            let action = "store the object in the bucket";
            match self.get(object, None).await? {
                Some(part) if is_same(&part, &payload) => break,
                Some(_) => {
                    let cause = "an object with other bytes is there already; another pool or daemon writes to this place: give each pool a prefix of \
                                 its own, and see whether the pool's database was set back";
                    return Err(self.error(object, action, cause));
                }
                // An earlier attempt is still being carried out, or has failed since.
                None if begun.elapsed() < self.outage_max => tokio::time::sleep(PAUSE_MAX).await,
                None => {
                    let cause = "the bucket answers that the object is there, and that it is not";
                    return Err(self.error(object, action, cause));
                }
            }
        }
        self.has_stored.store(true, Ordering::Relaxed);
        self.counters.bytes_put.fetch_add(length, Ordering::Relaxed);
        Ok(())
    }

    /// Stores an object. False if there is one of this name, or another request is about to store it.
    async fn try_create(&self, object: &str, path: &Path, payload: &PutPayload) -> Result<bool> {
        let put = |patience| self.within(patience, self.put_new(path, payload));
        self.repeat(object, "store the object in the bucket", &self.counters.put, put).await
    }

    async fn put_new(&self, path: &Path, payload: &PutPayload) -> object_store::Result<bool> {
        let mode = if self.can_create.load(Ordering::Relaxed) { PutMode::Create } else { PutMode::Overwrite };
        let options = PutOptions { mode: mode.clone(), ..PutOptions::default() };
        match self.store.put_opts(path, payload.clone(), options).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(false)
            }
            Err(error) if is_unsupported(&error) && mode == PutMode::Create => {
                if self.can_create.swap(false, Ordering::Relaxed) {
                    tracing::warn!(bucket = %self.address, "the bucket cannot refuse to replace an object; names alone protect objects");
                }
                self.store.put_opts(path, payload.clone(), PutOptions::default()).await.map(|_| true)
            }
            Err(error) => Err(error),
        }
    }

    /// Stores an object instead of one that may be there.
    pub(crate) async fn replace(&self, object: &str, bytes: Bytes) -> Result<()> {
        let (path, payload) = (self.path(object), PutPayload::from(bytes));
        self.repeat(object, "store the object in the bucket", &self.counters.put, |patience| {
            self.within(patience, async {
                self.store.put_opts(&path, payload.clone(), PutOptions::default()).await.map(drop)
            })
        })
        .await
    }

    /// Reads an object or a part of it. None if there is no such object, or if it ends before the part begins.
    pub(crate) async fn get(&self, object: &str, range: Option<Range<u64>>) -> Result<Option<Part>> {
        let path = self.path(object);
        let got = self
            .repeat(object, "read from the bucket", &self.counters.get, |patience| {
                self.within(patience, async {
                    let range = range.clone().map(GetRange::Bounded);
                    let wanted = GetOptions { range: range.clone(), ..GetOptions::default() };
                    let answer = match self.store.get_opts(&path, wanted).await {
                        Ok(answer) => answer,
                        Err(error) if is_missing(&error) || is_behind_end(&error) => return Ok(None),
                        Err(error) => return Err(error),
                    };
                    let (length, expected) = (answer.meta.size, answer.range.end - answer.range.start);
                    let bytes = answer.bytes().await?;
                    if bytes.len() as u64 != expected {
                        return Err(generic(format!("{} bytes came instead of {expected}", bytes.len())));
                    }
                    Ok(Some(Part { bytes, length }))
                })
            })
            .await?;
        let count = got.as_ref().map_or(0, |part| part.bytes.len() as u64);
        self.counters.bytes_got.fetch_add(count, Ordering::Relaxed);
        Ok(got)
    }

    /// The length of an object.
    pub(crate) async fn length(&self, object: &str) -> Result<Option<u64>> {
        let path = self.path(object);
        self.repeat(object, "look for the object in the bucket", &self.counters.head, |patience| {
            self.within(patience, async {
                match self.store.head(&path).await {
                    Ok(meta) => Ok(Some(meta.size)),
                    Err(object_store::Error::NotFound { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            })
        })
        .await
    }

    /// The objects below a folder, from a name on, with their lengths.
    pub(crate) async fn list(&self, folder: &str, from: Option<&str>) -> Result<Vec<(String, u64)>> {
        let prefix = self.path(folder);
        let from = from.map(|from| self.path(from));
        let named = |meta: ObjectMeta| Some((self.name(&meta.location)?.to_owned(), meta.size));
        let (prefix, from, named) = (&prefix, &from, &named);
        let listed = |patience| async move {
            let mut stream = match from {
                Some(from) => self.store.list_with_offset(Some(prefix), from),
                None => self.store.list(Some(prefix)),
            };
            let (mut found, mut count) = (Vec::new(), 0);
            // Each page is a message.
            while let Some(meta) = self.within(patience, stream.try_next()).await? {
                count += 1;
                found.extend(named(meta));
            }
            Ok((found, count))
        };
        let action = "list the objects of the bucket";
        let (found, count): (Vec<(String, u64)>, u64) =
            self.repeat(folder, action, &self.counters.list, listed).await?;
        // The first page is counted as an attempt.
        self.counters.list.fetch_add(count / 1000, Ordering::Relaxed);
        Ok(found)
    }

    /// Deletes an object if it is there.
    pub(crate) async fn delete(&self, object: &str) -> Result<()> {
        let path = self.path(object);
        self.repeat(object, "delete the object in the bucket", &self.counters.delete, |patience| {
            self.within(patience, async {
                match self.store.delete(&path).await {
                    Err(error) if !is_missing(&error) => Err(error),
                    _ => Ok(()),
                }
            })
        })
        .await
    }

    /// Gives an object another name, if it is there. It is copied whole before the old name goes.
    pub(crate) async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let Some(length) = self.length(from).await? else { return Ok(()) };
        let (old, new) = (self.path(from), self.path(to));
        self.repeat(from, "copy the object within the bucket", &self.counters.copy, |patience| {
            self.within(patience, self.store.copy(&old, &new))
        })
        .await?;
        if self.length(to).await? != Some(length) {
            return Err(self.error(
                to,
                "copy the object within the bucket",
                "the copy is not as long as the object",
            ));
        }
        self.delete(from).await
    }

    fn error(&self, object: &str, action: &'static str, cause: impl Into<String>) -> Error {
        let source = std::io::Error::other(cause.into());
        Error::Io { path: self.address.place(object), action, source }
    }

    fn note_answer(&self) {
        self.has_answered.store(true, Ordering::Relaxed);
        let out = self.out_since.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(since) = out {
            let seconds = since.elapsed().as_secs_f32();
            tracing::info!(bucket = %self.address, seconds, "the bucket answers again");
        }
    }

    fn note_out(&self, since: Instant, error: &str) {
        let mut out = self.out_since.lock().unwrap_or_else(PoisonError::into_inner);
        if out.is_none() {
            *out = Some(since);
            tracing::warn!(bucket = %self.address, error, "the bucket does not answer as it should; the request is repeated");
        }
    }

    /// The answer to one message, if it comes within this time.
    async fn within<T>(
        &self,
        patience: Duration,
        message: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        let (begun, mut message) = (Instant::now(), std::pin::pin!(message));
        if let Ok(answer) = tokio::time::timeout(SLOW.min(patience), &mut message).await {
            return answer;
        }
        self.note_out(begun, "no answer for 5 s");
        let answer = tokio::time::timeout(patience.saturating_sub(SLOW), message).await;
        answer.unwrap_or_else(|_| Err(generic(format!("no answer for {} s", patience.as_secs()))))
    }

    /// Sends a request until it is answered, until an answer says that repeating is of no use, or until the time is over. `request` gets the time
    /// that one message of it may take.
    async fn repeat<T, F>(
        &self,
        object: &str,
        action: &'static str,
        counter: &AtomicU64,
        request: impl Fn(Duration) -> F,
    ) -> Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let (begun, mut pause, mut patience) = (Instant::now(), PAUSE_MIN, ATTEMPT_MAX);
        loop {
            counter.fetch_add(1, Ordering::Relaxed);
            let answer = request(patience).await;
            patience *= 2;
            let error = match answer {
                Ok(answer) => {
                    self.note_answer();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            // Access that worked before may work again: somebody replaces a key, a proxy in front of the bucket starts, a clock is set.
            let may_pass = self.has_stored.load(Ordering::Relaxed) && is_about_access(&error);
            if let Some(remedy) = remedy(&error).filter(|_| !may_pass) {
                return Err(self.error(object, action, format!("{}; {remedy}", sentence(&error))));
            }
            // A certificate that was good before is repaired while the pool waits. One that never was is a mistake.
            let is_new = !self.has_answered.load(Ordering::Relaxed);
            if is_new && chain(&error).any(|cause| cause.contains("invalid peer certificate")) {
                return Err(self.error(object, action, format!("{}; {UNTRUSTED}", sentence(&error))));
            }
            if begun.elapsed() >= self.outage_max {
                let remedy =
                    remedy(&error).unwrap_or("see whether the bucket's server runs and can be reached");
                let cause =
                    format!("{}; repeated for {} s; {remedy}", sentence(&error), self.outage_max.as_secs());
                return Err(self.error(object, action, cause));
            }
            self.note_out(begun, &sentence(&error));
            self.counters.repeated.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(jittered(pause)).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

/// What to do about a server whose certificate is not accepted.
const UNTRUSTED: &str = "name the certificates to trust (object_store.ca_file), and the server as its certificate does (object_store.endpoint)";

/// Between half of the pause and all of it.
fn jittered(pause: Duration) -> Duration {
    let mut random = [0; 1];
    let part = getrandom::fill(&mut random).map_or(255, |()| u32::from(random[0]));
    pause / 2 + pause / 2 * part / 255
}

fn generic(cause: String) -> object_store::Error {
    object_store::Error::Generic { store: "bucket", source: cause.into() }
}

/// Whether an object is missing, and not the bucket or the way to it. (HEAD is answered without a text that would say so.)
fn is_missing(error: &object_store::Error) -> bool {
    let says = |text: &str| chain(error).any(|cause| cause.contains(text));
    matches!(error, object_store::Error::NotFound { .. }) && (says("NoSuchKey") || !says("404 Not Found"))
}

/// Whether an object ends before the wanted part begins. An empty object has no part at all.
fn is_behind_end(error: &object_store::Error) -> bool {
    let says = |text: &str| chain(error).any(|cause| cause.contains(text));
    // The server says so, or the client does, after an answer that names the object's length.
    matches!(error, object_store::Error::Generic { .. })
        && (says("status code: 416 Range Not Satisfiable") || says("Wanted range starting at "))
}

fn is_about_access(error: &object_store::Error) -> bool {
    use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
    matches!(error, NotFound { .. } | PermissionDenied { .. } | Unauthenticated { .. })
}

fn is_same(part: &Part, payload: &PutPayload) -> bool {
    let mut rest = &part.bytes[..];
    let same = payload.iter().all(|piece| {
        let same = rest.starts_with(piece);
        rest = rest.get(piece.len()..).unwrap_or_default();
        same
    });
    same && rest.is_empty()
}

fn is_unsupported(error: &object_store::Error) -> bool {
    use object_store::Error::{NotImplemented, NotSupported};
    matches!(error, NotImplemented { .. } | NotSupported { .. })
        || chain(error).any(|cause| cause.contains("501 Not Implemented"))
}

/// What to do, if repeating the request is of no use.
fn remedy(error: &object_store::Error) -> Option<&'static str> {
    use object_store::Error::{
        InvalidPath, NotFound, NotImplemented, NotSupported, PermissionDenied, Unauthenticated,
        UnknownConfigurationKey,
    };
    match error {
        PermissionDenied { .. } | Unauthenticated { .. }
            if chain(error).any(|cause| cause.contains("RequestTimeTooSkewed")) =>
        {
            Some("set the clock of this machine")
        }
        PermissionDenied { .. } => Some(
            "allow these keys to read, write, list and delete objects there, or set other ones (object_store.credentials_file)",
        ),
        Unauthenticated { .. } => {
            Some("set keys that the bucket's server knows (object_store.credentials_file)")
        }
        NotFound { .. } => Some("create the bucket, or set pool.segments to one that exists"),
        InvalidPath { .. } | NotSupported { .. } | NotImplemented { .. } | UnknownConfigurationKey { .. } => {
            Some("see whether the server is compatible with S3")
        }
        _ => None,
    }
}

/// The causes of an error, from the outermost one on.
fn chain(error: &object_store::Error) -> impl Iterator<Item = String> + '_ {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error.to_string())
    })
}

/// What went wrong, in one line: the innermost cause, which says the most. Of an answer in XML, its code and its message.
fn sentence(error: &object_store::Error) -> String {
    let cause = chain(error).last().unwrap_or_default();
    let field = |name: &str| {
        let (_, rest) = cause.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(value, _)| value.trim_end_matches('.'))
    };
    let line = match (field("Code"), field("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        _ => cause.clone(),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").chars().take(SENTENCE_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_xml_is_one_sentence() {
        let answer = "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code>\
                      <Message>Access Denied.</Message><Resource>/kafka/one</Resource></Error>";
        assert_eq!(sentence(&generic(answer.to_owned())), "AccessDenied: Access Denied");
        assert_eq!(sentence(&generic("connection\n  refused".to_owned())), "connection refused");
    }

    #[test]
    fn only_an_answer_about_the_range_says_that_an_object_ends_before_it() {
        let answer = |status: &str, code: &str| {
            generic(format!(
                "Server returned non-2xx status code: {status}: <Error><Code>{code}</Code></Error>"
            ))
        };
        assert!(is_behind_end(&answer("416 Range Not Satisfiable", "InvalidRange")));
        assert!(!is_behind_end(&answer("503 Service Unavailable", "SlowDown")));
        assert!(!is_behind_end(&generic("416 bytes came instead of 5000".to_owned())));
    }
}
