//! The task that reports access keys that have expired.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_service::events::{Events, Kind, Who};

use crate::auth::users::{AccessKey, Users};
use crate::shared::Shared;

/// How often the keys are looked at.
const PERIOD: Duration = Duration::from_secs(60);

/// Reports each key that expires from now on. Runs until it is aborted.
pub async fn run(shared: Arc<Shared>, users: Users) {
    let mut since = SystemTime::now();
    loop {
        tokio::time::sleep(PERIOD).await;
        let now = SystemTime::now();
        report(&shared.service.events, &users.keys(), since, now);
        since = now;
    }
}

/// Reports the keys that expired after `since` and not after `now`.
fn report(events: &Events, keys: &[AccessKey], since: SystemTime, now: SystemTime) {
    let expired = |key: &&AccessKey| key.expires.is_some_and(|expires| expires > since && expires <= now);
    for key in keys.iter().filter(expired) {
        let message = format!(
            "has expired; it belongs to S3 user {user}, and `forebay s3 key create {user}` makes another",
            user = key.user
        );
        events.note(Kind::S3KeyExpired, format!("access key {}", key.id), message, Who::default());
    }
}

#[cfg(test)]
mod tests {
    use forebay_service::events::{Severity, Wanted};

    use super::*;

    fn key(id: &str, expires: Option<u64>) -> AccessKey {
        AccessKey {
            id: id.to_owned(),
            user: "alice".to_owned(),
            created: SystemTime::UNIX_EPOCH,
            expires: expires.map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)),
            disabled: false,
            last_used: None,
            is_readable: true,
        }
    }

    #[test]
    fn a_key_is_reported_once_when_it_expires() {
        let keys =
            [key("never", None), key("before", Some(10)), key("now", Some(20)), key("later", Some(21))];
        let events = Events::new(0);
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        report(&events, &keys, at(10), at(20));
        report(&events, &keys, at(20), at(20));
        let (kept, _) = events.list(Wanted { after: 0, severity: Severity::Info, limit: 9 });
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].object, "access key now");
    }
}
