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
//! value    format, 1 byte, 1; the incarnation's verifier, 8 bytes; then, if absent, 1,
//!          or if barred, 2
//! ```
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
use forebay_pool::Pool;
use tokio::sync::Mutex;

use super::client::Client;
use crate::memory::shrink;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, Verifier};

const NAMESPACE: &str = "nfs-client";
const FORMAT: u8 = 1;
const ABSENT: u8 = 1;
const BARRED: u8 = 2;

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
}

/// A record's mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
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
            let Some((verifier, mark)) = decode(&value) else {
                let client = name.escape_ascii();
                tracing::warn!(%client, "unreadable client record; the client cannot reclaim");
                continue;
            };
            // Copied, because the pool's bytes may be part of a larger buffer.
            let (awaited, barred) = (mark == Mark::Present, mark == Mark::Barred);
            let record = Record { verifier, holder: None, awaited, barred };
            known.insert(Bytes::copy_from_slice(&name), record);
        }
        Ok(Records { pool: pool.clone(), known: Mutex::new(known) })
    }

    /// Updates the records for a client that was just confirmed. If it had state before the restart, it may
    /// reclaim it. The record of an earlier incarnation is removed, since it can no longer be used, and so is
    /// a barred one.
    pub async fn arrive(&self, client: &Client) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        match known.get_mut(name) {
            Some(record)
                if record.holder.is_none()
                    && !record.barred
                    && record.verifier == client.owner().verifier =>
            {
                if !record.awaited {
                    self.pool
                        .record_put(NAMESPACE, name, &encode(record.verifier, Mark::Present))
                        .await
                        .or_status()?;
                }
                record.awaited = true;
                record.holder = Some(client.id());
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

    /// Ensures that the client has a record. Cheap after the first call.
    pub async fn ensure(&self, client: &Client) -> Result<(), Status> {
        if client.is_recorded() {
            return Ok(());
        }
        let mut known = self.known.lock().await;
        if client.is_gone() {
            return Err(Status::Expired);
        }
        if client.is_recorded() {
            return Ok(());
        }
        let verifier = client.owner().verifier;
        let name = &client.owner().ownerid;
        self.pool.record_put(NAMESPACE, name, &encode(verifier, Mark::Present)).await.or_status()?;
        let holder = Some(client.id());
        known.insert(name.clone(), Record { verifier, holder, awaited: false, barred: false });
        client.set_recorded();
        Ok(())
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
                self.pool
                    .record_put(NAMESPACE, &owner.ownerid, &encode(owner.verifier, mark))
                    .await
                    .or_status()?;
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
        self.pool.record_put(NAMESPACE, name, &encode(record.verifier, Mark::Barred)).await.or_status()?;
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
                let mark = if client.is_noted_absent() { Mark::Absent } else { Mark::Present };
                self.pool
                    .record_put(NAMESPACE, &owner.ownerid, &encode(owner.verifier, mark))
                    .await
                    .or_status()?;
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
        !self.known.lock().await.values().any(|record| record.awaited)
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

fn encode(verifier: Verifier, mark: Mark) -> Vec<u8> {
    let mark: &[u8] = match mark {
        Mark::Present => &[],
        Mark::Absent => &[ABSENT],
        Mark::Barred => &[BARRED],
    };
    [&[FORMAT], &verifier.0[..], mark].concat()
}

/// The incarnation's verifier and the mark.
fn decode(value: &[u8]) -> Option<(Verifier, Mark)> {
    let (&FORMAT, value) = value.split_first()? else { return None };
    let (verifier, mark) = value.split_first_chunk()?;
    let mark = match mark {
        [] => Mark::Present,
        [ABSENT] => Mark::Absent,
        [BARRED] => Mark::Barred,
        _ => return None,
    };
    Some((Verifier(*verifier), mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_went() {
        let verifier = Verifier([1, 2, 3, 4, 5, 6, 7, 8]);
        for mark in [Mark::Present, Mark::Absent, Mark::Barred] {
            assert_eq!(decode(&encode(verifier, mark)), Some((verifier, mark)));
        }
    }

    #[test]
    fn other_formats_and_lengths_are_unreadable() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[FORMAT, 1, 2]), None);
        assert_eq!(decode(&[FORMAT + 1, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 3]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), None);
    }
}
