//! Whole requests.

use std::time::{Duration, UNIX_EPOCH};

use http_body_util::BodyExt;
use hyper::Request;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::http::request::Builder;

use super::body::TestBody;
use super::headers::X_AMZ_TRAILER;
use super::*;

const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=K/20130524/us-east-1/s3/aws4_request,\
    SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=aa";

fn admit(request: Builder, body: &'static str) -> Result<Request<s3s::Body>, Refusal> {
    let pieces = if body.is_empty() { vec![] } else { vec![body] };
    let request = request.body(TestBody::new(pieces, false)).unwrap();
    let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
    Guard::new("us-east-1", ["s3.example.com"]).admit_at(request, now)
}

fn refusal(request: Builder) -> Refusal {
    admit(request, "").unwrap_err()
}

fn anonymous(method: &str, uri: &str) -> Builder {
    Request::builder().method(method).uri(uri).header("host", "s3.example.com")
}

fn signed(method: &str, uri: &str, sha256: &str) -> Builder {
    anonymous(method, uri)
        .header("authorization", SIGNED)
        .header("x-amz-date", "20130524T000000Z")
        .header("x-amz-content-sha256", sha256)
}

fn presigned(method: &str, more: &str) -> Builder {
    let uri = format!(
        "/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=K/20130524/us-east-1/s3/aws4_request\
         &X-Amz-Date=20130524T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=aa{more}"
    );
    anonymous(method, &uri)
}

#[tokio::test]
async fn a_sound_request_passes_with_its_body_and_its_fate() {
    let request = signed("PUT", "/b/k?x-id=PutObject", "UNSIGNED-PAYLOAD").header("content-length", "4");
    let admitted = admit(request, "body").unwrap();
    assert_eq!(admitted.headers()[AUTHORIZATION], SIGNED.replace(',', ", "));
    assert_eq!(admitted.extensions().get::<DataLength>(), Some(&DataLength(4)));
    let fate = admitted.extensions().get::<BodyFate>().unwrap().clone();
    assert_eq!(fate.get(), None);
    assert_eq!(admitted.into_body().collect().await.unwrap().to_bytes(), "body");
    assert_eq!(fate.get(), Some(&BodyEnd::Complete));
}

#[tokio::test]
async fn a_body_that_is_cut_fails_and_says_so() {
    let request = signed("PUT", "/b/k", "UNSIGNED-PAYLOAD").header("content-length", "5");
    let admitted = admit(request, "body").unwrap();
    let fate = admitted.extensions().get::<BodyFate>().unwrap().clone();
    admitted.into_body().collect().await.unwrap_err();
    assert_eq!(fate.get(), Some(&BodyEnd::Cut));
    assert_eq!(fate.get().unwrap().refusal(), Some(Refusal::IncompleteBody));
}

#[test]
fn a_request_without_a_body_is_complete_at_once() {
    for request in [anonymous("GET", "/b/k"), presigned("GET", ""), signed("HEAD", "/", "UNSIGNED-PAYLOAD")] {
        let admitted = admit(request, "").unwrap();
        assert!(admitted.body().bytes().is_some_and(|bytes| bytes.is_empty()));
        assert_eq!(admitted.extensions().get::<BodyFate>().unwrap().get(), Some(&BodyEnd::Complete));
        assert_eq!(admitted.extensions().get::<DataLength>(), None);
    }
}

#[tokio::test]
async fn chunks_are_framed_anew_and_a_trailer_is_optional() {
    let request = signed("PUT", "/b/k", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        .header("x-amz-decoded-content-length", "5")
        .header("content-length", "15");
    let refused = refusal(request);
    assert!(
        matches!(&refused, Refusal::HeadersNotSigned { names } if names == &["x-amz-decoded-content-length"])
    );

    let authorization = SIGNED.replace("x-amz-date", "x-amz-date;x-amz-decoded-content-length");
    let mut request = anonymous("PUT", "/b/k").header("authorization", authorization);
    for (name, value) in [
        ("x-amz-date", "20130524T000000Z"),
        ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        ("x-amz-decoded-content-length", "5"),
    ] {
        request = request.header(name, value);
    }
    let admitted = admit(request, "005\r\nhello\r\n0\r\n\r\n").unwrap();
    assert_eq!(admitted.headers()[X_AMZ_TRAILER], "");
    assert_eq!(admitted.extensions().get::<DataLength>(), Some(&DataLength(5)));
    let body = admitted.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "5\r\nhello\r\n0\r\n\r\n");
}

#[test]
fn other_methods_and_forms_are_refused() {
    for method in ["PATCH", "TRACE", "CONNECT", "PROPFIND", "get"] {
        let refused = refusal(anonymous(method, "/b/k"));
        assert_eq!(refused, Refusal::MethodNotAllowed { method: method.to_owned() });
        assert_eq!(refused.status(), 405);
    }
    for kind in ["multipart/form-data; boundary=a", "Multipart/Form-Data", " multipart/form-data;boundary=a"]
    {
        let form = anonymous("POST", "/b").header("content-type", kind);
        assert_eq!(refusal(form), Refusal::PostForm);
    }
    assert_eq!(Refusal::PostForm.status(), 501);
}

#[test]
fn signature_version_2_is_refused_wherever_it_is() {
    let refused = Refusal::SignatureVersion2;
    assert_eq!(refusal(anonymous("GET", "/b/k").header("authorization", "AWS K:c2ln")), refused);
    for query in ["Signature=a", "AWSAccessKeyId=K&Expires=1", "Signatur%65=a", "signature"] {
        assert_eq!(refusal(anonymous("GET", &format!("/b/k?{query}"))), refused, "{query}");
        assert_eq!(refusal(signed("GET", &format!("/b/k?{query}"), "UNSIGNED-PAYLOAD")), refused);
        assert_eq!(refusal(presigned("GET", &format!("&{query}"))), refused);
    }
    assert_eq!((refused.code(), refused.status().as_u16()), ("InvalidRequest", 400));
}

#[test]
fn a_request_has_one_signature() {
    let both = presigned("GET", "").header("authorization", SIGNED);
    assert_eq!(refusal(both), Refusal::SeveralSignatures);
    let twice = signed("GET", "/b/k", "UNSIGNED-PAYLOAD").header("authorization", SIGNED);
    assert_eq!(refusal(twice), Refusal::RepeatedHeader { name: "authorization".to_owned() });
    let illegible =
        anonymous("GET", "/").header("authorization", HeaderValue::from_bytes(b"AWS4\xff").unwrap());
    assert_eq!(refusal(illegible), Refusal::IllegibleHeader { name: "authorization".to_owned() });
}

#[test]
fn a_header_that_is_not_signed_cannot_change_a_presigned_request() {
    for name in ["x-amz-copy-source", "x-amz-acl", "x-amz-tagging", "x-amz-meta-a", "x-amz-date"] {
        let request = presigned("PUT", "").header("content-length", "0").header(name, "value");
        let refused = refusal(request);
        assert_eq!(refused, Refusal::HeadersNotSigned { names: vec![name.to_owned()] });
        assert_eq!((refused.code(), refused.status().as_u16()), ("AccessDenied", 403));
    }
    let sound = presigned("PUT", "").header("content-length", "0").header("content-type", "text/plain");
    assert!(admit(sound, "").is_ok());
}

#[test]
fn limits_of_the_head_hold() {
    let large = anonymous("GET", "/").header("a", "x".repeat(16 << 10));
    assert_eq!(refusal(large).code(), "RequestHeaderSectionTooLarge");
    assert_eq!(
        refusal(anonymous("GET", &format!("/?{}", "x".repeat((16 << 10) + 1)))),
        Refusal::QueryTooLong
    );
    assert_eq!(refusal(anonymous("GET", &format!("/b/{}", "x".repeat(1025)))).code(), "KeyTooLongError");
    assert_eq!(refusal(anonymous("GET", "/b/%ff")), Refusal::InvalidUri);
}

#[test]
fn a_signed_request_says_what_its_body_is() {
    let authorization = SIGNED.replace("x-amz-content-sha256;", "");
    let silent = anonymous("GET", "/").header("authorization", authorization);
    assert_eq!(refusal(silent.header("x-amz-date", "20130524T000000Z")), Refusal::MissingContentSha256);
    assert_eq!(refusal(signed("GET", "/", "SHA")), Refusal::ContentSha256Form { given: "SHA".to_owned() });
}

#[test]
fn lengths_are_checked_before_the_body_is_read() {
    let put = |name: &str, value: &str| signed("PUT", "/b/k", "UNSIGNED-PAYLOAD").header(name, value);
    let endless = refusal(put("transfer-encoding", "chunked"));
    assert_eq!((endless.code(), endless.status().as_u16()), ("MissingContentLength", 411));
    assert_eq!(refusal(put("content-length", "5368709121")).code(), "EntityTooLarge");
    let message = signed("PUT", "/b?policy", "UNSIGNED-PAYLOAD").header("content-length", "1048577");
    assert_eq!(refusal(message).code(), "MaxMessageLengthExceeded");
}
