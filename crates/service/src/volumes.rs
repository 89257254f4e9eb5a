//! The life cycle of volumes, the same for every protocol: create, clone, change, rename, roll back, delete, recover.
//!
//! A protocol may keep settings about a volume under the volume's name, such as an NFS export policy. They must be in force from the
//! volume's first moment, and must not outlive it: otherwise a restricted volume would be open to everyone for a moment, or a new
//! volume would inherit the settings of a deleted one. [`ProtocolSettings`] is the hook for that. Each step is reported as an event.

use std::future::Future;
use std::sync::Arc;

use forebay_pool::{
    CloneSpec, DeletedVolume, Deletion, Error, Object, Pool, Recovery, Volume, VolumeChange, VolumeSpec,
};

use crate::events::{Events, Kind, Who};

/// The settings that a protocol keeps about a volume, by the volume's name.
pub trait ProtocolSettings: Sync {
    /// Why the settings cannot be stored.
    type Error: From<Error> + Send;
    /// Held while a volume and its settings change together.
    type Guard: Send;

    /// Keeps others from changing settings until the guard is dropped.
    fn lock(&self) -> impl Future<Output = Self::Guard> + Send;

    /// Stores the settings of a volume that does not exist yet, durably.
    fn store(&self, volume: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Removes the settings of a volume that does not exist any more, or never did.
    fn remove(&self, volume: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The settings of a volume as they are kept while it is deleted and can be recovered.
    fn kept(&self, _volume: &str) -> Vec<u8> {
        Vec::new()
    }

    /// The settings in words for the event, such as `export policy default`.
    fn describe(&self) -> Option<String>;
}

/// For a daemon without a protocol that keeps settings.
impl ProtocolSettings for () {
    type Error = Error;
    type Guard = ();

    async fn lock(&self) {}

    async fn store(&self, _volume: &str) -> Result<(), Error> {
        Ok(())
    }

    async fn remove(&self, _volume: &str) -> Result<(), Error> {
        Ok(())
    }

    fn describe(&self) -> Option<String> {
        None
    }
}

/// How the operator wants a volume to be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteHow {
    /// Even if it has files or snapshots.
    pub force: bool,
    /// So that it cannot be recovered.
    pub now: bool,
    /// Keep the snapshot that was taken for it, if it is a clone.
    pub keep_snapshot: bool,
}

/// See the module.
pub struct Volumes {
    pool: Pool,
    events: Arc<Events>,
}

impl Volumes {
    pub(crate) fn new(pool: Pool, events: Arc<Events>) -> Volumes {
        Volumes { pool, events }
    }

    /// Creates a volume.
    pub async fn create<S: ProtocolSettings>(
        &self,
        spec: VolumeSpec,
        settings: &S,
        who: Who,
    ) -> Result<Volume, S::Error> {
        let name = spec.name.clone();
        let volume = self.with_settings(&name, settings, self.pool.volume_create(spec)).await?;
        let settings = settings.describe().map(|settings| format!(", {settings}")).unwrap_or_default();
        let message = format!("created at {}{settings}", volume.spec.junction_path);
        self.note(Kind::VolumeCreated, &name, message, who);
        Ok(volume)
    }

    /// Creates a volume that begins as a snapshot of another; without a snapshot's name, as the other volume is now. For that a
    /// snapshot `clone-NAME` is taken, which is deleted with the clone.
    pub async fn clone<S: ProtocolSettings>(
        &self,
        volume: &str,
        snapshot: Option<&str>,
        spec: CloneSpec,
        settings: &S,
        who: Who,
    ) -> Result<Volume, S::Error> {
        let name = spec.name.clone();
        let taken = snapshot.map_or_else(|| format!("clone-{name}"), str::to_owned);
        let make = async {
            match snapshot {
                Some(_) => self.pool.volume_clone(volume, &taken, spec).await,
                None => self.pool.volume_clone_now(volume, &taken, spec).await,
            }
        };
        let clone = self.with_settings(&name, settings, make).await?;
        let message = format!("created as a clone of {volume}@{taken}, at {}", clone.spec.junction_path);
        self.note(Kind::VolumeCreated, &name, message, who);
        Ok(clone)
    }

    /// Creates a volume of that name by `make`, with its settings stored before.
    async fn with_settings<S: ProtocolSettings>(
        &self,
        name: &str,
        settings: &S,
        make: impl Future<Output = forebay_pool::Result<Volume>> + Send,
    ) -> Result<Volume, S::Error> {
        let _guard = settings.lock().await;
        self.with_settings_locked(name, settings, make).await
    }

    async fn with_settings_locked<S: ProtocolSettings>(
        &self,
        name: &str,
        settings: &S,
        make: impl Future<Output = forebay_pool::Result<Volume>> + Send,
    ) -> Result<Volume, S::Error> {
        if self.pool.volume(name).is_ok() {
            return Err(Error::Exists(Object::Volume(name.to_owned())).into());
        }
        settings.store(name).await?;
        match make.await {
            Ok(volume) => Ok(volume),
            Err(error) => {
                settings.remove(name).await?;
                Err(error.into())
            }
        }
    }

    /// Changes a volume: all of `change`, or nothing.
    pub async fn change(&self, name: &str, change: VolumeChange) -> forebay_pool::Result<Volume> {
        if change == VolumeChange::default() {
            return self.pool.volume(name);
        }
        self.pool.volume_modify(name, change).await
    }

    /// Changes a volume's name, and whatever else `change` says. `settings` are the volume's.
    pub async fn rename<S: ProtocolSettings>(
        &self,
        name: &str,
        new: &str,
        change: VolumeChange,
        settings: &S,
    ) -> Result<Volume, S::Error> {
        let change = VolumeChange { name: Some(new.to_owned()), ..change };
        let guard = settings.lock().await;
        let renamed = self.with_settings_locked(new, settings, self.pool.volume_modify(name, change)).await?;
        settings.remove(name).await?;
        drop(guard);
        Ok(renamed)
    }

    /// Makes a volume what its snapshot shows. With `force` younger snapshots are deleted.
    pub async fn roll_back(
        &self,
        name: &str,
        snapshot: &str,
        force: bool,
        who: Who,
    ) -> forebay_pool::Result<()> {
        self.pool.volume_rollback(name, snapshot, force).await?;
        let younger = if force { ", newer snapshots deleted" } else { "" };
        self.note(Kind::VolumeRolledBack, name, format!("rolled back to {snapshot}{younger}"), who);
        Ok(())
    }

    /// Deletes a volume, and then its settings. Returns it if it can be recovered; its settings are kept with it.
    pub async fn delete<S: ProtocolSettings>(
        &self,
        name: &str,
        how: DeleteHow,
        settings: &S,
        who: Who,
    ) -> Result<Option<DeletedVolume>, S::Error> {
        let DeleteHow { force, now, keep_snapshot } = how;
        let guard = settings.lock().await;
        let recoverable = Some(self.pool.recoverable()).filter(|_| !now);
        let deletion = Deletion { force, keep_snapshot, recoverable, note: settings.kept(name).into() };
        let deleted = self.pool.volume_delete_as(name, deletion).await?;
        settings.remove(name).await?;
        drop(guard);
        let message = match (&deleted, force) {
            (Some(_), _) => {
                format!("deleted; can be recovered for {} hours", self.pool.recoverable().as_secs() / 3600)
            }
            (None, true) => "deleted with all data".to_owned(),
            (None, false) => "deleted".to_owned(),
        };
        self.note(Kind::VolumeDeleted, name, message, who);
        Ok(deleted)
    }

    /// Brings a deleted volume back, with `settings`.
    pub async fn recover<S: ProtocolSettings>(
        &self,
        deleted: &DeletedVolume,
        recovery: Recovery,
        settings: &S,
        who: Who,
    ) -> Result<Volume, S::Error> {
        let name = recovery.name.clone().unwrap_or_else(|| deleted.spec.name.clone());
        let recovered = self.pool.volume_recover(deleted.id, recovery);
        let volume = self.with_settings(&name, settings, recovered).await?;
        let as_before = if name == deleted.spec.name {
            String::new()
        } else {
            format!(", before its deletion {}", deleted.spec.name)
        };
        let settings = settings.describe().map(|settings| format!(", {settings}")).unwrap_or_default();
        let message = format!("recovered at {}{as_before}{settings}", volume.spec.junction_path);
        self.note(Kind::VolumeRecovered, &name, message, who);
        Ok(volume)
    }

    /// Purges a deleted volume, which cannot be recovered any more.
    pub async fn purge(&self, deleted: &DeletedVolume, who: Who) -> forebay_pool::Result<()> {
        self.pool.volume_purge(deleted.id).await?;
        self.note(Kind::VolumePurged, &deleted.spec.name, "purged; its space is freed", who);
        Ok(())
    }

    fn note(&self, kind: Kind, volume: &str, message: impl Into<String>, who: Who) {
        self.events.note(kind, format!("volume {volume}"), message, who);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use forebay_pool::PoolOptions;
    use tokio::sync::{Mutex, OwnedMutexGuard};

    use super::*;

    /// Settings of a protocol that only tests have.
    struct Labels {
        stored: std::sync::Mutex<BTreeMap<String, &'static str>>,
        changing: Arc<Mutex<()>>,
    }

    impl ProtocolSettings for Labels {
        type Error = Error;
        type Guard = OwnedMutexGuard<()>;

        async fn lock(&self) -> OwnedMutexGuard<()> {
            self.changing.clone().lock_owned().await
        }

        async fn store(&self, volume: &str) -> Result<(), Error> {
            self.stored.lock().unwrap().insert(volume.to_owned(), "label");
            Ok(())
        }

        async fn remove(&self, volume: &str) -> Result<(), Error> {
            self.stored.lock().unwrap().remove(volume);
            Ok(())
        }

        fn kept(&self, volume: &str) -> Vec<u8> {
            self.stored.lock().unwrap().get(volume).map_or_else(Vec::new, |label| label.as_bytes().to_vec())
        }

        fn describe(&self) -> Option<String> {
            Some("labelled".to_owned())
        }
    }

    #[tokio::test]
    async fn settings_come_and_go_with_the_volume_and_are_not_left_by_one_that_is_refused() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let events = Arc::new(Events::new(0));
        let volumes = Volumes::new(pool.clone(), events.clone());
        let labels = Labels { stored: std::sync::Mutex::default(), changing: Arc::default() };
        let names = || labels.stored.lock().unwrap().keys().cloned().collect::<Vec<_>>();

        volumes.create(VolumeSpec::new("a", "/a"), &labels, Who::default()).await.unwrap();
        let refused = volumes.create(VolumeSpec::new("b", "/a"), &labels, Who::default()).await;
        assert!(matches!(refused, Err(Error::Exists(Object::JunctionPath { .. }))), "{refused:?}");
        let again = volumes.create(VolumeSpec::new("a", "/c"), &labels, Who::default()).await;
        assert!(matches!(again, Err(Error::Exists(_))), "{again:?}");
        assert_eq!(names(), ["a"]);

        let spec = CloneSpec { name: "c".into(), junction_path: "/c".into() };
        volumes.clone("a", None, spec, &labels, Who::default()).await.unwrap();
        assert_eq!(names(), ["a", "c"]);
        let clone_snapshot = || pool.snapshots(None).unwrap().len();
        assert_eq!(clone_snapshot(), 1);
        let deleted =
            volumes.delete("c", DeleteHow::default(), &labels, Who::default()).await.unwrap().unwrap();
        assert_eq!((names(), &deleted.note[..]), (vec!["a".to_owned()], &b"label"[..]));
        let recovery = Recovery { name: Some("d".into()), ..Recovery::default() };
        volumes.recover(&deleted, recovery, &labels, Who::default()).await.unwrap();
        assert_eq!(names(), ["a", "d"]);
        let change = VolumeChange::default();
        assert!(volumes.rename("d", "a", change.clone(), &labels).await.is_err(), "the name is taken");
        let renamed = volumes.rename("d", "e", change, &labels).await.unwrap();
        assert_eq!((&renamed.spec.name[..], &renamed.spec.junction_path[..]), ("e", "/e"));
        assert_eq!(names(), ["a", "e"]);
        volumes
            .delete("e", DeleteHow { now: true, ..DeleteHow::default() }, &labels, Who::default())
            .await
            .unwrap();
        assert_eq!((names(), clone_snapshot()), (vec!["a".to_owned()], 0));
        assert!(pool.deleted_volumes().unwrap().is_empty());
        pool.close().await.unwrap();
    }
}
