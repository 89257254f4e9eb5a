//! The progress of a salvage.

/// The phase of a salvage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading the segments.
    Reading,
    /// Writing the recovered data.
    Writing,
}

/// The progress of a salvage.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// The number of bytes done in this phase.
    pub bytes_done: u64,
    /// The total number of bytes in this phase.
    pub bytes_total: u64,
}
