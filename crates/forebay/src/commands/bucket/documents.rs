//! The policy, the lifecycle rules and the CORS rules of a bucket.

use anyhow::Result;
use forebay_admin::views::{CorsRule, CorsRules, LifecycleRule, LifecycleRules};

use super::arguments::{CorsCommand, LifecycleCommand, OneBucket, PolicyCommand, RemoveArgs, SetArgs};
use super::run::place;
use crate::admin::client::Client;
use crate::commands::s3::documents::{print_document, read_document};
use crate::output::{confirm, print_columns, print_done, print_gone, print_list_as};

/// Carries out a `forebay bucket policy` command.
pub fn run_policy(command: PolicyCommand) -> Result<()> {
    match command {
        PolicyCommand::Show(OneBucket { name, remote }) => {
            let text = Client::new(&remote)?.get_text(&document(&name, "policy"))?;
            print_document(remote.format(), &text)
        }
        PolicyCommand::Set(SetArgs { name, file, remote }) => {
            let text = read_document(&file)?;
            Client::new(&remote)?.put_text(&document(&name, "policy"), text)?;
            print_gone(remote.format(), &format!("bucket {name} has a new policy"))
        }
        PolicyCommand::Remove(arguments) => remove(arguments, "policy", "the policy"),
    }
}

/// Carries out a `forebay bucket lifecycle` command.
pub fn run_lifecycle(command: LifecycleCommand) -> Result<()> {
    match command {
        LifecycleCommand::Show(OneBucket { name, remote }) => {
            let rules: LifecycleRules = Client::new(&remote)?.get(&document(&name, "lifecycle"))?;
            print_list_as(remote.format(), &rules, &rules.rules, |rules| list_lifecycle(&rules.rules))
        }
        LifecycleCommand::Set(SetArgs { name, file, remote }) => {
            let text = read_document(&file)?;
            let rules: LifecycleRules =
                Client::new(&remote)?.put_text_for(&document(&name, "lifecycle"), text)?;
            let sentence = format!("bucket {name} has {} lifecycle rules", rules.rules.len());
            print_done(remote.format(), &rules, &sentence)
        }
        LifecycleCommand::Remove(arguments) => remove(arguments, "lifecycle", "all lifecycle rules"),
    }
}

/// Carries out a `forebay bucket cors` command.
pub fn run_cors(command: CorsCommand) -> Result<()> {
    match command {
        CorsCommand::Show(OneBucket { name, remote }) => {
            let rules: CorsRules = Client::new(&remote)?.get(&document(&name, "cors"))?;
            print_list_as(remote.format(), &rules, &rules.rules, |rules| list_cors(&rules.rules))
        }
        CorsCommand::Set(SetArgs { name, file, remote }) => {
            let text = read_document(&file)?;
            let rules: CorsRules = Client::new(&remote)?.put_text_for(&document(&name, "cors"), text)?;
            let sentence = format!("bucket {name} has {} CORS rules", rules.rules.len());
            print_done(remote.format(), &rules, &sentence)
        }
        CorsCommand::Remove(arguments) => remove(arguments, "cors", "all CORS rules"),
    }
}

fn document(bucket: &str, kind: &str) -> String {
    format!("{}/{kind}", place(bucket))
}

fn remove(RemoveArgs { name, sure, remote }: RemoveArgs, kind: &str, what: &str) -> Result<()> {
    let client = Client::new(&remote)?;
    confirm(sure, || Ok(format!("Remove {what} of bucket {name}?")))?;
    client.delete(&document(&name, kind))?;
    print_gone(remote.format(), &format!("removed {what} of bucket {name}"))
}

fn list_lifecycle(rules: &[LifecycleRule]) -> Result<()> {
    let row = |rule: &LifecycleRule| {
        vec![
            rule.id.clone().unwrap_or_default(),
            if rule.enabled.unwrap_or(true) { "yes" } else { "no" }.to_owned(),
            applies_to(rule),
            actions(rule),
        ]
    };
    print_columns(&["rule", "enabled", "applies to", "does"], rules.iter().map(row))
}

/// Which objects a rule is about.
fn applies_to(rule: &LifecycleRule) -> String {
    let prefix = rule.prefix.as_deref().filter(|prefix| !prefix.is_empty());
    let tags = rule.tags.iter().map(|(key, value)| format!("tag {key}={value}"));
    let parts: Vec<String> = prefix
        .map(|prefix| format!("{prefix}*"))
        .into_iter()
        .chain(tags)
        .chain(rule.size_above.map(|bytes| format!("more than {bytes} bytes")))
        .chain(rule.size_below.map(|bytes| format!("fewer than {bytes} bytes")))
        .collect();
    if parts.is_empty() { "all objects".to_owned() } else { parts.join(", ") }
}

/// What a rule does.
fn actions(rule: &LifecycleRule) -> String {
    let noncurrent = rule.noncurrent_days.map(|days| match rule.noncurrent_keep {
        Some(keep) => format!("remove older versions after {days} days, except the newest {keep}"),
        None => format!("remove older versions after {days} days"),
    });
    let parts = [
        rule.expire_days.map(|days| format!("expire after {days} days")),
        rule.expire_at.as_ref().map(|time| format!("expire at {time}")),
        rule.expire_delete_markers
            .filter(|is_set| *is_set)
            .map(|_| "remove delete markers without versions".to_owned()),
        noncurrent,
        rule.abort_uploads_days.map(|days| format!("abort uploads after {days} days")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn list_cors(rules: &[CorsRule]) -> Result<()> {
    let row = |rule: &CorsRule| {
        vec![
            rule.id.clone().unwrap_or_default(),
            rule.allowed_origins.join(", "),
            rule.allowed_methods.join(", "),
            rule.allowed_headers.join(", "),
            rule.expose_headers.join(", "),
            rule.max_age_seconds.map_or_else(String::new, |seconds| seconds.to_string()),
        ]
    };
    print_columns(&["rule", "origins", "methods", "headers", "exposes", "max age"], rules.iter().map(row))
}
