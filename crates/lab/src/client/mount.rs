//! The mounts of a guest, in the form `SERVER:/PATH`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A path of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountSource {
    /// The server's name or address, as this host knows it.
    pub host: String,
    /// The path there; it begins with `/`.
    pub path: String,
}

impl MountSource {
    /// The mount point: `/mnt` followed by the path.
    pub fn target(&self) -> PathBuf {
        format!("/mnt{}", self.path.trim_end_matches('/')).into()
    }
}

impl FromStr for MountSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("{text:?} is not SERVER:/PATH, such as localhost:/kafka");
        let (host, path) = text.split_once(":/").ok_or_else(wanted)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let path = format!("/{path}");
        if host.is_empty() || text.contains(char::is_whitespace) {
            return Err(wanted());
        }
        if path.split('/').any(|part| part == "." || part == "..") {
            return Err(format!("{path:?}: a path of a server has no . and .."));
        }
        Ok(Self { host: host.to_owned(), path })
    }
}

impl fmt::Display for MountSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bracket = self.host.contains(':');
        let (open, close) = if bracket { ("[", "]") } else { ("", "") };
        write!(f, "{open}{}{close}:{}", self.host, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_server_and_a_path() {
        let read = |text: &str| text.parse::<MountSource>();
        let source = read("storage-1:/clusters/b").unwrap();
        assert_eq!((source.host.as_str(), source.path.as_str()), ("storage-1", "/clusters/b"));
        assert_eq!(source.target(), PathBuf::from("/mnt/clusters/b"));
        assert_eq!(read("[::1]:/").unwrap().host, "::1");
        assert_eq!(read("[::1]:/").unwrap().target(), PathBuf::from("/mnt"));
        assert_eq!(read("[::1]:/a").unwrap().to_string(), "[::1]:/a");
        for bad in ["kafka", ":/kafka", "host:kafka", "host:/a b", "host:/../etc", "/srv"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
