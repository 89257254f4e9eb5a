//! The service: one pool, and what its protocols share.

use std::sync::Arc;

use forebay_pool::Pool;

use crate::accounts::Accounts;
use crate::backups::{BackupSettings, Backups};
use crate::clock::Clock;
use crate::error::Result;
use crate::events::Events;
use crate::file_tokens::FileTokens;
use crate::jobs::Jobs;
use crate::labels::Labels;
use crate::throttle::Throttle;
use crate::volumes::Volumes;

/// What a service needs to know about its protocols.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    /// The time that waiting requests are measured in.
    pub clock: Clock,
    /// The most data that one request moves, in bytes.
    pub request_bytes_max: u64,
    /// The memory for all requests in progress, in bytes.
    pub requests_bytes_max: usize,
    /// Backups on a schedule.
    pub backups: BackupSettings,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            clock: Clock::system(),
            request_bytes_max: 1 << 20,
            requests_bytes_max: 256 << 20,
            backups: BackupSettings::default(),
        }
    }
}

/// See the module.
pub struct Service {
    /// The pool. All data operations go to it directly.
    pub pool: Pool,
    /// Creates, changes, clones, rolls back and deletes volumes.
    pub volumes: Volumes,
    /// Labels of volumes.
    pub labels: Labels,
    /// Users and tokens.
    pub accounts: Accounts,
    /// Tokens of files, which one protocol gives and another one takes.
    pub file_tokens: FileTokens,
    /// Throughput limits of volumes.
    pub throttle: Throttle,
    /// What happened.
    pub events: Arc<Events>,
    /// Backups of the pool.
    pub backups: Backups,
    /// Work that continues after its request was answered.
    pub jobs: Arc<Jobs>,
}

impl Service {
    /// The service of a pool. Fails if the pool's users or tokens cannot be read.
    pub fn open(pool: Pool, options: ServiceOptions) -> Result<Service> {
        let accounts = Accounts::load(pool.clone())?;
        let file_tokens = FileTokens::of(&pool)?;
        let events = Arc::new(Events::new(pool.boot()));
        let throttle =
            Throttle::new(pool.clone(), options.clock, options.request_bytes_max, options.requests_bytes_max);
        let backups = Backups::load(pool.clone(), options.backups)?;
        let volumes = Volumes::new(pool.clone(), events.clone());
        let labels = Labels::load(pool.clone())?;
        Ok(Service {
            pool,
            volumes,
            labels,
            accounts,
            file_tokens,
            throttle,
            events,
            backups,
            jobs: Arc::default(),
        })
    }
}
