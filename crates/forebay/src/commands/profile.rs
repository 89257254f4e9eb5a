//! `forebay profile`. Does not contact a daemon.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use crate::admin::profiles::{Profile, load, store};
use crate::admin::target;
use crate::arguments::Fingerprint;
use crate::output::{print_columns, print_line};

/// `forebay profile`.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// Save a connection to a daemon and make it active
    ///
    /// Profiles are stored in $XDG_CONFIG_HOME/forebay/profiles.toml, or ~/.config/forebay/profiles.toml,
    /// which only you can read.
    #[command(after_long_help = PROFILE_EXAMPLES)]
    Add {
        /// The profile's name
        name: String,

        /// The daemon: https://HOST[:PORT], http://127.0.0.1[:PORT], or unix:PATH
        #[arg(long, value_name = "URL", env = "FOREBAY_SERVER", hide_env_values = true)]
        server: String,

        /// The token to authenticate with
        #[arg(long, value_name = "TOKEN", env = "FOREBAY_TOKEN", hide_env_values = true)]
        token: Option<String>,

        /// Trust only certificates issued by this authority (PEM)
        #[arg(long, value_name = "FILE")]
        ca_certificate: Option<PathBuf>,

        /// Trust only the certificate with this SHA-256 fingerprint, which the daemon prints
        #[arg(long, value_name = "SHA256", conflicts_with = "ca_certificate", value_parser = Fingerprint::parse)]
        tls_fingerprint: Option<Fingerprint>,
    },

    /// List the profiles; * marks the active one
    List,

    /// Make a profile active; `local` is the daemon on this machine
    Use {
        /// The profile's name
        name: String,
    },

    /// Remove a profile
    Remove {
        /// The profile's name
        name: String,
    },
}

/// Carries out a `forebay profile` command.
pub fn run(command: ProfileCommand) -> Result<()> {
    let mut profiles = load()?;
    let done = match command {
        ProfileCommand::Add { name, server, token, ca_certificate, tls_fingerprint } => {
            // Checked now rather than at the first use. The path is made absolute, since it may be used from
            // another directory.
            let ca_certificate = ca_certificate.map(std::fs::canonicalize).transpose()?;
            let trust =
                target::Trust { authority: ca_certificate.as_deref(), fingerprint: tls_fingerprint.as_ref() };
            target::read(&server, &trust)?;
            profiles.add(&name, Profile { server, token, ca_certificate, tls_fingerprint })?;
            format!("added profile {name}; it is now active")
        }
        ProfileCommand::List => {
            let rows = profiles.list().map(|(name, profile, is_current)| {
                let token = if profile.token.is_some() { "yes" } else { "no" };
                let mark = if is_current { "*" } else { "" };
                vec![format!("{name}{mark}"), profile.server.clone(), token.to_owned()]
            });
            return print_columns(&["profile", "server", "token"], rows.collect::<Vec<_>>());
        }
        ProfileCommand::Use { name } => {
            profiles.select(&name)?;
            format!("profile {name} is now active")
        }
        ProfileCommand::Remove { name } => {
            profiles.remove(&name)?;
            format!("removed profile {name}")
        }
    };
    store(&profiles)?;
    print_line(&done)
}

const PROFILE_EXAMPLES: &str = "\
Examples:
  forebay profile add prod --server https://storage.example.org --token fb_... --ca-certificate authority.pem
  forebay profile add test --server https://storage.example.org --token fb_... --tls-fingerprint 3A:5F:...
  forebay volume list
  forebay profile use local
";
