//! `forebay lab`: what can be typed, and its help.

use clap::Subcommand;

use super::remote::Remote;

/// `forebay lab`.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// What the lab does by itself.
    #[command(flatten)]
    Here(forebay_lab::LabCommand),

    /// List the reports that a daemon shows
    ///
    /// The daemon looks for them where its setting `lab.results_directory` says. Its console shows the pages.
    Reports {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
