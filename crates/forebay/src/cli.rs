//! The command line and its help.

mod lab;
mod usage;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub use crate::arguments::Remote;
use crate::arguments::remote;
use crate::commands::account::{TokenCommand, UserCommand};
use crate::commands::alert::AlertCommand;
use crate::commands::bucket::BucketCommand;
use crate::commands::cluster::ClusterCommand;
use crate::commands::config::ConfigCommand;
use crate::commands::event::EventCommand;
use crate::commands::export::ExportCommand;
use crate::commands::job::JobCommand;
use crate::commands::kafka::KafkaCommand;
use crate::commands::nfs::NfsCommand;
use crate::commands::object::ObjectCommand;
use crate::commands::pool::PoolCommand;
use crate::commands::profile::ProfileCommand;
use crate::commands::s3::S3Command;
use crate::commands::setup::SetupArgs;
use crate::commands::size::SizeArgs;
use crate::commands::snapshot::SnapshotCommand;
use crate::commands::status::StatusArgs;
use crate::commands::support::SupportCommand;
use crate::commands::volume::VolumeCommand;
use crate::config::flags::AllSettings;
pub use lab::LabCommand;
pub use usage::{hint, without_settings_in_usage};

const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  failure; one line on standard error says what happened, why, and what to do
  2  the command line or the configuration is invalid; nothing was started
  1, 2  `forebay status`: a warning or a critical alert fires; `forebay cluster status`: a pool is not served, or this cannot be told
  4  `forebay lab run`: the experiment ran and its verdict is fail; `forebay pool check`: there are differences
";

/// Shared storage for Apache Kafka
///
/// One daemon serves NFSv4.1 and 4.2 from a pool on disk, so that unmodified Kafka brokers can keep their
/// `log.dirs` on it. A file that is removed while a broker has it open stays usable by that broker, and its
/// name disappears immediately: no `.nfs` files, no failed log directory.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, after_long_help = EXIT_STATUS, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a pool over NFS until SIGTERM or Ctrl-C
    ///
    /// Opens the pool. If the directory is empty, creates a pool with a volume `kafka` mounted at `/kafka`.
    /// When clients can connect, prints one line starting with `ready:` on standard output that says how to
    /// mount it. The log goes to standard error.
    ///
    /// SIGTERM or SIGINT makes the daemon finish requests in progress, close the pool, and exit with
    /// status 0. A second signal makes it exit immediately; the pool then recovers at the next start, as it
    /// does after kill -9 or a power loss.
    #[command(after_long_help = SERVE_EXAMPLES)]
    Serve(AllSettings),

    /// Set up brokers: measure the disk, grant access, create volumes, print the lines for /etc/fstab and server.properties
    ///
    /// Asks for the pool's directory, the addresses of the brokers, and the layout of their volumes. Then it creates an export policy
    /// `brokers` and the volumes through the API of the running daemon, and prints the lines for each broker's /etc/fstab and
    /// server.properties. With --wait it then shows each broker as it mounts, locks and writes. The command can be repeated: it changes
    /// existing objects instead of creating them twice.
    ///
    /// Without a daemon it measures the disk, writes a configuration file, and explains how to start the daemon. It starts nothing.
    #[command(after_long_help = SETUP_EXAMPLES)]
    Setup(SetupArgs),

    /// Show whether the daemon is healthy, and what to do if it is not
    ///
    /// Shows the alerts that fire with their causes and remedies, the clients, the space, the busiest clients and volumes, and the
    /// latest changes.
    ///
    /// Exit status: 0 if the daemon is healthy, 1 if a warning fires, 2 if a critical alert fires or the daemon does not answer.
    Status(StatusArgs),

    /// Create a pool with an admin user and token, without serving it
    ///
    /// The user `admin` has full access. The token is printed once and cannot be shown again. It is for the
    /// API over TCP; on this machine the admin socket needs no token. `forebay serve` also creates a pool if
    /// there is none, with the same user but without a token.
    Init(AllSettings),

    /// Print or check a configuration file
    #[command(subcommand)]
    Config(ConfigCommand),

    /// Create, list, show, resize, clone, roll back and delete volumes of a running daemon
    ///
    /// A volume is a directory tree that clients mount at its path. These commands talk to the daemon on this
    /// machine through its admin socket, which is in the pool's directory unless configured otherwise, or
    /// with --server to any daemon.
    #[command(subcommand)]
    Volume(VolumeCommand),

    /// Create, list, show, change and delete buckets of S3, and their policies and rules
    ///
    /// A bucket holds objects, and shares the pool with the volumes. The daemon serves buckets if s3.listen is set.
    #[command(subcommand)]
    Bucket(BucketCommand),

    /// Create objects from files in volumes, without copying their data
    #[command(subcommand)]
    Object(ObjectCommand),

    /// Manage the users, access keys and groups of S3
    ///
    /// A user has access keys, and belongs to groups. The policies of groups and buckets define what the user can do.
    /// Requests that no policy allows are denied.
    #[command(subcommand, name = "s3")]
    S3(S3Command),

    /// Take, list and delete snapshots of a running daemon's volumes
    ///
    /// A snapshot holds the contents of its volumes at one instant, and takes space only for data that
    /// changes afterwards. Clients see it read-only below `.snapshot` in the volume's root directory.
    /// `forebay volume clone` creates a volume from it, `forebay volume rollback` reverts a volume to it, and
    /// `forebay volume modify --snapshots` sets a schedule.
    #[command(subcommand)]
    Snapshot(SnapshotCommand),

    /// Manage export policies (client access)
    ///
    /// An export policy is a list of rules. The first rule that matches a client applies; a client that no
    /// rule matches does not see the volumes with that policy. Every volume has one policy: `default`, which
    /// lets everyone read and write unless you change it, or another one (`forebay volume modify NAME
    /// --export POLICY`).
    #[command(subcommand)]
    Export(ExportCommand),

    /// Show NFS clients and their open files and locks, and revoke them
    #[command(subcommand)]
    Nfs(NfsCommand),

    /// Show what Kafka clusters, brokers and topics store and share, and what can be cleaned up
    ///
    /// The daemon recognises Kafka's log directories by the file `meta.properties`. It contacts no broker. The figures are of its last
    /// report, which it makes every five minutes (kafka.interval_seconds).
    #[command(subcommand)]
    Kafka(KafkaCommand),

    /// Show, check, scrub or salvage the pool
    #[command(subcommand)]
    Pool(PoolCommand),

    /// Show the pools in a database, the nodes that serve them and those that wait, and move a pool to another node
    #[command(subcommand)]
    Cluster(ClusterCommand),

    /// Manage API users
    #[command(subcommand)]
    User(UserCommand),

    /// Manage tokens of API users
    #[command(subcommand)]
    Token(TokenCommand),

    /// Show as which user, and with which role, commands reach the daemon
    Whoami {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show, acknowledge and silence alerts, and test their delivery
    #[command(subcommand)]
    Alert(AlertCommand),

    /// Show events
    #[command(subcommand)]
    Event(EventCommand),

    /// Show and cancel background jobs
    #[command(subcommand)]
    Job(JobCommand),

    /// Save connections to daemons
    #[command(subcommand)]
    Profile(ProfileCommand),

    /// Collect diagnostics for support
    #[command(subcommand)]
    Support(SupportCommand),

    /// Calculate the storage that a Kafka cluster needs: throughput, capacity, nodes
    ///
    /// Every replica is written to storage, so the write rate is the produce rate times the replication
    /// factor. Forebay stores the replicas of a record batch once. This command does not contact a daemon.
    #[command(after_long_help = SIZE_EXAMPLES)]
    Size(SizeArgs),

    /// Run experiments with real Kafka brokers on real Linux NFS clients, on this machine
    #[command(subcommand, after_help = LAB_COMMANDS)]
    Lab(LabCommand),

    /// Print a shell completion script for `forebay`
    ///
    /// bash: `forebay completions bash > /etc/bash_completion.d/forebay`
    ///
    /// The script also completes the names of the running daemon's volumes, snapshots, export policies, users,
    /// buckets and topics.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },

    /// Write manual pages, one per command, into a directory
    Man {
        /// The directory; it must exist.
        directory: PathBuf,
    },

    /// Print a page of the reference documentation, generated from the code
    #[command(hide = true)]
    Reference {
        /// The page.
        page: ReferencePage,
    },
}

/// Pages of the reference documentation.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ReferencePage {
    /// docs/reference/configuration.md
    Configuration,
    /// docs/reference/command-line.md
    CommandLine,
    /// docs/reference/openapi.json
    Openapi,
    /// docs/reference/metrics.md
    Metrics,
    /// docs/reference/s3-operations.md
    S3Operations,
    /// docs/reference/alerts.md
    Alerts,
    /// deploy/prometheus/alerts.yml
    AlertRules,
    /// deploy/grafana/forebay-overview.json
    ForebayOverview,
    /// deploy/grafana/forebay-nfs.json
    ForebayNfs,
    /// deploy/grafana/forebay-s3.json
    ForebayS3,
    /// deploy/grafana/forebay-pool.json
    ForebayPool,
    /// deploy/grafana/forebay-tiering.json
    ForebayTiering,
    /// All expressions of the dashboards as rules, for `promtool check rules`
    DashboardRules,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  forebay serve
  forebay serve --pool-directory /srv/forebay --pool-size-max 500GiB
  forebay serve --config /etc/forebay.toml --log-format json

Then, on a client:
  mount -t nfs -o vers=4.2,hard,nconnect=4 SERVER:/kafka /var/lib/kafka
";

const SETUP_EXAMPLES: &str = "\
Examples:
  forebay setup
  forebay setup --brokers 10.1.0.11,10.1.0.12,10.1.0.13 --owner 993:990 --size 2TiB --yes --wait
  forebay setup --answers cluster-a.toml

A file of answers:
  brokers = [\"10.1.0.11\", \"10.1.0.12\", \"10.1.0.13\"]
  squash = \"root\"
  tls = false
  layout = \"volumes\"
  owner = \"993:990\"
  size = \"2TiB\"
  snapshots = \"daily=7\"
  mount = \"/var/lib/kafka\"
";

const LAB_COMMANDS: &str = "\
All other commands are those of the program forebay-lab, which `forebay lab` finds in the directory of `forebay` or in PATH and runs:
`forebay lab --help` lists them.
";

const SIZE_EXAMPLES: &str = "\
Examples:
  forebay size --produce 1.2GB/s --replication 3 --retention 7d --brokers 6
  forebay size --produce 300MB/s --brokers 5 --node-throughput 2GB/s --node-capacity 50TB
";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
