//! How objects are named on the command line. An invalid name is rejected here as a usage error, before a
//! daemon is contacted.

use forebay_pool::{NAME_RULE, is_name};

/// A snapshot of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotName {
    /// The volume.
    pub volume: String,
    /// The snapshot's own name.
    pub name: String,
}

/// A volume, or a snapshot of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The volume.
    pub volume: String,
    /// The snapshot's own name.
    pub snapshot: Option<String>,
}

/// The name of a new volume, of a snapshot, an export policy or a user.
pub fn name(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.to_owned()) } else { Err(format!("a name must be {NAME_RULE}")) }
}

/// A bucket.
pub fn bucket(text: &str) -> Result<String, String> {
    if forebay_s3::names::has_bucket_form(text) {
        return Ok(text.to_owned());
    }
    Err("a bucket's name has 3 to 63 of the characters a-z 0-9 - . beginning and ending with a letter or digit, and is no IP \
         address"
        .to_owned())
}

/// The id of an access key of S3.
pub fn access_key(text: &str) -> Result<String, String> {
    if (16..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(text.to_owned());
    }
    Err("write the letters and digits that `forebay s3 key list` shows".to_owned())
}

/// An existing volume: its name, or `id:` and its id.
pub fn volume(text: &str) -> Result<String, String> {
    match text.strip_prefix("id:") {
        Some(id) if is_hexadecimal(id, 8) => Ok(text.to_owned()),
        Some(_) => {
            Err("write id: and the 8 hexadecimal digits that `forebay volume list -o json` shows".to_owned())
        }
        None => name(text),
    }
}

/// `VOLUME@SNAPSHOT`.
pub fn snapshot(text: &str) -> Result<SnapshotName, String> {
    let hint = "write VOLUME@SNAPSHOT, such as kafka@before-upgrade";
    let (of, own) = text.split_once('@').ok_or(hint)?;
    if of.is_empty() || own.is_empty() {
        return Err(hint.to_owned());
    }
    let (volume, name) = (volume(of), name(own));
    match (volume, name) {
        (Ok(volume), Ok(name)) => Ok(SnapshotName { volume, name }),
        (Err(error), _) | (_, Err(error)) => Err(format!("{hint}; {error}")),
    }
}

/// `VOLUME@SNAPSHOT`, or `VOLUME`.
pub fn source(text: &str) -> Result<Source, String> {
    if text.contains('@') {
        return snapshot(text).map(|SnapshotName { volume, name }| Source { volume, snapshot: Some(name) });
    }
    volume(text).map(|volume| Source { volume, snapshot: None })
}

/// A token's id.
pub fn token(text: &str) -> Result<String, String> {
    hexadecimal(text, 16, "`forebay token list` shows")
}

/// An NFS client's id.
pub fn client(text: &str) -> Result<String, String> {
    hexadecimal(text, 16, "`forebay nfs clients` shows")
}

/// An open's stateid, or that of locks.
pub fn stateid(text: &str) -> Result<String, String> {
    hexadecimal(text, 24, "`forebay nfs opens` or `forebay nfs locks` shows")
}

fn hexadecimal(text: &str, count: usize, shown: &str) -> Result<String, String> {
    if is_hexadecimal(text, count) {
        return Ok(text.to_owned());
    }
    Err(format!("write the {count} hexadecimal digits that {shown}"))
}

fn is_hexadecimal(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_and_sources_are_read() {
        let monday = || SnapshotName { volume: "kafka".into(), name: "monday".into() };
        assert_eq!(snapshot("kafka@monday"), Ok(monday()));
        assert_eq!(snapshot("id:0000000a@monday").map(|read| read.volume), Ok("id:0000000a".into()));
        assert_eq!(source("kafka").map(|read| (read.volume, read.snapshot)), Ok(("kafka".into(), None)));
        assert_eq!(source("kafka@monday").map(|read| read.snapshot), Ok(Some("monday".into())));
        for wrong in [
            "",
            "kafka",
            "@",
            "kafka@",
            "@monday",
            "kafka@a@b",
            "../x@y",
            "kafka@a/b",
            "kafka@..",
            "a?@b",
            "a@#",
        ] {
            assert!(snapshot(wrong).unwrap_err().contains("VOLUME@SNAPSHOT"), "{wrong}");
        }
    }

    #[test]
    fn what_can_be_no_name_is_refused() {
        for wrong in ["", ".", "..", "a/b", "a%2Fb", "a?", "#", "a b", "-x", "a\u{1b}", "ä", &"a".repeat(65)]
        {
            assert!(name(wrong).is_err() && volume(wrong).is_err() && source(wrong).is_err(), "{wrong}");
        }
        for wrong in ["id:", "id:../x", "id:123456789", "id:xyzxyzxy"] {
            assert!(volume(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "ab", "Upper", "a_b", "a/b", "..", "192.0.2.1", "-ab", &"a".repeat(64)] {
            assert!(bucket(wrong).is_err(), "{wrong}");
        }
        assert!(bucket("my.bucket-1").is_ok() && access_key("AKIA0123456789ABCDEF").is_ok());
        assert!(access_key("AKIA").is_err() && access_key("AKIA0123456789ABCD/F").is_err());
        assert!(token("0123456789abcdef").is_ok() && token("").is_err() && token("../users/x").is_err());
    }
}
