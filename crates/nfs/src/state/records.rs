//! The durable records of clients with state: who may reclaim after a restart (RFC 8881 §8.4.2.1).
//!
//! A client's record is written before the first OPEN that gives it state is answered, and removed before
//! anyone else can get what the client loses. So a record means: nobody has been given anything that
//! conflicts with what this incarnation of the client had. A client that restarts, or stays away past the
//! grace period, loses its record, and with it the right to reclaim (the edge conditions of §8.4.3).
//!
//! ```text
//! key      the client's name (co_ownerid), as it is
//! value    format, 1 byte, 1; the incarnation's verifier, 8 bytes; 1 byte more if the client is absent, 1, or barred, 2
//! ```
//!
//! An *absent* client has been silent for long. A restart does not wait for it: nobody shall wait a whole grace period
//! for a machine that was switched off hours ago. It may reclaim as long as others are waited for.
//!
//! A *barred* client believes to have more than it has: the grace period ended before it had reclaimed everything, or an operator revoked
//! something. Others may have that now, so after a restart it could not reclaim anything. What it has is in order again
//! once it has said that it reclaims nothing more (RECLAIM_COMPLETE), and has freed what was revoked (FREE_STATEID).

use crate::fs::OrStatus;
use std::collections::HashMap;

use bytes::Bytes;
use forebay_pool::Pool;
use tokio::sync::Mutex;

use super::client::Client;
use crate::memory::shrink;
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
    /// that is once in a client's life.
    known: Mutex<HashMap<Bytes, Record>>,
}

/// What is known of one record.
struct Record {
    verifier: Verifier,
    /// The client of this boot that it belongs to, if that came (back).
    holder: Option<ClientId>,
    /// True if the grace period waits for it.
    awaited: bool,
    barred: bool,
}

/// What a record says besides who its client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// A restart waits for the client.
    Present,
    Absent,
    Barred,
}

impl Records {
    /// Reads the records that the last boot left.
    pub fn load(pool: &Pool) -> forebay_pool::Result<Records> {
        let mut known = HashMap::new();
        for (name, value) in pool.records(NAMESPACE)? {
            let Some((verifier, mark)) = decode(&value) else {
                let client = name.escape_ascii();
                tracing::warn!(%client, "unreadable client record; the client cannot reclaim");
                continue;
            };
            // Copied, because the pool's bytes may be part of something larger.
            let (awaited, barred) = (mark == Mark::Present, mark == Mark::Barred);
            let record = Record { verifier, holder: None, awaited, barred };
            known.insert(Bytes::copy_from_slice(&name), record);
        }
        Ok(Records { pool: pool.clone(), known: Mutex::new(known) })
    }

    /// Takes note of a client that was just confirmed: one that had state before the restart may reclaim it;
    /// an earlier incarnation's record goes, as nobody can use it any more, and so does a barred one.
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

    /// Makes sure that the client has a record. Free after the first time.
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

    /// Writes into the client's record whether it is absent; asked under the lock, so that the last word is right.
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

    /// Bars the client, if it has a record, and then takes something from it: nothing lifts the bar in between.
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

    /// The client has said that it reclaims nothing more, or freed what was revoked, of which `note` takes note: the grace period need not
    /// wait for it any longer if it has done the first, and nothing bars it if it has done both.
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

    /// Gives back the memory of what there was.
    pub async fn tidy(&self) {
        shrink(&mut *self.known.lock().await);
    }

    /// True if the grace period has nobody to wait for.
    pub async fn all_back(&self) -> bool {
        !self.known.lock().await.values().any(|record| record.awaited)
    }

    /// True if there is a client with a record that has not come back.
    pub async fn anyone_absent(&self) -> bool {
        self.known.lock().await.values().any(|record| record.holder.is_none())
    }

    /// Removes the records of the clients that did not come back, bars those that came back and are not done, and stops waiting for anyone.
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

/// The incarnation's verifier, and what else is known of the client.
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
