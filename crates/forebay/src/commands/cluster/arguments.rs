//! Command line of `forebay cluster`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::arguments::Remote;

/// `forebay cluster`.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Show all pools in a database: who serves each, since when, and who waits for it
    ///
    /// Looks at the database twice, 1.2 s apart, because an owner renews its lease twice a second. It needs no daemon, and a role that may only
    /// read the schemas of the pools. Without a database, the running daemon is asked.
    ///
    /// The database is that of --metadata, or of pool.metadata in the configuration.
    ///
    /// Exit status: 0 if all pools are served, 1 if one is not or there is none, 2 if this cannot be told. Commits without a synchronous standby do
    /// not change it.
    Status {
        /// The database.
        #[command(flatten)]
        database: OfDatabase,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Move a pool to another node
    ///
    /// The owner makes everything durable, removes its addresses, closes the pool and stops, and the named node takes it within about a second. If it does
    /// not do so within five seconds, any waiting node may take it. Clients keep their open files and locks, and wait meanwhile. Nothing is done if
    /// the node does not wait for the pool.
    ///
    /// If the owner is the daemon on this machine, it is asked through its admin socket. Otherwise the request is written to the pool's
    /// schema in the database, where the owner sees it within half a second: every role that can write there can move the pool.
    Move {
        /// The pool [default: pool.name, or the only pool in the database]
        pool: Option<String>,

        /// The node that shall take it, as `forebay cluster status` shows it
        #[arg(long, value_name = "NODE")]
        to: String,

        /// The database.
        #[command(flatten)]
        database: OfDatabase,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Let any waiting node take a pool
    ///
    /// Like `forebay cluster move`, for any node that waits. The owner does not take the pool again for ten seconds. Nothing is done if no node
    /// waits, unless --force is given.
    Release {
        /// The pool [default: pool.name, or the only pool in the database]
        pool: Option<String>,

        /// Release the pool although no node waits for it; it is then offline until a daemon takes it
        #[arg(long)]
        force: bool,

        /// The database.
        #[command(flatten)]
        database: OfDatabase,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// Selects the database.
#[derive(Debug, Args)]
pub struct OfDatabase {
    /// The database, as postgres://USER@HOST:PORT/DATABASE [default: pool.metadata in the configuration]
    #[arg(long, value_name = "URL", env = "FOREBAY_POOL_METADATA", hide_env_values = true)]
    pub metadata: Option<String>,

    /// The file with the password for the database
    #[arg(long, value_name = "FILE", env = "FOREBAY_POOL_METADATA_PASSWORD_FILE", hide_env_values = true)]
    pub metadata_password_file: Option<PathBuf>,
}
