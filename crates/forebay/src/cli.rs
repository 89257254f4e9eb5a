//! The command line: what can be typed, and its help.

mod account;
mod export;
mod lab;
mod names;
mod nfs;
pub mod remote;
mod salvage;
mod support;
mod volume;
mod watch;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::config::flags::{AdminSettings, AllSettings};
pub use account::{ProfileCommand, TokenCommand, UserCommand};
pub use export::{ExportCommand, RuleCommand};
pub use lab::LabCommand;
pub use names::{SnapshotName, Source};
pub use nfs::NfsCommand;
pub use remote::Remote;
pub use salvage::SalvageArgs;
pub use support::SupportCommand;
pub use volume::{Limit, SnapshotCommand, VolumeCommand};
pub use watch::{EventCommand, JobCommand};

const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  failed; one line on standard error says what, why and what to do
  2  the command line or the configuration is wrong; nothing was started
  4  `forebay lab run`: the experiment ran, and its verdict is fail; `forebay pool check`: there are differences
";

/// Shared storage made for Apache Kafka
///
/// One daemon serves NFSv4.1 and 4.2 from a pool on disk, so that unmodified Kafka brokers keep their
/// `log.dirs` on it. A file that is removed while a broker has it open stays with the broker, and its name
/// is gone at once: no `.nfs` files, no failed log directory.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, after_long_help = EXIT_STATUS, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a pool over NFS until SIGTERM or Ctrl-C
    ///
    /// Opens the pool, or creates it in an empty directory, with a volume `kafka` mounted at `/kafka`. When
    /// clients can connect, one line starting with `ready:` on standard output says how to mount it. The log
    /// goes to standard error.
    ///
    /// SIGTERM or SIGINT lets what is in flight finish, closes the pool, and exits with status 0. A second
    /// one exits at once; the pool then recovers at the next start, as it does after kill -9 or a power loss.
    #[command(after_long_help = SERVE_EXAMPLES)]
    Serve(AllSettings),

    /// Make a pool, with its first user and that user's token, without serving it
    ///
    /// The user `admin` may do everything; the token is printed, and can never be had again. It is for the API over TCP: on this machine
    /// the admin socket needs none. `forebay serve` makes a pool by itself, too, with the same user but without a token.
    Init(AllSettings),

    /// Print or check a configuration file
    #[command(subcommand)]
    Config(ConfigCommand),

    /// Create, list, show, resize, clone, roll back and delete volumes of a running daemon
    ///
    /// A volume is a directory tree that clients mount at its path. These commands talk to the daemon on this
    /// machine through its admin socket, which is in the pool's directory unless configured otherwise, or with --server to
    /// any daemon.
    #[command(subcommand)]
    Volume(VolumeCommand),

    /// Take, list and delete snapshots of a running daemon's volumes
    ///
    /// A snapshot holds what its volumes held at one instant, and takes space only for what is changed after it. Clients
    /// see it read-only below `.snapshot` in the volume's root directory. `forebay volume clone` makes a volume of
    /// it, `forebay volume rollback` goes back to it, and `forebay volume modify --snapshots` takes them by the clock.
    #[command(subcommand)]
    Snapshot(SnapshotCommand),

    /// Say which clients see a volume, and what they may do there
    ///
    /// An export policy is a list of rules; the first rule that is for a client decides, and a client that no rule
    /// is for does not see the volumes that have the policy. Every volume has one: `default`, which lets
    /// everyone read and write unless it is changed, or another (`forebay volume modify NAME --export POLICY`).
    #[command(subcommand)]
    Export(ExportCommand),

    /// Show NFS clients and what they have open, and take it from them
    #[command(subcommand)]
    Nfs(NfsCommand),

    /// Show, check, scrub or salvage the pool
    #[command(subcommand)]
    Pool(PoolCommand),

    /// Show, make and delete users of the API
    #[command(subcommand)]
    User(UserCommand),

    /// Make, list and delete tokens of the API's users
    #[command(subcommand)]
    Token(TokenCommand),

    /// Show what happened
    #[command(subcommand)]
    Event(EventCommand),

    /// Show and cancel work that goes on after it was asked for
    #[command(subcommand)]
    Job(JobCommand),

    /// Remember daemons, so that --server and --token need not be typed
    #[command(subcommand)]
    Profile(ProfileCommand),

    /// Gather what somebody needs who is to help
    #[command(subcommand)]
    Support(SupportCommand),

    /// Work out what storage a Kafka cluster needs: throughput, capacity, nodes
    ///
    /// Every replica is written to storage, so it takes the produced rate times the replication factor; Forebay keeps the
    /// replicas of a record batch once. Nothing is asked of a daemon.
    #[command(after_long_help = SIZE_EXAMPLES)]
    Size(crate::sizing::SizeArgs),

    /// Prove it: real Kafka brokers on real Linux NFS clients, on this machine
    #[command(subcommand, after_help = LAB_COMMANDS)]
    Lab(LabCommand),

    /// Print a script that completes `forebay` commands in a shell
    ///
    /// bash: `forebay completions bash > /etc/bash_completion.d/forebay`
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },

    /// Write manual pages, one for each command, into a directory
    Man {
        /// The directory; it must exist.
        directory: PathBuf,
    },

    /// Print a page of the reference documentation, made from the code
    #[command(hide = true)]
    Reference {
        /// Which page.
        page: ReferencePage,
    },
}

/// `forebay config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print a commented configuration file with all defaults
    #[command(after_long_help = "Example:\n  forebay config init > forebay.toml\n")]
    Init {
        /// The one that packages install: below /var/lib, /run and /etc, with defaults commented out
        #[arg(long)]
        installed: bool,
    },

    /// Check a configuration file
    ///
    /// Says `FILE: ok` and exits with status 0, or names the line, the key and what would be right, and
    /// exits with status 2. Only the file is looked at, not the environment.
    Check {
        /// The configuration file.
        file: PathBuf,
    },
}

/// `forebay pool`.
#[derive(Debug, Subcommand)]
pub enum PoolCommand {
    /// Recount everything in the pool, and report what does not agree
    ///
    /// Counts names, links, sizes, references and space from the extents and directory entries, and compares
    /// them with what the pool keeps. Clients go on meanwhile. If no daemon runs, the pool's directory is read
    /// and checked here, and nothing in it is changed. Prints what was looked at and one line for each difference, and exits with status 4 if there
    /// is one.
    Check {
        /// Also read all data from disk, every copy of it, and verify its checksums
        #[arg(long)]
        read: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Open a pool whose parts do not fit together, with the metadata that is there
    ///
    /// For a pool that the daemon refuses to open, because metadata is missing or older than the segments. Without an option it only says what
    /// does not fit, what the metadata still has, and what would be lost, and exits with status 3. With --accept-loss the pool is opened as the
    /// metadata describes it. What was written after that is lost, except that segments which the metadata does not name are kept in lost+found. First try to
    /// bring back what is missing, and keep a copy of the pool's directory. The daemon must not run.
    Recover {
        /// Make the pool what the metadata describes
        #[arg(long)]
        accept_loss: bool,

        /// Where the pool is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// List or delete segments that no metadata names
    ///
    /// When the daemon opens the pool, it moves segments that no metadata names to lost+found. After a crash such a segment usually holds only data
    /// that was never acknowledged.
    #[command(subcommand)]
    LostFound(LostFoundCommand),

    /// Verify everything that is stored, in the background at a limited rate
    #[command(subcommand)]
    Scrub(ScrubCommand),

    /// Show the pool's id, directory, sizes, and how the scrub stands
    Show {
        /// Also show what deduplication and compression save; looks at every extent
        #[arg(long)]
        efficiency: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Recover Kafka's records from the segments alone, when the metadata is lost
    ///
    /// For a pool that does not open any more and of which there is no backup. Reads every segment, whatever state it is in, and writes
    /// the record batches that it finds into a new directory, as log files of Kafka. Nothing but the segments is needed, and nothing in
    /// their directory is changed; the daemon must be stopped.
    ///
    /// Every batch is verified by its checksum and written exactly once. Segments hold no names: which topic and partition a log is, only
    /// its records tell. Directories, settings and the last bytes of files, which only the metadata had, are not recovered.
    /// Deleted records come back if their segment was not cleaned yet. Where several partitions have the same offsets and nothing tells
    /// which part continues which, a log ends and another begins; report.json names the possible continuations.
    ///
    /// Exits with status 0 if all that was found was recovered, and with status 1 if something is damaged or incomplete; the report is
    /// written then, too, and names it.
    #[command(after_long_help = salvage::EXAMPLES)]
    Salvage(SalvageArgs),
}

/// `forebay pool lost-found`.
#[derive(Debug, Subcommand)]
pub enum LostFoundCommand {
    /// List the segments
    List(Remote),

    /// Delete segments
    Delete {
        /// The segments' numbers, as `list` prints them
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        segments: Vec<String>,

        /// Delete all of them
        #[arg(long)]
        all: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay pool scrub`.
#[derive(Debug, Subcommand)]
pub enum ScrubCommand {
    /// Begin from the start
    Start(Remote),

    /// End the one that is under way
    Stop(Remote),

    /// Show how far it is, and what it found
    Status {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
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
    /// deploy/grafana/forebay-overview.json
    ForebayOverview,
    /// deploy/grafana/forebay-nfs.json
    ForebayNfs,
    /// deploy/grafana/forebay-pool.json
    ForebayPool,
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

const LAB_COMMANDS: &str = "\
All other commands are those of the program forebay-lab, which `forebay lab` finds beside `forebay` or in PATH and runs:
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
