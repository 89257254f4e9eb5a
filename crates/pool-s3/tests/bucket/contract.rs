//! The contract of segment stores, and a bucket that misbehaves.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::store::contract::segments;
use forebay_pool::store::{SegmentId, SegmentStore};
use forebay_pool_s3::{Address, BucketOptions, BucketSegments, CacheOptions};
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};

fn address(prefix: &str) -> Address {
    Address {
        bucket: "kafka".into(),
        prefix: prefix.into(),
        endpoint: None,
        region: "us-east-1".into(),
        credentials: None,
        ca_file: None,
        sign_payloads: false,
    }
}

/// What the next requests of a bucket do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fault {
    #[default]
    None,
    /// They are refused with 503.
    Busy,
    /// They are carried out, and the answer is lost.
    AnswerLost,
    /// Objects that are read have fewer bytes, or other ones.
    Short,
    Wrong,
    /// They are not permitted, at all or because of the clock.
    Denied,
    Skewed,
    /// The object, or the bucket, is said not to be there.
    Lost,
    NoBucket,
    /// Another request is about to store the object.
    Conflict,
    /// The object ends before the wanted part.
    BehindEnd,
}

#[derive(Debug, Default)]
struct Faulty {
    objects: InMemory,
    fault: std::sync::Mutex<Fault>,
    /// How many requests it hits.
    left: AtomicU64,
}

impl fmt::Display for Faulty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a bucket of a test")
    }
}

fn generic(cause: &str) -> object_store::Error {
    object_store::Error::Generic { store: "test", source: cause.to_owned().into() }
}

impl Faulty {
    fn set(&self, fault: Fault, requests: u64) {
        *self.fault.lock().unwrap() = fault;
        self.left.store(requests, Ordering::SeqCst);
    }

    /// The fault of this request, which is refused if it is one that comes before.
    fn fault(&self) -> object_store::Result<Fault> {
        let is_hit =
            self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        let fault = *self.fault.lock().unwrap();
        match fault {
            Fault::Busy if is_hit => Err(generic("503 Slow Down")),
            Fault::Denied if is_hit => Err(object_store::Error::PermissionDenied {
                path: "an object".into(),
                source: "403 AccessDenied".to_owned().into(),
            }),
            Fault::Skewed if is_hit => Err(object_store::Error::PermissionDenied {
                path: "an object".into(),
                source: "403 Forbidden: <Error><Code>RequestTimeTooSkewed</Code></Error>".to_owned().into(),
            }),
            Fault::Lost if is_hit => Err(object_store::Error::NotFound {
                path: "an object".into(),
                source: "404 Not Found: <Error><Code>NoSuchKey</Code></Error>".to_owned().into(),
            }),
            Fault::NoBucket if is_hit => Err(object_store::Error::NotFound {
                path: "an object".into(),
                source: "404 Not Found: <Error><Code>NoSuchBucket</Code></Error>".to_owned().into(),
            }),
            Fault::Conflict if is_hit => Err(object_store::Error::AlreadyExists {
                path: "an object".into(),
                source: "409 Conflict".to_owned().into(),
            }),
            Fault::BehindEnd if is_hit => Err(generic(
                "Server returned non-2xx status code: 416 Range Not Satisfiable: <Error><Code>InvalidRange</Code></Error>",
            )),
            _ => Ok(if is_hit { fault } else { Fault::None }),
        }
    }
}

fn answered<T>(fault: Fault, answer: T) -> object_store::Result<T> {
    if fault == Fault::AnswerLost { Err(generic("connection reset")) } else { Ok(answer) }
}

#[async_trait::async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        at: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        let fault = self.fault()?;
        let put = self.objects.put_opts(at, payload, options).await?;
        answered(fault, put)
    }
    async fn put_multipart_opts(
        &self,
        at: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(at, options).await
    }
    async fn get_opts(&self, at: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        let fault = self.fault()?;
        let mut got = self.objects.get_opts(at, options).await?;
        if fault == Fault::Short || fault == Fault::Wrong {
            let (meta, range, attributes, extensions) =
                (got.meta.clone(), got.range.clone(), got.attributes.clone(), got.extensions.clone());
            let mut bytes = got.bytes().await?.to_vec();
            if fault == Fault::Short {
                bytes.pop();
            } else {
                bytes.iter_mut().for_each(|byte| *byte ^= 1);
            }
            let stream = futures::stream::iter([Ok(Bytes::from(bytes))]);
            let payload = object_store::GetResultPayload::Stream(Box::pin(stream));
            got = GetResult { payload, meta, range, attributes, extensions };
        }
        answered(fault, got)
    }
    async fn get_ranges(&self, at: &Path, ranges: &[Range<u64>]) -> object_store::Result<Vec<Bytes>> {
        self.objects.get_ranges(at, ranges).await
    }
    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        match self.fault() {
            Ok(_) => self.objects.delete_stream(paths),
            Err(error) => Box::pin(futures::stream::once(async { Err(error) })),
        }
    }
    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.objects.list(prefix)
    }
    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }
    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        let fault = self.fault()?;
        self.objects.copy_opts(from, to, options).await?;
        answered(fault, ())
    }
}

fn options(cache: CacheOptions) -> BucketOptions {
    BucketOptions { outage_max: Duration::from_secs(5), cache }
}

fn open(bucket: &Arc<Faulty>, cache: CacheOptions) -> BucketSegments {
    BucketSegments::on(address("pools/kafka"), bucket.clone(), options(cache)).unwrap()
}

fn stored(store: &BucketSegments, number: u64, length: usize) -> Bytes {
    let id = SegmentId::of(number);
    let bytes = Bytes::from((0..length).map(|at| (at / 5) as u8 ^ number as u8).collect::<Vec<u8>>());
    store.create(id, 1 << 20).unwrap();
    store.write(id, 0, std::slice::from_ref(&bytes)).unwrap();
    store.sync(id).unwrap();
    bytes
}

#[test]
fn a_bucket_keeps_the_contract_with_any_cache_and_any_prefix() {
    let directory = tempfile::tempdir().unwrap();
    let caches = [
        CacheOptions::default(),
        CacheOptions { memory_bytes: 0, ..CacheOptions::default() },
        CacheOptions {
            memory_bytes: 0,
            directory: Some(directory.path().to_path_buf()),
            disk_bytes: 2 << 20,
        },
    ];
    for (number, cache) in caches.into_iter().enumerate() {
        for prefix in ["", "pools/kafka"] {
            // The files of a cache belong to one pool.
            let directory =
                cache.directory.as_ref().map(|directory| directory.join(format!("{number}{}", prefix.len())));
            let current = std::cell::RefCell::new(Arc::<Faulty>::default());
            let lives = AtomicU64::new(0);
            let open = |again: bool| -> Arc<dyn SegmentStore> {
                if !again {
                    current.replace(Arc::default());
                    lives.fetch_add(1, Ordering::SeqCst);
                }
                let life = lives.load(Ordering::SeqCst).to_string();
                let cache =
                    CacheOptions { directory: directory.as_ref().map(|it| it.join(life)), ..cache.clone() };
                let store =
                    BucketSegments::on(address(prefix), current.borrow().clone(), options(cache)).unwrap();
                store.prepare().unwrap();
                Arc::new(store)
            };
            segments::one_life(&open);
            segments::several_lives(&open);
        }
    }
}

#[test]
fn requests_are_repeated_while_the_bucket_is_busy_or_answers_are_lost() {
    for fault in [Fault::Busy, Fault::AnswerLost] {
        let bucket = Arc::<Faulty>::default();
        let store = open(&bucket, CacheOptions { memory_bytes: 0, ..CacheOptions::default() });
        store.prepare().unwrap();
        bucket.set(fault, 3);
        let bytes = stored(&store, 1, 3_000_000);
        bucket.set(fault, 3);
        assert_eq!(
            store.read(SegmentId::of(1), 1_000_000, 500_000).unwrap().unwrap(),
            bytes[1_000_000..1_500_000]
        );
        bucket.set(fault, 2);
        assert!(store.delete(SegmentId::of(1)).unwrap());
        let requests = store.counts();
        let least = if fault == Fault::Busy { 6 } else { 2 };
        assert!(requests.repeated >= least && requests.put > 2, "{fault:?}: {requests:?}");
    }
}

#[test]
fn an_answer_with_fewer_bytes_is_asked_for_again_and_damage_in_it_is_the_callers_to_find() {
    let bucket = Arc::<Faulty>::default();
    let store = open(&bucket, CacheOptions::default());
    let bytes = stored(&store, 1, 3_000_000);
    // Another process, with nothing in its cache.
    let store = open(&bucket, CacheOptions::default());
    let id = SegmentId::of(1);
    assert_eq!(store.length(id).unwrap(), Some(3_000_000));
    bucket.set(Fault::Short, 2);
    assert_eq!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    let store = open(&bucket, CacheOptions::default());
    assert_eq!(store.length(id).unwrap(), Some(3_000_000));
    bucket.set(Fault::Wrong, 3);
    assert_ne!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    bucket.set(Fault::None, 0);
    // The cache has the wrong bytes now. Past it there are the right ones. Only who compares them knows which are right.
    assert_ne!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    assert_eq!(store.read_stored(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    assert_ne!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    store.forget_cached(id, 7, 100);
    assert_eq!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
    // The cache still has an object that the bucket lost.
    bucket.set(Fault::Lost, u64::MAX);
    assert_eq!(store.read_stored(id, 7, 100).unwrap(), None);
    assert_eq!(store.read(id, 7, 100).unwrap().unwrap(), bytes[7..107]);
}

#[test]
fn an_answer_about_the_bucket_or_the_way_to_it_says_nothing_about_an_object() {
    let bucket = Arc::<Faulty>::default();
    let store = open(&bucket, CacheOptions::default());
    let bytes = stored(&store, 1, 5000);
    let id = SegmentId::of(1);
    let store = open(&bucket, CacheOptions::default());
    stored(&store, 2, 5000);
    for fault in [Fault::NoBucket, Fault::Skewed, Fault::Denied] {
        let before = store.counts().repeated;
        bucket.set(fault, 2);
        assert_eq!(store.read_stored(id, 0, 5000).unwrap().unwrap(), bytes, "{fault:?} passes");
        bucket.set(fault, 2);
        assert!(store.delete(SegmentId::of(3)).unwrap());
        assert_eq!(store.counts().repeated, before + 4, "{fault:?}");
    }
    bucket.set(Fault::Skewed, u64::MAX);
    let error = store.read_stored(id, 0, 5000).unwrap_err().to_string();
    assert!(error.contains("set the clock of this machine"), "{error}");
    bucket.set(Fault::None, 0);
    // Another request is about to store the object, says the bucket, and then it is not there.
    bucket.set(Fault::Conflict, 1);
    let other = stored(&store, 4, 5000);
    assert_eq!(store.read_stored(SegmentId::of(4), 0, 5000).unwrap().unwrap(), other);
}

/// The newest object of a pool may be empty, and is read when the pool is opened.
#[test]
fn an_object_that_ends_before_the_wanted_part_is_not_asked_for_again() {
    let bucket = Arc::<Faulty>::default();
    let writer = open(&bucket, CacheOptions::default());
    stored(&writer, 1, 0);
    stored(&writer, 2, 5000);
    let store = open(&bucket, CacheOptions::default());
    let empty = SegmentId::of(1);
    assert_eq!(store.read_stored(empty, 0, 100).unwrap(), None);
    assert_eq!(store.read(empty, 0, 100).unwrap(), None);
    // Servers say it with a status.
    bucket.set(Fault::BehindEnd, 2);
    assert_eq!(store.read_stored(SegmentId::of(2), 0, 100).unwrap(), None);
    assert_eq!(store.read(SegmentId::of(2), 0, 100).unwrap(), None);
    assert_eq!(store.counts().repeated, 0);
}

/// While the bucket does not answer, readers of the same blocks wait for each other. They must not keep other tasks from running.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn tasks_run_while_readers_wait_for_the_same_blocks() {
    let bucket = Arc::<Faulty>::default();
    let bytes = stored(&open(&bucket, CacheOptions::default()), 1, 5000);
    let store = Arc::new(open(&bucket, CacheOptions::default()));
    bucket.set(Fault::Busy, u64::MAX);
    let read = || {
        let store = store.clone();
        tokio::spawn(async move { store.read(SegmentId::of(1), 0, 5000).unwrap().unwrap() })
    };
    let readers = [read(), read()];
    tokio::spawn(async move { bucket.set(Fault::None, 0) }).await.unwrap();
    for reader in readers {
        assert_eq!(reader.await.unwrap(), bytes);
    }
    assert_eq!(store.counts().bytes_got, 5000, "one of them asked");
}

#[test]
fn an_object_of_another_owner_is_never_replaced() {
    let bucket = Arc::<Faulty>::default();
    let (first, second) = (open(&bucket, CacheOptions::default()), open(&bucket, CacheOptions::default()));
    let bytes = stored(&first, 1, 5000);
    let id = SegmentId::of(1);
    second.create(id, 4096).unwrap();
    second.write(id, 0, &[Bytes::from_static(b"other")]).unwrap();
    let error = second.sync(id).unwrap_err().to_string();
    assert!(error.contains("s3://kafka/pools/kafka/segments/") && error.contains("other bytes"), "{error}");
    assert_eq!(open(&bucket, CacheOptions::default()).read(id, 0, 5000).unwrap().unwrap(), bytes);
}

#[test]
fn what_cannot_succeed_is_refused_at_once_and_named() {
    let bucket = Arc::<Faulty>::default();
    let store = open(&bucket, CacheOptions::default());
    let begun = Instant::now();
    bucket.set(Fault::Denied, u64::MAX);
    let error = store.prepare().unwrap_err().to_string();
    assert!(error.contains("403") && error.contains("object_store.credentials_file"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(2));
    bucket.set(Fault::Busy, u64::MAX);
    let error = store.prepare().unwrap_err().to_string();
    assert!(error.contains("503") && error.contains("see whether the bucket's server runs"), "{error}");
    assert!(begun.elapsed() >= Duration::from_secs(5));
}

#[test]
fn a_place_belongs_to_one_pool() {
    let bucket = Arc::<Faulty>::default();
    open(&bucket, CacheOptions::default()).claim("kafka").unwrap();
    let error = open(&bucket, CacheOptions::default()).require_free().unwrap_err().to_string();
    assert!(error.contains("choose another prefix"), "{error}");
    assert!(open(&bucket, CacheOptions::default()).claim("other").is_err());
    let other =
        BucketSegments::on(address("pools/kafka-2"), bucket.clone(), options(CacheOptions::default()))
            .unwrap();
    other.require_free().unwrap();
    other.claim("other").unwrap();
}

#[test]
fn a_stream_is_read_with_few_requests_and_what_was_just_stored_with_none() {
    let bucket = Arc::<Faulty>::default();
    let store = open(&bucket, CacheOptions::default());
    let bytes = stored(&store, 1, 32 << 20);
    let id = SegmentId::of(1);
    let read_all = |store: &BucketSegments| {
        for at in (0..32 << 20).step_by(128 << 10) {
            assert!(store.read(id, at as u64, 128 << 10).unwrap().unwrap() == bytes[at..at + (128 << 10)]);
        }
    };
    read_all(&store);
    assert_eq!(store.counts().get, 0);
    let store = open(&bucket, CacheOptions::default());
    read_all(&store);
    let counts = store.counts();
    assert!(counts.get <= 7 && counts.bytes_got == 32 << 20, "{counts:?}");
}

#[test]
fn a_small_object_is_read_whole_wherever_reading_begins() {
    let bucket = Arc::<Faulty>::default();
    let bytes = stored(&open(&bucket, CacheOptions::default()), 1, 5_000_000);
    let store = open(&bucket, CacheOptions::default());
    let id = SegmentId::of(1);
    for at in [3_500_000, 900_000, 4_999_900, 0] {
        assert_eq!(store.read(id, at, 100).unwrap().unwrap(), bytes[at as usize..at as usize + 100]);
    }
    let counts = store.counts();
    assert_eq!((counts.get, counts.head, counts.bytes_got), (1, 0, 5_000_000));
    assert_eq!(store.read(id, 4_999_950, 100).unwrap(), None, "behind its end");

    // The length is known, and the cache is too small for all of it.
    let store = open(&bucket, CacheOptions { memory_bytes: 3 << 20, ..CacheOptions::default() });
    assert_eq!(store.read(id, 3_500_000, 100).unwrap().unwrap(), bytes[3_500_000..3_500_100]);
    assert_eq!(store.read(id, 100, 3_000_000).unwrap().unwrap(), bytes[100..3_000_100]);
    assert_eq!(store.read(id, 6_000_000, 100).unwrap(), None, "behind its end");
    let counts = store.counts();
    assert!(counts.get == 2 && counts.head == 0, "{counts:?}");
}

#[test]
fn a_segment_that_is_gone_through_past_the_cache_takes_few_requests_and_leaves_the_cache_alone() {
    let bucket = Arc::<Faulty>::default();
    let bytes = stored(&open(&bucket, CacheOptions::default()), 1, 32 << 20);
    let store = open(&bucket, CacheOptions::default());
    let id = SegmentId::of(1);
    for at in (0..32 << 20).step_by(100 << 10) {
        let length = (100 << 10).min((32 << 20) - at);
        assert!(store.read_stored(id, at as u64, length).unwrap().unwrap() == bytes[at..at + length]);
    }
    let counts = store.counts();
    assert!(counts.get <= 4 && counts.head <= 4 && counts.cache_memory_bytes == 0, "{counts:?}");
    // Asked again for the same bytes, it asks the bucket again.
    store.read_stored(id, 0, 100).unwrap().unwrap();
    store.read_stored(id, 0, 100).unwrap().unwrap();
    assert_eq!(store.counts().get, counts.get + 2);
}
