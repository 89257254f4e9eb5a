//! The `Authorization` header of Signature Version 4.

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::scope::Scope;
use super::{ALGORITHM, Place, SignatureFault, date, signed_headers};
use crate::guard::headers::text;
use crate::guard::refusal::Refusal;

const X_AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");

/// Checks the header and returns it in the one form that s3s reads as this function does.
pub(super) fn check(
    authorization: &str,
    headers: &HeaderMap,
    region: &str,
    now: i64,
) -> Result<HeaderValue, Refusal> {
    let components = Components::parse(authorization)?;
    let scope = Scope::parse(components.credential, region, Place::Header)?;

    let date = text(headers, &X_AMZ_DATE)?.ok_or(Refusal::MissingDate)?;
    let signed_at = date::parse(date).ok_or(Refusal::MissingDate)?;
    if now.abs_diff(signed_at) > date::SKEW_SECONDS_MAX.unsigned_abs() {
        let (request, server) = (date.to_owned(), date::written(now));
        let skew_seconds_max = date::SKEW_SECONDS_MAX;
        return Err(Refusal::RequestTimeTooSkewed { request, server, skew_seconds_max });
    }
    scope.check_day(date, Place::Header)?;
    signed_headers::check(headers, components.signed_headers)?;
    components.written(&scope, region)
}

struct Components<'a> {
    credential: &'a str,
    signed_headers: &'a str,
    signature: &'a str,
}

impl<'a> Components<'a> {
    fn parse(authorization: &'a str) -> Result<Components<'a>, Refusal> {
        let (algorithm, rest) = authorization
            .split_once(' ')
            .ok_or_else(|| Refusal::AuthorizationForm { given: authorization.to_owned() })?;
        match algorithm {
            ALGORITHM => {}
            "AWS" => return Err(Refusal::SignatureVersion2),
            _ => return Err(Refusal::AuthorizationType { given: algorithm.to_owned() }),
        }
        let refuse = |fault| Refusal::Authorization(fault);
        if rest.split(',').count() != 3 {
            return Err(refuse(SignatureFault::MissingComponents));
        }
        let (mut credential, mut signed_headers, mut signature) = (None, None, None);
        for component in rest.split(',').map(str::trim) {
            let malformed = || refuse(SignatureFault::MalformedComponent(component.to_owned()));
            let (name, value) = component.split_once('=').ok_or_else(malformed)?;
            if value.bytes().any(|byte| byte == b'=' || byte.is_ascii_whitespace()) {
                return Err(malformed());
            }
            match name {
                "Credential" => credential = Some(value),
                "SignedHeaders" => signed_headers = Some(value),
                "Signature" => signature = Some(value),
                _ => {}
            }
        }
        let missing = |name| refuse(SignatureFault::MissingComponent(name));
        Ok(Components {
            credential: credential.ok_or_else(|| missing("Credential"))?,
            signed_headers: signed_headers.ok_or_else(|| missing("SignedHeaders"))?,
            signature: signature.ok_or_else(|| missing("Signature"))?,
        })
    }

    fn written(&self, scope: &Scope<'_>, region: &str) -> Result<HeaderValue, Refusal> {
        let (access_key, date) = (scope.access_key, scope.date);
        let (signed_headers, signature) = (self.signed_headers, self.signature);
        let text = format!(
            "{ALGORITHM} Credential={access_key}/{date}/{region}/s3/aws4_request, \
             SignedHeaders={signed_headers}, Signature={signature}"
        );
        HeaderValue::try_from(text).map_err(|_| Refusal::Authorization(SignatureFault::MalformedCredential))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "20260102T030405Z";
    const CREDENTIAL: &str = "Credential=KEY/20260102/here/s3/aws4_request";
    const SIGNED: &str = "SignedHeaders=host;x-amz-date";

    fn checked_at(authorization: &str, date: Option<&str>) -> Result<HeaderValue, Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("h"));
        if let Some(date) = date {
            headers.insert("x-amz-date", date.parse().unwrap());
        }
        check(authorization, &headers, "here", date::parse(NOW).unwrap())
    }

    fn checked(authorization: &str) -> Result<HeaderValue, Refusal> {
        checked_at(authorization, Some(NOW))
    }

    #[test]
    fn a_sound_header_is_written_in_one_form() {
        let form = format!("{ALGORITHM} {CREDENTIAL}, {SIGNED}, Signature=aa");
        for given in [
            form.clone(),
            format!("{ALGORITHM} {CREDENTIAL},{SIGNED},Signature=aa"),
            format!("{ALGORITHM}   Signature=aa ,{SIGNED},  {CREDENTIAL} "),
        ] {
            assert_eq!(checked(&given).unwrap(), form, "{given}");
        }
    }

    #[test]
    fn another_kind_of_authorization_is_refused() {
        assert_eq!(checked("AWS KEY:c2ln"), Err(Refusal::SignatureVersion2));
        for given in ["", "AWS4-HMAC-SHA256", "Bearer"] {
            assert_eq!(checked(given), Err(Refusal::AuthorizationForm { given: given.to_owned() }));
        }
        for given in ["Bearer", "Basic", "aws4-hmac-sha256", "AWS4-ECDSA-P256-SHA256", "AWS4-HMAC-SHA512"] {
            let refused = Err(Refusal::AuthorizationType { given: given.to_owned() });
            assert_eq!(checked(&format!("{given} {CREDENTIAL}, {SIGNED}, Signature=aa")), refused);
        }
    }

    #[test]
    fn all_three_components_must_be_there_once() {
        use SignatureFault::*;
        for (rest, fault) in [
            (format!("{CREDENTIAL}, {SIGNED}"), MissingComponents),
            (format!("{CREDENTIAL}, {SIGNED}, Signature=aa, Signature=bb"), MissingComponents),
            (format!("{CREDENTIAL}, {SIGNED}, Signature-aa"), MalformedComponent("Signature-aa".to_owned())),
            (
                format!("{CREDENTIAL}, {SIGNED}, Signature=a b"),
                MalformedComponent("Signature=a b".to_owned()),
            ),
            (format!("Credentials=a, {SIGNED}, Signature=aa"), MissingComponent("Credential")),
            (format!("{CREDENTIAL}, {SIGNED}, {SIGNED}"), MissingComponent("Signature")),
            (format!("{CREDENTIAL}, {CREDENTIAL}, Signature=aa"), MissingComponent("SignedHeaders")),
        ] {
            let refused = Err(Refusal::Authorization(fault));
            assert_eq!(checked(&format!("{ALGORITHM} {rest}")), refused, "{rest}");
        }
    }

    #[test]
    fn the_date_must_be_there_and_be_near() {
        let sound = format!("{ALGORITHM} {CREDENTIAL}, {SIGNED}, Signature=aa");
        assert_eq!(checked_at(&sound, None), Err(Refusal::MissingDate));
        assert_eq!(checked_at(&sound, Some("Fri, 02 Jan 2026 03:04:05 GMT")), Err(Refusal::MissingDate));
        for near in ["20260102T024905Z", "20260102T031905Z"] {
            assert!(checked_at(&sound, Some(near)).is_ok(), "{near}");
        }
        for far in ["20260102T024904Z", "20260102T031906Z", "00010101T000000Z", "99991231T235959Z"] {
            let refused = Refusal::RequestTimeTooSkewed {
                request: far.to_owned(),
                server: "2026-01-02T03:04:05Z".to_owned(),
                skew_seconds_max: 900,
            };
            assert_eq!(checked_at(&sound, Some(far)), Err(refused));
        }
        let yesterday = sound.replace("20260102", "20260101");
        assert!(matches!(
            checked(&yesterday),
            Err(Refusal::Authorization(SignatureFault::CredentialDateDiffers { .. }))
        ));
    }
}
