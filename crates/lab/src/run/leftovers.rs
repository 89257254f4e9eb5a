//! Removes what runs create besides their results: folders, and topics on clusters that the lab did not start.

use std::path::Path;

use anyhow::Result;

use crate::host::{self, RunFolders};
use crate::request::ExternalCluster;

/// Removes the run's topics first and then its folders, because a file in them says where the topics are.
pub fn remove(folders: &RunFolders) -> Result<()> {
    folders.external().map_or(Ok(()), ExternalCluster::remove_topics)?;
    folders.remove()
}

/// Cleans up after runs that were killed, and prints their names.
pub fn sweep(cache: &Path) {
    for run in host::abandoned(cache) {
        match remove(&run.folders) {
            Ok(()) => eprintln!("forebay lab: removed what a killed run left behind: {}", run.name),
            Err(error) => {
                eprintln!(
                    "forebay lab: what the killed run {} left behind cannot be removed yet: {error:#}; if it can never be removed, for example topics on \
                     a cluster that no longer exists, remove {} to end this message",
                    run.name,
                    run.noted_in.display()
                );
            }
        }
    }
}
