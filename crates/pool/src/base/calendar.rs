//! Dates of the Gregorian calendar, in UTC.

use std::time::SystemTime;

use super::sources::seconds_of;

const DAY: u64 = 24 * 60 * 60;

/// Year, month and day. Calculates with years that begin in March, so that a leap day is the last day of a year, and with eras of
/// 400 years, which all have the same number of days.
pub(crate) fn date(days_since_1970: u64) -> (u64, u64, u64) {
    const DAYS_OF_ERA: u64 = 146_097;
    /// The number of days from March 1st of year 0 to 1970.
    const DAYS_BEFORE_1970: u64 = 719_468;
    let days = days_since_1970 + DAYS_BEFORE_1970;
    let (era, day_of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// A time such as `2026-11-22T01:00:00Z`.
pub(crate) fn text(time: SystemTime) -> String {
    let seconds = seconds_of(time);
    let (year, month, day) = date(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_written_in_utc() {
        let at = |seconds| text(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(1_709_210_096), "2024-02-29T12:34:56Z");
    }
}
