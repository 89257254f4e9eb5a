//! `forebay volume`.

use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::{
    EfficiencyView, List, NewClone, NewVolume, NfsView, Plan, Rollback, SnapshotView, VolumeEdit, VolumeView,
    WaitsView,
};
use serde_json::json;

use super::arguments::{Limit, VolumeCommand};
use super::traffic;
use crate::admin::client::{Client, part};
use crate::arguments::names::Source;
use crate::commands::pool;
use crate::config::size;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_line, print_pairs};

fn place(volume: &str) -> String {
    format!("volumes/{}", part(volume))
}

/// Carries out a `forebay volume` command.
pub fn run(command: VolumeCommand) -> Result<()> {
    match command {
        VolumeCommand::Create {
            name,
            path,
            owner: (uid, gid),
            mode,
            size,
            max_bytes_per_second,
            snapshots,
            compression,
            export,
            no_preserve_unlink,
            remote,
        } => {
            let new = NewVolume {
                name,
                path,
                preserve_unlink: Some(!no_preserve_unlink),
                uid,
                gid,
                mode: Some(octal(mode)),
                size,
                max_bytes_per_second,
                compression: Some(compression),
                snapshots,
                export: Some(export),
            };
            let volume: VolumeView = Client::new(&remote)?.post("volumes", &new)?;
            print_done(
                remote.format(),
                &volume,
                &format!("created volume {} at {}", volume.name, volume.path),
            )
        }
        VolumeCommand::List { remote } => {
            let volumes: List<VolumeView> = Client::new(&remote)?.get("volumes")?;
            print_as(remote.format(), &volumes.items, |volumes| list(volumes))
        }
        VolumeCommand::Show { name, efficiency, remote } => {
            let client = Client::new(&remote)?;
            let volume: VolumeView = client.get(&place(&name))?;
            let table = |volume: &VolumeView| {
                let nfs: NfsView = client.get("nfs")?;
                show(volume, &nfs.mount_command(client.reached().as_deref(), &volume.path))
            };
            if !efficiency {
                return print_as(remote.format(), &volume, table);
            }
            let found: EfficiencyView =
                client.get_patiently(&format!("pool/efficiency?volume={}", part(&volume.name)))?;
            let said = json!({"volume": volume, "efficiency": found});
            print_as(remote.format(), &said, |_| {
                table(&volume)?;
                pool::show_efficiency(&found)
            })
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
        VolumeCommand::Modify {
            name,
            export,
            snapshots,
            max_bytes_per_second,
            path,
            owner,
            mode,
            compression,
            preserve_unlink,
            remote,
        } => {
            let edit = VolumeEdit {
                path,
                preserve_unlink,
                uid: owner.map(|(uid, _)| uid),
                gid: owner.map(|(_, gid)| gid),
                mode: mode.map(octal),
                size: None,
                max_bytes_per_second: max_bytes_per_second.map(|Limit(limit)| limit),
                compression,
                snapshots,
                export,
            };
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
                Ok(format!("Discard all changes to volume {name} since {}?", taken.created))
            })?;
            let place = format!("{}/snapshots/{}/rollback", place(&name), part(&to));
            let volume: VolumeView = client.post(&place, &Rollback { force })?;
            print_done(remote.format(), &volume, &format!("reverted volume {name} to {to}"))
        }
        VolumeCommand::Delete { name, force, sure, remote } => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let volume: VolumeView = client.get(&place(&name))?;
                Ok(format!(
                    "Permanently delete volume {name} with {} of data?",
                    size::rounded(volume.bytes_logical)
                ))
            })?;
            let with_all = if force { "?force=true" } else { "" };
            client.delete(&format!("{}{with_all}", place(&name)))?;
            print_gone(remote.format(), &format!("deleted volume {name}"))
        }
    }
}

/// Permission bits in the API's format.
fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

/// Prints one line for each change.
fn say_changes(volume: &VolumeView, edit: &VolumeEdit) -> Result<()> {
    let switch = |on: bool| if on { "on" } else { "off" };
    let owner = || format!("{}:{}", volume.uid, volume.gid);
    let said = [
        edit.export.as_ref().map(|_| format!("has export policy {}", volume.export)),
        edit.snapshots.map(|_| format!("keeps snapshots {}", plan(volume.snapshots))),
        edit.max_bytes_per_second.map(|_| format!("has limit {}", rate(volume.max_bytes_per_second))),
        edit.path.as_ref().map(|_| format!("is at {}", volume.path)),
        edit.uid.map(|_| format!("has owner {}", owner())),
        edit.mode.as_ref().map(|_| format!("has mode {}", volume.mode)),
        edit.compression.map(|_| format!("has compression {}", volume.compression)),
        edit.preserve_unlink.map(|_| format!("has preserve-unlink {}", switch(volume.preserve_unlink))),
    ];
    said.iter().flatten().try_for_each(|said| print_line(&format!("volume {} {said}", volume.name)))
}

/// A snapshot schedule in the form in which it is typed.
fn plan(plan: Plan) -> String {
    let parts = [("hourly", plan.hourly), ("daily", plan.daily), ("weekly", plan.weekly)];
    let kept: Vec<String> =
        parts.iter().filter(|(_, keep)| *keep > 0).map(|(period, keep)| format!("{period}={keep}")).collect();
    if kept.is_empty() { "none".to_owned() } else { kept.join(",") }
}

fn list(volumes: &[VolumeView]) -> Result<()> {
    print_columns(
        &["name", "path", "export", "size", "used", "limit", "inodes", "orphans", "owner", "mode", "created"],
        volumes.iter().map(|volume| {
            vec![
                volume.name.clone(),
                volume.path.clone(),
                volume.export.clone(),
                limit(volume.size),
                size::rounded(volume.bytes_logical),
                rate(volume.max_bytes_per_second),
                volume.inodes_used.to_string(),
                volume.orphans.to_string(),
                format!("{}:{}", volume.uid, volume.gid),
                volume.mode.clone(),
                volume.created.clone(),
            ]
        }),
    )
}

/// A size limit for display.
fn limit(size: Option<u64>) -> String {
    size.map_or("none".to_owned(), size::rounded)
}

/// A throughput limit for display.
fn rate(limit: Option<u64>) -> String {
    limit.map_or("none".to_owned(), |limit| format!("{}/s", size::rounded(limit)))
}

/// For example `1234 requests, 56.7 s total, 8 retried`.
fn waits(waits: &WaitsView) -> String {
    let seconds = Duration::from_millis(waits.waited_ms).as_secs_f64();
    format!("{} requests, {seconds:.1} s total, {} retried", waits.requests, waits.turned_away)
}

fn show(volume: &VolumeView, mount: &str) -> Result<()> {
    let preserve = if volume.preserve_unlink { "yes" } else { "no" };
    let no_waits = || "none".to_owned();
    print_pairs(&[
        ("name", volume.name.clone()),
        ("path", volume.path.clone()),
        ("mount command", mount.to_owned()),
        ("export policy", volume.export.clone()),
        ("size", limit(volume.size)),
        ("free", size::rounded(volume.bytes_free)),
        ("used", format!("{} ({} bytes)", size::rounded(volume.bytes_logical), volume.bytes_logical)),
        ("limit", rate(volume.max_bytes_per_second)),
        ("throttled", volume.waits.as_ref().map_or_else(no_waits, waits)),
        ("inodes", volume.inodes_used.to_string()),
        ("orphans", volume.orphans.to_string()),
        ("owner", format!("{}:{}", volume.uid, volume.gid)),
        ("mode", volume.mode.clone()),
        ("compression", volume.compression.to_string()),
        ("snapshots", plan(volume.snapshots)),
        ("clone of", volume.clone_of.clone().unwrap_or_else(|| "none".to_owned())),
        ("open files survive unlink", preserve.to_owned()),
        ("created", volume.created.clone()),
    ])
}
