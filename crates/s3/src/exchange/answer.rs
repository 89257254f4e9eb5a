//! What an answer gets on its way out: ids in its headers and in the body of an error.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::{Answered, Exchange, Sent};
use crate::guard;
use crate::statistics::Class;

const X_AMZ_REQUEST_ID: HeaderName = HeaderName::from_static("x-amz-request-id");
const X_AMZ_ID_2: HeaderName = HeaderName::from_static("x-amz-id-2");
const END: &[u8] = b"</Error>";

impl Exchange {
    /// Reads the code of an error, and adds the resource and the ids that its body does not have.
    pub(crate) fn complete(&self, response: Response<s3s::Body>) -> Response<s3s::Body> {
        let status = response.status();
        if !status.is_client_error() && !status.is_server_error() {
            return response;
        }
        let response = self.with_ids_in_error(response);
        if let Some(text) = response.body().bytes()
            && let Some(code) = element(&text, "Code")
        {
            let _ = self.code.set(code.to_owned());
        }
        response
    }

    /// The answer is ready: counts it, and reports what it means. `by_guard` is the reason if the guard refused the request.
    pub(crate) fn answered(
        self: &Arc<Self>,
        mut response: Response<s3s::Body>,
        by_guard: Option<&guard::Refusal>,
    ) -> Response<Sent<s3s::Body>> {
        let status = response.status();
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert(X_AMZ_ID_2, id.clone());
            response.headers_mut().insert(X_AMZ_REQUEST_ID, id);
        }
        let answered = Answered { status, took: self.began.elapsed() };
        self.count(Class::of(status), answered.took);
        if let Some(span) = self.traced.get() {
            super::trace::record_answer(span, status, self.code());
        }
        self.report(&answered, by_guard);
        let _ = self.answered.set(answered);
        response.map(|body| Sent::new(body, self.clone()))
    }

    fn report(&self, answered: &Answered, by_guard: Option<&guard::Refusal>) {
        if let Some((refused, reason)) = self.refused(by_guard) {
            self.shared.statistics.count_refused(refused);
            self.report_refused(refused, reason);
        } else if answered.status.is_success() {
            self.report_change();
        } else if answered.status == StatusCode::INTERNAL_SERVER_ERROR {
            let operation = self.operation().name();
            tracing::error!(operation, code = self.code(), "s3: a request failed because of the server");
        }
    }

    /// Adds what the library leaves out of errors: the resource and the ids.
    fn with_ids_in_error(&self, response: Response<s3s::Body>) -> Response<s3s::Body> {
        let Some(text) = response.body().bytes() else { return response };
        let Some(at) = text.windows(END.len()).rposition(|window| window == END) else { return response };
        let mut more = String::new();
        if element(&text, "Resource").is_none() {
            push(&mut more, "Resource", self.path());
        }
        if element(&text, "RequestId").is_none() {
            push(&mut more, "RequestId", &self.id);
        }
        push(&mut more, "HostId", &self.id);
        let (before, after) = text.split_at(at);
        let completed = [before, more.as_bytes(), after].concat();
        let (mut head, _) = response.into_parts();
        head.headers.remove(CONTENT_LENGTH);
        Response::from_parts(head, s3s::Body::from(Bytes::from(completed)))
    }
}

/// The text of an element of an error.
fn element<'a>(xml: &'a [u8], name: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(xml).ok()?;
    let (_, behind) = text.split_once(&format!("<{name}>"))?;
    behind.split_once("</").map(|(value, _)| value)
}

/// Appends an element. A path has only characters that XML can express.
fn push(xml: &mut String, name: &str, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    xml.extend(["<", name, ">", &escaped, "</", name, ">"]);
}
