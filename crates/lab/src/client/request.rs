//! The request for a guest, and the sockets between its worker and its supervisor.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::mount::MountSource;
use crate::host::{GuestCommand, RunFolders};
use crate::toolbox::Cache;

/// The guest's name, which is also its host name.
pub const NAME: &str = "guest";

/// A request for a guest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GuestRequest {
    /// The mounts.
    pub mounts: Vec<MountSource>,
    /// The port that all of those servers listen on.
    pub port: u16,
    /// Options of all mounts.
    pub options: String,
    /// The guest's memory in MiB.
    pub memory_mib: u32,
    /// The program and its arguments; a shell if there are none.
    pub command: Vec<String>,
    /// Whether standard input is a terminal.
    pub is_typed: bool,
    /// Where the guest's kernel is.
    pub cache: Cache,
}

impl GuestRequest {
    /// The servers, each once.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for mount in &self.mounts {
            if !hosts.contains(&mount.host.as_str()) {
                hosts.push(&mount.host);
            }
        }
        hosts
    }

    pub fn program(&self) -> GuestCommand {
        let command = match self.command.as_slice() {
            [] if self.is_typed => GuestCommand::new("sh").arg("-i").env("PS1", format!("{NAME}# ")),
            [] => GuestCommand::new("sh"),
            words => GuestCommand::from_words(words.iter().cloned()),
        };
        command.folder("/mnt").pass_through()
    }
}

/// The socket for connections to one of the servers.
pub fn server_socket(folders: &RunFolders, index: usize) -> PathBuf {
    folders.state.join(format!("server{index}"))
}

/// The socket that the program's input comes through.
pub fn input_socket(folders: &RunFolders) -> PathBuf {
    folders.state.join("input")
}
