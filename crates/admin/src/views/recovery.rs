//! Deleted volumes that can be recovered, and who uses a volume.

use forebay_pool::{DeletedVolume, Recovery};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::problem::Problem;

use super::check::Check;
use super::fields::{present, time};

/// A deleted volume that can be recovered.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DeletedVolumeView {
    /// The volume's name when it was deleted. Several deleted volumes can have the same name.
    pub name: String,
    /// The volume's id, in hexadecimal. In paths, `id:` and this id can replace the name.
    pub id: String,
    /// The path that clients mounted.
    pub path: String,
    /// The export policy that it had.
    pub export: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// When it was deleted.
    #[schema(format = DateTime)]
    pub deleted: String,
    /// When it is purged. Until then it can be recovered. Time while the daemon is stopped does not count.
    #[schema(format = DateTime)]
    pub recoverable_until: String,
    /// Bytes of file data, holes excluded. They still take space.
    pub bytes_logical: u64,
    /// Number of inodes, including the root directory.
    pub inodes_used: u64,
    /// Number of its snapshots, which are recovered with it.
    pub snapshots: u64,
    /// The end of the last lock of a snapshot, before which the volume is not purged; null if there is none.
    #[schema(format = DateTime)]
    pub locked_until: Option<String>,
    /// The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT.
    pub clone_of: Option<String>,
}

impl From<DeletedVolume> for DeletedVolumeView {
    fn from(volume: DeletedVolume) -> DeletedVolumeView {
        DeletedVolumeView {
            id: format!("{:08x}", volume.id.0),
            path: volume.spec.junction_path,
            export: String::from_utf8_lossy(&volume.note).into_owned(),
            created: time(volume.created),
            deleted: time(volume.deleted),
            recoverable_until: time(volume.until),
            bytes_logical: volume.bytes_logical,
            inodes_used: volume.inodes,
            snapshots: volume.snapshots,
            locked_until: volume.locked_until.map(time),
            clone_of: volume.clone_of.map(|origin| format!("{}@{}", origin.volume, origin.snapshot)),
            name: volume.spec.name,
        }
    }
}

/// Options for the recovery of a deleted volume. Fields that are absent keep their former values.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoverVolume {
    /// Another name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub name: Option<String>,
    /// Another path that clients mount. If it is absent and the path was `/` and the old name, it follows the name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Another export policy.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl RecoverVolume {
    /// The name and the path, as the pool takes them.
    pub fn recovery(&self) -> Recovery {
        Recovery { name: self.name.clone(), junction_path: self.path.clone() }
    }
}

impl Check for RecoverVolume {
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }
}

/// The clients that have files of a volume open.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct VolumeClientsView {
    /// Number of clients that have a file open.
    pub clients: u64,
    /// Number of opens of all clients.
    pub open_files: u64,
    /// The clients with the most open files, at most twenty.
    pub items: Vec<VolumeClientView>,
}

/// A client that has files of a volume open.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VolumeClientView {
    /// The client's id, in hexadecimal.
    pub client: String,
    /// The owner string that the client sends.
    pub owner: String,
    /// The address it registered from.
    pub address: String,
    /// Number of its open files in the volume.
    pub open_files: u64,
}

impl VolumeClientsView {
    /// In a sentence: `3 clients have 412 files open in it now: a, b, c`. `None` if nobody has.
    pub fn sentence(&self) -> Option<String> {
        const NAMED_MAX: usize = 5;
        if self.clients == 0 {
            return None;
        }
        let many = |count: u64, one: &str, more: &str| {
            if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
        };
        let who = match self.clients {
            1 => "1 client has".to_owned(),
            count => format!("{count} clients have"),
        };
        let names: Vec<String> = self
            .items
            .iter()
            .take(NAMED_MAX)
            .map(|client| format!("{} ({})", client.owner, client.address))
            .collect();
        let more = if self.clients > names.len() as u64 { ", …" } else { "" };
        let files = many(self.open_files, "file", "files");
        Some(format!("{who} {files} open in it now: {}{more}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_the_first_clients() {
        let client = |number: u64| VolumeClientView {
            client: number.to_string(),
            owner: format!("broker{number}"),
            address: "10.0.0.1:800".to_owned(),
            open_files: number,
        };
        let view = |count: u64| VolumeClientsView {
            clients: count,
            open_files: count * 10,
            items: (1..=count).map(client).collect(),
        };
        assert_eq!(view(0).sentence(), None);
        let one = VolumeClientsView { open_files: 1, ..view(1) };
        assert_eq!(one.sentence().unwrap(), "1 client has 1 file open in it now: broker1 (10.0.0.1:800)");
        let many = view(7).sentence().unwrap();
        assert!(many.starts_with("7 clients have 70 files open in it now: broker1 ("), "{many}");
        assert!(many.ends_with("broker5 (10.0.0.1:800), …"), "{many}");
    }
}
