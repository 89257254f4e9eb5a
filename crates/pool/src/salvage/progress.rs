//! How far a salvage is.

/// What a salvage is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Segments are read.
    Reading,
    /// What was found is written.
    Writing,
}

/// How far a salvage is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Bytes of that phase that are done.
    pub bytes_done: u64,
    /// All of them.
    pub bytes_total: u64,
}
