//! Values that several commands take.

use std::time::{Duration, SystemTime};

/// Parses one of the words of an enumeration.
pub fn parse_word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

/// Reads an owner and a group, as numbers.
pub fn parse_owner(text: &str) -> Result<(u32, u32), String> {
    let owner = text.split_once(':').and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
    match owner {
        Some((u32::MAX, _) | (_, u32::MAX)) => {
            Err("4294967295 stands for no user and no group; choose another number, such as 65534".to_owned())
        }
        Some(owner) => Ok(owner),
        None => Err("write UID:GID as numbers, such as 1000:1000; `id USER` shows them".to_owned()),
    }
}

/// A label or a tag: a key and a value.
pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, such as team=logs".to_owned()),
    }
}

/// A hundred years.
const COMING_MAX: Duration = Duration::from_secs(3_155_760_000);

/// When something expires: a time, or never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry(pub Option<String>);

/// Reads a time to come, as a time from now such as `7d`, or as a date. Returns it as the API writes it.
pub fn parse_coming(text: &str) -> Result<String, String> {
    let hint = || {
        "write a time from now, such as 7d or 12h, or a date in UTC, such as 2027-01-31 or 2027-01-31T06:00:00Z".to_owned()
    };
    let time = match humantime::parse_duration(text) {
        Ok(wait) => SystemTime::now().checked_add(wait).ok_or_else(hint)?,
        Err(_) => humantime::parse_rfc3339(text)
            .or_else(|_| humantime::parse_rfc3339(&format!("{text}T00:00:00Z")))
            .map_err(|_| hint())?,
    };
    if time <= SystemTime::now() {
        return Err(format!("{text} has passed"));
    }
    // A later time could not be written either.
    if SystemTime::now().checked_add(COMING_MAX).is_none_or(|latest| time > latest) {
        return Err(format!("{text} is more than a hundred years from now"));
    }
    Ok(humantime::format_rfc3339_seconds(time).to_string())
}

/// As [`parse_coming`], or `never`.
pub fn parse_expiry(text: &str) -> Result<Expiry, String> {
    if text == "never" { Ok(Expiry(None)) } else { parse_coming(text).map(|time| Expiry(Some(time))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_tags_have_a_key() {
        assert_eq!(parse_pair("team=a=b"), Ok(("team".into(), "a=b".into())));
        assert_eq!(parse_pair("team="), Ok(("team".into(), String::new())));
        assert!(parse_pair("team").is_err() && parse_pair("=x").is_err());
    }

    #[test]
    fn a_time_to_come_is_a_duration_or_a_date() {
        assert_eq!(parse_coming("2099-01-31").unwrap(), "2099-01-31T00:00:00Z");
        assert_eq!(parse_coming("2099-01-31T06:00:00Z").unwrap(), "2099-01-31T06:00:00Z");
        assert!(parse_coming("7d").is_ok());
        for wrong in ["1999-01-31", "0s", "soon", "-3d", "9000y", "9999-01-01"] {
            assert!(parse_coming(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_expiry("never"), Ok(Expiry(None)));
    }
}
