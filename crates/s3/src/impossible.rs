//! Requests that no operation of S3 has. The library would take them for the operation on the bucket or the object itself, or would
//! refuse them in other words.

use hyper::{HeaderMap, Method, StatusCode};
use s3s::{S3Error, S3Result};

use crate::error_document::{Asked, Detailed};
use crate::errors::{invalid_argument, invalid_request, with_code};

/// Refuses a request that has a subresource or a header for which its method or its resource has no operation.
pub fn check(asked: &Asked, headers: &HeaderMap) -> S3Result {
    let has = |name: &str| asked.has_parameter(name);
    let (is_object, is_put) = (asked.key().is_some(), *asked.method() == Method::PUT);
    if let Some(source) = headers.get("x-amz-copy-source").filter(|_| !is_put) {
        let message = "You can only specify a copy source header for copy requests.";
        let source = String::from_utf8_lossy(source.as_bytes());
        return Err(invalid_argument(message).argument("x-amz-copy-source", source));
    }
    match *asked.method() {
        Method::GET if is_object && has("uploads") => {
            Err(invalid_request("Key is not expected for the GET method ?uploads subresource"))
        }
        Method::GET if is_object && has("versions") => {
            Err(invalid_request("There is no such thing as the ?versions sub-resource for a key"))
        }
        Method::PUT if is_object && has("partNumber") && !has("uploadId") => {
            let message = "This operation does not accept partNumber without uploadId";
            Err(invalid_argument(message)
                .argument("partNumber", asked.parameter("partNumber").unwrap_or_default()))
        }
        Method::PUT if is_object && has("uploadId") && !has("partNumber") => {
            Err(not_allowed().with("ResourceType", "UPLOAD"))
        }
        Method::POST if asked.bucket().is_none() => Err(not_allowed()),
        Method::POST if is_object && asked.has_no_subresource() => Err(not_allowed()),
        _ => Ok(()),
    }
}

fn not_allowed() -> S3Error {
    let message = "The specified method is not allowed against this resource.";
    with_code("MethodNotAllowed", StatusCode::METHOD_NOT_ALLOWED, message)
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn code(method: &str, uri: &str) -> Option<String> {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let refused = check(&Asked::of(&request, &[]), request.headers()).err()?;
        Some(refused.code().as_str().to_owned())
    }

    #[test]
    fn subresources_that_a_method_does_not_have_are_refused() {
        for (method, uri, expected) in [
            ("GET", "/b/k?uploads", "InvalidRequest"),
            ("GET", "/b/k?versions", "InvalidRequest"),
            ("PUT", "/b/k?partNumber=1", "InvalidArgument"),
            ("PUT", "/b/k?uploadId=1", "MethodNotAllowed"),
            ("POST", "/", "MethodNotAllowed"),
            ("POST", "/b/k", "MethodNotAllowed"),
        ] {
            assert_eq!(code(method, uri).as_deref(), Some(expected), "{method} {uri}");
        }
        for (method, uri) in [
            ("GET", "/b?uploads"),
            ("GET", "/b?versions"),
            ("GET", "/b/k?partNumber=1"),
            ("PUT", "/b/k?partNumber=1&uploadId=2"),
            ("POST", "/b?delete"),
            ("POST", "/b/k?uploads"),
            ("POST", "/b/k?select&select-type=2"),
        ] {
            assert_eq!(code(method, uri), None, "{method} {uri}");
        }
    }

    #[test]
    fn only_a_put_copies() {
        let request = Request::get("/b/k").header("x-amz-copy-source", "b/other").body(()).unwrap();
        let refused = check(&Asked::of(&request, &[]), request.headers()).unwrap_err();
        assert_eq!(refused.code().as_str(), "InvalidArgument");
    }
}
