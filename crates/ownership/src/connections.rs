//! The file CONNECTIONS in a pool's directory: where the owner's clients are, so that the next owner can have their connections reset.
//!
//! ```text
//! a line for each connection: the address and port of the server's end, a space, those of the client's end,
//!     and " before" if it was a connection to the owner before
//! the CRC-32C of all that, as 8 hexadecimal digits, and a newline
//! ```
//!
//! Nothing depends on it but how soon clients notice a takeover. So a file that is damaged or missing is no error.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const FILE: &str = "CONNECTIONS";
const NEW_FILE: &str = "CONNECTIONS.new";
/// More than a server has connections for, by far.
const BYTES_MAX: u64 = 16 << 20;
const SUM_BYTES: usize = 9;
const BEFORE: &str = " before";

/// A connection: the address of the server's end, and that of the client's end.
pub type Ends = (SocketAddr, SocketAddr);

/// The connections that clients have, or had not long ago.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// To the owner.
    pub own: Vec<Ends>,
    /// To the owner before, which clients may not have noticed yet.
    pub before: Vec<Ends>,
}

impl Connections {
    /// The list as text, as the file has it.
    pub fn encode(&self) -> String {
        encode(self)
    }

    /// The list that [`Connections::encode`] has written; none if the text is not whole.
    pub fn decode(text: &str) -> Option<Connections> {
        decode(text)
    }
}

/// The connections of the last owner, as far as it has told.
pub(crate) fn read(directory: &Path) -> Connections {
    let file = directory.join(FILE);
    let mut text = String::new();
    match File::open(&file).and_then(|opened| opened.take(BYTES_MAX).read_to_string(&mut text)) {
        Ok(_) => decode(&text).unwrap_or_else(|| {
            tracing::warn!(file = %file.display(), "damaged, so clients will notice the takeover later");
            Connections::default()
        }),
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(file = %file.display(), %error, "not readable, so clients will notice the takeover later");
            }
            Connections::default()
        }
    }
}

/// Replaces the file, durably.
pub(crate) fn write(directory: &Path, connections: &Connections) -> io::Result<()> {
    let new = directory.join(NEW_FILE);
    let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(encode(connections).as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, directory.join(FILE))?;
    File::open(directory)?.sync_all()
}

fn encode(connections: &Connections) -> String {
    let Connections { own, before } = connections;
    let lines = own.iter().map(|ends| (ends, "")).chain(before.iter().map(|ends| (ends, BEFORE)));
    let mut text: String =
        lines.map(|((server, client), suffix)| format!("{server} {client}{suffix}\n")).collect();
    text.push_str(&format!("{:08x}\n", crc32c::crc32c(text.as_bytes())));
    text
}

fn decode(text: &str) -> Option<Connections> {
    let (lines, sum) = text.split_at_checked(text.len().checked_sub(SUM_BYTES)?)?;
    if u32::from_str_radix(sum.strip_suffix('\n')?, 16).ok()? != crc32c::crc32c(lines.as_bytes()) {
        return None;
    }
    let mut connections = Connections::default();
    for line in lines.lines() {
        let (line, list) = match line.strip_suffix(BEFORE) {
            Some(line) => (line, &mut connections.before),
            None => (line, &mut connections.own),
        };
        let (server, client) = line.split_once(' ')?;
        list.push((server.parse().ok()?, client.parse().ok()?));
    }
    Some(connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections() -> Connections {
        let ends = |server: &str, client: &str| (server.parse().unwrap(), client.parse().unwrap());
        let own = vec![ends("10.0.0.50:2049", "10.0.0.7:931"), ends("[fd00::50]:2049", "[fd00::7]:65535")];
        Connections { own, before: vec![ends("10.0.0.50:2049", "10.0.0.7:844")] }
    }

    #[test]
    fn connections_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()), Connections::default());
        for connections in [connections(), Connections::default()] {
            write(directory.path(), &connections).unwrap();
            assert_eq!(read(directory.path()), connections);
        }
    }

    #[test]
    fn a_file_that_is_not_whole_names_no_connection() {
        let directory = tempfile::tempdir().unwrap();
        let whole = encode(&connections());
        let changed = whole.replace(":931", ":932");
        for other in
            [&whole[..whole.len() - 1], &whole[1..], &changed, "", "00000000", "x 00000000\n", "ä0000000\n"]
        {
            std::fs::write(directory.path().join(FILE), other).unwrap();
            assert_eq!(read(directory.path()), Connections::default(), "{other:?}");
        }
        std::fs::write(directory.path().join(FILE), [0xff; 64]).unwrap();
        assert_eq!(read(directory.path()), Connections::default());
    }
}
