//! `forebay bucket`.

use anyhow::Result;
use forebay_admin::views::{BucketView, EfficiencyView, List};
use serde_json::json;

use super::arguments::BucketCommand;
use super::settings::{list, say_changes, show};
use super::{contents, documents};
use crate::admin::client::{Client, part};
use crate::commands::pool;
use crate::config::size;
use crate::output::{confirm, print_as, print_done, print_gone, print_pairs};

/// Buckets of one request.
const PAGE: usize = 1000;

/// The path of a bucket.
pub fn place(bucket: &str) -> String {
    format!("buckets/{}", part(bucket))
}

/// Carries out a `forebay bucket` command.
pub fn run(command: BucketCommand) -> Result<()> {
    match command {
        BucketCommand::Create(arguments) => {
            let (new, remote) = arguments.bucket();
            let bucket: BucketView = Client::new(&remote)?.post("buckets", &new)?;
            let sentence = format!("created bucket {}, owned by S3 user {}", bucket.name, bucket.owner);
            print_done(remote.format(), &bucket, &sentence)
        }
        BucketCommand::List { prefix, remote } => {
            let buckets = all(&Client::new(&remote)?, &prefix)?;
            print_as(remote.format(), &buckets, |buckets| list(buckets))
        }
        BucketCommand::Show { name, efficiency, remote } => {
            let client = Client::new(&remote)?;
            let bucket: BucketView = client.get(&place(&name))?;
            if !efficiency {
                return print_as(remote.format(), &bucket, show);
            }
            let found: EfficiencyView = client.get_patiently(&format!("{}/efficiency", place(&name)))?;
            let said = json!({"bucket": bucket, "efficiency": found});
            print_as(remote.format(), &said, |_| {
                show(&bucket)?;
                print_pairs(&pool::efficiency_pairs(Some(&found)))
            })
        }
        BucketCommand::Modify(arguments) => {
            let (name, edit, remote) = arguments.edit();
            let bucket: BucketView = Client::new(&remote)?.patch(&place(&name), &edit)?;
            print_as(remote.format(), &bucket, |bucket| say_changes(bucket, &edit))
        }
        BucketCommand::Delete { name, force, sure, remote } => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let bucket: BucketView = client.get(&place(&name))?;
                let (objects, used) = (bucket.objects, size::rounded(bucket.bytes_logical));
                Ok(format!("Permanently delete bucket {name} with {objects} objects and {used} of data?"))
            })?;
            let with_all = if force { "?force=true" } else { "" };
            client.delete(&format!("{}{with_all}", place(&name)))?;
            print_gone(remote.format(), &format!("deleted bucket {name}"))
        }
        BucketCommand::Policy(command) => documents::run_policy(command),
        BucketCommand::Lifecycle(command) => documents::run_lifecycle(command),
        BucketCommand::Cors(command) => documents::run_cors(command),
        BucketCommand::Objects(command) => contents::run(command),
    }
}

/// All buckets with the prefix, page by page.
fn all(client: &Client, prefix: &str) -> Result<Vec<BucketView>> {
    let mut buckets: Vec<BucketView> = Vec::new();
    loop {
        let after = buckets.last().map(|last| part(&last.name)).unwrap_or_default();
        let place = format!("buckets?limit={PAGE}&prefix={}&after={after}", part(prefix));
        let page: List<BucketView> = client.get(&place)?;
        let is_last = page.items.len() < PAGE;
        buckets.extend(page.items);
        if is_last {
            return Ok(buckets);
        }
    }
}
