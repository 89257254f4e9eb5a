//! Command line of `forebay volume`.

use std::time::Duration;

use clap::Subcommand;
use forebay_admin::views::{Compression, Plan};

use crate::arguments::names::{self, Source};
use crate::arguments::values::{parse_owner, parse_word};
use crate::arguments::{Remote, Sure};
use crate::config::size;

/// `forebay volume`.
#[derive(Debug, Subcommand)]
pub enum VolumeCommand {
    /// Create a volume
    #[command(after_long_help = CREATE_EXAMPLES)]
    Create {
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

        /// Do not tell clients that open files survive their unlink
        ///
        /// Linux clients then rename a removed file that is still open to `.nfs…` (silly rename), which makes
        /// Kafka fail. Use only to demonstrate the difference.
        #[arg(long)]
        no_preserve_unlink: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List all volumes
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one volume
    Show {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Also show the savings from deduplication and compression; this scans every extent
        ///
        /// Shared data is attributed in equal parts to each of the extents that share it.
        #[arg(long)]
        efficiency: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show how much clients read from and wrote to a volume over time
    ///
    /// The daemon keeps history since it started: 5-second samples for an hour, 1-minute samples for a day,
    /// and 15-minute samples for 30 days.
    Traffic {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// How far back to show
        #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration)]
        last: Duration,

        /// Interval between lines [default: chosen to suit --last]
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        step: Option<Duration>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change the size limit of a volume
    ///
    /// Takes effect immediately, including for clients that have it mounted. A limit below the current size
    /// of the files is refused.
    Resize {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Maximum size, such as 500GiB, or `none` for no limit but the pool's
        #[arg(value_parser = parse_limit)]
        size: Limit,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change a volume's path, access, limits and other settings
    ///
    /// Either all given changes are made or none. They take effect immediately, including for clients that
    /// have the volume mounted. If the path changes, existing mounts keep working; clients use the new path
    /// the next time they mount.
    ///
    /// Scheduled snapshots are taken at each full hour, at midnight, and at midnight before Sunday, all in
    /// UTC, and are named `hourly.2026-11-22_0100` and so on. The oldest ones beyond the retention are
    /// deleted, except those that have clones. The schedule never deletes snapshots that were taken manually.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Modify {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// The export policy, which sets the clients' access
        #[arg(long, value_name = "POLICY", value_parser = names::name, group = "change")]
        export: Option<String>,

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

        /// Whether clients are told that open files survive their unlink: on or off
        #[arg(long, value_name = "ON|OFF", value_parser = parse_switch, group = "change")]
        preserve_unlink: Option<bool>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Create a volume from a snapshot, or from the current state of a volume
    ///
    /// A clone takes no time and no space to create, whatever its size; only later changes to the clone or
    /// the original take space. The snapshot cannot be deleted before the clone. If you name a volume, a
    /// snapshot `clone-NAME` is taken first.
    #[command(after_long_help = CLONE_EXAMPLES)]
    Clone {
        /// The source: VOLUME@SNAPSHOT, or VOLUME
        #[arg(value_parser = names::source)]
        source: Source,

        /// The name of the clone
        #[arg(value_parser = names::name)]
        name: String,

        /// The path that clients mount [default: / and the name]
        #[arg(long, value_name = "PATH", alias = "junction")]
        path: Option<String>,

        /// The export policy [default: that of the source volume]
        #[arg(long, value_name = "POLICY", value_parser = names::name)]
        export: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Revert a volume to a snapshot
    ///
    /// All changes made since the snapshot are lost, so this needs the role admin. Stop programs that write
    /// to the volume first: files that are not in the snapshot become stale. Refused if there are newer
    /// snapshots, unless --force is given.
    Rollback {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// The name of the snapshot
        #[arg(long, value_name = "SNAPSHOT", value_parser = names::name)]
        to: String,

        /// Delete newer snapshots
        #[arg(long)]
        force: bool,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a volume; with --force, also its files and snapshots
    ///
    /// Refused if the volume has clones. Refused if it still has files or snapshots, unless --force is given.
    /// Clients that have it mounted get "stale file handle" from then on.
    Delete {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Permanently delete the volume with all its files and snapshots
        #[arg(long)]
        force: bool,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const CREATE_EXAMPLES: &str = "\
Examples:
  forebay volume create logs
  forebay volume create broker1 --path /clusters/a/broker1 --owner 1000:1000 --mode 0750
";

const CLONE_EXAMPLES: &str = "\
Examples:
  forebay volume clone kafka@before-upgrade rehearsal
  forebay volume clone broker1 broker1-copy --path /copies/broker1
";

fn parse_plan(text: &str) -> Result<Plan, String> {
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
fn parse_size(text: &str) -> Result<u64, String> {
    size::parse(text)
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    if text == "none" { Ok(Limit(None)) } else { parse_size(text).map(|size| Limit(Some(size))) }
}

fn parse_switch(text: &str) -> Result<bool, String> {
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
