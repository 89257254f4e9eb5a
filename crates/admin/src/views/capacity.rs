//! How full the pool and its volumes were on each day, and when they will be full.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fields::time;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The space of the pool or of a volume over the last year.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CapacityHistoryView {
    /// The volume; null for the pool.
    pub volume: Option<String>,
    /// Bytes in use now: of the pool's file system, or of the volume's files.
    pub bytes_used: u64,
    /// The size of the pool's file system, or of the volume; null for a volume without a size.
    pub size: Option<u64>,
    /// Forecast of when it is full; null if it does not grow, or before four days are known.
    pub forecast: Option<ForecastView>,
    /// A row for each day, oldest first. Days without the daemon are missing.
    pub days: Vec<DayView>,
}

/// A day.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DayView {
    /// The date, in UTC.
    #[schema(format = Date)]
    pub date: String,
    /// Bytes in use at its end, or now.
    pub bytes_used: u64,
}

/// When something will be full, by its growth of up to sixty days.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ForecastView {
    /// Seconds until it is full at the median growth.
    pub full_in_seconds: u64,
    /// At the growth that a quarter of the days exceeded.
    pub earliest_seconds: u64,
    /// At the growth that three quarters exceeded; null if it would not be full within ten years.
    pub latest_seconds: Option<u64>,
    /// The number of days that are known.
    pub days: u64,
}

/// The date of a day, in UTC.
pub fn date(day: u64) -> String {
    /// The last day that a time of the API can be on.
    const LAST: u64 = 2_932_896;
    let seconds = day.min(LAST).saturating_mul(DAY_SECONDS);
    time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).chars().take(10).collect()
}
