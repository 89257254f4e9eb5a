//! The limits of the interface, and the name under which traces are collected.

/// The target of spans that are only for traces, not for the log. They cost nothing while no traces are collected.
pub const TRACES: &str = "forebay_traces";
/// Largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = i64::MAX as u64;
/// The lowest throughput limit of a volume, in bytes per second. A request carries up to 1 MiB, and must not wait longer than
/// clients wait for a reply.
pub const VOLUME_RATE_MIN: u64 = 1_000_000;
/// Longest value of an extended attribute, in bytes.
pub const XATTR_BYTES_MAX: usize = 64 << 10;
/// Most bytes of all extended attributes of one inode together.
pub const XATTRS_BYTES_MAX: u64 = 1 << 20;
/// Most bytes of the names of an inode's extended attributes, each with the prefix that Linux adds. Linux cannot list more.
pub const XATTR_NAMES_BYTES_MAX: u64 = 64 << 10;
/// Longest name of a directory entry, or of an extended attribute, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
/// The maximum length of the key of a bucket's entry.
pub const BUCKET_KEY_BYTES_MAX: usize = 1024;
/// The maximum length of the facts of a bucket's entry.
pub const BUCKET_FACTS_BYTES_MAX: usize = 64 << 10;
