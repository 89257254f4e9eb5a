//! Time and randomness enter the pool only through these two traits, so that tests own them.

use std::sync::Mutex;
use std::time::SystemTime;

use crate::{Error, Result};

/// Where the pool takes the time of day from.
pub(crate) trait Clock: Send + Sync + 'static {
    /// The time of day.
    fn now(&self) -> SystemTime;
}

/// Where the pool takes random bytes from.
pub(crate) trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with bytes that nobody can guess.
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

/// The kernel's random numbers, stretched with BLAKE3 so that a create costs no system call.
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
