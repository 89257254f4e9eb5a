//! SIGTERM and SIGINT: the first requests a clean stop, the second an immediate one. SIGHUP reloads
//! certificates.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Exit status after the second signal.
const STATUS_AT_ONCE: i32 = 1;

/// Resolves when the daemon should stop. Cheap to clone.
#[derive(Clone)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// Waits until the daemon should stop.
    pub async fn requested(mut self) {
        // An error means that the watching task has ended, which only happens when the runtime shuts down.
        let _ = self.0.wait_for(|requested| *requested).await;
    }
}

/// Requests a clean stop from inside the process, like the first signal.
#[derive(Clone)]
pub struct Trigger(watch::Sender<bool>);

impl Trigger {
    /// Requests a clean stop.
    pub fn shut_down(&self) {
        self.0.send_replace(true);
    }
}

/// Starts to watch for signals; from then on they no longer end the process by default.
pub fn watch() -> Result<(Trigger, Shutdown)> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be watched")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be watched")?;
    let (sender, receiver) = watch::channel(false);
    let from_signals = sender.clone();
    tokio::spawn(async move {
        let name = next(&mut terminate, &mut interrupt).await;
        tracing::info!(
            signal = name,
            "stopping: finishing requests in progress; send the signal again to stop immediately"
        );
        from_signals.send_replace(true);
        let name = next(&mut terminate, &mut interrupt).await;
        tracing::warn!(signal = name, "stopping immediately; the pool recovers at the next start");
        std::process::exit(STATUS_AT_ONCE);
    });
    Ok((Trigger(sender), Shutdown(receiver)))
}

/// SIGHUP, which from then on no longer ends the process.
pub fn reloads() -> Result<Signal> {
    signal(SignalKind::hangup()).context("SIGHUP cannot be watched")
}

async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    }
}
