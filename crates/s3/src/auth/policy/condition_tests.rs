//! Conditions, one operator after another.

use std::time::{Duration, SystemTime};

use super::*;

fn parse(text: &str) -> Parsed<Vec<Condition>> {
    Condition::parse_all(Json::parse(text.as_bytes()).unwrap(), true, "Condition")
}

fn met(text: &str, context: &Context) -> bool {
    parse(text).unwrap().iter().all(|condition| condition.is_met(context))
}

/// Whether a condition of one key is met by a request with these values of it.
fn meets(operator: &str, key: &str, policy: &str, request: &[&str]) -> bool {
    let mut context = Context::default();
    for value in request {
        context.add(Key::parse(key).unwrap(), *value);
    }
    met(&format!(r#"{{"{operator}": {{"{key}": {policy}}}}}"#), &context)
}

#[test]
fn texts_are_compared_with_and_without_case_and_wildcards() {
    let prefix = |operator, policy, request| meets(operator, "s3:prefix", policy, &[request]);
    assert!(prefix("StringEquals", r#""a*""#, "a*") && !prefix("StringEquals", r#""a*""#, "ab"));
    assert!(prefix("StringEquals", r#"["x", "y"]"#, "y") && !prefix("StringEquals", r#"["x", "y"]"#, "Y"));
    assert!(prefix("StringEqualsIgnoreCase", r#""Home/""#, "hOME/"));
    assert!(
        prefix("StringLike", r#""home/?/*""#, "home/a/") && !prefix("StringLike", r#""home/?/*""#, "home/")
    );
    assert!(
        !prefix("StringNotEquals", r#"["x", "y"]"#, "y") && prefix("StringNotEquals", r#"["x", "y"]"#, "z")
    );
    assert!(!prefix("StringNotLike", r#"["x*", "y*"]"#, "yy") && prefix("StringNotLike", r#""x*""#, "y"));
    assert!(!prefix("StringNotEqualsIgnoreCase", r#""X""#, "x"));
    assert!(prefix("StringEquals", r#""""#, ""));
}

#[test]
fn numbers_are_compared_as_numbers() {
    let keys = |operator, policy, request| meets(operator, "s3:max-keys", policy, &[request]);
    assert!(keys("NumericLessThanEquals", "10", "9") && keys("NumericLessThanEquals", "\"10\"", "10"));
    assert!(!keys("NumericLessThanEquals", "10", "11") && !keys("NumericLessThan", "10", "10"));
    assert!(keys("NumericGreaterThan", "10", "100") && keys("NumericGreaterThanEquals", "10", "10.0"));
    assert!(keys("NumericEquals", "[1, 2]", "2") && keys("NumericNotEquals", "[1, 2]", "3"));
    assert!(!keys("NumericNotEquals", "[1, 2]", "2"));
    assert!(!keys("NumericLessThan", "10", "few"));
}

#[test]
fn times_are_compared_as_times() {
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_376_654_400);
    let context = Context::at(noon);
    assert!(met(r#"{"DateGreaterThan": {"aws:CurrentTime": "2013-08-16T11:59:59Z"}}"#, &context));
    assert!(!met(r#"{"DateLessThan": {"aws:CurrentTime": "2013-08-16T12:00:00Z"}}"#, &context));
    assert!(met(r#"{"DateLessThanEquals": {"aws:EpochTime": "1376654400"}}"#, &context));
    assert!(met(r#"{"NumericEquals": {"aws:EpochTime": 1376654400}}"#, &context));
    assert!(met(r#"{"DateEquals": {"aws:CurrentTime": "2013-08-16T14:00:00+02:00"}}"#, &context));
}

#[test]
fn addresses_are_in_ranges() {
    let ip = |operator, policy, request| meets(operator, "aws:SourceIp", policy, &[request]);
    let two = r#"["203.0.113.0/24", "2001:db8::/32"]"#;
    assert!(ip("IpAddress", two, "203.0.113.7") && ip("IpAddress", two, "2001:db8::1"));
    assert!(!ip("IpAddress", two, "198.51.100.1") && ip("NotIpAddress", two, "198.51.100.1"));
    assert!(!ip("NotIpAddress", two, "203.0.113.7"));
}

#[test]
fn arns_are_compared_part_by_part() {
    let arn = |operator, policy, request| meets(operator, "aws:PrincipalArn", policy, &[request]);
    let alice = "arn:aws:iam::000000000000:user/alice";
    for operator in ["ArnEquals", "ArnLike"] {
        assert!(arn(operator, r#""arn:aws:iam::*:user/al*""#, alice));
        assert!(!arn(operator, r#""arn:aws:*:user/alice:x:y""#, alice));
        assert!(!arn(operator, r#""arn:aws:iam::000000000000:user/b*""#, alice));
    }
    assert!(!arn("ArnNotLike", r#""arn:*:*:*:*:*""#, alice));
}

#[test]
fn a_missing_value_meets_negated_operators_alone() {
    for (operator, policy) in [
        ("StringEquals", "\"x\""),
        ("StringLike", "\"*\""),
        ("NumericLessThan", "1"),
        ("IpAddress", "\"0.0.0.0/0\""),
        ("Bool", "\"false\""),
        ("ForAnyValue:StringNotEquals", "\"x\""),
        ("ForAnyValue:StringEquals", "\"x\""),
    ] {
        assert!(!meets(operator, "s3:prefix", policy, &[]), "{operator}");
        if !operator.contains(':') {
            assert!(meets(&format!("{operator}IfExists"), "s3:prefix", policy, &[]), "{operator}");
        }
    }
    for operator in
        ["StringNotEquals", "StringNotLike", "ForAllValues:StringEquals", "ForAllValues:StringNotLike"]
    {
        assert!(meets(operator, "s3:prefix", "\"x\"", &[]), "{operator}");
    }
    assert!(meets("NotIpAddress", "aws:SourceIp", "\"10.0.0.0/8\"", &[]));
}

#[test]
fn if_exists_still_compares_a_value_that_exists() {
    assert!(!meets("StringEqualsIfExists", "s3:prefix", "\"x\"", &["y"]));
    assert!(meets("StringEqualsIfExists", "s3:prefix", "\"x\"", &["x"]));
}

#[test]
fn null_asks_whether_there_is_no_value() {
    for policy in ["true", "\"true\""] {
        assert!(
            meets("Null", "s3:if-none-match", policy, &[])
                && !meets("Null", "s3:if-none-match", policy, &["*"])
        );
    }
    assert!(
        meets("Null", "s3:if-none-match", "false", &["*"])
            && !meets("Null", "s3:if-none-match", "false", &[])
    );
}

#[test]
fn quantifiers_say_how_many_of_the_values_must_fit() {
    // The examples of the reference on multivalued keys.
    let tags = |operator: &str, policy, request: &[&str]| {
        meets(operator, "s3:RequestObjectTagKeys", policy, request)
    };
    let allowed = r#"["environment", "costcenter"]"#;
    assert!(tags("ForAllValues:StringEquals", allowed, &["environment"]));
    assert!(tags("ForAllValues:StringEquals", allowed, &["environment", "costcenter"]));
    assert!(!tags("ForAllValues:StringEquals", allowed, &["environment", "owner"]));
    assert!(tags("ForAllValues:StringEquals", allowed, &[]));
    assert!(tags("ForAnyValue:StringEquals", allowed, &["owner", "costcenter"]));
    assert!(
        !tags("ForAnyValue:StringEquals", allowed, &["owner"])
            && !tags("ForAnyValue:StringEquals", allowed, &[])
    );
    assert!(tags("ForAnyValue:StringNotEquals", allowed, &["owner", "costcenter"]));
    assert!(!tags("ForAllValues:StringNotEquals", allowed, &["owner", "costcenter"]));
}

#[test]
fn variables_are_compared_with_their_values() {
    let condition = r#"{"StringEquals": {"s3:prefix": "home/${aws:username}/"}}"#;
    let context = Context::default().with(Key::Username, "al*ce").with(Key::Prefix, "home/al*ce/");
    assert!(met(condition, &context));
    assert!(!met(condition, &Context::default().with(Key::Prefix, "home//")));
    let negated = r#"{"StringNotEquals": {"s3:prefix": "home/${aws:username}/"}}"#;
    assert!(met(negated, &Context::default().with(Key::Prefix, "home//")));
}

#[test]
fn wrong_conditions_are_refused_with_place_and_cause() {
    for (text, expected) in [
        (r#"{"StringIs": {"s3:prefix": "x"}}"#, "StringIs: is not a known condition operator"),
        (
            r#"{"StringEquals": {"s3:prefx": "x"}}"#,
            r#"StringEquals: has an unknown condition key "s3:prefx""#,
        ),
        (r#"{"StringEquals": {"s3:prefix": []}}"#, "s3:prefix: must not be empty"),
        (r#"{"StringEquals": {"s3:prefix": {}}}"#, "must be a string or a list"),
        (r#"{"StringEquals": {"s3:prefix": null}}"#, "must be a string or a list"),
        (r#"{"StringEquals": "x"}"#, "must be a JSON object"),
        (r#"{"Bool": {"aws:SecureTransport": "yes"}}"#, r#""yes", which is not true or false"#),
        (r#"{"NumericEquals": {"s3:max-keys": "ten"}}"#, r#""ten", which is not a number"#),
        (r#"{"NumericEquals": {"s3:max-keys": 1e300}}"#, "which is not a number"),
        (r#"{"NumericEquals": {"s3:max-keys": "${s3:max-keys}"}}"#, "which is not a number"),
        (r#"{"DateLessThan": {"aws:CurrentTime": "tomorrow"}}"#, "which is not a time"),
        (r#"{"IpAddress": {"aws:SourceIp": "10.0.0.0/99"}}"#, "which is not an address"),
        (r#"{"ArnLike": {"aws:PrincipalArn": "arn:aws:iam"}}"#, "must be an ARN"),
        (r#"{"StringLike": {"s3:prefix": "${aws:nobody}"}}"#, "not a known policy variable"),
        ("[]", "Condition: must be a JSON object"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
