//! Which database a command is about.

use anyhow::{Result, anyhow};
use forebay_pool_postgres::Database;

use super::arguments::OfDatabase;
use crate::arguments::Remote;
use crate::commands::serve::database::with_password_of;
use crate::config::ConfigError;
use crate::config::settings::database_or_none;

/// A database, and the pool that the configuration names.
pub struct Place {
    /// The database.
    pub database: Database,
    /// The pool's name, if the configuration has one.
    pub pool: Option<String>,
}

/// The database that the options or the configuration name; none if a daemon was named, or no database.
pub fn of(given: &OfDatabase, remote: &Remote) -> Result<Option<Place>> {
    if let Some(url) = &given.metadata {
        let url = database_or_none(url)
            .map_err(|message| ConfigError::new(format!("--metadata: {message}")))?
            .ok_or_else(|| ConfigError::new("--metadata: name a database"))?;
        let database = whole(&url)?;
        let database =
            with_password_of(database, "--metadata-password-file", given.metadata_password_file.as_deref())?;
        return Ok(Some(Place { database, pool: None }));
    }
    if remote.server.is_some() || remote.profile.is_some() {
        return Ok(None);
    }
    let config = remote.settings.load()?.pool.database;
    let Some(url) = &config.metadata else { return Ok(None) };
    let file = given.metadata_password_file.as_deref().or(config.password_file.as_deref());
    let database = with_password_of(whole(url)?, "pool.metadata_password_file", file)?;
    Ok(Some(Place { database, pool: config.name }))
}

fn whole(url: &str) -> Result<Database> {
    Database::whole(url).map_err(|error| anyhow!("{error}"))
}
