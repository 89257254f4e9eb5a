//! `forebay nfs`: what can be typed, and its help.

use clap::Subcommand;

use super::names;
use super::remote::{Remote, Sure};

/// `forebay nfs`.
#[derive(Debug, Subcommand)]
pub enum NfsCommand {
    /// List the clients
    ///
    /// A client is a kernel that has something mounted. Its state is `confirmed`; `reclaiming` after a restart
    /// of the daemon, until it has taken back what it had open; `courteous` if its lease ran out and it keeps what
    /// nobody else wants; `unconfirmed` before its first session; `leaving` while its state is taken away.
    Clients {
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
    /// A file is shown by its path as long as it has the name by which it was opened, else by the number of its
    /// inode.
    Opens {
        /// Only those of this client
        #[arg(long, value_name = "CLIENT", value_parser = names::client)]
        client: Option<String>,

        /// Show no more than this number, the oldest first
        #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = limit)]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the byte ranges that are locked
    Locks {
        /// Only those of this client
        #[arg(long, value_name = "CLIENT", value_parser = names::client)]
        client: Option<String>,

        /// Show those of no more than this number of lock owners, the oldest first
        #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = limit)]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Take everything from a client, as if its lease had run out
    ///
    /// Its opens and locks are free for others at once. A client that is alive registers again, and opens its
    /// files again if it can; to keep it out, change the export policy first.
    Evict {
        /// The client, as `forebay nfs clients` shows it
        #[arg(value_parser = names::client)]
        client: String,

        /// Whether to ask first.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Take an open, with its locks, or the locks of one owner on one file, from a client
    ///
    /// Programs that use it get an I/O error, or go on if their kernel can open the file again. A restart of the
    /// daemon before the client took notice may give it back.
    Revoke {
        /// The stateid, as `forebay nfs opens` or `forebay nfs locks` shows it
        #[arg(value_parser = names::stateid)]
        stateid: String,

        /// Whether to ask first.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show how often each operation was executed since the daemon started, how it went, and how long it took
    Stats {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// More would not fit in one answer of the daemon.
const LIMIT_MAX: u32 = 100_000;

fn limit(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=LIMIT_MAX).contains(count));
    count.ok_or_else(|| format!("write a number from 1 to {LIMIT_MAX}"))
}
