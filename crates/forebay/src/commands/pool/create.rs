//! `forebay pool create`: a pool whose metadata lies in a database.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use forebay_pool::store::SegmentStore;

use crate::commands::serve::database::{bucket_of, database_of, require_directory};
use crate::config::settings::{database_or_none, place_or_none};
use crate::config::{Config, ConfigError, DatabaseConfig, ObjectStoreConfig, Place};
use crate::output;

/// Where the pool is to be.
pub struct DatabaseArguments {
    pub name: String,
    pub metadata: String,
    pub password_file: Option<PathBuf>,
    pub segments: String,
    /// The settings of the bucket, if the segments go to one.
    pub object_store: ObjectStoreConfig,
}

/// Creates the tables, and prints how to serve the pool.
pub fn run(arguments: DatabaseArguments) -> Result<()> {
    let DatabaseArguments { name, metadata, password_file, segments, object_store } = arguments;
    let refused = |flag: &str, message: String| ConfigError::new(format!("{flag}: {message}"));
    let url = database_or_none(&metadata).map_err(|message| refused("--metadata", message))?;
    let place = place_or_none(&segments).map_err(|message| refused("--segments", message))?;
    let mut config = Config { object_store, ..Config::default() };
    config.object_store.cache_size = 0;
    let bucket = match &place {
        Some(Place::Bucket { bucket, prefix }) => Some(bucket_of(&config, bucket, prefix)?),
        Some(Place::Directory(directory)) => {
            require_directory(directory)?;
            require_empty(directory)?;
            None
        }
        None => bail!("--segments: name a directory or a bucket"),
    };
    let place = place.map(|place| match place {
        Place::Directory(directory) => Place::Directory(directory.canonicalize().unwrap_or(directory)),
        bucket @ Place::Bucket { .. } => bucket,
    });
    config.pool.database =
        DatabaseConfig { metadata: url, password_file, name: Some(name.clone()), segments: place };
    let database = database_of(&config.pool.database)?;
    if let Some(bucket) = &bucket {
        bucket.prepare().and_then(|()| bucket.require_free()).map_err(|error| anyhow!("{error}"))?;
    }
    forebay_pool_postgres::create(&database).map_err(|error| anyhow!("{error}"))?;
    if let Some(bucket) = &bucket {
        let claimed = bucket.claim(&name).map_err(|error| anyhow!("{error}"));
        claimed.with_context(|| {
            format!("the pool's tables were created, but its bucket was not marked: remove the schema forebay_{name}, and try again")
        })?;
    }
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

fn next_steps(config: &Config) -> Vec<String> {
    let path = |path: &PathBuf| path.display().to_string();
    let (pool, bucket) = (&config.pool.database, &config.object_store);
    let name = pool.name.clone().unwrap_or_default();
    let setting = |key: &str, value: Option<String>| value.map(|value| format!("    {key} = \"{value}\""));
    let of_pool = [
        setting("name", Some(name.clone())),
        setting("metadata", pool.metadata.clone()),
        setting("segments", pool.segments.as_ref().map(ToString::to_string)),
        setting("metadata_password_file", pool.password_file.as_ref().map(path)),
    ];
    let of_bucket = [
        setting("endpoint", bucket.endpoint.clone()),
        setting("region", Some(bucket.region.clone())),
        setting("credentials_file", bucket.credentials_file.as_ref().map(path)),
        setting("ca_file", bucket.ca_file.as_ref().map(path)),
        setting("sign_payloads", bucket.sign_payloads.then(|| "on".to_owned())),
    ];
    let mut lines = vec![
        format!("pool {name} created; on each machine that may serve it, put into the configuration:"),
        String::new(),
        "    [pool]".to_owned(),
    ];
    lines.extend(of_pool.into_iter().flatten());
    if matches!(pool.segments, Some(Place::Bucket { .. })) {
        lines.extend([String::new(), "    [object_store]".to_owned()]);
        lines.extend(of_bucket.into_iter().flatten());
    }
    lines.push(String::new());
    lines.push("and start it: `forebay serve --config FILE`".to_owned());
    lines
}
