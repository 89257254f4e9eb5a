//! The query parameters of a URL that is presigned with Signature Version 4.

use hyper::header::HeaderMap;

use super::scope::Scope;
use super::{ALGORITHM, Place, SignatureFault, date, signed_headers};
use crate::guard::query::Query;
use crate::guard::refusal::Refusal;

/// Longest lifetime: seven days.
const LIFETIME_SECONDS_MAX: i64 = 604_800;

/// The parameters that only a presigned URL has. One of them is enough to say that the URL means to be presigned.
const PARAMETERS: [&str; 5] =
    ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Expires"];

/// Whether the request means to be authorized by its query.
pub(super) fn is_meant(query: &Query) -> bool {
    PARAMETERS.iter().any(|name| query.has(name))
}

pub(super) fn check(query: &Query, headers: &HeaderMap, region: &str, now: i64) -> Result<(), Refusal> {
    let refuse = |fault| Err(Refusal::Presigned(fault));
    let needed = |name| query.only(name).ok_or(Refusal::Presigned(SignatureFault::MissingComponents));

    match needed("X-Amz-Algorithm")? {
        ALGORITHM => {}
        "AWS4-ECDSA-P256-SHA256" => return refuse(SignatureFault::Ecdsa),
        _ => return refuse(SignatureFault::Algorithm),
    }
    if query.has("X-Amz-Security-Token") {
        return refuse(SignatureFault::SecurityToken);
    }
    let scope = Scope::parse(needed("X-Amz-Credential")?, region, Place::Query)?;
    let date = needed("X-Amz-Date")?;
    let Some(signed_at) = date::parse(date) else { return refuse(SignatureFault::Date) };
    scope.check_day(date, Place::Query)?;
    needed("X-Amz-Signature")?;
    let listed = needed("X-Amz-SignedHeaders")?;
    let lifetime = lifetime(needed("X-Amz-Expires")?)?;

    if signed_at.saturating_sub(now) > date::SKEW_SECONDS_MAX {
        return Err(Refusal::NotYetValid);
    }
    let expires_at = signed_at + lifetime;
    if expires_at < now {
        let (expires, server) = (date::written(expires_at), date::written(now));
        return Err(Refusal::Expired { lifetime_seconds: lifetime, expires, server });
    }
    signed_headers::check(headers, listed)
}

fn lifetime(text: &str) -> Result<i64, Refusal> {
    let refuse = |fault| Err(Refusal::Presigned(fault));
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse(SignatureFault::LifetimeNotNumber);
    }
    match digits.parse() {
        _ if negative => refuse(SignatureFault::LifetimeTooShort),
        Ok(0) => refuse(SignatureFault::LifetimeTooShort),
        Ok(seconds @ 1..=LIFETIME_SECONDS_MAX) => Ok(seconds),
        // Also a number that is too large to be one.
        _ => refuse(SignatureFault::LifetimeTooLong),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    const NOW: &str = "20260102T030405Z";
    const SOUND: [(&str, &str); 6] = [
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", "KEY%2F20260102%2Fhere%2Fs3%2Faws4_request"),
        ("X-Amz-Date", NOW),
        ("X-Amz-Expires", "60"),
        ("X-Amz-SignedHeaders", "host"),
        ("X-Amz-Signature", "aa"),
    ];

    /// The sound parameters, with some replaced; those replaced by nothing are left out.
    fn checked(changes: &[(&str, Option<&str>)], header: Option<&'static str>) -> Result<(), Refusal> {
        let mut query = String::new();
        for (name, value) in SOUND {
            let change = changes.iter().find(|(changed, _)| *changed == name);
            if let Some(value) = change.map_or(Some(value), |(_, value)| *value) {
                query.push_str(&format!("&{name}={value}"));
            }
        }
        for (name, value) in changes {
            if let Some(value) = value.filter(|_| SOUND.iter().all(|(sound, _)| sound != name)) {
                query.push_str(&format!("&{name}={value}"));
            }
        }
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("h"));
        if let Some(name) = header {
            headers.insert(name, HeaderValue::from_static("value"));
        }
        let query = Query::parse(&query).unwrap();
        assert!(is_meant(&query));
        check(&query, &headers, "here", date::parse(NOW).unwrap())
    }

    fn with(name: &str, value: &str) -> Result<(), Refusal> {
        checked(&[(name, Some(value))], None)
    }

    #[test]
    fn a_sound_url_is_admitted_and_each_parameter_is_needed_once() {
        assert_eq!(checked(&[], None), Ok(()));
        for (name, _) in SOUND {
            let refused = Err(Refusal::Presigned(SignatureFault::MissingComponents));
            assert_eq!(checked(&[(name, None)], None), refused, "{name}");
            assert_eq!(with(name, ""), refused, "{name}");
            assert_eq!(with(name, &format!("a&{name}=a")), refused, "{name}");
        }
        assert!(!is_meant(&Query::parse("X-Amz-Date=1&x-amz-signature=1").unwrap()));
    }

    #[test]
    fn a_lifetime_is_a_second_to_a_week() {
        use SignatureFault::*;
        for lifetime in ["1", "604800", "0000001"] {
            assert_eq!(with("X-Amz-Expires", lifetime), Ok(()), "{lifetime}");
        }
        for (lifetime, fault) in [
            ("0", LifetimeTooShort),
            ("-1", LifetimeTooShort),
            ("604801", LifetimeTooLong),
            ("99999999999999999999", LifetimeTooLong),
            ("1h", LifetimeNotNumber),
            ("-", LifetimeNotNumber),
            ("%2B1", LifetimeNotNumber),
            ("1.5", LifetimeNotNumber),
        ] {
            assert_eq!(with("X-Amz-Expires", lifetime), Err(Refusal::Presigned(fault)), "{lifetime}");
        }
    }

    #[test]
    fn the_algorithm_date_and_scope_are_checked() {
        use SignatureFault::*;
        let region = Region { given: "there".to_owned(), expected: "here".to_owned() };
        let differs =
            CredentialDateDiffers { credential: "20260102".to_owned(), request: "20260101".to_owned() };
        for (name, value, fault) in [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA512", Algorithm),
            ("X-Amz-Algorithm", "AWS4-ECDSA-P256-SHA256", Ecdsa),
            ("X-Amz-Credential", "KEY/20260102/there/s3/aws4_request", region),
            ("X-Amz-Credential", "KEY/20260102/here/sts/aws4_request", Service("sts".to_owned())),
            ("X-Amz-Date", "20260102", Date),
            ("X-Amz-Date", "20260101T235959Z", differs),
            ("X-Amz-Security-Token", "a", SecurityToken),
        ] {
            assert_eq!(with(name, value), Err(Refusal::Presigned(fault)), "{name}={value}");
        }
    }

    #[test]
    fn a_url_is_valid_from_its_date_to_its_end() {
        let at =
            |date, lifetime| checked(&[("X-Amz-Date", Some(date)), ("X-Amz-Expires", Some(lifetime))], None);
        assert_eq!(at("20260102T031905Z", "60"), Ok(()));
        assert_eq!(at("20260102T031906Z", "60"), Err(Refusal::NotYetValid));
        assert_eq!(at("20260102T030305Z", "60"), Ok(()));
        let expired = Refusal::Expired {
            lifetime_seconds: 60,
            expires: "2026-01-02T03:04:04Z".to_owned(),
            server: "2026-01-02T03:04:05Z".to_owned(),
        };
        assert_eq!(at("20260102T030304Z", "60"), Err(expired));
    }

    #[test]
    fn a_header_that_the_url_does_not_sign_is_refused() {
        let refused = Err(Refusal::HeadersNotSigned { names: vec!["x-amz-copy-source".to_owned()] });
        assert_eq!(checked(&[], Some("x-amz-copy-source")), refused);
        let listed = [("X-Amz-SignedHeaders", Some("host%3Bx-amz-copy-source"))];
        assert_eq!(checked(&listed, Some("x-amz-copy-source")), Ok(()));
        assert_eq!(checked(&[], Some("x-amz-content-sha256")), Ok(()));
    }
}
