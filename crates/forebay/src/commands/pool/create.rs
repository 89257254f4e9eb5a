//! `forebay pool create`: a pool whose metadata lies in a database.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use crate::commands::serve::database::{database_of, require_directory};
use crate::config::settings::database_or_none;
use crate::config::{ConfigError, DatabaseConfig};
use crate::output;

/// Where the pool is to be.
pub struct DatabaseArguments {
    pub name: String,
    pub metadata: String,
    pub password_file: Option<PathBuf>,
    pub segments: PathBuf,
}

/// Creates the tables, and prints how to serve the pool.
pub fn run(arguments: DatabaseArguments) -> Result<()> {
    let DatabaseArguments { name, metadata, password_file, segments } = arguments;
    let url =
        database_or_none(&metadata).map_err(|message| ConfigError::new(format!("--metadata: {message}")))?;
    require_directory(&segments)?;
    require_empty(&segments)?;
    let segments = segments.canonicalize().unwrap_or(segments);
    let config = DatabaseConfig { metadata: url, password_file, name: Some(name), segments: Some(segments) };
    let database = database_of(&config)?;
    forebay_pool_postgres::create(&database).map_err(|error| anyhow!("{error}"))?;
    for line in next_steps(&config) {
        output::print_line(&line)?;
    }
    Ok(())
}

fn require_empty(segments: &Path) -> Result<()> {
    let mut entries =
        std::fs::read_dir(segments).map_err(|error| anyhow!("--segments {}: {error}", segments.display()))?;
    if entries.next().is_some() {
        bail!(
            "--segments {}: it is not empty; name an empty directory, which is to be the pool's alone",
            segments.display()
        );
    }
    Ok(())
}

fn next_steps(config: &DatabaseConfig) -> Vec<String> {
    let path =
        |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let mut lines = vec![
        format!(
            "pool {} created; on each machine that may serve it, put into the configuration:",
            config.name.as_deref().unwrap_or_default()
        ),
        String::new(),
        "    [pool]".to_owned(),
        format!("    name = \"{}\"", config.name.as_deref().unwrap_or_default()),
        format!("    metadata = \"{}\"", config.metadata.as_deref().unwrap_or_default()),
        format!("    segments = \"{}\"", path(&config.segments)),
    ];
    if config.password_file.is_some() {
        lines.push(format!("    metadata_password_file = \"{}\"", path(&config.password_file)));
    }
    lines.push(String::new());
    lines.push("and start it: `forebay serve --config FILE`".to_owned());
    lines
}
