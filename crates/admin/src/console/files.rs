//! The files of the console.

use std::sync::LazyLock;

/// A file of the console.
pub struct Embedded {
    /// The path in URLs, without the leading slash.
    pub name: &'static str,
    pub plain: &'static [u8],
    /// The compressed content, if that is smaller.
    pub gzip: Option<&'static [u8]>,
}

/// The embedded files; empty if the console had not been built.
static FILES: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/console.rs"));

/// A file to serve.
pub struct File {
    pub embedded: &'static Embedded,
    /// A hash of the content, in quotes.
    pub etag: String,
}

/// The embedded files, with their hashes.
pub static SERVED: LazyLock<Vec<File>> = LazyLock::new(|| served(FILES));

pub fn served(files: &'static [Embedded]) -> Vec<File> {
    let etag = |embedded: &Embedded| format!("\"{}\"", &blake3::hash(embedded.plain).to_hex()[..32]);
    files.iter().map(|embedded| File { embedded, etag: etag(embedded) }).collect()
}
