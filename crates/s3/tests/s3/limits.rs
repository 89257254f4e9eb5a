//! The limits of a bucket's size and throughput, over HTTP.

use std::time::{Duration, Instant};

use forebay_pool::BucketUpdate;
use forebay_s3::cleaning;

use crate::common::Testbed;

const MIB: usize = 1 << 20;

async fn limit(testbed: &Testbed, update: BucketUpdate) {
    let changed = testbed.shared.pool().bucket_modify("bucket", update, |_| Ok(Ok::<(), ()>(()))).await;
    changed.unwrap().unwrap();
}

fn size(bytes: usize) -> BucketUpdate {
    BucketUpdate { size: Some(Some(bytes as u64)), ..BucketUpdate::default() }
}

fn used(testbed: &Testbed) -> u64 {
    testbed.shared.pool().bucket("bucket").unwrap().bytes_logical
}

async fn wait_until_used(testbed: &Testbed, bytes: usize) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while used(testbed) != bytes as u64 {
        assert!(Instant::now() < deadline, "{} bytes are used, not {bytes}", used(testbed));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_bucket_takes_what_fits_and_an_upload_whose_parts_fit_can_be_completed() {
    let testbed = Testbed::start().await;
    tokio::spawn(cleaning::run(testbed.shared.clone()));
    testbed.ok("PUT", "/bucket", &[], "").await;
    limit(&testbed, size(12 * MIB)).await;
    let begun = testbed.ok("POST", "/bucket/parts?uploads", &[], "").await;
    let upload = begun.element("UploadId").unwrap().to_owned();
    let mut parts = String::new();
    for number in [1, 2] {
        let part = format!("/bucket/parts?partNumber={number}&uploadId={upload}");
        let put = testbed.ok("PUT", &part, &[], &"x".repeat(5 * MIB)).await;
        let etag = put.header("etag").unwrap();
        parts.push_str(&format!("<Part><ETag>{etag}</ETag><PartNumber>{number}</PartNumber></Part>"));
    }
    let third = format!("/bucket/parts?partNumber=3&uploadId={upload}");
    let refused = testbed.refused("PUT", &third, &[], &"x".repeat(5 * MIB)).await;
    assert_eq!(refused, "507 QuotaExceeded");
    let all = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
    testbed.ok("POST", &format!("/bucket/parts?uploadId={upload}"), &[], &all).await;
    wait_until_used(&testbed, 10 * MIB).await;

    let copy = [("x-amz-copy-source", "/bucket/parts")];
    assert_eq!(testbed.refused("PUT", "/bucket/copy", &copy, "").await, "507 QuotaExceeded");
    assert_eq!(testbed.refused("PUT", "/bucket/a", &[], &"y".repeat(3 * MIB)).await, "507 QuotaExceeded");
    assert_eq!(testbed.refused("GET", "/bucket/a", &[], "").await, "404 NoSuchKey");
    wait_until_used(&testbed, 10 * MIB).await;
    testbed.ok("PUT", "/bucket/a", &[], &"y".repeat(MIB)).await;
    let small = [("x-amz-copy-source", "/bucket/a")];
    testbed.ok("PUT", "/bucket/copy", &small, "").await;
    assert_eq!(used(&testbed), 12 * MIB as u64);
    assert_eq!(testbed.refused("PUT", "/bucket/b", &[], "z").await, "507 QuotaExceeded");
}

#[tokio::test]
async fn writes_at_the_same_time_do_not_exceed_the_size_together() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    limit(&testbed, size(3 * MIB)).await;
    let body = "x".repeat(2 * MIB);
    let put = |key: &'static str| testbed.send("PUT", key, &[], &body);
    let answers = tokio::join!(put("/bucket/a"), put("/bucket/b"), put("/bucket/c"));
    let statuses = [answers.0.status, answers.1.status, answers.2.status];
    assert!(statuses.iter().filter(|status| **status == 200).count() <= 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 507].contains(status)), "{statuses:?}");
    assert!(used(&testbed) <= 3 * MIB as u64);
}

#[tokio::test]
async fn bodies_take_the_time_that_the_limit_gives_them() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let rate = BucketUpdate { max_bytes_per_second: Some(Some(4_000_000)), ..BucketUpdate::default() };
    limit(&testbed, rate).await;
    let bucket = testbed.shared.pool().bucket("bucket").unwrap().id;
    let burst = testbed.shared.service.throttle.lane(bucket).unwrap().burst();
    let body = "x".repeat(burst as usize + 2_000_000);
    let began = Instant::now();
    testbed.ok("PUT", "/bucket/a", &[], &body).await;
    let wrote = began.elapsed();
    assert!(wrote >= Duration::from_millis(400), "{wrote:?}");
    assert_eq!(testbed.ok("GET", "/bucket/a", &[], "").await.body.len(), body.len());
    assert!(began.elapsed() >= wrote + Duration::from_millis(400), "{:?}", began.elapsed());
}
