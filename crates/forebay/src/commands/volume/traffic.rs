//! `forebay volume traffic`: the history of a volume's reads and writes.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use forebay_admin::history::{HistorySeries, HistoryView};
use forebay_admin::views::VolumeView;

use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::config::size;
use crate::output::{print_columns, print_line, print_table_as};

/// The finest resolution of the daemon's history, in seconds.
const STEP_MIN: u64 = 5;
/// Default number of lines.
const LINES: u64 = 60;

/// Shows a volume's traffic.
pub fn run(name: &str, last: Duration, step: Option<Duration>, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    // A volume that does not exist is an error, unlike a volume without traffic.
    let volume: VolumeView = client.get(&format!("volumes/{}", part(name)))?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).context("the clock is before 1970")?;
    let (now, last) = (now.as_secs(), last.as_secs().max(STEP_MIN));
    let step = step.map_or_else(|| last.div_ceil(LINES), |step| step.as_secs()).max(STEP_MIN);
    let from = now.saturating_sub(last);
    let series = format!("volume/{}/", volume.name);
    let view: HistoryView =
        client.get(&format!("metrics/history?series={}&from={from}&step={step}", part(&series)))?;
    let name = &volume.name;
    print_table_as(remote.format(), &view, |view| csv(view, name), |view| list(view, name))
}

/// The start of each interval that was measured, with what was read and written per second in it, and the bytes in files.
fn samples(view: &HistoryView, volume: &str) -> Vec<(String, [Option<f64>; 3])> {
    let series = ["read", "write", "logical"].map(|what| {
        let name = format!("volume/{volume}/{what}");
        view.series.iter().find(|series| series.name == name)
    });
    (view.from..view.to)
        .step_by(usize::try_from(view.step.max(1)).unwrap_or(usize::MAX))
        .enumerate()
        .map(|(index, at)| (time(at), series.map(|series| value(series, index))))
        .filter(|(_, [_, _, logical])| logical.is_some())
        .collect()
}

fn csv(view: &HistoryView, volume: &str) -> Vec<Vec<String>> {
    let headings = ["time", "read_rate", "write_rate", "bytes_logical"].map(str::to_owned).to_vec();
    let word = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let rows = samples(view, volume).into_iter().map(|(time, values)| row(time, values, word));
    [headings].into_iter().chain(rows).collect()
}

fn list(view: &HistoryView, volume: &str) -> Result<()> {
    let samples = samples(view, volume);
    if samples.is_empty() {
        return print_line("no samples yet: the daemon takes one every 5 seconds");
    }
    let word = |value: Option<f64>| {
        value.map_or_else(|| "-".to_owned(), |value| size::rounded(value.round() as u64))
    };
    let rows = samples.into_iter().map(|(time, values)| row(time, values, word));
    print_columns(&["time", "read/s", "written/s", "used"], rows)
}

fn value(series: Option<&HistorySeries>, index: usize) -> Option<f64> {
    series?.mean.get(index).copied().flatten()
}

fn time(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.map(|time| humantime::format_rfc3339_seconds(time).to_string()).unwrap_or_default()
}

fn row(time: String, values: [Option<f64>; 3], word: impl Fn(Option<f64>) -> String) -> Vec<String> {
    [time].into_iter().chain(values.map(word)).collect()
}
