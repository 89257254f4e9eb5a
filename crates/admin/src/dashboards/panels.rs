//! What a dashboard is made of.

/// A dashboard.
pub struct Dashboard {
    /// A permanent identifier: links use it.
    pub uid: &'static str,
    /// The title.
    pub title: &'static str,
    /// What the dashboard's selector selects.
    pub(super) instances: Instances,
    /// Whether the dashboard has a selector for volumes.
    pub(super) volumes: bool,
    pub(super) rows: &'static [Row],
}

/// The programs that a dashboard is about.
pub struct Instances {
    /// What one of them is called.
    pub label: &'static str,
    /// A metric that each of them has.
    pub metric: &'static str,
}

/// Daemons of Forebay.
pub const DAEMONS: Instances = Instances { label: "Daemon", metric: "forebay_build_info" };
/// Brokers of Kafka with tiered storage.
pub const KAFKA_BROKERS: Instances =
    Instances { label: "Broker", metric: "kafka_remote_log_manager_idle_ratio" };

/// A row of panels.
pub struct Row {
    pub title: &'static str,
    pub panels: &'static [Panel],
}

/// One panel.
pub struct Panel {
    pub title: &'static str,
    /// A description: what the panel shows, and how to interpret it.
    pub says: &'static str,
    pub kind: PanelKind,
    pub unit: Unit,
    pub lines: &'static [Line],
}

/// How a panel displays its values.
#[derive(Clone, Copy)]
pub enum PanelKind {
    /// A graph over time, a third of the width.
    Graph,
    /// The latest value in large type.
    Stat,
    /// Like [`PanelKind::Stat`], where any value but 0 is bad.
    Alarm,
}

/// Grafana's names of units.
#[derive(Clone, Copy)]
pub enum Unit {
    Bytes,
    BytesPerSecond,
    PerSecond,
    Seconds,
    Ratio,
    Count,
}

/// An expression, and the legend of its series.
pub type Line = (&'static str, &'static str);

/// The expression with its abbreviations expanded, as Grafana needs it.
pub fn expanded(expression: &str) -> String {
    expression.replace("$i", "instance=~\"$instance\"").replace("$r", "$__rate_interval")
}
