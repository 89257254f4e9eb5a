//! The lab's standard output, and the escaping of foreign text for a terminal.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

use anyhow::Result;

/// Prints a line. It is no error if the reader has closed the pipe, as `head` does.
pub fn print(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Escapes the characters that a terminal would interpret, in the form `\u{1b}`: control characters, except line ends and tabs, and
/// characters that change the direction of text.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_hidden = |character: char| {
        (character.is_control() && !"\n\t".contains(character))
            || matches!(
                character,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            )
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| -> String {
        if is_hidden(character) { character.escape_default().collect() } else { character.into() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}
