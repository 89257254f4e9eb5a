//! The rule for the list of signed headers.
//!
//! s3s checks the signature of the headers that the client lists, and obeys all others too. Without this rule the holder of a presigned
//! URL could turn an upload into a copy with one more header. s3s also skips a listed header that is absent or not UTF-8, so the list
//! could be extended by such a header without changing the signature. And s3s copies a header as often as it is listed, so a few KiB
//! could become many MiB.

use std::collections::HashSet;
use std::str;

use hyper::header::HeaderMap;

use crate::guard::headers::decides;
use crate::guard::refusal::Refusal;

/// The one header of S3 that need not be signed: the canonical request contains its value in another place.
const EXCEPTED: &str = "x-amz-content-sha256";

/// Refuses a request that has headers which the list must name, or whose list names headers which are not there. The names are
/// compared as they are, because s3s finds no header by a name in capitals.
pub(super) fn check(headers: &HeaderMap, listed: &str) -> Result<(), Refusal> {
    let names: HashSet<&str> = listed.split(';').collect();
    let mut unsigned: Vec<String> = headers
        .keys()
        .map(|name| name.as_str())
        .filter(|name| decides(name) && *name != EXCEPTED && !names.contains(name))
        .map(str::to_owned)
        .collect();
    if !names.contains("host") {
        unsigned.push("host".to_owned());
    }
    if !unsigned.is_empty() {
        unsigned.sort_unstable();
        return Err(Refusal::HeadersNotSigned { names: unsigned });
    }
    let mut unseen = names;
    for name in listed.split(';') {
        let mut values = headers.get_all(name).iter().peekable();
        let covered = values.peek().is_some() && values.all(|value| str::from_utf8(value.as_bytes()).is_ok());
        // The map finds headers by names in capitals, and s3s does not.
        let is_found = covered && !name.bytes().any(|byte| byte.is_ascii_uppercase());
        if !is_found || !unseen.remove(name) {
            return Err(Refusal::InvalidSignedHeader { name: name.to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    fn checked(names: &[&'static str], listed: &str) -> Result<(), Refusal> {
        let pairs =
            names.iter().map(|name| (HeaderName::from_static(name), HeaderValue::from_static("value")));
        check(&pairs.collect(), listed)
    }

    #[test]
    fn every_header_of_s3_must_be_signed_but_one() {
        let have = ["host", "x-amz-date", "x-amz-content-sha256", "x-amzn-trace-id", "range", "x-other"];
        assert_eq!(checked(&have, "host;x-amz-date"), Ok(()));
        assert_eq!(checked(&have, "host;range;x-amz-content-sha256;x-amz-date"), Ok(()));
        let refused = |names: &[&str]| {
            Err(Refusal::HeadersNotSigned { names: names.iter().map(|&name| name.to_owned()).collect() })
        };
        assert_eq!(checked(&have, "host"), refused(&["x-amz-date"]));
        assert_eq!(checked(&have, "x-amz-date"), refused(&["host"]));
        assert_eq!(checked(&have, ""), refused(&["host", "x-amz-date"]));
        assert_eq!(checked(&have, "host;X-Amz-Date"), refused(&["x-amz-date"]));
        let copy = ["host", "x-forebay-records", "x-amz-copy-source"];
        assert_eq!(checked(&copy, "host"), refused(&["x-amz-copy-source", "x-forebay-records"]));
    }

    #[test]
    fn a_listed_header_must_be_there_once_and_be_text() {
        let invalid = |name: &str| Err(Refusal::InvalidSignedHeader { name: name.to_owned() });
        assert_eq!(checked(&["host"], "host;x-amz-acl"), invalid("x-amz-acl"));
        assert_eq!(checked(&["host"], "host;"), invalid(""));
        assert_eq!(checked(&["host"], "host;host"), invalid("host"));
        assert_eq!(checked(&["host", "range"], "Range;host"), invalid("Range"));
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("h"));
        headers.insert("x-amz-acl", HeaderValue::from_bytes(b"public\xff").unwrap());
        assert_eq!(check(&headers, "host;x-amz-acl"), invalid("x-amz-acl"));
    }
}
