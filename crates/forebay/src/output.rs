//! What commands print on standard output.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use comfy_table::{Table, presets};
use serde::Serialize;

/// Prints text. A reader that went away, as `head` does, is no error.
pub fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a value as indented JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Prints rows below their headings, in columns.
pub fn print_columns(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings.iter().map(|heading| heading.to_uppercase()));
    table.add_rows(rows);
    print_table(&table)
}

/// Prints names with their values, one pair on each line.
pub fn print_pairs(pairs: &[(&str, String)]) -> Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, value) in pairs {
        table.add_row([*name, value.as_str()]);
    }
    print_table(&table)
}

fn print_table(table: &Table) -> Result<()> {
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().trim_start().to_owned()).collect();
    print(&format!("{}\n", lines.join("\n")))
}
