//! `forebay s3 group`.

use anyhow::Result;
use forebay_admin::views::{List, NewS3Group, S3GroupView};
use serde_json::json;

use super::arguments::{DeleteArgs, GroupCommand, GroupPolicyCommand, Member, OneName, OnePolicy};
use super::documents::{print_document, read_document};
use crate::admin::client::{Client, part};
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_pairs};

fn place(group: &str) -> String {
    format!("s3/groups/{}", part(group))
}

/// Carries out a `forebay s3 group` command.
pub fn run(command: GroupCommand) -> Result<()> {
    match command {
        GroupCommand::Create(OneName { name, remote }) => {
            let new = NewS3Group { name: name.clone() };
            let group: S3GroupView = Client::new(&remote)?.post("s3/groups", &new)?;
            print_done(remote.format(), &group, &format!("created S3 group {name}"))
        }
        GroupCommand::List { remote } => {
            let groups: List<S3GroupView> = Client::new(&remote)?.get("s3/groups")?;
            print_as(remote.format(), &groups.items, |groups| list(groups))
        }
        GroupCommand::Show(OneName { name, remote }) => {
            let group: S3GroupView = Client::new(&remote)?.get(&place(&name))?;
            print_as(remote.format(), &group, |group| {
                print_pairs(&[
                    ("name", group.name.clone()),
                    ("built in", if group.built_in { "yes" } else { "no" }.to_owned()),
                    ("members", or_none(&group.members)),
                    ("policies", or_none(&group.policies)),
                    ("created", group.created.clone()),
                ])
            })
        }
        GroupCommand::Delete(DeleteArgs { name, sure, remote }) => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let group: S3GroupView = client.get(&place(&name))?;
                Ok(format!("Delete S3 group {name}, whose rights {} members lose?", group.members.len()))
            })?;
            client.delete(&place(&name))?;
            print_gone(remote.format(), &format!("deleted S3 group {name}"))
        }
        GroupCommand::AddMember(Member { group, user, remote }) => {
            let member = format!("{}/members/{}", place(&group), part(&user));
            let view: S3GroupView = Client::new(&remote)?.put(&member, &json!({}))?;
            print_done(remote.format(), &view, &format!("added S3 user {user} to group {group}"))
        }
        GroupCommand::RemoveMember(Member { group, user, remote }) => {
            Client::new(&remote)?.delete(&format!("{}/members/{}", place(&group), part(&user)))?;
            print_gone(remote.format(), &format!("removed S3 user {user} from group {group}"))
        }
        GroupCommand::Policy(command) => run_policy(command),
    }
}

fn run_policy(command: GroupPolicyCommand) -> Result<()> {
    let place = |group: &str, policy: &str| format!("{}/policies/{}", place(group), part(policy));
    match command {
        GroupPolicyCommand::Show(OnePolicy { group, policy, remote }) => {
            let text = Client::new(&remote)?.get_text(&place(&group, &policy))?;
            print_document(remote.format(), &text)
        }
        GroupPolicyCommand::Set { group, policy, file, remote } => {
            let text = read_document(&file)?;
            let view: S3GroupView = Client::new(&remote)?.put_text_for(&place(&group, &policy), text)?;
            print_done(remote.format(), &view, &format!("group {group} has policy {policy}"))
        }
        GroupPolicyCommand::Remove { policy: OnePolicy { group, policy, remote }, sure } => {
            let client = Client::new(&remote)?;
            confirm(sure, || Ok(format!("Remove policy {policy} from S3 group {group}?")))?;
            client.delete(&place(&group, &policy))?;
            print_gone(remote.format(), &format!("removed policy {policy} from group {group}"))
        }
    }
}

fn list(groups: &[S3GroupView]) -> Result<()> {
    let row = |group: &S3GroupView| {
        vec![group.name.clone(), or_none(&group.members), or_none(&group.policies), group.created.clone()]
    };
    print_columns(&["name", "members", "policies", "created"], groups.iter().map(row))
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
