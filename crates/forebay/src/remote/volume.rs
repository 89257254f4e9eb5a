//! `forebay volume` and `forebay snapshot`.

use std::time::Duration;

use anyhow::Result;

use super::unexpected;
use crate::admin::client::call;
use crate::admin::protocol::{
    Answer, Command, NewVolume, Plan, SnapshotView, Throughput, VolumeView, WaitsView,
};
use crate::cli::{Limit, SnapshotCommand, SnapshotName, VolumeCommand};
use crate::config::size;
use crate::output::{print, print_columns, print_json, print_pairs};
use crate::pool_commands;

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
            settings,
        } => {
            let path = path.unwrap_or_else(|| format!("/{name}"));
            let new = NewVolume {
                name,
                path,
                preserve_unlink: !no_preserve_unlink,
                uid,
                gid,
                mode,
                size,
                max_bytes_per_second,
                compression,
                snapshots,
                export,
            };
            let volume = volume_of(call(&settings.load()?.admin_socket(), Command::VolumeCreate(new))?)?;
            print(&format!("created volume {} at {}\n", volume.name, volume.path))
        }
        VolumeCommand::List { json, settings } => {
            match call(&settings.load()?.admin_socket(), Command::VolumeList {})? {
                Answer::Volumes(volumes) if json => print_json(&volumes),
                Answer::Volumes(volumes) => list(&volumes),
                other => unexpected(&other),
            }
        }
        VolumeCommand::Show { name, efficiency, json, settings } => {
            let socket = settings.load()?.admin_socket();
            let volume = volume_of(call(&socket, Command::VolumeShow { name: name.clone() })?)?;
            let found = efficiency.then(|| pool_commands::efficiency(&socket, Some(name))).transpose()?;
            match found {
                None if json => print_json(&volume),
                None => show(&volume),
                Some(found) if json => {
                    print_json(&serde_json::json!({"volume": volume, "efficiency": found}))
                }
                Some(found) => show(&volume).and_then(|()| pool_commands::show_efficiency(&found)),
            }
        }
        VolumeCommand::Resize { name, size: Limit(size), settings } => {
            let command = Command::VolumeResize { name, size };
            let volume = volume_of(call(&settings.load()?.admin_socket(), command)?)?;
            print(&format!("volume {} has size {}\n", volume.name, limit(volume.size)))
        }
        VolumeCommand::Modify { name, export, snapshots, max_bytes_per_second, settings } => {
            let (changes_export, changes_limit) = (export.is_some(), max_bytes_per_second.is_some());
            let throughput =
                max_bytes_per_second.map(|Limit(max_bytes_per_second)| Throughput { max_bytes_per_second });
            let command = Command::VolumeModify { name, export, snapshots, throughput };
            let volume = volume_of(call(&settings.load()?.admin_socket(), command)?)?;
            if changes_export {
                print(&format!("volume {} has export policy {}\n", volume.name, volume.export))?;
            }
            if snapshots.is_some() {
                print(&format!("volume {} keeps snapshots {}\n", volume.name, plan(volume.snapshots)))?;
            }
            if changes_limit {
                let limit = rate(volume.max_bytes_per_second);
                print(&format!("volume {} has limit {limit}\n", volume.name))?;
            }
            Ok(())
        }
        VolumeCommand::Clone { source, name, path, export, settings } => {
            let path = path.unwrap_or_else(|| format!("/{name}"));
            let (volume, snapshot) = match source.split_once('@') {
                Some((volume, snapshot)) => (volume.to_owned(), Some(snapshot.to_owned())),
                None => (source, None),
            };
            let command = Command::VolumeClone { volume, snapshot, name, path, export };
            let volume = volume_of(call(&settings.load()?.admin_socket(), command)?)?;
            let of = volume.clone_of.unwrap_or_default();
            print(&format!("created volume {} at {} as a clone of {of}\n", volume.name, volume.path))
        }
        VolumeCommand::Rollback { name, to, force, settings } => {
            let command = Command::VolumeRollback { name: name.clone(), to: to.clone(), force };
            match call(&settings.load()?.admin_socket(), command)? {
                Answer::Done => print(&format!("rolled volume {name} back to {to}\n")),
                other => unexpected(&other),
            }
        }
        VolumeCommand::Delete { name, force, settings } => {
            let command = Command::VolumeDelete { name: name.clone(), force };
            match call(&settings.load()?.admin_socket(), command)? {
                Answer::Done => print(&format!("deleted volume {name}\n")),
                other => unexpected(&other),
            }
        }
    }
}

/// Carries out a `forebay snapshot` command.
pub fn run_snapshot(command: SnapshotCommand) -> Result<()> {
    match command {
        SnapshotCommand::Create { volumes, name, settings } => {
            let command = Command::SnapshotCreate { volumes, name };
            let taken = snapshots_of(call(&settings.load()?.admin_socket(), command)?)?;
            let names: Vec<String> = taken.iter().map(SnapshotView::full_name).collect();
            print(&format!("took {}\n", names.join(", ")))
        }
        SnapshotCommand::List { volume, json, settings } => {
            let command = Command::SnapshotList { volume };
            let snapshots = snapshots_of(call(&settings.load()?.admin_socket(), command)?)?;
            if json { print_json(&snapshots) } else { list_snapshots(&snapshots) }
        }
        SnapshotCommand::Delete { snapshot: SnapshotName { volume, name }, settings } => {
            let command = Command::SnapshotDelete { volume: volume.clone(), name: name.clone() };
            match call(&settings.load()?.admin_socket(), command)? {
                Answer::Done => print(&format!("deleted snapshot {volume}@{name}\n")),
                other => unexpected(&other),
            }
        }
    }
}

fn volume_of(answer: Answer) -> Result<VolumeView> {
    match answer {
        Answer::Volume(volume) => Ok(volume),
        other => unexpected(&other),
    }
}

fn snapshots_of(answer: Answer) -> Result<Vec<SnapshotView>> {
    match answer {
        Answer::Snapshots(snapshots) => Ok(snapshots),
        other => unexpected(&other),
    }
}

fn list_snapshots(snapshots: &[SnapshotView]) -> Result<()> {
    print_columns(
        &["snapshot", "created", "size", "taken by", "clones"],
        snapshots.iter().map(|snapshot| {
            vec![
                snapshot.full_name(),
                snapshot.created.clone(),
                size::rounded(snapshot.bytes_logical),
                snapshot.period.clone().unwrap_or_else(|| "request".to_owned()),
                snapshot.clones.join(", "),
            ]
        }),
    )
}

/// What is taken by the clock, as it is typed.
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

/// A volume's size as it is shown.
fn limit(size: Option<u64>) -> String {
    size.map_or("none".to_owned(), size::rounded)
}

/// The limit of its throughput as it is shown.
fn rate(limit: Option<u64>) -> String {
    limit.map_or("none".to_owned(), |limit| format!("{}/s", size::rounded(limit)))
}

/// Such as `1234 requests, 56.7 s; 8 of them came again`.
fn waits(waits: &WaitsView) -> String {
    let seconds = Duration::from_millis(waits.waited_ms).as_secs_f64();
    format!("{} requests, {seconds:.1} s; {} of them came again", waits.requests, waits.turned_away)
}

fn show(volume: &VolumeView) -> Result<()> {
    let preserve = if volume.preserve_unlink { "yes" } else { "no" };
    let no_waits = || "none".to_owned();
    print_pairs(&[
        ("name", volume.name.clone()),
        ("path", volume.path.clone()),
        ("export policy", volume.export.clone()),
        ("size", limit(volume.size)),
        ("free", size::rounded(volume.bytes_free)),
        ("used", format!("{} ({} bytes)", size::rounded(volume.bytes_logical), volume.bytes_logical)),
        ("limit", rate(volume.max_bytes_per_second)),
        ("waited for the limit", volume.waits.as_ref().map_or_else(no_waits, waits)),
        ("inodes", volume.inodes_used.to_string()),
        ("orphans", volume.orphans.to_string()),
        ("owner", format!("{}:{}", volume.uid, volume.gid)),
        ("mode", volume.mode.clone()),
        ("compression", volume.compression.clone()),
        ("snapshots", plan(volume.snapshots)),
        ("clone of", volume.clone_of.clone().unwrap_or_else(|| "none".to_owned())),
        ("open files survive unlink", preserve.to_owned()),
        ("created", volume.created.clone()),
    ])
}
