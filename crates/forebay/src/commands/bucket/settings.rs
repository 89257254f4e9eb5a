//! The settings of buckets on the command line: how they are given, sent to the daemon, and shown.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use forebay_admin::views::{BucketEdit, BucketView, Compression, NewBucket, PublicAccessBlock, Versioning};

use crate::arguments::values::{parse_pair, parse_word};
use crate::arguments::{Remote, names};
use crate::commands::volume::settings::{Limit, limit, parse_limit, parse_size, rate, waits};
use crate::config::size;
use crate::output::{print_columns, print_line, print_pairs};

/// `forebay bucket create`.
#[derive(Debug, Args)]
#[group(skip)]
pub struct CreateArgs {
    /// The bucket's name: 3 to 63 of the characters a-z 0-9 - . beginning and ending with a letter or digit
    #[arg(value_parser = names::bucket)]
    name: String,

    /// The S3 user that owns the bucket [default: the first administrator, by name]
    #[arg(long, value_name = "USER", value_parser = names::name)]
    owner: Option<String>,

    /// Versioning of objects: unversioned, enabled or suspended [default: unversioned]
    #[arg(long, value_name = "STATE", value_parser = parse_word::<Versioning>)]
    versioning: Option<Versioning>,

    /// Allow locks on object versions; turns versioning on, and cannot be changed later
    #[arg(long)]
    object_lock: bool,

    /// Maximum size, of all versions and uploaded parts, such as 500GiB [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size: Option<u64>,

    /// Maximum bytes per second that clients may read and write, such as 50MiB, at least 1000000
    /// [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_bytes_per_second: Option<u64>,

    /// Compression of new objects: none, lz4 or zstd
    #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = parse_word::<Compression>)]
    compression: Compression,

    /// A tag of the bucket; may be given several times
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = parse_pair)]
    tags: Vec<(String, String)>,

    /// Where the daemon is.
    #[command(flatten)]
    remote: Remote,
}

impl CreateArgs {
    /// The bucket to create, and where.
    pub fn bucket(self) -> (NewBucket, Remote) {
        let new = NewBucket {
            name: self.name,
            owner: self.owner,
            versioning: self.versioning,
            object_lock: self.object_lock,
            size: self.size,
            max_bytes_per_second: self.max_bytes_per_second,
            compression: Some(self.compression),
            tags: self.tags.into_iter().collect(),
        };
        (new, self.remote)
    }
}

/// `forebay bucket modify`.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ModifyArgs {
    /// The bucket's name
    #[arg(value_parser = names::bucket)]
    name: String,

    /// Versioning of objects: enabled or suspended
    #[arg(long, value_name = "STATE", value_parser = parse_word::<Versioning>, group = "change")]
    versioning: Option<Versioning>,

    /// Maximum size, of all versions and uploaded parts, such as 500GiB, or none
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, group = "change")]
    size: Option<Limit>,

    /// Maximum bytes per second that clients may read and write, such as 50MiB, at least 1000000, or none
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, group = "change")]
    max_bytes_per_second: Option<Limit>,

    /// Compression of new objects: none, lz4 or zstd
    #[arg(long, value_name = "NAME", value_parser = parse_word::<Compression>, group = "change")]
    compression: Option<Compression>,

    /// Replace the tags of the bucket; may be given several times
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = parse_pair, group = "change")]
    tags: Vec<(String, String)>,

    /// Remove all tags of the bucket
    #[arg(long, conflicts_with = "tags", group = "change")]
    no_tags: bool,

    /// Whether access without a signature is blocked, whatever the policy says: on or off
    #[arg(long, value_name = "ON|OFF", value_parser = parse_block, group = "change")]
    block_public_access: Option<PublicAccessBlock>,

    /// Where the daemon is.
    #[command(flatten)]
    remote: Remote,
}

impl ModifyArgs {
    /// The bucket's name, what to change, and where.
    pub fn edit(self) -> (String, BucketEdit, Remote) {
        let tags: BTreeMap<String, String> = self.tags.into_iter().collect();
        let edit = BucketEdit {
            versioning: self.versioning,
            size: self.size.map(|Limit(limit)| limit),
            max_bytes_per_second: self.max_bytes_per_second.map(|Limit(limit)| limit),
            compression: self.compression,
            tags: (self.no_tags || !tags.is_empty()).then_some(tags),
            public_access_block: self.block_public_access.map(Some),
        };
        (self.name, edit, self.remote)
    }
}

/// Says what a change has done, a line for each setting.
pub fn say_changes(bucket: &BucketView, edit: &BucketEdit) -> Result<()> {
    let said = [
        edit.versioning.map(|_| format!("has versioning {}", bucket.versioning)),
        edit.size.map(|_| format!("has size {}", limit(bucket.size))),
        edit.max_bytes_per_second.map(|_| format!("has limit {}", rate(bucket.max_bytes_per_second))),
        edit.compression.map(|_| format!("has compression {}", bucket.compression)),
        edit.tags.as_ref().map(|_| format!("has tags {}", tags(bucket))),
        edit.public_access_block.map(|_| format!("blocks public access: {}", block(bucket))),
    ];
    said.iter().flatten().try_for_each(|said| print_line(&format!("bucket {} {said}", bucket.name)))
}

/// Prints buckets, one on each line.
pub fn list(buckets: &[BucketView]) -> Result<()> {
    print_columns(
        &["name", "owner", "versioning", "size", "used", "objects", "public", "created"],
        buckets.iter().map(|bucket| {
            vec![
                bucket.name.clone(),
                bucket.owner.clone(),
                bucket.versioning.to_string(),
                limit(bucket.size),
                size::rounded(bucket.bytes_logical),
                bucket.objects.to_string(),
                yes(bucket.public),
                bucket.created.clone(),
            ]
        }),
    )
}

/// Prints one bucket.
pub fn show(bucket: &BucketView) -> Result<()> {
    let none = || "none".to_owned();
    let retention = bucket.default_retention.map(|retention| match (retention.days, retention.years) {
        (Some(days), _) => format!("{}, {days} days", retention.mode),
        (None, years) => format!("{}, {} years", retention.mode, years.unwrap_or_default()),
    });
    print_pairs(&[
        ("name", bucket.name.clone()),
        ("owner", bucket.owner.clone()),
        ("versioning", bucket.versioning.to_string()),
        ("object lock", yes(bucket.object_lock)),
        ("default retention", retention.unwrap_or_else(none)),
        ("size", limit(bucket.size)),
        ("used", format!("{} ({} bytes)", size::rounded(bucket.bytes_logical), bucket.bytes_logical)),
        ("objects", bucket.objects.to_string()),
        ("limit", rate(bucket.max_bytes_per_second)),
        ("throttled", bucket.waits.as_ref().map_or_else(none, waits)),
        ("compression", bucket.compression.to_string()),
        ("tags", tags(bucket)),
        ("policy", yes(bucket.has_policy)),
        ("public", yes(bucket.public)),
        ("public access blocked", block(bucket)),
        ("lifecycle rules", yes(bucket.has_lifecycle)),
        ("cors rules", yes(bucket.has_cors)),
        ("created", bucket.created.clone()),
    ])
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn tags(bucket: &BucketView) -> String {
    let tags: Vec<String> = bucket.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if tags.is_empty() { "none".to_owned() } else { tags.join(", ") }
}

/// The parts of the public access block that are on.
fn block(bucket: &BucketView) -> String {
    let block = bucket.public_access_block.unwrap_or_default();
    let parts = [
        ("acls refused", block.block_public_acls),
        ("acls ignored", block.ignore_public_acls),
        ("policies refused", block.block_public_policy),
        ("policies restricted", block.restrict_public_buckets),
    ];
    let on: Vec<&str> = parts.iter().filter(|(_, is_on)| *is_on).map(|(part, _)| *part).collect();
    match on.len() {
        0 => "no".to_owned(),
        4 => "yes".to_owned(),
        _ => on.join(", "),
    }
}

/// All parts on or off: single parts are for those who know S3's API.
fn parse_block(text: &str) -> Result<PublicAccessBlock, String> {
    let is_on = match text {
        "on" => true,
        "off" => false,
        _ => return Err("write on or off".to_owned()),
    };
    Ok(PublicAccessBlock {
        block_public_acls: is_on,
        ignore_public_acls: is_on,
        block_public_policy: is_on,
        restrict_public_buckets: is_on,
    })
}
