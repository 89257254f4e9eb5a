//! What all commands that ask a daemon have in common: which daemon, how the answer is printed, whether to ask first.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::flags::AdminSettings;

const HEADING: &str = "Daemon and output";

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For programs; the fields are those of the API.
    Json,
    /// The same, for people who like it.
    Yaml,
}

/// Which daemon, and how its answer is printed.
#[derive(Debug, Args)]
pub struct Remote {
    /// The daemon: https://HOST[:PORT], http://127.0.0.1[:PORT], or unix:PATH [default: the admin socket]
    ///
    /// Without it, the daemon is that of the settings below; if none of those is given either, that of the profile that is in
    /// use (`forebay profile`); else that of the service that is installed on this machine, by its /etc/forebay/forebay.toml; and else the one whose pool
    /// is in ./forebay-data.
    #[arg(long, value_name = "URL", env = "FOREBAY_SERVER", hide_env_values = true, help_heading = HEADING)]
    pub server: Option<String>,

    /// The token that says who you are; not needed with the admin socket
    #[arg(long, value_name = "TOKEN", env = "FOREBAY_TOKEN", hide_env_values = true, help_heading = HEADING)]
    pub token: Option<String>,

    /// Trust this authority's certificates (PEM), and no others [default: those that the system trusts]
    #[arg(long, value_name = "FILE", env = "FOREBAY_CA_CERTIFICATE", hide_env_values = true, help_heading = HEADING)]
    pub ca_certificate: Option<PathBuf>,

    /// Use this profile; see `forebay profile`
    #[arg(long, value_name = "NAME", env = "FOREBAY_PROFILE", hide_env_values = true, help_heading = HEADING)]
    pub profile: Option<String>,

    /// How the answer is printed
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "table", help_heading = HEADING)]
    format: Format,

    /// The same as -o json
    #[arg(long, conflicts_with = "format", help_heading = HEADING)]
    json: bool,

    /// The daemon on this machine.
    #[command(flatten)]
    pub settings: AdminSettings,
}

impl Remote {
    /// How the answer is printed.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Whether what destroys asks first.
#[derive(Clone, Copy, Debug, Args)]
pub struct Sure {
    /// Do not ask; without a terminal nobody is asked anyway
    #[arg(long, short = 'y')]
    pub yes: bool,
}
