//! Grafana's dashboard model: <https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/>.

use serde_json::{Value, json};

use super::panels::{Dashboard, Line, Panel, PanelKind, Unit, expanded};

const SCHEMA_VERSION: u32 = 36;
/// When the daemon has just started.
pub(super) const STARTS: &str = "changes(process_start_time_seconds{instance=~\"$instance\"}[2m]) > 0";
/// Alerts that fire, apart from notices.
pub(super) const ALERTS: &str = "forebay_alert{instance=~\"$instance\",severity!=\"info\"} > 0";
/// Columns of a dashboard.
const COLUMNS: u32 = 24;

pub(super) fn dashboard(dashboard: &Dashboard) -> Value {
    let mut variables = vec![
        json!({
            "name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus",
            "hide": 0, "refresh": 1, "includeAll": false, "multi": false, "options": [], "current": {}
        }),
        variable(
            "instance",
            dashboard.instances.label,
            &format!("label_values({}, instance)", dashboard.instances.metric),
        ),
    ];
    if dashboard.volumes {
        let query = "label_values(forebay_volume_logical_bytes{instance=~\"$instance\"}, volume)";
        variables.push(variable("volume", "Volume", query));
    }
    json!({
        "id": null,
        "uid": dashboard.uid,
        "title": dashboard.title,
        "tags": ["forebay"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": true,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": { "from": "now-3h", "to": "now" },
        "timezone": "browser",
        "annotations": { "list": annotations() },
        "links": [{
            "type": "dashboards", "title": "Forebay", "tags": ["forebay"], "asDropdown": true, "includeVars": true,
            "keepTime": true, "icon": "external link", "targetBlank": false, "tooltip": "", "url": ""
        }],
        "templating": { "list": variables },
        "panels": panels(dashboard),
    })
}

/// Marks on all graphs: starts of the daemon, and alerts that fire.
fn annotations() -> Value {
    let of = |name: &str, expression: &str, title: &str, color: &str| {
        json!({
            "name": name, "datasource": datasource(), "enable": true, "hide": false, "iconColor": color,
            "expr": expression, "step": "30s", "titleFormat": title, "textFormat": "{{instance}}", "useValueForTime": false
        })
    };
    json!([
        of("Starts", STARTS, "The daemon started", "orange"),
        of("Alerts", ALERTS, "{{name}} ({{severity}})", "red"),
    ])
}

fn variable(name: &str, label: &str, query: &str) -> Value {
    json!({
        "name": name, "label": label, "type": "query", "datasource": datasource(),
        "definition": query, "query": { "query": query, "refId": name },
        "refresh": 2, "sort": 1, "hide": 0, "regex": "", "includeAll": true, "multi": true, "allValue": ".*",
        "options": [], "current": { "selected": true, "text": ["All"], "value": ["$__all"] }
    })
}

fn datasource() -> Value {
    json!({ "type": "prometheus", "uid": "${datasource}" })
}

fn panels(dashboard: &Dashboard) -> Vec<Value> {
    let mut panels = Vec::new();
    let mut y = 0;
    for row in dashboard.rows {
        panels.push(json!({
            "id": panels.len().saturating_add(1), "type": "row", "title": row.title, "collapsed": false, "panels": [],
            "gridPos": { "x": 0, "y": y, "w": COLUMNS, "h": 1 }
        }));
        y += 1;
        let (mut x, mut height) = (0, 0);
        for shown in row.panels {
            let (w, h) = shown.kind.size();
            if x + w > COLUMNS {
                (x, y) = (0, y + height);
            }
            panels.push(panel(panels.len().saturating_add(1), shown, [x, y, w, h]));
            (x, height) = (x + w, h);
        }
        y += height;
    }
    panels
}

fn panel(id: usize, panel: &Panel, [x, y, w, h]: [u32; 4]) -> Value {
    let letters = ('A'..='Z').map(String::from);
    let targets: Vec<Value> =
        panel.lines.iter().zip(letters).map(|(line, letter)| target(line, &letter)).collect();
    let (kind, custom, options, thresholds) = panel.kind.parts();
    json!({
        "id": id, "type": kind, "title": panel.title, "description": panel.says, "datasource": datasource(),
        "gridPos": { "x": x, "y": y, "w": w, "h": h },
        "fieldConfig": {
            "defaults": { "unit": panel.unit.name(), "min": 0, "custom": custom, "thresholds": thresholds },
            "overrides": []
        },
        "options": options,
        "targets": targets,
    })
}

fn target((expression, legend): &Line, letter: &str) -> Value {
    json!({
        "refId": letter, "datasource": datasource(), "expr": expanded(expression), "legendFormat": legend,
        "editorMode": "code", "range": true
    })
}

impl PanelKind {
    /// Width and height.
    fn size(self) -> (u32, u32) {
        match self {
            PanelKind::Graph => (8, 8),
            PanelKind::Stat | PanelKind::Alarm => (4, 4),
        }
    }

    /// Grafana's type, with the settings that it has.
    fn parts(self) -> (&'static str, Value, Value, Value) {
        let steps = |high: Option<u32>| {
            let mut steps = vec![json!({ "color": "green", "value": null })];
            steps.extend(high.map(|high| json!({ "color": "red", "value": high })));
            json!({ "mode": "absolute", "steps": steps })
        };
        let stat = |color: &str| {
            json!({
                "reduceOptions": { "calcs": ["lastNotNull"], "fields": "", "values": false },
                "colorMode": color, "graphMode": "area", "justifyMode": "auto", "orientation": "auto", "textMode": "auto"
            })
        };
        match self {
            PanelKind::Graph => (
                "timeseries",
                json!({ "drawStyle": "line", "lineWidth": 1, "fillOpacity": 10, "showPoints": "never", "spanNulls": false }),
                json!({
                    "legend": { "displayMode": "table", "placement": "bottom", "showLegend": true, "calcs": ["mean", "max"] },
                    "tooltip": { "mode": "multi", "sort": "desc" }
                }),
                steps(None),
            ),
            PanelKind::Stat => ("stat", json!({}), stat("none"), steps(None)),
            PanelKind::Alarm => ("stat", json!({}), stat("background"), steps(Some(1))),
        }
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::BytesPerSecond => "Bps",
            Unit::PerSecond => "ops",
            Unit::Seconds => "s",
            Unit::Ratio => "percentunit",
            Unit::Count => "short",
        }
    }
}
