//! The stored format of object facts, and their way through it.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::checksum::{Algorithm, ChecksumType};
use crate::facts::{PartRecord, Retention, RetentionMode};

/// What release 1 writes for an object that has everything. If this test fails, the format has changed: keep
/// reading this text, and give the new format another number.
const STORED: &str = concat!(
    r#"{"f":1,"s":11,"m":1700000000123,"e":"5eb63bbbe01eeed093cb22bb8f5acdc3-2","#,
    r#""c":{"a":"CRC32","t":"COMPOSITE","v":"DUoRhQ==-2"},"#,
    r#""h":{"ct":"text/plain","ce":"gzip","cd":"attachment","cl":"en","cc":"no-cache","ex":"0","wr":"/other"},"#,
    r#""sc":"STANDARD_IA","um":{"colour":"blue"},"t":{"team":"storage"},"o":"alice","nv":true,"dm":true,"#,
    r#""l":{"r":{"m":"COMPLIANCE","u":1800000000000},"h":true},"p":{"n":2,"l":[[1,6,"DUoRhQ=="],[2,5]]}}"#,
);

fn everything() -> ObjectFacts {
    ObjectFacts {
        format: Format,
        size: 11,
        modified_ms: 1_700_000_000_123,
        etag: "5eb63bbbe01eeed093cb22bb8f5acdc3-2".to_owned(),
        checksum: Some(Checksum {
            algorithm: Algorithm::Crc32,
            kind: ChecksumType::Composite,
            value: "DUoRhQ==-2".to_owned(),
        }),
        headers: ContentHeaders {
            content_type: Some("text/plain".to_owned()),
            content_encoding: Some("gzip".to_owned()),
            content_disposition: Some("attachment".to_owned()),
            content_language: Some("en".to_owned()),
            cache_control: Some("no-cache".to_owned()),
            expires: Some("0".to_owned()),
            website_redirect_location: Some("/other".to_owned()),
        },
        storage_class: StorageClass::StandardIa,
        user_metadata: UserMetadata::from_dto(Some(&[("colour".to_owned(), "blue".to_owned())].into()))
            .unwrap(),
        tags: Tags::parse_header("team=storage").unwrap(),
        owner: "alice".to_owned(),
        null_version: true,
        delete_marker: true,
        lock: Lock {
            retention: Some(Retention { mode: RetentionMode::Compliance, until_ms: 1_800_000_000_000 }),
            legal_hold: Some(true),
        },
        parts: Some(Parts {
            count: 2,
            inline: vec![
                PartRecord { number: 1, size: 6, checksum: Some("DUoRhQ==".to_owned()) },
                PartRecord { number: 2, size: 5, checksum: None },
            ],
        }),
    }
}

#[test]
fn the_stored_format_has_not_changed() {
    assert_eq!(String::from_utf8(everything().encode().unwrap()).unwrap(), STORED);
    assert_eq!(ObjectFacts::decode(STORED.as_bytes()).unwrap(), everything());
}

#[test]
fn defaults_are_not_stored() {
    assert_eq!(ObjectFacts::default().encode().unwrap(), br#"{"f":1}"#);
    assert_eq!(ObjectFacts::decode(br#"{"f":1}"#).unwrap(), ObjectFacts::default());
}

#[test]
fn facts_of_another_release_are_refused() {
    for text in
        ["{}", r#"{"f":2}"#, r#"{"f":1,"new":1}"#, r#"{"f":1,"h":{"new":1}}"#, r#"{"f":1,"s":-1}"#, ""]
    {
        assert!(ObjectFacts::decode(text.as_bytes()).is_err(), "{text}");
    }
    let error = ObjectFacts::decode(br#"{"f":2,"new":1}"#).unwrap_err().to_string();
    assert!(error.contains("format 2; this release reads format 1"), "{error}");
}

#[test]
fn an_etag_is_quoted_in_headers() {
    let facts = ObjectFacts { etag: "abc-2".to_owned(), ..ObjectFacts::default() };
    assert_eq!(facts.quoted_etag(), "\"abc-2\"");
}

prop_compose! {
    fn facts()(
        numbers in (any::<u64>(), any::<u64>()),
        text in (any::<String>(), any::<String>(), option::of("[a-zA-Z0-9 ;=/]{1,20}")),
        metadata in btree_map("[a-z0-9-]{1,20}", any::<String>(), 0..5),
        tags in btree_map("[a-z]{1,20}", "[a-zü ]{0,20}", 0..=10),
        flags in any::<[bool; 3]>(),
        retention in option::of((any::<bool>(), any::<u64>())),
        hold in option::of(any::<bool>()),
        sizes in option::of(vec(any::<u64>(), 1..5)),
    ) -> ObjectFacts {
        let header: Vec<_> = tags.iter().map(|(k, v)| format!("{k}={}", v.replace(' ', "+"))).collect();
        let mode = |strict| if strict { RetentionMode::Compliance } else { RetentionMode::Governance };
        let record = |(number, size)| PartRecord { number, size, checksum: None };
        let parts = |sizes: Vec<u64>| Parts {
            count: sizes.len() as u32,
            inline: (1..).zip(sizes).map(record).collect(),
        };
        let metadata = metadata.into_iter().map(|(k, v)| (k, v.chars().take(80).collect())).collect();
        ObjectFacts {
            format: Format,
            size: numbers.0,
            modified_ms: numbers.1,
            etag: text.0,
            checksum: flags[2].then(|| Checksum::of_bytes(Algorithm::Sha256, &[7; 32])),
            headers: ContentHeaders { content_type: text.2, ..ContentHeaders::default() },
            storage_class: StorageClass::default(),
            user_metadata: UserMetadata::from_dto(Some(&metadata)).unwrap(),
            tags: Tags::parse_header(&header.join("&")).unwrap(),
            owner: text.1,
            null_version: flags[0],
            delete_marker: flags[1],
            lock: Lock {
                retention: retention.map(|(strict, until_ms)| Retention { mode: mode(strict), until_ms }),
                legal_hold: hold,
            },
            parts: sizes.map(parts),
        }
    }
}

proptest! {
    #[test]
    fn facts_survive_being_stored(facts in facts()) {
        prop_assert_eq!(ObjectFacts::decode(&facts.encode().unwrap()).unwrap(), facts);
    }

    #[test]
    fn damaged_facts_never_panic(bytes in vec(any::<u8>(), 0..100)) {
        let _ = ObjectFacts::decode(&bytes);
    }
}
