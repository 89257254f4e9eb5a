//! A client: runs one operation after another, compares every answer with the model, and records the answers in the
//! model.

mod data;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::buckets::Reader;
use super::file::Look;
use super::model::{Claim, Effect, Life, Made, New, NodeId, World};
use super::ops::{self, Appetite, Op};
use super::random::Random;
use super::schedule;
use super::tree::{Tree, difference, walk, xattrs};
use super::verify;
use crate::base::counters::Meters;
use crate::sim::faulty::FaultyDisk;
use crate::*;

/// The number of operations in the report of a failure.
const LOG_LINES_MAX: usize = 60;
/// The maximum number of characters for each operation.
const LINE_CHARACTERS_MAX: usize = 150;

/// The state that the clients of a history share.
pub(super) struct Shared {
    pub(super) disk: Arc<FaultyDisk>,
    pub(super) world: RefCell<World>,
    pub(super) appetite: Appetite,
    /// Whether the pool has a size limit that may be reached.
    pub(super) bounded: bool,
    pub(super) failure: RefCell<Option<String>>,
    pub(super) operations: Cell<u64>,
    /// The counters of the pool since it was last opened.
    pub(super) meters: RefCell<Option<Arc<Meters>>>,
    /// Whether another node has taken the pool: no answer of this one reaches a client, and no client asks it anything more.
    pub(super) is_replaced: Cell<bool>,
    log: RefCell<VecDeque<String>>,
}

impl Shared {
    pub(super) fn new(disk: Arc<FaultyDisk>, appetite: Appetite, bounded: bool) -> Rc<Shared> {
        Rc::new(Shared {
            disk,
            world: RefCell::default(),
            appetite,
            bounded,
            failure: RefCell::default(),
            operations: Cell::default(),
            meters: RefCell::default(),
            is_replaced: Cell::default(),
            log: RefCell::default(),
        })
    }

    /// Records a failure. Only the first is kept.
    pub(super) fn fail(&self, what: String) {
        if !self.is_replaced.get() {
            self.failure.borrow_mut().get_or_insert(what);
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.borrow().is_some() || schedule::has_panicked()
    }

    pub(super) fn note(&self, mut line: String) {
        line.truncate(line.char_indices().nth(LINE_CHARACTERS_MAX).map_or(line.len(), |(at, _)| at));
        let mut log = self.log.borrow_mut();
        if log.len() == LOG_LINES_MAX {
            log.pop_front();
        }
        log.push_back(line);
    }

    /// The last operations.
    pub(super) fn lines(&self) -> Vec<String> {
        self.log.borrow().iter().cloned().collect()
    }

    pub(super) fn replace_lines(&self, lines: Vec<String>) {
        self.log.replace(lines.into());
    }

    pub(super) fn log(&self) -> String {
        self.log.borrow().iter().map(|line| format!("  {line}\n")).collect()
    }
}

/// See the module.
pub(super) struct Client {
    pub(super) number: u64,
    pub(super) pool: Pool,
    pub(super) shared: Rc<Shared>,
    pub(super) random: Random,
    /// Contents of buckets that it reads.
    pub(super) readers: Vec<Reader>,
}

impl Client {
    /// Runs operations until the power fails, an error is found, or this many are done.
    pub(super) async fn run(mut self, operations: u64) {
        for _ in 0..operations {
            match self.random.below(8) {
                0 => tokio::time::sleep(Duration::from_millis(self.random.below(400))).await,
                1..4 => tokio::task::yield_now().await,
                _ => {}
            }
            if self.shared.has_failed() || self.shared.disk.is_dead() || self.shared.is_replaced.get() {
                return;
            }
            let op = ops::draw(&self.shared.world.borrow(), &mut self.random, &self.shared.appetite);
            if let Some(op) = op {
                self.shared.operations.set(self.shared.operations.get() + 1);
                self.perform(op).await;
            }
        }
    }

    fn note(&self, what: &Op) {
        self.shared.note(format!("client {}: {what:?}", self.number));
    }

    pub(in crate::sim) fn fail(&self, what: String) {
        self.shared.fail(format!("client {}: {what}", self.number));
    }

    /// Whether the answer may be caused by a failure of the disk, so that it says nothing about the pool.
    pub(in crate::sim) fn is_excused(&self, error: &Error) -> bool {
        let full = matches!(error, Error::NoSpace) && self.shared.bounded;
        full || (self.shared.disk.has_failed() && !matches!(error, Error::Damaged(_) | Error::Stale))
    }

    pub(in crate::sim) fn tick(&self) -> u64 {
        self.shared.world.borrow_mut().tick()
    }

    pub(super) async fn perform(&mut self, op: Op) {
        self.note(&op);
        let of = match &op {
            Op::Change { node, .. } | Op::Commit { node } | Op::Read { node, .. } | Op::Look { node } => {
                Some(*node)
            }
            Op::List { node, .. } | Op::Hold { node } | Op::Release { node } => Some(*node),
            Op::CloneRange { from: node, .. } | Op::Seek { node, .. } => Some(*node),
            _ => None,
        };
        let Some(node) = of else { return self.dispatch(op).await };
        let Some(volume) = self.shared.world.borrow_mut().enter(node) else { return };
        self.dispatch(op).await;
        self.shared.world.borrow_mut().leave(volume);
    }

    async fn dispatch(&mut self, op: Op) {
        match op {
            Op::Effect(effect) => self.effect(effect).await,
            Op::Wrong(effect) => self.wrong(effect).await,
            Op::Change { node, change, stability } => self.change(node, change, stability).await,
            Op::CloneRange { from, to, offset, target, length } => {
                let Some(volume) = self.shared.world.borrow_mut().enter(to) else { return };
                self.clone_range((from, offset), (to, target), length).await;
                self.shared.world.borrow_mut().leave(volume);
            }
            Op::Seek { node, offset, data } => self.seek(node, offset, data).await,
            Op::Commit { node } => self.commit(node).await,
            Op::Read { node, offset, length } => self.read(node, offset, length).await,
            Op::Look { node } => self.look(node).await,
            Op::List { node, entries } => self.list(node, entries).await,
            Op::Hold { node } => self.hold(node),
            Op::Release { node } => self.release(node),
            Op::Settle => self.settle().await,
            Op::Check { read } => self.check(read).await,
            Op::Records => self.records(),
            Op::Show { volume, snapshot } => self.show(volume, snapshot).await,
            Op::Bucket(op) => self.perform_on_bucket(op).await,
        }
    }

    // ---- effects ----

    async fn effect(&self, effect: Effect) {
        let Some(number) = self.shared.world.borrow_mut().begin(&effect, false) else { return };
        let outcome = self.ask_for(&effect, number).await;
        if self.shared.disk.is_dead() {
            return;
        }
        let mut world = self.shared.world.borrow_mut();
        match outcome {
            Ok(made) => world.happened(number, made, true),
            Err(Error::NoSpace) if self.shared.bounded => world.did_not_happen(number),
            // No operation touches the objects that it may have changed before the next opening.
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("{effect:?}: {error}")),
        }
    }

    async fn wrong(&self, effect: Effect) {
        let Some(number) = self.shared.world.borrow_mut().begin(&effect, true) else { return };
        let outcome = self.ask_for(&effect, number).await.map(|_| ());
        if self.shared.disk.is_dead() {
            return;
        }
        self.shared.world.borrow_mut().did_not_happen(number);
        match outcome {
            Err(Error::Exists(_) | Error::NotFound(_) | Error::NotEmpty | Error::InUse { .. }) => {}
            Err(error) if self.is_excused(&error) => {}
            other => self.fail(format!("{effect:?} must be refused: {other:?}")),
        }
    }

    pub(in crate::sim) fn handle(&self, node: NodeId) -> Result<Handle> {
        self.shared.world.borrow().node(node).map(|node| node.handle).ok_or(Error::Stale)
    }

    /// Runs the effect on the pool.
    async fn ask_for(&self, effect: &Effect, begun: u64) -> Result<Made> {
        let pool = &self.pool;
        match effect {
            Effect::Create { directory, name, new, mode } => {
                let new = new_inode(new, *mode);
                let made = pool.create(self.handle(*directory)?, name.as_bytes(), new).await?;
                return Ok(Made::Inode(made.attributes.handle));
            }
            Effect::Link { node, directory, name } => {
                let (handle, directory) = (self.handle(*node)?, self.handle(*directory)?);
                pool.link(handle, directory, name.as_bytes()).await?;
            }
            Effect::Remove { directory, name } => {
                pool.remove(self.handle(*directory)?, name.as_bytes()).await?;
            }
            Effect::Rename { from, from_name, to, to_name } => {
                let (from, to) = (self.handle(*from)?, self.handle(*to)?);
                pool.rename(from, from_name.as_bytes(), to, to_name.as_bytes()).await?;
            }
            Effect::Mode { node, mode } => {
                let set = SetAttributes { mode: Some(*mode), ..SetAttributes::default() };
                let before = self.change_ever(*node);
                let attributes = pool.setattr(self.handle(*node)?, set).await?;
                self.changed(*node, before, &attributes);
            }
            Effect::Xattr { node, name, value } => {
                let (handle, before) = (self.handle(*node)?, self.change_ever(*node));
                let change = match value {
                    Some(value) => {
                        let there = self.has_xattr(*node, name);
                        let how = if there { SetXattr::Replace } else { SetXattr::Create };
                        pool.xattr_set(handle, name.as_bytes(), value.clone(), how).await?
                    }
                    None => pool.xattr_remove(handle, name.as_bytes()).await?,
                };
                if change.after <= before {
                    self.fail(format!("node {node}: change {} after {before}", change.after));
                }
            }
            Effect::RecordPut { key, value } => pool.record_put("sim", &[*key], value).await?,
            Effect::RecordDelete { key } => pool.record_delete("sim", &[*key]).await?,
            Effect::VolumeCreate { name } => {
                return Ok(Made::Inode(pool.volume_create(volume_spec(name)).await?.root));
            }
            Effect::VolumeDelete { name } => pool.volume_delete(name, true).await?,
            Effect::Shelve { name } => {
                let recoverable = Some(Duration::from_secs(24 * 60 * 60));
                let deletion = Deletion { force: true, recoverable, ..Deletion::default() };
                pool.volume_delete_as(name, deletion).await?;
            }
            Effect::Recover { volume, name } => {
                let recovery = Recovery { name: Some(name.clone()), junction_path: Some(format!("/{name}")) };
                pool.volume_recover(*volume, recovery).await?;
                self.recovered(*volume, name).await?;
            }
            Effect::Purge { volume } => pool.volume_purge(*volume).await?,
            Effect::SnapshotCreate { volume, name } => {
                pool.snapshot_create(std::slice::from_ref(volume), name).await?;
                return self.taken(volume, name, begun).await;
            }
            Effect::SnapshotDelete { volume, name } => pool.snapshot_delete(volume, name).await?,
            Effect::Clone { volume, snapshot, name } => {
                let clone = CloneSpec { name: name.clone(), junction_path: format!("/{name}") };
                let root = pool.volume_clone(volume, snapshot, clone).await?.root;
                let tree = walk(pool, root).await?;
                self.compare_tree("clone", volume, snapshot, &tree);
                return Ok(Made::Tree(root, tree));
            }
            Effect::Rollback { volume, snapshot } => {
                pool.volume_rollback(volume, snapshot, true).await?;
                let tree = walk(pool, pool.volume(volume)?.root).await?;
                self.compare_tree("rollback", volume, snapshot, &tree);
            }
        }
        Ok(Made::Nothing)
    }

    fn has_xattr(&self, node: NodeId, name: &str) -> bool {
        self.shared.world.borrow().node(node).is_some_and(|node| node.xattrs.contains_key(name))
    }

    // ---- snapshots ----

    /// Checks that a recovered volume has all that it had.
    async fn recovered(&self, volume: VolumeId, name: &str) -> Result<()> {
        let nodes: Vec<NodeId> = {
            let world = self.shared.world.borrow();
            let of_volume = world.nodes.iter().filter(|(_, node)| node.handle.volume == volume);
            of_volume.map(|(id, _)| *id).collect()
        };
        for node in nodes {
            if let Err(wrong) = verify::verify_node(&self.pool, &self.shared, node).await
                && !self.shared.disk.has_failed()
                && !self.shared.disk.is_dead()
            {
                self.fail(format!("node {node} of the recovered volume {name}: {wrong}"));
            }
        }
        let snapshots = self.shared.world.borrow().snapshots_of_shelf(volume);
        for (snapshot, expected) in snapshots {
            let root = self.pool.snapshot(name, &snapshot)?.root;
            let found = walk(&self.pool, root).await?;
            if let Some(difference) = difference(&found, &expected) {
                self.fail(format!("snapshot {snapshot} of the recovered volume {name}: {difference}"));
            }
        }
        Ok(())
    }

    /// Takes a snapshot, and checks that its content is a possible state of the volume at that moment.
    async fn taken(&self, volume: &str, name: &str, begun: u64) -> Result<Made> {
        let root = self.pool.snapshot(volume, name)?.root;
        let tree = walk(&self.pool, root).await?;
        let world = self.shared.world.borrow();
        let look = Look::Read { from: begun };
        let of = world.volumes.get(volume);
        if let Some(wrong) = of.and_then(|of| world.wrong_tree(*of, &tree, look)) {
            self.fail(format!("snapshot {volume}@{name}: {wrong}"));
        }
        Ok(Made::Tree(root, tree))
    }

    /// Checks that a tree equals the content of the snapshot.
    fn compare_tree(&self, what: &str, volume: &str, snapshot: &str, tree: &Tree) {
        let world = self.shared.world.borrow();
        let taken = world.snapshots.get(&(volume.to_owned(), snapshot.to_owned()));
        if let Some(difference) = taken.and_then(|taken| difference(tree, &taken.tree)) {
            self.fail(format!("{what} of {volume}@{snapshot}: {difference}"));
        }
    }

    async fn show(&self, volume: String, snapshot: String) {
        let key = (volume.clone(), snapshot.clone());
        let number = || {
            let world = self.shared.world.borrow();
            let quiet = !world.is_claimed(&Claim::Volume(volume.clone()));
            world.snapshots.get(&key).filter(|_| quiet).map(|taken| taken.number)
        };
        let root = self.shared.world.borrow().snapshots.get(&key).map(|taken| taken.root);
        let (Some(root), Some(before)) = (root, number()) else { return };
        let shown = walk(&self.pool, root).await;
        if number() != Some(before) {
            return;
        }
        match shown {
            Ok(tree) => self.compare_tree("content", &volume, &snapshot, &tree),
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("snapshot {volume}@{snapshot}: {error}")),
        }
    }

    // ---- attributes and directories ----

    /// Whether an operation on a file may find it gone, because it is being removed.
    pub(in crate::sim) fn may_be_gone(&self, node: NodeId) -> bool {
        let world = self.shared.world.borrow();
        let Some(known) = world.node(node) else { return true };
        let volume = world.volumes.iter().find(|(_, root)| {
            world.node(**root).is_some_and(|root| root.handle.volume == known.handle.volume)
        });
        let deleted = volume.is_none_or(|(name, _)| {
            let deletes =
                |effect: &Effect| matches!(effect, Effect::VolumeDelete { name: gone } | Effect::Shelve { name: gone } if gone == name);
            world.pending.values().any(|pending| deletes(&pending.effect))
        });
        known.life == Life::Doomed || world.is_claimed(&Claim::Node(node)) || deleted
    }

    /// Checks an error of an operation on a file: reports a failure unless the file may be gone or the disk failed.
    pub(in crate::sim) fn is_gone(&self, node: NodeId, what: &str, error: &Error) {
        let gone = matches!(error, Error::Stale) && self.may_be_gone(node);
        if !gone && !self.is_excused(error) {
            self.fail(format!("{what} of node {node}: {error}"));
        }
    }

    fn change_of(&self, node: NodeId) -> u64 {
        self.shared.world.borrow().node(node).map_or(0, |node| node.change)
    }

    /// The largest `change` ever seen of the inode.
    fn change_ever(&self, node: NodeId) -> u64 {
        self.shared.world.borrow().node(node).map_or(0, |node| node.change.max(node.change_lost))
    }

    /// Checks that the inode's `change` is larger than the value seen before the change began.
    fn changed(&self, node: NodeId, before: u64, attributes: &Attributes) {
        if attributes.change <= before {
            self.fail(format!("node {node}: change {} after {before}", attributes.change));
        }
        if let Some(node) = self.shared.world.borrow_mut().nodes.get_mut(&node) {
            node.change = node.change.max(attributes.change);
        }
    }

    async fn look(&self, node: NodeId) {
        let Ok(handle) = self.handle(node) else { return };
        let (before, from) = (self.change_of(node), self.tick());
        let sets = self.shared.world.borrow().node(node).map_or(0, |node| node.xattrs_set);
        let attributes = match self.pool.getattr(handle).await {
            Ok(attributes) => attributes,
            Err(error) => return self.is_gone(node, "getattr", &error),
        };
        if attributes.change < before {
            self.fail(format!("node {node}: change {} after {before}", attributes.change));
        }
        let quiet = !self.shared.world.borrow().is_claimed(&Claim::Node(node));
        let xattrs = xattrs(&self.pool, handle, &attributes.kind).await;
        let mut world = self.shared.world.borrow_mut();
        let claimed = world.is_claimed(&Claim::Node(node));
        let Some(known) = world.nodes.get_mut(&node) else { return };
        let changed = known.xattrs_set != sets;
        let is_there = !matches!(known.life, Life::Doomed | Life::Shelved);
        if let Ok(found) = xattrs
            && quiet
            && !claimed
            && !changed
            && found != known.xattrs
            && is_there
        {
            self.fail(format!("node {node}: attributes {:?}, not {:?}", found.keys(), known.xattrs.keys()));
        }
        known.change = known.change.max(attributes.change);
        let sizes = known.file().map(|file| file.sizes(Look::Read { from }));
        let right = claimed
            || (attributes.mode == known.mode && sizes.is_none_or(|sizes| sizes.contains(attributes.size)));
        if !right && is_there {
            self.fail(format!("node {node}: {attributes:?}, not mode {:o} or size", known.mode));
        }
    }

    async fn list(&self, node: NodeId, entries_max: usize) {
        let Ok(handle) = self.handle(node) else { return };
        // Only then is the content certain.
        let quiet = |world: &World| !world.is_changing_within(node) && !world.is_claimed(&Claim::Node(node));
        if !quiet(&self.shared.world.borrow()) {
            return;
        }
        let expected: Vec<(String, Handle)> = {
            let world = self.shared.world.borrow();
            let entries = world.node(node).and_then(|node| node.entries());
            let entry = |(name, id): (&String, &NodeId)| Some((name.clone(), world.node(*id)?.handle));
            entries.into_iter().flatten().filter_map(entry).collect()
        };
        let listed = list(&self.pool, handle, entries_max).await;
        if !quiet(&self.shared.world.borrow()) || self.may_be_gone(node) {
            return;
        }
        match listed {
            Ok(found) if found == expected => {}
            Ok(found) => self.fail(format!("node {node} holds {found:?}, not {expected:?}")),
            Err(error) => self.is_gone(node, "readdir", &error),
        }
    }

    // ---- holds, freeing, the rest ----

    fn hold(&self, node: NodeId) {
        let Ok(handle) = self.handle(node) else { return };
        match self.pool.hold(handle) {
            Ok(()) => {
                if let Some(node) = self.shared.world.borrow_mut().nodes.get_mut(&node) {
                    node.holds += 1;
                }
            }
            Err(error) => self.is_gone(node, "hold", &error),
        }
    }

    fn release(&self, node: NodeId) {
        let Ok(handle) = self.handle(node) else { return };
        self.pool.release(handle);
        let mut world = self.shared.world.borrow_mut();
        if let Some(node) = world.nodes.get_mut(&node) {
            node.holds -= 1;
        }
        world.doom(node);
    }

    async fn settle(&self) {
        let doomed = {
            let world = self.shared.world.borrow();
            // Inodes that were doomed before the last opening wait for `reap_orphans`.
            if world.reaping { world.doomed() } else { Vec::new() }
        };
        match self.pool.settle().await {
            Ok(()) if !self.shared.disk.has_failed() => {
                let doomed = self.shared.world.borrow().still_doomed(doomed);
                self.buried(&doomed).await;
            }
            Ok(()) => {}
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("settle: {error}")),
        }
    }

    /// Checks that the doomed inodes are gone.
    async fn buried(&self, doomed: &[NodeId]) {
        for node in doomed {
            let Ok(handle) = self.handle(*node) else { continue };
            let found = self.pool.getattr(handle).await;
            if !matches!(found, Err(Error::Stale)) && !self.shared.disk.has_failed() {
                self.fail(format!("node {node} is still there after settling: {found:?}"));
            }
        }
        self.shared.world.borrow_mut().bury(doomed);
    }

    async fn check(&self, read: bool) {
        match self.pool.check(read).await {
            Ok(_) if self.shared.disk.is_dead() => {}
            Ok(mut differences) => {
                let failed = self.shared.disk.has_failed();
                differences.retain(|difference| !(failed && difference.contains("cannot be read")));
                if !differences.is_empty() {
                    self.fail(format!("check: {differences:?}"));
                }
            }
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("check: {error}")),
        }
    }

    fn records(&self) {
        let world = self.shared.world.borrow();
        match self.pool.records("sim") {
            Ok(found) => {
                let changing = |key: u8| world.is_claimed(&Claim::Record(key));
                for key in (0..6).filter(|key| !changing(*key)) {
                    let found = found.iter().find(|(known, _)| known[..] == [key]).map(|(_, value)| value);
                    if found != world.records.get(&key) {
                        self.fail(format!("record {key} is wrong"));
                    }
                }
            }
            Err(error) if self.is_excused(&error) => {}
            Err(error) => self.fail(format!("records: {error}")),
        }
    }
}

/// All names in a directory in order, with their inodes.
pub(super) async fn list(
    pool: &Pool,
    directory: Handle,
    entries_max: usize,
) -> Result<Vec<(String, Handle)>> {
    let (mut found, mut cookie) = (Vec::new(), 0);
    loop {
        let page = pool.readdir(directory, cookie, entries_max).await?;
        for entry in &page.entries {
            found.push((String::from_utf8_lossy(&entry.name).into_owned(), entry.attributes.handle));
            cookie = entry.cookie;
        }
        if page.end {
            found.sort();
            return Ok(found);
        }
    }
}

pub(super) fn new_inode(new: &New, mode: u32) -> NewInode {
    let (kind, size) = match new {
        New::File { size } => (Kind::File, *size),
        New::Directory => (Kind::Directory, 0),
        New::Symlink(target) => (Kind::Symlink(target.clone()), 0),
    };
    NewInode { uid: 1, gid: 2, size, ..NewInode::new(kind, mode) }
}

pub(super) fn volume_spec(name: &str) -> VolumeSpec {
    VolumeSpec::new(name, &format!("/{name}"))
}
