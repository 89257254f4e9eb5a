//! What is in a pool from the start: a volume `kafka`, and a user `admin`. And `forebay init`, which makes a pool without serving it.
//!
//! Records in the pool say that each was made, so that what somebody deleted does not come back.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use forebay_pool::{Pool, VolumeSpec};
use forebay_service::accounts::{Accounts, NewToken, Role};
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::{Config, PoolConfig};
use crate::output;

/// Where the pool keeps what was made once, and under which keys.
const RECORDS: &str = "forebay";
const DEFAULT_VOLUME_MADE: &[u8] = b"default-volume-made";
const FIRST_USER_MADE: &[u8] = b"first-user-made";

/// The first user.
const FIRST_USER: &str = "admin";

/// Opens the pool as it is configured.
pub async fn open_pool(config: &PoolConfig) -> Result<Pool> {
    check_owner(&config.directory)?;
    Pool::open(&config.directory, config.options()).await.map_err(|error| match error {
        forebay_pool::Error::Io { ref source, .. } if source.kind() == ErrorKind::ReadOnlyFilesystem => {
            anyhow!(
                "{error}; a service of systemd may write only to its own directories: name this one with \
                 ReadWritePaths= (`systemctl edit forebay`), or choose another with --pool-directory"
            )
        }
        forebay_pool::Error::Io { .. } => {
            anyhow!(
                "{error}; the pool's directory must be writable for the user who runs this, choose another with \
                 --pool-directory"
            )
        }
        // With its type, by which its exit status is chosen.
        error @ forebay_pool::Error::Refused { .. } => error.into(),
        error => anyhow!("{error}"),
    })
}

/// Keeps root out of a pool that a service's own user keeps: what root wrote there, that user could not open any more.
pub fn check_owner(directory: &Path) -> Result<()> {
    let owner = std::fs::metadata(directory).map_or(0, |metadata| metadata.uid());
    if owner == 0 || !rustix::process::geteuid().is_root() || !Pool::is_in(directory) {
        return Ok(());
    }
    bail!(
        "pool {}: belongs to the user with number {owner}, who could not open what root writes into it: run this as that user \
         (`runuser -u forebay -- forebay …`)",
        directory.display()
    )
}

fn is_made(pool: &Pool, what: &[u8]) -> forebay_pool::Result<bool> {
    Ok(pool.records(RECORDS)?.iter().any(|(key, _)| key == what))
}

/// Makes the volume `kafka` in a new pool, once in the pool's life.
pub async fn make_default_volume(pool: &Pool) -> forebay_pool::Result<()> {
    if is_made(pool, DEFAULT_VOLUME_MADE)? {
        return Ok(());
    }
    // As a new local file system would be: root owns it, and gives it to the brokers' user with chown.
    let spec = VolumeSpec::new("kafka", "/kafka");
    match pool.volume_create(spec).await {
        // A crash came between the two steps.
        Ok(_) | Err(forebay_pool::Error::Exists(_)) => {}
        Err(error) => return Err(error),
    }
    pool.record_put(RECORDS, DEFAULT_VOLUME_MADE, b"").await
}

/// Makes the user `admin` in a new pool, once in the pool's life. A user without a token lets nobody in.
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
            "pool {directory}: there is one already; serve it with `forebay serve`, and make tokens with `forebay \
             token create`"
        );
    }
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let secret = runtime.block_on(async {
        let pool = open_pool(&config.pool).await?;
        let made = first_token(&pool).await;
        pool.close().await.map_err(|error| anyhow!("the pool was not closed cleanly: {error}"))?;
        made
    })?;
    output::print_line(&format!("made a pool in {directory}"))?;
    output::print_line(&format!("the token of its user {FIRST_USER}, which can never be had again:"))?;
    output::print_line(&secret)
}

async fn first_token(pool: &Pool) -> Result<String> {
    let accounts = Accounts::load(pool.clone())?;
    make_first_user(pool, &accounts).await?;
    let description = "made by forebay init".to_owned();
    let new = NewToken { user: FIRST_USER.to_owned(), expires: None, description };
    let created = accounts.create_token(&new).await?;
    Ok(created.secret)
}
