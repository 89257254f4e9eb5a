//! Command line of `forebay object`.

use clap::Subcommand;
use forebay_admin::views::OffsetsView;

use crate::arguments::Remote;
use crate::arguments::names;

/// `forebay object`.
#[derive(Debug, Subcommand)]
pub enum ObjectCommand {
    /// Create an object from a file in a volume
    ///
    /// The object shares the file's bytes, so no data is moved and no space is needed. It is verified before it exists. The copy is refused
    /// if the file is changed meanwhile. Needs the role admin. To put other files, use any client of S3.
    #[command(after_long_help = PUT_EXAMPLES)]
    Put {
        /// The file, as VOLUME:/PATH
        #[arg(long, value_name = "VOLUME:/PATH", value_parser = file)]
        from_volume: VolumeFile,

        /// The object, as s3://BUCKET/KEY. A key that ends with / gets the file's name
        #[arg(value_name = "s3://BUCKET/KEY", value_parser = object)]
        object: ObjectName,

        /// The file is a Kafka log segment with these offsets: verify the checksum of every record batch
        #[arg(long, value_name = "FIRST-LAST", value_parser = offsets)]
        records: Option<OffsetsView>,

        /// Replace an object with that key
        #[arg(long)]
        replace: bool,

        /// The media type of the object
        #[arg(long, value_name = "TYPE")]
        content_type: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// A file of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeFile {
    /// The volume.
    pub volume: String,
    /// The path in the volume.
    pub path: String,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The bucket.
    pub bucket: String,
    /// The key.
    pub key: String,
}

fn file(text: &str) -> Result<VolumeFile, String> {
    let hint = || "write VOLUME:/PATH, such as kafka:/broker-1/orders-0/00000000000000000000.log".to_owned();
    // `id:` and digits are a volume, too.
    let (volume, path) = text.split_once(":/").ok_or_else(hint)?;
    if path.trim_matches('/').is_empty() {
        return Err(hint());
    }
    Ok(VolumeFile { volume: names::volume(volume)?, path: path.to_owned() })
}

fn object(text: &str) -> Result<ObjectName, String> {
    let hint = || "write s3://BUCKET/KEY, such as s3://backup/orders/00000000000000000000.log".to_owned();
    let (bucket, key) = text.strip_prefix("s3://").and_then(|rest| rest.split_once('/')).ok_or_else(hint)?;
    Ok(ObjectName { bucket: names::bucket(bucket)?, key: key.to_owned() })
}

fn offsets(text: &str) -> Result<OffsetsView, String> {
    let parsed = forebay_s3::records::Offsets::parse(text);
    let offsets = parsed.ok_or("write FIRST-LAST, two offsets of records, such as 0-999")?;
    Ok(OffsetsView { first: offsets.first, last: offsets.last })
}

const PUT_EXAMPLES: &str = "\
Examples:
  forebay object put --from-volume kafka:/backup.tar s3://archive/2026/backup.tar
  forebay object put --from-volume kafka:/broker-1/orders-0/00000000000000000000.log --records 0-99999 s3://archive/orders-0/
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_objects_are_named_as_their_tools_name_them() {
        let named = file("kafka:/a/b:c").unwrap();
        assert_eq!((named.volume.as_str(), named.path.as_str()), ("kafka", "a/b:c"));
        assert_eq!(file("id:0000000a:/a").unwrap().volume, "id:0000000a");
        let named = object("s3://backup//a/").unwrap();
        assert_eq!((named.bucket.as_str(), named.key.as_str()), ("backup", "/a/"));
        for wrong in ["kafka", "kafka:", "kafka:/", "kafka://", ":/a", "kafka/a"] {
            assert!(file(wrong).is_err(), "{wrong}");
        }
        for wrong in ["backup/a", "s3://backup", "s3:///a", "S3://backup/a", "s3://B/a"] {
            assert!(object(wrong).is_err(), "{wrong}");
        }
        assert!(offsets("5-4").is_err() && offsets("0-0").is_ok());
    }
}
