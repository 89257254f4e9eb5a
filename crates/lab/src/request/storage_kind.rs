//! The kinds of storages, and their names on the command line, in requests and in results.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::report::storage_file_name;
use crate::toolbox::Toolset;

/// What the name of a folder of the host begins with.
const MOUNT: &str = "mount:";
/// What the name of another build of the daemon begins with.
const DAEMON: &str = "forebay:";
/// What the address of an object store begins with.
const URLS: [&str; 2] = ["http://", "https://"];

/// The storages the lab knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum StorageKind {
    /// Forebay, on the host, over NFSv4.2.
    Forebay,
    /// Another build of Forebay's daemon, such as an earlier release, to compare with. The path is absolute.
    Daemon(PathBuf),
    /// The Linux kernel's NFS server, in a guest, over NFSv3.
    KnfsdV3,
    /// The Linux kernel's NFS server, in a guest, over NFSv4.2.
    KnfsdV4,
    /// NFS-Ganesha, on the host, over NFSv4.2.
    Ganesha,
    /// The lab's NFS server that does no work, on the host, over NFSv4.2. It keeps no data.
    Null,
    /// An ext4 of its own for each guest, without NFS.
    Local,
    /// A folder of this host, whatever is mounted there; brokers run on the host then, without guests. The path is absolute.
    Mount(PathBuf),
    /// VersityGW, an S3 server on a folder of the host's disk.
    Versitygw,
    /// Garage, an S3 server, one node.
    Garage,
    /// MinIO, an S3 server, one node and one folder.
    Minio,
    /// An object store at this address, which the lab did not start.
    Url(String),
}

impl StorageKind {
    /// All that have a fixed name.
    pub const NAMED: [Self; 9] = [
        Self::Forebay,
        Self::KnfsdV3,
        Self::KnfsdV4,
        Self::Ganesha,
        Self::Null,
        Self::Local,
        Self::Versitygw,
        Self::Garage,
        Self::Minio,
    ];

    /// Its name on the command line and in results.
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// Its name as a part of a file's name.
    pub fn file_name(&self) -> String {
        storage_file_name(&self.name())
    }

    /// The folder of the host that it is, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Mount(folder) => Some(folder),
            _ => None,
        }
    }

    /// Whether it has objects only, and no files.
    pub fn is_object_store(&self) -> bool {
        matches!(self, Self::Versitygw | Self::Garage | Self::Minio | Self::Url(_))
    }

    /// The tool set with its server, if it is compiled from source. Without it, the other storages can still be run.
    pub fn own_toolset(&self) -> Option<Toolset> {
        match self {
            Self::Versitygw => Some(Toolset::Versitygw),
            Self::Garage => Some(Toolset::Garage),
            Self::Minio => Some(Toolset::Minio),
            _ => None,
        }
    }

    /// What can be named, for a person.
    pub fn all_names() -> String {
        let mut names: Vec<String> = Self::NAMED.iter().map(Self::name).collect();
        names.push(format!("{DAEMON}PROGRAM"));
        names.push(format!("{MOUNT}DIR"));
        names.push("http://HOST:PORT".to_owned());
        names.join(", ")
    }
}

impl fmt::Display for StorageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forebay => f.write_str("forebay"),
            Self::Daemon(program) => write!(f, "{DAEMON}{}", program.display()),
            Self::KnfsdV3 => f.write_str("knfsd-v3"),
            Self::KnfsdV4 => f.write_str("knfsd-v4"),
            Self::Ganesha => f.write_str("ganesha"),
            Self::Null => f.write_str("null"),
            Self::Local => f.write_str("local"),
            Self::Mount(folder) => write!(f, "{MOUNT}{}", folder.display()),
            Self::Versitygw => f.write_str("versitygw"),
            Self::Garage => f.write_str("garage"),
            Self::Minio => f.write_str("minio"),
            Self::Url(url) => f.write_str(url),
        }
    }
}

impl FromStr for StorageKind {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        if let Some(folder) = name.strip_prefix(MOUNT) {
            return mounted(folder);
        }
        if let Some(program) = name.strip_prefix(DAEMON) {
            return daemon(program);
        }
        if URLS.iter().any(|scheme| name.starts_with(scheme)) {
            return object_store(name);
        }
        let known = Self::NAMED.into_iter().find(|kind| kind.name() == name);
        known.with_context(|| {
            format!(
                "unknown storage {name:?}; choose one of {} (a DIR cannot have a comma in its name, because Kafka separates \
                 directories by commas; use a symbolic link without one)",
                Self::all_names()
            )
        })
    }
}

fn mounted(folder: &str) -> Result<StorageKind> {
    if folder.is_empty() {
        bail!("{MOUNT} names no directory; write {MOUNT}DIR, such as {MOUNT}/mnt/kafka");
    }
    if folder.contains([',', '\n']) {
        bail!(
            "{folder:?} has a comma or a line break in its name, which Kafka's log.dirs cannot contain; use a symbolic link without one"
        );
    }
    let absolute = std::path::absolute(folder).with_context(|| format!("resolve {folder}"))?;
    // One folder has one name, with a slash at its end or without.
    Ok(StorageKind::Mount(absolute.components().collect()))
}

fn object_store(url: &str) -> Result<StorageKind> {
    let host = URLS.iter().find_map(|scheme| url.strip_prefix(scheme)).unwrap_or_default();
    // A key in the address would be written to the results.
    if host.contains('@') {
        bail!(
            "the address of an object store has no user: give its key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        );
    }
    let host = host.trim_end_matches('/');
    if host.is_empty() || host.contains(|char: char| char.is_whitespace() || "/?#".contains(char)) {
        bail!("{url:?} is not the address of an object store: write http://HOST:PORT or https://HOST:PORT");
    }
    Ok(StorageKind::Url(url.trim_end_matches('/').to_owned()))
}

fn daemon(program: &str) -> Result<StorageKind> {
    if program.is_empty() {
        bail!("{DAEMON} names no program: write {DAEMON}PROGRAM, such as {DAEMON}/usr/bin/forebay");
    }
    let absolute = std::path::absolute(program).with_context(|| format!("resolve {program}"))?;
    Ok(StorageKind::Daemon(absolute.components().collect()))
}

impl From<StorageKind> for String {
    fn from(kind: StorageKind) -> Self {
        kind.name()
    }
}

impl TryFrom<String> for StorageKind {
    type Error = anyhow::Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_storage_is_found_by_the_name_it_says() {
        let kinds = StorageKind::NAMED
            .into_iter()
            .chain([StorageKind::Mount("/mnt/x".into()), StorageKind::Daemon("/opt/earlier/forebay".into())])
            .chain([StorageKind::Url("https://s3.example:9000".into())]);
        for kind in kinds {
            assert_eq!(kind.name().parse::<StorageKind>().unwrap(), kind);
        }
    }

    #[test]
    fn a_folder_has_one_name_however_it_is_written() {
        let kind: StorageKind = "mount:/mnt//kafka/".parse().unwrap();
        assert_eq!(
            (kind.name().as_str(), kind.file_name().as_str()),
            ("mount:/mnt/kafka", "mount-mnt-kafka")
        );
        assert_eq!(storage_file_name("mount:/mnt/a-b"), "mount-mnt-a--b", "and not that of /mnt/a/b");
        let relative: StorageKind = "mount:here".parse().unwrap();
        assert!(relative.folder().unwrap().is_absolute());
    }

    #[test]
    fn an_object_store_at_an_address_has_one_name() {
        let kind: StorageKind = "http://s3.example:9000/".parse().unwrap();
        assert_eq!(kind, StorageKind::Url("http://s3.example:9000".into()));
        assert!(kind.is_object_store() && !StorageKind::Forebay.is_object_store());
        assert!(!kind.file_name().contains('/'));
    }

    #[test]
    fn what_cannot_be_a_storage_is_refused_with_the_reason() {
        for (name, reason) in [
            ("floppy", "mount:DIR"),
            ("mount:", "names no directory"),
            ("forebay:", "names no program"),
            ("mount:/a,b", "comma"),
            ("http://", "not the address"),
            ("http://s3.example/bucket", "not the address"),
            ("https://key:secret@s3.example", "AWS_ACCESS_KEY_ID"),
        ] {
            let error = name.parse::<StorageKind>().unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}
