//! `forebay object`.

use anyhow::Result;
use forebay_admin::views::{NewObject, ObjectView};

use super::arguments::ObjectCommand;
use crate::admin::client::{Client, part};
use crate::config::size;
use crate::output::print_done;

/// Carries out a `forebay object` command.
pub fn run(command: ObjectCommand) -> Result<()> {
    let ObjectCommand::Put { from_volume: file, object, records, replace, content_type, remote } = command;
    let mut key = object.key;
    if key.is_empty() || key.ends_with('/') {
        key.extend(file.path.trim_end_matches('/').rsplit('/').next());
    }
    let new = NewObject { key, volume: file.volume, path: file.path, records, replace, content_type };
    // Every byte is read, to verify it.
    let made: ObjectView =
        Client::new(&remote)?.post_patiently(&format!("buckets/{}/objects", part(&object.bucket)), &new)?;
    let sentence = format!("created s3://{}/{}, {}", object.bucket, made.key, size::rounded(made.size));
    print_done(remote.format(), &made, &sentence)
}
