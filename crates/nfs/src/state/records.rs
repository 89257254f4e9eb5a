//! The durable records of clients with state, which determine who may reclaim after a restart (RFC 8881
//! §8.4.2.1).
//!
//! A client's record is written before the response to the first OPEN that gives it state, and removed before
//! another client can get the state that it loses. So a record means that no other client has been given
//! anything that conflicts with the state of this incarnation. A client that restarts, or stays away beyond
//! the grace period, loses its record, and with it the right to reclaim (the edge conditions of §8.4.3).
//!
//! ```text
//! key      the client's name (co_ownerid), unchanged
//! value    format, 1 byte, 2; the incarnation's verifier, 8 bytes; mark, 1 byte: 0, 1 absent, 2 barred;
//!          the ids of volumes, 4 bytes each, big-endian, ascending; or 1 byte, 255, for all volumes
//! ```
//!
//! Format 1 ends after the mark, which is missing if it is 0, and names all volumes.
//!
//! The record names the *volumes* in which the client may have state, before the response to the first OPEN in each. The grace period of a
//! volume waits only for clients whose record names it. A volume whose grace period ends leaves the records of clients that have not returned.
//!
//! An *absent* client has been silent for long. A restart does not wait for it: clients should not wait a
//! whole grace period for a machine that was switched off hours ago. It may reclaim as long as the server
//! waits for others.
//!
//! A *barred* client believes it has more state than it has: the grace period ended before it had reclaimed
//! everything, or an operator revoked something. Other clients may have that state now, so after a restart
//! the client must not reclaim anything. The bar is lifted once the client has finished reclaiming
//! (RECLAIM_COMPLETE) and has freed what was revoked (FREE_STATEID).

use std::collections::HashMap;

use bytes::Bytes;
use forebay_pool::{Pool, VolumeId};
use tokio::sync::Mutex;

use super::client::Client;
use super::volumes::Volumes;
use crate::memory::shrink;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, Verifier};

const NAMESPACE: &str = "nfs-client";
const FORMAT: u8 = 2;
const FORMAT_WITHOUT_VOLUMES: u8 = 1;
const PRESENT: u8 = 0;
const ABSENT: u8 = 1;
const BARRED: u8 = 2;
const ALL_VOLUMES: &[u8] = &[255];

/// The records of one pool.
pub(super) struct Records {
    pool: Pool,
    /// By the clients' names. Locked while a record is written or removed, so that memory and pool agree;
    /// that happens once in a client's life.
    known: Mutex<HashMap<Bytes, Record>>,
}

/// The state of one record.
struct Record {
    verifier: Verifier,
    /// The client of this boot that the record belongs to, if it has registered.
    holder: Option<ClientId>,
    /// Whether the grace period waits for the client.
    awaited: bool,
    barred: bool,
    /// Where the client may have state.
    volumes: Volumes,
}

impl Record {
    /// Whether some volume's grace period waits for the client.
    fn is_awaited(&self) -> bool {
        self.awaited && !self.volumes.is_empty()
    }

    fn encode(&self, mark: Mark) -> Vec<u8> {
        encode(self.verifier, mark, &self.volumes)
    }
}

/// A record's mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A restart waits for the client.
    Present,
    Absent,
    Barred,
}

impl Records {
    /// Loads the records of the previous boot.
    pub fn load(pool: &Pool) -> forebay_pool::Result<Records> {
        let mut known = HashMap::new();
        for (name, value) in pool.records(NAMESPACE)? {
            let Some((verifier, mark, volumes)) = decode(&value) else {
                let client = name.escape_ascii();
                tracing::warn!(%client, "unreadable client record; the client cannot reclaim");
                continue;
            };
            // Copied, because the pool's bytes may be part of a larger buffer.
            let (awaited, barred) = (mark == Mark::Present, mark == Mark::Barred);
            let record = Record { verifier, holder: None, awaited, barred, volumes };
            known.insert(Bytes::copy_from_slice(&name), record);
        }
        Ok(Records { pool: pool.clone(), known: Mutex::new(known) })
    }

    /// Updates the records for a client that was just confirmed. If it had state before the restart, it may
    /// reclaim it in the volumes that `note` learns. The record of an earlier incarnation is removed, since it can no longer
    /// be used, and so is a barred one.
    pub async fn arrive(&self, client: &Client, note: impl FnOnce(&Volumes)) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        match known.get_mut(name) {
            Some(record)
                if record.holder.is_none()
                    && !record.barred
                    && record.verifier == client.owner().verifier =>
            {
                if !record.awaited {
                    self.put(name, &record.encode(Mark::Present)).await?;
                }
                record.awaited = true;
                record.holder = Some(client.id());
                note(&record.volumes);
                client.set_recorded();
                client.set_may_reclaim();
            }
            Some(record) if record.holder.is_none() => {
                self.pool.record_delete(NAMESPACE, name).await.or_status()?;
                known.remove(name);
            }
            _ => {}
        }
        Ok(())
    }

    /// Ensures that the client has a record that names the volume, which `note` then learns, before the record can lose it again.
    pub async fn ensure(
        &self,
        client: &Client,
        volume: VolumeId,
        note: impl FnOnce(&Volumes),
    ) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        if client.is_gone() {
            return Err(Status::Expired);
        }
        let name = &client.owner().ownerid;
        let own = known.get_mut(name).filter(|record| record.holder == Some(client.id()));
        match own {
            Some(record) if record.volumes.contains(volume) => {}
            Some(record) => {
                let mut volumes = record.volumes.clone();
                volumes.add(volume);
                let mark = if record.barred { Mark::Barred } else { client.mark() };
                self.put(name, &encode(record.verifier, mark, &volumes)).await?;
                record.volumes = volumes;
            }
            None => {
                let mut volumes = Volumes::NONE;
                volumes.add(volume);
                let (verifier, holder) = (client.owner().verifier, Some(client.id()));
                let record = Record { verifier, holder, awaited: false, barred: false, volumes };
                self.put(name, &record.encode(Mark::Present)).await?;
                known.insert(name.clone(), record);
                client.set_recorded();
            }
        }
        let mut volumes = Volumes::NONE;
        volumes.add(volume);
        note(&volumes);
        Ok(())
    }

    /// Removes from the client's record the volumes that it does not need. `needed` says which it does, from
    /// then on, if that is less than it was.
    pub async fn forget_volumes(
        &self,
        client: &Client,
        needed: impl FnOnce() -> Option<Volumes>,
    ) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        if let Some(record) = known.get_mut(name)
            && record.holder == Some(client.id())
            && let Some(needed) = needed()
        {
            let volumes = record.volumes.within(&needed);
            let mark = if record.barred { Mark::Barred } else { client.mark() };
            self.put(name, &encode(record.verifier, mark, &volumes)).await?;
            record.volumes = volumes;
        }
        Ok(())
    }

    async fn put(&self, name: &[u8], value: &[u8]) -> Result<(), Status> {
        self.pool.record_put(NAMESPACE, name, value).await.or_status()
    }

    /// Marks the client as absent or present in its record. `is_absent` is evaluated under the lock, so that
    /// the latest state is written.
    pub async fn note_absence(&self, client: &Client, is_absent: impl Fn() -> bool) -> Result<(), Status> {
        let known = self.known.lock().await;
        let (owner, absent) = (client.owner(), is_absent());
        let record = known.get(&owner.ownerid).filter(|record| record.holder == Some(client.id()));
        if let Some(record) = record {
            if !record.barred {
                let mark = if absent { Mark::Absent } else { Mark::Present };
                self.put(&owner.ownerid, &record.encode(mark)).await?;
            }
            client.set_noted_absent(absent);
        }
        Ok(())
    }

    /// Removes the record of a client that is gone, if it has one.
    pub async fn remove(&self, client: &Client) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        if known.get(name).is_some_and(|record| record.holder == Some(client.id())) {
            self.pool.record_delete(NAMESPACE, name).await.or_status()?;
            known.remove(name);
        }
        Ok(())
    }

    /// Bars the client, if it has a record, and then revokes something from it; the bar cannot be lifted in
    /// between.
    pub async fn bar<T>(
        &self,
        client: &Client,
        take: impl FnOnce() -> Result<T, Status>,
    ) -> Result<T, Status> {
        let mut known = self.known.lock().await;
        if let Some(record) = known.get_mut(&client.owner().ownerid)
            && record.holder == Some(client.id())
        {
            self.write_bar(&client.owner().ownerid, record).await?;
        }
        take()
    }

    async fn write_bar(&self, name: &[u8], record: &mut Record) -> Result<(), Status> {
        self.put(name, &record.encode(Mark::Barred)).await?;
        record.barred = true;
        Ok(())
    }

    /// Called when the client has finished reclaiming or freed revoked state, which `note` records. In the
    /// first case the grace period no longer waits for the client; if both are true, the bar is lifted.
    pub async fn settle(&self, client: &Client, note: impl FnOnce()) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        note();
        let owner = client.owner();
        if let Some(record) = known.get_mut(&owner.ownerid)
            && record.holder == Some(client.id())
            && client.reclaim_is_complete()
        {
            record.awaited = false;
            if record.barred && !client.has_revoked() {
                self.put(&owner.ownerid, &record.encode(client.mark())).await?;
                record.barred = false;
            }
        }
        Ok(())
    }

    /// Releases unused memory.
    pub async fn tidy(&self) {
        shrink(&mut *self.known.lock().await);
    }

    /// Returns true if the grace period waits for no client.
    pub async fn all_back(&self) -> bool {
        !self.known.lock().await.values().any(Record::is_awaited)
    }

    /// The names of up to `names_max` clients that the grace period waits for and that have not returned, and how many there are.
    /// `None` if a record is being written.
    pub fn missing(&self, names_max: usize) -> Option<(Vec<Bytes>, usize)> {
        let known = self.known.try_lock().ok()?;
        let is_missing = |record: &Record| record.is_awaited() && record.holder.is_none();
        let mut names: Vec<Bytes> =
            known.iter().filter(|(_, record)| is_missing(record)).map(|(name, _)| name.clone()).collect();
        let count = names.len();
        names.sort_unstable();
        names.truncate(names_max);
        Some((names, count))
    }

    /// Ends the grace period of the volumes in which it waits for no client. `begin` learns for which volumes it has to go on, and returns
    /// those for which it does, if the others have still to be closed. When this returns true, no record of a client that may reclaim names
    /// any of the others.
    pub async fn narrow(&self, begin: impl FnOnce(&Volumes) -> Option<Volumes>) -> Result<bool, Status> {
        let mut known = self.known.lock().await;
        let mut awaited = Volumes::NONE;
        known.values().filter(|record| record.is_awaited()).for_each(|record| awaited.unite(&record.volumes));
        let Some(remaining) = begin(&awaited) else { return Ok(false) };
        let reclaims = |record: &Record| record.holder.is_none() || record.awaited;
        let names: Vec<Bytes> =
            known.iter().filter(|(_, record)| reclaims(record)).map(|(name, _)| name.clone()).collect();
        for name in names {
            let Some(record) = known.get_mut(&name) else { continue };
            let left = record.volumes.within(&remaining);
            if left.is_empty() && record.holder.is_none() {
                self.pool.record_delete(NAMESPACE, &name).await.or_status()?;
                known.remove(&name);
            } else if left != record.volumes {
                let mark = match record {
                    Record { barred: true, .. } => Mark::Barred,
                    Record { awaited: true, .. } => Mark::Present,
                    _ => Mark::Absent,
                };
                self.put(&name, &encode(record.verifier, mark, &left)).await?;
                record.volumes = left;
            }
        }
        Ok(true)
    }

    /// Returns true if a client with a record has not returned.
    pub async fn anyone_absent(&self) -> bool {
        self.known.lock().await.values().any(|record| record.holder.is_none())
    }

    /// Removes the records of clients that did not return, bars those that returned and have not finished,
    /// and stops waiting.
    pub async fn close(&self) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let absent: Vec<Bytes> = known
            .iter()
            .filter(|(_, record)| record.holder.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in absent {
            self.pool.record_delete(NAMESPACE, &name).await.or_status()?;
            known.remove(&name);
        }
        for (name, record) in known.iter_mut().filter(|(_, record)| record.awaited) {
            self.write_bar(name, record).await?;
            record.awaited = false;
        }
        Ok(())
    }
}

fn encode(verifier: Verifier, mark: Mark, volumes: &Volumes) -> Vec<u8> {
    let mark = match mark {
        Mark::Present => PRESENT,
        Mark::Absent => ABSENT,
        Mark::Barred => BARRED,
    };
    let mut value = [&[FORMAT], &verifier.0[..], &[mark]].concat();
    match volumes {
        Volumes::All => value.extend_from_slice(ALL_VOLUMES),
        Volumes::These(volumes) => volumes.iter().for_each(|volume| value.extend(volume.0.to_be_bytes())),
    }
    value
}

/// The incarnation's verifier, the mark, and the volumes.
fn decode(value: &[u8]) -> Option<(Verifier, Mark, Volumes)> {
    let (format, value) = value.split_first()?;
    let (verifier, value) = value.split_first_chunk()?;
    let (mark, volumes) = match (*format, value) {
        (FORMAT_WITHOUT_VOLUMES, []) => (PRESENT, Volumes::All),
        (FORMAT_WITHOUT_VOLUMES, [mark]) => (*mark, Volumes::All),
        (FORMAT, [mark, volumes @ ..]) => (*mark, decode_volumes(volumes)?),
        _ => return None,
    };
    let mark = match mark {
        PRESENT => Mark::Present,
        ABSENT => Mark::Absent,
        BARRED => Mark::Barred,
        _ => return None,
    };
    Some((Verifier(*verifier), mark, volumes))
}

fn decode_volumes(ids: &[u8]) -> Option<Volumes> {
    if ids == ALL_VOLUMES {
        return Some(Volumes::All);
    }
    let (ids, rest) = ids.as_chunks();
    let volumes = ids.iter().map(|id| VolumeId(u32::from_be_bytes(*id)));
    rest.is_empty().then(|| Volumes::These(volumes.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_went() {
        let verifier = Verifier([1, 2, 3, 4, 5, 6, 7, 8]);
        let mut some = Volumes::NONE;
        [1, 7, u32::MAX].into_iter().for_each(|volume| some.add(VolumeId(volume)));
        for mark in [Mark::Present, Mark::Absent, Mark::Barred] {
            for volumes in [Volumes::NONE, some.clone(), Volumes::All] {
                assert_eq!(decode(&encode(verifier, mark, &volumes)), Some((verifier, mark, volumes)));
            }
        }
    }

    #[test]
    fn a_record_of_the_first_format_names_all_volumes() {
        let value = [1, 0, 0, 0, 0, 0, 0, 0, 9, 1];
        let verifier = Verifier([0, 0, 0, 0, 0, 0, 0, 9]);
        assert_eq!(decode(&value[..9]), Some((verifier, Mark::Present, Volumes::All)));
        assert_eq!(decode(&value), Some((verifier, Mark::Absent, Volumes::All)));
    }

    #[test]
    fn other_formats_and_lengths_are_unreadable() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[FORMAT, 1, 2]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 3]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), None);
        for format in [0, FORMAT + 1] {
            assert_eq!(decode(&[format, 0, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        }
        assert_eq!(decode(&[FORMAT_WITHOUT_VOLUMES, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), None);
    }
}
