//! A refusal as S3 writes it: as an HTTP response, and as an error that an operation can return.

use hyper::Response;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use s3s::{S3Error, S3ErrorCode};

use super::refusal::Refusal;
use crate::error_document::push_element;

const XML: HeaderValue = HeaderValue::from_static("application/xml");

impl Refusal {
    /// The error response. [`crate::error_document::complete`] adds what the request says.
    pub fn response(&self) -> Response<s3s::Body> {
        let mut response = Response::new(s3s::Body::from(self.xml()));
        *response.status_mut() = self.status();
        response.headers_mut().insert(CONTENT_TYPE, XML);
        response
    }

    /// The error that an operation returns if the guard refuses the request only now, because of its body.
    pub fn to_s3_error(&self) -> S3Error {
        let code = S3ErrorCode::from_bytes(self.code().as_bytes()).unwrap_or(S3ErrorCode::InvalidRequest);
        let mut error = S3Error::with_message(code, self.to_string());
        error.set_status_code(self.status());
        error
    }

    fn xml(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>");
        let message = self.to_string();
        push_element(&mut xml, "Code", self.code());
        push_element(&mut xml, "Message", &message);
        for (name, value) in self.details() {
            push_element(&mut xml, name, &value);
        }
        xml.push_str("</Error>");
        xml
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use hyper::StatusCode;

    use super::*;
    use crate::guard::SignatureFault;

    #[tokio::test]
    async fn a_refusal_is_an_error_of_s3() {
        let fault = SignatureFault::Region { given: "<there>".to_owned(), expected: "here".to_owned() };
        let response = Refusal::Authorization(fault).response();
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert_eq!(response.headers()["content-type"], "application/xml");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(
            body,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AuthorizationHeaderMalformed</Code>\
             <Message>The authorization header is malformed; the region \"&lt;there&gt;\" is wrong; expecting \"here\"\
             </Message><Region>here</Region></Error>"
        );
    }

    #[test]
    fn an_operation_returns_the_same_code_and_status() {
        let error = Refusal::ChunkTooSmall { chunk: 2, bytes: 100 }.to_s3_error();
        assert_eq!(error.code().as_str(), "InvalidChunkSizeError");
        assert_eq!(error.status_code(), Some(StatusCode::BAD_REQUEST));
        assert_eq!(
            Refusal::MissingContentLength.to_s3_error().status_code(),
            Some(StatusCode::LENGTH_REQUIRED)
        );
        assert_eq!(Refusal::MissingContentLength.to_s3_error().code(), &S3ErrorCode::MissingContentLength);
    }
}
