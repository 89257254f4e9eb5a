//! Makes the contents of drafts: written in pieces, shared with other contents or with files, or joined from parts.

use bytes::{Bytes, BytesMut};

use super::super::client::Client;
use super::super::content::zeros;
use super::super::file::Look;
use super::super::model::NodeId;
use super::model::{Buckets, Ticket};
use super::ops::{PART_HOLE, Share, Source};
use crate::*;

/// A draft whose bytes are known.
pub(super) struct Made {
    pub(super) draft: Draft,
    /// Everything that was written was committed.
    pub(super) is_committed: bool,
}

impl Client {
    /// Makes a draft. Returns `None` if that fails.
    pub(super) async fn make(&mut self, id: VolumeId, source: Source, share: Share) -> Option<Made> {
        let from = self.moment_now();
        let draft = self.draft(id, from).await?;
        let (bytes, is_committed) = match source {
            Source::Pieces { bytes, piece, commit } => {
                self.write_pieces(&draft, 0, &bytes, piece, from).await?;
                if commit {
                    self.commit_draft(&draft, from).await?;
                }
                (bytes.clone(), commit || bytes.is_empty())
            }
            Source::Content { content, offset, length, hold } => {
                (self.share_content(&draft, content, offset, length, share, hold).await?, true)
            }
            Source::File { node, offset, length } => {
                let volume = self.shared.world.borrow_mut().enter(node)?;
                let bytes = self.share_file(&draft, node, offset, length, share).await;
                self.shared.world.borrow_mut().leave(volume);
                (bytes?, true)
            }
        };
        self.know(&draft, bytes);
        Some(Made { draft, is_committed })
    }

    /// Makes a part, whose bytes begin behind a hole.
    pub(super) async fn make_part(&mut self, id: VolumeId, hole: u64, bytes: Bytes) -> Option<Made> {
        let from = self.moment_now();
        let draft = self.draft(id, from).await?;
        self.write_pieces(&draft, hole, &bytes, 30_000, from).await?;
        self.commit_draft(&draft, from).await?;
        let whole = if bytes.is_empty() { bytes } else { [zeros(hole as usize), bytes].concat().into() };
        self.know(&draft, whole);
        Some(Made { draft, is_committed: true })
    }

    async fn draft(&self, id: VolumeId, from: usize) -> Option<Draft> {
        let draft = self.pool.draft_create(id).await;
        if self.shared.disk.is_dead() {
            return None;
        }
        draft.inspect_err(|error| self.bucket_error("a draft", id, from, &Ticket::default(), error)).ok()
    }

    fn know(&self, draft: &Draft, bytes: Bytes) {
        self.shared.world.borrow_mut().buckets.contents.insert(draft.handle(), bytes);
    }

    async fn write_pieces(
        &mut self,
        draft: &Draft,
        at: u64,
        bytes: &Bytes,
        piece: usize,
        from: usize,
    ) -> Option<()> {
        let (mut done, id) = (0, draft.handle().volume);
        while done < bytes.len() {
            let end = (done + piece).min(bytes.len());
            let stability = if self.random.permille(50) { Stability::FileSync } else { Stability::Unstable };
            let (offset, data) = (at + done as u64, bytes.slice(done..end));
            let written = self.pool.write(draft.handle(), offset, data, stability).await;
            if self.shared.disk.is_dead() {
                return None;
            }
            written
                .inspect_err(|error| self.bucket_error("a write", id, from, &Ticket::default(), error))
                .ok()?;
            if self.random.permille(300) {
                tokio::task::yield_now().await;
            }
            done = end;
        }
        Some(())
    }

    async fn commit_draft(&self, draft: &Draft, from: usize) -> Option<()> {
        let committed = self.pool.commit(draft.handle(), 0, 0).await;
        if self.shared.disk.is_dead() {
            return None;
        }
        let id = draft.handle().volume;
        committed.inspect_err(|error| self.bucket_error("a commit", id, from, &Ticket::default(), error)).ok()
    }

    /// Shares a range with a content, which may lose its entry meanwhile. A content that is held stays nevertheless.
    async fn share_content(
        &self,
        draft: &Draft,
        content: Handle,
        offset: u64,
        length: u64,
        share: Share,
        hold: bool,
    ) -> Option<Bytes> {
        let (from, id) = (self.moment_now(), draft.handle().volume);
        let bytes = self.shared.world.borrow().buckets.contents.get(&content)?.clone();
        let lost = |state: &Buckets| {
            state.get(&content.volume).is_none_or(|bucket| bucket.contents().all(|other| other != content))
        };
        if hold && let Err(error) = self.pool.hold(content) {
            let is_lost = matches!(error, Error::Stale) && self.ever_since(from, lost);
            if !is_lost && !self.is_excused(&error) {
                self.fail(format!("hold of {content:?}: {error}"));
            }
            return None;
        }
        let shared = self.share(draft, content, offset, length, share).await;
        if hold {
            self.pool.release(content);
        }
        if self.shared.disk.is_dead() {
            return None;
        }
        let Err(error) = shared else {
            return Some(bytes.slice(offset as usize..(offset + length) as usize));
        };
        let bucket_gone = |state: &Buckets| !state.contains_key(&content.volume);
        let is_lost = self.ever_since(from, |state| if hold { bucket_gone(state) } else { lost(state) });
        if !(matches!(error, Error::Stale) && is_lost) {
            self.bucket_error("a copy", id, from, &Ticket::default(), &error);
        }
        None
    }

    /// Shares a range with a file that may have unflushed writes. No client changes it meanwhile.
    async fn share_file(
        &self,
        draft: &Draft,
        node: NodeId,
        offset: u64,
        length: u64,
        share: Share,
    ) -> Option<Bytes> {
        let (from, handle) = (self.moment_now(), self.handle(node).ok()?);
        // While the draft was made, a change of the file may have begun: what it has is then not certain.
        if self.shared.world.borrow().node(node)?.file()?.changing > 0 {
            return None;
        }
        self.set_source(node, true);
        let look = Look::Read { from: self.tick() };
        let bytes = match self.pool.read(handle, offset, length as u32).await {
            Ok(data) => {
                self.compare(node, offset, length as u32, &data, look);
                Bytes::from(data.pieces.concat())
            }
            Err(error) => {
                if !self.shared.disk.is_dead() {
                    self.is_gone(node, "read", &error);
                    self.set_source(node, false);
                }
                return None;
            }
        };
        // The file may have been truncated while the draft was made, so that it ends before the range.
        if bytes.is_empty() && offset > 0 {
            self.set_source(node, false);
            return None;
        }
        let shared = self.share(draft, handle, offset, bytes.len() as u64, share).await;
        if self.shared.disk.is_dead() {
            return None;
        }
        self.set_source(node, false);
        let Err(error) = shared else { return Some(bytes) };
        if !(matches!(error, Error::Stale) && self.may_be_gone(node)) {
            let id = draft.handle().volume;
            self.bucket_error("a copy of a file", id, from, &Ticket::default(), &error);
        }
        None
    }

    async fn share(
        &self,
        draft: &Draft,
        source: Handle,
        offset: u64,
        length: u64,
        share: Share,
    ) -> Result<()> {
        let (end, target) = (offset + length, (draft.handle(), 0));
        if matches!(share, Share::ConcatenateTwo) {
            self.shared.world.borrow_mut().buckets.joined.insert(draft.handle().volume);
        }
        let size = match share {
            Share::CloneRange => {
                return self.pool.clone_range((source, offset), target, Some(length)).await.map(drop);
            }
            Share::Copy => self.pool.draft_copy(draft, source, offset..end).await?,
            Share::ConcatenateTwo => {
                let middle = offset + length / 3;
                let ranges = vec![(source, offset..middle), (source, middle..end)];
                self.pool.concatenate(draft, ranges).await?
            }
        };
        if size != length {
            self.fail(format!("{length} bytes were joined, and it says {size}"));
        }
        Ok(())
    }

    /// Joins the parts of an upload, without the holes before them.
    pub(super) async fn join(&mut self, id: VolumeId, parts: &[(u8, Handle)]) -> Option<Made> {
        let from = self.moment_now();
        let (mut bytes, mut ranges) = (BytesMut::new(), Vec::new());
        for (part, content) in parts {
            let whole = self.shared.world.borrow().buckets.contents.get(content)?.clone();
            let start = if *part == 0 || whole.is_empty() { 0 } else { PART_HOLE };
            bytes.extend_from_slice(&whole[start as usize..]);
            ranges.push((*content, start..whole.len() as u64));
        }
        let draft = self.draft(id, from).await?;
        self.shared.world.borrow_mut().buckets.joined.insert(id);
        let joined = self.pool.concatenate(&draft, ranges).await;
        if self.shared.disk.is_dead() {
            return None;
        }
        match joined {
            Ok(size) if size == bytes.len() as u64 => {}
            Ok(size) => self.fail(format!("{} bytes were joined, and it says {size}", bytes.len())),
            Err(error) => {
                let lost = |state: &Buckets| {
                    let owns = |content| {
                        state.get(&id).is_some_and(|bucket| bucket.contents().any(|other| other == content))
                    };
                    parts.iter().any(|(_, content)| !owns(*content))
                };
                if !(matches!(error, Error::Stale) && self.ever_since(from, lost)) {
                    self.bucket_error("a completion", id, from, &Ticket::default(), &error);
                }
                return None;
            }
        }
        self.know(&draft, bytes.freeze());
        Some(Made { draft, is_committed: true })
    }
}
