//! Creates the policy and the volumes over the API, or changes those that are there.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use forebay_admin::views::{
    List, NewRule, NewVolume, NfsView, PolicyRules, PolicyView, RuleView, VolumeEdit, VolumeView,
};

use super::plan::{POLICY, VOLUME, Wishes};
use crate::admin::client::{Client, part};
use crate::config::size;

/// The mode of a volume's root directory: for the brokers' user and group only.
const MODE: &str = "0750";

/// What was made.
pub struct Made {
    /// One line for each object.
    pub said: Vec<String>,
    /// The volumes.
    pub volumes: Vec<VolumeView>,
    /// Where clients mount from.
    pub nfs: NfsView,
}

/// Creates or changes everything.
pub fn apply(client: &Client, wishes: &Wishes) -> Result<Made> {
    let nfs: NfsView = client.get("nfs")?;
    if wishes.tls && !nfs.tls {
        bail!(
            "TLS: the daemon has no certificate for NFS; set nfs.tls_certificate and nfs.tls_key, restart it, and run this again, or answer \
             with --tls off"
        );
    }
    let mut said = vec![policy(client, wishes)?];
    let there: List<VolumeView> = client.get("volumes")?;
    let mut volumes = Vec::new();
    for name in wishes.volumes() {
        let existing = there.items.iter().find(|volume| volume.name == name);
        let (line, volume) = match existing {
            Some(existing) => change(client, wishes, existing)?,
            None => create(client, wishes, &name)?,
        };
        said.push(line);
        volumes.push(volume);
    }
    said.extend(close_default_volume(client, wishes, &there.items)?);
    Ok(Made { said, volumes, nfs })
}

/// Rules for other clients stay, after those of the brokers.
fn policy(client: &Client, wishes: &Wishes) -> Result<String> {
    let policies: List<PolicyView> = client.get("export-policies")?;
    let existing = policies.items.into_iter().find(|policy| policy.name == POLICY);
    let mut rules = wishes.rules();
    let others = existing.iter().flat_map(|policy| &policy.rules);
    rules.extend(others.filter(|rule| !wishes.brokers.contains(&rule.clients)).map(kept));
    let path = format!("export-policies/{POLICY}");
    let policy: PolicyView = client.put(&path, &PolicyRules { rules })?;
    let verb = if existing.is_some() { "changed" } else { "created" };
    Ok(format!("{verb} export policy {POLICY}: {} rules, squash {}", policy.rules.len(), wishes.squash))
}

fn kept(rule: &RuleView) -> NewRule {
    NewRule {
        clients: rule.clients.clone(),
        access: Some(rule.access),
        squash: Some(rule.squash),
        anonymous_uid: Some(rule.anonymous_uid),
        anonymous_gid: Some(rule.anonymous_gid),
        security: Some(rule.security),
        tls: Some(rule.tls),
        groups: Some(rule.groups),
    }
}

fn create(client: &Client, wishes: &Wishes, name: &str) -> Result<(String, VolumeView)> {
    let new = NewVolume {
        name: name.to_owned(),
        path: None,
        preserve_unlink: None,
        uid: wishes.owner.0,
        gid: wishes.owner.1,
        mode: Some(MODE.to_owned()),
        size: wishes.size.flatten(),
        max_bytes_per_second: None,
        compression: None,
        snapshots: wishes.snapshots.unwrap_or_default(),
        export: Some(POLICY.to_owned()),
        labels: BTreeMap::new(),
    };
    let volume: VolumeView = client.post("volumes", &new)?;
    Ok((format!("created volume {name}{}", limit(&volume)), volume))
}

/// The owner of a volume that has files already is not changed.
fn change(client: &Client, wishes: &Wishes, there: &VolumeView) -> Result<(String, VolumeView)> {
    let is_empty = is_empty(there);
    let edit = VolumeEdit {
        uid: is_empty.then_some(wishes.owner.0),
        gid: is_empty.then_some(wishes.owner.1),
        mode: is_empty.then(|| MODE.to_owned()),
        size: wishes.size,
        snapshots: wishes.snapshots,
        export: Some(POLICY.to_owned()),
        ..VolumeEdit::default()
    };
    let volume: VolumeView = client.patch(&format!("volumes/{}", part(&there.name)), &edit)?;
    let verb = if is_same(there, &volume) { "kept" } else { "changed" };
    Ok((format!("{verb} volume {}{}", volume.name, limit(&volume)), volume))
}

fn is_same(before: &VolumeView, after: &VolumeView) -> bool {
    let parts = |volume: &VolumeView| {
        (volume.uid, volume.gid, volume.mode.clone(), volume.size, volume.snapshots, volume.export.clone())
    };
    parts(before) == parts(after)
}

fn is_empty(volume: &VolumeView) -> bool {
    volume.inodes_used <= 1
}

fn limit(volume: &VolumeView) -> String {
    volume.size.map_or_else(String::new, |size| format!(", with up to {}", size::rounded(size)))
}

/// The volume of the first start lets everyone in. If nobody uses it, it is for the brokers only from now on.
fn close_default_volume(client: &Client, wishes: &Wishes, there: &[VolumeView]) -> Result<Option<String>> {
    let is_left = |volume: &&VolumeView| {
        volume.name == VOLUME
            && volume.export == "default"
            && is_empty(volume)
            && !wishes.volumes().contains(&volume.name)
    };
    let Some(left) = there.iter().find(is_left) else { return Ok(None) };
    let edit = VolumeEdit { export: Some(POLICY.to_owned()), ..VolumeEdit::default() };
    let _: VolumeView = client.patch(&format!("volumes/{}", part(&left.name)), &edit)?;
    Ok(Some(format!(
        "volume {VOLUME} of the first start is empty, and only for the brokers now; `forebay volume delete {VOLUME}` removes it"
    )))
}
