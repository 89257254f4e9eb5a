//! A class-data archive: the classes of a Kafka broker as the Java machine keeps them in memory, so that each start maps them
//! instead of reading, checking and compiling their layout again. It more than halves the processor time that a broker takes to start.
//!
//! A Java machine other than the one that made the archive, or one that cannot map it, does without.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::distribution::Distribution;
use super::loopback::Loopback;

/// Makes the archive: starts a node of all roles in a folder of its own, and lets the Java machine archive what it has loaded when the
/// node ends.
pub fn make(kafka: &Distribution, work: &Path, target: &Path) -> Result<()> {
    let made = work.join("made.jsa");
    let dump = format!("-XX:ArchiveClassesAtExit={}", made.display());
    Loopback::start(kafka, work, &[dump])?.stop()?;
    fs::rename(&made, target).with_context(|| format!("move {}", made.display()))
}
