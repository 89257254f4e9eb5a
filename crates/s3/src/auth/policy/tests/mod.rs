//! Policies, from their text to a decision.

mod examples;
mod refused;

use std::time::SystemTime;

use super::*;

const ALICE_ONLY: &str = r#"{"AWS": "arn:aws:iam::000000000000:user/alice"}"#;

fn user(name: &str) -> Principal {
    Principal::User { name: name.to_owned(), id: format!("AIDA{name}") }
}

fn context() -> Context {
    Context::at(SystemTime::UNIX_EPOCH)
}

fn group(text: &str) -> Policy {
    Policy::parse_group(text.as_bytes()).unwrap()
}

fn bucket(statements: &str) -> Policy {
    let text = format!(r#"{{"Version": "2012-10-17", "Statement": {statements}}}"#);
    Policy::parse_bucket(text.as_bytes(), "amzn-s3-demo-bucket").unwrap()
}

/// The decision for a key of the bucket, or for the bucket itself if the key is empty.
fn decide(policy: &Policy, who: &Principal, action: Action, key: &str, context: Context) -> Decision {
    let bucket = "amzn-s3-demo-bucket";
    let resource = if key.is_empty() { Resource::Bucket(bucket) } else { Resource::Object { bucket, key } };
    evaluate([policy], &Request::new(who, action, resource, context))
}

#[test]
fn a_policy_that_depends_on_tags_says_so_even_if_only_a_variable_names_them() {
    let statement = |resource: &str, condition: &str| {
        let text = format!(
            r#"{{"Version": "2012-10-17", "Statement": {{"Effect": "Deny", "Action": "*", "Resource": "{resource}", "Condition": {condition}}}}}"#
        );
        group(&text).asks_for_existing_tags()
    };
    let variable = "${s3:ExistingObjectTag/team}";
    assert!(statement(&format!("arn:aws:s3:::logs/{variable}/*"), "{}"));
    assert!(statement("*", &format!(r#"{{"StringNotLike": {{"aws:username": "{variable}-*"}}}}"#)));
    assert!(statement(
        "*",
        &format!(r#"{{"ArnLike": {{"aws:PrincipalArn": "arn:aws:iam::*:user/{variable}"}}}}"#)
    ));
    assert!(!statement("*", r#"{"StringEquals": {"s3:RequestObjectTag/team": "x"}}"#));
}

#[test]
fn a_denial_wins_wherever_it_stands_and_nothing_is_allowed_by_default() {
    let allow = r#"{"Effect": "Allow", "Action": "*", "Resource": "*"}"#;
    let deny = r#"{"Effect": "Deny", "Action": "s3:Delete*", "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/keep/*"}"#;
    for (one, other) in [(allow, deny), (deny, allow)] {
        let policy = group(&format!(r#"{{"Version": "2012-10-17", "Statement": [{one}, {other}]}}"#));
        let delete = |key| decide(&policy, &user("alice"), Action::DeleteObject, key, context());
        assert_eq!((delete("keep/a"), delete("b")), (Decision::ExplicitDeny, Decision::Allow));
    }
    let request = Request::new(&Principal::Anonymous, Action::GetObject, Resource::Bucket("x"), context());
    assert_eq!(evaluate([], &request), Decision::ImplicitDeny);
}

#[test]
fn not_action_and_not_resource_mean_all_others() {
    let policy = group(
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "NotAction": "s3:Delete*",
            "NotResource": ["arn:aws:s3:::amzn-s3-demo-bucket/secret/*"]}}"#,
    );
    let may = |action, key| decide(&policy, &user("alice"), action, key, context()) == Decision::Allow;
    assert!(may(Action::GetObject, "a") && may(Action::ListBucket, ""));
    assert!(!may(Action::GetObject, "secret/a") && !may(Action::DeleteObject, "a"));
}

#[test]
fn old_policies_have_no_variables() {
    for version in ["", r#""Version": "2008-10-17","#] {
        let policy = group(&format!(
            r#"{{{version} "Statement": {{"Effect": "Allow", "Action": "s3:GetObject",
                "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/${{aws:username}}"}}}}"#
        ));
        let get = |key| decide(&policy, &user("alice"), Action::GetObject, key, context());
        assert_eq!((get("alice"), get("${aws:username}")), (Decision::ImplicitDeny, Decision::Allow));
    }
}

#[test]
fn a_caller_cannot_choose_the_principals_keys() {
    let policy = group(
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*",
            "Condition": {"StringEquals": {"aws:username": "admin"}}}}"#,
    );
    let forged = context().with(Key::Username, "admin");
    for sender in [user("alice"), Principal::Anonymous] {
        assert_eq!(decide(&policy, &sender, Action::GetObject, "a", forged.clone()), Decision::ImplicitDeny);
    }
    assert_eq!(decide(&policy, &user("admin"), Action::GetObject, "a", forged), Decision::Allow);
}

#[test]
fn a_list_of_all_buckets_is_allowed_for_all_resources_only() {
    for (resource, expected) in [
        ("*", Decision::Allow),
        ("arn:aws:s3:::*", Decision::Allow),
        ("arn:aws:s3:::amzn-s3-demo-bucket", Decision::ImplicitDeny),
    ] {
        let policy = group(&format!(
            r#"{{"Version": "2012-10-17", "Statement": {{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "{resource}"}}}}"#
        ));
        let alice = user("alice");
        let request = Request::new(&alice, Action::ListAllMyBuckets, Resource::Account, context());
        assert_eq!(evaluate([&policy], &request), expected, "{resource}");
    }
}

#[test]
fn a_policy_is_public_unless_everyone_is_narrowed_to_known_callers() {
    let is_public = |principal: &str, condition: &str| {
        bucket(&format!(
            r#"{{"Effect": "Allow", "Principal": {principal}, "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*", "Condition": {condition}}}"#
        ))
        .is_public()
    };
    for public in [
        "{}",
        r#"{"IpAddress": {"aws:SourceIp": "0.0.0.0/1"}}"#,
        r#"{"IpAddress": {"aws:SourceIp": ["192.0.2.0/24", "0.0.0.0/7"]}}"#,
        r#"{"IpAddress": {"aws:SourceIp": "2001::/31"}}"#,
        r#"{"IpAddressIfExists": {"aws:SourceIp": "192.0.2.0/24"}}"#,
        r#"{"ForAllValues:IpAddress": {"aws:SourceIp": "192.0.2.0/24"}}"#,
        r#"{"NotIpAddress": {"aws:SourceIp": "192.0.2.0/24"}}"#,
        r#"{"StringLike": {"aws:userid": "AIDA*"}}"#,
        r#"{"StringEquals": {"aws:userid": "anonymous"}}"#,
        r#"{"StringNotEquals": {"aws:userid": "AIDA1"}}"#,
        r#"{"StringEquals": {"aws:PrincipalArn": "${aws:PrincipalArn}"}}"#,
        r#"{"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:user/alice"}}"#,
        r#"{"StringLike": {"aws:Referer": "https://example.com/"}}"#,
        r#"{"Bool": {"aws:SecureTransport": "true"}}"#,
    ] {
        assert!(is_public("\"*\"", public) && is_public(r#"{"AWS": "*"}"#, public), "{public}");
        assert!(!is_public(ALICE_ONLY, public), "{public}");
    }
    for known in [
        r#"{"IpAddress": {"aws:SourceIp": ["192.0.2.0/24", "10.0.0.0/8", "2001:db8::/32"]}}"#,
        r#"{"StringEquals": {"aws:userid": ["AIDA1", "AIDA2"]}}"#,
        r#"{"ArnEquals": {"aws:PrincipalArn": "arn:aws:iam::000000000000:user/alice"}}"#,
        r#"{"Bool": {"aws:SecureTransport": "true"}, "ForAnyValue:IpAddress": {"aws:SourceIp": "192.0.2.0/24"}}"#,
    ] {
        assert!(!is_public("\"*\"", known), "{known}");
    }
}

#[test]
fn one_public_statement_makes_the_policy_public() {
    let statement = |principal: &str, action: &str| {
        format!(
            r#"{{"Effect": "Allow", "Principal": {principal}, "Action": "s3:{action}", "Resource": "arn:aws:s3:::amzn-s3-demo-bucket/*"}}"#
        )
    };
    let (known, public) = (statement(ALICE_ONLY, "PutObject"), statement("\"*\"", "GetObject"));
    assert!(!bucket(&format!("[{known}]")).is_public());
    assert!(bucket(&format!("[{known}, {public}]")).is_public());
    assert!(!bucket(&format!("[{}]", public.replace("Allow", "Deny"))).is_public());
}

#[test]
fn arbitrary_bytes_are_parsed_and_evaluated_without_a_panic() {
    for text in [
        "",
        "{",
        "\u{0}",
        r#"{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"Null": {"s3:prefix": "true"}}}}"#,
        r#"{"Statement": {"Effect": "Deny", "NotPrincipal": "*", "NotAction": "*", "NotResource": "arn:aws:s3:::logs*"}}"#,
        r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "arn:aws:s3:::${s3:prefix}"}}"#,
    ] {
        fuzz_policy(text.as_bytes());
    }
    fuzz_policy(&[0xff; 100]);
}

proptest::proptest! {
    #[test]
    fn no_text_like_a_policy_makes_the_parser_panic(
        operator in "(ForAllValues:|ForAnyValue:)?(StringLike|ArnLike|DateLessThan|NumericEquals|IpAddress|Bool)(IfExists)?",
        key in "(aws:(SourceIp|CurrentTime|username|PrincipalArn)|s3:(prefix|max-keys|RequestObjectTagKeys|ExistingObjectTag/é))",
        value in "[-a-z0-9*?${}:./é ']{0,24}",
        resource in "[a-z*?${}:/'é]{0,20}",
    ) {
        let text = serde_json::json!({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*",
            "Resource": format!("arn:aws:s3:::{resource}"), "Condition": {operator: {key: value}}}});
        fuzz_policy(text.to_string().as_bytes());
    }
}
