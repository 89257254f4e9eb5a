//! The pool's format, and its change to the newest one.

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::format::FORMAT;
use crate::store::home;
use crate::{Error, Result};

/// The format of the pool in `directory`.
pub(crate) fn format_of(directory: &Path) -> Result<u32> {
    home::format_of(directory)?.ok_or_else(|| Error::NotPool {
        path: directory.to_path_buf(),
        cause: "there is no pool in it".to_owned(),
    })
}

/// Records that the pool has the newest format.
pub(crate) fn finalize(engine: &Engine) -> Result<()> {
    engine.stopped.check()?;
    engine.options.permit.confirm()?;
    if let Some(home) = &engine.home {
        home.finalize()?;
    }
    // Only now may anything be written that an older release does not know.
    engine.identity.format.store(FORMAT, Ordering::SeqCst);
    tracing::info!(format = FORMAT, "the pool has the newest format");
    Ok(())
}
