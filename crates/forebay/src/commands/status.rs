//! `forebay status`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use forebay_admin::health::span;
use forebay_admin::views::{
    AlertSeverity, AlertView, EventView, FlowView, ForecastView, HealthStatus, LastStop, StatusView,
    VolumeSpaceView,
};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::commands::alert;
use crate::commands::pool::in_words;
use crate::config::size;
use crate::output::times::{age, ago};
use crate::output::{complain, print_as, print_line, print_pairs};

/// The daemon is healthy.
const HEALTHY: u8 = 0;
/// A warning fires.
const WARNING: u8 = 1;
/// A critical alert fires, or the daemon does not answer.
const CRITICAL: u8 = 2;

/// `forebay status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Where the daemon is.
    #[command(flatten)]
    remote: Remote,
}

/// Prints the status. The exit status is that of a monitoring check.
pub fn run(arguments: &StatusArgs) -> ExitCode {
    match shown(&arguments.remote) {
        Ok(status) => ExitCode::from(exit_status(status)),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(CRITICAL)
        }
    }
}

fn exit_status(status: HealthStatus) -> u8 {
    match status {
        HealthStatus::Ok => HEALTHY,
        HealthStatus::Warning => WARNING,
        HealthStatus::Critical => CRITICAL,
    }
}

fn shown(remote: &Remote) -> Result<HealthStatus> {
    let view: StatusView = Client::new(remote)?.get("status")?;
    print_as(remote.format(), &view, show)?;
    Ok(view.status)
}

fn show(view: &StatusView) -> Result<()> {
    print_line(&headline(view))?;
    for alert in &view.alerts {
        print_line("")?;
        show_alert(alert)?;
    }
    print_line("")?;
    let mut pairs = vec![
        ("daemon", daemon(view)),
        ("pool", pool(view)),
        ("stored", stored(view)),
        ("clients", clients(view)),
        ("fsync p99", fsync(view)),
    ];
    pairs.extend(view.capacity.volumes.iter().filter(|one| is_tight(one)).map(|one| ("volume", volume(one))));
    pairs.extend(view.busiest_clients.iter().take(3).map(|flow| ("busy client", busy(flow))));
    pairs.extend(view.busiest_volumes.iter().take(3).map(|flow| ("busy volume", busy(flow))));
    pairs.extend(view.changes.iter().take(5).map(|event| ("changed", change(event))));
    print_pairs(&pairs)
}

fn headline(view: &StatusView) -> String {
    let count = |severity| {
        let counts = |alert: &&AlertView| alert.severity == severity && alert.silenced.is_none();
        view.alerts.iter().filter(counts).count()
    };
    let (critical, warnings) = (count(AlertSeverity::Critical), count(AlertSeverity::Warning));
    let several = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    match (view.status, view.evaluated.is_some()) {
        (HealthStatus::Ok, false) => "Starting: nothing has been checked yet".to_owned(),
        (HealthStatus::Ok, true) => "Healthy".to_owned(),
        (HealthStatus::Warning, _) => several(warnings, "warning"),
        (HealthStatus::Critical, _) if warnings == 0 => several(critical, "critical alert"),
        (HealthStatus::Critical, _) => {
            format!("{}, {}", several(critical, "critical alert"), several(warnings, "warning"))
        }
    }
}

fn show_alert(alert: &AlertView) -> Result<()> {
    let severity = alert.severity.to_string().to_uppercase();
    let state = match (&alert.silenced, &alert.acknowledged) {
        (None, None) => String::new(),
        _ => format!("  {}", alert::state(alert)),
    };
    print_line(&format!("{severity}  {}  since {}  ({}){state}", alert.object, alert.since, alert.name))?;
    print_line(&format!("  {}", alert.message))?;
    print_line(&format!("  Remedy: {}", alert.remedy))
}

fn daemon(view: &StatusView) -> String {
    let stop = match view.last_stop {
        LastStop::First => "new pool",
        LastStop::Clean => "last stop clean",
        LastStop::Unclean => "last stop NOT clean",
        LastStop::Unknown => "last stop unknown",
    };
    let up = age(&view.started).map_or_else(|| view.started.clone(), span);
    let node = view.node.as_ref().map(|node| format!(" on node {node}")).unwrap_or_default();
    format!("release {}{node}, up {up}, {stop}", view.release)
}

fn pool(view: &StatusView) -> String {
    let capacity = &view.capacity;
    let full = full(capacity.full_in_seconds, capacity.forecast.as_ref());
    let (free, total) = (size::rounded(capacity.bytes_free), size::rounded(capacity.bytes_total));
    format!("{}: {free} free of {total}{full}", view.directory)
}

fn stored(view: &StatusView) -> String {
    match &view.capacity.efficiency {
        None => "not calculated yet".to_owned(),
        Some(found) if found.bytes_physical == 0 => "nothing".to_owned(),
        Some(found) => format!(
            "{} of data in {}, {:.2} : 1, calculated {}",
            size::rounded(found.bytes_logical),
            size::rounded(found.bytes_physical),
            found.ratio,
            ago(&found.calculated)
        ),
    }
}

/// When something is full: at the rate of the last hours, or by the growth of the last days.
fn full(seconds: Option<u64>, forecast: Option<&ForecastView>) -> String {
    match (seconds, forecast) {
        (Some(seconds), _) => {
            format!(", full in {} at the rate of the last hours", span(Duration::from_secs(seconds)))
        }
        (None, Some(forecast)) => format!(", {}", in_words(forecast)),
        (None, None) => String::new(),
    }
}

fn clients(view: &StatusView) -> String {
    let clients = &view.clients;
    let grace = view.grace.as_ref().map(|grace| {
        let names = grace.missing_clients.join(", ");
        let missing = if names.is_empty() { String::new() } else { format!("; not back yet: {names}") };
        format!("; grace period for {} s at most{missing}", grace.remaining_seconds)
    });
    let grace = grace.unwrap_or_default();
    format!(
        "{} connected, {} reclaiming, {} silent{grace}",
        clients.connected, clients.reclaiming, clients.silent
    )
}

fn fsync(view: &StatusView) -> String {
    let word = |seconds: Option<f64>, unknown: &str| {
        seconds.map_or_else(|| unknown.to_owned(), |seconds| format!("{:.1} ms", seconds * 1000.0))
    };
    let (now, usual) = (view.commit.p99_seconds, view.commit.usual_p99_seconds);
    format!("{} (usual: {})", word(now, "none in the last 30 s"), word(usual, "not known yet"))
}

fn is_tight(volume: &VolumeSpaceView) -> bool {
    volume.full_in_seconds.is_some() || volume.bytes_used.saturating_mul(10) >= volume.size.saturating_mul(8)
}

fn volume(volume: &VolumeSpaceView) -> String {
    let full = full(volume.full_in_seconds, volume.forecast.as_ref());
    let (used, size) = (size::rounded(volume.bytes_used), size::rounded(volume.size));
    format!("{}: {used} of {size} used{full}", volume.name)
}

fn busy(flow: &FlowView) -> String {
    let rate = |value: f64| format!("{}/s", size::rounded(value as u64));
    let address = flow.address.as_ref().map(|address| format!(" ({address})")).unwrap_or_default();
    format!("{}{address}: writes {}, reads {}", flow.name, rate(flow.write_rate), rate(flow.read_rate))
}

fn change(event: &EventView) -> String {
    let by = event.user.as_ref().map(|user| format!(" (by {user})")).unwrap_or_default();
    format!("{}: {} {}{by}", ago(&event.time), event.object, event.message)
}
