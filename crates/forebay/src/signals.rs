//! SIGTERM and SIGINT: the first asks for a clean stop, the second for one at once. SIGHUP asks to read certificates again.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Exit status after the second signal.
const STATUS_AT_ONCE: i32 = 1;

/// Resolves for everyone who waits once the daemon is to stop. Cheap to clone.
#[derive(Clone)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// Waits until the daemon is to stop.
    pub async fn requested(mut self) {
        // An error means that the watching task is gone, which only happens when the runtime ends.
        let _ = self.0.wait_for(|requested| *requested).await;
    }
}

/// Asks for a clean stop from within, as the first signal does from outside.
pub struct Trigger(watch::Sender<bool>);

impl Trigger {
    /// Asks for a clean stop.
    pub fn shut_down(&self) {
        self.0.send_replace(true);
    }
}

/// Starts to watch for signals; from here on they no longer end the process by themselves.
pub fn watch() -> Result<(Trigger, Shutdown)> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be watched")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be watched")?;
    let (sender, receiver) = watch::channel(false);
    let from_signals = sender.clone();
    tokio::spawn(async move {
        let name = next(&mut terminate, &mut interrupt).await;
        tracing::info!(signal = name, "stopping: finishing what is in flight; once more to stop at once");
        from_signals.send_replace(true);
        let name = next(&mut terminate, &mut interrupt).await;
        tracing::warn!(signal = name, "stopping at once; the pool recovers at the next start");
        std::process::exit(STATUS_AT_ONCE);
    });
    Ok((Trigger(sender), Shutdown(receiver)))
}

/// SIGHUP, which no longer ends the process from here on.
pub fn reloads() -> Result<Signal> {
    signal(SignalKind::hangup()).context("SIGHUP cannot be watched")
}

async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    }
}
