//! Small helpers around files and programs of the host.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a program to its end. If it fails, the error contains its error output.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("start {name}"))?;
    if !output.status.success() {
        let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.trim().is_empty() {
            said = String::from_utf8_lossy(&output.stdout).into_owned();
        }
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        bail!("{name} {} failed ({}): {}", words.join(" "), output.status, last_lines(&said, 4));
    }
    Ok(())
}

/// Runs a program to its end and returns its output, which must be small. A program that takes longer than `patience` is killed, and the
/// result is an error.
pub fn output_within(command: &mut Command, patience: Duration) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("start {name}"))?;
    let deadline = Instant::now() + patience;
    while child.try_wait().with_context(|| format!("wait for {name}"))?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            bail!("no answer within {} s", patience.as_secs());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.wait_with_output().with_context(|| format!("wait for {name}"))
}

/// The last lines of a text, joined with " / ".
pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.get(lines.len().saturating_sub(count)..).unwrap_or_default().join(" / ")
}

/// The size of the files directly in a folder and in its sub-folders. Files that cannot be read are not counted.
pub fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(stat) if stat.is_dir() => folder_bytes(&entry.path()),
        Ok(stat) => stat.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
