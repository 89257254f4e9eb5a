//! `forebay s3 user`.

use anyhow::Result;
use forebay_admin::views::{List, NewS3User, S3GroupView, S3UserEdit, S3UserView};
use serde_json::json;

use super::arguments::{DeleteArgs, OneName, UserCommand};
use super::keys::{self, or};
use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_pairs};

/// The path of a user.
pub fn place(user: &str) -> String {
    format!("s3/users/{}", part(user))
}

/// Carries out a `forebay s3 user` command.
pub fn run(command: UserCommand) -> Result<()> {
    match command {
        UserCommand::Create { name, groups, remote } => create(&name, &groups, &remote),
        UserCommand::List { remote } => {
            let users: List<S3UserView> = Client::new(&remote)?.get("s3/users")?;
            print_as(remote.format(), &users.items, |users| list(users))
        }
        UserCommand::Show(OneName { name, remote }) => {
            let user: S3UserView = Client::new(&remote)?.get(&place(&name))?;
            print_as(remote.format(), &user, show)
        }
        UserCommand::Disable(OneName { name, remote }) => set_disabled(&name, true, &remote),
        UserCommand::Enable(OneName { name, remote }) => set_disabled(&name, false, &remote),
        UserCommand::Delete(DeleteArgs { name, sure, remote }) => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let user: S3UserView = client.get(&place(&name))?;
                Ok(format!("Delete S3 user {name} and {} access keys?", user.keys.len()))
            })?;
            client.delete(&place(&name))?;
            print_gone(remote.format(), &format!("deleted S3 user {name}"))
        }
    }
}

fn create(name: &str, groups: &[String], remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    // A group that does not exist is found before the user is created.
    for group in groups {
        let _: S3GroupView = client.get(&format!("s3/groups/{}", part(group)))?;
    }
    let mut user: S3UserView = client.post("s3/users", &NewS3User { name: name.to_owned() })?;
    for group in groups {
        let member = format!("s3/groups/{}/members/{}", part(group), part(name));
        let _: S3GroupView = client.put(&member, &json!({}))?;
    }
    if !groups.is_empty() {
        user = client.get(&place(name))?;
    }
    let more = if groups.is_empty() { String::new() } else { format!(" in {}", user.groups.join(", ")) };
    print_done(remote.format(), &user, &format!("created S3 user {name}{more}"))
}

fn set_disabled(name: &str, disabled: bool, remote: &Remote) -> Result<()> {
    let edit = S3UserEdit { disabled: Some(disabled) };
    let user: S3UserView = Client::new(remote)?.patch(&place(name), &edit)?;
    print_done(remote.format(), &user, &format!("{} S3 user {name}", done(disabled)))
}

/// The word for it.
pub fn done(disabled: bool) -> &'static str {
    if disabled { "disabled" } else { "enabled" }
}

fn list(users: &[S3UserView]) -> Result<()> {
    let row = |user: &S3UserView| {
        vec![
            user.name.clone(),
            done(user.disabled).to_owned(),
            user.groups.join(", "),
            user.keys.len().to_string(),
            user.created.clone(),
        ]
    };
    print_columns(&["name", "state", "groups", "keys", "created"], users.iter().map(row))
}

fn show(user: &S3UserView) -> Result<()> {
    print_pairs(&[
        ("name", user.name.clone()),
        ("id", user.id.clone()),
        ("state", done(user.disabled).to_owned()),
        ("groups", or(&Some(user.groups.join(", ")).filter(|groups| !groups.is_empty()), "none")),
        ("created", user.created.clone()),
    ])?;
    if user.keys.is_empty() { Ok(()) } else { keys::list(&user.keys) }
}
