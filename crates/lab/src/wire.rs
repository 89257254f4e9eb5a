//! The protocol between the lab's worker and the agent inside a guest.
//!
//! One TCP connection carries one request. A frame is a 4-byte big-endian length, a kind byte and that many bytes of
//! payload. Kind [`MESSAGE`] is JSON ([`Request`] towards the guest, [`Reply`] towards the worker); the other kinds are raw
//! bytes, so that output of a program needs no escaping.
//!
//! A [`Request::Spawn`] keeps its connection: output frames follow until [`Reply::Exited`]. During that time the worker may send
//! [`Request::Signal`] and, if the request announced it, [`STDIN`]. If the connection ends before the program, the program is killed.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Payload is JSON.
pub const MESSAGE: u8 = 0;
/// Payload is standard output of a spawned program.
pub const STDOUT: u8 = 1;
/// Payload is standard error of a spawned program.
pub const STDERR: u8 = 2;
/// Payload is the content of a file.
pub const DATA: u8 = 3;
/// Payload is standard input for a spawned program. An empty payload is its end.
pub const STDIN: u8 = 4;

/// The TCP port an agent listens on, at its guest's address.
pub const AGENT_PORT: u16 = 7100;

/// Longest payload either side accepts, in bytes.
const PAYLOAD_BYTES_MAX: usize = 64 << 20;

/// A request of the worker to a guest.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Answer [`Reply::Done`].
    Ping,
    /// Start a program.
    Spawn(Program),
    /// Send a signal, by number, to the process group of the program this connection started.
    Signal(i32),
    /// Mount a file system; the target folder is made if it is missing.
    Mount(Mount),
    /// Unmount a folder.
    Unmount(PathBuf),
    /// Answer with the content of a file: [`Reply::Done`], then one [`DATA`] frame.
    ReadFile(PathBuf),
    /// Write a file, whose content follows in one [`DATA`] frame; parent folders are made.
    WriteFile(PathBuf),
    /// Make a folder and its parents.
    MakeFolder(PathBuf),
    /// Answer with everything below a folder: [`Reply::Tree`].
    ListTree(PathBuf),
    /// Write dirty pages back.
    Sync,
    /// Write dirty pages back and drop the page cache, entries and inodes.
    DropCaches,
    /// Load kernel modules, by name, with their dependencies.
    LoadModules(Vec<String>),
    /// Power the guest off without unmounting or writing anything back.
    PowerOff,
}

/// A program to start, with the words of its command line and its environment in addition to the agent's own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Variables to set.
    pub env: Vec<(String, String)>,
    /// Working folder; `/` if none.
    pub folder: Option<PathBuf>,
    /// Whether its standard input arrives in frames. Otherwise it is empty.
    pub takes_input: bool,
}

/// The arguments of mount(2).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mount {
    /// Device, or `server:/path`.
    pub source: String,
    /// Where to mount.
    pub target: PathBuf,
    /// Type of file system.
    pub kind: String,
    /// Options that the file system itself reads, comma-separated.
    pub options: String,
}

/// A reply of a guest.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The request was executed.
    Done,
    /// The request failed for this reason.
    Failed(String),
    /// The program runs, with this pid in the guest.
    Started(i32),
    /// The program ended.
    Exited(Exit),
    /// The content of a folder and its sub-folders.
    Tree(Vec<TreeEntry>),
}

/// How a program ended: exactly one of the two is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit status.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// Whether the program ended with status 0.
    pub fn success(self) -> bool {
        self.code == Some(0)
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit status {code}"),
            (None, Some(signal)) => write!(f, "ended by signal {signal}"),
            (None, None) => write!(f, "ended in an unknown way"),
        }
    }
}

/// One object below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Path relative to the folder that was listed.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub folder: bool,
    /// Size in bytes, as stat says; 0 for a folder.
    pub bytes: u64,
    /// The space that it takes in bytes, according to stat's blocks, without holes; 0 for a folder.
    pub allocated_bytes: u64,
}

/// Writes one frame.
pub fn write_frame(stream: &mut impl Write, kind: u8, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
    let mut head = [0u8; 5];
    head[..4].copy_from_slice(&length.to_be_bytes());
    head[4] = kind;
    stream.write_all(&head)?;
    stream.write_all(payload)?;
    stream.flush()
}

/// Writes one JSON message.
pub fn write_message(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    write_frame(stream, MESSAGE, &serde_json::to_vec(message)?)
}

/// Reads one frame; `None` when the other side closed between frames.
pub fn read_frame(stream: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut head = [0u8; 5];
    if stream.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut head[1..])?;
    let [a, b, c, d, kind] = head;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > PAYLOAD_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("frame of {length} bytes is too long"),
        ));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload)?;
    Ok(Some((kind, payload)))
}

/// Reads one frame that must be a JSON message.
pub fn read_message<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    Ok(serde_json::from_slice(&read_expected(stream, MESSAGE)?)?)
}

/// Reads one frame that must be of this kind.
pub fn read_expected(stream: &mut impl Read, kind_expected: u8) -> io::Result<Vec<u8>> {
    match read_frame(stream)? {
        Some((kind, payload)) if kind == kind_expected => Ok(payload),
        Some((kind, _)) => {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("unexpected frame kind {kind}")))
        }
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_out_as_it_went_in() {
        let mut pipe = Vec::new();
        write_frame(&mut pipe, STDERR, b"oops\n").unwrap();
        write_message(&mut pipe, &Request::Signal(9)).unwrap();
        let mut pipe = pipe.as_slice();
        assert_eq!(read_frame(&mut pipe).unwrap(), Some((STDERR, b"oops\n".to_vec())));
        assert!(matches!(read_message(&mut pipe).unwrap(), Request::Signal(9)));
        assert_eq!(read_frame(&mut pipe).unwrap(), None);
    }

    #[test]
    fn a_frame_that_claims_too_much_is_refused_before_memory_is_taken() {
        let head = [0xff, 0xff, 0xff, 0xff, MESSAGE];
        assert_eq!(read_frame(&mut head.as_slice()).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_frame_cut_short_is_an_error_and_not_an_end() {
        let head = [0, 0, 0, 9, MESSAGE, 1, 2];
        assert_eq!(read_frame(&mut head.as_slice()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
