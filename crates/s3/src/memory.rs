//! The memory that requests take, charged to clients before it is taken.
//!
//! ```text
//! RequestsMemory   all of it: the setting s3.requests_max
//!   Account        one request: whom to charge. Has the connection's buffers and the message until the response was sent
//!     Charge       one thing that grows and shrinks: the part of a body that waits for the pool, a signed chunk, a response
//! ```
//! A request that gets no memory in time is refused with SlowDown. A body or response that needs more waits, and so does its client.

use std::fmt;
use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use forebay_net::http::{Peer, Standing, Working};
use forebay_net::memory::{Allowance, Budget, Grant};
use hyper::http::Extensions;
use s3s::{S3Error, S3ErrorCode};

use crate::limits::LimitCounters;

/// Default of the memory for all requests.
pub const REQUESTS_BYTES_MAX_DEFAULT: usize = 128 << 20;
/// How long a request waits for memory before it is refused.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// A charge grows in steps of this size, so that the books are not changed for every byte.
const STEP_BYTES: usize = 4 << 10;

/// The memory of all requests.
#[derive(Clone)]
pub struct RequestsMemory {
    budget: Budget,
    counters: Arc<LimitCounters>,
}

/// There is no memory for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// What a request costs from its beginning to the end of its response, in bytes. The guard adds it to the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseCost(pub usize);

/// The account of a request, and an extension of it. Clones are the same account. The default has no limit.
#[derive(Clone, Default)]
pub struct Account(Option<Arc<Owner>>);

struct Owner {
    allowance: Allowance,
    counters: Arc<LimitCounters>,
    standing: Option<Arc<Standing>>,
    working: OnceLock<Working>,
    /// What is held until the response has been sent.
    base: Mutex<Option<Grant>>,
}

/// Memory that grows and shrinks with one thing that a request keeps.
pub struct Charge {
    account: Account,
    held: Option<Grant>,
    waiting: Option<Pin<Box<dyn Future<Output = Option<Grant>> + Send>>>,
}

impl RequestsMemory {
    /// `bytes_max` bytes for all requests.
    pub fn new(bytes_max: usize, counters: Arc<LimitCounters>) -> RequestsMemory {
        RequestsMemory { budget: Budget::new(bytes_max), counters }
    }

    /// Opens the account of a request with these extensions.
    pub fn account(&self, extensions: &Extensions) -> Account {
        let address = match extensions.get::<Peer>() {
            Some(Peer::Tcp(address)) => address.ip(),
            Some(Peer::Socket) | None => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        Account(Some(Arc::new(Owner {
            allowance: self.budget.of(address),
            counters: self.counters.clone(),
            standing: extensions.get::<Arc<Standing>>().cloned(),
            working: OnceLock::new(),
            base: Mutex::default(),
        })))
    }

    /// The bytes that requests hold.
    pub fn used(&self) -> usize {
        self.budget.used()
    }
}

impl Account {
    /// The account of a request.
    pub fn of(extensions: &Extensions) -> Account {
        extensions.get::<Account>().cloned().unwrap_or_default()
    }

    /// Something that grows and shrinks. It holds nothing yet.
    pub fn charge(&self) -> Charge {
        Charge { account: self.clone(), held: None, waiting: None }
    }

    /// Holds this number of further bytes until the response has been sent.
    pub async fn hold(&self, bytes: usize) -> Result<(), OutOfMemory> {
        let mut charge = self.charge();
        charge.hold(bytes).await?;
        self.adopt(charge);
        Ok(())
    }

    /// Holds what a charge holds until the response has been sent.
    pub fn adopt(&self, mut charge: Charge) {
        let (Some(owner), Some(grant)) = (&self.0, charge.held.take()) else { return };
        // Both changes are complete, so a panic elsewhere does no harm.
        let mut base = owner.base.lock().unwrap_or_else(PoisonError::into_inner);
        match base.as_mut() {
            Some(base) => base.merge(grant),
            None => *base = Some(grant),
        }
    }

    /// The request's signature is right: its connection does not make room for strangers while the request lasts.
    pub fn identified(&self) {
        if let Some(owner) = &self.0
            && let Some(standing) = &owner.standing
        {
            owner.working.get_or_init(|| standing.begin());
        }
    }

    /// Whether others wait for what this client holds.
    pub fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|owner| owner.allowance.is_wanted())
    }

    /// Closes the connection, so that all that its response holds is given back.
    pub fn close_connection(&self) {
        if let Some(standing) = self.0.as_ref().and_then(|owner| owner.standing.as_ref()) {
            standing.close();
        }
    }

    /// Where to count.
    pub fn counters(&self) -> Option<&LimitCounters> {
        self.0.as_deref().map(|owner| &*owner.counters)
    }

    /// Keeps the account open for as long as these bytes are used.
    pub fn keep_with(&self, bytes: Bytes) -> Bytes {
        if self.0.is_none() {
            return bytes;
        }
        Bytes::from_owner(Kept { bytes, _with: self.clone() })
    }
}

impl Charge {
    /// Waits until at least this number of bytes is held in total.
    pub async fn hold(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        poll_fn(|context| self.poll_hold(context, bytes)).await
    }

    /// Like [`Charge::hold`], as a poll.
    pub fn poll_hold(&mut self, context: &mut Context<'_>, bytes: usize) -> Poll<Result<(), OutOfMemory>> {
        let Some(owner) = self.account.0.clone() else { return Poll::Ready(Ok(())) };
        loop {
            if let Some(waiting) = &mut self.waiting {
                let granted = ready!(waiting.as_mut().poll(context));
                self.waiting = None;
                let Some(granted) = granted else {
                    owner.counters.memory_refusals.add();
                    return Poll::Ready(Err(OutOfMemory));
                };
                self.add(granted);
            }
            let held = self.held();
            if held >= bytes {
                return Poll::Ready(Ok(()));
            }
            let more = bytes.next_multiple_of(STEP_BYTES).saturating_sub(held);
            match owner.allowance.try_take(more) {
                Some(granted) => self.add(granted),
                None => {
                    owner.counters.memory_waits.add();
                    let allowance = owner.allowance.clone();
                    self.waiting = Some(Box::pin(async move { allowance.take(more, WAIT_MAX).await }));
                }
            }
        }
    }

    /// Gives back all but this number of bytes.
    pub fn keep(&mut self, bytes: usize) {
        let excess = self.held().saturating_sub(bytes.next_multiple_of(STEP_BYTES));
        if let Some(held) = &mut self.held {
            drop(held.split(excess));
        }
    }

    /// Passes the charge for `bytes` on to their user: it is given back when the last reference to them is dropped.
    pub fn give_with(&mut self, bytes: Bytes) -> Bytes {
        let Some(held) = &mut self.held else { return bytes };
        let grant = held.split(bytes.len());
        Bytes::from_owner(Kept { bytes, _with: (grant, self.account.clone()) })
    }

    fn held(&self) -> usize {
        self.held.as_ref().map_or(0, Grant::bytes)
    }

    fn add(&mut self, granted: Grant) {
        match &mut self.held {
            Some(held) => held.merge(granted),
            None => self.held = Some(granted),
        }
    }
}

/// Bytes that keep something else until they are dropped.
struct Kept<T> {
    bytes: Bytes,
    _with: T,
}

impl<T> AsRef<[u8]> for Kept<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Please reduce your request rate.")
    }
}

impl std::error::Error for OutOfMemory {}

impl From<OutOfMemory> for S3Error {
    fn from(error: OutOfMemory) -> S3Error {
        S3Error::with_message(S3ErrorCode::SlowDown, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> RequestsMemory {
        RequestsMemory::new(64 << 10, Arc::default())
    }

    #[tokio::test]
    async fn a_charge_grows_and_shrinks_and_gives_everything_back() {
        let memory = memory();
        let account = memory.account(&Extensions::new());
        let mut charge = account.charge();
        charge.hold(5000).await.unwrap();
        assert_eq!(memory.used(), 8192);
        charge.keep(100);
        assert_eq!(memory.used(), 4096);
        let piece = charge.give_with(Bytes::from_static(&[7; 1000]));
        charge.keep(0);
        assert_eq!(memory.used(), 1000);
        drop(charge);
        let slice = piece.slice(10..20);
        drop(piece);
        assert_eq!((memory.used(), slice[0]), (1000, 7));
        drop(slice);
        assert_eq!(memory.used(), 0);
    }

    #[tokio::test]
    async fn an_account_holds_its_base_until_its_last_bytes_are_gone() {
        let memory = memory();
        let account = memory.account(&Extensions::new());
        account.hold(4096).await.unwrap();
        account.hold(4096).await.unwrap();
        let bytes = account.keep_with(Bytes::from_static(b"answer"));
        drop(account);
        assert_eq!((memory.used(), &bytes[..]), (8192, b"answer".as_slice()));
        drop(bytes);
        assert_eq!(memory.used(), 0);
    }

    #[tokio::test]
    async fn a_charge_waits_for_what_another_request_gives_back() {
        let memory = memory();
        let first = memory.account(&Extensions::new());
        first.hold(32 << 10).await.unwrap();
        let second = memory.account(&Extensions::new());
        let waits = tokio::spawn(async move { second.hold(4096).await });
        while !first.is_wanted() {
            tokio::task::yield_now().await;
        }
        drop(first);
        waits.await.unwrap().unwrap();
        assert_eq!((memory.used(), memory.counters.memory_waits.get()), (0, 1));
    }
}
