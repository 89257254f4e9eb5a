//! What is due for versions and uploads, to the millisecond.

use super::*;
use crate::configuration::lifecycle::Filter;

const HOUR_MS: u64 = 60 * 60 * 1000;
/// Some day at 10:30.
const WRITTEN_MS: u64 = 20_000 * DAY_MS + 10 * HOUR_MS + HOUR_MS / 2;
const ONLY: Place = Place::Current { is_only_version: true };

fn rule(expiration: Option<Expiration>, noncurrent: Option<(u32, Option<u32>)>) -> Rule {
    Rule {
        id: "one".to_owned(),
        enabled: true,
        filter: Filter::default(),
        expiration,
        noncurrent: noncurrent.map(|(days, keep)| NoncurrentExpiration { days, keep }),
        abort_upload_days: None,
    }
}

fn lifecycle(rule: Rule) -> Lifecycle {
    Lifecycle { rules: vec![rule] }
}

fn due(lifecycle: &Lifecycle, is_delete_marker: bool, place: Place, now_ms: u64) -> Option<Action> {
    let version = Version {
        key: "key",
        tags: &Tags::default(),
        size: 10,
        modified_ms: WRITTEN_MS,
        is_delete_marker,
        place,
    };
    lifecycle.due(&version, now_ms).map(|due| due.action)
}

#[test]
fn an_object_expires_at_the_midnight_after_its_days() {
    let three_days = lifecycle(rule(Some(Expiration::Days(3)), None));
    let midnight = 20_004 * DAY_MS;
    assert_eq!(due(&three_days, false, ONLY, midnight - 1), None);
    assert_eq!(due(&three_days, false, ONLY, midnight), Some(Action::Expire));
    let place = Place::Current { is_only_version: false };
    assert_eq!(due(&three_days, false, place, midnight), Some(Action::Expire));
    let noncurrent = Place::Noncurrent { since_ms: WRITTEN_MS, newer_noncurrent: 0 };
    assert_eq!(due(&three_days, false, noncurrent, u64::MAX), None);
}

#[test]
fn a_date_expires_all_objects_from_then_on() {
    let date = lifecycle(rule(Some(Expiration::DateMs(20_010 * DAY_MS)), None));
    assert_eq!(due(&date, false, ONLY, 20_010 * DAY_MS - 1), None);
    assert_eq!(due(&date, false, ONLY, 20_010 * DAY_MS), Some(Action::Expire));
}

#[test]
fn a_delete_marker_is_removed_once_it_is_the_only_version() {
    let markers = lifecycle(rule(Some(Expiration::DeleteMarker(true)), None));
    assert_eq!(due(&markers, true, ONLY, WRITTEN_MS), Some(Action::RemoveVersion));
    assert_eq!(due(&markers, true, Place::Current { is_only_version: false }, u64::MAX), None);
    assert_eq!(due(&markers, false, ONLY, u64::MAX), None);
    let off = lifecycle(rule(Some(Expiration::DeleteMarker(false)), None));
    assert_eq!(due(&off, true, ONLY, u64::MAX), None);
    let days = lifecycle(rule(Some(Expiration::Days(3)), None));
    assert_eq!(due(&days, true, ONLY, 20_004 * DAY_MS - 1), None);
    assert_eq!(due(&days, true, ONLY, 20_004 * DAY_MS), Some(Action::RemoveVersion));
}

#[test]
fn noncurrent_versions_count_from_when_they_were_replaced_and_the_newest_are_kept() {
    let keeping = lifecycle(rule(None, Some((2, Some(3)))));
    let since_ms = WRITTEN_MS + 5 * DAY_MS;
    let place = |newer_noncurrent| Place::Noncurrent { since_ms, newer_noncurrent };
    let midnight = 20_008 * DAY_MS;
    assert_eq!(due(&keeping, false, place(3), midnight - 1), None);
    assert_eq!(due(&keeping, false, place(3), midnight), Some(Action::RemoveVersion));
    assert_eq!(due(&keeping, true, place(3), midnight), Some(Action::RemoveVersion));
    assert_eq!(due(&keeping, false, place(2), midnight), None);
    assert_eq!(due(&keeping, false, ONLY, u64::MAX), None);
}

#[test]
fn a_rule_that_is_disabled_or_about_other_objects_does_nothing() {
    let days = || rule(Some(Expiration::Days(1)), None);
    let filtered = |json: &str| lifecycle(Rule { filter: serde_json::from_str(json).unwrap(), ..days() });
    assert_eq!(due(&lifecycle(Rule { enabled: false, ..days() }), false, ONLY, u64::MAX), None);
    for (filter, expected) in [
        (r#"{"p":"ke"}"#, Some(Action::Expire)),
        (r#"{"p":"x"}"#, None),
        (r#"{"t":{"a":"b"}}"#, None),
        (r#"{"g":9,"l":11}"#, Some(Action::Expire)),
        (r#"{"g":10}"#, None),
        (r#"{"l":10}"#, None),
    ] {
        assert_eq!(due(&filtered(filter), false, ONLY, u64::MAX), expected, "{filter}");
    }
}

#[test]
fn the_rule_that_acts_first_is_announced() {
    let later = Rule { id: "later".to_owned(), ..rule(Some(Expiration::Days(9)), None) };
    let both = Lifecycle { rules: vec![later, rule(Some(Expiration::Days(3)), None)] };
    let tags = Tags::default();
    let version = Version {
        key: "key",
        tags: &tags,
        size: 0,
        modified_ms: WRITTEN_MS,
        is_delete_marker: false,
        place: ONLY,
    };
    let first = both.schedule(&version).unwrap();
    assert_eq!((first.rule_id, first.at_ms), ("one", 20_004 * DAY_MS));
    let header = "expiry-date=\"Tue, 08 Oct 2024 00:00:00 GMT\", rule-id=\"one\"";
    assert_eq!(first.expiration_header().as_deref(), Some(header));
    assert_eq!(Due { action: Action::RemoveVersion, ..first }.expiration_header(), None);
}

#[test]
fn uploads_are_aborted_days_after_they_were_initiated() {
    let aborting = lifecycle(Rule { abort_upload_days: Some(1), ..rule(None, None) });
    assert_eq!(aborting.upload_due("key", WRITTEN_MS, 20_002 * DAY_MS - 1), None);
    assert_eq!(aborting.upload_due("key", WRITTEN_MS, 20_002 * DAY_MS), Some("one"));
    assert_eq!(aborting.upload_due("key", u64::MAX, u64::MAX - DAY_MS), None);
}
