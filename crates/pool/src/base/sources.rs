//! The only two traits through which time and randomness enter the pool, so that tests control both.

use std::sync::Mutex;
use std::time::SystemTime;

use crate::{Error, Result};

/// The source of the time of day.
pub(crate) trait Clock: Send + Sync + 'static {
    /// The time of day.
    fn now(&self) -> SystemTime;
}

/// Whole seconds since 1970; 0 for a time before.
pub(crate) fn seconds_of(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The source of random bytes.
pub(crate) trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]) -> Result<()>;
}

/// The system's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where time comes from")]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Random bytes from the kernel, expanded with BLAKE3 so that a create needs no system call.
pub(crate) struct SystemEntropy(Mutex<blake3::OutputReader>);

impl SystemEntropy {
    pub(crate) fn new() -> Result<Self> {
        use std::io::Read;
        let mut seed = [0u8; 32];
        let path = "/dev/urandom";
        std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut seed)).map_err(|source| {
            Error::Io { path: path.into(), action: "read random bytes to seed the pool's own", source }
        })?;
        Ok(Self::seeded(seed))
    }
    pub(crate) fn seeded(seed: [u8; 32]) -> Self {
        SystemEntropy(Mutex::new(blake3::Hasher::new_keyed(&seed).finalize_xof()))
    }
}

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        crate::base::sync::lock(&self.0).fill(bytes);
        Ok(())
    }
}
