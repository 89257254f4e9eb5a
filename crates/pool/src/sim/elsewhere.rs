//! Histories of pools in a database and a bucket, in which nodes replace each other.

use std::sync::Arc;
use std::time::Duration;

use super::history::{Failure, Report, TAKEOVERS, draw, draw_syncs, run_with};
use super::random::Random;
use crate::Pool;
use crate::sim::faulty::FaultyDisk;

/// Runs the history with this seed; in most lives another node takes the pool over. Some of these pools keep segments without live data for a while.
pub(crate) fn run_on(disk: Arc<FaultyDisk>, seed: u64) -> Result<Report, Failure> {
    let mut drawn = if seed.is_multiple_of(3) { draw_syncs(&disk, seed) } else { draw(seed) };
    let keeps = Random::new(!seed).permille(300);
    drawn.setting.options.keep_dead_segments = Duration::from_millis(if keeps { 20_000 } else { 0 });
    run_with(disk, seed, drawn, TAKEOVERS)
}

/// Lets the pool look for what earlier starts have left, if opening has not.
pub(super) async fn sweep(pool: &Pool) -> Result<(), String> {
    let engine = pool.engine().map_err(|error| format!("sweep: {error}"))?;
    if engine.stores.segments.keeps_objects() {
        engine.sweep().await.map_err(|error| format!("sweep: {error}"))?;
    }
    Ok(())
}
