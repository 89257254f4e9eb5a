//! `forebay support`: what can be typed, and its help.

use std::path::PathBuf;

use clap::Subcommand;

use super::remote::Remote;

/// `forebay support`.
#[derive(Debug, Subcommand)]
pub enum SupportCommand {
    /// Write one file with what somebody needs who is to find out what is wrong
    ///
    /// Configuration, what the API says of the pool, volumes, clients, jobs and events, metrics and their last hour, facts of this
    /// machine, and the log of the unit forebay.service. What cannot be had is left out, and said; so it works when the daemon is
    /// down. No tokens, no keys, no names of open files, nothing of what is in files. Look through it before you pass it on.
    #[command(
        after_long_help = "Example:\n  forebay support bundle --file /tmp/forebay.tar.gz\n  tar tzf /tmp/forebay.tar.gz\n"
    )]
    Bundle {
        /// Where to write it; the file must not exist [default: ./forebay-support-HOST-TIME.tar.gz]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,

        /// Take all of the log that the journal still has, up to 100,000 lines, and not the last 500 only
        #[arg(long)]
        logs: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
