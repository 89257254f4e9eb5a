//! Opens and their share reservations (RFC 8881 §9.7–9.9).

use bytes::Bytes;
use forebay_pool::Handle;

use super::{File, Named, Open, OpenRoom, Owner, Table};
use crate::memory::audit::open_bytes;
use crate::policy::Mapping;
use crate::state::hold::Hold;
use crate::state::share::{Share, ShareSet};
use crate::state::stateid::{StateKey, next_seqid};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

impl Table {
    /// A client whose open conflicts with `share`, other than this owner's own open.
    pub fn share_conflict(
        &self,
        file: Handle,
        opener: Option<(ClientId, &[u8])>,
        share: Share,
    ) -> Option<ClientId> {
        let file = self.files.get(&file).filter(|file| share.denies() || file.denying > 0)?;
        let conflicts =
            |key: &StateKey| self.opens.get(key).is_some_and(|open| open.shares.effective().conflicts(share));
        let others = file.opens.iter().filter(|((client, owner), _)| opener != Some((*client, &owner[..])));
        others.filter(|(_, key)| conflicts(key)).map(|((client, _), _)| *client).next()
    }

    /// Opens the file of `hold` for an owner. If the owner has it open already, `share` is added to that
    /// open. The second value is a hold that is not needed; the caller must drop it after releasing the lock.
    /// With `room` it does not fail for lack of room.
    pub fn open(
        &mut self,
        client: ClientId,
        owner: &[u8],
        (share, mapping): (Share, Option<Mapping>),
        hold: Hold,
        room: Option<OpenRoom>,
    ) -> Result<(StateId, Option<Hold>), (Status, Hold)> {
        let file = hold.file();
        let owner: Owner = (client, Bytes::copy_from_slice(owner));
        if let Some(key) = self.files.get(&file).and_then(|file| file.opens.get(&owner))
            && let Ok(stateid) = self.change_shares(key, |shares| {
                shares.add(share);
                Ok(())
            })
        {
            return Ok((stateid, Some(hold)));
        }
        let key = match self.new_key(client, file.volume, open_bytes(owner.1.len(), 0), room) {
            Ok(key) => key,
            Err(status) => return Err((status, hold)),
        };
        let states: &mut File = self.files.entry(file).or_default();
        states.opens.insert(owner.clone(), key);
        states.denying += usize::from(share.denies());
        let shares = ShareSet::new(share);
        self.opens.insert(key, Open { owner, seqid: 1, shares, mapping, hold, opened_as: None });
        Ok((self.boot.stateid(key, 1), None))
    }

    /// Changes the shares of an open, and updates the number of opens that deny something.
    fn change_shares(
        &mut self,
        key: StateKey,
        change: impl FnOnce(&mut ShareSet) -> Result<(), Status>,
    ) -> Result<StateId, Status> {
        let open = self.opens.get_mut(&key).ok_or(Status::BadStateid)?;
        let denied = open.shares.effective().denies();
        change(&mut open.shares)?;
        open.seqid = next_seqid(open.seqid);
        if let Some(file) = self.files.get_mut(&open.hold.file()) {
            let denies = open.shares.effective().denies();
            file.denying = (file.denying + usize::from(denies)).saturating_sub(usize::from(denied));
        }
        Ok(self.boot.stateid(key, open.seqid))
    }

    /// The open that a stateid refers to. Returns [`Status::BadStateid`] if it refers to a lock.
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
        self.change_shares(key, |shares| shares.downgrade(to))
    }

    /// CLOSE (RFC 8881 §18.2), including the locks that came from the open. The hold must be dropped after
    /// the table is unlocked.
    pub fn close(
        &mut self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
    ) -> Result<Option<Hold>, Status> {
        let key = self.find_open(client, file, stateid)?;
        Ok(self.remove(key))
    }

    /// The access that a stateid, of an open or of a lock, gives to `file`, how the caller was mapped when it
    /// was opened, and the client's name for the owner of the open.
    pub fn share_of(
        &self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
    ) -> Result<(Share, Option<Mapping>, &[u8]), Status> {
        let open = match self.find_on(client, file, stateid)? {
            (_, Named::Open(open)) => open,
            (_, Named::Lock(lock)) => self.opens.get(&lock.open).ok_or(Status::BadStateid)?,
        };
        Ok((open.shares.effective(), open.mapping, &open.owner.1))
    }
}
