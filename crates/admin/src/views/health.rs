//! Health: the status of the daemon.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::alert::AlertView;
use super::capacity::ForecastView;
use super::event::EventView;
use super::pool::EfficiencyView;
use super::words::words;

words! {
    /// The severity of an alert.
    AlertSeverity {
        /// For information: nothing is wrong.
        Info = "info",
        /// Action is needed today.
        Warning = "warning",
        /// Action is needed now: data is at risk, or brokers stop.
        Critical = "critical",
    }
}

words! {
    /// The daemon's health.
    HealthStatus {
        /// Healthy.
        Ok = "ok",
        /// A warning fires.
        Warning = "warning",
        /// A critical alert fires.
        Critical = "critical",
    }
}

words! {
    /// How the daemon was stopped before its last start.
    LastStop for forebay_pool::LastStop {
        /// The pool is new.
        First = "first",
        /// In order: everything was durable.
        Clean = "clean",
        /// Not in order: the daemon was killed or crashed, the machine lost power, or stable storage had failed.
        Unclean = "unclean",
        /// A release that did not record it had opened the pool.
        Unknown = "unknown",
    }
}

/// The daemon's health, for anyone. It names no objects; `status` and `alerts` do.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    /// The status.
    pub status: HealthStatus,
    /// The daemon's release.
    pub release: String,
    /// Why, the gravest first.
    pub reasons: Vec<HealthReason>,
    /// When it was evaluated; null right after the start.
    #[schema(format = DateTime)]
    pub evaluated: Option<String>,
}

/// A rule whose alert fires.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HealthReason {
    /// The rule.
    pub name: String,
    /// The severity.
    pub severity: AlertSeverity,
    /// The problem.
    pub summary: String,
    /// The remedy.
    pub remedy: String,
    /// The number of objects that it concerns.
    pub objects: u64,
    /// Since when.
    #[schema(format = DateTime)]
    pub since: String,
}

/// Whether the daemon is healthy, who is affected, what changed, who does it, and how long it will last.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StatusView {
    /// The status.
    pub status: HealthStatus,
    /// The daemon's release.
    pub release: String,
    /// The directory of the pool.
    pub directory: String,
    /// The node that serves; null if no other node can serve the pool.
    pub node: Option<String>,
    /// When the daemon started.
    #[schema(format = DateTime)]
    pub started: String,
    /// How the daemon was stopped before its last start.
    pub last_stop: LastStop,
    /// When the rules were evaluated; null right after the start.
    #[schema(format = DateTime)]
    pub evaluated: Option<String>,
    /// The alerts that fire, the gravest first, with those that are silenced.
    pub alerts: Vec<AlertView>,
    /// The clients.
    pub clients: ClientsView,
    /// The fsyncs of brokers.
    pub commit: CommitView,
    /// The grace period; null if there is none.
    pub grace: Option<GraceView>,
    /// Space.
    pub capacity: CapacityView,
    /// The volumes that read and write most now.
    pub busiest_volumes: Vec<FlowView>,
    /// The clients that read and write most now.
    pub busiest_clients: Vec<FlowView>,
    /// The latest changes, newest first: starts, configuration, revoked state.
    pub changes: Vec<EventView>,
}

/// Numbers of NFS clients.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ClientsView {
    /// With a valid lease.
    pub connected: u64,
    /// Which reclaim what they had open before the restart.
    pub reclaiming: u64,
    /// Silent beyond their lease.
    pub silent: u64,
}

/// The duration of COMMIT, which is a broker's fsync.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct CommitView {
    /// The 99th percentile of the last half minute, in seconds; null without enough of them.
    pub p99_seconds: Option<f64>,
    /// Its usual value: the median of the minutes of the last day; null until it is known.
    pub usual_p99_seconds: Option<f64>,
}

/// A grace period.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GraceView {
    /// Maximum remaining duration in seconds, unless clients continue to reclaim.
    pub remaining_seconds: u64,
    /// Number of clients that have not come back.
    pub missing: u64,
    /// Names of these clients; at most 16.
    pub missing_clients: Vec<String>,
}

/// The space of the pool, and of the volumes that are closest to their size.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CapacityView {
    /// Bytes that the pool can hold.
    pub bytes_total: u64,
    /// Bytes that can still be written.
    pub bytes_free: u64,
    /// Seconds until it is full at the rate of the last hours; null if it does not fill up, or if that is not known.
    pub full_in_seconds: Option<u64>,
    /// Forecast by the growth of the last days; null if it does not grow, or before four days are known.
    pub forecast: Option<ForecastView>,
    /// Storage efficiency of the pool; null until it has been calculated.
    #[serde(default)]
    pub efficiency: Option<EfficiencyView>,
    /// Volumes with a size: those that are full soonest, then those that are fullest. At most eight.
    pub volumes: Vec<VolumeSpaceView>,
}

/// The space of a volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VolumeSpaceView {
    /// The volume.
    pub name: String,
    /// Bytes that it has used.
    pub bytes_used: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Seconds until it is full at the rate of the last hours; null if it does not fill up, or if that is not known.
    pub full_in_seconds: Option<u64>,
    /// Forecast by the growth of the last days; null if it does not grow, or before four days are known.
    pub forecast: Option<ForecastView>,
}

/// The throughput of a volume or a client.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FlowView {
    /// The volume or the client.
    pub name: String,
    /// The client's address; null for a volume.
    pub address: Option<String>,
    /// Bytes per second read in the last half minute.
    pub read_rate: f64,
    /// Bytes per second written.
    pub write_rate: f64,
}
