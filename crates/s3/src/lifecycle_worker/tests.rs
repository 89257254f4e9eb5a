//! The worker on buckets with rules.

use std::sync::Arc;

use bytes::Bytes;
use forebay_pool::{BucketSpec, Pool, PoolOptions, Stability};
use forebay_service::{Service, ServiceOptions};
use s3s::dto;

use super::versions::{Candidate, remove_due};
use super::*;
use crate::checksum::{Algorithm, Checksum, ChecksumType};
use crate::clock::DAY_MS;
use crate::conditions::WriteConditions;
use crate::configuration::Versioning;
use crate::facts::{Format, Lock, ObjectFacts, PartFacts, Tags, UploadFacts};
use crate::store::{
    Entries, NewVersion, OBJECTS, Removal, UPLOADS, UploadNumber, new_upload, publish, put_part, remove,
};

/// When everything was written: in the middle of a day.
const WRITTEN_MS: u64 = 20_000 * DAY_MS + DAY_MS / 2;

struct Testbed {
    shared: Shared,
    bucket: Bucket,
}

impl Testbed {
    async fn new(versioning: Versioning, rules: Vec<dto::LifecycleRule>) -> Testbed {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let service = Arc::new(Service::open(pool, ServiceOptions::default()).unwrap());
        let shared = Shared::new(service, "us-east-1");
        let fill = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
            Setting::Versioning.put(change, &versioning)?;
            if rules.is_empty() {
                return Ok(());
            }
            let document = dto::BucketLifecycleConfiguration { rules };
            Setting::Lifecycle.put(change, &Lifecycle::from_dto(&document).unwrap())
        };
        let bucket = shared.pool().bucket_create(BucketSpec::new("bucket"), fill).await.unwrap();
        Testbed { shared, bucket }
    }

    async fn put(&self, key: &str, days: u64, lock: Lock) {
        let draft = self.shared.pool().draft_create(self.bucket.id).await.unwrap();
        let body = Bytes::from_static(b"body");
        self.shared.pool().write(draft.handle(), 0, body, Stability::Unstable).await.unwrap();
        self.shared.pool().commit(draft.handle(), 0, 0).await.unwrap();
        let modified_ms = WRITTEN_MS + days * DAY_MS;
        let facts = ObjectFacts { size: 4, modified_ms, lock, ..ObjectFacts::default() };
        let new = NewVersion { key: key.to_owned(), facts, draft: Some(draft), part_list: Vec::new() };
        let conditions = WriteConditions::default();
        let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| publish(change, new, &conditions);
        self.shared.pool().bucket_change(self.bucket.id, change).await.unwrap().unwrap();
    }

    async fn hide(&self, key: &str, days: u64) {
        let now_ms = WRITTEN_MS + days * DAY_MS;
        let removal = Removal { key: key.to_owned(), now_ms, ..Removal::default() };
        let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| remove(change, removal);
        self.shared.pool().bucket_change(self.bucket.id, change).await.unwrap().unwrap();
    }

    async fn upload(&self, key: &'static str) -> UploadNumber {
        let facts = UploadFacts {
            format: Format,
            initiated_ms: WRITTEN_MS,
            owner: String::new(),
            algorithm: Algorithm::Crc32,
            kind: ChecksumType::FullObject,
            algorithm_named: false,
            headers: Default::default(),
            storage_class: Default::default(),
            user_metadata: Default::default(),
            tags: Tags::default(),
            lock: Lock::default(),
        };
        let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| new_upload(change, key, &facts);
        self.shared.pool().bucket_change(self.bucket.id, change).await.unwrap()
    }

    async fn part(&self, key: &'static str, upload: UploadNumber, days: u64) {
        let draft = self.shared.pool().draft_create(self.bucket.id).await.unwrap();
        let facts = PartFacts {
            format: Format,
            size: 0,
            etag: String::new(),
            modified_ms: WRITTEN_MS + days * DAY_MS,
            checksum: Checksum::of_bytes(Algorithm::Crc32, &[0; 4]),
            given: None,
        };
        let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
            put_part(change, key, (upload, 1), &facts, draft)
        };
        self.shared.pool().bucket_change(self.bucket.id, change).await.unwrap().unwrap();
    }

    /// What a pass does that many days after the beginning.
    async fn pass(&self, days: u64) -> Done {
        pass(&self.shared, WRITTEN_MS + days * DAY_MS).await.unwrap()
    }

    /// The keys of all versions, newest first, with `*` at delete markers.
    fn versions(&self) -> Vec<String> {
        let entries =
            self.shared.stored(&self.bucket).entries(OBJECTS, &[], &forebay_pool::Seek::Start, 5000);
        let text = |entry: forebay_pool::BucketEntry| {
            let marker = if entry.content.is_none() { "*" } else { "" };
            format!("{}{marker}", String::from_utf8_lossy(&entry.key))
        };
        entries.unwrap().into_iter().map(text).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        let entries =
            self.shared.stored(&self.bucket).entries(OBJECTS, &[], &forebay_pool::Seek::Start, 5000);
        entries.unwrap().into_iter().map(|entry| entry.version).collect()
    }

    async fn carry_out(&self, candidates: Vec<Candidate>, now_ms: u64) -> Done {
        let change =
            move |change: &mut forebay_pool::BucketChange<'_, '_>| remove_due(change, &candidates, now_ms);
        self.shared.pool().bucket_change(self.bucket.id, change).await.unwrap()
    }

    fn uploads(&self) -> usize {
        let stored = self.shared.stored(&self.bucket);
        stored.entries(UPLOADS, &[], &forebay_pool::Seek::Start, 5000).unwrap().len()
    }
}

fn rule() -> dto::LifecycleRule {
    dto::LifecycleRule {
        abort_incomplete_multipart_upload: None,
        expiration: None,
        filter: None,
        id: None,
        noncurrent_version_expiration: None,
        noncurrent_version_transitions: None,
        prefix: Some(String::new()),
        status: dto::ExpirationStatus::from_static("Enabled"),
        transitions: None,
    }
}

fn expiring(days: i32) -> dto::LifecycleRule {
    let expiration = dto::LifecycleExpiration { days: Some(days), ..Default::default() };
    dto::LifecycleRule { expiration: Some(expiration), ..rule() }
}

fn noncurrent(days: i32, keep: Option<i32>) -> dto::LifecycleRule {
    let expiration =
        dto::NoncurrentVersionExpiration { newer_noncurrent_versions: keep, noncurrent_days: Some(days) };
    dto::LifecycleRule { noncurrent_version_expiration: Some(expiration), ..rule() }
}

#[tokio::test]
async fn an_object_expires_when_its_rule_says_so() {
    let testbed = Testbed::new(Versioning::Unversioned, vec![expiring(3)]).await;
    testbed.put("a", 0, Lock::default()).await;
    testbed.put("b", 2, Lock::default()).await;
    assert_eq!(testbed.pass(3).await, Done::default());
    assert_eq!(testbed.pass(4).await, Done { objects_expired: 1, ..Done::default() });
    assert_eq!(testbed.versions(), ["b"]);
}

#[tokio::test]
async fn with_versions_an_expired_object_is_hidden_and_the_lone_marker_goes_later() {
    let testbed = Testbed::new(Versioning::Enabled, vec![expiring(3), noncurrent(5, None)]).await;
    testbed.put("a", 0, Lock::default()).await;
    testbed.pass(4).await;
    assert_eq!(testbed.versions(), ["a*", "a"]);
    assert_eq!(testbed.pass(9).await, Done::default());
    assert_eq!(testbed.pass(10).await, Done { versions_removed: 1, ..Done::default() });
    assert_eq!(testbed.versions(), ["a*"]);
    assert_eq!(testbed.pass(10).await, Done { versions_removed: 1, ..Done::default() });
    assert!(testbed.versions().is_empty());
}

#[tokio::test]
async fn the_newest_noncurrent_versions_are_kept_however_many_there_are() {
    let testbed = Testbed::new(Versioning::Enabled, vec![noncurrent(1, Some(2))]).await;
    for _ in 0..300 {
        testbed.put("many", 0, Lock::default()).await;
    }
    testbed.put("one", 0, Lock::default()).await;
    assert_eq!(testbed.pass(2).await, Done { versions_removed: 297, ..Done::default() });
    assert_eq!(testbed.versions(), ["many", "many", "many", "one"]);
}

#[tokio::test]
async fn a_locked_version_stays() {
    let testbed = Testbed::new(Versioning::Enabled, vec![noncurrent(1, None)]).await;
    let held = Lock { legal_hold: Some(true), ..Lock::default() };
    testbed.put("a", 0, held).await;
    testbed.put("a", 0, Lock::default()).await;
    testbed.hide("a", 0).await;
    assert_eq!(testbed.pass(9).await, Done { versions_removed: 1, ..Done::default() });
    assert_eq!(testbed.versions(), ["a*", "a"]);
}

#[tokio::test]
async fn more_objects_than_one_page_expire_in_one_pass() {
    let testbed = Testbed::new(Versioning::Unversioned, vec![expiring(1)]).await;
    for number in 0..600 {
        testbed.put(&format!("{number:04}"), 0, Lock::default()).await;
    }
    assert_eq!(testbed.pass(3).await, Done { objects_expired: 600, ..Done::default() });
    assert!(testbed.versions().is_empty());
}

#[tokio::test]
async fn uploads_are_aborted_by_a_rule_or_when_they_are_abandoned() {
    let abort = dto::AbortIncompleteMultipartUpload { days_after_initiation: Some(2) };
    let rule = dto::LifecycleRule {
        abort_incomplete_multipart_upload: Some(abort),
        prefix: Some("short/".to_owned()),
        ..rule()
    };
    let testbed = Testbed::new(Versioning::Unversioned, vec![rule]).await;
    testbed.upload("short/a").await;
    testbed.upload("abandoned").await;
    let active = testbed.upload("active").await;
    testbed.part("active", active, 6).await;
    assert_eq!(testbed.pass(2).await, Done::default());
    assert_eq!(testbed.pass(3).await, Done { uploads_aborted: 1, ..Done::default() });
    assert_eq!(testbed.pass(8).await, Done { uploads_aborted: 1, ..Done::default() });
    assert_eq!(testbed.uploads(), 1);
    assert_eq!(testbed.pass(13).await, Done { uploads_aborted: 1, ..Done::default() });
}

#[tokio::test]
async fn what_seemed_due_is_decided_again_in_the_change() {
    let testbed = Testbed::new(Versioning::Enabled, vec![expiring(1), noncurrent(1, Some(1))]).await;
    testbed.put("a", 0, Lock::default()).await;
    let first = testbed.numbers()[0];
    let now_ms = WRITTEN_MS + 9 * DAY_MS;
    let seen =
        |newer_count, newer| vec![Candidate { key: "a".to_owned(), number: first, newer_count, newer }];
    // It is not the current version any more, and a rule keeps it.
    testbed.put("a", 9, Lock::default()).await;
    assert_eq!(testbed.carry_out(seen(0, None), now_ms).await, Done::default());
    // Another rule keeps one noncurrent version, which is now a newer one. But it was replaced only now.
    testbed.put("a", 9, Lock::default()).await;
    assert_eq!(testbed.carry_out(seen(1, None), now_ms).await, Done::default());
    let done = testbed.carry_out(seen(2, None), now_ms + 9 * DAY_MS).await;
    assert_eq!(done, Done { versions_removed: 1, ..Done::default() });
    assert_eq!(testbed.carry_out(seen(2, None), now_ms + 9 * DAY_MS).await, Done::default());
}
