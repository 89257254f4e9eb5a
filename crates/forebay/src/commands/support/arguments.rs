//! Command line of `forebay support`.

use std::path::PathBuf;

use clap::Subcommand;

use crate::arguments::Remote;

/// `forebay support`.
#[derive(Debug, Subcommand)]
pub enum SupportCommand {
    /// Write a diagnostics bundle
    ///
    /// Contains the configuration; the API's view of the pool, volumes, clients, jobs and events; current
    /// metrics and their last hour; facts about this machine; and the log of the unit forebay.service. Parts
    /// that cannot be collected are left out and reported, so the command also works when the daemon is down.
    /// The bundle contains no tokens, keys, names of open files or file contents. Review it before you share
    /// it.
    #[command(
        after_long_help = "Example:\n  forebay support bundle --file /tmp/forebay.tar.gz\n  tar tzf /tmp/forebay.tar.gz\n"
    )]
    Bundle {
        /// The file to write; it must not exist [default: ./forebay-support-HOST-TIME.tar.gz]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,

        /// Include the whole log that the journal holds, up to 100,000 lines, instead of the last 500
        #[arg(long)]
        logs: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
