//! Volumes.

use std::collections::BTreeMap;

use forebay_pool::{Attributes, Space, Volume, VolumeChange, VolumeSpec, is_printable};
use forebay_service::throttle::Waits;

use crate::base::problem::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Check, check_bytes, check_id};
use super::fields::{changes_in_words, given, present, time};
use super::pool::EfficiencyView;
use super::words::words;
use crate::efficiency::Counted;

words! {
    /// Compression of new writes.
    Compression for forebay_pool::Compression {
        /// No compression.
        None = "none",
        /// LZ4: low CPU cost.
        Lz4 = "lz4",
        /// Zstandard: smaller, and slower.
        Zstd = "zstd",
    }
}

/// Snapshot schedule: the number of snapshots to keep for each period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Snapshots taken at each full hour.
    #[serde(default)]
    pub hourly: u32,
    /// Snapshots taken at midnight, UTC.
    #[serde(default)]
    pub daily: u32,
    /// Snapshots taken at midnight before Sunday, UTC.
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

/// Reads permission bits from octal digits, `0755` or `755`.
pub fn octal(text: &str) -> Result<u32, Problem> {
    let sound = (3..=4).contains(&text.len()) && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let bits = if sound { u32::from_str_radix(text, 8).ok() } else { None };
    bits.ok_or_else(|| {
        Problem::new("mode", format!("{text:?} are not permission bits in octal, such as 0755"))
    })
}

/// The settings of a new volume. Fields that are absent take their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeSettings {
    /// The path that clients mount; default `/` and the volume's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether the server promises clients that open files survive their unlink; default true.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory; default 0.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub uid: u32,
    /// Group of the root directory; default 0.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub gid: u32,
    /// Permission bits of the root directory, in octal; default 0755.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-7]{3,4}$", nullable = false)]
    pub mode: Option<String>,
    /// Maximum size in bytes; null means no limit but the pool's.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<u64>,
    /// Maximum bytes per second that clients may read and write; null means no limit.
    #[serde(default)]
    #[schema(minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<u64>,
    /// Compression of new writes; default lz4.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshot schedule and retention.
    #[serde(default)]
    pub snapshots: Plan,
    /// The export policy, which sets the clients' access; default `default`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
    /// Labels of the volume, by key, such as its owner.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// The most labels of a volume.
const LABELS_MAX: usize = 32;
/// The longest key and value, in bytes.
const LABEL_BYTES_MAX: usize = 64;

/// Checks that labels can be written in a query and on the command line, and shown.
fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), Problem> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.-/".contains(character);
    let is_key = |key: &str| (1..=LABEL_BYTES_MAX).contains(&key.len()) && key.chars().all(is_plain);
    let is_value = |value: &str| value.len() <= LABEL_BYTES_MAX && value.chars().all(is_printable);
    let wrong = labels.iter().find(|(key, value)| !is_key(key) || !is_value(value));
    if wrong.is_none() && labels.len() <= LABELS_MAX {
        return Ok(());
    }
    let cause = wrong.map_or("are too many".to_owned(), |(key, _)| format!("{key:?} cannot be used"));
    Err(Problem::new("labels", cause).with_remedy(
        "a volume has at most 32 labels, with keys of 1 to 64 of the characters A-Z a-z 0-9 _ . - / and values of up to 64 printable bytes",
    ))
}

impl Check for VolumeSettings {
    fn check(&self) -> Result<(), Problem> {
        check_labels(&self.labels)?;
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
            ("labels", there.labels == self.labels),
        ];
        Ok(same.iter().find(|(_, same)| !same).map(|(field, _)| *field))
    }
}

/// A volume to create. Fields that are absent, except the name, take their defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVolume {
    /// The volume's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// The path that clients mount; default `/` and the volume's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether the server promises clients that open files survive their unlink; default true.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory; default 0.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub uid: u32,
    /// Group of the root directory; default 0.
    #[serde(default)]
    #[schema(maximum = 4294967294u32)]
    pub gid: u32,
    /// Permission bits of the root directory, in octal; default 0755.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-7]{3,4}$", nullable = false)]
    pub mode: Option<String>,
    /// Maximum size in bytes; null means no limit but the pool's.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<u64>,
    /// Maximum bytes per second that clients may read and write; null means no limit.
    #[serde(default)]
    #[schema(minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<u64>,
    /// Compression of new writes; default lz4.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshot schedule and retention.
    #[serde(default)]
    pub snapshots: Plan,
    /// The export policy, which sets the clients' access; default `default`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
    /// Labels of the volume, by key, such as its owner.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl NewVolume {
    /// Separates the name from the settings.
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
            labels,
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
            labels,
        };
        (name, settings)
    }
}

impl Check for NewVolume {
    fn check(&self) -> Result<(), Problem> {
        self.clone().split().1.check()
    }
}

/// Changes to a volume. Fields that are absent stay unchanged; null removes a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeEdit {
    /// Another name. The path follows if it is `/` and the old name, unless another one is given.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub name: Option<String>,
    /// The path that clients mount. Existing mounts keep working.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// Whether the server promises clients that open files survive their unlink. Applies to files opened from now on.
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
    /// Maximum size in bytes; null means no limit but the pool's.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<Option<u64>>,
    /// Maximum bytes per second that clients may read and write; null means no limit.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<Option<u64>>,
    /// Compression of new writes.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Snapshot schedule and retention.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub snapshots: Option<Plan>,
    /// The export policy, which sets the clients' access.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
    /// All labels of the volume, by key.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub labels: Option<BTreeMap<String, String>>,
}

impl VolumeEdit {
    /// The changes that were made, for an event: `size limit removed (was 1 GiB)`.
    pub fn in_words(&self, before: &VolumeView, after: &VolumeView) -> String {
        changes_in_words(self, before, after)
    }

    /// The change that the pool is asked to make. The export policy is not the pool's.
    pub fn change(&self) -> Result<VolumeChange, Problem> {
        Ok(VolumeChange {
            name: self.name.clone(),
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
        self.labels.as_ref().map_or(Ok(()), check_labels)?;
        self.mode.as_deref().map_or(Ok(0), octal)?;
        check_id("uid", self.uid)?;
        check_id("gid", self.gid)?;
        check_bytes("size", self.size.flatten())?;
        check_bytes("max_bytes_per_second", self.max_bytes_per_second.flatten())
    }
}

/// A clone to create of a volume's current state. A snapshot `clone-NAME` of the volume is taken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClone {
    /// The clone's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// The path that clients mount; default `/` and the clone's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(/[^/\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]+)+$",
        max_length = 1023,
        nullable = false
    )]
    pub path: Option<String>,
    /// The export policy; default that of the source volume.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub export: Option<String>,
}

impl Check for NewClone {}

/// A volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VolumeView {
    /// The volume's name.
    pub name: String,
    /// The volume's id, in hexadecimal. It is never reused. In paths, `id:` and this id can replace the name.
    pub id: String,
    /// The export policy.
    pub export: String,
    /// The path that clients mount (junction path).
    pub path: String,
    /// Whether the server promises clients that open files survive their unlink.
    pub preserve_unlink: bool,
    /// Current owner of the root directory.
    pub uid: u32,
    /// Current group of the root directory.
    pub gid: u32,
    /// Current permission bits of the root directory, in octal.
    pub mode: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Maximum size in bytes, if limited.
    pub size: Option<u64>,
    /// Maximum bytes per second that clients may read and write, if limited.
    pub max_bytes_per_second: Option<u64>,
    /// Requests delayed by that limit since it was set or the daemon started.
    pub waits: Option<WaitsView>,
    /// Bytes that can still be written to the volume.
    pub bytes_free: u64,
    /// Bytes of file data, holes excluded.
    pub bytes_logical: u64,
    /// Number of inodes, including the root directory and deleted files that are still open.
    pub inodes_used: u64,
    /// Number of deleted files that are still open.
    pub orphans: u64,
    /// Compression of new writes.
    pub compression: Compression,
    /// Snapshot schedule and retention.
    pub snapshots: Plan,
    /// The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT.
    pub clone_of: Option<String>,
    /// Labels of the volume, by key.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Its storage efficiency; null until it has been calculated.
    #[serde(default)]
    pub efficiency: Option<EfficiencyView>,
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
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The ratio of its data to its stored bytes, from the latest calculation.
    pub efficiency: Option<Counted>,
}

impl VolumeView {
    /// A volume as it is shown.
    pub fn of(shown: Shown<'_>) -> VolumeView {
        let Shown { volume, root, space, waits, export, labels, efficiency } = shown;
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
            labels,
            efficiency: efficiency.map(Into::into),
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

/// Requests delayed by a volume's throughput limit.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WaitsView {
    /// Number of delayed requests.
    pub requests: u64,
    /// Total time they waited, in milliseconds.
    pub waited_ms: u64,
    /// Number of requests that were asked to retry later, because the wait would have been too long.
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
    fn an_event_says_what_changed_from_what_to_what() {
        let view = |text: &str| {
            let rest = r#""name":"kafka","id":"1","export":"default","path":"/kafka","preserve_unlink":true,"uid":0,"gid":0,
                "mode":"0755","created":"","waits":null,"bytes_free":1,"bytes_logical":0,"inodes_used":1,"orphans":0,
                "compression":"lz4","clone_of":null,"max_bytes_per_second":null"#;
            serde_json::from_str::<VolumeView>(&format!("{{{rest},{text}}}")).unwrap()
        };
        let edit: VolumeEdit =
            serde_json::from_str(r#"{"size":null,"uid":0,"snapshots":{"hourly":6}}"#).unwrap();
        let before = view(r#""size":10737418240,"snapshots":{"daily":7}"#);
        let after = view(r#""size":null,"snapshots":{"hourly":6}"#);
        assert_eq!(
            edit.in_words(&before, &after),
            "size limit removed (was 10 GiB), snapshot schedule changed from daily=7 to hourly=6, uid still 0"
        );
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
