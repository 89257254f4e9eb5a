//! Tickets: who asked with a token for a report is given one, since a browser sends no token for what it shows in a frame.
//!
//! A ticket opens the pages of reports and nothing else, for minutes. What is kept of it is a hash, as of tokens.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a ticket is good.
pub const GOOD_FOR: Duration = Duration::from_secs(600);
/// Tickets that are good at once; a further one takes the place of the oldest.
const TICKETS_MAX: usize = 256;

/// The tickets that are good.
#[derive(Default)]
pub struct Tickets(Mutex<VecDeque<(blake3::Hash, Instant)>>);

impl Tickets {
    /// A new one; fails if the system gives no random numbers.
    pub fn draw(&self) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let ticket: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut good = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if good.len() >= TICKETS_MAX {
            good.pop_front();
        }
        good.push_back((blake3::hash(ticket.as_bytes()), Instant::now()));
        Ok(ticket)
    }

    /// Whether it is good.
    pub fn is_good(&self, ticket: &str) -> bool {
        self.is_good_at(ticket, Instant::now())
    }

    fn is_good_at(&self, ticket: &str, now: Instant) -> bool {
        let hash = blake3::hash(ticket.as_bytes());
        let mut good = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        good.retain(|(_, drawn)| now.saturating_duration_since(*drawn) < GOOD_FOR);
        // Hashes are compared in constant time.
        good.iter().any(|(known, _)| *known == hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_minutes_and_others_never() {
        let tickets = Tickets::default();
        let ticket = tickets.draw().unwrap();
        assert!(tickets.is_good(&ticket) && tickets.is_good(&ticket));
        assert!(!tickets.is_good("") && !tickets.is_good(&ticket[1..]));
        assert!(!tickets.is_good_at(&ticket, Instant::now() + GOOD_FOR));
        assert!(!tickets.is_good(&ticket), "and is forgotten");
        let first = tickets.draw().unwrap();
        for _ in 0..TICKETS_MAX {
            tickets.draw().unwrap();
        }
        assert!(!tickets.is_good(&first), "no more are kept");
    }
}
