//! Throughput limits of buckets: the bytes of bodies wait for their turn, step by step, as those of NFS requests do.
//!
//! A request that waits does not read its body, or does not send it, so its client is held up by TCP, and it takes no memory beyond a
//! step. So it waits as long as it takes, and is not turned away.

use forebay_pool::VolumeId;
use forebay_service::Service;
use forebay_service::throttle::Demand;

/// Waits until a bucket's limit lets these bytes pass.
pub async fn admit(service: &Service, bucket: VolumeId, bytes: u64) {
    let throttle = &service.throttle;
    let Some(lane) = throttle.lane(bucket) else { return };
    let mut left = bytes;
    while left > 0 {
        let demand = Demand { bytes: left.min(lane.burst()), held: 0 };
        let passed = lane.try_pass(demand, throttle.now()) || {
            match lane.pass(throttle, demand).await {
                Ok(()) => true,
                // Other protocols ask their client to retry now. Here the request queues up again.
                Err(away) => {
                    away.over().await;
                    false
                }
            }
        };
        if passed {
            left -= demand.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use forebay_pool::{BucketSpec, Pool, PoolOptions};
    use forebay_service::ServiceOptions;

    use super::*;

    #[tokio::test]
    async fn the_bytes_of_a_bucket_with_a_limit_take_their_time_and_those_of_others_do_not() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let limited = BucketSpec { max_bytes_per_second: Some(2_000_000), ..BucketSpec::new("limited") };
        let limited = pool.bucket_create(limited, |_| Ok(())).await.unwrap().id;
        let free = pool.bucket_create(BucketSpec::new("free"), |_| Ok(())).await.unwrap().id;
        let service = Service::open(pool, ServiceOptions::default()).unwrap();
        let burst = service.throttle.lane(limited).unwrap().burst();
        let began = Instant::now();
        admit(&service, free, 1 << 40).await;
        assert!(began.elapsed() < Duration::from_millis(500));
        admit(&service, limited, burst + 1_000_000).await;
        assert!(began.elapsed() >= Duration::from_millis(400), "{:?}", began.elapsed());
    }
}
