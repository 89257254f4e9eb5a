//! Removes what runs made outside their results: folders, and topics on clusters that the lab did not start.

use std::path::Path;

use anyhow::Result;

use crate::host::{self, RunFolders};
use crate::request::ExternalCluster;

/// Removes the run's topics, and then its folders, which say where the topics are.
pub fn remove(folders: &RunFolders) -> Result<()> {
    folders.external().map_or(Ok(()), ExternalCluster::remove_topics)?;
    folders.remove()
}

/// Says which abandoned runs were cleaned up, if any.
pub fn sweep(cache: &Path) {
    for run in host::abandoned(cache) {
        match remove(&run.folders) {
            Ok(()) => eprintln!("forebay lab: removed what a killed run left behind: {}", run.name),
            Err(error) => {
                eprintln!(
                    "forebay lab: what the killed run {} left behind stays for now: {error:#}; if it never can be removed, such as the topics of a \
                     cluster that is gone, remove {} to hear no more of it",
                    run.name,
                    run.noted_in.display()
                );
            }
        }
    }
}
