//! Times in policies: ISO 8601 as the W3C profile allows it (`2013-08-16`, `2013-08-16T12:00:00Z`), or seconds since 1970.

use std::fmt::{self, Display, Formatter};
use std::time::SystemTime;

const DAY_SECONDS: i64 = 86_400;

/// A time, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date(i128);

impl Date {
    /// Parses a time. A date without a time of day is its first instant, in UTC.
    pub(super) fn parse(text: &str) -> Option<Date> {
        if text.len() <= 12 && is_digits(text, 1) && text.len() != 4 {
            return text.parse().ok().map(|seconds: i64| Date(nanoseconds(seconds)));
        }
        let (day, time) = match text.split_once('T') {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        let mut fields = day.split('-');
        let year = number(fields.next()?, 4)?;
        let month = fields.next().map_or(Some(1), |month| number(month, 2))?;
        let day = fields.next().map_or(Some(1), |day| number(day, 2))?;
        let is_day =
            fields.next().is_none() && (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
        if !is_day || (time.is_some() && text.split_once('T')?.0.len() != 10) {
            return None;
        }
        let midnight = days_since_1970(year, month, day) * DAY_SECONDS;
        let of_day = time.map_or(Some(0), time_of_day)?;
        Some(Date(nanoseconds(midnight) + of_day))
    }

    /// Whole seconds since 1970.
    pub(super) fn seconds(self) -> i64 {
        i64::try_from(self.0.div_euclid(1_000_000_000)).unwrap_or(i64::MAX)
    }
}

impl From<SystemTime> for Date {
    fn from(time: SystemTime) -> Date {
        let nanoseconds =
            |duration: std::time::Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
        Date(match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => nanoseconds(since),
            Err(before) => -nanoseconds(before.duration()),
        })
    }
}

impl Display for Date {
    /// In whole seconds, in UTC: `2013-08-16T12:00:00Z`.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (days, of_day) = (self.seconds().div_euclid(DAY_SECONDS), self.seconds().rem_euclid(DAY_SECONDS));
        let (year, month, day) = day_of(days);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Nanoseconds since midnight of `12:00Z`, `12:00:00Z`, `12:00:00.5Z` or with an offset such as `+01:00` for the `Z`.
fn time_of_day(text: &str) -> Option<i128> {
    let (clock, offset) = match text.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let (clock, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
            let (hours, minutes) = offset.get(1..)?.split_once(':')?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            let seconds = (hours <= 23 && minutes <= 59).then_some(hours * 3600 + minutes * 60)?;
            match offset.get(..1)? {
                "+" => (clock, seconds),
                "-" => (clock, -seconds),
                _ => return None,
            }
        }
    };
    let mut fields = clock.split(':');
    let (hour, minute) = (number(fields.next()?, 2)?, number(fields.next()?, 2)?);
    let (second, fraction) = match fields.next() {
        None => (0, 0),
        Some(second) => match second.split_once('.') {
            None => (number(second, 2)?, 0),
            Some((second, fraction)) => {
                (is_digits(fraction, 1) && fraction.len() <= 9).then_some(())?;
                (number(second, 2)?, format!("{fraction:0<9}").parse().ok()?)
            }
        },
    };
    let is_time = fields.next().is_none() && hour <= 23 && minute <= 59 && second <= 59;
    is_time.then(|| nanoseconds(hour * 3600 + minute * 60 + second - offset) + fraction)
}

fn nanoseconds(seconds: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000
}

fn is_digits(text: &str, count_min: usize) -> bool {
    text.len() >= count_min && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number of exactly that many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && is_digits(text, digits)).then(|| text.parse().ok())?
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a day, counted from 1970. Years begin in March here, so that the leap day is a year's last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

/// Year, month and day of a day that is counted from 1970. Inverts `days_since_1970`.
fn day_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        Date::parse(text).map(Date::seconds)
    }

    #[test]
    fn times_are_read_in_all_forms_that_policies_use() {
        for (text, expected) in [
            ("0", 0),
            ("1376654400", 1_376_654_400),
            ("2013-08-16T12:00:00Z", 1_376_654_400),
            ("2013-08-16T12:00Z", 1_376_654_400),
            ("2013-08-16T12:00:00.5Z", 1_376_654_400),
            ("2013-08-16T14:00:00+02:00", 1_376_654_400),
            ("2013-08-16T06:30:00-05:30", 1_376_654_400),
            ("2013-08-16", 1_376_611_200),
            ("2013-08", 1_375_315_200),
            ("2013", 1_356_998_400),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29", 951_782_400),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        assert!(Date::parse("2013-08-16T12:00:00.5Z") > Date::parse("2013-08-16T12:00:00Z"));
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for wrong in [
            "",
            "T",
            "-1",
            "2013-13",
            "2013-02-29",
            "1900-02-29",
            "2013-08-16T",
            "2013-08-16T12Z",
            "2013-08-16T24:00Z",
            "2013-08-16T12:60Z",
            "2013-08-16T12:00:00",
            "2013-08-16 12:00:00Z",
            "2013T12:00Z",
            "2013-08-16T12:00:00.Z",
            "2013-08-16T12:00:00+2:00",
            "2013-08-16T12:00:00é1:00",
            "16.08.2013",
            "13-08-16",
            "99999999999999",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_is_written_and_read_back() {
        for day in (-200_000..200_000).step_by(7) {
            let date = Date(nanoseconds(day * DAY_SECONDS + 3_723));
            assert_eq!(Date::parse(&date.to_string()), Some(date).filter(|_| day > -719_528), "{date}");
        }
    }
}
