//! The lab's exit statuses.

/// The experiment could not be run.
pub const STATUS_COULD_NOT_RUN: u8 = 1;
/// The command line is wrong. clap uses the same.
pub const STATUS_USAGE: u8 = 2;
/// The experiment ran, and its verdict is fail.
pub const STATUS_VERDICT_FAIL: u8 = 4;
