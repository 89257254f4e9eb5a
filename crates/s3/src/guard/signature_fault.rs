//! Faults in the parameters of a signature.

use std::fmt;

/// A fault in the parameters of a signature. Displays as S3 words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureFault {
    /// The header has not three components, or the query lacks a parameter.
    MissingComponents,
    /// A component of the header is not a name and a value.
    MalformedComponent(String),
    /// The header lacks this component.
    MissingComponent(&'static str),
    /// The credential has not five parts.
    MalformedCredential,
    /// The credential's date is not eight digits.
    CredentialDate(String),
    /// The credential does not end with `aws4_request`.
    Terminal(String),
    /// The credential is for another service.
    Service(String),
    /// The credential is for another region.
    Region {
        /// The credential's region.
        given: String,
        /// The server's region.
        expected: String,
    },
    /// The credential's date is not the request's.
    CredentialDateDiffers {
        /// The credential's date.
        credential: String,
        /// The request's date.
        request: String,
    },
    /// A presigned URL names an algorithm that S3 does not have.
    Algorithm,
    /// A presigned URL is signed with ECDSA.
    Ecdsa,
    /// A presigned URL's date is malformed.
    Date,
    /// A presigned URL's lifetime is not a number.
    LifetimeNotNumber,
    /// A presigned URL's lifetime is less than a second.
    LifetimeTooShort,
    /// A presigned URL's lifetime is more than a week.
    LifetimeTooLong,
    /// A presigned URL has a session token; this server issues none.
    SecurityToken,
}

impl fmt::Display for SignatureFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SignatureFault::*;
        match self {
            MissingComponents => f.write_str(
                "the authorization header requires three components: Credential, SignedHeaders, and Signature.",
            ),
            MalformedComponent(component) => {
                write!(f, "the authorization component \"{component}\" is malformed.")
            }
            MissingComponent(name) => write!(f, "missing {name}."),
            MalformedCredential => f.write_str(
                "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".",
            ),
            CredentialDate(date) => write!(
                f,
                "incorrect date format \"{date}\". This date in the credential must be in the format \"yyyyMMdd\"."
            ),
            Terminal(terminal) => {
                write!(f, "incorrect terminal \"{terminal}\". This endpoint uses \"aws4_request\".")
            }
            Service(service) => {
                write!(f, "incorrect service \"{service}\". This endpoint belongs to \"s3\".")
            }
            Region { given, expected } => {
                write!(f, "the region \"{given}\" is wrong; expecting \"{expected}\"")
            }
            CredentialDateDiffers { credential, request } => write!(
                f,
                "Invalid credential date \"{credential}\". This date is not the same as X-Amz-Date: \"{request}\"."
            ),
            Algorithm => {
                f.write_str("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"")
            }
            Ecdsa => f.write_str("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\""),
            Date => {
                f.write_str("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
            }
            LifetimeNotNumber => f.write_str("X-Amz-Expires should be a number"),
            LifetimeTooShort => f.write_str("X-Amz-Expires must be non-negative"),
            LifetimeTooLong => f.write_str(
                "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than \
                 604800 seconds",
            ),
            SecurityToken => f.write_str("The provided token is malformed or otherwise invalid."),
        }
    }
}

impl SignatureFault {
    /// Whether the fault is in the credential, which S3 says for presigned URLs.
    pub(crate) fn is_in_credential(&self) -> bool {
        use SignatureFault::*;
        matches!(self, MalformedCredential | CredentialDate(_) | Terminal(_) | Service(_) | Region { .. })
    }
}
