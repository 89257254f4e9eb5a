//! Command line of `forebay volume`.

use std::time::Duration;

use clap::Subcommand;

use super::settings::{CreateArgs, Limit, ModifyArgs, parse_limit};
use crate::arguments::names::{self, Source};
use crate::arguments::{Remote, Sure};

/// `forebay volume`.
#[derive(Debug, Subcommand)]
pub enum VolumeCommand {
    /// Create a volume
    #[command(after_long_help = CREATE_EXAMPLES)]
    Create(CreateArgs),

    /// List all volumes
    List {
        /// List the deleted volumes that can be recovered
        #[arg(long)]
        deleted: bool,

        /// List only volumes with this label
        #[arg(long, value_name = "KEY[=VALUE]", conflicts_with = "deleted")]
        label: Option<String>,

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
    /// The daemon keeps 5-second samples for an hour, 1-minute samples for a day, and 15-minute samples for
    /// 30 days, also across restarts.
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
    Modify(ModifyArgs),

    /// Create a volume from a snapshot, or from the current state of a volume
    ///
    /// A clone takes no time and no space to create, whatever its size; only later changes to the clone or
    /// the original take space. The snapshot cannot be deleted before the clone. If you name a volume, a
    /// snapshot `clone-NAME` is taken for the clone, and deleted when the clone is purged.
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

    /// Rename a volume
    ///
    /// The path follows if it is / and the old name, unless --path gives another one. Clients that have the
    /// volume mounted are not affected; they use the new path the next time they mount.
    Rename {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// The new name
        #[arg(value_parser = names::name)]
        new: String,

        /// The path that clients mount
        #[arg(long, value_name = "PATH")]
        path: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a volume; with --force, also its files and snapshots
    ///
    /// Refused if the volume has clones. Refused if it still has files or snapshots, unless --force is given.
    /// Clients that have it mounted get "stale file handle" from then on. Its name and its path can be used again. It
    /// can be recovered for pool.recovery_hours, and takes its space until then.
    #[command(after_long_help = DELETE_EXAMPLES)]
    Delete {
        /// The volume's name
        #[arg(value_parser = names::volume)]
        name: String,

        /// Delete the volume with all its files and snapshots
        #[arg(long)]
        force: bool,

        /// Free its space immediately; the volume cannot be recovered
        #[arg(long)]
        now: bool,

        /// If it is a clone, keep the snapshot clone-NAME that was taken for it
        #[arg(long)]
        keep_snapshot: bool,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Recover a deleted volume
    ///
    /// Its snapshots and its export policy come back with it. Clients that still have it mounted can use it
    /// again.
    Recover {
        /// The volume's name when it was deleted, or id: and its id, which `list --deleted` shows
        #[arg(value_parser = names::volume)]
        name: String,

        /// A different name
        #[arg(long = "as", value_name = "NAME", value_parser = names::name)]
        new: Option<String>,

        /// A different path
        #[arg(long, value_name = "PATH")]
        path: Option<String>,

        /// A different export policy
        #[arg(long, value_name = "POLICY", value_parser = names::name)]
        export: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Free the space of a deleted volume; it can no longer be recovered
    ///
    /// Needs the role admin. Refused while one of its snapshots is locked.
    Purge {
        /// The volume's name when it was deleted, or id: and its id, which `list --deleted` shows
        #[arg(value_parser = names::volume)]
        name: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const DELETE_EXAMPLES: &str = "\
Examples:
  forebay volume delete rehearsal --force
  forebay volume list --deleted
  forebay volume recover rehearsal
";

const CREATE_EXAMPLES: &str = "\
Examples:
  forebay volume create logs
  forebay volume create broker1 --path /clusters/a/broker1 --owner 1000:1000 --mode 0750
  forebay volume create broker2 --size 2TiB --label owner=team-a --label cost-centre=4711
";

const CLONE_EXAMPLES: &str = "\
Examples:
  forebay volume clone kafka@before-upgrade rehearsal
  forebay volume clone broker1 broker1-copy --path /copies/broker1
";
