//! Times of the API in words.

use std::time::{Duration, SystemTime};

use forebay_admin::health::span;

/// How long ago a time was; `None` if the text is none, or if it is yet to come.
pub fn age(text: &str) -> Option<Duration> {
    SystemTime::now().duration_since(parsed(text)?).ok()
}

/// `3 min ago`, or the text if it is no time of the past.
pub fn ago(text: &str) -> String {
    age(text).map_or_else(|| text.to_owned(), |age| format!("{} ago", span(age)))
}

/// `3 min ago` or `in 5 days`; `None` if the text is no time.
pub fn relative(text: &str) -> Option<String> {
    let time = parsed(text)?;
    Some(match time.duration_since(SystemTime::now()) {
        Ok(left) if !left.is_zero() => format!("in {}", span(left)),
        _ => ago(text),
    })
}

/// Times of the API are in UTC, with seconds.
fn parsed(text: &str) -> Option<SystemTime> {
    let is_possible = text.len() >= 20 && text.ends_with('Z');
    is_possible.then(|| humantime::parse_rfc3339(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_past_or_yet_to_come_and_other_text_is_left_alone() {
        let at = |time: SystemTime| humantime::format_rfc3339_seconds(time).to_string();
        let now = SystemTime::now();
        assert_eq!(ago(&at(now - Duration::from_secs(300))), "5 min ago");
        assert_eq!(relative(&at(now + Duration::from_secs(3 * 86_400 + 60))).as_deref(), Some("in 3 days"));
        assert_eq!((relative("kafka"), ago("never")), (None, "never".to_owned()));
        assert!(relative("2020-01-01").is_none());
    }
}
