//! `forebay bucket objects`.

use std::ops::ControlFlow;

use anyhow::Result;
use forebay_admin::views::{ObjectView, ObjectsView, VersionView, VersionsView};

use super::arguments::{ListArgs, ObjectsCommand};
use super::run::place;
use crate::admin::client::{Client, part};
use crate::arguments::Format;
use crate::output::print_next;

/// Entries of one request.
const PAGE: u64 = 1000;

/// The columns for spreadsheets: common prefixes, and the fields of objects and versions.
const OBJECTS: [&str; 8] = ["prefix", "key", "version", "size", "modified", "etag", "content_type", "owner"];
const VERSIONS: [&str; 13] = [
    "prefix",
    "key",
    "version",
    "size",
    "modified",
    "etag",
    "content_type",
    "owner",
    "latest",
    "delete_marker",
    "retention_mode",
    "retain_until",
    "legal_hold",
];

/// Carries out a `forebay bucket objects` command.
pub fn run(command: ObjectsCommand) -> Result<()> {
    match command {
        ObjectsCommand::List(arguments) if arguments.versions => list_versions(arguments),
        ObjectsCommand::List(arguments) => list_objects(arguments),
    }
}

/// Prints page after page: a bucket may have more objects than fit into memory.
fn list_objects(arguments: ListArgs) -> Result<()> {
    let client = Client::new(&arguments.remote)?;
    let format = arguments.remote.format();
    let mut left = arguments.limit.unwrap_or(u64::MAX);
    let mut after = arguments.after.clone();
    loop {
        let page: ObjectsView = client.get(&query(&arguments, "objects", after.as_deref(), None, left))?;
        left = left.saturating_sub((page.items.len() + page.prefixes.len()) as u64);
        let (mut objects, mut prefixes) = (page.items.iter().peekable(), page.prefixes.iter().peekable());
        // Both are sorted; together they are the listing.
        loop {
            let is_prefix = match (objects.peek(), prefixes.peek()) {
                (Some(object), Some(prefix)) => **prefix < object.key,
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (None, None) => break,
            };
            let printed = if is_prefix {
                prefixes.next().map(|prefix| print_prefix(format, prefix, &OBJECTS))
            } else {
                objects.next().map(|object| print_next(format, object, &OBJECTS, object_line))
            };
            if let Some(ControlFlow::Break(())) = printed.transpose()? {
                return Ok(());
            }
        }
        after = page.next;
        if after.is_none() || left == 0 {
            return Ok(());
        }
    }
}

fn list_versions(arguments: ListArgs) -> Result<()> {
    let client = Client::new(&arguments.remote)?;
    let format = arguments.remote.format();
    let mut left = arguments.limit.unwrap_or(u64::MAX);
    let mut after = (arguments.after.clone(), None);
    loop {
        let place = query(&arguments, "versions", after.0.as_deref(), after.1.as_deref(), left);
        let page: VersionsView = client.get(&place)?;
        left = left.saturating_sub((page.items.len() + page.prefixes.len()) as u64);
        for prefix in &page.prefixes {
            if print_prefix(format, prefix, &VERSIONS)?.is_break() {
                return Ok(());
            }
        }
        for version in &page.items {
            if print_next(format, version, &VERSIONS, version_line)?.is_break() {
                return Ok(());
            }
        }
        after = (page.next, page.next_version);
        if after.0.is_none() || left == 0 {
            return Ok(());
        }
    }
}

fn print_prefix(format: Format, prefix: &str, columns: &[&str]) -> Result<ControlFlow<()>> {
    print_next(format, &PrefixLine { prefix }, columns, |line| prefix_line(line.prefix))
}

/// A common prefix, for programs.
#[derive(serde::Serialize)]
struct PrefixLine<'a> {
    prefix: &'a str,
}

fn query(arguments: &ListArgs, of: &str, after: Option<&str>, version: Option<&str>, left: u64) -> String {
    let mut place = format!("{}/{of}?limit={}", place(&arguments.name), left.min(PAGE));
    let parameters = [
        ("prefix", Some(arguments.prefix.as_str()).filter(|text| !text.is_empty())),
        ("delimiter", Some(arguments.delimiter.as_str()).filter(|text| !text.is_empty())),
        ("after", after),
        ("after_version", version),
    ];
    for (name, value) in parameters {
        if let Some(value) = value {
            place.push_str(&format!("&{name}={}", part(value)));
        }
    }
    place
}

fn prefix_line(prefix: &str) -> String {
    format!("{:>20}  {:>14}  {prefix}", "", "prefix")
}

fn object_line(object: &ObjectView) -> String {
    format!("{:>20}  {:>14}  {}", object.modified, object.size, object.key)
}

fn version_line(version: &VersionView) -> String {
    let object = &version.object;
    let kind = match (version.delete_marker, version.latest) {
        (true, true) => "delete marker",
        (true, false) => "older delete marker",
        (false, true) => "latest",
        (false, false) => "older",
    };
    format!("{:>20}  {:>14}  {:16}  {kind:19}  {}", object.modified, object.size, object.version, object.key)
}
