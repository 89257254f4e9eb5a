//! What the server does at regular times, besides answering requests.

use std::sync::Arc;
use std::time::Duration;

use crate::shared::Shared;

/// Interval between checks of the leases.
const SWEEP_PERIOD: Duration = Duration::from_secs(1);

/// Evicts silent clients, ends the grace period and deletes old outcomes when due, until the future is dropped.
pub async fn run(server: Arc<Shared>) {
    let clock = &server.config.clock;
    loop {
        server.state.sweep().await;
        server.sessions.tidy();
        server.replies.keep(server.sessions.take_ended());
        server.replies.tidy().await;
        clock.sleep_until(clock.now().saturating_add(SWEEP_PERIOD)).await;
    }
}
