//! The arguments of `forebay setup`.

use std::path::PathBuf;

use clap::Args;
use forebay_admin::views::{Plan, Squash};

use super::answers::{Answers, Layout};
use crate::arguments::Remote;
use crate::arguments::values::{parse_owner, parse_word};
use crate::commands::volume::settings::{Limit, parse_limit, parse_plan, parse_switch};

/// `forebay setup`.
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// The brokers' host names or addresses, in the order of their numbers, separated by commas
    #[arg(long, value_name = "HOST,...", value_delimiter = ',')]
    brokers: Vec<String>,

    /// Which users of the brokers' machines are mapped to nobody: none, root or all [default: root]
    #[arg(long, value_name = "SQUASH", value_parser = parse_word::<Squash>)]
    squash: Option<Squash>,

    /// Whether brokers must connect with TLS: on or off [default: off]
    #[arg(long, value_name = "ON|OFF", value_parser = parse_switch)]
    tls: Option<bool>,

    /// A volume for each broker, or one volume with a folder for each [default: volumes]
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<Layout>,

    /// The numbers of the user and the group that brokers run as [default: those of the user kafka here, or 1000:1000]
    #[arg(long, value_name = "UID:GID", value_parser = parse_owner)]
    owner: Option<(u32, u32)>,

    /// Maximum size of each volume, or none [default: none for new volumes]
    #[arg(long, value_name = "SIZE", value_parser = parse_limit)]
    size: Option<Limit>,

    /// Snapshots to take, and how many to keep, such as hourly=6,daily=7, or none [default: none for new volumes]
    #[arg(long, value_name = "PLAN", value_parser = parse_plan)]
    snapshots: Option<Plan>,

    /// The directory where brokers mount [default: /var/lib/kafka]
    #[arg(long, value_name = "DIR")]
    mount: Option<PathBuf>,

    /// Read answers from this TOML file; its keys are the options above
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,

    /// Where to write the configuration if there is no daemon and no configuration
    #[arg(long, value_name = "FILE", default_value = "forebay.toml")]
    pub write_config: PathBuf,

    /// Ask nothing: what is not given has its default
    #[arg(long, short = 'y')]
    pub yes: bool,

    /// Wait until each broker has mounted, locked and written
    #[arg(long)]
    pub wait: bool,

    /// Wait no longer than this
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    pub wait_seconds_max: Option<u64>,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

impl SetupArgs {
    /// The answers that are given as options.
    pub fn given(&self) -> Answers {
        Answers {
            brokers: self.brokers.iter().map(|broker| broker.trim().to_owned()).collect(),
            squash: self.squash,
            tls: self.tls,
            layout: self.layout,
            owner: self.owner,
            size: self.size.map(|Limit(size)| size),
            snapshots: self.snapshots,
            mount: self.mount.clone(),
        }
    }
}
