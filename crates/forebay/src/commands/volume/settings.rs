//! The settings of volumes on the command line: how they are given, sent to the daemon, and shown.
//!
//! To add a setting, change this file; the other files of the command do not name single settings.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use forebay_admin::views::{Compression, NewVolume, Plan, VolumeEdit, VolumeView, WaitsView};

use crate::arguments::values::{parse_owner, parse_pair, parse_word};
use crate::arguments::{Remote, names};
use crate::commands::pool::efficiency_pairs;
use crate::config::size;
use crate::output::{print_columns, print_line, print_pairs};

/// `forebay volume create`.
#[derive(Debug, Args)]
#[group(skip)]
pub struct CreateArgs {
    /// The volume's name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
    #[arg(value_parser = names::name)]
    name: String,

    /// The path that clients mount [default: / and the name]
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Owner and group of the root directory, as numbers
    #[arg(long, value_name = "UID:GID", default_value = "0:0", value_parser = parse_owner)]
    owner: (u32, u32),

    /// Permission bits of the root directory, in octal
    #[arg(long, value_name = "MODE", default_value = "0755", value_parser = parse_mode)]
    mode: u32,

    /// Maximum size, such as 500GiB; may exceed the pool's free space [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size: Option<u64>,

    /// Maximum bytes per second that clients may read and write, such as 50MiB, at least 1000000
    /// [default: no limit]
    ///
    /// Requests beyond the limit wait on the server, in order. Other volumes are not affected.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_bytes_per_second: Option<u64>,

    /// Snapshot schedule and retention, such as hourly=6,daily=7,weekly=4
    #[arg(long, value_name = "PLAN", default_value = "none", value_parser = parse_plan)]
    snapshots: Plan,

    /// Compression of new writes: none, lz4 or zstd
    ///
    /// Records that Kafka has already compressed are stored as they are. zstd compresses better than lz4
    /// and uses more CPU time.
    #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = parse_word::<Compression>)]
    compression: Compression,

    /// The export policy, which sets the clients' access
    #[arg(long, value_name = "POLICY", default_value = "default", value_parser = names::name)]
    export: String,

    /// A label of the volume, such as owner=team-a; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = parse_pair)]
    labels: Vec<(String, String)>,

    /// Do not promise clients that open files survive their unlink
    ///
    /// Linux clients then rename a removed file that is still open to `.nfs…` (silly rename), which makes
    /// Kafka fail. Use only to demonstrate the difference.
    #[arg(long)]
    no_preserve_unlink: bool,

    /// Where the daemon is.
    #[command(flatten)]
    remote: Remote,
}

impl CreateArgs {
    /// The volume to create, and where.
    pub fn volume(self) -> (NewVolume, Remote) {
        let (uid, gid) = self.owner;
        let new = NewVolume {
            name: self.name,
            path: self.path,
            preserve_unlink: Some(!self.no_preserve_unlink),
            uid,
            gid,
            mode: Some(octal(self.mode)),
            size: self.size,
            max_bytes_per_second: self.max_bytes_per_second,
            compression: Some(self.compression),
            snapshots: self.snapshots,
            export: Some(self.export),
            labels: self.labels.into_iter().collect(),
        };
        (new, self.remote)
    }
}

/// `forebay volume modify`.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ModifyArgs {
    /// The volume's name
    #[arg(value_parser = names::volume)]
    name: String,

    /// The export policy, which sets the clients' access
    #[arg(long, value_name = "POLICY", value_parser = names::name, group = "change")]
    export: Option<String>,

    /// Maximum size, such as 500GiB, or none; may exceed the pool's free space
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, group = "change")]
    size: Option<Limit>,

    /// Snapshot schedule and retention, such as hourly=6,daily=7,weekly=4, or none
    #[arg(long, value_name = "PLAN", value_parser = parse_plan, group = "change")]
    snapshots: Option<Plan>,

    /// Maximum bytes per second that clients may read and write, such as 50MiB, at least 1000000, or none
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, group = "change")]
    max_bytes_per_second: Option<Limit>,

    /// The path that clients mount
    #[arg(long, value_name = "PATH", group = "change")]
    path: Option<String>,

    /// Owner and group of the root directory, as numbers
    #[arg(long, value_name = "UID:GID", value_parser = parse_owner, group = "change")]
    owner: Option<(u32, u32)>,

    /// Permission bits of the root directory, in octal
    #[arg(long, value_name = "MODE", value_parser = parse_mode, group = "change")]
    mode: Option<u32>,

    /// Compression of new writes: none, lz4 or zstd
    #[arg(long, value_name = "NAME", value_parser = parse_word::<Compression>, group = "change")]
    compression: Option<Compression>,

    /// Whether the server promises clients that open files survive their unlink: on or off
    #[arg(long, value_name = "ON|OFF", value_parser = parse_switch, group = "change")]
    preserve_unlink: Option<bool>,

    /// Replace the labels of the volume; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = parse_pair, group = "change")]
    labels: Vec<(String, String)>,

    /// Remove all labels of the volume
    #[arg(long, conflicts_with = "labels", group = "change")]
    no_labels: bool,

    /// Where the daemon is.
    #[command(flatten)]
    remote: Remote,
}

impl ModifyArgs {
    /// The volume's name, what to change, and where.
    pub fn edit(self) -> (String, VolumeEdit, Remote) {
        let labels: BTreeMap<String, String> = self.labels.into_iter().collect();
        let edit = VolumeEdit {
            name: None,
            path: self.path,
            preserve_unlink: self.preserve_unlink,
            uid: self.owner.map(|(uid, _)| uid),
            gid: self.owner.map(|(_, gid)| gid),
            mode: self.mode.map(octal),
            size: self.size.map(|Limit(size)| size),
            max_bytes_per_second: self.max_bytes_per_second.map(|Limit(limit)| limit),
            compression: self.compression,
            snapshots: self.snapshots,
            export: self.export,
            labels: (self.no_labels || !labels.is_empty()).then_some(labels),
        };
        (self.name, edit, self.remote)
    }
}

/// Permission bits in the API's format.
fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

/// Prints one line for each change.
pub fn say_changes(volume: &VolumeView, edit: &VolumeEdit) -> Result<()> {
    let switch = |on: bool| if on { "on" } else { "off" };
    let owner = || format!("{}:{}", volume.uid, volume.gid);
    let said = [
        edit.export.as_ref().map(|_| format!("has export policy {}", volume.export)),
        edit.size.map(|_| format!("has size {}", limit(volume.size))),
        edit.snapshots.map(|_| format!("keeps snapshots {}", plan(volume.snapshots))),
        edit.max_bytes_per_second.map(|_| format!("has limit {}", rate(volume.max_bytes_per_second))),
        edit.path.as_ref().map(|_| format!("is at {}", volume.path)),
        edit.uid.map(|_| format!("has owner {}", owner())),
        edit.mode.as_ref().map(|_| format!("has mode {}", volume.mode)),
        edit.compression.map(|_| format!("has compression {}", volume.compression)),
        edit.preserve_unlink.map(|_| format!("has preserve-unlink {}", switch(volume.preserve_unlink))),
        edit.labels.as_ref().map(|_| format!("has labels {}", labels(volume))),
    ];
    said.iter().flatten().try_for_each(|said| print_line(&format!("volume {} {said}", volume.name)))
}

/// A snapshot schedule in the form in which it is typed.
fn plan(plan: Plan) -> String {
    let parts = [("hourly", plan.hourly), ("daily", plan.daily), ("weekly", plan.weekly)];
    let kept: Vec<String> =
        parts.iter().filter(|(_, keep)| *keep > 0).map(|(period, keep)| format!("{period}={keep}")).collect();
    if kept.is_empty() { "none".to_owned() } else { kept.join(",") }
}

/// Prints volumes, one on each line.
pub fn list(volumes: &[VolumeView]) -> Result<()> {
    print_columns(
        &[
            "name", "used", "size", "free", "stored", "ratio", "path", "export", "limit", "inodes",
            "orphans", "owner", "mode", "created", "labels",
        ],
        volumes.iter().map(|volume| {
            let stored = volume.efficiency.as_ref().filter(|found| found.bytes_physical > 0);
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            vec![
                volume.name.clone(),
                size::rounded(volume.bytes_logical),
                limit(volume.size),
                size::rounded(volume.bytes_free),
                or_dash(stored.map(|found| size::rounded(found.bytes_physical))),
                or_dash(stored.map(|found| format!("{:.2}", found.ratio))),
                volume.path.clone(),
                volume.export.clone(),
                rate(volume.max_bytes_per_second),
                volume.inodes_used.to_string(),
                volume.orphans.to_string(),
                format!("{}:{}", volume.uid, volume.gid),
                volume.mode.clone(),
                volume.created.clone(),
                if volume.labels.is_empty() { "-".to_owned() } else { labels(volume) },
            ]
        }),
    )
}

/// The labels for display: `cost-centre=4711, owner=team-a`.
fn labels(volume: &VolumeView) -> String {
    let pairs: Vec<String> = volume.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if pairs.is_empty() { "none".to_owned() } else { pairs.join(", ") }
}

/// A size limit for display.
pub fn limit(size: Option<u64>) -> String {
    size.map_or("none".to_owned(), size::rounded)
}

/// A throughput limit for display.
pub fn rate(limit: Option<u64>) -> String {
    limit.map_or("none".to_owned(), |limit| format!("{}/s", size::rounded(limit)))
}

/// For example `1234 requests, 56.7 s total, 8 retried`.
pub fn waits(waits: &WaitsView) -> String {
    let seconds = Duration::from_millis(waits.waited_ms).as_secs_f64();
    format!("{} requests, {seconds:.1} s total, {} retried", waits.requests, waits.turned_away)
}

/// Prints one volume. `mount` is the command that mounts it.
pub fn show(volume: &VolumeView, mount: &str) -> Result<()> {
    let preserve = if volume.preserve_unlink { "yes" } else { "no" };
    let no_waits = || "none".to_owned();
    let mut pairs = vec![
        ("name", volume.name.clone()),
        ("path", volume.path.clone()),
        ("mount command", mount.to_owned()),
        ("export policy", volume.export.clone()),
        ("size", limit(volume.size)),
        ("free", size::rounded(volume.bytes_free)),
        ("used", format!("{} ({} bytes)", size::rounded(volume.bytes_logical), volume.bytes_logical)),
        ("limit", rate(volume.max_bytes_per_second)),
        ("throttled", volume.waits.as_ref().map_or_else(no_waits, waits)),
        ("inodes", volume.inodes_used.to_string()),
        ("orphans", volume.orphans.to_string()),
        ("owner", format!("{}:{}", volume.uid, volume.gid)),
        ("mode", volume.mode.clone()),
        ("compression", volume.compression.to_string()),
        ("snapshots", plan(volume.snapshots)),
        ("clone of", volume.clone_of.clone().unwrap_or_else(|| "none".to_owned())),
        ("open files survive unlink", preserve.to_owned()),
        ("labels", labels(volume)),
        ("created", volume.created.clone()),
    ];
    pairs.extend(efficiency_pairs(volume.efficiency.as_ref()));
    print_pairs(&pairs)
}

/// A snapshot schedule, or `none`.
pub fn parse_plan(text: &str) -> Result<Plan, String> {
    let hint = || "write, for example, hourly=6,daily=7,weekly=4, or none".to_owned();
    let mut plan = Plan::default();
    for part in text.split(',').filter(|_| text != "none") {
        let (period, keep) = part.split_once('=').ok_or_else(hint)?;
        let keep = keep.parse().map_err(|_| hint())?;
        match period {
            "hourly" => plan.hourly = keep,
            "daily" => plan.daily = keep,
            "weekly" => plan.weekly = keep,
            _ => return Err(hint()),
        }
    }
    Ok(plan)
}

/// A size limit, or `None` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

/// Bytes, written as in the configuration file.
pub fn parse_size(text: &str) -> Result<u64, String> {
    match size::parse(text)? {
        0 => Err("must be at least 1 byte; write none, or leave the option out, for no limit".to_owned()),
        bytes => Ok(bytes),
    }
}

/// The same, or `none`.
pub fn parse_limit(text: &str) -> Result<Limit, String> {
    if text == "none" { Ok(Limit(None)) } else { parse_size(text).map(|size| Limit(Some(size))) }
}

/// `on` or `off`.
pub fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

fn parse_mode(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| *mode <= 0o7777)
        .ok_or_else(|| "write permission bits in octal, such as 0755".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressions_are_known_by_name() {
        for name in ["none", "lz4", "zstd"] {
            assert_eq!(parse_word::<Compression>(name).map(|known| known.to_string()), Ok(name.to_owned()));
        }
        assert!(parse_word::<Compression>("gzip").is_err());
    }

    #[test]
    fn plans_are_read() {
        assert_eq!(parse_plan("hourly=6,weekly=4"), Ok(Plan { hourly: 6, daily: 0, weekly: 4 }));
        assert_eq!(parse_plan("none"), Ok(Plan::default()));
        for wrong in ["", "hourly", "hourly=", "yearly=1", "hourly=-1"] {
            assert!(parse_plan(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn owners_and_modes_are_read_as_chown_and_chmod_read_them() {
        assert_eq!(parse_owner("1000:0"), Ok((1000, 0)));
        assert!(parse_owner("kafka:kafka").is_err());
        assert!(parse_owner("1000").is_err());
        assert_eq!(parse_owner("4294967294:0"), Ok((u32::MAX - 1, 0)));
        for no_one in ["4294967295:0", "0:4294967295"] {
            assert!(parse_owner(no_one).unwrap_err().contains("4294967295"), "{no_one}");
        }
        assert_eq!(parse_mode("0755"), Ok(0o755));
        assert_eq!(parse_mode("1777"), Ok(0o1777));
        assert!(parse_mode("888").is_err());
        assert!(parse_mode("10000").is_err());
    }
}
