//! Command line of `forebay snapshot`.

use clap::Subcommand;

use crate::arguments::names::{self, SnapshotName};
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
    /// Refused if the snapshot has clones. Space that only this snapshot used is freed in the background.
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
";
