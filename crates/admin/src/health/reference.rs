//! The reference page of alerts, generated from the table.

use std::fmt::Write;
use std::time::Duration;

use super::rule::{Rule, Source};
use super::rules::GROUPS;
use crate::base::words::span;

const TITLES: [&str; GROUPS.len()] =
    ["Data", "Space", "Speed", "Clients", "The daemon", "S3", "Several nodes", "Tiered storage", "Kafka"];

/// The page, in Markdown.
pub fn page() -> String {
    let mut text = String::from(
        "# Alerts\n\n\
         <!-- Made by `make docs` from crates/admin/src/health/rules. Do not edit. -->\n\n\
         One table of rules decides whether Forebay is healthy. The daemon evaluates them every five seconds. The console, `forebay status`, \
         `/api/v1/status`, `/api/v1/alerts`, `/api/v1/health`, events, the metric `forebay_alert` and `deploy/prometheus/alerts.yml` are all made \
         from it. An alert is a rule and an object that it concerns, such as a volume. Prometheus evaluates the few rules that the daemon cannot \
         know.\n\n\
         *Critical* needs action now: data is at risk, or brokers stop. *Warning* needs action today. *Info* tells what happened, and is shown \
         without changing the status.\n",
    );
    for (title, (_, rules)) in TITLES.iter().zip(GROUPS) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {title}\n");
        rules.iter().for_each(|rule| section(rule, &mut text));
    }
    text
}

fn section(rule: &Rule, text: &mut String) {
    let when = match rule.source {
        Source::Daemon { hold, .. } if hold == Duration::ZERO => {
            "evaluated by the daemon, fires at once".to_owned()
        }
        Source::Daemon { hold, .. } => format!("evaluated by the daemon, fires after {}", span(hold)),
        Source::Prometheus { expression, .. } => format!("evaluated by Prometheus: `{expression}`"),
    };
    let _ = write!(
        text,
        "\n### {}\n\n{}, {when}. {}\n\n{}\n",
        rule.name,
        capital(rule.severity.word()),
        rule.watches,
        rule.runbook
    );
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string()).unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_section_and_says_what_to_do() {
        let page = page();
        let mut names = std::collections::BTreeSet::new();
        for rule in super::super::rules::all() {
            assert!(page.contains(&format!("\n### {}\n", rule.name)), "{}", rule.name);
            assert!(rule.name.starts_with("Forebay") && names.insert(rule.name), "{}", rule.name);
            for text in [rule.watches, rule.runbook] {
                assert!(text.len() > 20 && text.ends_with('.'), "{}: {text}", rule.name);
            }
            assert!(!rule.summary.ends_with('.') && !rule.summary.is_empty(), "{}", rule.name);
        }
    }
}
