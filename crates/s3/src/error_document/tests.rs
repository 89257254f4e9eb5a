//! The documents of errors.

use http_body_util::BodyExt;
use hyper::{Method, Request};
use s3s::{S3Error, S3ErrorCode};

use super::*;

fn asked(method: Method, uri: &str) -> Asked {
    Asked::of(&Request::builder().method(method).uri(uri).body(()).unwrap(), &["s3.example.com".to_owned()])
}

async fn document(error: S3Error, asked: &Asked) -> (StatusCode, String, hyper::HeaderMap) {
    let response = complete(error.to_http_response().unwrap(), asked, "id-1");
    let (head, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().into()).unwrap();
    (head.status, text, head.headers)
}

#[tokio::test]
async fn an_error_without_a_message_gets_that_of_aws_and_names_what_was_asked_for() {
    let (status, text, headers) =
        document(S3ErrorCode::NoSuchBucket.into(), &asked(Method::GET, "/some%20bucket/a")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(headers["content-type"], "application/xml");
    assert_eq!(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not \
         exist.</Message><BucketName>some bucket</BucketName><Resource>/some%20bucket/a</Resource><RequestId>id-1</RequestId>\
         <HostId>id-1</HostId></Error>"
    );
}

#[tokio::test]
async fn details_of_an_operation_are_elements_and_no_headers() {
    let error = S3Error::with_message(S3ErrorCode::InvalidArgument, "No <such> & such");
    let error = error.argument("partNumber", "ü<1>");
    let (_, text, headers) = document(error, &asked(Method::PUT, "/b/k")).await;
    assert!(text.contains("<Message>No &lt;such&gt; &amp; such</Message>"), "{text}");
    let details = "<ArgumentName>partNumber</ArgumentName><ArgumentValue>ü&lt;1&gt;</ArgumentValue>";
    assert!(text.contains(details), "{text}");
    assert_eq!(headers.len(), 1, "{headers:?}");
}

#[tokio::test]
async fn a_refusal_keeps_its_details() {
    let refusal = crate::guard::Refusal::KeyTooLong { bytes: 1025, bytes_max: 1024 };
    let response = complete(refusal.response(), &asked(Method::PUT, "/b/a&b"), "id-1");
    assert_eq!(code(&response).as_deref(), Some("KeyTooLongError"));
    let text = String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().into()).unwrap();
    let details = "<Size>1025</Size><MaxSizeAllowed>1024</MaxSizeAllowed><Resource>/b/a&amp;b</Resource>";
    assert!(text.contains(details), "{text}");
}

#[test]
fn the_bucket_is_in_the_path_or_in_the_host() {
    assert_eq!(asked(Method::GET, "/bucket/key").bucket(), Some("bucket"));
    assert_eq!(asked(Method::GET, "/bucket").bucket(), Some("bucket"));
    assert_eq!(asked(Method::GET, "/").bucket(), None);
    let by_host =
        Request::builder().uri("/key").header("host", "bucket.s3.example.com:9000").body(()).unwrap();
    assert_eq!(Asked::of(&by_host, &["s3.example.com".to_owned()]).bucket(), Some("bucket"));
}
