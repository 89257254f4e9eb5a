//! Where the data goes: measures the disk, and writes a configuration if there is none.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use forebay_admin::views::DiskSpeedView;
use forebay_service::disk_speed;
use serde_json::json;

use crate::admin::client::Client;
use crate::config::size;

/// Lines about the disk of the daemon's pool.
pub fn of_daemon(client: &Client, directory: &str) -> Vec<String> {
    match client.post::<DiskSpeedView>("pool/speed", &json!({})) {
        Ok(speed) => lines(directory, &speed),
        // Users that are no admins can set brokers up, too.
        Err(error) => vec![format!("pool {directory}: not measured: {error:#}")],
    }
}

/// Lines about the disk of a directory, which need not exist yet.
pub fn of_directory(directory: &Path) -> Result<Vec<String>> {
    let absolute = std::path::absolute(directory)?;
    let existing = absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let measured = disk_speed::measure(existing)
        .with_context(|| format!("directory {}: cannot be measured", existing.display()))?;
    let mut speed = DiskSpeedView::from(measured);
    // What does not exist is no mount point.
    speed.own_file_system &= existing == absolute;
    Ok(lines(&absolute.display().to_string(), &speed))
}

fn lines(directory: &str, speed: &DiskSpeedView) -> Vec<String> {
    let (free, total) = (size::rounded(speed.bytes_free), size::rounded(speed.bytes_total));
    let rate = size::rounded(speed.write_bytes_per_second.round() as u64);
    let mut lines = vec![format!(
        "pool {directory}: {:.0} syncs/s, {rate}/s, {free} of {total} free",
        speed.syncs_per_second
    )];
    if speed.slow {
        lines.push(format!(
            "warning: fewer than {:.0} syncs per second, and brokers wait for each; use disks with power-loss protection, or put the intent \
             log on a faster disk (pool.log_directory)",
            disk_speed::SYNCS_PER_SECOND_MIN
        ));
    }
    if !speed.own_file_system {
        lines.push(
            "warning: other files in its file system can fill it; give the pool a file system of its own, or set pool.size_max".to_owned(),
        );
    }
    lines
}

/// Reads a directory for a pool.
pub fn parse_directory(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("write a path".to_owned()) } else { Ok(PathBuf::from(text)) }
}

/// Writes a configuration that has only the pool's directory. Returns whether it is new: an existing file stays as it is.
pub fn write_configuration(file: &Path, directory: &Path) -> Result<bool> {
    let directory = std::path::absolute(directory)?;
    let directory = directory.to_str().context("the pool's directory: is not UTF-8; choose another")?;
    let text = format!(
        "# Written by `forebay setup`. `forebay config init` prints all settings.\n[pool]\ndirectory = {}\n",
        toml::Value::String(directory.to_owned())
    );
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(file);
    match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        opened => {
            let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(|| format!("configuration {}: cannot be written", file.display()))?;
            Ok(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_slow_or_shared_disk_is_named() {
        let mut speed = DiskSpeedView {
            syncs_per_second: 120.0,
            write_bytes_per_second: 1e8,
            slow: true,
            bytes_total: 1 << 40,
            bytes_free: 1 << 39,
            own_file_system: false,
        };
        let said = lines("/srv/forebay", &speed);
        assert!(said[0].starts_with("pool /srv/forebay: 120 syncs/s") && said.len() == 3, "{said:?}");
        (speed.slow, speed.own_file_system) = (false, true);
        assert_eq!(lines("/srv/forebay", &speed).len(), 1);
    }

    #[test]
    fn a_configuration_is_written_once_and_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("forebay.toml");
        assert!(write_configuration(&file, Path::new("/srv/\"quoted\"")).unwrap());
        assert_eq!(Config::read(&file).unwrap().pool.directory, Path::new("/srv/\"quoted\""));
        assert!(!write_configuration(&file, Path::new("/elsewhere")).unwrap());
        assert_eq!(Config::read(&file).unwrap().pool.directory, Path::new("/srv/\"quoted\""));
    }
}
