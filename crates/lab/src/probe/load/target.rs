//! The server under load, and the files on it.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::{Client, ClientOptions, Error, FileHandle, OpenFile};
use tokio::task::JoinSet;

/// The server, and the folder to work in.
pub struct Target {
    pub server: SocketAddr,
    pub path: String,
    pub folder: String,
    pub connections: usize,
    pub server_pid: Option<u32>,
    pub seed: u64,
}

impl Target {
    /// Creates a client with its own session, independent of other clients.
    pub async fn client(&self, number: usize) -> Result<Arc<Client>> {
        let owner = format!("forebay load {} of {}", number, std::process::id());
        let options = ClientOptions::new(&owner).connections(self.connections);
        let client = Client::mount(self.server, options).await;
        Ok(Arc::new(client.with_context(|| format!("mount {} as client {number}", self.server))?))
    }

    /// Returns the folder for the files. Creates it if it does not exist.
    pub async fn folder(&self, client: &Client) -> Result<FileHandle> {
        let files = client.files();
        let root = files.resolve(&self.path).await.with_context(|| format!("find {}", self.path))?;
        match files.lookup(&root, &self.folder).await {
            Err(Error::Status { status: Status::NoEnt, .. }) => {}
            found => return found.with_context(|| format!("find folder {}", self.folder)),
        }
        files.mkdir(&root, &self.folder).await.with_context(|| format!("make folder {}", self.folder))
    }
}

/// Creates an empty file with this name.
pub async fn create(client: &Client, folder: &FileHandle, name: &str) -> Result<OpenFile> {
    let files = client.files();
    match files.remove(folder, name).await {
        Ok(()) | Err(Error::Status { status: Status::NoEnt, .. }) => {}
        Err(error) => return Err(error).with_context(|| format!("remove {name}")),
    }
    files.create(folder, name).await.with_context(|| format!("create {name}"))
}

/// Closes the file and removes it.
pub async fn remove(client: &Client, folder: &FileHandle, file: &OpenFile, name: &str) -> Result<()> {
    client.files().close(file).await.with_context(|| format!("close {name}"))?;
    client.files().remove(folder, name).await.with_context(|| format!("remove {name}"))
}

/// Ends the session cleanly.
pub async fn leave(client: Arc<Client>) -> Result<()> {
    let client = Arc::into_inner(client).context("a stream still uses the session")?;
    client.unmount().await.context("end the session")
}

/// Waits for all streams. The first error ends the others.
pub async fn all(mut work: JoinSet<Result<()>>) -> Result<()> {
    while let Some(done) = work.join_next().await {
        done.context("a stream panicked")??;
    }
    Ok(())
}
