//! Limits of a request's headers as such.

use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, DATE, HOST, HeaderMap, HeaderName, HeaderValue, IF_MATCH,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE, TRANSFER_ENCODING,
};

use super::refusal::Refusal;

/// Names the trailer of an aws-chunked body.
pub(super) const X_AMZ_TRAILER: HeaderName = HeaderName::from_static("x-amz-trailer");

/// Most bytes that the headers may have, with their separators, as at AWS.
pub(super) const HEADERS_BYTES_MAX: usize = 8 << 10;

/// The length of `: ` and of the end of the line.
const SEPARATORS_BYTES: usize = 4;

/// Headers outside `x-amz-` that a request may have once. For s3s a repeated header is often an absent one: a request with two
/// `Authorization` headers would be anonymous.
const SINGLE: [HeaderName; 13] = [
    AUTHORIZATION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    DATE,
    HOST,
    IF_MATCH,
    IF_MODIFIED_SINCE,
    IF_NONE_MATCH,
    IF_RANGE,
    IF_UNMODIFIED_SINCE,
    RANGE,
    TRANSFER_ENCODING,
    HeaderName::from_static("content-md5"),
];

/// Prefixes of the headers that S3 defines, and of those that this server adds.
const DECIDING: [&str; 2] = ["x-amz-", "x-forebay-"];

/// Whether a header is one of S3, or of this server's: it decides what a request does.
pub(super) fn decides(name: &str) -> bool {
    DECIDING.iter().any(|prefix| name.starts_with(prefix))
}

/// Prefix of the headers that are user metadata.
const META: &str = "x-amz-meta-";

/// Headers of S3 that may be repeated, because they are lists or texts that join.
fn may_repeat(name: &str) -> bool {
    name.starts_with(META) || name == "x-amz-object-attributes" || name == "x-amz-optional-object-attributes"
}

pub(super) fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    let bytes: usize =
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + SEPARATORS_BYTES).sum();
    if bytes > HEADERS_BYTES_MAX {
        return Err(Refusal::HeadersTooLarge { bytes_max: HEADERS_BYTES_MAX });
    }
    for name in headers.keys() {
        let single = SINGLE.contains(name) || (decides(name.as_str()) && !may_repeat(name.as_str()));
        if single && headers.get_all(name).iter().nth(1).is_some() {
            return Err(Refusal::RepeatedHeader { name: name.to_string() });
        }
    }
    if headers.contains_key(CONTENT_LENGTH) && headers.contains_key(TRANSFER_ENCODING) {
        return Err(Refusal::TwoLengths);
    }
    Ok(())
}

/// Joins the values of repeated `x-amz-meta-` headers with commas, as S3 does. s3s refuses them. A signature covers the joined text.
pub(super) fn join_metadata(headers: &mut HeaderMap) {
    let is_repeated = |name: &&HeaderName| {
        name.as_str().starts_with(META) && headers.get_all(*name).iter().nth(1).is_some()
    };
    let repeated: Vec<HeaderName> = headers.keys().filter(is_repeated).cloned().collect();
    for name in repeated {
        let values: Vec<&[u8]> =
            headers.get_all(&name).iter().map(|value| value.as_bytes().trim_ascii()).collect();
        if let Ok(joined) = HeaderValue::from_bytes(&values.join(&b","[..])) {
            headers.insert(name, joined);
        }
    }
}

/// The text of a header that may be there once.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Refusal> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    value.to_str().map(Some).map_err(|_| Refusal::IllegibleHeader { name: name.to_string() })
}

/// The value of a header as a number of bytes.
pub(super) fn number(headers: &HeaderMap, name: &HeaderName) -> Result<Option<u64>, Refusal> {
    let Some(text) = text(headers, name)? else { return Ok(None) };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // S3 treats a length that is no number as a missing one.
    text.parse().ok().filter(|_| digits).map(Some).ok_or(Refusal::MissingContentLength)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(headers: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        map
    }

    #[test]
    fn headers_have_at_most_8_kib_together() {
        let fill =
            |bytes: usize| map(&[("a", &"x".repeat(bytes / 2 - 5)), ("b", &"y".repeat(bytes / 2 - 5))]);
        assert_eq!(check(&fill(HEADERS_BYTES_MAX)), Ok(()));
        let refused = Err(Refusal::HeadersTooLarge { bytes_max: HEADERS_BYTES_MAX });
        assert_eq!(check(&fill(HEADERS_BYTES_MAX + 2)), refused);
    }

    #[test]
    fn a_header_that_decides_something_must_not_be_repeated() {
        for name in [
            "authorization",
            "host",
            "range",
            "content-length",
            "x-amz-date",
            "x-amz-copy-source",
            "x-amz-anything",
            "x-forebay-records",
        ] {
            let refused = Err(Refusal::RepeatedHeader { name: name.to_owned() });
            assert_eq!(check(&map(&[(name, "1"), (name, "1")])), refused);
            assert_eq!(check(&map(&[(name, "1")])), Ok(()));
        }
        for name in ["x-amz-meta-a", "x-amz-object-attributes", "accept", "cookie"] {
            assert_eq!(check(&map(&[(name, "1"), (name, "2")])), Ok(()), "{name}");
        }
        let two = map(&[("content-length", "1"), ("transfer-encoding", "chunked")]);
        assert_eq!(check(&two), Err(Refusal::TwoLengths));
    }

    #[test]
    fn repeated_metadata_is_joined_in_its_order() {
        let mut headers = map(&[("x-amz-meta-a", "2"), ("accept", "x"), ("x-amz-meta-b", "3")]);
        headers.append("x-amz-meta-a", " 1 ".parse().unwrap());
        headers.append("accept", "y".parse().unwrap());
        join_metadata(&mut headers);
        assert_eq!(headers.get_all("x-amz-meta-a").iter().collect::<Vec<_>>(), ["2,1"]);
        assert_eq!(headers.get("x-amz-meta-b").unwrap(), "3");
        assert_eq!(headers.get_all("accept").iter().count(), 2);
    }

    #[test]
    fn a_length_is_made_of_digits() {
        let length = |text| number(&map(&[("content-length", text)]), &CONTENT_LENGTH);
        assert_eq!(length("18446744073709551615"), Ok(Some(u64::MAX)));
        for text in ["", "+1", "-1", "1a", " 1", "0x1", "18446744073709551616"] {
            assert_eq!(length(text), Err(Refusal::MissingContentLength), "{text}");
        }
        assert_eq!(number(&HeaderMap::new(), &CONTENT_LENGTH), Ok(None));
        let mut illegible = HeaderMap::new();
        illegible.insert(CONTENT_LENGTH, HeaderValue::from_bytes(b"\xff").unwrap());
        let refused = Err(Refusal::IllegibleHeader { name: "content-length".to_owned() });
        assert_eq!(number(&illegible, &CONTENT_LENGTH), refused);
    }
}
