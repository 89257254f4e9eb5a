//! The part of a client that reads and changes the data of files.

use super::super::file::{Change, Look};
use super::super::model::NodeId;
use super::Client;
use crate::*;

impl Client {
    pub(super) async fn change(&self, node: NodeId, change: Change, stability: Stability) {
        let Ok(handle) = self.handle(node) else { return };
        let before = self.change_ever(node);
        let number = {
            let mut world = self.shared.world.borrow_mut();
            let tick = world.tick();
            let Some(file) = world.file_mut(node) else { return };
            if let Change::Write { offset, bytes } = &change
                && *offset == file.replica as u64
            {
                file.replica += bytes.len();
            }
            file.begin(change.clone(), tick)
        };
        let allocates = matches!(change, Change::Allocate { .. });
        let outcome = match change {
            Change::Write { offset, bytes } => self.pool.write(handle, offset, bytes, stability).await,
            Change::Truncate { size } => {
                let set = SetAttributes { size: Some(size), ..SetAttributes::default() };
                self.pool.setattr(handle, set).await
            }
            Change::Punch { offset, length } => self.pool.deallocate(handle, offset, length).await,
            Change::Allocate { offset, length } => self.pool.allocate(handle, offset, length).await,
            // The source of the bytes is only known where the clone begins.
            Change::Clone { .. } => Err(Error::invalid_arguments("a clone is not a change by itself")),
        };
        if self.shared.disk.is_dead() {
            return;
        }
        let sure = outcome.is_ok();
        let stable = sure && stability != Stability::Unstable;
        {
            let mut world = self.shared.world.borrow_mut();
            let tick = world.tick();
            if let Some(file) = world.file_mut(node) {
                file.end(number, tick, sure, stable);
            }
        }
        match outcome {
            // Ranges that are already allocated do not change.
            Ok(_) if allocates => {}
            Ok(attributes) => self.changed(node, before, &attributes),
            Err(error) => self.is_gone(node, "change", &error),
        }
    }

    /// No client changes the source meanwhile, so its current content is the content that the target gets.
    pub(super) async fn clone_range(&self, from: (NodeId, u64), to: (NodeId, u64), length: u64) {
        let (Ok(source), Ok(target)) = (self.handle(from.0), self.handle(to.0)) else { return };
        self.set_source(from.0, true);
        if let Some(number) = self.begin_clone(from, to, (source, target), length).await {
            let begun = self.tick();
            let cloned = self.pool.clone_range((source, from.1), (target, to.1), Some(length)).await;
            if self.shared.disk.is_dead() {
                return;
            }
            self.end_clone(from.0, to.0, number, begun, cloned);
        }
        self.set_source(from.0, false);
    }

    pub(in crate::sim) fn set_source(&self, node: NodeId, is_source: bool) {
        if let Some(file) = self.shared.world.borrow_mut().file_mut(node) {
            if is_source { file.sources += 1 } else { file.sources -= 1 }
        }
    }

    /// Begins the change of the target in the model. Returns `None` if the source cannot be read.
    async fn begin_clone(
        &self,
        from: (NodeId, u64),
        to: (NodeId, u64),
        (source, target): (Handle, Handle),
        length: u64,
    ) -> Option<usize> {
        let look = Look::Read { from: self.tick() };
        let bytes = match self.pool.read(source, from.1, length as u32).await {
            Ok(data) => {
                self.compare(from.0, from.1, length as u32, &data, look);
                data.pieces.concat()
            }
            Err(error) => {
                self.is_gone(from.0, "read", &error);
                return None;
            }
        };
        let ends = self.pool.engine().ok()?.meters.clone_ends.of(target);
        let mut world = self.shared.world.borrow_mut();
        let tick = world.tick();
        // While the source was read, a truncation or a clone of the target may have begun.
        let file = world
            .file_mut(to.0)
            .filter(|file| !file.truncating && file.sources <= u32::from(from.0 == to.0))?;
        let whole = bytes.len() as u64 == length;
        whole.then(|| file.begin(Change::Clone { offset: to.1, bytes: bytes.into(), ends }, tick))
    }

    fn end_clone(&self, from: NodeId, to: NodeId, number: usize, begun: u64, cloned: Result<Cloned>) {
        let done = cloned.is_ok();
        let mut world = self.shared.world.borrow_mut();
        let tick = world.tick();
        if let Some(file) = world.file_mut(to) {
            file.end(number, tick, done, done);
        }
        if let Some(file) = world.file_mut(from).filter(|_| done) {
            file.committed(begun);
        }
        drop(world);
        match cloned {
            Ok(_) => {}
            Err(Error::Stale) if self.may_be_gone(from) => {}
            Err(error) => self.is_gone(to, "clone", &error),
        }
    }

    /// The skipped bytes must be zeros, and the result must be within the file.
    pub(super) async fn seek(&self, node: NodeId, offset: u64, data: bool) {
        let Ok(handle) = self.handle(node) else { return };
        let look = Look::Read { from: self.tick() };
        let found = if data {
            self.pool.seek_data(handle, offset).await
        } else {
            self.pool.seek_hole(handle, offset).await
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => return self.is_gone(node, "seek", &error),
        };
        let world = self.shared.world.borrow();
        let Some(file) = world.node(node).and_then(|node| node.file()) else { return };
        let sizes = file.sizes(look);
        let right = match found {
            None => sizes.fits(offset, 1, 0),
            Some(Sought { offset: at, eof: true }) => sizes.contains(at),
            Some(Sought { offset: at, eof: false }) => at >= offset && sizes.fits(at, 1, 1),
        };
        if !right {
            self.fail(format!("seek of node {node} from {offset}: {found:?}, {sizes:?}"));
        }
        let zeros = found.filter(|_| data).map_or(0, |found| found.offset - offset);
        if let Some(wrong) = file.wrong(offset, &vec![0; zeros as usize], look) {
            self.fail(format!("seek of node {node} from {offset}: {found:?} passes data: {wrong}"));
        }
    }

    pub(super) async fn commit(&self, node: NodeId) {
        let Ok(handle) = self.handle(node) else { return };
        let begun = self.tick();
        let outcome = self.pool.commit(handle, 0, 0).await;
        if self.shared.disk.is_dead() {
            return;
        }
        match outcome {
            Ok(()) => {
                if let Some(file) = self.shared.world.borrow_mut().file_mut(node) {
                    file.committed(begun);
                }
            }
            Err(error) => self.is_gone(node, "commit", &error),
        }
    }

    pub(super) async fn read(&self, node: NodeId, offset: u64, length: u32) {
        let Ok(handle) = self.handle(node) else { return };
        let from = self.tick();
        // Reports holes of any length, or none.
        let data = if offset.is_multiple_of(2) {
            self.pool.read(handle, offset, length).await
        } else {
            self.pool.read_stretches(handle, offset, length, 1).await.map(flat)
        };
        match data {
            Ok(data) => self.compare(node, offset, length, &data, Look::Read { from }),
            Err(error) => self.is_gone(node, "read", &error),
        }
    }

    /// Compares the bytes read with the possible ones.
    pub(in crate::sim) fn compare(
        &self,
        node: NodeId,
        offset: u64,
        length: u32,
        data: &ReadData,
        look: Look,
    ) {
        let found = data.pieces.concat();
        let world = self.shared.world.borrow();
        let Some(file) = world.node(node).and_then(|node| node.file()) else { return };
        let sizes = file.sizes(look);
        if !sizes.fits(offset, length, found.len() as u64) {
            self.fail(format!("read of node {node} at {offset}: {} bytes of {sizes:?}", found.len()));
        }
        if let Some(wrong) = file.wrong(offset, &found, look) {
            self.fail(format!("read of node {node} at {offset} from {look:?}: {wrong}"));
        }
    }
}

/// The same data, with zeros for the holes.
fn flat(read: ReadStretches) -> ReadData {
    let bytes = read.stretches.into_iter().flat_map(|stretch| match stretch {
        Stretch::Data(pieces) => pieces,
        Stretch::Hole(length) => vec![vec![0; length as usize].into()],
    });
    ReadData { pieces: bytes.collect(), eof: read.eof }
}
