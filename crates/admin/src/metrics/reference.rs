//! The reference page of metrics, generated from the table.

use std::fmt::Write;

use super::VOLUMES_MAX;
use super::table::{FAMILIES, Family};

const TITLES: [&str; FAMILIES.len()] = [
    "The pool",
    "The bucket of the segments",
    "Volumes",
    "NFS",
    "S3",
    "Several nodes",
    "A pool in a database",
    "Kafka",
    "Alerts",
    "The process",
];

/// The page, in Markdown.
pub fn page() -> String {
    let mut text = format!(
        "# Metrics\n\n\
         <!-- Made by `make docs` from crates/admin/src/metrics/table. Do not edit. -->\n\n\
         The daemon serves these metrics at `/metrics` in the Prometheus text format. `deploy/prometheus` has an example scrape \
         configuration and alert rules, `deploy/grafana` has dashboards. Names end in their unit. Counters end in `_total` and start at 0 \
         when the daemon starts. Histograms have buckets from 131 µs to 8.6 s, each twice the previous one.\n\n\
         Labels are bounded: at most {VOLUMES_MAX} volumes and buckets have their own value, and the others are counted together as `other`. The \
         numbers of operations and error classes are fixed, whatever clients send.\n"
    );
    for (title, families) in TITLES.iter().zip(FAMILIES) {
        let _ = write!(
            text,
            "\n## {title}\n\n| metric | kind, labels | meaning | what to do |\n|---|---|---|---|\n"
        );
        families.iter().for_each(|family| row(family, &mut text));
    }
    text
}

fn row(family: &Family, text: &mut String) {
    let mut what = family.kind.word().to_owned();
    for label in family.labels {
        let _ = write!(what, "; `{}`: {}", label.name, label.bound);
    }
    let _ = writeln!(text, "| `{}` | {what} | {} | {} |", family.name, family.says, family.then);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_row_for_every_metric() {
        let page = page();
        for family in FAMILIES.iter().copied().flatten() {
            assert!(page.contains(&format!("\n| `{}` |", family.name)), "{}", family.name);
        }
    }
}
