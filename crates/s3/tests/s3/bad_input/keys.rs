//! Keys and ranges.

use super::testbed::Testbed;
use crate::common::signer::Raw;

#[tokio::test]
async fn keys_that_no_object_may_have_are_refused() {
    let testbed = Testbed::start().await;
    let put = |key: &str| testbed.signer.request("PUT", &format!("/bad/{key}"), &[], b"hello");
    testbed
        .refuses(vec![
            ("zero byte", put("a%00b"), "400 InvalidURI"),
            ("1,025 bytes", put(&"a".repeat(1025)), "400 KeyTooLongError"),
            ("1,026 bytes, escaped", put(&"%C3%A9".repeat(513)), "400 KeyTooLongError"),
            ("no UTF-8", put("a%FF"), "400 InvalidURI"),
            ("overlong UTF-8", put("a%C0%AF"), "400 InvalidURI"),
            ("a surrogate", put("a%ED%A0%80"), "400 InvalidURI"),
            ("half an escape", put("a%2"), "400 InvalidURI"),
            (
                "bytes that were not escaped",
                put("key").altered("/bad/key", "/bad/k\u{e9}y"),
                "403 SignatureDoesNotMatch",
            ),
        ])
        .await;
}

#[tokio::test]
async fn keys_that_look_like_paths_are_names_and_nothing_else() {
    let testbed = Testbed::start().await;
    let list = async || testbed.ok("GET", "/bad?list-type=2&encoding-type=url", b"").await;
    for (target, key) in [
        ("..", ".."),
        ("../../etc/passwd", "../../etc/passwd"),
        ("a/../b", "a/../b"),
        ("a//b", "a//b"),
        ("/a", "/a"),
        ("a%2Fb", "a/b"),
        ("a%2f..%2fb", "a/../b"),
        ("%252F", "%2F"),
        (&"a".repeat(1024), &"a".repeat(1024)),
    ] {
        let target = format!("/bad/{target}");
        // A slash is signed as a slash, however it is sent.
        let canonical = target.replace("%2f", "/").replace("%2F", "/");
        let put = testbed.signer.request("PUT", &canonical, &[], b"hello").altered(&canonical, &target);
        let answer = testbed.send(&put).await;
        assert_eq!(answer.status, 200, "{target}: {answer:?}");
        let listed = list().await;
        assert_eq!(listed.element("KeyCount"), Some("1"), "{target}");
        let found = listed.element("Key").unwrap().replace("%2F", "/").replace("%25", "%");
        assert_eq!(found, key, "{target}");
        testbed.ok("DELETE", &canonical, b"").await;
    }
    assert_eq!(list().await.element("KeyCount"), Some("0"));
}

#[tokio::test]
async fn ranges_are_refused_or_cut_to_the_object() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bad/key", b"0123456789").await;
    let get = |range: &str| testbed.signer.request("GET", "/bad/key", &[("range", range)], b"");
    let many = format!("bytes={}", vec!["0-0"; 1000].join(","));
    let rows: Vec<(&str, Raw, &str)> = [
        ("bytes=10-", "416 InvalidRange"),
        ("bytes=10-20", "416 InvalidRange"),
        ("bytes=9223372036854775807-", "416 InvalidRange"),
        ("bytes=-0", "416 InvalidRange"),
        ("bytes=18446744073709551615-", "416 InvalidRange"),
        ("bytes=99999999999999999999-", "416 InvalidRange"),
    ]
    .map(|(range, expected)| (range, get(range), expected))
    .into();
    testbed.refuses(rows).await;
    for (range, content) in [
        ("bytes=5-9223372036854775807", "56789"),
        ("bytes=-18446744073709551615", "0123456789"),
        ("bytes=9-9", "9"),
    ] {
        let answer = testbed.send(&get(range)).await;
        let body = answer.text.split_once("\r\n\r\n").unwrap().1;
        assert_eq!((answer.status, body), (206, content), "{range}");
    }
    // As S3 does, the server ignores a header that it cannot use.
    for range in ["bytes=5-2", "bytes=0-0,2-3", many.as_str(), "bytes=a-b", "lines=1-2"] {
        let answer = testbed.send(&get(range)).await;
        let body = answer.text.split_once("\r\n\r\n").unwrap().1;
        assert_eq!((answer.status, body), (200, "0123456789"), "{range}");
    }
}
