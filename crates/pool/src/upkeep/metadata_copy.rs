//! Builds the second copy of the metadata, part by part, while the pool serves.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::Result;
use crate::base::sync;
use crate::engine::Engine;

/// Between two parts commits have their turn for as long as the part took, and at least for this.
const PAUSE_MIN: Duration = Duration::from_millis(1);

impl Engine {
    /// Builds a second copy of the metadata if there should be one and is none.
    pub(crate) async fn copy_metadata(self: &Arc<Self>) -> Result<()> {
        loop {
            let copies = self.stores.meta.copies();
            if copies.wanted == copies.whole {
                return Ok(());
            }
            self.require_open()?;
            self.stopped.check()?;
            let (engine, began) = (self.clone(), Instant::now());
            let more = sync::blocking(move || {
                if copies.building.is_none() {
                    engine.stores.keeper.require_copy_fits()?;
                }
                let mut pair = [0; 8];
                engine.entropy.fill(&mut pair)?;
                let more = engine.stores.meta.build_copy(u64::from_be_bytes(pair))?;
                if more && copies.building.is_none() {
                    // The copy has been begun, so it is given up if it cannot be told which laps of the log are needed.
                    engine.stores.keeper.establish_copy()?;
                }
                Ok(more)
            });
            if !more.await? {
                return Ok(());
            }
            self.pause_until(Instant::now() + began.elapsed().max(PAUSE_MIN)).await;
        }
    }
}
