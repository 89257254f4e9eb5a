//! Checksums and ETags of objects in parts, against values of other servers and of whole bodies.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn sums_of(algorithm: Algorithm, parts: &[Vec<u8>]) -> Vec<PartSum> {
    let sum = |part: &Vec<u8>| {
        let sums = Sums::of([algorithm], part);
        PartSum { size: sums.size, value: sums.value(algorithm).unwrap().to_vec() }
    };
    parts.iter().map(sum).collect()
}

/// The parts of ceph/s3-tests: 5 MiB of `A`, of `B` and of `C`.
fn ceph_parts() -> Vec<Vec<u8>> {
    [b'A', b'B', b'C'].iter().map(|byte| vec![*byte; 5 << 20]).collect()
}

fn upload(algorithm: Algorithm, kind: ChecksumType) -> UploadChecksum {
    UploadChecksum { algorithm, kind, named: true }
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

#[test]
fn objects_have_the_checksums_that_other_servers_give_them() {
    let parts = ceph_parts();
    for (algorithm, kind, value) in [
        (Algorithm::Crc64Nvme, ChecksumType::FullObject, "i+6LR0y3eFo="),
        (Algorithm::Crc32, ChecksumType::FullObject, "WgDhBQ=="),
        (Algorithm::Crc32c, ChecksumType::FullObject, "xU+Krw=="),
        (Algorithm::Sha1, ChecksumType::Composite, "sizjvY4eud3MrcHdZM3cQ/ol39o=-3"),
        (Algorithm::Sha256, ChecksumType::Composite, "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"),
    ] {
        let computed = upload(algorithm, kind).of_object(&sums_of(algorithm, &parts)).unwrap();
        assert_eq!((computed.value.as_str(), computed.kind), (value, kind));
    }
}

#[test]
fn an_object_of_parts_has_the_etag_that_s3_gives_it() {
    let etags: Vec<_> = ceph_parts().iter().map(|part| Sums::of([], part).etag()).collect();
    assert_eq!(etag(etags.iter().map(String::as_str)).unwrap(), "b2add96cc9702bbf4efb0ccdfc6b7747-3");
    assert_eq!(etag(["abcd"]), None);
    assert_eq!(etag(["b2add96cc9702bbf4efb0ccdfc6b7747-3"]), None);
}

#[test]
fn an_upload_without_an_algorithm_has_crc64nvme_over_the_object() {
    let chosen = UploadChecksum::choose(None, None).unwrap();
    assert_eq!((chosen.algorithm, chosen.kind), (Algorithm::Crc64Nvme, ChecksumType::FullObject));
    assert!(!chosen.named);
    assert!(UploadChecksum::choose(None, Some("COMPOSITE")).is_err());
}

#[test]
fn the_type_follows_from_the_algorithm_or_must_be_allowed_for_it() {
    let kind = |algorithm, kind| UploadChecksum::choose(Some(algorithm), kind).map(|chosen| chosen.kind);
    assert_eq!(kind("CRC32", None).unwrap(), ChecksumType::Composite);
    assert_eq!(kind("crc64nvme", None).unwrap(), ChecksumType::FullObject);
    assert_eq!(kind("CRC32C", Some("FULL_OBJECT")).unwrap(), ChecksumType::FullObject);
    let refused = kind("SHA1", Some("FULL_OBJECT")).unwrap_err();
    let message = "The FULL_OBJECT checksum type cannot be used with the sha1 checksum algorithm.";
    assert_eq!(refused.message(), Some(message));
    assert!(kind("CRC64NVME", Some("COMPOSITE")).is_err());
    assert!(kind("CRC32", Some("PARTIAL")).is_err());
    assert!(kind("MD5", None).is_err());
}

#[test]
fn a_part_has_the_algorithm_of_its_upload() {
    let composite = upload(Algorithm::Sha1, ChecksumType::Composite);
    assert!(composite.check_part(Some(Algorithm::Sha1)).is_ok());
    let refused = composite.check_part(None).unwrap_err();
    let message = "Checksum Type mismatch occurred, expected checksum Type: SHA1, actual checksum Type: null";
    assert_eq!(refused.message(), Some(message));
    assert!(composite.check_part(Some(Algorithm::Crc32)).is_err());
    assert!(upload(Algorithm::Crc32, ChecksumType::FullObject).check_part(None).is_ok());
    let unnamed = UploadChecksum::choose(None, None).unwrap();
    assert!(unnamed.check_part(Some(Algorithm::Crc32)).is_ok());
}

#[test]
fn a_completion_is_compared_with_the_object() {
    let parts = sums_of(Algorithm::Crc32, &[b"one".to_vec(), b"two".to_vec()]);
    let composite = upload(Algorithm::Crc32, ChecksumType::Composite);
    let computed = composite.of_object(&parts).unwrap();
    let bare = computed.value.strip_suffix("-2").unwrap();
    let check = |pairs: &[(&'static str, &str)]| composite.check_completion(&headers(pairs), &computed, 6);
    assert!(check(&[]).is_ok());
    assert!(
        check(&[("x-amz-checksum-crc32", &computed.value), ("x-amz-checksum-type", "COMPOSITE")]).is_ok()
    );
    assert!(check(&[("x-amz-checksum-crc32", bare), ("x-amz-mp-object-size", "6")]).is_ok());
    let refused = check(&[("x-amz-checksum-crc32", "AAAAAA==-2")]).unwrap_err();
    assert_eq!(refused.code().as_str(), "BadDigest");
    assert!(check(&[("x-amz-checksum-type", "FULL_OBJECT")]).is_err());
    for size in ["7", "-6", "six", ""] {
        assert!(check(&[("x-amz-mp-object-size", size)]).is_err(), "{size}");
    }
}

#[test]
fn a_part_value_of_the_wrong_length_is_noticed() {
    let parts = [PartSum { size: 1, value: vec![1, 2, 3] }];
    assert_eq!(upload(Algorithm::Crc32, ChecksumType::FullObject).of_object(&parts), None);
}

proptest! {
    #[test]
    fn combined_crcs_equal_the_crc_of_the_whole(parts in vec(vec(any::<u8>(), 0..2000), 1..6)) {
        for algorithm in [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme] {
            let combined = upload(algorithm, ChecksumType::FullObject).of_object(&sums_of(algorithm, &parts)).unwrap();
            let whole = Sums::of([algorithm], &parts.concat()).checksum(algorithm).unwrap();
            prop_assert_eq!(combined, whole);
        }
    }
}
