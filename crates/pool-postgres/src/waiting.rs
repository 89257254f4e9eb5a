//! A candidate's loop: looks at the lease until this process may take the pool, and takes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use forebay_pool::Result;

use crate::claim::{Claim, PRIORITY_STEP, Watch, name_of};
use crate::lease::{Candidacy, LeaseOptions, TakenFrom};
use crate::ownership::{Owned, SILENT, Seen, Takeover};
use crate::refusal::Attempt;
use crate::rows::LeaseStore;
use crate::tenure::Exchange;

/// How long a candidate's row may take to write. The look at the lease has its own time.
const NOTE_MAX: Duration = Duration::from_secs(2);

/// A candidate.
pub(crate) struct Waiting<S> {
    pub(crate) store: Arc<S>,
    pub(crate) candidacy: Candidacy,
    pub(crate) options: LeaseOptions,
    pub(crate) stop: Arc<AtomicBool>,
}

/// The pool is this process's.
pub(crate) struct Taken {
    pub(crate) owned: Owned,
    /// From the beginning of the look that showed that the pool may be taken, to the answer to the takeover.
    pub(crate) takeover: Exchange,
    pub(crate) from: TakenFrom,
    pub(crate) clients: String,
}

impl<S: LeaseStore> Waiting<S> {
    /// Returns nothing once it is stopped. Errors that waiting cannot cure are returned.
    pub(crate) async fn run(self) -> Result<Option<Taken>> {
        let mut watch = Watch::new(self.silence());
        let mut session: Option<S::Session> = None;
        let (mut has_looked, mut is_told) = (false, false);
        let mut told: Option<String> = None;
        while !self.stop.load(Ordering::Acquire) {
            let connecting = self.connected(&mut session, &mut watch);
            let looked = match tokio::time::timeout(self.options.silence, connecting).await {
                Ok(Ok(connected)) => {
                    let look = self.look(connected, &mut session, &mut watch, &mut told, &mut has_looked);
                    tokio::time::timeout(self.options.silence, look).await
                }
                Ok(Err(error)) => Ok(Err(error)),
                Err(slow) => Err(slow),
            };
            match looked {
                Ok(Ok(Some(taken))) => {
                    self.withdraw(session).await;
                    return Ok(Some(taken));
                }
                Ok(Ok(None)) => self.note(&mut session).await,
                // Before the first success, an error is a mistake in the configuration, unless the database may still be starting.
                Ok(Err(refusal)) if !has_looked && !refusal.may_pass() => return Err(*refusal.error),
                failed => {
                    let cause = match failed {
                        Ok(Err(refusal)) => refusal.error.to_string(),
                        _ => "the database does not answer".to_owned(),
                    };
                    // A database that has not been there yet may take long to start.
                    if !has_looked && std::mem::replace(&mut is_told, true) {
                        tracing::debug!(cause, "cannot look at the lease; looking again");
                    } else {
                        tracing::warn!(cause, "cannot look at the lease; looking again");
                    }
                    session = None;
                }
            }
            tokio::time::sleep(self.options.period).await;
        }
        self.withdraw(session).await;
        Ok(None)
    }

    /// How long the owner must be silent.
    fn silence(&self) -> Duration {
        self.options.silence + PRIORITY_STEP.saturating_mul(self.candidacy.priority)
    }

    /// Writes the candidate's row. A failure delays nothing: the row is only shown.
    async fn note(&self, kept: &mut Option<S::Session>) {
        let Some(session) = kept else { return };
        let Candidacy { node, priority, .. } = &self.candidacy;
        match tokio::time::timeout(NOTE_MAX, self.store.note(session, node, *priority)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the database does not show that this node waits"),
            // The next look connects again.
            Err(_) => *kept = None,
        }
    }

    async fn withdraw(&self, session: Option<S::Session>) {
        let Some(session) = session else { return };
        match tokio::time::timeout(NOTE_MAX, self.store.withdraw(&session)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the database shows for a while that this node waits"),
            Err(_) => tracing::debug!("the database shows for a while that this node waits"),
        }
    }

    async fn connected(&self, kept: &mut Option<S::Session>, watch: &mut Watch) -> Attempt<S::Session> {
        if let Some(session) = kept.take() {
            return Ok(session);
        }
        // Also if no look has failed since: the database may have started anew, without the last renewals.
        watch.forget();
        self.store.connect_to_wait().await
    }

    async fn look(
        &self,
        session: S::Session,
        kept: &mut Option<S::Session>,
        watch: &mut Watch,
        told: &mut Option<String>,
        has_looked: &mut bool,
    ) -> Attempt<Option<Taken>> {
        let began = self.store.now();
        let seen = self.store.look(&session).await?;
        // A takeover that fails after that is no reason to stop waiting, unless it will always fail.
        let is_first = !std::mem::replace(has_looked, true);
        let is_silent = watch.saw(&seen.instance, seen.renewals, self.store.answered(began));
        let claim = self.claim(&seen, is_silent);
        let taken = if claim.may_take() {
            let silent =
                if is_silent && !seen.released && !claim.was_here { self.silence() } else { Duration::ZERO };
            let taken = self.take(&seen, &session, claim.is_ours, silent, began).await;
            taken.inspect_err(|refusal| *has_looked = !(is_first && refusal.stays()))?
        } else {
            if told.as_ref() != Some(&seen.node) {
                tracing::info!(owner = name_of(&seen.node), "waiting: another node serves the pool");
                *told = Some(seen.node);
            }
            None
        };
        *kept = Some(session);
        Ok(taken)
    }

    fn claim<'a>(&'a self, seen: &'a Seen, is_silent: bool) -> Claim<'a> {
        Claim {
            node: name_of(&self.candidacy.node),
            is_ours: seen.instance == self.store.instance(),
            was_here: self.candidacy.restarts && seen.node == self.candidacy.node,
            is_silent,
            released: seen.released,
            reserved_for: &seen.reserved_for,
            avoided: &seen.avoided,
            silenced: if seen.was_silent { name_of(&seen.taken_from) } else { "" },
            since: seen.since,
        }
    }

    async fn take(
        &self,
        seen: &Seen,
        session: &S::Session,
        is_ours: bool,
        silent: Duration,
        began: Duration,
    ) -> Attempt<Option<Taken>> {
        let takeover = Takeover {
            node: &self.candidacy.node,
            from: &seen.node,
            how: if silent.is_zero() { "" } else { SILENT },
            silent_ms: i64::try_from(silent.as_millis()).unwrap_or(i64::MAX),
        };
        let Some(owned) = self.store.take(session, seen, &takeover).await? else {
            return Ok(None);
        };
        let takeover = self.store.answered(began);
        // If an answer was lost, the owner before is the one that the earlier try has recorded.
        let (from, silent) = match (is_ours, seen.was_silent) {
            (false, _) => (&seen.node, silent),
            (true, true) => (&seen.taken_from, self.silence()),
            (true, false) => (&seen.taken_from, Duration::ZERO),
        };
        let from = TakenFrom {
            from: (!from.is_empty()).then(|| from.clone()),
            silent,
            took: takeover.answered.saturating_sub(began),
        };
        Ok(Some(Taken { owned, takeover, from, clients: self.store.told(session).await }))
    }
}
