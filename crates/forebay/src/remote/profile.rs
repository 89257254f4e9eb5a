//! `forebay profile`. Does not contact a daemon.

use anyhow::Result;

use crate::admin::profiles::{Profile, load, store};
use crate::admin::target;
use crate::cli::ProfileCommand;
use crate::output::{print_columns, print_line};

/// Carries out a `forebay profile` command.
pub fn run(command: ProfileCommand) -> Result<()> {
    let mut profiles = load()?;
    let done = match command {
        ProfileCommand::Add { name, server, token, ca_certificate } => {
            // Checked now rather than at the first use. The path is made absolute, since it may be used from
            // another directory.
            let ca_certificate = ca_certificate.map(std::fs::canonicalize).transpose()?;
            target::read(&server, ca_certificate.as_deref())?;
            profiles.add(&name, Profile { server, token, ca_certificate })?;
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
