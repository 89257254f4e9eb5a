//! What the lab prints on standard output, and text that comes from elsewhere made fit for a terminal.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

use anyhow::Result;

/// Prints text and the end of a line. A reader that went away, as `head` does, is no error.
pub fn print(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The text with everything escaped that a terminal would obey instead of show: control characters, except ends of lines and tabs, and
/// characters that change the direction of text become such as `\u{1b}`.
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
