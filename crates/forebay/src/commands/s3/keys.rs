//! `forebay s3 key`.

use anyhow::{Result, anyhow};
use forebay_admin::views::{List, NewS3Key, S3KeyCreated, S3KeyEdit, S3KeyView, S3UserView};

use super::arguments::{KeyCommand, OneKey};
use super::users::{done, place};
use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_line};

/// Carries out a `forebay s3 key` command.
pub fn run(command: KeyCommand) -> Result<()> {
    match command {
        KeyCommand::Create { user, expires_in, section, remote } => {
            let new = NewS3Key { expires_in: expires_in.map(|time| time.as_secs()), expires: None };
            let created: S3KeyCreated =
                Client::new(&remote)?.post(&format!("{}/keys", place(&user)), &new)?;
            print_as(remote.format(), &created, |created| {
                print_line(&format!("[{section}]"))?;
                print_line(&format!("aws_access_key_id = {}", created.key.id))?;
                print_line(&format!("aws_secret_access_key = {}", created.secret))
            })
        }
        KeyCommand::List { user, remote } => {
            let keys = keys_of(&Client::new(&remote)?, user.as_deref())?;
            print_as(remote.format(), &keys, |keys| list(keys))
        }
        KeyCommand::Disable(OneKey { id, remote }) => set_disabled(&id, true, &remote),
        KeyCommand::Enable(OneKey { id, remote }) => set_disabled(&id, false, &remote),
        KeyCommand::Delete { id, sure, remote } => {
            let client = Client::new(&remote)?;
            let key = find(&client, &id)?;
            confirm(sure, || {
                let used = or(&key.last_used, "never");
                Ok(format!("Delete access key {id} of S3 user {}, last used: {used}?", key.user))
            })?;
            client.delete(&place_of(&key))?;
            print_gone(remote.format(), &format!("deleted access key {id} of S3 user {}", key.user))
        }
    }
}

fn set_disabled(id: &str, disabled: bool, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    let key = find(&client, id)?;
    let key: S3KeyView = client.patch(&place_of(&key), &S3KeyEdit { disabled: Some(disabled) })?;
    let sentence = format!("{} access key {id} of S3 user {}", done(disabled), key.user);
    print_done(remote.format(), &key, &sentence)
}

fn place_of(key: &S3KeyView) -> String {
    format!("{}/keys/{}", place(&key.user), part(&key.id))
}

/// The keys of one user, or of all.
fn keys_of(client: &Client, user: Option<&str>) -> Result<Vec<S3KeyView>> {
    match user {
        Some(user) => Ok(client.get::<S3UserView>(&place(user))?.keys),
        None => {
            let users: List<S3UserView> = client.get("s3/users")?;
            Ok(users.items.into_iter().flat_map(|user| user.keys).collect())
        }
    }
}

/// The API names a key below its user; the command line only by its id.
fn find(client: &Client, id: &str) -> Result<S3KeyView> {
    let found = keys_of(client, None)?.into_iter().find(|key| key.id == id);
    found.ok_or_else(|| anyhow!("access key {id}: not found; `forebay s3 key list` shows all keys"))
}

/// Prints keys, one on each line.
pub fn list(keys: &[S3KeyView]) -> Result<()> {
    let state = |key: &S3KeyView| match (key.usable, key.disabled) {
        (false, _) => "unusable: its secret cannot be decrypted".to_owned(),
        (true, disabled) => done(disabled).to_owned(),
    };
    let row = |key: &S3KeyView| {
        vec![
            key.id.clone(),
            key.user.clone(),
            state(key),
            key.created.clone(),
            or(&key.expires, "never"),
            or(&key.last_used, "-"),
        ]
    };
    print_columns(&["access key", "user", "state", "created", "expires", "last used"], keys.iter().map(row))
}

/// The text, or what stands for none.
pub fn or(text: &Option<String>, none: &str) -> String {
    text.clone().unwrap_or_else(|| none.to_owned())
}
