//! `deploy/prometheus/alerts.yml`, generated from the table.

use std::fmt::Write;

use super::rule::{Rule, Source};
use super::rules::GROUPS;

/// The length of a line of folded text.
const COLUMNS: usize = 118;

/// The file.
pub fn rules() -> String {
    let mut text = String::from(
        "# Alert rules for Forebay. Made by `make docs` from crates/admin/src/health/rules. Do not edit.\n\
         #\n\
         # The daemon evaluates most rules itself, every five seconds, and forebay_alert has the number of objects that a rule concerns.\n\
         # `forebay status`, the console and GET /api/v1/alerts name them, with causes and remedies. docs/reference/alerts.md explains the rules.\n\
         # `critical` needs action now: data is at risk, or brokers stop. `warning` needs action today. `info` tells what happened.\n\
         # alerts-test.yml tests the rules: promtool test rules alerts-test.yml\n\
         groups:\n",
    );
    for (group, rules) in GROUPS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  - name: {group}\n    rules:");
        let rules: Vec<String> = rules.iter().map(rule).collect();
        text.push_str(&rules.join("\n"));
        text.push('\n');
    }
    text.pop();
    text
}

fn rule(rule: &Rule) -> String {
    let name = rule.name;
    let (expression, hold) = match rule.source {
        Source::Daemon { .. } => (format!("forebay_alert{{name=\"{name}\"}} > 0"), ""),
        Source::Prometheus { expression, hold } => (expression.to_owned(), hold),
    };
    let hold = if hold.is_empty() { String::new() } else { format!("        for: {hold}\n") };
    // Summaries that name what is concerned need no instance.
    let instance = if rule.summary.contains("{{ $labels.") { "" } else { "{{ $labels.instance }}: " };
    format!(
        "      - alert: {name}\n        expr: >-\n{}{hold}        labels: {{ severity: {} }}\n        annotations:\n          summary: {}\n          runbook: >-\n{}",
        folded(&expression, 10),
        rule.severity.word(),
        quoted(&format!("{instance}{}", rule.summary)),
        folded(rule.runbook, 12),
    )
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Text in lines of a folded block.
fn folded(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + 1 + word.len() + indent > COLUMNS {
            let _ = writeln!(lines, "{margin}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(lines, "{margin}{line}");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deployed_rules_are_current() {
        let path = format!("{}/../../deploy/prometheus/alerts.yml", env!("CARGO_MANIFEST_DIR"));
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == rules(), "deploy/prometheus/alerts.yml differs from the table: run `make docs`");
    }

    #[test]
    fn every_rule_is_tested_with_promtool() {
        let path = format!("{}/../../deploy/prometheus/alerts-test.yml", env!("CARGO_MANIFEST_DIR"));
        let tests = std::fs::read_to_string(&path).unwrap();
        for rule in super::super::rules::all() {
            let fires = format!("alertname=\"{}\"", rule.name);
            assert!(tests.contains(&fires), "no test of alerts-test.yml makes {} fire", rule.name);
        }
    }
}
