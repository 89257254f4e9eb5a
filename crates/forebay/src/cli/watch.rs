//! Command line of `forebay event` and `job`.

use clap::Subcommand;
use forebay_admin::views::Severity;

use super::remote::Remote;
use super::volume::parse_word;

/// `forebay event`.
#[derive(Debug, Subcommand)]
pub enum EventCommand {
    /// List events, oldest first
    ///
    /// The daemon keeps the last 2000 events while it runs. Its log has all of them.
    List {
        /// Keep printing new events until Ctrl-C
        #[arg(long, short = 'f')]
        follow: bool,

        /// Minimum severity: info, warning or error
        #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = parse_word::<Severity>)]
        severity: Severity,

        /// Maximum number of events to show, the newest
        #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay job`.
#[derive(Debug, Subcommand)]
pub enum JobCommand {
    /// List running jobs and the most recent finished ones
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show a job and its result
    Show {
        /// The job's id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Cancel a job
    Cancel {
        /// The job's id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
