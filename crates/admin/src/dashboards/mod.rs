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
mod tiering;

use std::fmt::Write;

pub use nfs::DASHBOARD as NFS;
pub use overview::DASHBOARD as OVERVIEW;
pub use panels::Dashboard;
use panels::expanded;
pub use pool::DASHBOARD as POOL;
pub use s3::DASHBOARD as S3;
pub use tiering::DASHBOARD as TIERING;

/// All dashboards.
pub static DASHBOARDS: [&Dashboard; 5] = [&OVERVIEW, &NFS, &S3, &POOL, &TIERING];

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

    /// The number of brokers' metrics in a text, all of which must exist.
    fn assert_known_of_brokers(text: &str, known: &BTreeSet<String>) -> usize {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let named: Vec<_> = words
            .filter(|word| ["kafka_remote_", "tiered_storage_"].iter().any(|start| word.starts_with(start)))
            .collect();
        for name in &named {
            assert!(known.contains(*name), "{name} is no metric of brokers: {known:#?}");
        }
        named.len()
    }

    /// The names that the rules for the JMX exporter give to the metrics of Kafka and of the plugin.
    fn metrics_of_brokers() -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let rules = deployed("prometheus/kafka-jmx-exporter.yml");
        let mut pattern = "";
        for line in rules.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("- pattern: ") {
                pattern = text;
            } else if let Some(name) = line.strip_prefix("name: kafka_") {
                let choices = pattern.split(['(', ')']).nth(1).filter(|_| name.contains("$1")).unwrap_or("");
                names.extend(
                    choices
                        .split('|')
                        .map(|choice| format!("kafka_{}", name.replace("$1", &choice.to_lowercase()))),
                );
            }
        }
        let plugin = |file: &str| {
            let path = format!(
                "{}/../../kafka/tiered-storage/src/main/java/forebay/tiered/{file}.java",
                env!("CARGO_MANIFEST_DIR")
            );
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        let mut counters: Vec<String> = quoted_after(&plugin("Metrics"), "counter(\"");
        counters.extend(
            quoted_after(&plugin("NotByReference"), "    ").iter().map(|cause| format!("Uploads{cause}")),
        );
        names.extend(counters.iter().map(|name| format!("tiered_storage_{}_total", snake(name))));
        let gauges = quoted_after(&plugin("ForebayRemoteStorageManager"), "metrics.gauge(\"");
        names.extend(gauges.iter().map(|name| format!("tiered_storage_{}", snake(name))));
        assert!(names.len() > 40, "{names:#?}");
        names
    }

    /// What stands in quotes behind each occurrence of a text; behind spaces, in the first quotes of a line.
    fn quoted_after(text: &str, before: &str) -> Vec<String> {
        let of_line = |line: &str| {
            let rest = line.split_once(before)?.1;
            let rest = if before.ends_with('"') { rest } else { rest.split_once("(\"")?.1 };
            Some(rest.split('"').next()?.to_owned())
        };
        text.lines().filter_map(of_line).filter(|name| name.chars().all(char::is_alphanumeric)).collect()
    }

    /// A name of JMX as the exporter writes it.
    fn snake(name: &str) -> String {
        let mut text = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !text.is_empty() {
                text.push('_');
            }
            text.extend(letter.to_lowercase());
        }
        text
    }

    fn deployed(path: &str) -> String {
        let path = format!("{}/../../deploy/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[test]
    fn dashboards_name_only_metrics_and_labels_that_exist() {
        let of_brokers = metrics_of_brokers();
        for dashboard in DASHBOARDS {
            for expression in dashboard.expressions() {
                let known = assert_known(&expression, dashboard.title)
                    + assert_known_of_brokers(&expression, &of_brokers);
                assert!(known > 0, "{expression}");
                assert!(expression.contains("$instance"), "{expression} is of all daemons at once");
                assert!(!expression.contains('\''), "{expression}");
            }
        }
    }

    #[test]
    fn alert_rules_name_only_metrics_and_labels_that_exist() {
        let of_brokers = metrics_of_brokers();
        for file in ["alerts.yml", "alerts-test.yml"] {
            let text = deployed(&format!("prometheus/{file}"));
            assert!(assert_known(&text, file) > 20);
            assert!(assert_known_of_brokers(&text, &of_brokers) > 2);
        }
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
