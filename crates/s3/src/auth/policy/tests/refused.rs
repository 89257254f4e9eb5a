//! Policies that are refused.

use super::*;

fn group_error(text: &str) -> String {
    Policy::parse_group(text.as_bytes()).unwrap_err().to_string()
}

fn bucket_error(statement: &str) -> String {
    let text = format!(r#"{{"Version": "2012-10-17", "Statement": {statement}}}"#);
    Policy::parse_bucket(text.as_bytes(), "logs").unwrap_err().to_string()
}

#[test]
fn policies_of_groups_are_refused_with_place_and_cause() {
    let statement = |text: &str| format!(r#"{{"Version": "2012-10-17", "Statement": {text}}}"#);
    for (text, expected) in [
        ("", "is not valid JSON"),
        ("[]", "must be a JSON object"),
        ("{}", "needs a Statement"),
        (r#"{"Version": "2020-01-01", "Statement": {}}"#, "Version: must be 2012-10-17 or 2008-10-17"),
        (r#"{"Statement": []}"#, "Statement: must not be empty"),
        (r#"{"Statement": {}, "Owner": 1}"#, r#"unknown element "Owner""#),
        (&statement(r#"{"Effect": "allow"}"#), "Statement 1, Effect: must be Allow or Deny"),
        (&statement(r#"{"Effect": "Allow", "Resource": "*"}"#), "Statement 1: needs Action or NotAction"),
        (&statement(r#"{"Effect": "Allow", "Action": "*"}"#), "needs Resource or NotResource"),
        (
            &statement(r#"{"Effect": "Allow", "Action": "*", "NotAction": "*", "Resource": "*"}"#),
            "has both Action and NotAction",
        ),
        (&statement(r#"{"Effect": "Allow", "Action": [], "Resource": "*"}"#), "Action: must not be empty"),
        (&statement(r#"{"Effect": "Allow", "Action": [1], "Resource": "*"}"#), "Action: must be a string"),
        (
            &statement(r#"{"Effect": "Allow", "Action": "s3:GetObjects", "Resource": "*"}"#),
            r#""s3:GetObjects", which names no S3 action"#,
        ),
        (&statement(r#"{"Effect": "Allow", "Action": "ec2:*", "Resource": "*"}"#), "names no S3 action"),
        (
            &statement(r#"{"Effect": "Allow", "Action": "*", "Resource": "logs"}"#),
            r#"Resource: has an invalid resource "logs""#,
        ),
        (
            &statement(r#"{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}"#),
            r#"unknown element "Principal""#,
        ),
        (
            &statement(r#"{"Effect": "Allow", "Action": "*", "Resource": "*", "condition": {}}"#),
            r#"unknown element "condition""#,
        ),
        (
            &statement(
                r#"[{"Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*"},
                           {"Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*"}]"#,
            ),
            r#"has the Sid "a" twice"#,
        ),
        (&" ".repeat(POLICY_BYTES_MAX + 1), "at most 20480 are allowed"),
    ] {
        let error = group_error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn policies_of_buckets_are_about_their_bucket_and_name_principals() {
    let error = |principal: &str, action: &str, resource: &str| {
        bucket_error(&format!(
            r#"{{"Effect": "Allow", {principal} "Action": "{action}", "Resource": "arn:aws:s3:::{resource}"}}"#
        ))
    };
    let all = r#""Principal": "*","#;
    assert!(error("", "s3:GetObject", "logs/*").contains("needs Principal or NotPrincipal"));
    assert!(error(all, "s3:GetObject", "other/*").contains("which is not of this bucket"));
    assert!(error(all, "s3:GetObject", "*").contains("which is not of this bucket"));
    assert!(error(all, "s3:GetObject", "logs").contains("does not apply to any resource"));
    assert!(error(all, "s3:ListBucket", "logs/*").contains("does not apply to any resource"));
    assert!(error(all, "s3:ListAllMyBuckets", "logs*").contains("does not apply to any resource"));
    assert!(
        error(r#""NotPrincipal": "*","#, "s3:GetObject", "logs/*").contains("NotPrincipal: cannot be used")
    );
}
