//! Error documents as AWS writes them.
//!
//! The library writes only the code and the message of an error, and often no message. Clients and people look for more: the name of
//! the bucket, the key, the argument that is wrong, the request id. [`complete`] writes the document of every error anew, with what
//! the request says and with the details that an operation has added by [`Detailed`].

mod asked;
mod detail;
mod library;
mod wording;
mod xml;

use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use s3s::S3Error;

pub use asked::Asked;
pub use detail::Detailed;
pub(crate) use xml::push_element;

/// Writes the document of an error anew. Other answers stay as they are.
pub fn complete(response: Response<s3s::Body>, asked: &Asked, request_id: &str) -> Response<s3s::Body> {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = body.bytes().and_then(|bytes| String::from_utf8(bytes.into()).ok()).unwrap_or_default();
    let code = xml::element(&text, "Code").unwrap_or_else(|| default_code(status).to_owned());
    let mut details = xml::details(&text);
    let given = xml::element(&text, "Message");
    let message = match given.as_deref().and_then(library::reworded) {
        Some((message, name, value)) => {
            details.push(("ArgumentName".to_owned(), name));
            details.push(("ArgumentValue".to_owned(), value));
            message
        }
        None => wording::message(&code, given),
    };
    details.extend(detail::take(&mut head.headers));
    for (name, value) in asked.details(&code, status) {
        if details.iter().all(|(have, _)| have != name) {
            details.push((name.to_owned(), value));
        }
    }
    let mut document = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>");
    push_element(&mut document, "Code", &code);
    push_element(&mut document, "Message", &message);
    for (name, value) in details {
        push_element(&mut document, &name, &value);
    }
    push_element(&mut document, "Resource", asked.path());
    push_element(&mut document, "RequestId", request_id);
    push_element(&mut document, "HostId", request_id);
    document.push_str("</Error>");
    head.status = wording::status(&code).unwrap_or(status);
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
    Response::from_parts(head, s3s::Body::from(document))
}

/// The code in the document of an error.
pub fn code(response: &Response<s3s::Body>) -> Option<String> {
    let bytes = response.body().bytes()?;
    xml::element(str::from_utf8(&bytes).ok()?, "Code")
}

/// An error of ours, as the library writes it.
pub fn written(error: S3Error) -> Response<s3s::Body> {
    error.to_http_response().unwrap_or_else(|_| {
        let mut response = Response::new(s3s::Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// The code of an error whose answer has no document.
fn default_code(status: StatusCode) -> &'static str {
    if status.is_server_error() { "InternalError" } else { "InvalidRequest" }
}

#[cfg(test)]
mod tests;
