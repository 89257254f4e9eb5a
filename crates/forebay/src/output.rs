//! The output of commands, and the confirmation before destructive ones.
//!
//! Names come from clients, other daemons and files, and a terminal acts on control characters. So everything
//! that is printed for people is [`escaped`], each cell of a table and each line by itself. In output for
//! programs the same characters are escaped as JSON does it, so the meaning stays the same.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use forebay_pool::is_printable;
use serde::Serialize;

use crate::arguments::{Format, Sure};

mod csv;
pub mod natural;
mod table;
pub mod times;

/// Whether the headings of a sequence for spreadsheets were printed. A process answers one command.
static HAS_HEADINGS: AtomicBool = AtomicBool::new(false);

/// Text in one line, with every character escaped that would control a terminal: `\n`, `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| -> String {
        if is_printable(character) { character.into() } else { character.escape_default().collect() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Escapes the same characters in JSON text; the result is equivalent JSON.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let is_sound = |character: char| is_printable(character) || character == '\n';
    if json.chars().all(is_sound) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_sound(character) {
            escaped.push(character);
        } else {
            // Writing into a String cannot fail. None of these characters needs more than four digits.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        }
    }
    Cow::Owned(escaped)
}

/// Prints a line for people.
pub fn print_line(line: &str) -> Result<()> {
    write(&format!("{}\n", escaped(line))).map(drop)
}

/// Prints text that the program itself has written, unescaped: reference pages, shell scripts.
pub fn print_own(text: &str) -> Result<()> {
    write(text).map(drop)
}

/// Prints a value in the requested format: for programs, or with `show`.
pub fn print_as<T: Serialize + ?Sized>(
    format: Format,
    value: &T,
    show: impl FnOnce(&T) -> Result<()>,
) -> Result<()> {
    match format {
        Format::Table => show(value),
        Format::Wide => {
            table::be_wide();
            show(value)
        }
        Format::Json => {
            write(&format!("{}\n", escaped_json(&serde_json::to_string_pretty(value)?))).map(drop)
        }
        Format::Yaml => write(&yaml(value)?).map(drop),
        Format::Csv => write(&csv::table(value)?).map(drop),
    }
}

/// Like [`print_as`], for values whose fields make no good table: `rows` are those for spreadsheets, the headings first.
pub fn print_table_as<T: Serialize + ?Sized>(
    format: Format,
    value: &T,
    rows: impl FnOnce(&T) -> Vec<Vec<String>>,
    table: impl FnOnce(&T) -> Result<()>,
) -> Result<()> {
    if format != Format::Csv {
        return print_as(format, value, table);
    }
    write(&csv::text(&rows(value))).map(drop)
}

/// Like [`print_as`]; a table for spreadsheets has only the rows of `list`, which is a part of the value.
pub fn print_list_as<T: Serialize + ?Sized, L: Serialize + ?Sized>(
    format: Format,
    value: &T,
    list: &L,
    show: impl FnOnce(&T) -> Result<()>,
) -> Result<()> {
    if format == Format::Csv { print_as(format, list, |_| Ok(())) } else { print_as(format, value, show) }
}

/// Prints JSON text from elsewhere as it is, apart from characters that a terminal would obey.
pub fn print_json_text(text: &str) -> Result<()> {
    // Within a string JSON allows neither character, so these are white space.
    let plain = text.replace('\t', "    ").replace('\r', "");
    write(&format!("{}\n", escaped_json(plain.trim_end()))).map(drop)
}

/// Prints one of a sequence of values; for people, as a line, and for spreadsheets in these columns. Breaks when the reader is gone.
pub fn print_next<T: Serialize>(
    format: Format,
    value: &T,
    columns: &[&str],
    line: impl FnOnce(&T) -> String,
) -> Result<ControlFlow<()>> {
    write(&match format {
        Format::Table | Format::Wide => format!("{}\n", escaped(&line(value))),
        Format::Json => format!("{}\n", escaped_json(&serde_json::to_string(value)?)),
        Format::Yaml => format!("---\n{}", yaml(value)?),
        Format::Csv => {
            let is_first = !HAS_HEADINGS.swap(true, Ordering::Relaxed);
            let headings = if is_first { format!("{}\n", columns.join(",")) } else { String::new() };
            format!("{headings}{}", csv::next(value, columns)?)
        }
    })
}

/// YAML leaves some control characters unescaped. A value that contains them is written as JSON, which is
/// also YAML.
fn yaml<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let text = yaml_serde::to_string(value)?;
    if text.chars().all(|character| is_printable(character) || character == '\n') {
        return Ok(text);
    }
    Ok(format!("{}\n", escaped_json(&serde_json::to_string_pretty(value)?)))
}

/// Prints a sentence or, for programs, the value that it describes.
pub fn print_done<T: Serialize>(format: Format, value: &T, sentence: &str) -> Result<()> {
    print_as(format, value, |_| print_line(sentence))
}

/// Prints that an object was deleted. Programs get no output.
pub fn print_gone(format: Format, sentence: &str) -> Result<()> {
    if format.is_for_people() { print_line(sentence) } else { Ok(()) }
}

/// Prints rows in columns below their headings.
pub fn print_columns(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Result<()> {
    let lines = table::columns(headings, rows.into_iter().collect(), table::width());
    write(&format!("{}\n", lines.join("\n"))).map(drop)
}

/// Prints name and value pairs, one per line.
pub fn print_pairs(pairs: &[(&str, String)]) -> Result<()> {
    write(&format!("{}\n", table::pairs(pairs, table::width()).join("\n"))).map(drop)
}

/// Breaks when the reader is gone, as with `head`, which is no error.
fn write(text: &str) -> Result<ControlFlow<()>> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => Err(error.into()),
    }
}

/// Prints an error on standard error.
pub fn complain(complaint: &str) {
    // If nobody reads it, the exit status still reports the failure.
    let _ = writeln!(std::io::stderr(), "forebay: {}", escaped(complaint));
}

/// Asks for confirmation if standard input is a terminal; an error if the user declines.
///
/// Scripts have no terminal and are not asked.
pub fn confirm(sure: Sure, question: impl FnOnce() -> Result<String>) -> Result<()> {
    if sure.yes || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(());
    }
    eprint!("{} [y/N] ", escaped(&question()?));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    bail!("cancelled")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &str = "a\u{1b}[31m\nb\u{9b}2J\u{202e}\u{7f}é";

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(escaped(NASTY), r"a\u{1b}[31m\nb\u{9b}2J\u{202e}\u{7f}é");
        assert!(matches!(escaped("größer 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_programs_read_has_nothing_to_obey_and_means_the_same() {
        let value = serde_json::json!({ "name": NASTY, "more": [1] });
        for text in
            [escaped_json(&serde_json::to_string_pretty(&value).unwrap()).into_owned(), yaml(&value).unwrap()]
        {
            assert!(text.chars().all(|character| is_printable(character) || character == '\n'), "{text:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
            assert_eq!(yaml_serde::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
        assert_eq!(yaml(&serde_json::json!({ "name": "kafka" })).unwrap(), "name: kafka\n");
    }
}
