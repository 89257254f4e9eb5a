//! Errors that the library has no name for.

use hyper::StatusCode;
use s3s::{S3Error, S3ErrorCode};

/// Returns an error with a code that `s3s` does not list. Without a status of its own such an error would be
/// answered as 500.
pub fn with_code(code: &'static str, status: StatusCode, message: impl Into<String>) -> S3Error {
    let mut error = S3Error::with_message(S3ErrorCode::Custom(code.into()), message.into());
    error.set_status_code(status);
    error
}

/// Returns a 400 with a code that `s3s` does not list.
pub fn bad_request(code: &'static str, message: impl Into<String>) -> S3Error {
    with_code(code, StatusCode::BAD_REQUEST, message)
}

/// Returns the error for a document that does not follow the schema.
pub fn malformed_xml() -> S3Error {
    let message =
        "The XML you provided was not well-formed or did not validate against our published schema.";
    S3Error::with_message(S3ErrorCode::MalformedXML, message)
}

/// Returns the error for a condition that does not hold.
pub fn precondition_failed() -> S3Error {
    let message = "At least one of the pre-conditions you specified did not hold.";
    S3Error::with_message(S3ErrorCode::PreconditionFailed, message)
}

/// Returns the error for a part of the protocol that this server does not offer.
pub fn not_implemented(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::NotImplemented, message)
}

/// Returns an InvalidArgument error.
pub fn invalid_argument(message: impl Into<String>) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidArgument, message.into())
}

/// Returns an InvalidRequest error.
pub fn invalid_request(message: impl Into<String>) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidRequest, message.into())
}

/// Returns the error for a version whose retention or legal hold forbids a change.
pub fn object_locked() -> S3Error {
    S3Error::with_message(S3ErrorCode::AccessDenied, "Access Denied because object protected by object lock.")
}
