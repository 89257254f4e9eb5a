//! The attribute `fs_locations`: the servers that have a file system (RFC 8881 §11.16).

use bytes::Bytes;

use crate::xdr::xdr_struct;

/// A path as its names, from the server's root on (`pathname4`). The root itself has none.
pub type Pathname = Vec<Bytes>;

xdr_struct! {
    /// A place of a file system (`fs_location4`).
    pub struct FsLocation {
        /// Addresses of the server: IP addresses, host names, or universal addresses (RFC 5665), which have a port.
        pub server: Vec<Bytes>,
        /// The path of the file system's root on that server.
        pub rootpath: Pathname,
    }
}

xdr_struct! {
    /// The places of a file system (`fs_locations4`).
    pub struct FsLocations {
        /// The path of the file system's root on the server that answers.
        pub fs_root: Pathname,
        /// The places, best first.
        pub locations: Vec<FsLocation>,
    }
}
