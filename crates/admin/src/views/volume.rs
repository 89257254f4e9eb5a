//! Volumes.

use forebay_pool::{Attributes, Space, Volume, VolumeChange, VolumeSpec};
use forebay_service::throttle::Waits;

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time;
use super::words::words;
use super::{Check, check_bytes, check_id, given, present};

words! {
    /// How what is written is compressed.
    Compression for forebay_pool::Compression {
        /// Not at all.
        None = "none",
        /// LZ4: costs little.
        Lz4 = "lz4",
        /// Zstandard: smaller, and slower.
        Zstd = "zstd",
    }
}

/// How many snapshots of each period are taken by the clock, and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// At full hours.
    #[serde(default)]
    pub hourly: u32,
    /// At midnight, UTC.
    #[serde(default)]
    pub daily: u32,
    /// At midnight before Sunday, UTC.
    #[serde(default)]
    pub weekly: u32,
}

impl From<Plan> for forebay_pool::SnapshotPolicy {
    fn from(plan: Plan) -> Self {
        forebay_pool::SnapshotPolicy { hourly: plan.hourly, daily: plan.daily, weekly: plan.weekly }
    }
}

impl From<forebay_pool::SnapshotPolicy> for Plan {
    fn from(policy: forebay_pool::SnapshotPolicy) -> Self {
        Plan { hourly: policy.hourly, daily: policy.daily, weekly: policy.weekly }
    }
}

/// Permission bits from octal digits, `0755` or `755`.
pub fn octal(text: &str) -> Result<u32, Problem> {
    let sound = (3..=4).contains(&text.len()) && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let bits = if sound { u32::from_str_radix(text, 8).ok() } else { None };
    bits.ok_or_else(|| {
        Problem::new("mode", format!("{text:?} are not permission bits in octal, such as 0755"))
    })
}

/// What a new volume is to be like, but for its name. What is absent is as in most volumes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeSettings {
    /// The path that clients mount; `/` and the volume's name if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether clients are told that open files survive their unlink; true if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory; 0 if it is absent.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub uid: u32,
    /// Group of the root directory; 0 if it is absent.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub gid: u32,
    /// Permission bits of the root directory, in octal; 0755 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-7]{3,4}$", nullable = false)]
    pub mode: Option<String>,
    /// Bytes that it may hold; null: as many as the pool has room for.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<u64>,
    /// Bytes per second that clients may read and write; null: no limit.
    #[serde(default)]
    #[schema(minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<u64>,
    /// How what is written to it is compressed; lz4 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshots that are taken by the clock.
    #[serde(default)]
    pub snapshots: Plan,
    /// The export policy that says which clients see it; `default` if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl Check for VolumeSettings {
    fn check(&self) -> Result<(), Problem> {
        self.mode.as_deref().map_or(Ok(0), octal)?;
        check_id("uid", Some(self.uid))?;
        check_id("gid", Some(self.gid))?;
        check_bytes("size", self.size)?;
        check_bytes("max_bytes_per_second", self.max_bytes_per_second)
    }
}

impl VolumeSettings {
    /// The volume that the pool is asked to create.
    pub fn spec(&self, name: &str) -> Result<VolumeSpec, Problem> {
        let usual = VolumeSpec::new(name, &format!("/{name}"));
        Ok(VolumeSpec {
            junction_path: self.path.clone().unwrap_or(usual.junction_path),
            preserve_unlink: self.preserve_unlink.unwrap_or(usual.preserve_unlink),
            uid: self.uid,
            gid: self.gid,
            mode: self.mode.as_deref().map_or(Ok(usual.mode), octal)?,
            compression: self.compression.map_or(usual.compression, Into::into),
            size: self.size,
            max_bytes_per_second: self.max_bytes_per_second,
            snapshots: self.snapshots.into(),
            name: usual.name,
        })
    }

    /// The first field in which an existing volume differs from these settings.
    pub fn difference(
        &self,
        there: &VolumeView,
        default_policy: &str,
    ) -> Result<Option<&'static str>, Problem> {
        let asked = self.spec(&there.name)?;
        let same = [
            ("path", there.path == asked.junction_path),
            ("preserve_unlink", there.preserve_unlink == asked.preserve_unlink),
            ("uid", there.uid == asked.uid),
            ("gid", there.gid == asked.gid),
            ("mode", octal(&there.mode) == Ok(asked.mode)),
            ("size", there.size == asked.size),
            ("max_bytes_per_second", there.max_bytes_per_second == asked.max_bytes_per_second),
            ("compression", there.compression == asked.compression.into()),
            ("snapshots", there.snapshots == asked.snapshots.into()),
            ("export", there.export == self.export.as_deref().unwrap_or(default_policy)),
        ];
        Ok(same.iter().find(|(_, same)| !same).map(|(field, _)| *field))
    }
}

/// A volume to be created. What is absent but its name is as in most volumes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVolume {
    /// Its name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// The path that clients mount; `/` and the volume's name if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether clients are told that open files survive their unlink; true if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory; 0 if it is absent.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub uid: u32,
    /// Group of the root directory; 0 if it is absent.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub gid: u32,
    /// Permission bits of the root directory, in octal; 0755 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-7]{3,4}$", nullable = false)]
    pub mode: Option<String>,
    /// Bytes that it may hold; null: as many as the pool has room for.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<u64>,
    /// Bytes per second that clients may read and write; null: no limit.
    #[serde(default)]
    #[schema(minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<u64>,
    /// How what is written to it is compressed; lz4 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshots that are taken by the clock.
    #[serde(default)]
    pub snapshots: Plan,
    /// The export policy that says which clients see it; `default` if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl NewVolume {
    /// Its name, and the rest.
    pub fn split(self) -> (String, VolumeSettings) {
        let NewVolume {
            name,
            path,
            preserve_unlink,
            uid,
            gid,
            mode,
            size,
            max_bytes_per_second,
            compression,
            snapshots,
            export,
        } = self;
        let settings = VolumeSettings {
            path,
            preserve_unlink,
            uid,
            gid,
            mode,
            size,
            max_bytes_per_second,
            compression,
            snapshots,
            export,
        };
        (name, settings)
    }
}

impl Check for NewVolume {
    fn check(&self) -> Result<(), Problem> {
        self.clone().split().1.check()
    }
}

/// What is to change of a volume: what is absent stays, and null takes a limit away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeEdit {
    /// The path that clients mount. Clients that have it mounted go on.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether clients are told that open files survive their unlink; for files that are opened from now on.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub uid: Option<u32>,
    /// Group of the root directory.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub gid: Option<u32>,
    /// Permission bits of the root directory, in octal.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-7]{3,4}$", nullable = false)]
    pub mode: Option<String>,
    /// Bytes that it may hold; null: as many as the pool has room for.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<Option<u64>>,
    /// Bytes per second that clients may read and write; null: no limit.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<Option<u64>>,
    /// How what is written to it from now on is compressed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshots that are taken by the clock.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub snapshots: Option<Plan>,
    /// The export policy that says which clients see it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl VolumeEdit {
    /// The change that the pool is asked to make. The export policy is not the pool's.
    pub fn change(&self) -> Result<VolumeChange, Problem> {
        Ok(VolumeChange {
            size: self.size,
            junction_path: self.path.clone(),
            preserve_unlink: self.preserve_unlink,
            uid: self.uid,
            gid: self.gid,
            mode: self.mode.as_deref().map(octal).transpose()?,
            compression: self.compression.map(Into::into),
            snapshots: self.snapshots.map(Into::into),
            max_bytes_per_second: self.max_bytes_per_second,
        })
    }
}

impl Check for VolumeEdit {
    fn check(&self) -> Result<(), Problem> {
        self.mode.as_deref().map_or(Ok(0), octal)?;
        check_id("uid", self.uid)?;
        check_id("gid", self.gid)?;
        check_bytes("size", self.size.flatten())?;
        check_bytes("max_bytes_per_second", self.max_bytes_per_second.flatten())
    }
}

/// A clone of a volume, as it is, to be made. Its first content is a snapshot `clone-NAME` of the volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClone {
    /// The clone's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// The path that clients mount; `/` and the clone's name if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Its export policy; that of the volume if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl Check for NewClone {}

/// A volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VolumeView {
    /// Its name.
    pub name: String,
    /// Its id, in hexadecimal. Never used again after it is deleted; `id:` and this stands for the volume in paths.
    pub id: String,
    /// Its export policy.
    pub export: String,
    /// Its junction path: what clients mount.
    pub path: String,
    /// Whether clients are told that open files survive their unlink.
    pub preserve_unlink: bool,
    /// Owner of the root directory, as it is now.
    pub uid: u32,
    /// Group of the root directory, as it is now.
    pub gid: u32,
    /// Permission bits of the root directory, as they are now, in octal.
    pub mode: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Bytes that it may hold, if that is limited.
    pub size: Option<u64>,
    /// Bytes per second that clients may read and write, if that is limited.
    pub max_bytes_per_second: Option<u64>,
    /// Requests that had to wait for that since it is limited, or since the daemon started.
    pub waits: Option<WaitsView>,
    /// Bytes that can still be written to it.
    pub bytes_free: u64,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// Inodes that exist, the root directory and orphans included.
    pub inodes_used: u64,
    /// Files without a name that are still open.
    pub orphans: u64,
    /// How what is written to it is compressed.
    pub compression: Compression,
    /// Snapshots that are taken by the clock.
    pub snapshots: Plan,
    /// The snapshot that it was made of, as VOLUME@SNAPSHOT.
    pub clone_of: Option<String>,
}

/// What a [`VolumeView`] is made from.
pub struct Shown<'a> {
    /// The volume.
    pub volume: &'a Volume,
    /// Its root directory.
    pub root: Attributes,
    /// What it holds and may hold.
    pub space: Space,
    /// Requests that had to wait, if it has a limit.
    pub waits: Option<Waits>,
    /// Its export policy.
    pub export: String,
}

impl VolumeView {
    /// A volume as it is shown.
    pub fn of(shown: Shown<'_>) -> VolumeView {
        let Shown { volume, root, space, waits, export } = shown;
        let spec = &volume.spec;
        VolumeView {
            name: spec.name.clone(),
            id: format!("{:08x}", volume.id.0),
            export,
            path: spec.junction_path.clone(),
            preserve_unlink: spec.preserve_unlink,
            uid: root.uid,
            gid: root.gid,
            mode: format!("{:04o}", root.mode),
            created: time(volume.created),
            size: spec.size,
            max_bytes_per_second: spec.max_bytes_per_second,
            waits: waits.map(WaitsView::from),
            bytes_free: space.bytes_free,
            bytes_logical: space.bytes_logical,
            inodes_used: space.inodes_used,
            orphans: space.orphans,
            compression: spec.compression.into(),
            snapshots: spec.snapshots.into(),
            clone_of: volume.clone_of.as_ref().map(|origin| format!("{}@{}", origin.volume, origin.snapshot)),
        }
    }
}

impl From<Waits> for WaitsView {
    fn from(waits: Waits) -> Self {
        WaitsView {
            requests: waits.requests,
            waited_ms: u64::try_from(waits.time.as_millis()).unwrap_or(u64::MAX),
            turned_away: waits.turned_away,
        }
    }
}

/// Requests that had to wait for the limit of a volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WaitsView {
    /// How many.
    pub requests: u64,
    /// Milliseconds that they waited, all together.
    pub waited_ms: u64,
    /// How many of them were told to come again, as the wait would have been too long.
    pub turned_away: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_takes_a_limit_away_and_absence_leaves_it() {
        let edit = |text: &str| serde_json::from_str::<VolumeEdit>(text).unwrap();
        assert_eq!(edit("{}").size, None);
        assert_eq!(edit(r#"{"size":null}"#).size, Some(None));
        assert_eq!(edit(r#"{"size":7}"#).size, Some(Some(7)));
        for edited in [VolumeEdit::default(), VolumeEdit { size: Some(None), ..VolumeEdit::default() }] {
            assert_eq!(edit(&serde_json::to_string(&edited).unwrap()), edited);
        }
    }

    #[test]
    fn what_the_schema_forbids_is_refused() {
        for wrong in [
            r#"{"size":0}"#,
            r#"{"mode":"8"}"#,
            r#"{"mode":"+755"}"#,
            r#"{"max_bytes_per_second":0}"#,
            r#"{"uid":4294967295}"#,
            r#"{"gid":4294967295}"#,
        ] {
            assert!(serde_json::from_str::<VolumeEdit>(wrong).unwrap().check().is_err(), "{wrong}");
            assert!(serde_json::from_str::<VolumeSettings>(wrong).unwrap().check().is_err(), "{wrong}");
        }
        for wrong in [
            r#"{"colour":1}"#,
            r#"{"uid":-1}"#,
            r#"{"compression":"gzip"}"#,
            r#"{"uid":null}"#,
            r#"{"snapshots":{"yearly":1}}"#,
        ] {
            assert!(serde_json::from_str::<VolumeEdit>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(octal("0755"), Ok(0o755));
    }
}
