//! The copies of the metadata.

use super::*;
use crate::opening::promote;

impl Pool {
    /// How many good copies the metadata has.
    pub fn metadata_copies(&self) -> Result<MetadataCopies> {
        Ok(self.engine()?.stores.meta.copies())
    }
    /// Says what [`Pool::promote`] would find in `directory`, and changes nothing.
    pub async fn assess_copy(directory: &Path, options: PoolOptions) -> Result<CopyAssessment> {
        let directory = directory.to_path_buf();
        sync::blocking(move || promote::assess(&directory, &options)).await
    }
    /// Makes the second copy in `directory` a pool of its own, for when the first copy is lost. Without `accept`, refuses to if the copy
    /// is known to lack something. No daemon may use the directory.
    pub async fn promote(directory: &Path, options: PoolOptions, accept: bool) -> Result<CopyAssessment> {
        let directory = directory.to_path_buf();
        sync::blocking(move || promote::promote(&directory, &options, accept)).await
    }
}
