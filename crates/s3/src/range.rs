//! Ranges of bytes: the Range header, `partNumber`, and the range of a copy's source.

use std::ops::Range;

use hyper::header::{CONTENT_RANGE, HeaderMap, HeaderValue};
use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::error_document::Detailed;
use crate::errors::{invalid_argument, invalid_request, with_code};
use crate::facts::{PartRecord, part_bytes};

/// The most parts of an object, and the greatest number of a part.
pub const PART_NUMBER_MAX: u32 = 10_000;

/// A range that no byte of the object lies in: 416.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRange {
    /// The header, for RangeRequested.
    pub requested: String,
    /// The size of the object, for ActualObjectSize.
    pub actual_object_size: u64,
}

/// A range as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Requested {
    From(u64),
    Between(u64, u64),
    Suffix(u64),
}

/// Returns the bytes that a Range header selects, or `None` for the whole object, to be answered with 200.
///
/// Like S3, this ignores what it does not understand: other units, several ranges, malformed ranges, and ranges that end
/// before they begin.
pub fn resolve(header: &str, size: u64) -> Result<Option<Range<u64>>, InvalidRange> {
    let Some(requested) = parse(header) else { return Ok(None) };
    let invalid = || InvalidRange { requested: header.to_owned(), actual_object_size: size };
    match requested {
        Requested::Between(first, last) if first > last => Ok(None),
        Requested::Between(first, _) | Requested::From(first) if first >= size => Err(invalid()),
        Requested::Between(first, last) => Ok(Some(first..last.saturating_add(1).min(size))),
        Requested::From(first) => Ok(Some(first..size)),
        Requested::Suffix(0) => Err(invalid()),
        Requested::Suffix(_) if size == 0 => Ok(None),
        Requested::Suffix(length) => Ok(Some(size.saturating_sub(length)..size)),
    }
}

/// Refuses a number that no part can have.
pub fn check_part_number(number: i32) -> S3Result {
    let legal = u32::try_from(number).is_ok_and(|number| (1..=PART_NUMBER_MAX).contains(&number));
    if legal {
        return Ok(());
    }
    let message = "Part number must be an integer between 1 and 10000, inclusive.";
    Err(invalid_argument(message).argument("partNumber", number))
}

/// Returns the bytes of a part, for GET and HEAD with `partNumber`. `None` means the whole of an empty object. An object
/// that was not uploaded in parts has one.
pub fn resolve_part(number: i32, parts: Option<&[PartRecord]>, size: u64) -> S3Result<Option<Range<u64>>> {
    check_part_number(number)?;
    let number = number.unsigned_abs();
    let range = match parts {
        Some(list) => part_bytes(list, number),
        None => (number == 1).then_some(0..size),
    };
    let range = range.filter(|range| range.end <= size).ok_or_else(|| {
        let message = "The requested partnumber is not satisfiable.";
        with_code("InvalidPartNumber", hyper::StatusCode::RANGE_NOT_SATISFIABLE, message)
            .with("ActualPartCount", parts.map_or(1, <[PartRecord]>::len))
            .with("PartNumberRequested", number)
    })?;
    Ok((!range.is_empty()).then_some(range))
}

/// Refuses a request that names both a range and a part.
pub fn check_not_both(range: bool, part_number: bool) -> S3Result {
    if range && part_number {
        return Err(invalid_request("Cannot specify both Range header and partNumber query parameter"));
    }
    Ok(())
}

/// Returns the bytes that x-amz-copy-source-range selects. Unlike Range it must be well-formed and lie within the object.
pub fn resolve_copy_source(header: &str, size: u64) -> S3Result<Range<u64>> {
    let Some(Requested::Between(first, last)) = parse(header).filter(|requested| requested.is_in_order())
    else {
        return Err(invalid_argument(
            "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the \
             zero-based offsets of the first and last bytes to copy",
        ));
    };
    if last >= size {
        let message = format!("Range specified is not valid for source object of size: {size}");
        return Err(invalid_argument(message));
    }
    Ok(first..last.saturating_add(1))
}

/// Returns the Content-Range of a 206. The range must not be empty.
pub fn content_range(range: &Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1))
}

/// Checks, for any input, what must hold for each range: it is not empty and lies within the object.
pub fn fuzz_ranges(bytes: &[u8]) {
    let (head, header) = bytes.split_first_chunk::<8>().unwrap_or((&[0; 8], bytes));
    let size = u64::from_le_bytes(*head);
    let header = String::from_utf8_lossy(header);
    for size in [0, 1, size % 1000, size] {
        if let Ok(Some(range)) = resolve(&header, size) {
            assert!(range.start < range.end && range.end <= size, "{header}: {range:?} of {size}");
        }
        if let Ok(range) = resolve_copy_source(&header, size) {
            assert!(range.start < range.end && range.end <= size, "{header}: {range:?} of {size}");
        }
    }
}

impl From<InvalidRange> for S3Error {
    fn from(range: InvalidRange) -> S3Error {
        let mut error =
            S3Error::with_message(S3ErrorCode::InvalidRange, "The requested range is not satisfiable");
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::try_from(format!("bytes */{}", range.actual_object_size)) {
            headers.insert(CONTENT_RANGE, value);
        }
        error.set_headers(headers);
        error
    }
}

impl Requested {
    fn is_in_order(self) -> bool {
        !matches!(self, Requested::Between(first, last) if first > last)
    }
}

fn parse(header: &str) -> Option<Requested> {
    let (first, last) = header.trim().strip_prefix("bytes=")?.split_once('-')?;
    match (first, last) {
        ("", last) => number(last).map(Requested::Suffix),
        (first, "") => number(first).map(Requested::From),
        (first, last) => Some(Requested::Between(number(first)?, number(last)?)),
    }
}

/// Parses digits. A number too great for any object counts as the greatest.
fn number(digits: &str) -> Option<u64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn a_single_range_selects_bytes() {
        for (header, range) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-5", 2..6),
            ("bytes=2-", 2..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=5-99999999999999999999999", 5..10),
            ("bytes=0-18446744073709551615", 0..10),
        ] {
            assert_eq!(resolve(header, 10), Ok(Some(range)), "{header}");
        }
    }

    #[test]
    fn what_is_not_understood_selects_the_whole_object() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=1",
            "bytes=5-2",
            "bytes=0-1,4-5",
            "bytes=--1",
            "bytes=1-2-3",
            "items=0-1",
            "bytes=+1-2",
            "bytes= 1-2",
            "bytes=1 - 2",
        ] {
            assert_eq!(resolve(header, 10), Ok(None), "{header}");
        }
        assert_eq!(resolve("bytes=-5", 0), Ok(None));
    }

    #[test]
    fn a_range_outside_the_object_is_refused_with_its_size() {
        for (header, size) in
            [("bytes=10-", 10), ("bytes=10-12", 10), ("bytes=-0", 10), ("bytes=0-", 0), ("bytes=0-0", 0)]
        {
            let refused = resolve(header, size).unwrap_err();
            assert_eq!(refused, InvalidRange { requested: header.to_owned(), actual_object_size: size });
            let error = S3Error::from(refused);
            assert_eq!(error.status_code().unwrap(), 416);
            assert_eq!(error.headers().unwrap().get("content-range").unwrap(), &format!("bytes */{size}"));
        }
    }

    #[test]
    fn content_range_names_the_last_byte() {
        assert_eq!(content_range(&(2..6), 10), "bytes 2-5/10");
    }

    #[test]
    fn a_part_selects_its_bytes() {
        let part = |number, size| PartRecord { number, size, checksum: None };
        let list = [part(1, 6), part(2, 4)];
        assert_eq!(resolve_part(2, Some(&list), 10).unwrap(), Some(6..10));
        assert_eq!(resolve_part(3, Some(&list), 10).unwrap_err().status_code().unwrap(), 416);
        assert!(resolve_part(2, Some(&list), 9).is_err());
        assert_eq!(resolve_part(1, None, 10).unwrap(), Some(0..10));
        assert_eq!(resolve_part(1, None, 0).unwrap(), None);
        assert!(resolve_part(2, None, 10).is_err());
        for number in [0, -1, 10_001] {
            assert_eq!(*resolve_part(number, None, 10).unwrap_err().code(), S3ErrorCode::InvalidArgument);
        }
        assert!(check_not_both(true, true).is_err());
        assert!(check_not_both(true, false).is_ok());
    }

    #[test]
    fn the_range_of_a_copy_must_lie_within_its_source() {
        assert_eq!(resolve_copy_source("bytes=0-9", 10).unwrap(), 0..10);
        for header in ["bytes=0-10", "bytes=0-", "bytes=-1", "bytes=5-4", "0-1", "", "bytes=0-1,3-4"] {
            assert!(resolve_copy_source(header, 10).is_err(), "{header}");
        }
    }

    proptest! {
        #[test]
        fn ranges_lie_within_the_object(size in any::<u64>(), header in "bytes=[0-9]{0,20}-[0-9]{0,20}") {
            fuzz_ranges(&[&size.to_le_bytes(), header.as_bytes()].concat());
        }

        #[test]
        fn no_header_panics(bytes in vec(any::<u8>(), 0..40)) {
            fuzz_ranges(&bytes);
        }
    }
}
