//! Referrals: paths of this server's tree whose file systems are on other servers (RFC 8881 §11.5.3).
//!
//! A client that looks up such a path learns the addresses of the servers that have the file system, and mounts it from
//! there by itself. Nothing passes through this server.

mod error;
mod parse;

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;

pub use error::ReferralError;
pub use parse::{list, list_text};

use bytes::Bytes;
use forebay_nfs_proto::xdr::nfs4::{FsLocation, FsLocations, Pathname};

/// The port of NFS. Linux connects to it at every location, even if the location names another one.
const NFS_PORT: u16 = 2049;

/// A path of this server's tree, and where its file system is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referral {
    /// The path here, such as `/kafka-2`.
    pub path: String,
    /// The places, best first. Never empty.
    pub locations: Vec<Location>,
}

/// A path of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The server.
    pub server: ServerAddress,
    /// The path there: a volume's junction path, a directory above volumes, or `/`.
    pub path: String,
}

/// How clients reach a server, at the port of NFS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAddress {
    /// An address.
    Ip(IpAddr),
    /// A host name, which each client looks up.
    Name(String),
}

impl Referral {
    /// The value of `fs_locations`.
    pub fn fs_locations(&self) -> FsLocations {
        let location = |location: &Location| FsLocation {
            server: vec![location.server.on_the_wire().into()],
            rootpath: pathname(&location.path),
        };
        FsLocations {
            fs_root: pathname(&self.path),
            locations: self.locations.iter().map(location).collect(),
        }
    }

    /// Whether the path is the other one, or above or below it.
    pub fn overlaps(&self, path: &str) -> bool {
        let (mine, other) = (format!("{}/", self.path), format!("{path}/"));
        mine.starts_with(&other) || other.starts_with(&mine)
    }
}

/// The names of a path.
pub fn pathname(path: &str) -> Pathname {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(|name| Bytes::copy_from_slice(name.as_bytes()))
        .collect()
}

impl ServerAddress {
    /// The address as a client reads it in a location.
    fn on_the_wire(&self) -> String {
        match self {
            ServerAddress::Name(name) => name.clone(),
            ServerAddress::Ip(address) => address.to_string(),
        }
    }
}

impl Display for Location {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &self.server {
            ServerAddress::Name(name) => write!(formatter, "{name}:{}", self.path),
            ServerAddress::Ip(IpAddr::V4(ip)) => write!(formatter, "{ip}:{}", self.path),
            ServerAddress::Ip(IpAddr::V6(ip)) => write!(formatter, "[{ip}]:{}", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(text: &str) -> Vec<String> {
        let referrals = list(text).expect(text);
        let locations = referrals.iter().flat_map(|referral| referral.fs_locations().locations);
        locations.map(|location| String::from_utf8(location.server.concat()).expect("it is text")).collect()
    }

    #[test]
    fn servers_are_sent_as_addresses_or_names() {
        assert_eq!(servers("/a=10.0.0.12:/a"), ["10.0.0.12"]);
        assert_eq!(servers("/a=[fd00::12]:2049:/a"), ["fd00::12"]);
        assert_eq!(servers("/a=pool-2.example.com:/a"), ["pool-2.example.com"]);
    }

    #[test]
    fn paths_are_sent_name_by_name() {
        let referrals = list("/data/logs=10.0.0.12:/kafka, /pool-2=10.0.0.12:/").expect("a list");
        let all: Vec<FsLocations> = referrals.iter().map(Referral::fs_locations).collect();
        assert_eq!(all[0].fs_root, ["data", "logs"]);
        assert_eq!(all[0].locations[0].rootpath, ["kafka"]);
        assert_eq!(all[1].locations[0].rootpath, Pathname::new(), "the root of the other server");
    }

    #[test]
    fn a_path_overlaps_those_above_and_below_it() {
        let referral = &list("/data/logs=10.0.0.12:/kafka").expect("a list")[0];
        for path in ["/data/logs", "/data", "/data/logs/a"] {
            assert!(referral.overlaps(path), "{path}");
        }
        for path in ["/data/logs-2", "/data/a", "/dat"] {
            assert!(!referral.overlaps(path), "{path}");
        }
    }
}
