//! Several pools: a `forebay` daemon for each, at a port of its own.
//!
//! The volumes with the same number belong to the same pool: `broker1-2` and `broker3-2` are in the second one.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::forebay::Forebay;
use super::interface::{Space, Storage, Usage, Volumes, Written};
use crate::host::{Environment, Guest};
use crate::request::StorageKind;

/// The storage.
pub struct Pools {
    members: Vec<Forebay>,
}

impl Pools {
    /// Starts this many daemons, each on an empty pool.
    pub fn start(environment: &Environment, count: u32) -> Result<Self> {
        let start = |number| {
            Forebay::start_pool(environment, number, &[])
                .with_context(|| format!("start the daemon of pool {number}"))
        };
        Ok(Self { members: (1..=count).map(start).collect::<Result<_>>()? })
    }

    /// The pool of a volume, by the number at the end of its name.
    fn of(&self, volume: &str) -> Result<&Forebay> {
        let number = volume.rsplit_once('-').and_then(|(_, number)| number.parse::<usize>().ok());
        let index = number.and_then(|number| number.checked_sub(1));
        index
            .and_then(|index| self.members.get(index))
            .with_context(|| format!("volume {volume} has no number of one of {} pools", self.members.len()))
    }
}

impl Volumes for Pools {
    fn create(&self, name: &str) -> Result<()> {
        self.of(name)?.create(name)
    }

    fn mount(&self, guest: &Guest, name: &str, target: &str) -> Result<()> {
        Volumes::mount(self.of(name)?, guest, name, target)
    }

    fn limit(&self, name: &str, bytes_per_second: Option<u64>) -> Result<()> {
        self.of(name)?.limit(name, bytes_per_second)
    }

    fn snapshot(&self, volumes: &[String], _: &str) -> Result<Duration> {
        bail!("volumes of several pools have no common snapshot: {}", volumes.join(", "))
    }

    fn clone_snapshot(&self, volume: &str, snapshot: &str, name: &str) -> Result<Duration> {
        self.of(volume)?.clone_snapshot(volume, snapshot, name)
    }
}

impl Storage for Pools {
    fn kind(&self) -> StorageKind {
        StorageKind::Forebay
    }

    fn versions(&self) -> Vec<(String, String)> {
        self.members.first().map(Storage::versions).unwrap_or_default()
    }

    fn mount(&self, _: &Guest, target: &str) -> Result<()> {
        bail!("several pools have no common volume to mount at {target}")
    }

    fn volumes(&self) -> Result<&dyn Volumes> {
        Ok(self)
    }

    /// That of all pools together.
    fn space(&self) -> Result<Space> {
        let mut sum = Space { logical: 0, physical: 0, folder: 0 };
        for member in &self.members {
            let space = member.space()?;
            sum.logical += space.logical;
            sum.physical += space.physical;
            sum.folder += space.folder;
        }
        Ok(sum)
    }

    fn usage(&self) -> Result<Usage> {
        let resident = self.members.iter().map(|member| Ok(member.usage()?.resident)).sum::<Result<u64>>()?;
        Ok(Usage { resident })
    }

    fn written(&self) -> Result<Written> {
        let mut sum = Written::default();
        for member in &self.members {
            let written = member.written()?;
            sum.stored += written.stored;
            sum.logged += written.logged;
        }
        Ok(sum)
    }

    fn check(&self) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        for (number, member) in (1..).zip(&self.members) {
            let found = member.check().with_context(|| format!("check pool {number}"))?;
            differences.extend(found.into_iter().map(|difference| format!("pool {number}: {difference}")));
        }
        Ok(differences)
    }

    fn stop(&mut self) -> Result<()> {
        self.members.iter_mut().try_for_each(Storage::stop)
    }
}
