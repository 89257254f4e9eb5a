//! The messages of errors that the library leaves without one, or words in its own way.

use hyper::StatusCode;

/// The message for a code. `given` is what the library or an operation has said.
pub(super) fn message(code: &str, given: Option<String>) -> String {
    match (fixed(code), given) {
        (Some(message), _) => message.to_owned(),
        (None, Some(given)) => given,
        (None, None) => fallback(code).to_owned(),
    }
}

/// The status of a code to which the library gives another.
pub(super) fn status(code: &str) -> Option<StatusCode> {
    match code {
        "XAmzContentSHA256Mismatch" | "BadDigest" | "InvalidDigest" | "IncompleteBody" => {
            Some(StatusCode::BAD_REQUEST)
        }
        "MissingContentLength" => Some(StatusCode::LENGTH_REQUIRED),
        "NotImplemented" => Some(StatusCode::NOT_IMPLEMENTED),
        _ => None,
    }
}

/// The message of a code that has only one.
fn fixed(code: &str) -> Option<&'static str> {
    Some(match code {
        "InvalidBucketName" => "The specified bucket is not valid.",
        "MalformedXML" => {
            "The XML you provided was not well-formed or did not validate against our published schema."
        }
        "NoSuchBucket" => "The specified bucket does not exist.",
        "NoSuchUpload" => {
            "The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or \
             completed."
        }
        "SignatureDoesNotMatch" => {
            "The request signature we calculated does not match the signature you provided. Check your key and signing method."
        }
        "XAmzContentSHA256Mismatch" => {
            "The provided 'x-amz-content-sha256' header does not match what was computed."
        }
        _ => return None,
    })
}

/// The message of a code if nobody has said more.
fn fallback(code: &str) -> &'static str {
    match code {
        "AccessDenied" => "Access Denied.",
        "BadDigest" => "The Content-MD5 you specified did not match what we received.",
        "IncompleteBody" => "The request body terminated unexpectedly",
        "InternalError" => "We encountered an internal error. Please try again.",
        "InvalidAccessKeyId" => "The AWS Access Key Id you provided does not exist in our records.",
        "InvalidDigest" => "The Content-Md5 you specified is not valid.",
        "InvalidPart" => {
            "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag \
             may not match the part's entity tag."
        }
        "InvalidRequest" => "Invalid Request.",
        "InvalidURI" => "The specified URI couldn't be parsed.",
        "KeyTooLongError" => "Your key is too long.",
        "MaxMessageLengthExceeded" => "Your request was too big.",
        "MethodNotAllowed" => "The specified method is not allowed against this resource.",
        "MissingContentLength" => "You must provide the Content-Length HTTP header.",
        "NoSuchKey" => "The specified key does not exist.",
        "NotImplemented" => "A header you provided implies functionality that is not implemented.",
        "PreconditionFailed" => "At least one of the pre-conditions you specified did not hold.",
        "RequestTimeTooSkewed" => {
            "The difference between the request time and the current time is too large."
        }
        "SlowDown" => "Please reduce your request rate.",
        _ => "The request cannot be carried out.",
    }
}
