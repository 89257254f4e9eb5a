//! The part of the scrub that reads the metadata: every key once, at the scrub's rate, so that every block of every table is
//! verified.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::Instant;

use crate::Result;
use crate::base::pace::pace;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, Key};
use crate::store::meta::MetaView;
use crate::store::resilient::{Gap, ResilientView, after};

/// About so many bytes of each copy are compared at once.
const COMPARED_BYTES: u64 = 512 << 10;
/// The number of bytes of keys and values that one step reads.
const STEP_BYTES: u64 = 2 << 20;

impl Engine {
    /// Reads all metadata, unless this scrub has already done so. Counts and describes damage.
    pub(crate) async fn scrub_metadata(self: &Arc<Self>) -> Result<()> {
        let Some(generation) = self.upkeep.scrub.running() else { return Ok(()) };
        let begun = generation.saturating_add(1);
        if self.upkeep.scrub.metadata_read.load(Ordering::Relaxed) == begun {
            return Ok(());
        }
        let view = Arc::new(ResilientView::new(self.stores.meta.clone()));
        let (mut next, mut reported) = (Some(Key::new()), 0);
        while let Some(from) = next {
            if self.upkeep.scrub.running() != Some(generation) {
                return Ok(());
            }
            self.require_open()?;
            let (step, began) = (view.clone(), Instant::now());
            let (bytes, rest) = sync::blocking(move || read_step(&step, from)).await?;
            let gaps = view.gaps();
            for gap in gaps.iter().skip(reported) {
                self.upkeep.scrub.count_damage(described(gap));
            }
            (next, reported) = (rest, gaps.len());
            self.pause_until(began + pace(bytes, self.options.scrub_bytes_per_second)).await;
        }
        self.compare_metadata(generation).await?;
        self.upkeep.scrub.metadata_read.store(begun, Ordering::Relaxed);
        Ok(())
    }
}

impl Engine {
    /// Reads and compares the copies. A second copy that is damaged is built again.
    async fn compare_metadata(self: &Arc<Self>, generation: u64) -> Result<()> {
        let mut next = (self.stores.meta.copies().whole > 1).then(Key::new);
        while let Some(from) = next {
            if self.upkeep.scrub.running() != Some(generation) {
                return Ok(());
            }
            self.require_open()?;
            let (engine, began) = (self.clone(), Instant::now());
            next = sync::blocking(move || engine.stores.meta.compare_copies(from)).await?;
            self.pause_until(began + pace(COMPARED_BYTES, self.options.scrub_bytes_per_second)).await;
        }
        Ok(())
    }
}

/// Reads a part of the metadata. Returns the number of bytes read, and the key to continue with.
fn read_step(view: &ResilientView, from: Key) -> Result<(u64, Option<Key>)> {
    let (mut bytes, mut next) = (0_u64, None);
    view.scan(from..keys::end(), &mut |key, value| {
        bytes += (key.len() + value.len()) as u64;
        if bytes < STEP_BYTES {
            return Ok(ControlFlow::Continue(()));
        }
        next = Some(after(key));
        Ok(ControlFlow::Break(()))
    })?;
    Ok((bytes, next))
}

fn described(gap: &Gap) -> String {
    let is_longer = gap.range.end.first().is_some_and(|kind| *kind != gap.kind());
    format!(
        "metadata: {}{} cannot be read: {}; check the disk (dmesg, SMART), and run `forebay pool check` to list the affected \
         files; for Kafka let the brokers rebuild the affected replicas, otherwise restore the pool from a backup",
        keys::kind_name(gap.kind()),
        if is_longer { ", or the records after them," } else { "" },
        gap.wrong
    )
}
