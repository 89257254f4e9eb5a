//! Examples of AWS's documentation.

use super::*;

#[test]
fn example_each_user_has_a_folder() {
    let policy = group(
        r#"{"Version": "2012-10-17", "Statement": [
            {"Sid": "AllowListingOfUserFolder", "Effect": "Allow", "Action": ["s3:ListBucket"],
             "Resource": ["arn:aws:s3:::amzn-s3-demo-bucket"],
             "Condition": {"StringLike": {"s3:prefix": ["folders/${aws:username}/*", "folders/${aws:username}"]}}},
            {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"],
             "Resource": ["arn:aws:s3:::amzn-s3-demo-bucket/folders/${aws:username}/*"]}]}"#,
    );
    let (alice, bob) = (user("alice"), user("bob"));
    let prefix = || context().with(Key::Prefix, "folders/alice/2027");
    assert_eq!(decide(&policy, &alice, Action::ListBucket, "", prefix()), Decision::Allow);
    assert_eq!(decide(&policy, &bob, Action::ListBucket, "", prefix()), Decision::ImplicitDeny);
    assert_eq!(decide(&policy, &alice, Action::ListBucket, "", context()), Decision::ImplicitDeny);
    assert_eq!(decide(&policy, &alice, Action::PutObject, "folders/alice/a", context()), Decision::Allow);
    assert_eq!(
        decide(&policy, &bob, Action::PutObject, "folders/alice/a", context()),
        Decision::ImplicitDeny
    );
    assert_eq!(
        decide(&policy, &alice, Action::DeleteObject, "folders/alice/a", context()),
        Decision::ImplicitDeny
    );
}

#[test]
fn example_only_requests_over_tls() {
    let policy = bucket(
        r#"[{"Sid": "RestrictToTLSRequestsOnly", "Action": "s3:*", "Effect": "Deny", "Principal": "*",
             "Resource": ["arn:aws:s3:::amzn-s3-demo-bucket", "arn:aws:s3:::amzn-s3-demo-bucket/*"],
             "Condition": {"Bool": {"aws:SecureTransport": "false"}}}]"#,
    );
    let over = |tls: &str| context().with(Key::SecureTransport, tls);
    assert_eq!(
        decide(&policy, &user("alice"), Action::GetObject, "a", over("false")),
        Decision::ExplicitDeny
    );
    assert_eq!(decide(&policy, &user("alice"), Action::GetObject, "a", over("true")), Decision::ImplicitDeny);
    assert!(!policy.is_public());
}

#[test]
fn example_addresses_with_one_exception() {
    let policy = bucket(
        r#"{"Sid": "IPAllow", "Effect": "Allow", "Principal": "*", "Action": "s3:*",
            "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*",
            "Condition": {"IpAddress": {"aws:SourceIp": "54.240.143.0/24"},
                          "NotIpAddress": {"aws:SourceIp": "54.240.143.188/32"}}}"#,
    );
    let from = |address: &str| {
        let mut context = context();
        context.add_source_ip(address.parse().unwrap());
        decide(&policy, &Principal::Anonymous, Action::GetObject, "a", context)
    };
    assert_eq!(from("54.240.143.1"), Decision::Allow);
    assert_eq!(from("::ffff:54.240.143.1"), Decision::Allow);
    assert_eq!(from("54.240.143.188"), Decision::ImplicitDeny);
    assert_eq!(from("54.240.144.1"), Decision::ImplicitDeny);
    assert!(!policy.is_public());
}

#[test]
fn example_listing_with_a_prefix_and_a_limit() {
    let policy = bucket(&format!(
        r#"[{{"Effect": "Allow", "Principal": {ALICE_ONLY}, "Action": "s3:ListBucket",
              "Resource": "arn:aws:s3:::amzn-s3-demo-bucket", "Condition": {{"StringEquals": {{"s3:prefix": "projects"}}}}}},
            {{"Effect": "Deny", "Principal": {ALICE_ONLY}, "Action": "s3:ListBucket",
              "Resource": "arn:aws:s3:::amzn-s3-demo-bucket", "Condition": {{"NumericGreaterThan": {{"s3:max-keys": "10"}}}}}}]"#
    ));
    let list = |keys: &str| {
        let context = context().with(Key::Prefix, "projects").with(Key::MaxKeys, keys);
        decide(&policy, &user("alice"), Action::ListBucket, "", context)
    };
    assert_eq!((list("10"), list("11")), (Decision::Allow, Decision::ExplicitDeny));
    assert_eq!(policy.named_users(), ["alice"].into());
}

#[test]
fn example_objects_must_be_new_and_parts_are_excepted() {
    let policy = bucket(
        r#"[{"Effect": "Allow", "Principal": "*", "Action": "s3:PutObject", "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*"},
            {"Effect": "Deny", "Principal": "*", "Action": "s3:PutObject", "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*",
             "Condition": {"Null": {"s3:if-none-match": "true"}, "Bool": {"s3:ObjectCreationOperation": "true"}}}]"#,
    );
    let put = |creates: &str, if_none_match: Option<&str>| {
        let mut context = context().with(Key::ObjectCreationOperation, creates);
        context.add_some(Key::IfNoneMatch, if_none_match);
        decide(&policy, &Principal::Anonymous, Action::PutObject, "a", context)
    };
    assert_eq!((put("true", None), put("true", Some("*"))), (Decision::ExplicitDeny, Decision::Allow));
    assert_eq!(put("false", None), Decision::Allow);
}

#[test]
fn example_tags_of_an_object_and_of_a_request() {
    let policy = bucket(&format!(
        r#"[{{"Effect": "Allow", "Principal": {ALICE_ONLY}, "Action": "s3:GetObject",
              "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*",
              "Condition": {{"StringEquals": {{"s3:ExistingObjectTag/environment": "production"}}}}}},
            {{"Effect": "Allow", "Principal": {ALICE_ONLY}, "Action": "s3:PutObjectTagging",
              "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*",
              "Condition": {{"ForAllValues:StringLike": {{"s3:RequestObjectTagKeys": ["Owner", "CreationDate"]}}}}}}]"#
    ));
    let alice = user("alice");
    let existing = |value: &str| context().with(Key::ExistingObjectTag("environment".to_owned()), value);
    assert_eq!(decide(&policy, &alice, Action::GetObject, "a", existing("production")), Decision::Allow);
    assert_eq!(decide(&policy, &alice, Action::GetObject, "a", existing("test")), Decision::ImplicitDeny);
    let mut tagging = context();
    tagging.add_request_tag("Owner", "x");
    assert_eq!(decide(&policy, &alice, Action::PutObjectTagging, "a", tagging.clone()), Decision::Allow);
    tagging.add_request_tag("Team", "y");
    assert_eq!(decide(&policy, &alice, Action::PutObjectTagging, "a", tagging), Decision::ImplicitDeny);
    assert!(policy.asks_for_existing_tags());
}
