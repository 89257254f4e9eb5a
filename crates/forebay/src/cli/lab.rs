//! `forebay lab`: what can be typed, and its help.

use std::ffi::OsString;

use clap::Subcommand;

use super::remote::Remote;

/// `forebay lab`.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the reports that a daemon shows
    ///
    /// The daemon looks for them where its setting `lab.results_directory` says. Its console shows the pages.
    Reports {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// A command of `forebay-lab`, with its arguments.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}
