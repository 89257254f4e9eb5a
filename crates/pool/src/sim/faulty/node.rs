//! The state of a disk that belongs to one node: the failures that are planned for it, and whether it may write at all.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard};

use super::FaultyDisk;
use crate::format::keys::SegmentId;
use crate::sim::schedule;
use crate::{Error, Permit, Result};

/// The steps at which failures occur, counted from the arming.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    /// The power fails at this changing step: it and all later steps fail.
    pub(crate) power: Option<u64>,
    /// This sync fails.
    pub(crate) sync: Option<u64>,
    /// This read fails.
    pub(crate) read: Option<u64>,
    /// This write to a segment fails.
    pub(crate) write: Option<u64>,
    /// From this write to a segment on, this many writes find no space.
    pub(crate) full: Option<(u64, u64)>,
}

/// The protection from a node that still writes after another one has opened the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Protection {
    /// It is switched off, or cut off from the disk.
    #[default]
    Fence,
    /// It looks before each change whether it was replaced, and then changes nothing. No other thread has a turn between the look and the
    /// change.
    Look,
    /// The database refuses what it writes and reads there. Its requests to the bucket still come through, however late.
    Database,
    /// Nothing: what it writes later reaches the disk. A test must detect that.
    Nothing,
}

/// How a fence works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    PowerOff,
    /// The node goes on, and all its reads and writes fail.
    CutOff,
}

/// The steps since the arming.
#[derive(Default)]
struct Steps {
    changes: u64,
    syncs: u64,
    reads: u64,
    writes: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Node {
    plan: Plan,
    steps: Steps,
    /// Whether the power has failed.
    dead: bool,
    /// Whether any failure has occurred.
    failed: bool,
    /// It was fenced: nothing that it does reaches the disk.
    is_fenced: bool,
    /// Another node has the pool, and the database refuses this one.
    is_deposed: bool,
    /// Another node has the pool, and no fence protects it from this one.
    is_replaced: bool,
    /// It has looked, and the change that it was permitted follows.
    has_looked: bool,
    /// A sync of the metadata failed: the store refuses everything.
    pub(super) poisoned: bool,
    /// The segments that this node has gathered and not stored yet, if they are objects.
    pub(super) gathered: BTreeMap<SegmentId, Vec<u8>>,
}

pub(super) fn failure(action: &'static str) -> Error {
    let source = std::io::Error::from_raw_os_error(5);
    Error::Io { path: PathBuf::from("the faulty disk"), action, source }
}

/// The outcome of a step that changes something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Works,
    /// The step may be performed partly, completely or not at all.
    FailsNow,
    /// The step has no effect.
    Dead,
}

impl Outcome {
    pub(super) fn check(self) -> Result<()> {
        if self == Outcome::Works { Ok(()) } else { Err(failure("do anything")) }
    }
}

impl FaultyDisk {
    pub(super) fn node(&self) -> MutexGuard<'_, Node> {
        self.node.lock().unwrap()
    }

    /// Counts steps from now on, and fails as planned.
    pub(crate) fn arm(&self, plan: Plan) {
        let mut node = self.node();
        node.plan = plan;
        node.steps = Steps::default();
        node.dead = false;
        node.failed = false;
    }

    /// Lets the step with this number, and every later one, fail.
    pub(crate) fn fail_at(&self, step: u64) {
        self.arm(Plan { power: Some(step), ..Plan::default() });
    }

    /// Cuts the power.
    pub(crate) fn kill(&self) {
        let mut node = self.node();
        node.dead = true;
        node.failed = true;
        self.power_failed.notify_one();
    }

    /// Whether the power has failed.
    pub(crate) fn is_dead(&self) -> bool {
        self.node().dead
    }

    /// Whether a failure has occurred since the disk was armed.
    pub(crate) fn has_failed(&self) -> bool {
        self.node().failed
    }

    /// Whether the power has failed at the planned step.
    pub(crate) fn was_cut(&self) -> bool {
        let node = self.node();
        node.plan.power.is_some_and(|at| node.steps.changes > at)
    }

    /// What the pool of this node asks before each change.
    pub(super) fn permit(self: &Arc<Self>) -> Permit {
        if self.protection() != Protection::Look {
            return Permit::default();
        }
        let disk = self.clone();
        Permit::asking(move || {
            schedule::disk_step();
            let mut node = disk.node();
            node.has_looked = !node.is_replaced;
            node.failed |= node.is_replaced;
            if node.is_replaced { Err("another node has the pool".to_owned()) } else { Ok(()) }
        })
    }

    /// The node is about to change something. Panics unless it has looked, if that is what protects the pool.
    fn begin_change(&self) {
        match self.protection() {
            Protection::Look => {
                let has_looked = std::mem::take(&mut self.node().has_looked);
                assert!(has_looked, "a node changes the disk without a look");
            }
            Protection::Fence | Protection::Database | Protection::Nothing => schedule::disk_step(),
        }
    }

    /// Whether nothing that this node does has an effect. Called before a change that is no step.
    pub(super) fn is_cut_off(&self) -> bool {
        if self.protection() == Protection::Look {
            self.begin_change();
        }
        let node = self.node();
        node.dead || node.is_fenced || node.is_deposed
    }

    /// The disk for another node, which takes the pool over. This one is fenced, and a part of what it has not synced is lost.
    pub(crate) fn taken_over(&self, fence: Fence, seed: u64) -> Arc<FaultyDisk> {
        match self.protection() {
            Protection::Nothing => {}
            Protection::Look => {
                self.lose_unsynced(seed, false);
                let mut node = self.node();
                (node.is_replaced, node.has_looked) = (true, false);
            }
            Protection::Database => {
                self.lose_unsynced(seed, false);
                self.node().is_deposed = true;
                if fence == Fence::PowerOff {
                    self.kill();
                }
            }
            Protection::Fence => {
                self.lose_unsynced(seed, false);
                self.node().is_fenced = true;
                if fence == Fence::PowerOff {
                    self.kill();
                }
            }
        }
        Arc::new(FaultyDisk { inner: self.inner.clone(), ..FaultyDisk::default() })
    }

    /// Counts a step that changes something. Returns its outcome.
    pub(super) fn change(&self, what: &'static str, id: u64, detail: u64) -> Outcome {
        self.change_if(what, id, detail, |node| !node.is_deposed)
    }

    /// Like [`FaultyDisk::change`], for a step in the bucket.
    pub(super) fn change_object(&self, what: &'static str, id: u64, detail: u64) -> Outcome {
        self.change_if(what, id, detail, |_| true)
    }

    fn change_if(
        &self,
        what: &'static str,
        id: u64,
        detail: u64,
        may: impl FnOnce(&Node) -> bool,
    ) -> Outcome {
        self.begin_change();
        self.inner().note(what, id, detail);
        let mut node = self.node();
        let dead = node.dead || node.is_fenced || !may(&node);
        let now = !dead && node.plan.power.is_some_and(|at| node.steps.changes >= at);
        node.steps.changes += 1;
        node.dead |= now;
        node.failed |= now || dead;
        match (dead, now) {
            (true, _) => Outcome::Dead,
            (false, true) => {
                self.power_failed.notify_one();
                Outcome::FailsNow
            }
            (false, false) => Outcome::Works,
        }
    }

    /// Lets others have turns while a sync takes long. Not between a look and the sync.
    pub(super) fn linger(&self, turns: u64) {
        if self.protection() != Protection::Look {
            (0..turns).for_each(|_| schedule::point());
        }
    }

    /// Counts a read.
    pub(super) fn read(&self) -> Result<()> {
        let is_deposed = self.node().is_deposed;
        self.read_object()?;
        if is_deposed { Err(failure("read the database")) } else { Ok(()) }
    }

    /// Like [`FaultyDisk::read`], for a read of the bucket.
    pub(super) fn read_object(&self) -> Result<()> {
        schedule::point();
        let mut node = self.node();
        let fails = node.plan.read == Some(node.steps.reads) || node.is_fenced;
        node.steps.reads += 1;
        node.failed |= fails;
        if fails { Err(failure("read")) } else { Ok(()) }
    }

    /// Counts a write to a segment.
    pub(super) fn write(&self) -> Result<()> {
        let is_full = self.inner().full;
        let mut node = self.node();
        let at = node.steps.writes;
        node.steps.writes += 1;
        if is_full || node.plan.full.is_some_and(|(from, count)| (from..from + count).contains(&at)) {
            node.failed = true;
            return Err(Error::NoSpace);
        }
        if node.plan.write == Some(at) {
            node.failed = true;
            return Err(failure("write"));
        }
        Ok(())
    }

    /// Counts a sync. Returns true if it fails.
    pub(super) fn sync_fails(&self) -> bool {
        let mut node = self.node();
        let fails = node.plan.sync == Some(node.steps.syncs);
        node.steps.syncs += 1;
        node.failed |= fails;
        fails
    }
}
