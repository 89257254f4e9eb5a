//! What a listing asks for.

use s3s::S3Result;

use super::Position;
use crate::error_document::Detailed;
use crate::errors::invalid_argument;

/// The most items of a page.
const PAGE_SIZE_MAX: usize = 1000;

/// Which entries of a key are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// The first, unless it is hidden: current objects.
    First,
    /// All: versions with their delete markers, or uploads.
    All,
}

/// Where a listing begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// At the first key.
    #[default]
    Beginning,
    /// Behind a key, or behind a common prefix: `marker`, `start-after`, or `key-marker` alone.
    AfterKey(String),
    /// Behind an entry of a key: `key-marker` with a version or an upload.
    AfterEntry(String, u64),
    /// Behind a hidden key, within a common prefix that has not been listed yet. Only pages of current objects have it,
    /// and only a continuation token can express it.
    Within(String),
}

/// What a listing asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Only keys with this prefix.
    pub prefix: String,
    /// Keys that have this after the prefix are rolled up. Empty means that none are.
    pub delimiter: String,
    /// Where to begin.
    pub start: Start,
    /// The most items of the page: entries and common prefixes together.
    pub max_items: usize,
    /// Which entries of a key are listed.
    pub select: Select,
}

impl Start {
    /// Returns where ListObjectVersions or ListMultipartUploads begins, from `key-marker` and the rank of the version or
    /// upload that the other marker names. An empty key counts as none.
    pub fn after_markers(key_marker: Option<&str>, rank: Option<u64>) -> Start {
        match (key_marker.filter(|key| !key.is_empty()), rank) {
            (None, _) => Start::Beginning,
            (Some(key), None) => Start::AfterKey(key.to_owned()),
            (Some(key), Some(rank)) => Start::AfterEntry(key.to_owned(), rank),
        }
    }
}

impl Query {
    /// Returns the common prefix of a key, if the key is rolled up.
    pub(super) fn common_prefix<'a>(&self, key: &'a str) -> Option<&'a str> {
        if self.delimiter.is_empty() {
            return None;
        }
        let rest = key.strip_prefix(self.prefix.as_str())?;
        let end = self.prefix.len() + rest.find(self.delimiter.as_str())? + self.delimiter.len();
        key.get(..end)
    }

    /// Returns where to begin, or `None` if nothing can be listed. An item is listed only if it is greater than the
    /// marker. So a marker within a common prefix skips all of it.
    pub(super) fn first_position(&self) -> Option<Position> {
        let behind_marker = match &self.start {
            Start::Beginning => Position::at_key(""),
            Start::AfterKey(key) | Start::AfterEntry(key, _) if self.common_prefix(key).is_some() => {
                Position::after_prefix(self.common_prefix(key)?)?
            }
            Start::AfterKey(key) | Start::Within(key) => Position::after_key(key),
            Start::AfterEntry(key, rank) => Position::after_entry(key, *rank),
        };
        Some(behind_marker.max(Position::at_key(self.prefix.as_bytes())))
    }
}

/// Checks the markers of ListObjectVersions: `version-id-marker` goes with a key.
pub fn check_version_marker(key_marker: Option<&str>, version_id_marker: Option<&str>) -> S3Result {
    match (key_marker.unwrap_or_default(), version_id_marker) {
        ("", Some(_)) => {
            Err(invalid_argument("A version-id marker cannot be specified without a key marker."))
        }
        (_, Some("")) => Err(invalid_argument("A version-id marker cannot be empty.")),
        _ => Ok(()),
    }
}

/// Returns the size of a page from `max-keys` or `max-uploads`: 1000 unless less is asked for.
pub fn page_size(name: &'static str, requested: Option<i32>) -> S3Result<usize> {
    let Some(requested) = requested else { return Ok(PAGE_SIZE_MAX) };
    let size = usize::try_from(requested).map_err(|_| {
        let message = format!("Argument {requested} must be an integer between 0 and 2147483647");
        invalid_argument(message).argument(name, requested)
    })?;
    Ok(size.min(PAGE_SIZE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_a_key_and_then_an_entry_of_it() {
        assert_eq!(Start::after_markers(None, None), Start::Beginning);
        assert_eq!(Start::after_markers(Some(""), Some(1)), Start::Beginning);
        assert_eq!(Start::after_markers(Some("a"), None), Start::AfterKey("a".to_owned()));
        assert_eq!(Start::after_markers(Some("a"), Some(1)), Start::AfterEntry("a".to_owned(), 1));
        assert!(check_version_marker(Some("a"), Some("null")).is_ok());
        assert!(check_version_marker(Some("a"), None).is_ok());
        for (key, version) in [(None, "null"), (Some(""), "null"), (Some("a"), "")] {
            assert!(check_version_marker(key, Some(version)).is_err());
        }
    }

    #[test]
    fn a_page_has_at_most_a_thousand_items() {
        for (requested, size) in
            [(None, 1000), (Some(0), 0), (Some(5), 5), (Some(1001), 1000), (Some(i32::MAX), 1000)]
        {
            assert_eq!(page_size("maxKeys", requested).unwrap(), size);
        }
        assert!(page_size("maxKeys", Some(-1)).is_err());
    }
}
