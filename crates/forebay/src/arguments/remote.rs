//! Options that all commands to a daemon share: which daemon, the output format, and whether to ask first.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::fingerprint::Fingerprint;
use crate::config::flags::AdminSettings;

const HEADING: &str = "Daemon and output";

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people; on a terminal it fits the width
    #[default]
    Table,
    /// For people, with all columns and times in full
    Wide,
    /// For programs; the fields are those of the API
    Json,
    /// The same fields as JSON, written as YAML
    Yaml,
    /// For spreadsheets: a row for each object, and a column for each field of the API
    Csv,
}

impl Format {
    /// Whether people read it, not programs.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Wide)
    }
}

/// Selects the daemon and the output format.
#[derive(Debug, Args)]
pub struct Remote {
    /// The daemon: https://HOST[:PORT], http://127.0.0.1[:PORT], or unix:PATH [default: the admin socket]
    ///
    /// Default: 1. the settings below, if one is given; 2. the active profile (`forebay profile`); 3. the
    /// service installed on this machine, from its /etc/forebay/forebay.toml; 4. the daemon whose pool is in
    /// ./forebay-data.
    #[arg(long, value_name = "URL", env = "FOREBAY_SERVER", hide_env_values = true, help_heading = HEADING)]
    pub server: Option<String>,

    /// The token to authenticate with; not needed with the admin socket
    #[arg(long, value_name = "TOKEN", env = "FOREBAY_TOKEN", hide_env_values = true, help_heading = HEADING)]
    pub token: Option<String>,

    /// Trust only certificates issued by this authority (PEM) [default: those that the system trusts]
    #[arg(long, value_name = "FILE", env = "FOREBAY_CA_CERTIFICATE", hide_env_values = true, help_heading = HEADING)]
    pub ca_certificate: Option<PathBuf>,

    /// Trust only the certificate with this SHA-256 fingerprint, whatever its name and issuer; the daemon prints its own
    #[arg(
        long, value_name = "SHA256", env = "FOREBAY_TLS_FINGERPRINT", hide_env_values = true, help_heading = HEADING,
        conflicts_with = "ca_certificate", value_parser = Fingerprint::parse
    )]
    pub tls_fingerprint: Option<Fingerprint>,

    /// Use this profile; see `forebay profile`
    #[arg(long, value_name = "NAME", env = "FOREBAY_PROFILE", hide_env_values = true, help_heading = HEADING)]
    pub profile: Option<String>,

    /// The output format.
    #[command(flatten)]
    output: Output,

    /// The daemon on this machine.
    #[command(flatten)]
    pub settings: AdminSettings,
}

impl Remote {
    /// The output format.
    pub fn format(&self) -> Format {
        self.output.format()
    }
}

/// Selects the output format.
#[derive(Clone, Copy, Debug, Args)]
pub struct Output {
    /// The output format
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "table", help_heading = HEADING)]
    format: Format,

    /// Same as -o json
    #[arg(long, conflicts_with = "format", help_heading = HEADING)]
    json: bool,
}

impl Output {
    /// The output format.
    pub fn format(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Whether a destructive command asks for confirmation.
#[derive(Clone, Copy, Debug, Args)]
pub struct Sure {
    /// Do not ask for confirmation; without a terminal the command never asks
    #[arg(long, short = 'y')]
    pub yes: bool,
}
