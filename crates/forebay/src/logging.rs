//! The daemon's log: events of `tracing`, on standard error.

use std::io::{IsTerminal, stderr};

use anyhow::{Context, Result, anyhow};
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// What is reported of the metadata store's inner life, unless the configuration names it.
const LIBRARIES: &str = "fjall=warn,lsm_tree=warn";

/// Starts the log. To be called once.
pub fn start(config: &LogConfig) -> Result<()> {
    let filter = EnvFilter::builder().parse(format!("{LIBRARIES},{}", config.level)).context("log.level")?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    match config.format {
        LogFormat::Text => builder.with_ansi(stderr().is_terminal()).with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    }
    .map_err(|error| anyhow!("log: cannot be started: {error}"))
}
