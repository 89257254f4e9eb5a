//! Objects and versions in a bucket, page by page.

use forebay_pool::Pool;

use super::error::{Error, Result};
use crate::facts::VersionId;
use crate::listing::{Page, Query, Select, Start, page};
use crate::names::check_key;
use crate::store::{self, OBJECTS, Stored, TableSource, Version, object_of};

/// Pages that are read for one answer. A page ends early if it meets only delete markers or old versions.
const PAGES_MAX: usize = 32;

/// Selects objects.
#[derive(Debug, Clone, Default)]
pub struct ObjectQuery {
    /// Only keys with this prefix.
    pub prefix: String,
    /// Keys that have this after the prefix are shown as one common prefix. Empty: none are.
    pub delimiter: String,
    /// Only keys and common prefixes behind this one.
    pub after: Option<String>,
    /// The most objects and common prefixes, together.
    pub limit: usize,
}

/// A page of objects.
#[derive(Debug)]
pub struct ObjectPage {
    /// The keys, and their current versions.
    pub objects: Vec<(String, Version)>,
    /// The common prefixes.
    pub prefixes: Vec<String>,
    /// The `after` of the next page, if there may be more.
    pub next: Option<String>,
}

/// Selects versions.
#[derive(Debug, Clone, Default)]
pub struct VersionQuery {
    /// Which keys.
    pub keys: ObjectQuery,
    /// Only versions behind this one of the key `after`.
    pub after_version: Option<String>,
}

/// A page of versions, delete markers among them.
#[derive(Debug)]
pub struct VersionPage {
    /// The keys and the versions, and whether each is the latest of its key.
    pub versions: Vec<(String, Version, bool)>,
    /// The common prefixes.
    pub prefixes: Vec<String>,
    /// The `after` of the next page, if there may be more, and its `after_version`, unless the page begins with another key.
    pub next: Option<(String, Option<String>)>,
}

/// Lists current objects, by key.
pub fn objects(pool: &Pool, bucket: &str, wanted: ObjectQuery) -> Result<ObjectPage> {
    let stored = stored(pool, bucket)?;
    let start = wanted.after.map_or(Start::Beginning, Start::AfterKey);
    let mut query = Query {
        prefix: wanted.prefix,
        delimiter: wanted.delimiter,
        start,
        max_items: wanted.limit,
        select: Select::First,
    };
    let mut pages = 0;
    let page = loop {
        let page = read(&stored, &query)?;
        pages += 1;
        match &page.next {
            // Only a key that is shown can be named as the place to continue.
            Some(next) if page.last_item().is_none() && pages < PAGES_MAX => query.start = next.clone(),
            _ => break page,
        }
    };
    let next = match (&page.next, page.last_item()) {
        (None, _) => None,
        (Some(_), Some(last)) => Some(last.to_owned()),
        (Some(Start::AfterKey(key) | Start::AfterEntry(key, _) | Start::Within(key)), None) => {
            Some(key.clone())
        }
        (Some(Start::Beginning), None) => None,
    };
    let objects = page.entries.into_iter().map(|listed| (listed.entry.key, listed.entry.item)).collect();
    Ok(ObjectPage { objects, prefixes: page.common_prefixes, next })
}

/// Lists versions and delete markers, by key, the newest first.
pub fn versions(pool: &Pool, bucket: &str, wanted: VersionQuery) -> Result<VersionPage> {
    let stored = stored(pool, bucket)?;
    let VersionQuery { keys, after_version } = wanted;
    let query = Query {
        start: version_start(&stored, keys.after.as_deref(), after_version.as_deref())?,
        prefix: keys.prefix,
        delimiter: keys.delimiter,
        max_items: keys.limit,
        select: Select::All,
    };
    let page = read(&stored, &query)?;
    let last = page.entries.last().map(|listed| listed.entry.item.id().to_string());
    let next = match page.next {
        None | Some(Start::Beginning) => None,
        Some(Start::AfterEntry(key, _)) => Some((key, last)),
        Some(Start::AfterKey(key) | Start::Within(key)) => Some((key, None)),
    };
    let shown =
        page.entries.into_iter().map(|listed| (listed.entry.key, listed.entry.item, listed.first_of_key));
    Ok(VersionPage { versions: shown.collect(), prefixes: page.common_prefixes, next })
}

fn read(stored: &Stored, query: &Query) -> Result<Page<Version>> {
    let mut source = TableSource { stored, table: OBJECTS, prefix: &query.prefix, decode: object_of };
    Ok(page(&mut source, query)?)
}

fn version_start(stored: &Stored, after: Option<&str>, version: Option<&str>) -> Result<Start> {
    let malformed =
        |cause: &str| Error::Malformed { place: "after_version".to_owned(), cause: cause.to_owned() };
    let Some(key) = after else {
        return match version {
            Some(_) => Err(malformed("needs `after`, the key of the version")),
            None => Ok(Start::Beginning),
        };
    };
    let Some(version) = version else { return Ok(Start::AfterKey(key.to_owned())) };
    check_key(key).map_err(|_| malformed("needs the key of an object in `after`"))?;
    let id = VersionId::parse(version).map_err(|_| malformed("must be `null` or 16 hexadecimal digits"))?;
    let number = match id {
        VersionId::Number(number) => Some(number),
        VersionId::Null => {
            store::find(stored, key.as_bytes(), Some(VersionId::Null))?.map(|version| version.number)
        }
    };
    Ok(match number {
        Some(number) => Start::AfterEntry(key.to_owned(), u64::MAX - number),
        None => Start::AfterKey(key.to_owned()),
    })
}

fn stored(pool: &Pool, bucket: &str) -> Result<Stored> {
    Ok(Stored { pool: pool.clone(), bucket: pool.bucket(bucket)?.id })
}
