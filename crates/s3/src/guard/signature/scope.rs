//! The credential of a signature: access key, date, region, service and a fixed word.

use super::{Place, SignatureFault};
use crate::guard::refusal::Refusal;

/// The parts of a credential that are not fixed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scope<'c> {
    pub(super) access_key: &'c str,
    pub(super) date: &'c str,
}

impl<'c> Scope<'c> {
    pub(super) fn parse(credential: &'c str, region: &str, place: Place) -> Result<Scope<'c>, Refusal> {
        let refuse = |fault| Err(place.refusal(fault));
        let mut parts = credential.split('/');
        let mut part = || parts.next().ok_or(place.refusal(SignatureFault::MalformedCredential));
        let (access_key, date, given, service, terminal) = (part()?, part()?, part()?, part()?, part()?);
        if parts.next().is_some() || access_key.is_empty() {
            return refuse(SignatureFault::MalformedCredential);
        }
        if service != "s3" {
            return refuse(SignatureFault::Service(service.to_owned()));
        }
        if terminal != "aws4_request" {
            return refuse(SignatureFault::Terminal(terminal.to_owned()));
        }
        if date.len() != 8 || !date.bytes().all(|byte| byte.is_ascii_digit()) {
            return refuse(SignatureFault::CredentialDate(date.to_owned()));
        }
        if given != region {
            let (given, expected) = (given.to_owned(), region.to_owned());
            return refuse(SignatureFault::Region { given, expected });
        }
        Ok(Scope { access_key, date })
    }

    /// Refuses a scope of another day than the request's.
    pub(super) fn check_day(&self, date: &str, place: Place) -> Result<(), Refusal> {
        let day = date.get(..8).unwrap_or(date);
        if self.date == day {
            return Ok(());
        }
        let (credential, request) = (self.date.to_owned(), day.to_owned());
        Err(place.refusal(SignatureFault::CredentialDateDiffers { credential, request }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_has_five_parts_and_is_for_this_server() {
        use SignatureFault::*;
        let parse = |credential| Scope::parse(credential, "here", Place::Header);
        let scope = parse("KEY/20260102/here/s3/aws4_request").unwrap();
        assert_eq!(scope, Scope { access_key: "KEY", date: "20260102" });
        let region = Region { given: "there".to_owned(), expected: "here".to_owned() };
        for (credential, fault) in [
            ("", MalformedCredential),
            ("KEY/20260102/here/s3", MalformedCredential),
            ("/20260102/here/s3/aws4_request", MalformedCredential),
            ("KEY/20260102/here/s3/aws4_request/", MalformedCredential),
            ("KEY/2026012/here/s3/aws4_request", CredentialDate("2026012".to_owned())),
            ("KEY/2026010a/here/s3/aws4_request", CredentialDate("2026010a".to_owned())),
            ("KEY/20260102/here/sts/aws4_request", Service("sts".to_owned())),
            ("KEY/20260102/here/s3/aws5_request", Terminal("aws5_request".to_owned())),
            ("KEY/20260102/there/s3/aws4_request", region),
        ] {
            assert_eq!(parse(credential), Err(Refusal::Authorization(fault)), "{credential}");
        }
        assert_eq!(scope.check_day("20260102T000000Z", Place::Query), Ok(()));
        let differs =
            CredentialDateDiffers { credential: "20260102".to_owned(), request: "20260103".to_owned() };
        assert_eq!(scope.check_day("20260103T000000Z", Place::Query), Err(Refusal::Presigned(differs)));
    }
}
