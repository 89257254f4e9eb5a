//! `forebay volume`.

use anyhow::Result;
use forebay_admin::views::{
    EfficiencyView, List, NewClone, NfsView, RecoverVolume, Rollback, SnapshotView, VolumeEdit, VolumeView,
};
use serde_json::json;

use super::arguments::VolumeCommand;
use super::recovery::{self, Deletion};
use super::settings::{Limit, limit, list, say_changes, show};
use super::traffic;
use crate::admin::client::{Client, part};
use crate::arguments::names::Source;
use crate::config::size;
use crate::output::{confirm, natural, print_as, print_done};

/// The path of a volume in the API.
pub fn place(volume: &str) -> String {
    format!("volumes/{}", part(volume))
}

/// Carries out a `forebay volume` command.
pub fn run(command: VolumeCommand) -> Result<()> {
    match command {
        VolumeCommand::Create(arguments) => {
            let (new, remote) = arguments.volume();
            let volume: VolumeView = Client::new(&remote)?.post("volumes", &new)?;
            let size =
                volume.size.map_or_else(String::new, |size| format!(", with up to {}", size::rounded(size)));
            print_done(
                remote.format(),
                &volume,
                &format!("created volume {} at {}{size}", volume.name, volume.path),
            )
        }
        VolumeCommand::List { deleted: true, remote, .. } => recovery::list_deleted(&remote),
        VolumeCommand::List { deleted: false, label, remote } => {
            let query = label.map(|label| format!("?label={}", part(&label))).unwrap_or_default();
            let mut volumes: List<VolumeView> = Client::new(&remote)?.get(&format!("volumes{query}"))?;
            volumes.items.sort_by(|one, other| natural::order(&one.name, &other.name));
            print_as(remote.format(), &volumes.items, |volumes| list(volumes))
        }
        VolumeCommand::Show { name, efficiency, remote } => {
            let client = Client::new(&remote)?;
            let mut volume: VolumeView = client.get(&place(&name))?;
            let table = |volume: &VolumeView| {
                let nfs: NfsView = client.get("nfs")?;
                show(volume, &nfs.mount_command(client.reached().as_deref(), &volume.path))
            };
            if !efficiency {
                return print_as(remote.format(), &volume, table);
            }
            let found: EfficiencyView =
                client.get_patiently(&format!("pool/efficiency?volume={}", part(&volume.name)))?;
            volume.efficiency = Some(found.clone());
            let said = json!({"volume": volume, "efficiency": found});
            print_as(remote.format(), &said, |_| table(&volume))
        }
        VolumeCommand::Traffic { name, last, step, remote } => traffic::run(&name, last, step, &remote),
        VolumeCommand::Resize { name, size: Limit(size), remote } => {
            let edit = VolumeEdit { size: Some(size), ..VolumeEdit::default() };
            let volume: VolumeView = Client::new(&remote)?.patch(&place(&name), &edit)?;
            print_done(
                remote.format(),
                &volume,
                &format!("volume {} has size {}", volume.name, limit(volume.size)),
            )
        }
        VolumeCommand::Modify(arguments) => {
            let (name, edit, remote) = arguments.edit();
            let volume: VolumeView = Client::new(&remote)?.patch(&place(&name), &edit)?;
            print_as(remote.format(), &volume, |volume| say_changes(volume, &edit))
        }
        VolumeCommand::Clone { source: Source { volume, snapshot }, name, path, export, remote } => {
            let of = match snapshot {
                Some(snapshot) => format!("{}/snapshots/{}/clones", place(&volume), part(&snapshot)),
                None => format!("{}/clones", place(&volume)),
            };
            let volume: VolumeView = Client::new(&remote)?.post(&of, &NewClone { name, path, export })?;
            let of = volume.clone_of.as_deref().unwrap_or_default();
            let sentence = format!("created volume {} at {} as a clone of {of}", volume.name, volume.path);
            print_done(remote.format(), &volume, &sentence)
        }
        VolumeCommand::Rollback { name, to, force, sure, remote } => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let taken: SnapshotView = client.get(&format!("{}/snapshots/{}", place(&name), part(&to)))?;
                let users = recovery::users_in_words(&client, &name)?;
                let newer = newer_in_words(&client, &name, &taken)?;
                Ok(format!("{users}Discard all changes to volume {name} since {}{newer}?", taken.created))
            })?;
            let place = format!("{}/snapshots/{}/rollback", place(&name), part(&to));
            let volume: VolumeView = client.post(&place, &Rollback { force })?;
            print_done(remote.format(), &volume, &format!("reverted volume {name} to {to}"))
        }
        VolumeCommand::Rename { name, new, path, remote } => {
            let edit = VolumeEdit { name: Some(new), path, ..VolumeEdit::default() };
            let volume: VolumeView = Client::new(&remote)?.patch(&place(&name), &edit)?;
            let sentence = format!("renamed volume {name} to {}, at {}", volume.name, volume.path);
            print_done(remote.format(), &volume, &sentence)
        }
        VolumeCommand::Delete { name, force, now, keep_snapshot, sure, remote } => {
            recovery::delete(&name, &Deletion { force, now, keep_snapshot }, sure, &remote)
        }
        VolumeCommand::Recover { name, new, path, export, remote } => {
            recovery::recover(&name, &RecoverVolume { name: new, path, export }, &remote)
        }
        VolumeCommand::Purge { name, sure, remote } => recovery::purge(&name, sure, &remote),
    }
}

/// The snapshots that a rollback deletes: ` and delete its newer snapshots a, b`.
fn newer_in_words(client: &Client, volume: &str, to: &SnapshotView) -> Result<String> {
    let all: List<SnapshotView> = client.get(&format!("{}/snapshots", place(volume)))?;
    let newer: Vec<String> = all
        .items
        .into_iter()
        .skip_while(|taken| taken.name != to.name)
        .skip(1)
        .map(|taken| taken.name)
        .collect();
    Ok(if newer.is_empty() {
        String::new()
    } else {
        format!(" and delete its newer snapshots {}", newer.join(", "))
    })
}
