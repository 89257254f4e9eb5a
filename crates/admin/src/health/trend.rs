//! When something that decreases will be gone.

use std::time::Duration;

/// With points of a shorter time nothing is predicted.
const BASE_MIN: Duration = Duration::from_secs(20 * 60);
/// Times further away than this are not predicted either.
const AHEAD_MAX: f64 = 400.0 * 86_400.0;

/// The time from the last point until the line through the points is at zero. `None` if it does not fall, if there are too few points, or
/// if it takes more than a year.
pub fn time_to_zero(points: &[(Duration, f64)]) -> Option<Duration> {
    let (first, last) = (points.first()?, points.last()?);
    if last.0.saturating_sub(first.0) < BASE_MIN {
        return None;
    }
    let count = points.len() as f64;
    let seconds = |at: &Duration| at.saturating_sub(first.0).as_secs_f64();
    let mean_at = points.iter().map(|(at, _)| seconds(at)).sum::<f64>() / count;
    let mean = points.iter().map(|(_, value)| value).sum::<f64>() / count;
    let (mut together, mut spread) = (0.0, 0.0);
    for (at, value) in points {
        let distance = seconds(at) - mean_at;
        together += distance * (value - mean);
        spread += distance * distance;
    }
    let slope = together / spread;
    if !slope.is_finite() || slope >= 0.0 || last.1 <= 0.0 {
        return None;
    }
    let ahead = last.1 / -slope;
    (ahead <= AHEAD_MAX).then(|| Duration::from_secs_f64(ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(minutes: u64, value: impl Fn(u64) -> f64) -> Vec<(Duration, f64)> {
        (0..=minutes / 5).map(|step| (Duration::from_secs(step * 300), value(step * 300))).collect()
    }

    #[test]
    fn a_line_that_falls_says_when_it_is_at_zero() {
        let ahead = time_to_zero(&points(60, |at| 100_000.0 - at as f64)).unwrap();
        assert!((ahead.as_secs_f64() - 96_400.0).abs() < 1.0, "{ahead:?}");
    }

    #[test]
    fn nothing_is_predicted_from_little_or_of_what_does_not_fall() {
        assert_eq!(time_to_zero(&[]), None);
        assert_eq!(time_to_zero(&points(15, |at| 1000.0 - at as f64)), None);
        assert_eq!(time_to_zero(&points(60, |_| 1000.0)), None);
        assert_eq!(time_to_zero(&points(60, |at| 1000.0 + at as f64)), None);
        assert_eq!(time_to_zero(&points(60, |at| 1e12 - at as f64)), None, "it takes years");
    }
}
