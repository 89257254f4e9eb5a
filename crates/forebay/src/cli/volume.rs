//! `forebay volume` and `forebay snapshot`: what can be typed, and its help.

use std::time::Duration;

use clap::Subcommand;
use forebay_admin::views::{Compression, Plan};

use super::names::{self, SnapshotName, Source};
use super::remote::{Remote, Sure};
use crate::config::size;

/// `forebay volume`.
#[derive(Debug, Subcommand)]
pub enum VolumeCommand {
    /// Create a volume
    #[command(after_long_help = CREATE_EXAMPLES)]
    Create {
        /// Its name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// The path that clients mount [default: / and the name]
        #[arg(long, value_name = "PATH")]
        path: Option<String>,

        /// Owner and group of its root directory, as numbers
        #[arg(long, value_name = "UID:GID", default_value = "0:0", value_parser = parse_owner)]
        owner: (u32, u32),

        /// Permission bits of its root directory, in octal
        #[arg(long, value_name = "MODE", default_value = "0755", value_parser = parse_mode)]
        mode: u32,

        /// Bytes that it may hold, such as 500GiB; may be more than the pool has room for [default: no limit]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        size: Option<u64>,

        /// Bytes per second that clients may read and write, such as 50MiB, at least 1000000 [default: no limit]
        ///
        /// What clients ask for beyond it waits on the server, in order. Other volumes do not feel it.
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        max_bytes_per_second: Option<u64>,

        /// Snapshots to take by the clock, and how many to keep, such as hourly=6,daily=7,weekly=4
        #[arg(long, value_name = "PLAN", default_value = "none", value_parser = parse_plan)]
        snapshots: Plan,

        /// How what is written to it is compressed: none, lz4 or zstd
        ///
        /// Records that Kafka has compressed already are stored as they are. zstd makes others smaller than lz4, and
        /// takes more of the processor.
        #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = parse_word::<Compression>)]
        compression: Compression,

        /// The export policy that says which clients see it
        #[arg(long, value_name = "POLICY", default_value = "default", value_parser = names::name)]
        export: String,

        /// Do not tell clients that open files survive their unlink
        ///
        /// Linux clients then silly-rename an open file that is removed to `.nfs…`, which Kafka does not
        /// survive. Only for showing the difference.
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
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Also show what deduplication and compression save; looks at every extent
        ///
        /// What several extents share is attributed to each of them in equal parts.
        #[arg(long)]
        efficiency: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show how much clients wrote to a volume and read from it, minute by minute or finer
    ///
    /// The daemon remembers it since it started: 5 seconds apart for an hour, a minute for a day, 15 minutes for 30 days.
    Traffic {
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// How far back
        #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration)]
        last: Duration,

        /// From one line to the next; what suits how far back if not given
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        step: Option<Duration>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Give a volume another size
    ///
    /// Takes effect at once, for clients that have it mounted too. A size below what its files hold is
    /// refused.
    Resize {
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Bytes that it may hold, such as 500GiB, or `none` for as many as the pool has room for
        #[arg(value_parser = parse_limit)]
        size: Limit,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change a volume: where it is mounted, which clients see it, how fast they may use it, and more
    ///
    /// All of what is given is changed, or nothing. It is in force at once, for clients that have the volume mounted too: they go on
    /// when its path changes, and mount the new one next time.
    ///
    /// Snapshots are taken at full hours, at midnight, and at midnight before Sunday, all in UTC, and are called
    /// `hourly.2026-11-22_0100` and so on. The oldest beyond the number to keep are deleted, but for those
    /// that have clones. Snapshots that somebody asked for are never deleted by the clock.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Modify {
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// The export policy that says which clients see it
        #[arg(long, value_name = "POLICY", value_parser = names::name, group = "change")]
        export: Option<String>,

        /// Snapshots to take by the clock, and how many to keep, such as hourly=6,daily=7,weekly=4, or none
        #[arg(long, value_name = "PLAN", value_parser = parse_plan, group = "change")]
        snapshots: Option<Plan>,

        /// Bytes per second that clients may read and write, such as 50MiB, at least 1000000, or none
        #[arg(long, value_name = "SIZE", value_parser = parse_limit, group = "change")]
        max_bytes_per_second: Option<Limit>,

        /// The path that clients mount
        #[arg(long, value_name = "PATH", group = "change")]
        path: Option<String>,

        /// Owner and group of its root directory, as numbers
        #[arg(long, value_name = "UID:GID", value_parser = parse_owner, group = "change")]
        owner: Option<(u32, u32)>,

        /// Permission bits of its root directory, in octal
        #[arg(long, value_name = "MODE", value_parser = parse_mode, group = "change")]
        mode: Option<u32>,

        /// How what is written to it from now on is compressed: none, lz4 or zstd
        #[arg(long, value_name = "NAME", value_parser = parse_word::<Compression>, group = "change")]
        compression: Option<Compression>,

        /// Whether clients are told that open files survive their unlink: on or off
        #[arg(long, value_name = "ON|OFF", value_parser = parse_switch, group = "change")]
        preserve_unlink: Option<bool>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Make a volume that begins as a copy of a snapshot, or of a volume as it is
    ///
    /// Takes no time and no space, whatever the size; space is taken for what is changed in either of them.
    /// The snapshot cannot be deleted before the clone is. Of a volume, a snapshot `clone-NAME` is taken first.
    #[command(after_long_help = CLONE_EXAMPLES)]
    Clone {
        /// What to copy: VOLUME@SNAPSHOT, or VOLUME
        #[arg(value_parser = names::source)]
        source: Source,

        /// The name of the clone
        #[arg(value_parser = names::name)]
        name: String,

        /// The path that clients mount [default: / and the name]
        #[arg(long, value_name = "PATH", alias = "junction")]
        path: Option<String>,

        /// The export policy that says which clients see it [default: that of the volume copied]
        #[arg(long, value_name = "POLICY", value_parser = names::name)]
        export: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Make a volume what one of its snapshots shows
    ///
    /// All that was changed since is lost, so it needs the role admin. Stop what writes to the volume first: files that the snapshot does
    /// not have become stale. Refused if there are younger snapshots, unless --force is given.
    Rollback {
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// The name of the snapshot
        #[arg(long, value_name = "SNAPSHOT", value_parser = names::name)]
        to: String,

        /// Delete younger snapshots
        #[arg(long)]
        force: bool,

        /// Whether to ask first.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a volume; its files and snapshots too with --force
    ///
    /// Refused if the volume still has files or snapshots, unless --force is given, and if it has clones. Clients that have it mounted get
    /// "stale file handle" from then on.
    Delete {
        /// Its name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Delete it with all its files and snapshots; they cannot be had back
        #[arg(long)]
        force: bool,

        /// Whether to ask first.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay snapshot`.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Take a snapshot of one volume, or of several at the same instant
    ///
    /// It holds everything that the server had accepted by then. What clients still had in memory is not in it: a broker's
    /// host sends what was written within half a minute, or when the file is synced.
    #[command(after_long_help = SNAPSHOT_EXAMPLES)]
    Create {
        /// The volumes' names, with commas between
        #[arg(value_delimiter = ',', required = true, value_parser = names::volume)]
        volumes: Vec<String>,

        /// Its name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the snapshots of one volume, or of all
    List {
        /// The volume's name [default: all volumes]
        #[arg(value_parser = names::volume)]
        volume: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a snapshot
    ///
    /// Refused if it has clones. The space that only it took comes back in the background.
    Delete {
        /// The snapshot, as VOLUME@SNAPSHOT
        #[arg(value_parser = names::snapshot)]
        snapshot: SnapshotName,

        /// Whether to ask first.
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

const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  forebay snapshot create kafka before-upgrade
  forebay snapshot create broker1,broker2,broker3 before-upgrade
";

/// One of the words of an enumeration.
pub(super) fn parse_word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

fn parse_plan(text: &str) -> Result<Plan, String> {
    let hint = || "write such as hourly=6,daily=7,weekly=4, or none".to_owned();
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

pub(super) fn parse_owner(text: &str) -> Result<(u32, u32), String> {
    let owner = text.split_once(':').and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
    match owner {
        Some((u32::MAX, _) | (_, u32::MAX)) => {
            Err("4294967295 stands for no user and no group; choose another number, such as 65534".to_owned())
        }
        Some(owner) => Ok(owner),
        None => Err("write UID:GID as numbers, such as 1000:1000; `id USER` shows them".to_owned()),
    }
}

/// A size, or that there is none.
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
