//! Grafana dashboards, generated from lists of panels, so that they cannot name a metric that does not exist.
//!
//! `make docs` writes them to `deploy/grafana`. The JSON follows Grafana's dashboard model (schema version
//! 36, which Grafana 9 and later read). Expressions are PromQL with two abbreviations: `$i` selects the
//! daemon, and `$r` is the range over which a rate is computed.

mod grafana;
mod nfs;
mod overview;
mod panels;
mod pool;
mod s3;

use std::fmt::Write;

pub use nfs::DASHBOARD as NFS;
pub use overview::DASHBOARD as OVERVIEW;
pub use panels::Dashboard;
use panels::expanded;
pub use pool::DASHBOARD as POOL;
pub use s3::DASHBOARD as S3;

/// All dashboards.
pub static DASHBOARDS: [&Dashboard; 4] = [&OVERVIEW, &NFS, &S3, &POOL];

impl Dashboard {
    /// The dashboard's JSON file.
    pub fn json(&self) -> String {
        let mut text = format!("{:#}", grafana::dashboard(self));
        text.push('\n');
        text
    }

    fn expressions(&self) -> impl Iterator<Item = String> {
        let panels = self.rows.iter().flat_map(|row| row.panels);
        panels.flat_map(|panel| panel.lines).map(|(expression, _)| expanded(expression))
    }
}

/// All expressions of all dashboards as recording rules, for `promtool check rules`. Grafana's variables are
/// replaced by values.
pub fn rules() -> String {
    let mut text = String::from("groups:\n  - name: dashboards\n    rules:\n");
    let expressions = DASHBOARDS.iter().flat_map(|dashboard| dashboard.expressions());
    for (number, expression) in expressions.enumerate() {
        let filled =
            expression.replace("$instance", ".*").replace("$volume", ".*").replace("$__rate_interval", "5m");
        let _ = writeln!(text, "      - record: dashboards:expression:{number}\n        expr: '{filled}'");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::metrics::table::family;

    /// The metric names in a text, each with the labels selected.
    fn metrics_in(text: &str) -> Vec<(String, Vec<String>)> {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(at) = ["forebay_", "process_"].iter().filter_map(|start| rest.find(start)).min() {
            let begins = !rest[..at].ends_with(is_of_name);
            rest = &rest[at..];
            let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            let selected =
                behind.strip_prefix('{').and_then(|behind| behind.split('}').next()).unwrap_or_default();
            let labels = selected.split(',').filter_map(|one| one.split(['=', '!']).next());
            let labels = labels.map(|label| label.trim().to_owned()).filter(|label| !label.is_empty());
            if begins {
                found.push((name.to_owned(), labels.collect()));
            }
            rest = behind;
        }
        found
    }

    fn assert_known(text: &str, place: &str) -> usize {
        let found = metrics_in(text);
        for (name, labels) in &found {
            let family = family(name).unwrap_or_else(|| panic!("{place} names {name}, which is no metric"));
            for label in labels {
                let given = ["instance", "job", "le"].contains(&label.as_str());
                let known = given || family.labels.iter().any(|known| known.name == label);
                assert!(known, "{place}: {name} has no label {label}");
            }
        }
        found.len()
    }

    fn deployed(path: &str) -> String {
        let path = format!("{}/../../deploy/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[test]
    fn dashboards_name_only_metrics_and_labels_that_exist() {
        for dashboard in DASHBOARDS {
            for expression in dashboard.expressions() {
                assert!(assert_known(&expression, dashboard.title) > 0, "{expression}");
                assert!(expression.contains("$instance"), "{expression} is of all daemons at once");
                assert!(!expression.contains('\''), "{expression}");
            }
        }
    }

    #[test]
    fn alert_rules_name_only_metrics_and_labels_that_exist() {
        assert!(assert_known(&deployed("prometheus/alerts.yml"), "alerts.yml") > 20);
        assert!(assert_known(&deployed("prometheus/alerts-test.yml"), "alerts-test.yml") > 20);
    }

    #[test]
    fn the_deployed_dashboards_are_current() {
        for dashboard in DASHBOARDS {
            let stored = deployed(&format!("grafana/{}.json", dashboard.uid));
            assert!(
                stored == dashboard.json(),
                "deploy/grafana/{}.json differs: run `make docs`",
                dashboard.uid
            );
        }
    }

    #[test]
    fn dashboards_are_as_grafana_reads_them() {
        let mut uids = BTreeSet::new();
        for dashboard in DASHBOARDS {
            let json: Value = serde_json::from_str(&dashboard.json()).unwrap();
            assert_eq!(json["schemaVersion"], 36);
            assert!(json["id"].is_null() && uids.insert(dashboard.uid) && dashboard.uid.len() <= 40);
            let panels = json["panels"].as_array().unwrap();
            let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
            assert_eq!(ids.len(), panels.len(), "ids of panels are unique");
            let mut places = BTreeSet::new();
            for panel in panels {
                let place = &panel["gridPos"];
                let (x, width) = (place["x"].as_u64().unwrap(), place["w"].as_u64().unwrap());
                assert!(x + width <= 24 && place["h"].as_u64().unwrap() > 0);
                assert!(places.insert((place["y"].as_u64().unwrap(), x)), "two panels in one place");
                let is_row = panel["type"] == "row";
                assert_eq!(panel["targets"].as_array().map_or(0, Vec::len) > 0, !is_row);
                let targets = panel["targets"].as_array().into_iter().flatten();
                let letters: Vec<_> =
                    targets.map(|target| target["refId"].as_str().unwrap().to_owned()).collect();
                assert_eq!(letters.iter().collect::<BTreeSet<_>>().len(), letters.len());
                assert!(is_row || panel["description"].as_str().is_some_and(|text| text.len() > 20));
            }
        }
    }
}
