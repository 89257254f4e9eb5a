//! The bucket that has the pool's segments: what it was asked for, and an estimate of what that costs in a month.

use std::time::{Duration, Instant};

use forebay_pool::store::ObjectCounts;

/// Before the pool has been open for this long, its requests say little about a month.
const OBSERVED_MIN: Duration = Duration::from_secs(600);
const MONTH: Duration = Duration::from_secs(730 * 3600);

/// Prices of the bucket's provider, in any currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// For 1,000 requests that store, copy or list objects.
    pub writes: f64,
    /// For 1,000 requests that read objects or ask about them.
    pub reads: f64,
    /// For a GiB that is stored for a month.
    pub stored: f64,
}

impl Prices {
    /// The list prices of S3 Standard in us-east-1, in US dollars (2026).
    pub const AWS: Prices = Prices { writes: 0.005, reads: 0.0004, stored: 0.023 };
}

/// An estimate of a month's costs: of the requests, if the rest of the month is like the time since the pool was opened, and of the bytes that
/// are stored now. Traffic between regions is not part of it, and deletions are free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Of requests that store, copy or list objects.
    pub writes: f64,
    /// Of requests that read objects or ask about them.
    pub reads: f64,
    /// Of what is stored.
    pub stored: f64,
}

/// See the module.
pub struct ObjectStore {
    /// The bucket and the prefix: `s3://BUCKET/PREFIX`.
    pub place: String,
    prices: Option<Prices>,
    opened: Instant,
}

impl ObjectStore {
    /// The place of a pool that is opened now. Without prices nothing is estimated.
    pub fn new(place: String, prices: Option<Prices>) -> ObjectStore {
        ObjectStore { place, prices, opened: Instant::now() }
    }

    /// The estimate; none without prices, and in the first ten minutes.
    pub fn cost(&self, counts: &ObjectCounts, bytes: u64) -> Option<Cost> {
        self.prices.and_then(|prices| cost(prices, counts, bytes, self.opened.elapsed()))
    }
}

fn cost(prices: Prices, counts: &ObjectCounts, bytes: u64, observed: Duration) -> Option<Cost> {
    if observed < OBSERVED_MIN {
        return None;
    }
    let thousands_a_month =
        |requests: u64| requests as f64 / 1000.0 * (MONTH.as_secs_f64() / observed.as_secs_f64());
    Some(Cost {
        writes: prices.writes
            * thousands_a_month(counts.put.saturating_add(counts.copy).saturating_add(counts.list)),
        reads: prices.reads * thousands_a_month(counts.get.saturating_add(counts.head)),
        stored: prices.stored * bytes as f64 / (1_u64 << 30) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_costs_its_requests_and_what_is_stored() {
        // One writing request a second, and two that read, for an hour.
        let counts = ObjectCounts {
            put: 3590,
            copy: 5,
            list: 5,
            get: 7000,
            head: 200,
            delete: 900,
            ..ObjectCounts::default()
        };
        let found = cost(Prices::AWS, &counts, 100 << 30, Duration::from_secs(3600)).unwrap();
        let expected = [13.14, 2.1024, 2.3];
        for (found, expected) in [found.writes, found.reads, found.stored].into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
        }
        assert_eq!(cost(Prices::AWS, &counts, 0, Duration::from_secs(599)), None);
        let store = ObjectStore::new("s3://kafka/pool".into(), None);
        assert_eq!(store.cost(&counts, 1 << 30), None);
    }
}
