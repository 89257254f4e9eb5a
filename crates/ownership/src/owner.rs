//! The file OWNER in a pool's directory.
//!
//! ```text
//! 1,024 bytes, overwritten in place: one line of JSON, spaces, and at 1,015 the CRC-32C of what is before it,
//! as 8 hexadecimal digits, and a newline
//! ```
//!
//! In place, because a rename twice a second would be two changes of a directory that other machines watch.

use std::fs::File;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

pub(crate) const FILE: &str = "OWNER";
const BYTES: usize = 1024;
const SUM_BYTES: usize = 8;
const SUM_AT: usize = BYTES - SUM_BYTES - 1;
const NODE_BYTES_MAX: usize = 64;

/// A machine that may own pools, since its last start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its name, by which the fence program knows it. No two machines have the same.
    pub name: String,
    /// A new one for each start of the machine.
    pub boot: String,
}

impl Node {
    /// This machine. Without a name it is the host's name.
    pub fn here(name: Option<&str>) -> Result<Node, OwnerError> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => rustix::system::uname().nodename().to_string_lossy().into_owned(),
        };
        let is_valid = !name.is_empty()
            && name.len() <= NODE_BYTES_MAX
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        if !is_valid {
            return Err(OwnerError::Name(name));
        }
        let file = Path::new("/proc/sys/kernel/random/boot_id");
        let boot = std::fs::read_to_string(file).map_err(|source| OwnerError::io("read", file, source))?;
        Ok(Node { name, boot: boot.trim().to_owned() })
    }
}

/// What the owner is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It opens the pool.
    Opening,
    /// It answers clients.
    Serving,
    /// It has closed the pool, and writes to it no more.
    Released,
}

/// How a pool came to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takeover {
    /// The owner before; none if there was none.
    pub from: Option<String>,
    /// How long that one had been silent when it was suspected, in milliseconds; 0 if it had released the pool.
    pub silent_ms: u64,
    /// How long the fence program took, in milliseconds; none if it was not needed.
    pub fence_ms: Option<u64>,
    /// How long opening the pool took, in milliseconds.
    pub open_ms: Option<u64>,
    /// How long it took to get the address, in milliseconds.
    pub address_ms: Option<u64>,
}

/// Why a pool came to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeoverKind {
    /// No node had it before.
    First,
    /// The same node had it before.
    Restarted,
    /// Another node released it.
    Moved,
    /// Another node was silent, and was fenced.
    Fenced,
}

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The machine.
    pub node: Node,
    /// The process: a random number, in hexadecimal.
    pub instance: String,
    /// What it is doing.
    pub phase: Phase,
    /// Where it answers NFS clients.
    pub address: Option<SocketAddr>,
    /// Rises twice a second.
    pub beat: u64,
    /// When it became the owner, or released the pool, in seconds since 1970.
    pub since: u64,
    /// How it became the owner.
    pub takeover: Takeover,
    /// It released the pool for another node, and does not take it again at once.
    pub moves: bool,
}

impl Owner {
    /// A process of `node` that becomes the owner now.
    pub(crate) fn new(node: Node, takeover: Takeover) -> Result<Owner, OwnerError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance).map_err(|error| OwnerError::Random(error.to_string()))?;
        let instance = format!("{:032x}", u128::from_be_bytes(instance));
        Ok(Owner {
            node,
            instance,
            phase: Phase::Opening,
            address: None,
            beat: 0,
            since: now(),
            takeover,
            moves: false,
        })
    }

    /// The owner of the pool in `directory`; none if no owner has ever said so.
    pub fn read(directory: &Path) -> Result<Option<Owner>, OwnerError> {
        let file = directory.join(FILE);
        let mut bytes = Vec::with_capacity(BYTES);
        // Opened each time: a network file system looks at the server's file then.
        match File::open(&file).and_then(|opened| opened.take(BYTES as u64 + 1).read_to_end(&mut bytes)) {
            Ok(_) => decode(&bytes).map(Some).ok_or(OwnerError::Damaged(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(OwnerError::io("read", &file, source)),
        }
    }

    /// Why the pool came to this owner.
    pub fn takeover_kind(&self) -> TakeoverKind {
        let Takeover { from, fence_ms, .. } = &self.takeover;
        match (from, fence_ms) {
            (None, _) => TakeoverKind::First,
            (Some(_), Some(_)) => TakeoverKind::Fenced,
            (Some(from), None) if *from == self.node.name => TakeoverKind::Restarted,
            (Some(_), None) => TakeoverKind::Moved,
        }
    }

    /// Writes the file, durably.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), OwnerError> {
        let file = directory.join(FILE);
        let write = || {
            let is_new = !file.exists();
            let opened = File::options()
                .write(true)
                .create(true)
                .custom_flags(OFlags::DSYNC.bits().cast_signed())
                .mode(0o600)
                .open(&file)?;
            opened.write_all_at(&self.encode()?, 0)?;
            if is_new { File::open(directory)?.sync_all() } else { Ok(()) }
        };
        write().map_err(|source| OwnerError::io("write", &file, source))
    }

    fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        if bytes.len() > SUM_AT {
            return Err(io::Error::other("it would be longer than 1,015 bytes"));
        }
        bytes.resize(SUM_AT, b' ');
        bytes.extend_from_slice(format!("{:08x}\n", crc32c::crc32c(&bytes)).as_bytes());
        Ok(bytes)
    }
}

fn decode(bytes: &[u8]) -> Option<Owner> {
    let (line, sum) = bytes.split_at_checked(SUM_AT)?;
    let sum = std::str::from_utf8(sum.strip_suffix(b"\n")?).ok()?;
    let is_whole = sum.len() == SUM_BYTES && u32::from_str_radix(sum, 16) == Ok(crc32c::crc32c(line));
    if is_whole { serde_json::from_slice(line).ok() } else { None }
}

/// Seconds since 1970. Only shown, never compared.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Why the owner of a pool cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// The file system fails.
    #[error("cannot {action} {}: {source}", file.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not one that an owner has written, or not whole.
    #[error(
        "{} is damaged, or of another release; make sure that no machine serves the pool, remove the file, and start again",
        .0.display()
    )]
    Damaged(PathBuf),
    /// A name that no machine may have.
    #[error("{0:?} cannot be the name of a node: use 1 to 64 letters, digits, '-', '.' and '_'")]
    Name(String),
    /// Another machine has the pool.
    #[error("node {0} has taken the pool")]
    Lost(String),
    /// This process has released the pool.
    #[error("this node has released the pool")]
    Released,
    /// The system has no random numbers.
    #[error("no random number for the name of this process: {0}")]
    Random(String),
}

impl OwnerError {
    pub(crate) fn io(action: &'static str, file: &Path, source: io::Error) -> OwnerError {
        OwnerError::Io { action, file: file.to_owned(), source }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn node(name: &str) -> Node {
        Node { name: name.to_owned(), boot: format!("boot of {name}") }
    }

    pub(crate) fn first() -> Takeover {
        Takeover { from: None, silent_ms: 0, fence_ms: None, open_ms: None, address_ms: None }
    }

    #[test]
    fn an_owner_is_read_as_it_was_written_and_is_overwritten_in_place() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Owner::read(directory.path()).unwrap(), None);
        let longest = "n".repeat(NODE_BYTES_MAX);
        let mut owner =
            Owner::new(node(&longest), Takeover { from: Some(longest.clone()), ..first() }).unwrap();
        owner.address = Some("[2001:db8:1111:2222:3333:4444:5555:6666]:20490".parse().unwrap());
        owner.takeover.silent_ms = u64::MAX;
        for beat in [0, 7, u64::MAX] {
            owner.beat = beat;
            owner.write(directory.path()).unwrap();
            assert_eq!(Owner::read(directory.path()).unwrap(), Some(owner.clone()));
        }
        assert_eq!(std::fs::metadata(directory.path().join(FILE)).unwrap().len(), BYTES as u64);
    }

    #[test]
    fn a_file_that_is_not_whole_is_no_owner() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::new(node("a"), first()).unwrap();
        owner.write(directory.path()).unwrap();
        let file = directory.path().join(FILE);
        let whole = std::fs::read(&file).unwrap();
        let flipped: Vec<u8> =
            whole.iter().enumerate().map(|(at, byte)| if at == 20 { byte ^ 1 } else { *byte }).collect();
        for other in [&whole[..BYTES - 1], &[&whole[..], b"x"].concat(), &flipped, b"", &[b' '; BYTES]] {
            std::fs::write(&file, other).unwrap();
            assert!(matches!(Owner::read(directory.path()), Err(OwnerError::Damaged(_))));
        }
    }

    #[test]
    fn a_takeover_says_why_the_pool_came() {
        let kind = |from: Option<&str>, fence_ms| {
            let takeover = Takeover { from: from.map(str::to_owned), fence_ms, ..first() };
            Owner::new(node("a"), takeover).unwrap().takeover_kind()
        };
        assert_eq!(kind(None, None), TakeoverKind::First);
        assert_eq!(kind(Some("a"), None), TakeoverKind::Restarted);
        assert_eq!(kind(Some("b"), None), TakeoverKind::Moved);
        assert_eq!(kind(Some("b"), Some(0)), TakeoverKind::Fenced);
    }

    #[test]
    fn names_are_those_of_hosts() {
        assert_eq!(Node::here(Some("node-1.rack_2")).unwrap().name, "node-1.rack_2");
        assert!(!Node::here(None).unwrap().boot.is_empty());
        for bad in ["", "a b", "a/b", "ä", &"x".repeat(65)] {
            assert!(matches!(Node::here(Some(bad)), Err(OwnerError::Name(_))), "{bad:?}");
        }
    }
}
