//! `forebay profile`. Nothing is asked of a daemon.

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
            // Said now, not at the first command that uses it; and whole, as that may be given in another directory.
            let ca_certificate = ca_certificate.map(std::fs::canonicalize).transpose()?;
            target::read(&server, ca_certificate.as_deref())?;
            profiles.add(&name, Profile { server, token, ca_certificate })?;
            format!("added profile {name}, and use it")
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
            format!("use profile {name}")
        }
        ProfileCommand::Remove { name } => {
            profiles.remove(&name)?;
            format!("removed profile {name}")
        }
    };
    store(&profiles)?;
    print_line(&done)
}
