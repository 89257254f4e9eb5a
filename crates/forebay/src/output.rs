//! What commands print on standard output, and what they ask before they destroy something.

use std::io::{ErrorKind, IsTerminal, Write};

use anyhow::{Result, bail};
use comfy_table::{Table, presets};
use serde::Serialize;

use crate::cli::remote::{Format, Sure};

/// Prints text. A reader that went away, as `head` does, is no error.
pub fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a value as it is wanted: for programs, or by `table`.
pub fn print_as<T: Serialize + ?Sized>(
    format: Format,
    value: &T,
    table: impl FnOnce(&T) -> Result<()>,
) -> Result<()> {
    match format {
        Format::Table => table(value),
        Format::Json => print(&format!("{}\n", serde_json::to_string_pretty(value)?)),
        Format::Yaml => print(&yaml_serde::to_string(value)?),
    }
}

/// Prints a sentence, or for programs the value that it is about.
pub fn print_done<T: Serialize>(format: Format, value: &T, sentence: &str) -> Result<()> {
    print_as(format, value, |_| print(&format!("{sentence}\n")))
}

/// Prints that something is gone, of which nothing is left to tell programs.
pub fn print_gone(format: Format, sentence: &str) -> Result<()> {
    if format == Format::Table { print(&format!("{sentence}\n")) } else { Ok(()) }
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

/// Asks whether to go on, if somebody sits there who can be asked; an error if not.
///
/// Scripts have no terminal, and are not asked: what they say is what they mean.
pub fn confirm(sure: Sure, question: impl FnOnce() -> Result<String>) -> Result<()> {
    if sure.yes || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(());
    }
    eprint!("{} [y/N] ", question()?);
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    bail!("nothing was done")
}
