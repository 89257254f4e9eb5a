//! What the lab prints on standard output.

use std::io::{ErrorKind, Write};

use anyhow::Result;

/// Prints text and the end of a line. A reader that went away, as `head` does, is no error.
pub fn print(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
