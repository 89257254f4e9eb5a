//! The answers, from options, from a file, and as they are completed.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use forebay_admin::views::{Plan, Squash};
use serde::Deserialize;

use crate::arguments::values::parse_owner;
use crate::commands::volume::settings::{Limit, parse_limit, parse_plan};
use crate::config::ConfigError;

/// More brokers than any cluster has.
const BROKERS_MAX: usize = 1000;

/// The layout of the brokers' volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// A volume for each broker: its size, snapshots and restarts concern no other
    Volumes,
    /// One volume with a folder for each broker
    Folders,
}

/// What is known so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The brokers' host names or addresses.
    pub brokers: Vec<String>,
    /// Which users are mapped to nobody.
    pub squash: Option<Squash>,
    /// Whether brokers must connect with TLS.
    pub tls: Option<bool>,
    /// The layout of the brokers' volumes.
    pub layout: Option<Layout>,
    /// The user and group that brokers run as.
    pub owner: Option<(u32, u32)>,
    /// Maximum size of each volume.
    pub size: Option<Option<u64>>,
    /// Snapshots to take.
    pub snapshots: Option<Plan>,
    /// The directory where brokers mount.
    pub mount: Option<PathBuf>,
}

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    brokers: Vec<String>,
    squash: Option<String>,
    tls: Option<bool>,
    layout: Option<Layout>,
    owner: Option<String>,
    size: Option<String>,
    snapshots: Option<String>,
    mount: Option<PathBuf>,
}

impl Answers {
    /// Reads a file of answers.
    pub fn read(path: &Path) -> Result<Answers> {
        let wrong = |cause: String| ConfigError::new(format!("answers {}: {cause}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Ok(Answers::parse(&text).map_err(wrong)?)
    }

    fn parse(text: &str) -> Result<Answers, String> {
        let file: File =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().replace('\n', " "))?;
        let of = |key: &'static str| move |cause: String| format!("{key}: {cause}");
        Ok(Answers {
            brokers: file.brokers,
            squash: file.squash.as_deref().map(str::parse).transpose().map_err(of("squash"))?,
            tls: file.tls,
            layout: file.layout,
            owner: file.owner.as_deref().map(parse_owner).transpose().map_err(of("owner"))?,
            size: file
                .size
                .as_deref()
                .map(|size| parse_limit(size).map(|Limit(size)| size))
                .transpose()
                .map_err(of("size"))?,
            snapshots: file.snapshots.as_deref().map(parse_plan).transpose().map_err(of("snapshots"))?,
            mount: file.mount,
        })
    }

    /// These answers, completed by others.
    pub fn or(self, others: Answers) -> Answers {
        Answers {
            brokers: if self.brokers.is_empty() { others.brokers } else { self.brokers },
            squash: self.squash.or(others.squash),
            tls: self.tls.or(others.tls),
            layout: self.layout.or(others.layout),
            owner: self.owner.or(others.owner),
            size: self.size.or(others.size),
            snapshots: self.snapshots.or(others.snapshots),
            mount: self.mount.or(others.mount),
        }
    }
}

/// Reads the brokers' names from a line.
pub fn parse_brokers(text: &str) -> Result<Vec<String>, String> {
    let brokers: Vec<String> =
        text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    check_brokers(&brokers)?;
    Ok(brokers)
}

/// Refuses lists that cannot be of brokers. Export policies check each name.
pub fn check_brokers(brokers: &[String]) -> Result<(), String> {
    if brokers.is_empty() {
        return Err("write the host name or address of each broker, separated by commas".to_owned());
    }
    if brokers.len() > BROKERS_MAX {
        return Err(format!("more than {BROKERS_MAX} brokers"));
    }
    for (index, broker) in brokers.iter().enumerate() {
        if broker.is_empty() || broker == "*" || broker.contains('/') {
            return Err(format!(
                "{broker:?}: write the host name or address of one broker; `forebay export rule add brokers NETWORK` lets in a network"
            ));
        }
        if brokers[..index].contains(broker) {
            return Err(format!("{broker}: named twice; each broker needs its own machine"));
        }
    }
    Ok(())
}

/// Reads the directory where brokers mount.
pub fn parse_mount(text: &str) -> Result<PathBuf, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/-_.".contains(letter);
    if !text.starts_with('/') || text == "/" || !text.chars().all(is_plain) {
        return Err(format!("{text:?}: write an absolute path without spaces, such as /var/lib/kafka"));
    }
    Ok(PathBuf::from(text.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_answers_of_the_options() {
        let text = "brokers = [\"10.1.0.11\", \"kafka-2\"]\nsquash = \"none\"\nlayout = \"folders\"\nowner = \"999:998\"\n\
                    size = \"1TiB\"\nsnapshots = \"daily=7\"\n";
        let read = Answers::parse(text).unwrap();
        assert_eq!(
            (read.brokers.len(), read.squash, read.layout),
            (2, Some(Squash::None), Some(Layout::Folders))
        );
        assert_eq!((read.owner, read.size), (Some((999, 998)), Some(Some(1 << 40))));
        let given = Answers { brokers: vec!["a".to_owned()], size: Some(None), ..Answers::default() };
        let both = given.or(read);
        assert_eq!(
            (both.brokers, both.size, both.owner),
            (vec!["a".to_owned()], Some(None), Some((999, 998)))
        );
    }

    #[test]
    fn mistakes_in_a_file_are_named() {
        for (text, part) in [
            ("broker = []", "broker"),
            ("squash = \"some\"", "squash: "),
            ("owner = \"kafka\"", "owner: write UID:GID"),
            ("size = \"big\"", "size: "),
            ("layout = \"both\"", "both"),
            ("brokers = 3", "brokers"),
            ("x", "expected"),
        ] {
            let error = Answers::parse(text).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn brokers_are_machines_and_each_is_there_once() {
        assert_eq!(parse_brokers(" kafka-1, kafka-2 10.0.0.3").unwrap(), ["kafka-1", "kafka-2", "10.0.0.3"]);
        for text in ["", ",", "*", "10.0.0.0/8", "a,b,a"] {
            assert!(parse_brokers(text).is_err(), "{text}");
        }
        assert!(parse_mount("/var/lib/kafka/").unwrap() == Path::new("/var/lib/kafka"));
        for text in ["", "/", "kafka", "/with space", "/x\n"] {
            assert!(parse_mount(text).is_err(), "{text:?}");
        }
    }
}
