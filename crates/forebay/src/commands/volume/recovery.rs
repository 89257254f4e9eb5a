//! Deleting volumes, and recovering deleted ones.

use anyhow::Result;
use forebay_admin::views::{
    DeletedVolumeView, List, RecoverVolume, SnapshotView, VolumeClientsView, VolumeView,
};

use super::run::place;
use crate::admin::client::{Client, part};
use crate::arguments::{Remote, Sure};
use crate::config::size;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone};

/// The most snapshots that a question names.
const SNAPSHOTS_NAMED_MAX: usize = 5;

/// How a volume is deleted.
pub struct Deletion {
    /// With its files and snapshots.
    pub force: bool,
    /// So that it cannot be recovered.
    pub now: bool,
    /// Keep the snapshot that was taken for a clone.
    pub keep_snapshot: bool,
}

fn place_of_deleted(volume: &str) -> String {
    format!("deleted-volumes/{}", part(volume))
}

/// Carries out `forebay volume delete`.
pub fn delete(name: &str, deletion: &Deletion, sure: Sure, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    confirm(sure, || {
        let volume: VolumeView = client.get(&place(name))?;
        let how = if deletion.now { "Permanently delete" } else { "Delete" };
        let used = size::rounded(volume.bytes_logical);
        let snapshots = snapshots_in_words(&client, name)?;
        let users = users_in_words(&client, name)?;
        Ok(format!("{users}{how} volume {name} with {used} of data{snapshots}?"))
    })?;
    let Deletion { force, now, keep_snapshot } = deletion;
    let flags = [("force", force), ("now", now), ("keep_snapshot", keep_snapshot)];
    let flags: Vec<String> =
        flags.iter().filter(|(_, is_set)| **is_set).map(|(flag, _)| format!("{flag}=true")).collect();
    let query = if flags.is_empty() { String::new() } else { format!("?{}", flags.join("&")) };
    client.delete(&format!("{}{query}", place(name)))?;
    let deleted: Option<DeletedVolumeView> = if *now { None } else { newest_deleted(&client, name)? };
    let until = deleted.map_or_else(String::new, |deleted| {
        format!("; until {} `forebay volume recover {name}` brings it back", deleted.recoverable_until)
    });
    print_gone(remote.format(), &format!("deleted volume {name}{until}"))
}

/// The volume that was just deleted, unless the daemon does not keep deleted volumes.
fn newest_deleted(client: &Client, name: &str) -> Result<Option<DeletedVolumeView>> {
    let all: List<DeletedVolumeView> = client.get("deleted-volumes")?;
    Ok(all.items.into_iter().rfind(|deleted| deleted.name == name))
}

/// `, and its snapshots a, b, …`.
fn snapshots_in_words(client: &Client, name: &str) -> Result<String> {
    let snapshots: List<SnapshotView> = client.get(&format!("{}/snapshots", place(name)))?;
    let names: Vec<&str> =
        snapshots.items.iter().take(SNAPSHOTS_NAMED_MAX).map(|snapshot| &snapshot.name[..]).collect();
    let more = if snapshots.items.len() > names.len() { ", …" } else { "" };
    Ok(match snapshots.items.len() {
        0 => String::new(),
        1 => format!(", and its snapshot {}", names.join("")),
        count => format!(", and its {count} snapshots {}{more}", names.join(", ")),
    })
}

/// Who has files of the volume open, as a sentence before a question; empty if nobody has.
pub fn users_in_words(client: &Client, name: &str) -> Result<String> {
    let clients: VolumeClientsView = client.get(&format!("{}/clients", place(name)))?;
    Ok(clients.sentence().map_or_else(String::new, |sentence| format!("{sentence}. ")))
}

/// Carries out `forebay volume list --deleted`.
pub fn list_deleted(remote: &Remote) -> Result<()> {
    let deleted: List<DeletedVolumeView> = Client::new(remote)?.get("deleted-volumes")?;
    print_as(remote.format(), &deleted.items, |volumes| {
        print_columns(
            &["name", "id", "used", "snapshots", "deleted", "recoverable until"],
            volumes.iter().map(|volume| {
                vec![
                    volume.name.clone(),
                    format!("id:{}", volume.id),
                    size::rounded(volume.bytes_logical),
                    volume.snapshots.to_string(),
                    volume.deleted.clone(),
                    volume.recoverable_until.clone(),
                ]
            }),
        )
    })
}

/// Carries out `forebay volume recover`.
pub fn recover(name: &str, how: &RecoverVolume, remote: &Remote) -> Result<()> {
    let volume: VolumeView =
        Client::new(remote)?.post(&format!("{}/recover", place_of_deleted(name)), how)?;
    let sentence = format!("recovered volume {} at {}", volume.name, volume.path);
    print_done(remote.format(), &volume, &sentence)
}

/// Carries out `forebay volume purge`.
pub fn purge(name: &str, sure: Sure, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    confirm(sure, || {
        let deleted: DeletedVolumeView = client.get(&place_of_deleted(name))?;
        let used = size::rounded(deleted.bytes_logical);
        let snapshots = match deleted.snapshots {
            0 => String::new(),
            1 => " and 1 snapshot".to_owned(),
            count => format!(" and {count} snapshots"),
        };
        Ok(format!(
            "Permanently delete volume {}, deleted {}, with {used} of data{snapshots}?",
            deleted.name, deleted.deleted
        ))
    })?;
    client.delete(&place_of_deleted(name))?;
    print_gone(remote.format(), &format!("purged deleted volume {name}"))
}
