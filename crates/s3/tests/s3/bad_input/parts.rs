//! Uploads in parts.

use super::testbed::Testbed;
use crate::common::signer::Raw;

const LARGE: usize = 5 << 20;

struct Upload<'a> {
    testbed: &'a Testbed,
    id: String,
}

impl Upload<'_> {
    async fn begin(testbed: &Testbed) -> Upload<'_> {
        let begun = testbed.ok("POST", "/bad/key?uploads", b"").await;
        Upload { testbed, id: begun.element("UploadId").unwrap().to_owned() }
    }

    fn target(&self, number: &str) -> String {
        format!("/bad/key?partNumber={number}&uploadId={}", self.id)
    }

    /// Stores a part, and returns its ETag.
    async fn part(&self, number: u32, bytes: usize, fill: u8) -> String {
        let stored = self.testbed.ok("PUT", &self.target(&number.to_string()), &vec![fill; bytes]).await;
        stored.header("etag").unwrap().to_owned()
    }

    fn completion(&self, parts: &[(u32, &str)]) -> Raw {
        let parts: String = parts
            .iter()
            .map(|(number, etag)| {
                format!("<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>")
            })
            .collect();
        self.document(&format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>"))
    }

    fn document(&self, document: &str) -> Raw {
        let target = format!("/bad/key?uploadId={}", self.id);
        self.testbed.signer.request("POST", &target, &[], document.as_bytes())
    }
}

#[tokio::test]
async fn a_completion_that_does_not_name_the_parts_in_order_is_refused() {
    let testbed = Testbed::start().await;
    let upload = Upload::begin(&testbed).await;
    let (one, two) = (upload.part(1, LARGE, 1).await, upload.part(2, LARGE, 2).await);
    let three = upload.part(3, 10, 3).await;
    let four = upload.part(4, 10, 4).await;
    let (one, two, three, four) = (one.as_str(), two.as_str(), three.as_str(), four.as_str());
    let many: Vec<(u32, &str)> = (1..=10_001).map(|number| (number, one)).collect();
    let mut sealed = upload.completion(&[(1, one)]);
    sealed.head = sealed.head.replace(&upload.id, &upload.id.chars().rev().collect::<String>());
    testbed
        .refuses(vec![
            ("out of order", upload.completion(&[(2, two), (1, one)]), "400 InvalidPartOrder"),
            ("repeated", upload.completion(&[(1, one), (1, one)]), "400 InvalidPartOrder"),
            ("too small before the last", upload.completion(&[(1, one), (3, three), (4, four)]), "400 EntityTooSmall"),
            ("with another ETag", upload.completion(&[(1, two)]), "400 InvalidPart"),
            ("that was never stored", upload.completion(&[(1, one), (5, two)]), "400 InvalidPart"),
            ("none", upload.completion(&[]), "400 MalformedXML"),
            ("10,001", upload.completion(&many), "400 MalformedXML"),
            ("no number", upload.document("<CompleteMultipartUpload><Part><ETag>a</ETag></Part></CompleteMultipartUpload>"), "400 MalformedXML"),
            ("number that is none", upload.document("<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>a</ETag></Part></CompleteMultipartUpload>"), "400 MalformedXML"),
            ("elements without end", upload.document(&format!("<CompleteMultipartUpload>{}</CompleteMultipartUpload>", "<Part/>".repeat(100_000))), "400 MalformedXML"),
            ("the 0th part", testbed.signer.request("PUT", &upload.target("0"), &[], b"hello"), "400 InvalidArgument"),
            ("the 10,001st part", testbed.signer.request("PUT", &upload.target("10001"), &[], b"hello"), "400 InvalidArgument"),
            ("part of no upload", testbed.signer.request("PUT", "/bad/key?partNumber=1&uploadId=none", &[], b"hello"), "404 NoSuchUpload"),
            ("upload with another signature", sealed, "403 SignatureDoesNotMatch"),
        ])
        .await;
}

#[tokio::test]
async fn a_completed_upload_cannot_be_completed_with_other_parts_or_go_on() {
    let testbed = Testbed::start().await;
    let upload = Upload::begin(&testbed).await;
    let one = upload.part(1, 10, 1).await;
    let completion = upload.completion(&[(1, &one)]);
    let answer = testbed.send(&completion).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    testbed
        .refuses(vec![
            ("twice", completion, "404 NoSuchUpload"),
            (
                "one more part",
                testbed.signer.request("PUT", &upload.target("2"), &[], b"hello"),
                "404 NoSuchUpload",
            ),
            (
                "aborted",
                testbed.signer.request("DELETE", &format!("/bad/key?uploadId={}", upload.id), &[], b""),
                "404 NoSuchUpload",
            ),
        ])
        .await;
}

#[tokio::test]
async fn a_part_that_is_replaced_during_the_completion_is_not_mixed_with_its_successor() {
    let testbed = Testbed::start().await;
    for round in 0..10 {
        let upload = Upload::begin(&testbed).await;
        let one = upload.part(1, LARGE, 1).await;
        let two = upload.part(2, LARGE, 2).await;
        let completion = upload.completion(&[(1, &one), (2, &two)]);
        let replaced = vec![9; LARGE];
        let replacement = testbed.signer.request("PUT", &upload.target("2"), &[], &replaced);
        let (completed, put) = tokio::join!(testbed.send(&completion), testbed.send(&replacement));
        match completed.status {
            200 => {
                let read = testbed.ok("GET", "/bad/key", b"").await;
                let body = read.text.split_once("\r\n\r\n").unwrap().1.as_bytes();
                let is_first = body[..LARGE].iter().all(|byte| *byte == 1);
                assert!(is_first && body[LARGE..].iter().all(|byte| *byte == 2), "round {round}");
                assert_eq!(body.len(), 2 * LARGE);
                assert!(put.status == 200 || put.element("Code") == Some("NoSuchUpload"), "{put:?}");
            }
            400 => assert_eq!(completed.element("Code"), Some("InvalidPart"), "round {round}"),
            _ => panic!("round {round}: {completed:?}"),
        }
    }
}
