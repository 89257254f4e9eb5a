//! `[node]`: a pool that several machines can serve, one at a time.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forebay_address::ServiceAddress;

/// This machine as one of several that can serve the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeConfig {
    /// Whether other machines can take the pool, and this one waits while another has it.
    pub standby: bool,
    /// The machine's name; `None` is its host name.
    pub name: Option<String>,
    /// The program that ends another node's writing.
    pub fence: Option<PathBuf>,
    /// How long that and the programs below may take.
    pub program_time_max: Duration,
    /// The addresses that move with the pool.
    pub addresses: Vec<ServiceAddress>,
    /// Run when the pool is open, after the addresses have been added.
    pub on_acquire: Option<PathBuf>,
    /// Run before the pool is closed, after the addresses have been removed.
    pub on_release: Option<PathBuf>,
    /// An address that answers whenever this machine's network works.
    pub witness: Option<SocketAddr>,
    /// How many steps of 0.5 s later than others this machine takes a pool in a database from a silent owner.
    pub priority: u32,
    /// Whether the pool may be on a file system that only one machine can mount.
    pub any_file_system: bool,
}

impl Default for NodeConfig {
    fn default() -> Self {
        NodeConfig {
            standby: false,
            name: None,
            fence: None,
            program_time_max: Duration::from_secs(30),
            addresses: Vec::new(),
            on_acquire: None,
            on_release: None,
            witness: None,
            priority: 0,
            any_file_system: false,
        }
    }
}

impl NodeConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.standby && self.fence.is_none() {
            return Err("node.standby is on, but node.fence is not set: name a program that makes sure that a silent node writes \
                        no more, by switching it off or cutting it off from the pool's file system"
                .to_owned());
        }
        let programs =
            [("fence", &self.fence), ("on_acquire", &self.on_acquire), ("on_release", &self.on_release)];
        for (key, program) in programs {
            if program.as_deref().is_some_and(Path::is_relative) {
                return Err(format!("node.{key}: write the program's whole path, from / on"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standby_needs_a_fence_and_programs_whole_paths() {
        let mut node = NodeConfig { standby: true, ..NodeConfig::default() };
        assert!(node.check().unwrap_err().contains("node.fence is not set"));
        node.fence = Some("fence".into());
        assert!(node.check().unwrap_err().contains("whole path"));
        node.fence = Some("/usr/sbin/fence".into());
        node.check().unwrap();
    }
}
