//! The limits of the memory for clients, and its use.

/// The limits; see [`crate::memory`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub bytes_max: usize,
    pub clients_max: usize,
    pub floor: usize,
    pub common_max: usize,
    /// For guests and strangers.
    pub guests_max: usize,
    pub strangers_max: usize,
}

/// Memory use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateUsage {
    /// Maximum number of bytes.
    pub bytes_max: u64,
    /// Bytes used by registrations.
    pub clients: u64,
    /// Bytes used by sessions, their slots and stored replies.
    pub sessions: u64,
    /// Bytes used by opens and locks.
    pub files: u64,
    /// Number of refused charges, for each of the three.
    pub refused: [u64; 3],
}

impl StateUsage {
    /// Total bytes used.
    pub fn bytes(&self) -> u64 {
        self.clients + self.sessions + self.files
    }
}
