//! Command line of `forebay nfs`.

use clap::{Subcommand, ValueEnum};

use crate::arguments::{Remote, Sure, names};

/// `forebay nfs`.
#[derive(Debug, Subcommand)]
pub enum NfsCommand {
    /// List the clients
    ///
    /// A client is a kernel with at least one mount. Its state is one of: `connected`; `reclaiming` after a
    /// restart of the daemon, until it has reclaimed its open files; `silent` if its lease has expired and it
    /// keeps state that no other client needs (`courteous` in JSON); `connecting` before its first session
    /// (`unconfirmed`); `leaving` while its state is being removed. JSON has `confirmed` for `connected`.
    Clients {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show the busiest clients, refreshed every few seconds until Ctrl-C
    ///
    /// Each line shows the activity of a client in the last 30 seconds. If the output is not a terminal or not a table, it is shown once.
    Top {
        /// Sort order
        #[arg(long, value_name = "COLUMN", value_enum, default_value_t = TopBy::Bytes)]
        by: TopBy,

        /// Maximum number of clients to show
        #[arg(long, value_name = "COUNT", default_value_t = 20)]
        limit: usize,

        /// Show the list once and exit
        #[arg(long)]
        once: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the sessions, with their slots and connections
    Sessions {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the open files
    ///
    /// A file is shown by its path as long as it has the name by which it was opened, otherwise by its inode
    /// number.
    Opens {
        /// Show only those of this client
        #[arg(long, value_name = "CLIENT", value_parser = names::client)]
        client: Option<String>,

        /// Maximum number of opens to show, oldest first
        #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = limit)]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List byte-range locks
    Locks {
        /// Show only those of this client
        #[arg(long, value_name = "CLIENT", value_parser = names::client)]
        client: Option<String>,

        /// Maximum number of lock owners to show, oldest first
        #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = limit)]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Revoke all state of a client
    ///
    /// Other clients can take its opens and locks immediately. A client that is still running registers again
    /// and reopens its files if it can. To keep it out, change the export policy first.
    Evict {
        /// The client, as `forebay nfs clients` shows it
        #[arg(value_parser = names::client)]
        client: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Revoke an open with its locks, or one owner's locks on one file
    ///
    /// Programs that use it get an I/O error, or continue if their kernel can open the file again. If the
    /// daemon restarts before the client notices, the client may reclaim it.
    Revoke {
        /// The stateid, as `forebay nfs opens` or `forebay nfs locks` shows it
        #[arg(value_parser = names::stateid)]
        stateid: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show how often each operation ran since the daemon started, its results and its latency
    Stats {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// The order of `forebay nfs top`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TopBy {
    /// Bytes read and written
    Bytes,
    /// Operations
    Operations,
    /// The duration of COMMIT
    Commit,
}

/// More would not fit into one response.
const LIMIT_MAX: u32 = 100_000;

fn limit(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=LIMIT_MAX).contains(count));
    count.ok_or_else(|| format!("write a number from 1 to {LIMIT_MAX}"))
}
