//! Settings of buckets and objects, over HTTP.

use forebay_s3::{clock::DAY_MS, lifecycle_worker, shared::now_ms};

use crate::common::Testbed;

const LATER: &str = "2099-01-01T00:00:00Z";
const MUCH_LATER: &str = "2100-01-01T00:00:00Z";

fn tagging(key: &str, value: &str) -> String {
    format!("<Tagging><TagSet><Tag><Key>{key}</Key><Value>{value}</Value></Tag></TagSet></Tagging>")
}

fn retention(mode: &str, until: &str) -> String {
    format!("<Retention><Mode>{mode}</Mode><RetainUntilDate>{until}</RetainUntilDate></Retention>")
}

async fn versioned(testbed: &Testbed, bucket: &str) {
    testbed.ok("PUT", bucket, &[], "").await;
    let document = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    testbed.ok("PUT", &format!("{bucket}?versioning"), &[], document).await;
}

async fn lockable(testbed: &Testbed, bucket: &str) {
    testbed.ok("PUT", bucket, &[("x-amz-bucket-object-lock-enabled", "true")], "").await;
}

#[tokio::test]
async fn tags_of_an_object_belong_to_one_version() {
    let testbed = Testbed::start().await;
    versioned(&testbed, "/bucket").await;
    let first = testbed.ok("PUT", "/bucket/key", &[("x-amz-tagging", "a=1")], "x").await;
    let first = first.header("x-amz-version-id").unwrap().to_owned();
    testbed.ok("PUT", "/bucket/key", &[], "y").await;
    let put = testbed.ok("PUT", "/bucket/key?tagging", &[], &tagging("b", "2")).await;
    assert_ne!(put.header("x-amz-version-id"), Some(first.as_str()));
    assert_eq!(testbed.ok("GET", "/bucket/key?tagging", &[], "").await.element("Key"), Some("b"));
    let old = format!("/bucket/key?tagging&versionId={first}");
    assert_eq!(testbed.ok("GET", &old, &[], "").await.element("Key"), Some("a"));
    assert_eq!(testbed.ok("GET", "/bucket/key", &[], "").await.header("x-amz-tagging-count"), Some("1"));
    assert_eq!(testbed.ok("DELETE", &old, &[], "").await.status, 204);
    assert_eq!(testbed.ok("GET", &old, &[], "").await.element("Key"), None);
    assert_eq!(testbed.ok("GET", "/bucket/key", &[], "").await.body, "y");
    let unknown = "/bucket/key?tagging&versionId=0000000000000001";
    assert_eq!(testbed.refused("GET", unknown, &[], "").await, "404 NoSuchVersion");
    assert_eq!(testbed.refused("GET", "/bucket/none?tagging", &[], "").await, "404 NoSuchKey");
    testbed.ok("DELETE", "/bucket/key", &[], "").await;
    assert_eq!(testbed.refused("GET", "/bucket/key?tagging", &[], "").await, "405 MethodNotAllowed");
    let put = testbed.refused("PUT", "/bucket/key?tagging", &[], &tagging("b", "2")).await;
    assert_eq!(put, "405 MethodNotAllowed");
    assert_eq!(testbed.refused("GET", "/bucket/key?acl", &[], "").await, "404 NoSuchKey");
}

#[tokio::test]
async fn a_bucket_has_only_the_settings_that_it_was_given() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let cors = "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin>\
                </CORSRule></CORSConfiguration>";
    let lifecycle = "<LifecycleConfiguration><Rule><ID>one</ID><Filter><Prefix>a</Prefix></Filter>\
                     <Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>";
    let ownership = "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>\
                     </OwnershipControls>";
    let block = "<PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy>\
                 </PublicAccessBlockConfiguration>";
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"s3:PutObject",
                 "Resource":"arn:aws:s3:::bucket/*"}]}"#;
    // A new bucket has ownership controls, as in AWS.
    testbed.ok("DELETE", "/bucket?ownershipControls", &[], "").await;
    for (subresource, document, missing, contained) in [
        ("tagging", tagging("a", "1").as_str(), "NoSuchTagSet", "<Key>a</Key>"),
        ("cors", cors, "NoSuchCORSConfiguration", "<AllowedMethod>GET</AllowedMethod>"),
        ("lifecycle", lifecycle, "NoSuchLifecycleConfiguration", "<Days>3</Days>"),
        ("ownershipControls", ownership, "OwnershipControlsNotFoundError", "BucketOwnerEnforced"),
        ("publicAccessBlock", block, "NoSuchPublicAccessBlockConfiguration", "<BlockPublicPolicy>true"),
        ("policy", policy, "NoSuchBucketPolicy", policy),
    ] {
        let target = format!("/bucket?{subresource}");
        assert_eq!(testbed.refused("GET", &target, &[], "").await, format!("404 {missing}"));
        testbed.ok("PUT", &target, &[], document).await;
        let found = testbed.ok("GET", &target, &[], "").await;
        assert!(found.body.contains(contained), "{found:?}");
        assert_eq!(testbed.ok("DELETE", &target, &[], "").await.status, 204);
        assert_eq!(testbed.ok("DELETE", &target, &[], "").await.status, 204);
        assert_eq!(testbed.refused("GET", &target, &[], "").await, format!("404 {missing}"));
        let other = format!("/nothing?{subresource}");
        assert_eq!(testbed.refused("GET", &other, &[], "").await, "404 NoSuchBucket");
        assert_eq!(testbed.refused("PUT", &other, &[], document).await, "404 NoSuchBucket");
        assert_eq!(testbed.refused("DELETE", &other, &[], "").await, "404 NoSuchBucket");
    }
}

#[tokio::test]
async fn settings_that_no_bucket_can_have_read_as_never_set() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    for (subresource, contained) in [
        ("accelerate", "<AccelerateConfiguration"),
        ("logging", "<BucketLoggingStatus"),
        ("notification", "<NotificationConfiguration"),
        ("requestPayment", "<Payer>BucketOwner</Payer>"),
    ] {
        let found = testbed.ok("GET", &format!("/bucket?{subresource}"), &[], "").await;
        assert!(found.body.contains(contained), "{found:?}");
    }
    for (subresource, missing) in [
        ("encryption", "404 ServerSideEncryptionConfigurationNotFoundError"),
        ("replication", "404 ReplicationConfigurationNotFoundError"),
        ("website", "404 NoSuchWebsiteConfiguration"),
        ("inventory", "501 NotImplemented"),
        ("object-lock", "404 ObjectLockConfigurationNotFoundError"),
    ] {
        assert_eq!(testbed.refused("GET", &format!("/bucket?{subresource}"), &[], "").await, missing);
    }
}

#[tokio::test]
async fn a_public_policy_is_known_as_such_and_can_be_refused() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let policy = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",
                 "Resource":"arn:aws:s3:::bucket/*"}}"#;
    testbed.ok("PUT", "/bucket?policy", &[], policy).await;
    let status = testbed.ok("GET", "/bucket?policyStatus", &[], "").await;
    assert_eq!(status.element("IsPublic").map(str::to_lowercase).as_deref(), Some("true"));
    testbed.ok("DELETE", "/bucket?policy", &[], "").await;
    assert_eq!(testbed.refused("GET", "/bucket?policyStatus", &[], "").await, "404 NoSuchBucketPolicy");
    let block = "<PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy>\
                 </PublicAccessBlockConfiguration>";
    testbed.ok("PUT", "/bucket?publicAccessBlock", &[], block).await;
    assert_eq!(testbed.refused("PUT", "/bucket?policy", &[], policy).await, "403 AccessDenied");
    assert_eq!(testbed.refused("PUT", "/bucket?policy", &[], "{").await, "400 MalformedPolicy");
}

#[tokio::test]
async fn object_lock_needs_versions_and_gives_new_objects_a_retention() {
    let testbed = Testbed::start().await;
    let rule = |mode: &str| {
        format!(
            "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>\
             <Mode>{mode}</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>"
        )
    };
    testbed.ok("PUT", "/plain", &[], "").await;
    let refused = testbed.refused("PUT", "/plain?object-lock", &[], &rule("GOVERNANCE")).await;
    assert_eq!(refused, "409 InvalidBucketState");
    testbed.ok("PUT", "/plain/key", &[], "x").await;
    assert_eq!(testbed.refused("GET", "/plain/key?retention", &[], "").await, "400 InvalidRequest");
    versioned(&testbed, "/bucket").await;
    testbed.ok("PUT", "/bucket/before", &[], "x").await;
    testbed.ok("PUT", "/bucket?object-lock", &[], &rule("GOVERNANCE")).await;
    let found = testbed.ok("GET", "/bucket?object-lock", &[], "").await;
    assert_eq!((found.element("Mode"), found.element("Days")), (Some("GOVERNANCE"), Some("1")));
    assert_eq!(
        testbed.refused("GET", "/bucket/before?retention", &[], "").await,
        "404 NoSuchObjectLockConfiguration"
    );
    let put = testbed.ok("PUT", "/bucket/put", &[], "x").await;
    testbed.ok("PUT", "/bucket/copied", &[("x-amz-copy-source", "/bucket/before")], "").await;
    let upload = testbed.ok("POST", "/bucket/parts?uploads", &[], "").await;
    let upload = upload.element("UploadId").unwrap().to_owned();
    let part = testbed.ok("PUT", &format!("/bucket/parts?partNumber=1&uploadId={upload}"), &[], "x").await;
    let etag = part.header("etag").unwrap();
    let document = format!(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part></CompleteMultipartUpload>"
    );
    testbed.ok("POST", &format!("/bucket/parts?uploadId={upload}"), &[], &document).await;
    for key in ["put", "copied", "parts"] {
        let found = testbed.ok("GET", &format!("/bucket/{key}?retention"), &[], "").await;
        assert_eq!(found.element("Mode"), Some("GOVERNANCE"), "{key}");
    }
    let own = [("x-amz-object-lock-mode", "COMPLIANCE"), ("x-amz-object-lock-retain-until-date", LATER)];
    testbed.ok("PUT", "/bucket/own", &own, "x").await;
    let found = testbed.ok("GET", "/bucket/own?retention", &[], "").await;
    assert_eq!(found.element("Mode"), Some("COMPLIANCE"));
    let version = format!("/bucket/put?versionId={}", put.header("x-amz-version-id").unwrap());
    assert_eq!(testbed.refused("DELETE", &version, &[], "").await, "403 AccessDenied");
    testbed.ok("DELETE", &version, &[("x-amz-bypass-governance-retention", "true")], "").await;
}

#[tokio::test]
async fn a_retention_is_only_extended_unless_governance_is_bypassed() {
    let testbed = Testbed::start().await;
    lockable(&testbed, "/bucket").await;
    testbed.ok("PUT", "/bucket/key", &[], "x").await;
    let target = "/bucket/key?retention";
    let bypass = [("x-amz-bypass-governance-retention", "true")];
    testbed.ok("PUT", target, &[], &retention("GOVERNANCE", MUCH_LATER)).await;
    let shorter = retention("GOVERNANCE", LATER);
    assert_eq!(testbed.refused("PUT", target, &[], &shorter).await, "403 AccessDenied");
    testbed.ok("PUT", target, &bypass, &shorter).await;
    assert_eq!(testbed.refused("PUT", target, &[], "<Retention/>").await, "403 AccessDenied");
    assert_eq!(
        testbed.refused("PUT", target, &[], &retention("COMPLIANCE", LATER)).await,
        "403 AccessDenied"
    );
    testbed.ok("PUT", target, &bypass, &retention("COMPLIANCE", LATER)).await;
    assert_eq!(testbed.refused("PUT", target, &bypass, &shorter).await, "403 AccessDenied");
    let past = retention("COMPLIANCE", "2001-01-01T00:00:00Z");
    assert_eq!(testbed.refused("PUT", target, &[], &past).await, "400 InvalidArgument");
    let unknown = retention("FOREVER", LATER);
    assert_eq!(testbed.refused("PUT", target, &[], &unknown).await, "400 MalformedXML");
}

#[tokio::test]
async fn a_legal_hold_is_on_until_it_is_taken_off() {
    let testbed = Testbed::start().await;
    lockable(&testbed, "/bucket").await;
    let put = testbed.ok("PUT", "/bucket/key", &[], "x").await;
    let version = format!("/bucket/key?versionId={}", put.header("x-amz-version-id").unwrap());
    let target = "/bucket/key?legal-hold";
    assert_eq!(testbed.refused("GET", target, &[], "").await, "404 NoSuchObjectLockConfiguration");
    let hold = |status: &str| format!("<LegalHold><Status>{status}</Status></LegalHold>");
    assert_eq!(testbed.refused("PUT", target, &[], &hold("on")).await, "400 MalformedXML");
    testbed.ok("PUT", target, &[], &hold("ON")).await;
    assert_eq!(testbed.ok("GET", target, &[], "").await.element("Status"), Some("ON"));
    let bypass = [("x-amz-bypass-governance-retention", "true")];
    assert_eq!(testbed.refused("DELETE", &version, &bypass, "").await, "403 AccessDenied");
    testbed.ok("PUT", target, &[], &hold("OFF")).await;
    testbed.ok("DELETE", &version, &[], "").await;
    assert_eq!(testbed.refused("PUT", target, &[], &hold("ON")).await, "404 NoSuchKey");
}

#[tokio::test]
async fn acls_without_effect_are_accepted() {
    let testbed = Testbed::start().await;
    let public = [("x-amz-acl", "public-read")];
    let private = [("x-amz-acl", "private")];
    assert_eq!(
        testbed.refused("PUT", "/bucket", &public, "").await,
        "400 InvalidBucketAclWithObjectOwnership"
    );
    testbed.ok("PUT", "/bucket", &private, "").await;
    testbed.ok("PUT", "/bucket/key", &[("x-amz-acl", "bucket-owner-full-control")], "x").await;
    for target in ["/bucket/key", "/bucket/key?acl", "/bucket?acl"] {
        assert_eq!(testbed.refused("PUT", target, &public, "").await, "400 AccessControlListNotSupported");
    }
    let upload = testbed.refused("POST", "/bucket/key?uploads", &public, "").await;
    assert_eq!(upload, "400 AccessControlListNotSupported");
    for target in ["/bucket/key?acl", "/bucket?acl"] {
        testbed.ok("PUT", target, &private, "").await;
        let found = testbed.ok("GET", target, &[], "").await;
        assert_eq!(
            (found.element("ID"), found.element("Permission")),
            (Some("tester"), Some("FULL_CONTROL"))
        );
        testbed.ok("PUT", target, &[], &found.body).await;
        assert_eq!(testbed.refused("PUT", target, &[], "").await, "400 MissingSecurityHeader");
    }
    assert_eq!(testbed.refused("GET", "/bucket/none?acl", &[], "").await, "404 NoSuchKey");
}

#[tokio::test]
async fn attributes_are_those_that_were_asked_for() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    let put = testbed.ok("PUT", "/bucket/key", &[], "body").await;
    let etag = put.header("etag").unwrap().trim_matches('"').to_owned();
    let target = "/bucket/key?attributes";
    let all = [("x-amz-object-attributes", "ETag,Checksum,ObjectParts,StorageClass,ObjectSize")];
    let found = testbed.ok("GET", target, &all, "").await;
    assert_eq!(found.element("ETag"), Some(etag.as_str()));
    assert_eq!(found.element("ObjectSize"), Some("4"));
    assert_eq!(found.element("StorageClass"), Some("STANDARD"));
    assert_eq!(found.element("ChecksumType"), Some("FULL_OBJECT"));
    assert_eq!(found.element("ObjectParts"), None);
    let found = testbed.ok("GET", target, &[("x-amz-object-attributes", "ObjectSize")], "").await;
    assert_eq!((found.element("ETag"), found.element("ObjectSize")), (None, Some("4")));
    assert_eq!(
        testbed.refused("GET", target, &[("x-amz-object-attributes", "Size")], "").await,
        "400 InvalidArgument"
    );
    assert_eq!(testbed.refused("GET", target, &[], "").await, "400 InvalidRequest");
    assert_eq!(testbed.refused("GET", "/bucket/none?attributes", &all, "").await, "404 NoSuchKey");
}

#[tokio::test]
async fn what_is_not_built_changes_nothing() {
    let testbed = Testbed::start().await;
    testbed.ok("PUT", "/bucket", &[], "").await;
    testbed.ok("PUT", "/bucket/key", &[], "x").await;
    assert_eq!(testbed.refused("PUT", "/bucket/key?renameObject", &[], "").await, "501 NotImplemented");
    assert_eq!(testbed.refused("DELETE", "/bucket/key?retention", &[], "").await, "405 MethodNotAllowed");
    let encrypted = [("x-amz-server-side-encryption", "AES256")];
    assert_eq!(testbed.refused("PUT", "/bucket/key", &encrypted, "y").await, "501 NotImplemented");
    assert_eq!(testbed.ok("GET", "/bucket/key", &[], "").await.body, "x");
}

#[tokio::test]
async fn lifecycle_rules_are_carried_out() {
    let testbed = Testbed::start().await;
    versioned(&testbed, "/bucket").await;
    let document = "<LifecycleConfiguration><Rule><ID>one</ID><Filter><Prefix>short/</Prefix></Filter>\
                    <Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>";
    testbed.ok("PUT", "/bucket?lifecycle", &[], document).await;
    testbed.ok("PUT", "/bucket/short/key", &[], "x").await;
    testbed.ok("PUT", "/bucket/long/key", &[], "x").await;
    testbed.ok("POST", "/bucket/long/key?uploads", &[], "").await;
    let done = lifecycle_worker::pass(&testbed.shared, now_ms() + 8 * DAY_MS).await.unwrap();
    assert_eq!((done.objects_expired, done.uploads_aborted), (1, 1));
    assert_eq!(testbed.refused("GET", "/bucket/short/key", &[], "").await, "404 NoSuchKey");
    testbed.ok("GET", "/bucket/long/key", &[], "").await;
}

#[tokio::test]
async fn answers_announce_what_lifecycle_rules_will_do() {
    let testbed = Testbed::start().await;
    versioned(&testbed, "/bucket").await;
    let document = "<LifecycleConfiguration><Rule><ID>a rule</ID><Filter><Prefix>short/</Prefix></Filter>\
                    <Status>Enabled</Status><Expiration><Days>1</Days></Expiration>\
                    <AbortIncompleteMultipartUpload><DaysAfterInitiation>2</DaysAfterInitiation>\
                    </AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";
    testbed.ok("PUT", "/bucket?lifecycle", &[], document).await;
    let put = testbed.ok("PUT", "/bucket/short/key", &[], "x").await;
    let announced = put.header("x-amz-expiration").unwrap();
    assert!(announced.starts_with("expiry-date=\"") && announced.ends_with("GMT\", rule-id=\"a%20rule\""));
    for method in ["GET", "HEAD"] {
        let found = testbed.ok(method, "/bucket/short/key", &[], "").await;
        assert_eq!(found.header("x-amz-expiration"), Some(announced));
    }
    let source = [("x-amz-copy-source", "/bucket/short/key")];
    let copied = testbed.ok("PUT", "/bucket/short/copy", &source, "").await;
    assert!(copied.header("x-amz-expiration").is_some());
    let copied = testbed.ok("PUT", "/bucket/long/copy", &source, "").await;
    assert_eq!(copied.header("x-amz-expiration"), None);
    // The rule is about the current version only.
    let first = format!("/bucket/short/key?versionId={}", put.header("x-amz-version-id").unwrap());
    assert!(testbed.ok("HEAD", &first, &[], "").await.header("x-amz-expiration").is_some());
    testbed.ok("PUT", "/bucket/short/key", &[], "y").await;
    assert_eq!(testbed.ok("HEAD", &first, &[], "").await.header("x-amz-expiration"), None);
    let upload = testbed.ok("POST", "/bucket/short/upload?uploads", &[], "").await;
    assert_eq!(upload.header("x-amz-abort-rule-id"), Some("a rule"));
    let date = upload.header("x-amz-abort-date").unwrap();
    let parts = format!("/bucket/short/upload?uploadId={}", upload.element("UploadId").unwrap());
    assert_eq!(testbed.ok("GET", &parts, &[], "").await.header("x-amz-abort-date"), Some(date));
    let upload = testbed.ok("POST", "/bucket/long/upload?uploads", &[], "").await;
    assert_eq!(upload.header("x-amz-abort-date"), None);
}
