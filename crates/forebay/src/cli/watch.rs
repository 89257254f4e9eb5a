//! `forebay event` and `job`: what can be typed, and its help.

use clap::Subcommand;
use forebay_admin::views::Severity;

use super::remote::Remote;
use super::volume::parse_word;

/// `forebay event`.
#[derive(Debug, Subcommand)]
pub enum EventCommand {
    /// List what happened, the oldest first
    ///
    /// The daemon keeps the last 2000 events, until it ends. What it logs has them, too.
    List {
        /// Go on, with what happens from now on, until Ctrl-C
        #[arg(long, short = 'f')]
        follow: bool,

        /// Only what matters as much: info, warning or error
        #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = parse_word::<Severity>)]
        severity: Severity,

        /// Show no more than this number, the last ones
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
    /// List what is under way, and the last that ended
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one job, with what came of it
    Show {
        /// Its id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Have a job end
    Cancel {
        /// Its id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
