//! The reference page of metrics, made from the table.

use std::fmt::Write;

use super::VOLUMES_MAX;
use super::table::{FAMILIES, Family};

const TITLES: [&str; FAMILIES.len()] = ["The pool", "Volumes", "NFS", "The process"];

/// The page, in Markdown.
pub fn page() -> String {
    let mut text = format!(
        "# Metrics\n\n\
         <!-- Made by `make docs` from crates/admin/src/metrics/table. Do not edit. -->\n\n\
         The daemon serves these at `/metrics`, in the text format of Prometheus. `deploy/prometheus` has an example of how to collect \
         them and alert rules, `deploy/grafana` dashboards. Names end in their unit; what only grows ends in `_total` and begins with 0 \
         at each start of the daemon. Histograms have buckets from 131 µs to 8.6 s, each twice the one before.\n\n\
         Labels are bounded: at most {VOLUMES_MAX} volumes have a name, the others are counted together as `other`; and there are only \
         so many operations and classes of errors, whatever clients send.\n"
    );
    for (title, families) in TITLES.iter().zip(FAMILIES) {
        let _ = write!(
            text,
            "\n## {title}\n\n| metric | kind, labels | says | when it moves |\n|---|---|---|---|\n"
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
