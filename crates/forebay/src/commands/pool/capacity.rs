//! `forebay pool capacity`.

use std::time::Duration;

use anyhow::Result;
use forebay_admin::health::span;
use forebay_admin::views::{CapacityHistoryView, ForecastView};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::config::size;
use crate::output::{print_columns, print_line, print_list_as};

/// Prints the last days, and when it will be full.
pub fn run(volume: Option<&str>, days: usize, remote: &Remote) -> Result<()> {
    let path = volume.map_or_else(|| "capacity".to_owned(), |volume| format!("capacity?volume={volume}"));
    let view: CapacityHistoryView = Client::new(remote)?.get(&path)?;
    print_list_as(remote.format(), &view, &view.days, |view| show(view, days))
}

fn show(view: &CapacityHistoryView, days: usize) -> Result<()> {
    let first = view.days.len().saturating_sub(days);
    // The growth of a day needs the day before.
    let before = |at: usize| view.days.get(at.checked_sub(1)?).map(|day| day.bytes_used);
    let row = |(at, day): (usize, &forebay_admin::views::DayView)| {
        let growth = before(at).map_or_else(
            || "-".to_owned(),
            |before| match day.bytes_used.checked_sub(before) {
                Some(more) => format!("+{}", size::rounded(more)),
                None => format!("-{}", size::rounded(before.saturating_sub(day.bytes_used))),
            },
        );
        vec![day.date.clone(), size::rounded(day.bytes_used), growth]
    };
    print_columns(&["date", "used", "growth"], view.days.iter().enumerate().skip(first).map(row))?;
    let of = match view.size {
        Some(size) => format!("{} of {} used", size::rounded(view.bytes_used), size::rounded(size)),
        None => format!("{} used, no size limit", size::rounded(view.bytes_used)),
    };
    let full = view.forecast.as_ref().map_or_else(
        || "; no forecast: it does not grow, or fewer than four days are known".to_owned(),
        |forecast| format!(", {}", in_words(forecast)),
    );
    print_line(&format!("{of}{full}"))
}

/// A forecast in words: `full in 11 days (9 days to 16 days)`.
pub fn in_words(forecast: &ForecastView) -> String {
    let of = |seconds: u64| span(Duration::from_secs(seconds));
    let latest = forecast.latest_seconds.map_or_else(|| "years".to_owned(), of);
    format!("full in {} ({} to {latest})", of(forecast.full_in_seconds), of(forecast.earliest_seconds))
}
