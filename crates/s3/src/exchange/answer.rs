//! The end of an exchange: ids in the headers of the answer, counts, and events.

use std::sync::Arc;

use hyper::header::{HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::{Answered, Exchange, Sent};
use crate::statistics::Class;
use crate::{error_document, guard};

const X_AMZ_REQUEST_ID: HeaderName = HeaderName::from_static("x-amz-request-id");
const X_AMZ_ID_2: HeaderName = HeaderName::from_static("x-amz-id-2");

impl Exchange {
    /// Notes the code of an error, if the response is one.
    pub(crate) fn note_code(&self, response: &Response<s3s::Body>) {
        let status = response.status();
        if (status.is_client_error() || status.is_server_error())
            && let Some(code) = error_document::code(response)
        {
            let _ = self.code.set(code);
        }
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
}
