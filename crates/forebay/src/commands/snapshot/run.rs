//! `forebay snapshot`.

use anyhow::Result;
use forebay_admin::views::{List, NewSnapshots, SnapshotView};

use super::arguments::SnapshotCommand;
use crate::admin::client::{Client, part};
use crate::arguments::names::SnapshotName;
use crate::config::size;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone};

/// Carries out a `forebay snapshot` command.
pub fn run(command: SnapshotCommand) -> Result<()> {
    match command {
        SnapshotCommand::Create { volumes, name, remote } => {
            let new = NewSnapshots { volumes, name };
            let taken: List<SnapshotView> = Client::new(&remote)?.post("snapshots", &new)?;
            let names: Vec<String> = taken.items.iter().map(SnapshotView::full_name).collect();
            print_done(remote.format(), &taken.items, &format!("created {}", names.join(", ")))
        }
        SnapshotCommand::List { volume, remote } => {
            let of = volume.map(|volume| format!("?volume={}", part(&volume))).unwrap_or_default();
            let snapshots: List<SnapshotView> = Client::new(&remote)?.get(&format!("snapshots{of}"))?;
            print_as(remote.format(), &snapshots.items, |snapshots| list_snapshots(snapshots))
        }
        SnapshotCommand::Delete { snapshot: SnapshotName { volume, name }, sure, remote } => {
            confirm(sure, || Ok(format!("Delete snapshot {volume}@{name}?")))?;
            Client::new(&remote)?.delete(&format!("volumes/{}/snapshots/{}", part(&volume), part(&name)))?;
            print_gone(remote.format(), &format!("deleted snapshot {volume}@{name}"))
        }
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
