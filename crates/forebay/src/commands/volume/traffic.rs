//! `forebay volume traffic`: the history of a volume's reads and writes.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use forebay_admin::history::{HistorySeries, HistoryView};
use forebay_admin::views::VolumeView;

use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::config::size;
use crate::output::{print_as, print_columns, print_line};

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
    print_as(remote.format(), &view, |view| list(view, &volume.name))
}

fn list(view: &HistoryView, volume: &str) -> Result<()> {
    let series = |what: &str| {
        let name = format!("volume/{volume}/{what}");
        view.series.iter().find(|series| series.name == name)
    };
    let (read, written, logical) = (series("read"), series("write"), series("logical"));
    let rows: Vec<_> = (view.from..view.to)
        .step_by(usize::try_from(view.step.max(1))?)
        .enumerate()
        .filter(|(index, _)| value(logical, *index).is_some())
        .map(|(index, time)| row(time, [read, written, logical].map(|series| value(series, index))))
        .collect();
    if rows.is_empty() {
        return print_line("no samples yet: the daemon takes one every 5 seconds");
    }
    print_columns(&["time", "read/s", "written/s", "holds"], rows)
}

fn value(series: Option<&HistorySeries>, index: usize) -> Option<f64> {
    series?.mean.get(index).copied().flatten()
}

fn row(time: u64, values: [Option<f64>; 3]) -> Vec<String> {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(time));
    let time = time.map(|time| humantime::format_rfc3339_seconds(time).to_string());
    let shown =
        values.map(|value| value.map_or_else(|| "-".to_owned(), |value| size::rounded(value.round() as u64)));
    time.into_iter().chain(shown).collect()
}
