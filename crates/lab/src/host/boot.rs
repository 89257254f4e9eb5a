//! Starts the nodes of an environment: guests and native nodes.

use std::path::Path;

use anyhow::{Context, Result};

use super::environment::Environment;
use super::guest::{Guest, GuestSpec};
use super::native::Native;
use super::processors::ProcessorSplit;

impl Environment {
    /// Boots a guest; returns when its agent answers, about a second later.
    pub fn boot(&self, spec: &GuestSpec) -> Result<Guest> {
        let port = self.network()?.add_port(spec.side)?;
        Guest::boot(self, spec, &port).with_context(|| format!("boot guest {}", spec.name))
    }

    /// Boots guests at the same time; they come back in the order of their specifications.
    pub fn boot_all(&self, specs: &[GuestSpec]) -> Result<Vec<Guest>> {
        std::thread::scope(|scope| {
            let boots: Vec<_> = specs.iter().map(|spec| scope.spawn(|| self.boot(spec))).collect();
            let join = |boot: std::thread::ScopedJoinHandle<'_, Result<Guest>>| {
                boot.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread that boots a guest panicked")))
            };
            boots.into_iter().map(join).collect()
        })
    }

    /// Starts a native node with a folder on the storage under test; returns when its agent answers.
    pub fn start_native(
        &self,
        name: &str,
        folder: &Path,
        processors: Option<ProcessorSplit>,
    ) -> Result<Native> {
        let index = self.next_native()?;
        Native::start(self, name, index, folder, processors)
            .with_context(|| format!("start native node {name}"))
    }
}
