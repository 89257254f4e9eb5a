//! Object versions, and how a key and a version id name one.

use forebay_pool::{BucketEntry, Error, Handle, Result, Seek};

use super::entries::Entries;
use super::tables::{NULL_VERSIONS, OBJECTS, PART_LISTS};
use crate::facts::{FactsError, ObjectFacts, PartRecord, VersionId};

/// A stored object version, or a delete marker.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its number. Versions of a key have rising numbers.
    pub number: u64,
    /// What is known of it.
    pub facts: ObjectFacts,
    /// The bytes. A delete marker has none.
    pub content: Option<Handle>,
}

impl Version {
    /// Decodes an entry of the table of objects.
    pub fn of(entry: BucketEntry) -> Result<Version> {
        let facts = ObjectFacts::decode(&entry.facts).map_err(damaged)?;
        Ok(Version { number: entry.version, facts, content: entry.content })
    }

    /// The id that clients see.
    pub fn id(&self) -> VersionId {
        VersionId::of(self.number, self.facts.null_version)
    }
}

/// Stored facts that cannot be understood are damage, like stored bytes that cannot be read.
pub(super) fn damaged(error: FactsError) -> Error {
    Error::Damaged(error.to_string())
}

/// The newest version of a key, which may be a delete marker.
pub fn newest(entries: &impl Entries, key: &[u8]) -> Result<Option<Version>> {
    entries.newest(OBJECTS, key)?.map(Version::of).transpose()
}

/// The current object of a key: its newest version, unless that is a delete marker.
pub fn current(entries: &impl Entries, key: &[u8]) -> Result<Option<Version>> {
    Ok(newest(entries, key)?.filter(|version| !version.facts.delete_marker))
}

/// The version of a key with this id, or the newest.
pub fn find(entries: &impl Entries, key: &[u8], id: Option<VersionId>) -> Result<Option<Version>> {
    match id {
        None => newest(entries, key),
        Some(VersionId::Null) => null_version(entries, key),
        Some(VersionId::Number(number)) => {
            let entry = entries.entry(OBJECTS, key, number)?;
            // The null version has no other id.
            Ok(entry.map(Version::of).transpose()?.filter(|version| !version.facts.null_version))
        }
    }
}

/// The null version of a key: the newest version, or the one that is noted because it is not the newest.
pub(super) fn null_version(entries: &impl Entries, key: &[u8]) -> Result<Option<Version>> {
    if let Some(newest) = newest(entries, key)?
        && newest.facts.null_version
    {
        return Ok(Some(newest));
    }
    let Some(note) = entries.entry(NULL_VERSIONS, key, 0)? else { return Ok(None) };
    let number = <[u8; 8]>::try_from(&note.facts[..]).map(u64::from_be_bytes);
    let number = number.map_err(|_| Error::Damaged("the number of a null version is malformed".into()))?;
    let entry = entries.entry(OBJECTS, key, number)?;
    Ok(entry.map(Version::of).transpose()?.filter(|version| version.facts.null_version))
}

/// The parts of an object that was uploaded in parts.
pub fn part_list(entries: &impl Entries, version: &Version) -> Result<Option<Vec<PartRecord>>> {
    let Some(parts) = &version.facts.parts else { return Ok(None) };
    let mut chunks = Vec::new();
    if let Some(content) = version.content
        && parts.is_chunked()
    {
        let key = content.inode.0.to_be_bytes();
        chunks = entries.entries(PART_LISTS, &key, &Seek::Key(&key), parts.chunk_count())?;
        // Entries come with the largest version first.
        chunks.reverse();
    }
    let chunks: Vec<_> = chunks.into_iter().map(|entry| entry.facts).collect();
    match parts.join(&chunks).map_err(damaged)? {
        Some(list) => Ok(Some(list)),
        None => Err(Error::Damaged("the list of an object's parts is not complete".into())),
    }
}
