//! Tickets for pages of reports. A caller with a token gets one, because a browser sends no token for the content of a frame.
//!
//! A ticket gives access only to the pages of reports, for some minutes. Only its hash is kept, as for tokens.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a ticket is valid.
pub const GOOD_FOR: Duration = Duration::from_secs(600);
/// Maximum number of valid tickets. A further one replaces the oldest.
const TICKETS_MAX: usize = 256;

/// The valid tickets.
#[derive(Default)]
pub struct Tickets(Mutex<VecDeque<(blake3::Hash, Instant)>>);

impl Tickets {
    /// Creates a ticket. Fails if the system returns no random numbers.
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

    /// Whether a ticket is valid.
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
