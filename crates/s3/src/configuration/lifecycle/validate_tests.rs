//! Which lifecycle documents are accepted, and that they are returned as they were sent.

use super::*;
use crate::clock::timestamp;

fn ordinary() -> dto::LifecycleRule {
    dto::LifecycleRule {
        expiration: Some(dto::LifecycleExpiration { days: Some(1), ..dto::LifecycleExpiration::default() }),
        filter: Some(dto::LifecycleRuleFilter::default()),
        id: Some("one".to_owned()),
        status: dto::ExpirationStatus::from_static(dto::ExpirationStatus::ENABLED),
        abort_incomplete_multipart_upload: None,
        noncurrent_version_expiration: None,
        noncurrent_version_transitions: None,
        prefix: None,
        transitions: None,
    }
}

fn parse(rules: Vec<dto::LifecycleRule>) -> S3Result<Lifecycle> {
    Lifecycle::from_dto(&dto::BucketLifecycleConfiguration { rules })
}

fn changed(change: impl FnOnce(&mut dto::LifecycleRule)) -> dto::LifecycleRule {
    let mut rule = ordinary();
    change(&mut rule);
    rule
}

fn refusal(change: impl FnOnce(&mut dto::LifecycleRule)) -> (String, String) {
    let error = parse(vec![changed(change)]).unwrap_err();
    (error.code().as_str().to_owned(), error.message().unwrap_or_default().to_owned())
}

fn tag(key: &str) -> dto::Tag {
    dto::Tag { key: Some(key.to_owned()), value: Some("v".to_owned()) }
}

fn and(
    tags: &[&str],
    prefix: Option<&str>,
    sizes: (Option<i64>, Option<i64>),
) -> Option<dto::LifecycleRuleFilter> {
    let and = dto::LifecycleRuleAndOperator {
        object_size_greater_than: sizes.0,
        object_size_less_than: sizes.1,
        prefix: prefix.map(str::to_owned),
        tags: (!tags.is_empty()).then(|| tags.iter().map(|key| tag(key)).collect()),
    };
    Some(dto::LifecycleRuleFilter { and: Some(and), ..dto::LifecycleRuleFilter::default() })
}

fn abort(days: Option<i32>) -> Option<dto::AbortIncompleteMultipartUpload> {
    Some(dto::AbortIncompleteMultipartUpload { days_after_initiation: days })
}

fn noncurrent(days: Option<i32>, keep: Option<i32>) -> Option<dto::NoncurrentVersionExpiration> {
    Some(dto::NoncurrentVersionExpiration { newer_noncurrent_versions: keep, noncurrent_days: days })
}

fn expiration(
    days: Option<i32>,
    date_ms: Option<u64>,
    marker: Option<bool>,
) -> Option<dto::LifecycleExpiration> {
    let date = date_ms.map(timestamp);
    Some(dto::LifecycleExpiration { date, days, expired_object_delete_marker: marker })
}

#[test]
fn rules_survive_the_way_to_the_protocol_and_back() {
    let id = |id: &str| Some(id.to_owned());
    let rules = vec![
        ordinary(),
        changed(|rule| (rule.id, rule.filter, rule.prefix) = (id("old"), None, Some("logs/".to_owned()))),
        changed(|rule| {
            rule.id = id("everything");
            rule.filter = and(&["a", "b"], Some("x/"), (Some(10), Some(20)));
            rule.expiration = expiration(None, Some(20 * DAY_MS), None);
            rule.noncurrent_version_expiration = noncurrent(Some(3), Some(100));
            rule.status = dto::ExpirationStatus::from_static(dto::ExpirationStatus::DISABLED);
        }),
        changed(|rule| {
            rule.id = id("uploads");
            rule.expiration = None;
            rule.abort_incomplete_multipart_upload = abort(Some(7));
        }),
        changed(|rule| {
            rule.id = id("markers");
            rule.filter = Some(dto::LifecycleRuleFilter {
                prefix: Some(String::new()),
                ..dto::LifecycleRuleFilter::default()
            });
            rule.expiration = expiration(None, None, Some(true));
        }),
        changed(|rule| {
            rule.id = id("tagged");
            rule.filter =
                Some(dto::LifecycleRuleFilter { tag: Some(tag("a")), ..dto::LifecycleRuleFilter::default() });
        }),
    ];
    let lifecycle = parse(rules.clone()).unwrap();
    assert!(lifecycle.to_dto() == rules);
    let stored = crate::configuration::encode(&lifecycle).unwrap();
    assert_eq!(crate::configuration::decode::<Lifecycle>(&stored).unwrap(), lifecycle);
}

#[test]
fn aborting_uploads_alone_is_a_rule() {
    assert!(
        parse(vec![changed(
            |rule| (rule.expiration, rule.abort_incomplete_multipart_upload) = (None, abort(Some(1)))
        )])
        .is_ok()
    );
    let refused = refusal(|rule| rule.expiration = None);
    assert_eq!(
        refused,
        ("InvalidRequest".to_owned(), "At least one action needs to be specified in a rule".to_owned())
    );
}

#[test]
fn transitions_are_not_implemented() {
    let refused = refusal(|rule| rule.transitions = Some(vec![dto::Transition::default()]));
    assert_eq!(refused.0, "NotImplemented");
    let refused = refusal(|rule| {
        rule.noncurrent_version_transitions = Some(vec![dto::NoncurrentVersionTransition::default()]);
    });
    assert_eq!(refused.0, "NotImplemented");
    assert!(parse(vec![changed(|rule| rule.transitions = Some(Vec::new()))]).is_ok());
}

#[test]
fn rules_have_unique_ids_or_get_them() {
    let nameless = changed(|rule| rule.id = None);
    let ids: Vec<_> =
        parse(vec![nameless.clone(), nameless]).unwrap().to_dto().into_iter().map(|rule| rule.id).collect();
    assert!(ids[0].is_some() && ids[0] != ids[1], "{ids:?}");
    assert_eq!(parse(vec![ordinary(), ordinary()]).unwrap_err().code().as_str(), "InvalidArgument");
    assert_eq!(refusal(|rule| rule.id = Some("i".repeat(256))).0, "InvalidArgument");
}

#[test]
fn counts_and_dates_have_limits() {
    for days in [0, -1] {
        assert_eq!(refusal(|rule| rule.expiration = expiration(Some(days), None, None)).0, "InvalidArgument");
        assert_eq!(
            refusal(|rule| rule.abort_incomplete_multipart_upload = abort(Some(days))).0,
            "InvalidArgument"
        );
        assert_eq!(
            refusal(|rule| rule.noncurrent_version_expiration = noncurrent(Some(days), None)).0,
            "InvalidArgument"
        );
        assert_eq!(
            refusal(|rule| rule.noncurrent_version_expiration = noncurrent(Some(1), Some(days))).0,
            "InvalidArgument"
        );
    }
    assert_eq!(
        refusal(|rule| rule.noncurrent_version_expiration = noncurrent(Some(1), Some(101))).0,
        "InvalidArgument"
    );
    let refused = refusal(|rule| rule.expiration = expiration(None, Some(DAY_MS + 1), None));
    assert_eq!(refused.1, "'Date' must be at midnight GMT");
}

#[test]
fn documents_that_say_too_much_or_too_little_are_refused() {
    type Change = fn(&mut dto::LifecycleRule);
    let changes: [Change; 9] = [
        |rule| rule.expiration = expiration(None, None, None),
        |rule| rule.expiration = expiration(Some(1), Some(DAY_MS), None),
        |rule| rule.expiration = expiration(Some(1), None, Some(true)),
        |rule| rule.filter = None,
        |rule| rule.prefix = Some("a".to_owned()),
        |rule| rule.filter = and(&[], None, (None, None)),
        |rule| rule.status = dto::ExpirationStatus::from_static("enabled"),
        |rule| rule.noncurrent_version_expiration = noncurrent(None, Some(1)),
        |rule| rule.abort_incomplete_multipart_upload = abort(None),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert_eq!(refusal(change).0, "MalformedXML", "{index}");
    }
    let both = dto::LifecycleRuleFilter {
        prefix: Some("a".to_owned()),
        tag: Some(tag("a")),
        ..dto::LifecycleRuleFilter::default()
    };
    assert_eq!(refusal(|rule| rule.filter = Some(both)).0, "MalformedXML");
    for count in [0, 1001] {
        assert_eq!(parse(vec![ordinary(); count]).unwrap_err().code().as_str(), "MalformedXML");
    }
}

#[test]
fn filters_must_suit_their_actions() {
    let tagged = || and(&["a"], Some("x"), (None, None));
    let sized = || and(&[], Some("x"), (Some(1), None));
    let message = |change: fn(&mut dto::LifecycleRule), filter| {
        refusal(|rule| (change(rule), rule.filter = filter).1).1
    };
    let aborting: fn(&mut dto::LifecycleRule) =
        |rule| rule.abort_incomplete_multipart_upload = abort(Some(1));
    assert_eq!(message(aborting, tagged()), "AbortIncompleteMultipartUpload cannot be specified with Tags.");
    assert_eq!(
        message(aborting, sized()),
        "AbortIncompleteMultipartUpload cannot be specified with Object Size"
    );
    let markers: fn(&mut dto::LifecycleRule) = |rule| rule.expiration = expiration(None, None, Some(true));
    assert_eq!(message(markers, tagged()), "ExpiredObjectDeleteMarker cannot be specified with tags filter");
    let nothing: fn(&mut dto::LifecycleRule) = |_| ();
    assert_eq!(message(nothing, and(&["a", "a"], None, (None, None))), "Duplicate Tag Keys are not allowed.");
    assert!(message(nothing, and(&[], None, (Some(5), Some(5)))).contains("ObjectSizeLessThan"));
    assert!(message(nothing, and(&[], None, (Some(-5), None))).contains("negative"));
}
