//! The rules that keep what the log, and a flush, promise.

/// A rule. Tests switch one off, and see that the simulation finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A flush says what it absorbs.
    Absorb,
    /// Only the last portion of a flush does.
    AbsorbLastPortion,
    /// A flush that absorbs leaves no tail in memory.
    NoTail,
    /// A change of extents closes the inode's log and flushes what was logged.
    Close,
    /// A rollback draws a floor while the volume's log is closed.
    Floor,
    /// The creation of a volume draws a floor.
    FloorAtCreation,
    /// An answer waits for batches that its inode depends on.
    WaitForBatch,
    /// An answer waits for batches with bytes that were never logged.
    WaitForData,
    /// An answer waits for groups of other callers.
    WaitForLogging,
    /// An answer waits for those groups although a flush took their bytes before they were written.
    WaitForOvertaken,
    /// An answer does not rely on a record that the logger refused.
    FlushRefused,
    /// Bytes that a flush has taken are logged, until their batch is visible.
    LogTaken,
    /// A snapshot flushes what is only in the log.
    FlushForSnapshot,
    /// Opening syncs the last group before readers see it.
    SyncBeforeShow,
    /// A group that could not be written is not answered.
    FailedGroup,
    /// A group that the second copy lacks is answered when `STATE` says that the copy is not whole.
    TellLoss,
    /// Opening puts back what one copy lacks.
    MendCopies,
    /// A flush syncs the segments of chunks that were appended early.
    SyncEarly,
}

#[cfg(test)]
impl Rule {
    pub(crate) const ALL: [Rule; 18] = [
        Rule::Absorb,
        Rule::AbsorbLastPortion,
        Rule::NoTail,
        Rule::Close,
        Rule::Floor,
        Rule::FloorAtCreation,
        Rule::WaitForBatch,
        Rule::WaitForData,
        Rule::WaitForLogging,
        Rule::WaitForOvertaken,
        Rule::FlushRefused,
        Rule::LogTaken,
        Rule::FlushForSnapshot,
        Rule::SyncBeforeShow,
        Rule::FailedGroup,
        Rule::TellLoss,
        Rule::MendCopies,
        Rule::SyncEarly,
    ];
}
