//! Opens and their share reservations (RFC 8881 §9.7–9.9).

use bytes::Bytes;
use forebay_pool::Handle;

use super::{File, Named, Open, Table};
use crate::state::hold::Hold;
use crate::state::share::{Share, ShareSet};
use crate::state::stateid::{StateKey, next_seqid};
use crate::xdr::Status;
use crate::xdr::nfs4::{ClientId, StateId};

impl Table {
    /// A client with an open that does not go together with `share`, other than this owner's own open.
    pub fn share_conflict(
        &self,
        file: Handle,
        opener: Option<(ClientId, &[u8])>,
        share: Share,
    ) -> Option<ClientId> {
        let opens = self.files.get(&file).map_or(&[][..], |file| &file.opens);
        opens
            .iter()
            .filter_map(|key| self.opens.get(key))
            .filter(|open| opener != Some((open.client, &open.owner[..])))
            .find(|open| open.shares.effective().conflicts(share))
            .map(|open| open.client)
    }

    /// Opens the file of `hold` for an owner; if the owner has it open, that open gets `share` too.
    /// The second value is a hold that is not needed, to be dropped after the lock.
    pub fn open(
        &mut self,
        client: ClientId,
        owner: &[u8],
        share: Share,
        hold: Hold,
    ) -> Result<(StateId, Option<Hold>), (Status, Hold)> {
        let file = hold.file();
        if let Some(key) = self.open_of(file, client, owner)
            && let Some(open) = self.opens.get_mut(&key)
        {
            open.shares.add(share);
            open.seqid = next_seqid(open.seqid);
            return Ok((self.boot.stateid(key, open.seqid), Some(hold)));
        }
        let key = match self.new_key(client) {
            Ok(key) => key,
            Err(status) => return Err((status, hold)),
        };
        let owner = Bytes::copy_from_slice(owner);
        self.opens.insert(key, Open { client, owner, seqid: 1, shares: ShareSet::new(share), hold });
        self.files.entry(file).or_insert_with(File::default).opens.push(key);
        Ok((self.boot.stateid(key, 1), None))
    }

    fn open_of(&self, file: Handle, client: ClientId, owner: &[u8]) -> Option<StateKey> {
        let opens = &self.files.get(&file)?.opens;
        let is_owners = |open: &Open| open.client == client && open.owner == owner;
        opens.iter().copied().find(|key| self.opens.get(key).is_some_and(is_owners))
    }

    /// The open that a stateid names; [`Status::BadStateid`] if it names a lock.
    pub(super) fn find_open(
        &self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
    ) -> Result<StateKey, Status> {
        match self.find_on(client, file, stateid)? {
            (key, Named::Open(_)) => Ok(key),
            (_, Named::Lock(_)) => Err(Status::BadStateid),
        }
    }

    /// OPEN_DOWNGRADE (RFC 8881 §18.18).
    pub fn downgrade(
        &mut self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
        to: Share,
    ) -> Result<StateId, Status> {
        let key = self.find_open(client, file, stateid)?;
        let open = self.opens.get_mut(&key).ok_or(Status::BadStateid)?;
        open.shares.downgrade(to)?;
        open.seqid = next_seqid(open.seqid);
        Ok(self.boot.stateid(key, open.seqid))
    }

    /// CLOSE (RFC 8881 §18.2), with the locks that came from the open. The hold is to be dropped after the lock.
    pub fn close(
        &mut self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
    ) -> Result<Option<Hold>, Status> {
        let key = self.find_open(client, file, stateid)?;
        Ok(self.remove(key))
    }

    /// What a stateid, of an open or of a lock, allows on `file`.
    pub fn share_of(&self, client: ClientId, file: Handle, stateid: &StateId) -> Result<Share, Status> {
        let open = match self.find_on(client, file, stateid)? {
            (_, Named::Open(open)) => open,
            (_, Named::Lock(lock)) => self.opens.get(&lock.open).ok_or(Status::BadStateid)?,
        };
        Ok(open.shares.effective())
    }
}
