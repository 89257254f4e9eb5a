//! Command line of `forebay snapshot`.

use clap::Subcommand;

use crate::arguments::names::{self, SnapshotName};
use crate::arguments::values::{Expiry, parse_coming, parse_expiry};
use crate::arguments::{Remote, Sure};

/// `forebay snapshot`.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Take a snapshot of one volume, or of several at the same instant
    ///
    /// The snapshot holds everything that the server had accepted by then, but not data that clients still
    /// hold in memory. A broker's host sends written data within half a minute, or when the file is synced.
    #[command(after_long_help = SNAPSHOT_EXAMPLES)]
    Create {
        /// The volumes' names, separated by commas
        #[arg(value_delimiter = ',', required = true, value_parser = names::volume)]
        volumes: Vec<String>,

        /// The snapshot's name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// When the snapshot is deleted automatically: after a time such as 7d, or at a date [default: never]
        #[arg(long, value_name = "TIME", value_parser = parse_coming)]
        expires: Option<String>,

        /// Lock the snapshot against deletion: for a time such as 30d, or until a date; needs the role admin
        ///
        /// While the snapshot is locked, its volume can be deleted, but not purged, and it cannot be rolled back to an older snapshot.
        #[arg(long, value_name = "TIME", value_parser = parse_coming)]
        lock_until: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the snapshots of one volume, or of all
    List {
        /// The volume's name [default: all volumes]
        #[arg(value_parser = names::volume)]
        volume: Option<String>,

        /// Also show how much space the deletion of each snapshot would free; this reads every extent of the volumes
        ///
        /// Space that several snapshots share is freed only when all of them are deleted.
        #[arg(long)]
        space: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one snapshot
    Show {
        /// The snapshot, as VOLUME@SNAPSHOT
        #[arg(value_parser = names::snapshot)]
        snapshot: SnapshotName,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Rename a snapshot
    Rename {
        /// The snapshot, as VOLUME@SNAPSHOT
        #[arg(value_parser = names::snapshot)]
        snapshot: SnapshotName,

        /// The new name
        #[arg(value_parser = names::name)]
        new: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change the expiry or the lock of a snapshot
    ///
    /// A lock can be extended but not shortened. A snapshot that was taken for a clone is then no longer deleted with the clone.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Modify {
        /// The snapshot, as VOLUME@SNAPSHOT
        #[arg(value_parser = names::snapshot)]
        snapshot: SnapshotName,

        /// When it is deleted automatically: after a time such as 7d, at a date, or never
        #[arg(long, value_name = "TIME", group = "change", value_parser = parse_expiry)]
        expires: Option<Expiry>,

        /// Lock it against deletion: for a time such as 30d, or until a date; needs the role admin
        #[arg(long, value_name = "TIME", group = "change", value_parser = parse_coming)]
        lock_until: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a snapshot
    ///
    /// Refused if the snapshot has clones or is locked. Space that only this snapshot used is freed in the background.
    Delete {
        /// The snapshot, as VOLUME@SNAPSHOT
        #[arg(value_parser = names::snapshot)]
        snapshot: SnapshotName,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  forebay snapshot create kafka before-upgrade
  forebay snapshot create broker1,broker2,broker3 before-upgrade
  forebay snapshot create kafka audit --expires 90d --lock-until 30d
";
