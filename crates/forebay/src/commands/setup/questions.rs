//! Asks for what is not given, on the terminal.

use std::fmt::Display;
use std::io::{IsTerminal, stderr, stdin};

use anyhow::{Result, bail};
use forebay_admin::views::Squash;

use super::answers::{Answers, Layout, parse_brokers, parse_mount};
use super::plan::Wishes;
use crate::arguments::values::{parse_owner, parse_word};
use crate::commands::volume::settings::{Limit, parse_limit, parse_plan, parse_switch};
use crate::config::ConfigError;
use crate::output::escaped;

/// Numbers that a first user of a machine often has.
const USUAL_OWNER: (u32, u32) = (1000, 1000);
/// Where packages of Kafka keep their data.
const USUAL_MOUNT: &str = "/var/lib/kafka";
/// Databases of users.
const USERS: &str = "/etc/passwd";

/// Whether somebody can be asked.
pub fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Completes the answers: by asking, or with the defaults.
pub fn complete(answers: Answers, ask: bool) -> Result<Wishes> {
    let owner = usual_owner();
    let usual = format!("{}:{}", owner.0, owner.1);
    let brokers = match answers.brokers {
        brokers if !brokers.is_empty() => brokers,
        _ if ask => {
            question("Who: the brokers' host names or addresses, separated by commas", None, parse_brokers)?
        }
        _ => return Err(ConfigError::new("brokers: not given; add --brokers HOST,HOST,HOST").into()),
    };
    super::answers::check_brokers(&brokers).map_err(|cause| ConfigError::new(format!("brokers: {cause}")))?;
    let squash = match answers.squash {
        Some(squash) => squash,
        None if ask => question(
            "Squash: which users of these machines are mapped to nobody (none, root, all)",
            Some("root"),
            parse_word::<Squash>,
        )?,
        None => Squash::Root,
    };
    let tls = match answers.tls {
        Some(tls) => tls,
        None if ask => question("Must brokers connect with TLS (on, off)", Some("off"), parse_switch)?,
        None => false,
    };
    let layout = match answers.layout {
        Some(layout) => layout,
        None if ask => question(
            "What: a volume for each broker, or one volume with a folder for each (volumes, folders)",
            Some("volumes"),
            |text| {
                <Layout as clap::ValueEnum>::from_str(text, true)
                    .map_err(|_| "write volumes or folders".to_owned())
            },
        )?,
        None => Layout::Volumes,
    };
    let owner = match answers.owner {
        Some(owner) => owner,
        None if ask => question(
            "User and group that brokers run as, in numbers (`id kafka`)",
            Some(&usual),
            parse_owner,
        )?,
        None => owner,
    };
    let size = match answers.size {
        None if ask => {
            let Limit(size) =
                question("Maximum size of each volume, such as 500GiB", Some("none"), parse_limit)?;
            Some(size)
        }
        given => given,
    };
    let snapshots = match answers.snapshots {
        None if ask => {
            Some(question("Snapshots to keep, such as hourly=6,daily=7", Some("none"), parse_plan)?)
        }
        given => given,
    };
    let mount = match answers.mount {
        Some(mount) => parse_mount(&mount.display().to_string())
            .map_err(|cause| ConfigError::new(format!("mount: {cause}")))?,
        None if ask => question("Directory where brokers mount", Some(USUAL_MOUNT), parse_mount)?,
        None => USUAL_MOUNT.into(),
    };
    Ok(Wishes { brokers, squash, tls, layout, owner, size, snapshots, mount })
}

/// Asks until the answer can be read. An empty one is the default.
pub fn question<T>(
    asked: &str,
    default: Option<&str>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T> {
    loop {
        let shown = default.map(|default| format!(" [{default}]")).unwrap_or_default();
        eprint!("{}", escaped(&format!("{asked}{shown}: ")));
        let mut line = String::new();
        if stdin().read_line(&mut line)? == 0 {
            bail!("cancelled");
        }
        let line = line.trim();
        match read(if line.is_empty() { default.unwrap_or_default() } else { line }) {
            Ok(value) => return Ok(value),
            Err(cause) => complain(&cause),
        }
    }
}

fn complain(cause: &dyn Display) {
    eprintln!("  {}", escaped(&cause.to_string()));
}

/// The user `kafka` of this machine, whose numbers are often those of the brokers' machines.
fn usual_owner() -> (u32, u32) {
    std::fs::read_to_string(USERS).ok().and_then(|users| owner_in(&users)).unwrap_or(USUAL_OWNER)
}

fn owner_in(users: &str) -> Option<(u32, u32)> {
    let line = users.lines().find(|line| line.starts_with("kafka:"))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_only_the_brokers_must_be_given() {
        assert!(complete(Answers::default(), false).unwrap_err().to_string().contains("--brokers"));
        let brokers = vec!["kafka-1".to_owned()];
        let wishes = complete(Answers { brokers, ..Answers::default() }, false).unwrap();
        assert_eq!((wishes.squash, wishes.tls, wishes.layout), (Squash::Root, false, Layout::Volumes));
        assert_eq!((wishes.size, wishes.mount.to_str()), (None, Some("/var/lib/kafka")));
    }

    #[test]
    fn the_user_of_brokers_is_found() {
        assert_eq!(owner_in("root:x:0:0::/:/bin/sh\nkafka:x:993:990::/:/bin/false\n"), Some((993, 990)));
        assert_eq!(owner_in("kafkaesque:x:1:1::/:\nkafka:x:"), None);
    }
}
