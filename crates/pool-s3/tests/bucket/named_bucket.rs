//! The contract of segment stores on the bucket that the environment names, by requests over the network: `FOREBAY_TEST_BUCKET` is
//! `s3://BUCKET/PREFIX`, `FOREBAY_TEST_BUCKET_ENDPOINT` the URL of its server, and `FOREBAY_TEST_BUCKET_CREDENTIALS` a file with an access key and
//! its secret, a line each. Objects stay there. scripts/check-bucket runs this on servers that it starts.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use forebay_pool::store::contract::segments;
use forebay_pool::store::{SegmentId, SegmentStore};
use forebay_pool_s3::{Address, BucketOptions, BucketSegments, CacheOptions, Credentials};

/// A place in the named bucket that nobody has used.
fn address(number: u64) -> Address {
    let of = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is missing"));
    let (bucket, prefix) = Address::parse(&of("FOREBAY_TEST_BUCKET")).unwrap();
    let keys = std::fs::read_to_string(of("FOREBAY_TEST_BUCKET_CREDENTIALS")).unwrap();
    let mut keys = keys.lines().map(str::to_owned);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    Address {
        bucket,
        prefix: format!("{prefix}/{now}-{number}").trim_start_matches('/').to_owned(),
        endpoint: Some(of("FOREBAY_TEST_BUCKET_ENDPOINT")),
        region: std::env::var("FOREBAY_TEST_BUCKET_REGION").unwrap_or_else(|_| "us-east-1".to_owned()),
        credentials: Some(Credentials { access_key: keys.next().unwrap(), secret_key: keys.next().unwrap() }),
        ca_file: None,
        sign_payloads: false,
    }
}

fn open(address: &Address) -> BucketSegments {
    let cache = CacheOptions { memory_bytes: 0, ..CacheOptions::default() };
    BucketSegments::open(address.clone(), BucketOptions { cache, ..BucketOptions::default() }).unwrap()
}

#[test]
#[ignore = "needs a bucket that FOREBAY_TEST_BUCKET names"]
fn the_named_bucket_keeps_the_contract() {
    let (places, current) = (Cell::new(0), RefCell::new(address(0)));
    let open = |again: bool| -> Arc<dyn SegmentStore> {
        if !again {
            places.set(places.get() + 1);
            current.replace(address(places.get()));
        }
        let store = open(&current.borrow());
        store.prepare().unwrap();
        Arc::new(store)
    };
    segments::one_life(&open);
    segments::several_lives(&open);
}

#[test]
#[ignore = "needs a bucket that FOREBAY_TEST_BUCKET names"]
fn in_the_named_bucket_nothing_of_another_owner_is_replaced() {
    let address = address(0);
    let (first, second) = (open(&address), open(&address));
    first.claim("kafka").unwrap();
    assert!(second.claim("other").is_err());
    let id = SegmentId::of(1);
    for (store, bytes) in [(&first, "bytes"), (&second, "other")] {
        store.create(id, 4096).unwrap();
        store.write(id, 0, &[Bytes::from(bytes)]).unwrap();
    }
    first.sync(id).unwrap();
    let error = second.sync(id).unwrap_err().to_string();
    assert!(error.contains("other bytes"), "{error}");
    assert_eq!(open(&address).read(id, 0, 5).unwrap().unwrap(), "bytes");
}
