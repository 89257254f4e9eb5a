//! Tables for people.
//!
//! On a terminal a table fits the width: times are shown by their age, columns that matter least are left out, and long cells are
//! wrapped. `-o wide`, a file or a pipe gets everything.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use comfy_table::{ContentArrangement, Table, presets};

use super::escaped;
use super::times::relative;

/// Whether tables are whole on a terminal, too. A process answers one command.
static IS_WIDE: AtomicBool = AtomicBool::new(false);
/// Narrower terminals are treated as if they had this width.
const WIDTH_MIN: usize = 40;

/// The headings of columns that are left out if a table does not fit, in this order.
const EXPENDABLE: [&str; 27] = [
    "folder",
    "back channel",
    "deny",
    "mode",
    "labels",
    "owner",
    "orphans",
    "anonymous",
    "security",
    "groups",
    "addresses",
    "inodes",
    "tls",
    "path",
    "export",
    "created",
    "finished",
    "by",
    "limit",
    "by status",
    "locked until",
    "taken by",
    "methods",
    "exposes",
    "id",
    "severity",
    "started",
];
/// Tables of these begin with the id that commands need.
const NEEDED_FIRST: &str = "id";

/// Tables are whole from now on.
pub(super) fn be_wide() {
    IS_WIDE.store(true, Ordering::Relaxed);
}

/// The width that tables must fit; `None` if they may have any.
pub(super) fn width() -> Option<usize> {
    if IS_WIDE.load(Ordering::Relaxed) || !std::io::stdout().is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col).max(WIDTH_MIN))
}

/// The lines of a table.
pub(super) fn columns(headings: &[&str], rows: Vec<Vec<String>>, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return lines(&built(headings, &rows)) };
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.into_iter().map(|cell| relative(&cell).unwrap_or(cell)).collect())
        .collect();
    let mut shown: Vec<usize> = (0..headings.len()).collect();
    let pick = |shown: &[usize]| {
        let headings: Vec<&str> = shown.iter().filter_map(|index| headings.get(*index).copied()).collect();
        let cells = |row: &Vec<String>| shown.iter().filter_map(|index| row.get(*index).cloned()).collect();
        built(&headings, &rows.iter().map(cells).collect::<Vec<Vec<String>>>())
    };
    let fits = |shown: &[usize]| lines(&pick(shown)).iter().all(|line| line.chars().count() <= width);
    for name in EXPENDABLE {
        if fits(&shown) {
            break;
        }
        let is_needed = |index: usize| index == 0 && name == NEEDED_FIRST;
        shown.retain(|index| headings.get(*index) != Some(&name) || is_needed(*index));
    }
    let mut table = pick(&shown);
    if !fits(&shown) {
        wrap(&mut table, width);
    }
    lines(&table)
}

/// The lines of names and their values.
pub(super) fn pairs(pairs: &[(&str, String)], width: Option<usize>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, value) in pairs {
        // Only leading blanks indent a part of something.
        table.add_row([Cow::Borrowed(*name), escaped(value)]);
    }
    if let Some(width) = width {
        wrap(&mut table, width);
    }
    lines(&table)
}

fn built(headings: &[&str], rows: &[Vec<String>]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings.iter().map(|heading| heading.to_uppercase()));
    for row in rows {
        table.add_row(row.iter().map(|cell| escaped(cell)));
    }
    table
}

fn wrap(table: &mut Table, width: usize) {
    // A line begins with a blank that is not printed.
    let width = u16::try_from(width.saturating_add(1)).unwrap_or(u16::MAX);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
}

/// Without the blank before the first column, and without blanks at the end.
fn lines(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: [&str; 5] = ["name", "size", "mode", "created", "what"];

    fn rows(what: &str) -> Vec<Vec<String>> {
        vec![["kafka", "10 GiB", "0755", "2020-01-01T00:00:00Z", what].map(str::to_owned).to_vec()]
    }

    #[test]
    fn a_table_that_fits_is_whole_and_a_wide_one_too() {
        let whole = columns(&HEADINGS, rows("text"), None);
        assert!(whole[0].starts_with("NAME") && whole[1].contains("2020-01-01T00:00:00Z"), "{whole:?}");
        let fits = columns(&HEADINGS, rows("text"), Some(80));
        assert!(fits[0].contains("MODE") && fits[1].contains("ago"), "{fits:?}");
    }

    #[test]
    fn columns_that_matter_least_are_left_out_first_and_long_text_is_wrapped() {
        let long = "a long text with many words that does not fit into a line of the terminal with the rest";
        let narrow = columns(&HEADINGS, rows(long), Some(60));
        assert!(narrow.iter().all(|line| line.chars().count() <= 60), "{narrow:#?}");
        assert!(!narrow[0].contains("MODE") && narrow[0].contains("WHAT"), "{narrow:#?}");
        let text =
            narrow.iter().skip(1).flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ");
        assert!(long.split(' ').all(|word| text.contains(word)), "{narrow:#?}");
        let shorter = columns(&HEADINGS, rows("text"), Some(36));
        assert!(!shorter[0].contains("MODE") && shorter[0].contains("CREATED"), "{shorter:#?}");
    }

    #[test]
    fn the_id_that_commands_need_stays_if_it_is_the_first_column() {
        let row = vec![vec!["0123456789abcdef".to_owned(), "x".repeat(70)]];
        let kept = columns(&["id", "problem"], row.clone(), Some(60));
        assert!(kept[0].starts_with("ID"), "{kept:?}");
        let left_out = columns(&["problem", "id"], row, Some(60));
        assert!(!left_out[0].contains("ID"), "{left_out:?}");
    }

    #[test]
    fn values_are_wrapped_beside_their_names() {
        let values = [("name", "kafka".to_owned()), ("  part", "word ".repeat(30).trim_end().to_owned())];
        let lines = pairs(&values, Some(50));
        assert!(lines.len() > 3 && lines.iter().all(|line| line.chars().count() <= 50), "{lines:#?}");
        assert!(lines[1].starts_with("  part") && lines[2].starts_with("    "), "{lines:#?}");
    }
}
