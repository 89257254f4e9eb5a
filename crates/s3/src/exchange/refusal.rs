//! Why a request was refused, for the counters and the audit trail.

use super::Exchange;
use crate::guard;
use crate::statistics::Refused;

/// What the gate found out about a request that it refuses.
#[derive(Clone, Debug)]
pub enum Denied {
    /// The access key cannot be used.
    AccessKey {
        /// The user that it belongs to, if it exists.
        user: Option<String>,
        /// Why.
        reason: &'static str,
    },
    /// The policies do not allow it.
    Policies {
        /// The action, such as `PutObject`.
        action: &'static str,
        /// What it was about.
        resource: String,
        /// Why.
        reason: &'static str,
    },
}

/// Codes of errors that are about a signature, other than those that say AccessDenied.
const SIGNATURE_CODES: &[&str] = &[
    "AuthorizationHeaderMalformed",
    "AuthorizationQueryParametersError",
    "InvalidAccessKeyId",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "XAmzContentSHA256Mismatch",
];

impl Exchange {
    /// The reason for which the request was refused, if it was; and a phrase that says so, which clients cannot vary.
    pub(super) fn refused(&self, by_guard: Option<&guard::Refusal>) -> Option<(Refused, &'static str)> {
        match by_guard {
            // Too much is asked at once: another class of answers.
            Some(guard::Refusal::SlowDown) => return None,
            Some(refusal) => return Some(of_guard(refusal)),
            None => {}
        }
        match self.denied.get() {
            Some(Denied::AccessKey { reason, .. }) => return Some((Refused::AccessKey, reason)),
            Some(Denied::Policies { reason, .. }) => return Some((Refused::AccessDenied, reason)),
            None => {}
        }
        let code = self.code()?;
        if let Some(code) = SIGNATURE_CODES.iter().find(|known| **known == code) {
            return Some((Refused::Signature, code));
        }
        (code == "AccessDenied")
            .then_some((Refused::AccessDenied, "object lock, or a public policy, forbids it"))
    }
}

/// The reason for a refusal of the guard.
fn of_guard(refusal: &guard::Refusal) -> (Refused, &'static str) {
    use guard::Refusal::*;
    match refusal {
        SignatureVersion2 => (Refused::Signature, "Signature Version 2"),
        AuthorizationForm { .. } | AuthorizationType { .. } | Authorization(_) => {
            (Refused::Signature, "the Authorization header is malformed")
        }
        SeveralSignatures => (Refused::Signature, "several signatures"),
        Presigned(_) => (Refused::Signature, "the presigned URL is malformed"),
        MissingDate => (Refused::Signature, "the date is missing"),
        RequestTimeTooSkewed { .. } => (Refused::Signature, "RequestTimeTooSkewed"),
        NotYetValid => (Refused::Signature, "the presigned URL is not valid yet"),
        Expired { .. } => (Refused::Signature, "the presigned URL has expired"),
        HeadersNotSigned { .. } | InvalidSignedHeader { .. } => {
            (Refused::Signature, "headers that must be signed are not")
        }
        _ => (Refused::Guard, "malformed"),
    }
}
