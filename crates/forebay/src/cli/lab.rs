//! `forebay lab`: what can be typed, and its help.

use std::ffi::OsString;

use clap::Subcommand;

use super::remote::Remote;

/// `forebay lab`.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the reports that a daemon finds
    ///
    /// The daemon searches `lab.results_directory`. Its console shows the reports.
    Reports {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// A command of `forebay-lab`, with its arguments.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}
