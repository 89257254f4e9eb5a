//! The sessions that ended and still have rows: those from before a restart, and those of clients that were evicted.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::row::{self, Incarnation};
use forebay_nfs_proto::xdr::nfs4::SessionId;

/// Maximum number of rows kept for such sessions. Beyond it, those of the sessions that ended first are deleted.
pub(super) const ROWS_MAX: usize = 1 << 16;

/// One session.
pub(super) struct EndedSession {
    pub id: SessionId,
    /// `None` if the row is from another release.
    pub client: Option<Incarnation>,
    /// The slots with rows.
    pub slots: Vec<u32>,
    /// When the rows are deleted, in time of the clock.
    pub until: Duration,
}

impl EndedSession {
    fn keys(&self) -> impl Iterator<Item = Bytes> {
        self.slots.iter().map(|slotid| row::key(self.id, *slotid))
    }
}

/// All of them, in the order in which they ended.
#[derive(Default)]
pub(super) struct Ended {
    sessions: VecDeque<EndedSession>,
    rows: usize,
}

impl Ended {
    pub fn add(&mut self, session: EndedSession) {
        if !session.slots.is_empty() {
            self.rows += session.slots.len();
            self.sessions.push_back(session);
        }
    }

    /// Removes the sessions whose time is over, and the first ones if there are too many rows. Returns the keys of their rows.
    pub fn take_due(&mut self, now: Duration) -> Vec<Bytes> {
        let mut keys = Vec::new();
        while self.sessions.front().is_some_and(|first| first.until <= now) || self.rows > ROWS_MAX {
            let Some(first) = self.sessions.pop_front() else { break };
            self.rows -= first.slots.len();
            keys.extend(first.keys());
        }
        keys
    }

    /// Removes these sessions. Returns the keys of their rows.
    pub fn take(&mut self, is_taken: impl Fn(&EndedSession) -> bool) -> Vec<Bytes> {
        let mut keys = Vec::new();
        self.sessions.retain(|session| {
            let taken = is_taken(session);
            if taken {
                keys.extend(session.keys());
            }
            !taken
        });
        self.rows -= keys.len();
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: u8, slots: u32, until: u64) -> EndedSession {
        let until = Duration::from_secs(until);
        EndedSession { id: SessionId([id; 16]), client: None, slots: (0..slots).collect(), until }
    }

    #[test]
    fn rows_are_kept_for_their_time_and_only_so_many() {
        let mut ended = Ended::default();
        ended.add(session(1, 2, 10));
        ended.add(session(2, 0, 10));
        ended.add(session(3, 1, 20));
        assert_eq!(ended.sessions.len(), 2, "without rows there is nothing to keep");
        assert!(ended.take_due(Duration::from_secs(9)).is_empty());
        assert_eq!(ended.take_due(Duration::from_secs(10)).len(), 2);
        ended.add(session(4, ROWS_MAX as u32, 30));
        let first = ended.take_due(Duration::from_secs(10));
        assert_eq!(first, [row::key(SessionId([3; 16]), 0)]);
        assert_eq!(ended.rows, ROWS_MAX);
    }

    #[test]
    fn rows_of_one_session_are_taken_alone() {
        let mut ended = Ended::default();
        [1, 2, 3].into_iter().for_each(|id| ended.add(session(id, 2, 10)));
        assert_eq!(ended.take(|session| session.id.0[0] == 2).len(), 2);
        assert_eq!((ended.rows, ended.sessions.len()), (4, 2));
    }
}
