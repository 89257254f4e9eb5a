//! The durable records of clients with state: who may reclaim after a restart (RFC 8881 §8.4.2.1).
//!
//! A client's record is written before the first OPEN that gives it state is answered, and removed before
//! anyone else can get what the client loses. So a record means: nobody has been given anything that
//! conflicts with what this incarnation of the client had. A client that restarts, or stays away past the
//! grace period, loses its record, and with it the right to reclaim (the edge conditions of §8.4.3).
//!
//! ```text
//! key      the client's name (co_ownerid), as it is
//! value    format, 1 byte, 1; the incarnation's verifier, 8 bytes; 1 byte more, 1, if the client is absent
//! ```
//!
//! An *absent* client has been silent for long. A restart does not wait for it: nobody shall wait a whole grace period
//! for a machine that was switched off hours ago. It may reclaim as long as others are waited for.

use std::collections::HashMap;

use bytes::Bytes;
use forebay_pool::Pool;
use tokio::sync::Mutex;

use super::client::Client;
use crate::xdr::Status;
use crate::xdr::nfs4::{ClientId, Verifier};

const NAMESPACE: &str = "nfs-client";
const FORMAT: u8 = 1;
const ABSENT: u8 = 1;

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
}

impl Records {
    /// Reads the records that the last boot left.
    pub fn load(pool: &Pool) -> forebay_pool::Result<Records> {
        let mut known = HashMap::new();
        for (name, value) in pool.records(NAMESPACE)? {
            let Some((verifier, absent)) = decode(&value) else {
                let client = name.escape_ascii();
                tracing::warn!(%client, "unreadable client record; the client cannot reclaim");
                continue;
            };
            // Copied, because the pool's bytes may be part of something larger.
            let record = Record { verifier, holder: None, awaited: !absent };
            known.insert(Bytes::copy_from_slice(&name), record);
        }
        Ok(Records { pool: pool.clone(), known: Mutex::new(known) })
    }

    /// Takes note of a client that was just confirmed: one that had state before the restart may reclaim it;
    /// an earlier incarnation's record goes, as nobody can use it any more.
    pub async fn arrive(&self, client: &Client) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        match known.get_mut(name) {
            Some(record) if record.holder.is_none() && record.verifier == client.owner().verifier => {
                if !record.awaited {
                    self.pool.record_put(NAMESPACE, name, &encode(record.verifier, false)).await?;
                }
                record.awaited = true;
                record.holder = Some(client.id());
                client.set_recorded();
                client.set_may_reclaim();
            }
            Some(record) if record.holder.is_none() => {
                self.pool.record_delete(NAMESPACE, name).await?;
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
        self.pool.record_put(NAMESPACE, name, &encode(verifier, false)).await?;
        known.insert(name.clone(), Record { verifier, holder: Some(client.id()), awaited: false });
        client.set_recorded();
        Ok(())
    }

    /// Writes into the client's record whether it is absent; asked under the lock, so that the last word is right.
    pub async fn note_absence(&self, client: &Client, is_absent: impl Fn() -> bool) -> Result<(), Status> {
        let known = self.known.lock().await;
        let (owner, absent) = (client.owner(), is_absent());
        if known.get(&owner.ownerid).is_some_and(|record| record.holder == Some(client.id())) {
            self.pool.record_put(NAMESPACE, &owner.ownerid, &encode(owner.verifier, absent)).await?;
            client.set_noted_absent(absent);
        }
        Ok(())
    }

    /// Removes the record of a client that is gone, if it has one.
    pub async fn remove(&self, client: &Client) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let name = &client.owner().ownerid;
        if known.get(name).is_some_and(|record| record.holder == Some(client.id())) {
            self.pool.record_delete(NAMESPACE, name).await?;
            known.remove(name);
        }
        Ok(())
    }

    /// The grace period need not wait for the client any longer.
    pub async fn complete(&self, client: &Client) {
        let mut known = self.known.lock().await;
        if let Some(record) = known.get_mut(&client.owner().ownerid)
            && record.holder == Some(client.id())
        {
            record.awaited = false;
        }
    }

    /// True if the grace period has nobody to wait for.
    pub async fn all_back(&self) -> bool {
        !self.known.lock().await.values().any(|record| record.awaited)
    }

    /// True if there is a client with a record that has not come back.
    pub async fn anyone_absent(&self) -> bool {
        self.known.lock().await.values().any(|record| record.holder.is_none())
    }

    /// Removes the records of the clients that did not come back, and stops waiting for anyone.
    pub async fn remove_absent(&self) -> Result<(), Status> {
        let mut known = self.known.lock().await;
        let absent: Vec<Bytes> = known
            .iter()
            .filter(|(_, record)| record.holder.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in absent {
            self.pool.record_delete(NAMESPACE, &name).await?;
            known.remove(&name);
        }
        known.values_mut().for_each(|record| record.awaited = false);
        Ok(())
    }
}

fn encode(verifier: Verifier, absent: bool) -> Vec<u8> {
    let mark: &[u8] = if absent { &[ABSENT] } else { &[] };
    [&[FORMAT], &verifier.0[..], mark].concat()
}

/// The incarnation's verifier, and whether the client is absent.
fn decode(value: &[u8]) -> Option<(Verifier, bool)> {
    let (&FORMAT, value) = value.split_first()? else { return None };
    let (verifier, mark) = value.split_first_chunk()?;
    let absent = match mark {
        [] => false,
        [ABSENT] => true,
        _ => return None,
    };
    Some((Verifier(*verifier), absent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_went() {
        let verifier = Verifier([1, 2, 3, 4, 5, 6, 7, 8]);
        for absent in [false, true] {
            assert_eq!(decode(&encode(verifier, absent)), Some((verifier, absent)));
        }
    }

    #[test]
    fn other_formats_and_lengths_are_unreadable() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[FORMAT, 1, 2]), None);
        assert_eq!(decode(&[FORMAT + 1, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 2]), None);
        assert_eq!(decode(&[FORMAT, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), None);
    }
}
