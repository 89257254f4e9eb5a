//! XML and policies.

use super::testbed::Testbed;
use crate::common::signer::Raw;

fn policy(statement: &str) -> String {
    format!("{{\"Version\":\"2012-10-17\",\"Statement\":[{{{statement}}}]}}")
}

#[tokio::test]
async fn xml_with_entities_or_without_end_is_refused() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bad/key", b"hello").await;
    let put = |target: &str, document: &str| testbed.signer.request("PUT", target, &[], document.as_bytes());
    let entity = "<!DOCTYPE a [<!ENTITY e \"Enabled\">]>";
    let outside = "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>";
    let laughs: String =
        (1..10).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10))).collect();
    let laughs = format!("<!DOCTYPE a [<!ENTITY l0 \"lol\">{laughs}]>");
    let versioning = |before: &str, status: &str| {
        format!("{before}<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>")
    };
    let tagging = |key: &str| {
        format!("<Tagging><TagSet><Tag><Key>{key}</Key><Value>v</Value></Tag></TagSet></Tagging>")
    };
    let deep = |count: usize| format!("{}{}", "<a>".repeat(count), "</a>".repeat(count));
    let deleted = |document: String| testbed.signer.request("POST", "/bad?delete", &[], document.as_bytes());
    let malformed = "400 MalformedXML";
    testbed
        .refuses(vec![
            ("an entity", put("/bad?versioning", &versioning(entity, "&e;")), malformed),
            ("an entity in tags", put("/bad/key?tagging", &format!("{entity}{}", tagging("&e;"))), malformed),
            ("a file", put("/bad/key?tagging", &format!("{outside}{}", tagging("&e;"))), malformed),
            ("a billion laughs", put("/bad/key?tagging", &format!("{laughs}{}", tagging("&l9;"))), malformed),
            ("10,000 levels", put("/bad?versioning", &deep(10_000)), malformed),
            (
                "10,000 levels within",
                put("/bad/key?tagging", &format!("<Tagging>{}</Tagging>", deep(10_000))),
                malformed,
            ),
            ("60,000 levels, not closed", put("/bad?lifecycle", &"<a>".repeat(60_000)), malformed),
            (
                "70,000 elements",
                put(
                    "/bad?lifecycle",
                    &format!("<LifecycleConfiguration>{}</LifecycleConfiguration>", "<Rule/>".repeat(70_000)),
                ),
                malformed,
            ),
            ("no end", put("/bad?versioning", "<VersioningConfiguration><Status>Enabled"), malformed),
            ("no XML", put("/bad?versioning", "Enabled"), malformed),
            (
                "no UTF-8",
                testbed.signer.request(
                    "PUT",
                    "/bad?versioning",
                    &[],
                    b"<VersioningConfiguration><Status>\xff</Status></VersioningConfiguration>",
                ),
                malformed,
            ),
            ("other status", put("/bad?versioning", &versioning("", "On")), malformed),
            (
                "1,001 keys",
                deleted(format!("<Delete>{}</Delete>", "<Object><Key>a</Key></Object>".repeat(1001))),
                malformed,
            ),
        ])
        .await;
}

#[tokio::test]
async fn policies_with_unknown_keys_are_refused() {
    let testbed = Testbed::start().await;
    let put =
        |document: &str| -> Raw { testbed.signer.request("PUT", "/bad?policy", &[], document.as_bytes()) };
    let allow = "\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::bad/*\"";
    let malformed = "400 MalformedPolicy";
    let deep = format!("{}1{}", "{\"a\":".repeat(5000), "}".repeat(5000));
    let with = |more: &str| put(&policy(&format!("{allow}{more}")));
    testbed
        .refuses(vec![
            ("unknown element", with(",\"Colour\":\"red\""), malformed),
            (
                "unknown element of the policy",
                put(&format!("{{\"Colour\":1,{}", &policy(allow)[1..])),
                malformed,
            ),
            ("the same element twice", with(",\"Effect\":\"Deny\""), malformed),
            (
                "unknown condition key",
                with(",\"Condition\":{\"StringEquals\":{\"s3:colour\":\"red\"}}"),
                malformed,
            ),
            ("unknown operator", with(",\"Condition\":{\"ColourEquals\":{\"s3:prefix\":\"a\"}}"), malformed),
            ("unknown action", put(&policy(&allow.replace("GetObject", "GetColour"))), malformed),
            ("unknown effect", put(&policy(&allow.replace("\"Allow\"", "\"Maybe\""))), malformed),
            ("another bucket", put(&policy(&allow.replace(":::bad", ":::other"))), malformed),
            ("no JSON", put("{"), malformed),
            ("5,000 levels", put(&deep), malformed),
            ("21 KiB", put(&format!("{}{}", policy(allow), " ".repeat(21 << 10))), malformed),
        ])
        .await;
    assert_eq!(testbed.request("GET", "/bad?policy", b"").await.status, 404);
    assert_eq!(testbed.send(&put(&policy(allow))).await.status, 204);
}
