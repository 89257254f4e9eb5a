//! The class-data archive: the classes of a Kafka broker in the memory format of the Java virtual machine. Each start maps them instead of
//! reading and verifying them again, which more than halves the processor time of a broker's start.
//!
//! A Java virtual machine of another version, or one that cannot map the archive, starts without it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::distribution::Distribution;
use super::loopback::Loopback;

/// Creates the archive: starts a node with all roles in a folder of its own, and lets the Java virtual machine archive the loaded classes when
/// the node ends.
pub fn make(kafka: &Distribution, work: &Path, target: &Path) -> Result<()> {
    let made = work.join("made.jsa");
    let dump = format!("-XX:ArchiveClassesAtExit={}", made.display());
    Loopback::start(kafka, work, &[dump])?.stop()?;
    fs::rename(&made, target).with_context(|| format!("move {}", made.display()))
}
