//! The settings of a store, and what it has done.

use std::time::Duration;

/// The settings of a store.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Bytes of memory for what was read. Default 256 MiB.
    pub cache_bytes: usize,
    /// How long the pool waits for a database that does not answer, before it stops. Default 60 s.
    pub outage_max: Duration,
    /// How long one answer may take before the connection counts as lost. Default 20 s.
    pub answer_max: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        PostgresOptions {
            cache_bytes: 256 << 20,
            outage_max: Duration::from_secs(60),
            answer_max: Duration::from_secs(20),
        }
    }
}

/// Counters since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Commit groups that were sent, each in one round trip.
    pub groups: u64,
    /// Round trips for reads.
    pub reads: u64,
    /// How often the database was asked what had become of a group.
    pub lookups: u64,
    /// Units that were read into memory.
    pub units_loaded: u64,
    /// How often a table was vacuumed.
    pub vacuums: u64,
    /// Units in memory, and their bytes.
    pub units: usize,
    /// Bytes of these units.
    pub unit_bytes: usize,
}
