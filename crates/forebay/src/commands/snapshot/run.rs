//! `forebay snapshot`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use forebay_admin::views::{List, NewSnapshots, SnapshotEdit, SnapshotSpaceView, SnapshotView};

use super::arguments::SnapshotCommand;
use crate::admin::client::{Client, part};
use crate::arguments::names::SnapshotName;
use crate::arguments::values::Expiry;
use crate::config::size;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_pairs, print_table_as};

/// Carries out a `forebay snapshot` command.
pub fn run(command: SnapshotCommand) -> Result<()> {
    match command {
        SnapshotCommand::Create { volumes, name, expires, lock_until: locked_until, remote } => {
            let new = NewSnapshots { volumes, name, expires, locked_until };
            let taken: List<SnapshotView> = Client::new(&remote)?.post("snapshots", &new)?;
            let names: Vec<String> = taken.items.iter().map(SnapshotView::full_name).collect();
            print_done(remote.format(), &taken.items, &format!("created {}", names.join(", ")))
        }
        SnapshotCommand::List { volume, space, remote } => {
            let of = volume.map(|volume| format!("?volume={}", part(&volume))).unwrap_or_default();
            let client = Client::new(&remote)?;
            let snapshots: List<SnapshotView> = client.get(&format!("snapshots{of}"))?;
            if !space {
                return print_as(remote.format(), &snapshots.items, |snapshots| list_snapshots(snapshots));
            }
            let spaces = spaces(&client, &snapshots.items)?;
            print_table_as(remote.format(), &spaces, spaces_csv, list_spaces)
        }
        SnapshotCommand::Show { snapshot: SnapshotName { volume, name }, remote } => {
            let taken: SnapshotView = Client::new(&remote)?.get(&place(&volume, &name))?;
            print_as(remote.format(), &taken, show)
        }
        SnapshotCommand::Rename { snapshot: SnapshotName { volume, name }, new, remote } => {
            let edit = SnapshotEdit { name: Some(new), ..SnapshotEdit::default() };
            let taken: SnapshotView = Client::new(&remote)?.patch(&place(&volume, &name), &edit)?;
            let sentence = format!("renamed snapshot {volume}@{name} to {}", taken.full_name());
            print_done(remote.format(), &taken, &sentence)
        }
        SnapshotCommand::Modify { snapshot: SnapshotName { volume, name }, expires, lock_until, remote } => {
            let expires = expires.map(|Expiry(expires)| expires);
            let edit = SnapshotEdit { name: None, expires, locked_until: lock_until };
            let taken: SnapshotView = Client::new(&remote)?.patch(&place(&volume, &name), &edit)?;
            let sentence = format!("snapshot {} {}", taken.full_name(), stays(&taken));
            print_done(remote.format(), &taken, &sentence)
        }
        SnapshotCommand::Delete { snapshot: SnapshotName { volume, name }, sure, remote } => {
            confirm(sure, || Ok(format!("Delete snapshot {volume}@{name}?")))?;
            Client::new(&remote)?.delete(&place(&volume, &name))?;
            print_gone(remote.format(), &format!("deleted snapshot {volume}@{name}"))
        }
    }
}

/// What the deletion of each snapshot would free, by volume.
fn spaces(client: &Client, snapshots: &[SnapshotView]) -> Result<BTreeMap<String, SnapshotSpaceView>> {
    let volumes: BTreeSet<&String> = snapshots.iter().map(|snapshot| &snapshot.volume).collect();
    let of = |volume: &String| {
        let space = client.get_patiently(&format!("volumes/{}/snapshot-space", part(volume)))?;
        Ok((volume.clone(), space))
    };
    volumes.into_iter().map(of).collect()
}

fn spaces_csv(spaces: &BTreeMap<String, SnapshotSpaceView>) -> Vec<Vec<String>> {
    let headings = ["volume", "name", "frees_bytes", "estimate", "as_of"].map(str::to_owned).to_vec();
    let rows = spaces.iter().flat_map(|(volume, space)| {
        space.items.iter().map(move |snapshot| {
            vec![
                volume.clone(),
                snapshot.name.clone(),
                snapshot.frees_bytes.to_string(),
                space.estimate.to_string(),
                space.as_of.clone(),
            ]
        })
    });
    [headings].into_iter().chain(rows).collect()
}

fn list_spaces(spaces: &BTreeMap<String, SnapshotSpaceView>) -> Result<()> {
    let rows = spaces.iter().flat_map(|(volume, space)| {
        space.items.iter().map(move |snapshot| {
            let about = if space.estimate { "about " } else { "" };
            vec![
                format!("{volume}@{}", snapshot.name),
                format!("{about}{}", size::rounded(snapshot.frees_bytes)),
                space.as_of.clone(),
            ]
        })
    });
    print_columns(&["snapshot", "frees", "as of"], rows)
}

fn place(volume: &str, snapshot: &str) -> String {
    format!("volumes/{}/snapshots/{}", part(volume), part(snapshot))
}

/// How long a snapshot stays: `expires 2027-01-01T00:00:00Z, is locked until 2026-12-01T00:00:00Z`.
fn stays(taken: &SnapshotView) -> String {
    let expires = match &taken.expires {
        Some(expires) => format!("expires {expires}"),
        None => "does not expire".to_owned(),
    };
    match &taken.locked_until {
        Some(until) => format!("{expires}, is locked until {until}"),
        None => expires,
    }
}

fn show(taken: &SnapshotView) -> Result<()> {
    let or = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
    print_pairs(&[
        ("snapshot", taken.full_name()),
        ("created", taken.created.clone()),
        ("size", size::rounded(taken.bytes_logical)),
        ("taken by", taken_by(taken)),
        ("expires", taken.expires.clone().unwrap_or_else(|| "never".to_owned())),
        ("locked until", taken.locked_until.clone().unwrap_or_else(|| "not locked".to_owned())),
        ("clones", or(clones(taken), "none")),
    ])
}

fn list_snapshots(snapshots: &[SnapshotView]) -> Result<()> {
    print_columns(
        &["snapshot", "created", "size", "taken by", "expires", "locked until", "clones"],
        snapshots.iter().map(|snapshot| {
            vec![
                snapshot.full_name(),
                snapshot.created.clone(),
                size::rounded(snapshot.bytes_logical),
                taken_by(snapshot),
                snapshot.expires.clone().unwrap_or_else(|| "never".to_owned()),
                snapshot.locked_until.clone().unwrap_or_default(),
                clones(snapshot),
            ]
        }),
    )
}

fn taken_by(snapshot: &SnapshotView) -> String {
    match &snapshot.period {
        Some(period) => period.clone(),
        None if snapshot.for_clone => "clone".to_owned(),
        None => "manual".to_owned(),
    }
}

fn clones(snapshot: &SnapshotView) -> String {
    let deleted = snapshot.clones_deleted.iter().map(|clone| format!("{clone} (deleted)"));
    snapshot.clones.iter().cloned().chain(deleted).collect::<Vec<_>>().join(", ")
}
