//! The initial contents of a pool: a volume `kafka` and a user `admin`. Also `forebay init`, which creates a
//! pool without serving it.
//!
//! Records in the pool say that each was created, so that an object that an operator has deleted is not
//! created again.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use forebay_pool::{Permit, Pool, PoolOptions, VolumeSpec};
use forebay_service::accounts::{Accounts, NewToken, Role};
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::{Config, PoolConfig};
use crate::output;

/// The record space for objects that are created once, and its keys.
const RECORDS: &str = "forebay";
const DEFAULT_VOLUME_MADE: &[u8] = b"default-volume-made";
const FIRST_USER_MADE: &[u8] = b"first-user-made";

/// The first user.
const FIRST_USER: &str = "admin";

/// Opens the pool as configured. `permit` is asked before each change of its files.
pub async fn open_pool(config: &PoolConfig, permit: Permit) -> Result<Pool> {
    if config.database.metadata.is_some() {
        bail!(
            "pool.metadata is set: a pool in a database is created with `forebay pool create`, and opened by `forebay serve` only"
        );
    }
    check_owner(&config.directory)?;
    let options = PoolOptions { permit, ..config.options() };
    Pool::open(&config.directory, options).await.map_err(|error| match error {
        forebay_pool::Error::Io { ref source, .. } if source.kind() == ErrorKind::ReadOnlyFilesystem => {
            anyhow!(
                "{error}; a systemd service may write only to its own directories: add this one to \
                 ReadWritePaths= (`systemctl edit forebay`), or choose another with --pool-directory"
            )
        }
        forebay_pool::Error::Io { .. } => {
            anyhow!(
                "{error}; the pool's directory must be writable by the current user; choose another with \
                 --pool-directory"
            )
        }
        // Keeps its type, which determines the exit status.
        error @ forebay_pool::Error::Refused { .. } => error.into(),
        error => anyhow!("{error}"),
    })
}

/// Refuses to let root write into another user's pool: that user could no longer open the files that root
/// creates.
pub fn check_owner(directory: &Path) -> Result<()> {
    if Pool::is_in(directory) { check_owner_of_files(directory) } else { Ok(()) }
}

/// Like [`check_owner`], for a directory that need not hold a pool.
pub fn check_owner_of_files(directory: &Path) -> Result<()> {
    let owner = std::fs::metadata(directory).map_or(0, |metadata| metadata.uid());
    if owner == 0 || !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    bail!(
        "pool {}: belongs to the user with id {owner}, which could not open files that root creates in it; run this command as that user \
         (`runuser -u forebay -- forebay …`)",
        directory.display()
    )
}

fn is_made(pool: &Pool, what: &[u8]) -> forebay_pool::Result<bool> {
    Ok(pool.records(RECORDS)?.iter().any(|(key, _)| key == what))
}

/// Creates the volume `kafka` in a new pool, once in the pool's life.
pub async fn make_default_volume(pool: &Pool) -> forebay_pool::Result<()> {
    if is_made(pool, DEFAULT_VOLUME_MADE)? {
        return Ok(());
    }
    // Like a new local file system, it belongs to root, who gives it to the brokers' user with chown.
    let spec = VolumeSpec::new("kafka", "/kafka");
    match pool.volume_create(spec).await {
        // A crash may have happened between the two steps.
        Ok(_) | Err(forebay_pool::Error::Exists(_)) => {}
        Err(error) => return Err(error),
    }
    pool.record_put(RECORDS, DEFAULT_VOLUME_MADE, b"").await
}

/// Creates the user `admin` in a new pool, once in the pool's life. Without a token, the user cannot log in.
pub async fn make_first_user(pool: &Pool, accounts: &Accounts) -> Result<()> {
    if is_made(pool, FIRST_USER_MADE)? {
        return Ok(());
    }
    if accounts.users().is_empty() {
        accounts.set_user(FIRST_USER, Role::Admin).await?;
    }
    Ok(pool.record_put(RECORDS, FIRST_USER_MADE, b"").await?)
}

/// `forebay init`.
pub fn run(config: &Config) -> Result<()> {
    umask(Mode::from_raw_mode(0o077));
    let directory = config.pool.directory.display();
    if Pool::is_in(&config.pool.directory) {
        bail!(
            "pool {directory}: already exists; serve it with `forebay serve`, and create tokens with `forebay \
             token create`"
        );
    }
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let secret = runtime.block_on(async {
        let pool = open_pool(&config.pool, Permit::default()).await?;
        let made = first_token(&pool).await;
        pool.close().await.map_err(|error| anyhow!("the pool was not closed cleanly: {error}"))?;
        made
    })?;
    output::print_line(&format!("created a pool in {directory}"))?;
    output::print_line(&format!("token of user {FIRST_USER} (shown only once):"))?;
    output::print_line(&secret)
}

async fn first_token(pool: &Pool) -> Result<String> {
    let accounts = Accounts::load(pool.clone())?;
    make_first_user(pool, &accounts).await?;
    let description = "created by forebay init".to_owned();
    let new = NewToken { user: FIRST_USER.to_owned(), expires: None, description };
    let created = accounts.create_token(&new).await?;
    Ok(created.secret)
}
