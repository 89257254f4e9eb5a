//! The server's counters: requests by operation and by bucket, refusals, bytes, and the work of the lifecycle worker.
//!
//! Counting a request takes a binary search among the names of operations, a few relaxed additions, and no lock. Nothing is
//! allocated but the counters of a bucket, when it is first used. A label exists only for an operation of the table or a bucket of
//! the pool, whatever clients send.
//!
//! - this module: operations, results, durations, refusals,
//! - `operations`: their names,
//! - `buckets`: requests and bytes of each bucket,
//! - `lifecycle`: what the lifecycle worker did.

mod buckets;
mod lifecycle;
mod operations;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use forebay_net::http::ConnectionCounters;
use forebay_pool::{Distribution, Histogram};
use forebay_service::per_volume::PerVolume;

pub use buckets::{BucketCounters, BucketTraffic};
pub use lifecycle::{LifecycleCounters, LifecycleCounts};
pub use operations::{NONE, OPERATIONS, Operation};

use crate::limits::LimitCounters;

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// With a status from 200 to 299.
    Success,
    /// With a status from 300 to 399.
    Redirection,
    /// With a status from 400 to 499.
    ClientError,
    /// With a status from 500 to 599, except 503 and 507.
    ServerError,
    /// With status 503: the server asks the client to slow down.
    SlowDown,
    /// With status 507: the bucket has reached its size, or the pool is full.
    NoSpace,
    /// Not: the client went away before.
    Aborted,
}

impl Class {
    /// All classes, in the order of their counters.
    pub const ALL: [Class; 7] = [
        Class::Success,
        Class::Redirection,
        Class::ClientError,
        Class::ServerError,
        Class::SlowDown,
        Class::NoSpace,
        Class::Aborted,
    ];

    /// The class of a status.
    pub fn of(status: hyper::StatusCode) -> Class {
        match status.as_u16() {
            ..300 => Class::Success,
            300..400 => Class::Redirection,
            400..500 => Class::ClientError,
            503 => Class::SlowDown,
            507 => Class::NoSpace,
            _ => Class::ServerError,
        }
    }

    /// The name used in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Class::Success => "2xx",
            Class::Redirection => "3xx",
            Class::ClientError => "4xx",
            Class::ServerError => "5xx",
            Class::SlowDown => "slow_down",
            Class::NoSpace => "no_space",
            Class::Aborted => "aborted",
        }
    }
}

/// Why requests are refused before they are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The signature is missing where there must be one, is wrong, or has expired.
    Signature,
    /// The access key is unknown, disabled or expired, or its user is.
    AccessKey,
    /// No policy allows it, or one denies it, or object lock does.
    AccessDenied,
    /// The request is malformed, too large, or asks for something that the server does not take.
    Guard,
}

impl Refused {
    /// All reasons, in the order of their counters.
    pub const ALL: [Refused; 4] =
        [Refused::Signature, Refused::AccessKey, Refused::AccessDenied, Refused::Guard];

    /// The name used in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Refused::Signature => "signature",
            Refused::AccessKey => "access_key",
            Refused::AccessDenied => "access_denied",
            Refused::Guard => "guard",
        }
    }
}

/// The counters of one server since its start.
pub struct Statistics {
    operations: Box<[OperationCounters]>,
    refused: [AtomicU64; Refused::ALL.len()],
    in_progress: AtomicU64,
    /// Requests and bytes of each bucket.
    pub buckets: PerVolume<BucketCounters>,
    /// What the lifecycle worker did.
    pub lifecycle: LifecycleCounters,
    /// The connections of the listener.
    pub connections: Arc<ConnectionCounters>,
    /// How often limits on clients were reached.
    pub limits: Arc<LimitCounters>,
}

#[derive(Default)]
struct OperationCounters {
    times: Histogram,
    classes: Classes,
}

/// Requests by class.
#[derive(Debug, Default)]
pub struct Classes([AtomicU64; Class::ALL.len()]);

/// The counts of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// The operation's name, as S3 has it.
    pub name: &'static str,
    /// Requests, in the order of [`Class::ALL`].
    pub classes: [u64; Class::ALL.len()],
    /// Time from a request's headers to the first byte of its answer.
    pub times: Distribution,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            operations: OPERATIONS.iter().map(|_| OperationCounters::default()).collect(),
            refused: Default::default(),
            in_progress: AtomicU64::new(0),
            buckets: PerVolume::default(),
            lifecycle: LifecycleCounters::default(),
            connections: Arc::default(),
            limits: Arc::default(),
        }
    }
}

impl Classes {
    /// Counts a request.
    pub fn count(&self, class: Class) {
        if let Some(counter) = self.0.get(class as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counts(&self) -> [u64; Class::ALL.len()] {
        self.0.each_ref().map(|counter| counter.load(Ordering::Relaxed))
    }

    fn clear(&self) {
        self.0.iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }
}

impl Statistics {
    /// A request has begun. It is in progress until [`Statistics::end`].
    pub fn begin(&self) {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
    }

    /// A request has ended: its answer was sent, or the client is gone.
    pub fn end(&self) {
        self.in_progress.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a request of an operation that was answered after `took`, or was aborted.
    pub fn count(&self, operation: Operation, class: Class, took: Duration) {
        let Some(counters) = self.operations.get(operation.index()) else { return };
        counters.classes.count(class);
        if class != Class::Aborted {
            counters.times.record(took);
        }
    }

    /// Counts a request that was refused.
    pub fn count_refused(&self, reason: Refused) {
        if let Some(counter) = self.refused.get(reason as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of requests in progress.
    pub fn in_progress(&self) -> u64 {
        self.in_progress.load(Ordering::Relaxed)
    }

    /// The number of refused requests, in the order of [`Refused::ALL`].
    pub fn refused(&self) -> [u64; Refused::ALL.len()] {
        self.refused.each_ref().map(|counter| counter.load(Ordering::Relaxed))
    }

    /// The counts of all operations that were requested at least once.
    pub fn operations(&self) -> Vec<OperationCounts> {
        let counted = OPERATIONS.iter().zip(&*self.operations).map(|(name, counters)| OperationCounts {
            name,
            classes: counters.classes.counts(),
            times: counters.times.distribution(),
        });
        counted.filter(|operation| operation.classes != [0; Class::ALL.len()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_operation_and_class() {
        let statistics = Statistics::default();
        let took = Duration::from_micros(30);
        let get = Operation::named("GetObject");
        for class in [Class::Success, Class::ClientError, Class::ClientError, Class::Aborted] {
            statistics.count(get, class, took);
        }
        statistics.count(Operation::named("NoSuchThing"), Class::ServerError, took);
        let [none, get] = &statistics.operations()[..] else { panic!("two operations were counted") };
        assert_eq!((none.name, none.classes), (NONE, [0, 0, 0, 1, 0, 0, 0]));
        assert_eq!((get.name, get.classes), ("GetObject", [1, 0, 2, 0, 0, 0, 1]));
        assert_eq!((get.times.count(), get.times.sum()), (3, 3 * took));
    }

    #[test]
    fn every_status_and_reason_has_a_counter() {
        let statistics = Statistics::default();
        for (index, reason) in Refused::ALL.into_iter().enumerate() {
            statistics.count_refused(reason);
            assert_eq!(statistics.refused()[index], 1, "{}", reason.name());
        }
        let classes: Vec<_> = [200, 204, 304, 400, 404, 499, 500, 503, 507]
            .map(|status| Class::of(hyper::StatusCode::from_u16(status).unwrap()).name())
            .into();
        assert_eq!(classes, ["2xx", "2xx", "3xx", "4xx", "4xx", "4xx", "5xx", "slow_down", "no_space"]);
    }
}
