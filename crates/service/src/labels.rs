//! Labels of volumes: an owner, a cost centre, and whatever else operators want to say of a volume.
//!
//! They are records of the pool under the volume's id, which is never used again. So they follow a volume that is renamed, and come back
//! with a deleted one that is recovered. Those of volumes that are gone are removed with the next change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock};

use forebay_pool::{Pool, VolumeId};
use tokio::sync::Mutex;

use crate::error::{Error, Result};

/// The labels of a volume, by key.
pub type VolumeLabels = BTreeMap<String, String>;

/// The namespace of the records. Keys are ids, four bytes, big-endian.
const NAMESPACE: &str = "volume-labels";

/// See the module.
pub struct Labels {
    pool: Pool,
    known: RwLock<BTreeMap<VolumeId, VolumeLabels>>,
    /// Held while labels change.
    changing: Mutex<()>,
}

impl Labels {
    /// Reads the labels of a pool. Fails if some cannot be read.
    pub(crate) fn load(pool: Pool) -> Result<Labels> {
        let mut known = BTreeMap::new();
        for (key, value) in pool.records(NAMESPACE)? {
            let unreadable =
                |cause: String| Error::Unreadable { what: "labels", key: format!("{key:02x?}"), cause };
            let id = key.as_ref().try_into().map_err(|_| unreadable("the key is no id".to_owned()))?;
            let labels = serde_json::from_slice(&value).map_err(|error| unreadable(error.to_string()))?;
            known.insert(VolumeId(u32::from_be_bytes(id)), labels);
        }
        Ok(Labels { pool, known: RwLock::new(known), changing: Mutex::default() })
    }

    /// The labels of a volume.
    pub fn of(&self, volume: VolumeId) -> VolumeLabels {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&volume).cloned().unwrap_or_default()
    }

    /// Replaces the labels of a volume, durably.
    pub async fn set(&self, volume: VolumeId, labels: VolumeLabels) -> Result<()> {
        let _guard = self.changing.lock().await;
        self.forget_gone().await?;
        if labels == self.of(volume) {
            return Ok(());
        }
        let key = volume.0.to_be_bytes();
        if labels.is_empty() {
            self.pool.record_delete(NAMESPACE, &key).await?;
        } else {
            let value = serde_json::to_vec(&labels).map_err(|error| Error::Unreadable {
                what: "labels",
                key: volume.0.to_string(),
                cause: error.to_string(),
            })?;
            self.pool.record_put(NAMESPACE, &key, &value).await?;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(volume, labels);
        Ok(())
    }

    /// Removes the labels of volumes that are neither there nor can be recovered.
    async fn forget_gone(&self) -> Result<()> {
        let there: BTreeSet<VolumeId> = (self.pool.volumes()?.iter().map(|volume| volume.id))
            .chain(self.pool.deleted_volumes()?.iter().map(|volume| volume.id))
            .collect();
        let ids: Vec<VolumeId> =
            self.known.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        for gone in ids.into_iter().filter(|id| !there.contains(id)) {
            self.pool.record_delete(NAMESPACE, &gone.0.to_be_bytes()).await?;
            self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&gone);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use forebay_pool::{PoolOptions, VolumeChange, VolumeSpec};

    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> VolumeLabels {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[tokio::test]
    async fn labels_follow_their_volume_and_survive_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
        let known = Labels::load(pool.clone()).unwrap();
        let first = pool.volume_create(VolumeSpec::new("a", "/a")).await.unwrap();
        let second = pool.volume_create(VolumeSpec::new("b", "/b")).await.unwrap();
        let wanted = labels(&[("owner", "team-a"), ("cost-centre", "4711")]);
        known.set(first.id, wanted.clone()).await.unwrap();
        known.set(second.id, labels(&[("owner", "team-b")])).await.unwrap();
        let renamed = VolumeChange { name: Some("c".to_owned()), ..VolumeChange::default() };
        pool.volume_modify("a", renamed).await.unwrap();
        assert_eq!(known.of(first.id), wanted);
        pool.volume_delete("b", false).await.unwrap();
        pool.close().await.unwrap();
        drop((known, pool));

        let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
        let known = Labels::load(pool.clone()).unwrap();
        assert_eq!(known.of(first.id), wanted);
        known.set(first.id, VolumeLabels::new()).await.unwrap();
        assert_eq!(known.of(first.id), VolumeLabels::new());
        assert_eq!(pool.records(NAMESPACE).unwrap(), [], "those of a volume that is gone are removed");
        pool.close().await.unwrap();
    }
}
