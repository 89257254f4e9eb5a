//! Reports to operators which clients export policies refuse.
//!
//! The first refusal of a kind is reported immediately. If the client continues, a count is reported
//! periodically. What must hold: whatever clients do, memory use is bounded, and so is the number of reports
//! in a given time.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forebay_pool::VolumeId;
use tokio::sync::Notify;

use forebay_service::Clock;

/// Interval of the reports about repeated refusals.
pub const TOLD_EVERY: Duration = Duration::from_secs(60);
/// Number of distinct refusals tracked per interval; further ones are only counted.
const APART_MAX: usize = 64;
/// Maximum number of pending reports if nothing receives them.
const WAITING_MAX: usize = 4 * APART_MAX;

/// Why a client was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No rule gives the client access.
    Hidden,
    /// The connection does not meet the rule's TLS requirement.
    Insecure,
    /// The client has read-only access and tried to change something.
    ReadOnly,
}

/// Which client was refused access to which volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The client.
    pub client: IpAddr,
    /// The volume, or a snapshot.
    pub volume: VolumeId,
    /// Why.
    pub reason: Reason,
}

/// A report about refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// A refusal that had not happened recently.
    First(Refusal),
    /// A refusal that was repeated this many times since the last report.
    Again(Refusal, u64),
    /// The number of refusals beyond those that are tracked.
    Others(u64),
}

/// Records refusals and decides which to report.
pub struct Refusals {
    ledger: Mutex<Ledger>,
    noted: Notify,
    clock: Clock,
}

struct Ledger {
    /// How often each has happened since it was reported.
    apart: HashMap<Refusal, u64>,
    others: u64,
    waiting: VecDeque<Telling>,
    /// When the counts were last reported.
    counted: Duration,
}

impl Refusals {
    /// Without refusals.
    pub(crate) fn new(clock: Clock) -> Refusals {
        let counted = clock.now();
        let ledger = Ledger { apart: HashMap::new(), others: 0, waiting: VecDeque::new(), counted };
        Refusals { ledger: Mutex::new(ledger), noted: Notify::new(), clock }
    }

    /// Records a refusal.
    pub(crate) fn note(&self, refusal: Refusal) {
        let refusal = Refusal { client: refusal.client.to_canonical(), ..refusal };
        if self.ledger().note(refusal) {
            self.noted.notify_one();
        }
    }

    /// Waits for the next report. Only one receiver may wait at a time.
    pub async fn next(&self) -> Telling {
        loop {
            let due = {
                let mut ledger = self.ledger();
                if let Some(telling) = ledger.waiting.pop_front() {
                    return telling;
                }
                ledger.counted.saturating_add(TOLD_EVERY)
            };
            tokio::select! {
                () = self.noted.notified() => {}
                () = self.clock.sleep_until(due) => self.ledger().count_up(self.clock.now()),
            }
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // A count that a panic elsewhere interrupted is still a valid count.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    /// Returns whether to report it now.
    fn note(&mut self, refusal: Refusal) -> bool {
        if let Some(untold) = self.apart.get_mut(&refusal) {
            *untold = untold.saturating_add(1);
            return false;
        }
        if self.apart.len() >= APART_MAX {
            self.others = self.others.saturating_add(1);
            return false;
        }
        self.apart.insert(refusal, 0);
        self.tell(Telling::First(refusal))
    }

    fn count_up(&mut self, now: Duration) {
        self.counted = now;
        let again: Vec<(Refusal, u64)> =
            self.apart.iter().filter(|(_, untold)| **untold > 0).map(|(refusal, n)| (*refusal, *n)).collect();
        // A client that stopped is reported immediately the next time.
        self.apart.retain(|_, untold| std::mem::take(untold) > 0);
        for (refusal, times) in again {
            self.tell(Telling::Again(refusal, times));
        }
        match std::mem::take(&mut self.others) {
            0 => {}
            times => _ = self.tell(Telling::Others(times)),
        }
    }

    fn tell(&mut self, telling: Telling) -> bool {
        let has_room = self.waiting.len() < WAITING_MAX;
        if has_room {
            self.waiting.push_back(telling);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(last: u8) -> Refusal {
        Refusal { client: IpAddr::from([192, 0, 2, last]), volume: VolumeId(1), reason: Reason::Hidden }
    }

    fn told(ledger: &mut Ledger) -> Vec<Telling> {
        ledger.waiting.drain(..).collect()
    }

    #[test]
    fn a_client_is_told_of_at_once_and_then_counted() {
        let refusals = Refusals::new(Clock::manual());
        for _ in 0..1000 {
            refusals.note(of(7));
        }
        let mut ledger = refusals.ledger();
        assert_eq!(told(&mut ledger), [Telling::First(of(7))]);
        ledger.count_up(TOLD_EVERY);
        assert_eq!(told(&mut ledger), [Telling::Again(of(7), 999)]);
        ledger.count_up(TOLD_EVERY * 2);
        assert_eq!(told(&mut ledger), [], "it was quiet");
        assert!(ledger.note(of(7)), "and is reported at once when it comes back");
    }

    #[test]
    fn a_flood_of_clients_makes_few_tellings_and_takes_little_memory() {
        let refusals = Refusals::new(Clock::manual());
        let flood = || (0..=255).cycle().take(512).for_each(|client| refusals.note(of(client)));
        flood();
        assert_eq!(refusals.ledger().apart.len(), APART_MAX);
        assert_eq!(told(&mut refusals.ledger()).len(), APART_MAX);
        refusals.ledger().count_up(TOLD_EVERY);
        let told = told(&mut refusals.ledger());
        assert_eq!(told.len(), APART_MAX + 1);
        assert_eq!(told.last(), Some(&Telling::Others(2 * 192)));

        for round in 2..50 {
            flood();
            refusals.ledger().count_up(TOLD_EVERY * round);
        }
        assert_eq!(refusals.ledger().waiting.len(), WAITING_MAX, "nobody listened");
    }

    #[tokio::test]
    async fn an_ipv4_client_of_an_ipv6_socket_is_an_ipv4_client() {
        let refusals = Refusals::new(Clock::manual());
        let client = "::ffff:192.0.2.7".parse().expect("an address");
        refusals.note(Refusal { client, ..of(7) });
        assert_eq!(refusals.next().await, Telling::First(of(7)));
    }
}
