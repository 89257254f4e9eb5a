//! Backups.

use super::*;

impl Pool {
    /// Adds a backup to `directory`, while the pool serves. It has everything that was accepted before, and shows one instant. Fails with
    /// [`Error::Unusable`] if the directory is neither empty nor one with backups of this pool.
    pub async fn backup(
        &self,
        directory: &Path,
        options: BackupOptions,
        watch: Arc<BackupWatch>,
    ) -> Result<BackupReport> {
        self.engine()?.backup(directory, options, watch).await
    }
    /// The backups in `directory`.
    pub async fn backups(directory: &Path) -> Result<BackupList> {
        let directory = directory.to_path_buf();
        sync::blocking(move || backup::list(&directory)).await
    }
    /// Reads everything that a backup has, and compares it with its checksums; without a name, the newest one.
    pub async fn verify_backup(
        directory: &Path,
        name: Option<String>,
        watch: Arc<BackupWatch>,
    ) -> Result<VerifyReport> {
        let directory = directory.to_path_buf();
        sync::blocking(move || backup::verify(&directory, name.as_deref(), &watch)).await
    }
    /// Makes a pool in `target`, which must be empty, of a backup; without a name, of the newest one. Repeat an interrupted restore with the
    /// same arguments.
    pub async fn restore(
        directory: &Path,
        name: Option<String>,
        target: &Path,
        watch: Arc<BackupWatch>,
    ) -> Result<VerifyReport> {
        backup::restore(directory, name, target, watch).await
    }
}
