//! Dates in the ISO 8601 form `yyyyMMdd'T'HHmmss'Z'`, as seconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: i64 = 86_400;

/// How far a request's date may be from the server's, in seconds.
pub(super) const SKEW_SECONDS_MAX: i64 = 15 * 60;

/// The seconds since 1970 of a point in time.
pub(super) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
    }
}

/// The seconds since 1970 of a date that exists and is well-formed.
pub(super) fn parse(text: &str) -> Option<i64> {
    let day = text.get(..8)?;
    let time = text.get(8..)?.strip_prefix('T')?.strip_suffix('Z')?;
    if time.len() != 6 {
        return None;
    }
    let (year, month, date) = (digits(day.get(..4)?)?, digits(day.get(4..6)?)?, digits(day.get(6..)?)?);
    let (hour, minute, second) = (digits(time.get(..2)?)?, digits(time.get(2..4)?)?, digits(time.get(4..)?)?);
    if !(1..=12).contains(&month) || date < 1 || date > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(days_since_1970(year, month, date) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap_year(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts in years that begin in March, so that leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// A point in time as S3 writes it into error responses, such as `2026-01-02T03:04:05Z`.
pub(super) fn written(seconds: i64) -> String {
    let (days, time) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    // The reverse of `days_since_1970`, in eras of 400 years.
    let days = days.saturating_add(719_468);
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_dates_have_known_seconds() {
        for (text, seconds) in [
            ("19700101T000000Z", 0),
            ("20130524T000000Z", 1_369_353_600),
            ("20240229T235959Z", 1_709_251_199),
            ("19691231T235959Z", -1),
            ("99991231T235959Z", 253_402_300_799),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        for text in [
            "",
            "20130524",
            "20130524T000000",
            "20130524t000000Z",
            "20130524T000000z",
            "2013-05-24T00:00:00Z",
            "20230229T000000Z",
            "20131301T000000Z",
            "20130001T000000Z",
            "20130100T000000Z",
            "20130132T000000Z",
            "20130524T240000Z",
            "20130524T006000Z",
            "20130524T000060Z",
            "+2130524T000000Z",
            "20130524T0000000Z",
            "2013052４T00000Z",
            "Fri, 24 May 2013 00:00:00 GMT",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_written_date_is_parsed_to_the_same_seconds(seconds in -62_135_596_800i64..253_402_300_800) {
            let compact: String = written(seconds).chars().filter(|c| !"-:".contains(*c)).collect();
            prop_assert_eq!(parse(&compact), Some(seconds));
        }

        #[test]
        fn no_text_and_no_number_panics(text in ".{0,20}", seconds: i64) {
            let _ = (parse(&text), written(seconds));
        }
    }
}
