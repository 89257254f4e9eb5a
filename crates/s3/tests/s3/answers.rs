//! What answers have beside the result: headers for other origins, error documents, and patience with odd headers.

use std::path::Path;

use forebay_pool::{Pool, PoolOptions};

use crate::common::Testbed;

const CORS: &str = "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>https://a.example</AllowedOrigin>\
                    <AllowedHeader>x-amz-*</AllowedHeader><MaxAgeSeconds>60</MaxAgeSeconds></CORSRule></CORSConfiguration>";

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_read_answers() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let asks = [("origin", "https://a.example"), ("access-control-request-method", "GET")];
    assert_eq!(testbed.refused("OPTIONS", "/bucket/key", &asks, "").await, "403 AccessForbidden");
    testbed.ok("PUT", "/bucket?cors", &[], CORS).await;
    let preflight = testbed.ok("OPTIONS", "/bucket/key", &asks, "").await;
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://a.example"));
    assert_eq!(preflight.header("access-control-max-age"), Some("60"));
    let other = [("origin", "https://b.example"), ("access-control-request-method", "GET")];
    assert_eq!(testbed.refused("OPTIONS", "/bucket/key", &other, "").await, "403 AccessForbidden");
    assert_eq!(testbed.refused("OPTIONS", "/none/key", &asks, "").await, "404 NoSuchBucket");

    testbed.ok("PUT", "/bucket/key", &[], "x").await;
    let read = testbed.ok("GET", "/bucket/key", &[("origin", "https://a.example")], "").await;
    assert_eq!((read.body.as_str(), read.header("access-control-allow-methods")), ("x", Some("GET")));
    let read = testbed.ok("GET", "/bucket/key", &[("origin", "https://b.example")], "").await;
    assert_eq!(read.header("access-control-allow-origin"), None);
    // A page may also read why a request failed.
    let failed = testbed.send("GET", "/bucket/none", &[("origin", "https://a.example")], "").await;
    assert_eq!(
        (failed.status, failed.header("access-control-allow-origin")),
        (404, Some("https://a.example"))
    );
}

#[tokio::test]
async fn headers_that_mean_nothing_are_ignored_and_etags_need_no_quotes() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/key", &[], "hello").await;
    let etag = "5d41402abc4b2a76b9719d911017c592";
    for (name, value) in [
        ("range", "bytes=,"),
        ("range", "lines=1-2"),
        ("if-match", etag),
        ("if-none-match", "\"a\", \"b\""),
        ("if-modified-since", "yesterday"),
    ] {
        let answer = testbed.ok("GET", "/bucket/key", &[(name, value)], "").await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "hello"), "{name}: {value}");
    }
    assert_eq!(
        testbed.refused("GET", "/bucket/key", &[("if-match", "abc")], "").await,
        "412 PreconditionFailed"
    );
    assert_eq!(testbed.send("GET", "/bucket/key", &[("if-none-match", etag)], "").await.status, 304);
    let copy = [("x-amz-copy-source", "/bucket/key"), ("x-amz-copy-source-if-match", "abc")];
    assert_eq!(testbed.refused("PUT", "/bucket/copy", &copy, "").await, "412 PreconditionFailed");
    let copy = [("x-amz-copy-source", "/bucket/key"), ("x-amz-copy-source-if-match", etag)];
    testbed.ok("PUT", "/bucket/copy", &copy, "").await;
    assert_eq!(testbed.ok("GET", "/bucket/copy", &[], "").await.body, "hello");
}

#[tokio::test]
async fn a_range_is_answered_with_206() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/key", &[], "hello").await;
    for method in ["GET", "HEAD"] {
        let part = testbed.ok(method, "/bucket/key", &[("range", "bytes=01-2")], "").await;
        assert_eq!((part.status, part.header("content-range")), (206, Some("bytes 1-2/5")), "{method}");
        assert_eq!(testbed.ok(method, "/bucket/key", &[], "").await.status, 200, "{method}");
    }
}

#[tokio::test]
async fn an_odd_header_does_not_replace_a_signature() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/key", &[], "hello").await;
    for (name, sent) in [("range", "bytes=,"), ("if-match", "abc"), ("if-modified-since", "yesterday")] {
        let answer = testbed.send_changed("GET", "/bucket/key", (name, "x", sent)).await;
        assert_eq!((answer.status, answer.element("Code")), (403, Some("SignatureDoesNotMatch")), "{name}");
    }
}

#[tokio::test]
async fn an_error_says_what_it_is_about() {
    let testbed = Testbed::start().await;
    let missing = testbed.send("GET", "/none/key", &[], "").await;
    assert_eq!((missing.status, missing.element("BucketName")), (404, Some("none")));
    assert_eq!(missing.element("Message"), Some("The specified bucket does not exist."));
    assert_eq!(missing.element("RequestId"), missing.header("x-amz-request-id"));
    testbed.ok("PUT", "/bucket", &[], "").await;
    let missing = testbed.send("GET", "/bucket/a%20b", &[], "").await;
    assert_eq!((missing.element("Code"), missing.element("Key")), (Some("NoSuchKey"), Some("a b")));
    let wrong = testbed.send("GET", "/bucket?max-keys=-5", &[], "").await;
    assert_eq!(
        (wrong.element("ArgumentName"), wrong.element("ArgumentValue")),
        (Some("max-keys"), Some("-5"))
    );
    let malformed = testbed.send("PUT", "/bucket?cors", &[], "<no").await;
    assert_eq!((malformed.status, malformed.element("Code")), (400, Some("MalformedXML")));
    assert!(malformed.element("Message").is_some_and(|message| message.starts_with("The XML you provided")));
}

#[tokio::test]
async fn a_part_is_answered_with_its_own_checksum() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let algorithm = [("x-amz-checksum-algorithm", "SHA256")];
    let upload = testbed.ok("POST", "/bucket/key?uploads", &algorithm, "").await;
    let upload = upload.element("UploadId").unwrap();
    let checksum = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";
    let headers = [("x-amz-checksum-sha256", checksum)];
    let target = format!("/bucket/key?partNumber=1&uploadId={upload}");
    let part = testbed.ok("PUT", &target, &headers, "hello").await;
    let etag = part.header("etag").unwrap();
    let document = format!(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{etag}</ETag>\
         <ChecksumSHA256>{checksum}</ChecksumSHA256></Part></CompleteMultipartUpload>"
    );
    testbed.ok("POST", &format!("/bucket/key?uploadId={upload}"), &[], &document).await;
    let mode = [("x-amz-checksum-mode", "ENABLED")];
    for method in ["GET", "HEAD"] {
        let part = testbed.ok(method, "/bucket/key?partNumber=1", &mode, "").await;
        assert_eq!(part.header("x-amz-checksum-sha256"), Some(checksum));
        assert_eq!(part.header("x-amz-checksum-type"), Some("COMPOSITE"));
        let whole = testbed.ok(method, "/bucket/key", &mode, "").await;
        assert!(whole.header("x-amz-checksum-sha256").unwrap().ends_with("-1"));
        let range = [mode[0], ("range", "bytes=0-1")];
        assert_eq!(testbed.ok(method, "/bucket/key", &range, "").await.header("x-amz-checksum-sha256"), None);
    }
}

#[tokio::test]
async fn an_empty_delimiter_is_none() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/a/b", &[], "x").await;
    for target in ["/bucket?delimiter=", "/bucket?list-type=2&delimiter=", "/bucket?versions&delimiter="] {
        let listed = testbed.ok("GET", target, &[], "").await;
        assert_eq!(listed.element("Key"), Some("a/b"), "{target}");
        assert!(!listed.body.contains("Delimiter"), "{target}: {listed:?}");
    }
}

// Some clients end a request as soon as they have the head.
#[tokio::test]
async fn a_small_object_comes_in_one_packet_with_the_head() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/key", &[], "hello").await;
    for _ in 0..50 {
        let packet = testbed.first_packet("GET", "/bucket/key").await;
        assert!(packet.starts_with("HTTP/1.1 200 ") && packet.ends_with("\r\n\r\nhello"), "{packet}");
    }
}

#[tokio::test]
async fn an_object_whose_beginning_is_damaged_is_an_error_and_not_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Pool::open(folder.path(), PoolOptions::default());
    let testbed = Testbed::on(open().await.unwrap()).await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let content: String = (0u32..40_000).map(|at| format!("{:x}", at.wrapping_mul(2_654_435_761))).collect();
    testbed.ok("PUT", "/bucket/key", &[], &content).await;
    testbed.shared.pool().close().await.unwrap();
    damage(&folder.path().join("segments"));

    let testbed = Testbed::on(open().await.unwrap()).await;
    let answer = testbed.send("GET", "/bucket/key", &[], "").await;
    assert_eq!((answer.status, answer.element("Code")), (500, Some("InternalError")), "{answer:?}");
}

/// Changes bytes in the middle of everything that the segments hold.
fn damage(segments: &Path) {
    let mut damaged = 0;
    for entry in std::fs::read_dir(segments).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        for at in (4096..bytes.len()).step_by(4096) {
            bytes[at] ^= 1;
            damaged += 1;
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(damaged > 0);
}
