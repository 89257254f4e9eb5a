//! The queue of requests for one limited volume.
//!
//! The first request waits for the bucket, or for a change of the limit; the others wait for their turn. No
//! request waits longer than [`WAIT_MAX`], since a client that gets no reply for a minute assumes that the
//! server is gone. A request that would have to wait longer, or for whose payload there is no memory, is
//! turned away: the client is asked to retry (NFS4ERR_DELAY), but only when its turn would have come, because
//! a client retries immediately with all of its data.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Throttle;
use super::bucket::Bucket;

/// Maximum wait of a request. Linux reports "server not responding" after 60 seconds.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(10);

/// The queue of one volume.
pub struct Lane {
    /// Held by the request whose turn it is, in order of arrival.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    delayed: AtomicU64,
    delayed_ns: AtomicU64,
    turned_away: AtomicU64,
}

struct State {
    /// `None`: everything passes.
    bucket: Option<Bucket>,
    /// Bytes that queued requests will move.
    queued: u64,
    /// Bytes of the payloads of waiting requests.
    held: u64,
    /// Bytes of requests that have been turned away but not answered yet.
    away: u64,
}

/// Counts of one volume's requests since its limit was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Requests that had to wait.
    pub requests: u64,
    /// Total time they waited.
    pub time: Duration,
    /// How many of them were asked to retry.
    pub turned_away: u64,
}

/// What a request needs.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Bytes that it moves.
    pub bytes: u64,
    /// Bytes of its payload, which take memory while it waits.
    pub held: u64,
}

/// A request's place in the queue, until it is dropped.
struct Place<'a> {
    throttle: &'a Throttle,
    lane: &'a Lane,
    demand: Demand,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.lane.state();
        state.queued = state.queued.saturating_sub(self.demand.bytes);
        state.held = state.held.saturating_sub(self.demand.held);
        drop(state);
        self.throttle.held.fetch_sub(self.demand.held, Ordering::AcqRel);
    }
}

/// A request that is turned away.
pub struct Away<'a> {
    throttle: &'a Throttle,
    lane: Arc<Lane>,
    bytes: u64,
    limit: u64,
    /// When it started to wait.
    since: Duration,
    /// When to answer it.
    until: Duration,
}

impl Drop for Away<'_> {
    fn drop(&mut self) {
        let mut state = self.lane.state();
        state.away = state.away.saturating_sub(self.bytes);
    }
}

impl Away<'_> {
    /// Waits until the client should be asked to retry. Returns how long the request has waited.
    pub async fn over(self) -> Duration {
        let mut changes = self.throttle.changes();
        loop {
            self.throttle.refresh();
            if self.lane.limit() != Some(self.limit) {
                break;
            }
            tokio::select! {
                () = self.throttle.clock.sleep_until(self.until) => break,
                () = changes.next() => {}
            }
        }
        self.lane.turned_away.fetch_add(1, Ordering::Relaxed);
        let waited = self.throttle.clock.now().saturating_sub(self.since);
        self.lane.count(waited);
        waited
    }
}

impl Lane {
    pub(super) fn new(bucket: Bucket) -> Lane {
        Lane {
            turn: tokio::sync::Mutex::new(()),
            state: Mutex::new(State { bucket: Some(bucket), queued: 0, held: 0, away: 0 }),
            delayed: AtomicU64::new(0),
            delayed_ns: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
        }
    }

    /// All changes are single steps, so a panic elsewhere leaves no partial change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limit, in bytes per second.
    pub fn limit(&self) -> Option<u64> {
        self.state().bucket.as_ref().map(Bucket::limit)
    }

    /// The most bytes that can pass at once.
    pub fn burst(&self) -> u64 {
        self.state().bucket.as_ref().map_or(u64::MAX, Bucket::burst)
    }

    /// Sets another limit, or none.
    pub(super) fn change(&self, limit: Option<u64>, request_bytes_max: u64, now: Duration) {
        let mut state = self.state();
        match (&mut state.bucket, limit) {
            (bucket, None) => *bucket = None,
            (Some(bucket), Some(limit)) if bucket.limit() == limit => {}
            (Some(bucket), Some(limit)) => bucket.change(limit, request_bytes_max, now),
            (bucket @ None, Some(limit)) => *bucket = Some(Bucket::new(limit, request_bytes_max, now)),
        }
    }

    /// Returns admitted bytes that a request did not use.
    pub fn give_back(&self, bytes: u64) {
        if let Some(bucket) = &mut self.state().bucket {
            bucket.give_back(bytes);
        }
    }

    /// The waits so far.
    pub fn waits(&self) -> Waits {
        Waits {
            requests: self.delayed.load(Ordering::Relaxed),
            time: Duration::from_nanos(self.delayed_ns.load(Ordering::Relaxed)),
            turned_away: self.turned_away.load(Ordering::Relaxed),
        }
    }

    fn count(&self, waited: Duration) {
        self.delayed.fetch_add(1, Ordering::Relaxed);
        self.delayed_ns.fetch_add(u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Admits a request if none is waiting and the bucket has enough.
    pub fn try_pass(&self, demand: Demand, now: Duration) -> bool {
        // A waiting request has priority.
        self.turn.try_lock().is_ok_and(|_turn| self.take(demand.bytes, now).is_ok())
    }

    fn take(&self, bytes: u64, now: Duration) -> Result<(), Duration> {
        match &mut self.state().bucket {
            Some(bucket) => bucket.take(bytes, now),
            None => Ok(()),
        }
    }

    /// Admits a request when its time has come, or turns it away if that would take too long.
    pub async fn pass<'a>(self: &Arc<Self>, throttle: &'a Throttle, demand: Demand) -> Result<(), Away<'a>> {
        let begin = throttle.clock.now();
        let place = self.queue_up(throttle, demand, begin)?;
        let passed = tokio::select! {
            biased;
            () = self.wait(throttle, demand.bytes) => true,
            () = throttle.clock.sleep_until(begin.saturating_add(WAIT_MAX)) => false,
        };
        drop(place);
        let now = throttle.clock.now();
        if passed {
            self.count(now.saturating_sub(begin));
            return Ok(());
        }
        // The limit was lowered meanwhile, and the request has waited long enough.
        Err(self.turn_away(throttle, &mut self.state(), demand, begin..now))
    }

    async fn wait(&self, throttle: &Throttle, bytes: u64) {
        let _turn = self.turn.lock().await;
        let mut changes = throttle.changes();
        loop {
            throttle.refresh();
            let Err(ready) = self.take(bytes, throttle.clock.now()) else { return };
            tokio::select! {
                () = throttle.clock.sleep_until(ready) => {}
                () = changes.next() => {}
            }
        }
    }

    fn queue_up<'a, 't>(
        self: &'a Arc<Self>,
        throttle: &'t Throttle,
        demand: Demand,
        now: Duration,
    ) -> Result<Place<'a>, Away<'t>>
    where
        't: 'a,
    {
        let mut state = self.state();
        let queued = state.queued.saturating_add(demand.bytes);
        let too_long = state.bucket.as_ref().is_some_and(|bucket| bucket.time_for(queued) > WAIT_MAX);
        // One request always has room.
        let too_much = demand.held > 0
            && state.held > 0
            && state.held.saturating_add(demand.held) > throttle.held_per_volume_max();
        if too_long || too_much || !throttle.hold(demand.held) {
            let time = |bucket: &Bucket| bucket.time_for(queued.saturating_add(state.away));
            let until = now.saturating_add(state.bucket.as_ref().map_or(Duration::ZERO, time).min(WAIT_MAX));
            return Err(self.turn_away(throttle, &mut state, demand, now..until));
        }
        state.queued = queued;
        state.held = state.held.saturating_add(demand.held);
        Ok(Place { throttle, lane: self, demand })
    }

    fn turn_away<'a>(
        self: &Arc<Self>,
        throttle: &'a Throttle,
        state: &mut State,
        demand: Demand,
        time: Range<Duration>,
    ) -> Away<'a> {
        state.away = state.away.saturating_add(demand.bytes);
        let limit = state.bucket.as_ref().map_or(0, Bucket::limit);
        Away { throttle, lane: self.clone(), bytes: demand.bytes, limit, since: time.start, until: time.end }
    }
}
