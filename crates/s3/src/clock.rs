//! Times as the rules use them: milliseconds since 1970, UTC.

use s3s::dto::Timestamp;
use time::OffsetDateTime;

/// The milliseconds of a day.
pub const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Returns a protocol time as milliseconds since 1970. Times before 1970 become 0.
pub fn millis(timestamp: &Timestamp) -> u64 {
    let nanos = OffsetDateTime::from(timestamp.clone()).unix_timestamp_nanos();
    u64::try_from(nanos / 1_000_000).unwrap_or(0)
}

/// Returns milliseconds since 1970 as a protocol time. Times after the year 9999 become 1970.
pub fn timestamp(ms: u64) -> Timestamp {
    let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000);
    time.map(Timestamp::from).unwrap_or_default()
}

/// Returns the first midnight, UTC, at or after a time.
pub fn midnight_at_or_after(ms: u64) -> u64 {
    ms.div_ceil(DAY_MS).saturating_mul(DAY_MS)
}

/// Adds calendar years. 29 February becomes 28 February in a year that has none.
pub fn add_years(ms: u64, years: u32) -> u64 {
    let Ok(time) = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000) else {
        return u64::MAX;
    };
    let Ok(years) = i32::try_from(years) else { return u64::MAX };
    let year = time.year().saturating_add(years);
    let moved = time.replace_year(year).or_else(|_| time.replace_day(28).and_then(|t| t.replace_year(year)));
    let Ok(moved) = moved else { return u64::MAX };
    u64::try_from(moved.unix_timestamp_nanos() / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use s3s::dto::TimestampFormat;

    fn at(text: &str) -> u64 {
        millis(&Timestamp::parse(TimestampFormat::DateTime, text).unwrap())
    }

    #[test]
    fn times_survive_the_way_to_the_protocol_and_back() {
        for ms in [0, 1, 1_700_000_000_123, 253_402_300_799_999] {
            assert_eq!(millis(&timestamp(ms)), ms);
        }
        assert_eq!(millis(&timestamp(u64::MAX)), 0);
    }

    #[test]
    fn an_offset_is_converted_to_utc() {
        assert_eq!(at("2026-03-01T01:00:00+02:00"), at("2026-02-28T23:00:00Z"));
    }

    #[test]
    fn midnight_itself_is_not_moved() {
        assert_eq!(midnight_at_or_after(at("2026-01-01T00:00:00Z")), at("2026-01-01T00:00:00Z"));
        assert_eq!(midnight_at_or_after(at("2026-01-01T00:00:00.001Z")), at("2026-01-02T00:00:00Z"));
    }

    #[test]
    fn years_keep_the_day_where_they_can() {
        assert_eq!(add_years(at("2024-02-29T10:00:00Z"), 1), at("2025-02-28T10:00:00Z"));
        assert_eq!(add_years(at("2026-11-25T10:00:00Z"), 10), at("2036-11-25T10:00:00Z"));
        assert_eq!(add_years(u64::MAX, 1), u64::MAX);
    }
}
