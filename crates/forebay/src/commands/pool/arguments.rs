//! Command line of `forebay pool`.

use clap::Subcommand;

use super::salvage::{self, SalvageArgs};
use crate::arguments::Remote;
use crate::config::flags::PoolSettings;

/// `forebay pool`.
#[derive(Debug, Subcommand)]
pub enum PoolCommand {
    /// Recount everything in the pool and report inconsistencies
    ///
    /// Counts names, links, sizes, references and space from the extents and directory entries, and compares
    /// them with the recorded values. Clients are not interrupted. If no daemon is running, this command
    /// reads and checks the pool's directory itself, without changing it. Prints what was checked and one
    /// line per difference, and exits with status 4 if there are differences.
    Check {
        /// Also read every copy of all data from disk and verify its checksums
        #[arg(long)]
        read: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Create a pool whose metadata is stored in a PostgreSQL database
    ///
    /// Creates the schema forebay_NAME with the pool's tables. The pool then serves from any machine that reaches the database and the segments, which
    /// lie in a directory or in a bucket: start `forebay serve` with the settings that this command prints. One daemon has the pool at a time. The others wait, and take
    /// it when it is released, or when its owner has been silent for 3.5 s.
    ///
    /// The role needs the right to create schemas in the database. Everything that a pool acknowledges is as safe as what this database commits:
    /// without a synchronous standby, the loss of its disk loses the pool.
    Create {
        /// The pool's name: a to z, 0 to 9 and _, at most 40 characters
        name: String,

        /// The database, as postgres://USER@HOST:PORT/DATABASE
        #[arg(long, value_name = "URL", env = "FOREBAY_POOL_METADATA")]
        metadata: String,

        /// The file with the password for the database
        #[arg(long, value_name = "FILE", env = "FOREBAY_POOL_METADATA_PASSWORD_FILE")]
        metadata_password_file: Option<std::path::PathBuf>,

        /// Where the segments go: an empty directory on a file system that all machines share, or s3://BUCKET/PREFIX
        #[arg(long, value_name = "PLACE", env = "FOREBAY_POOL_SEGMENTS")]
        segments: String,

        /// The server of the bucket, as https://HOST:PORT; without it, AWS
        #[arg(long, value_name = "URL", env = "FOREBAY_OBJECT_STORE_ENDPOINT")]
        endpoint: Option<String>,

        /// The region of the bucket
        #[arg(long, value_name = "NAME", env = "FOREBAY_OBJECT_STORE_REGION", default_value = "us-east-1")]
        region: String,

        /// The file with the access key for the bucket on its first line and the secret on the second
        #[arg(long, value_name = "FILE", env = "FOREBAY_OBJECT_STORE_CREDENTIALS_FILE")]
        credentials_file: Option<std::path::PathBuf>,

        /// A file of certificates to trust for the bucket's server, in PEM
        #[arg(long, value_name = "FILE", env = "FOREBAY_OBJECT_STORE_CA_FILE")]
        ca_file: Option<std::path::PathBuf>,

        /// Sign the bytes of objects also over `https://`, for a bucket that demands it
        #[arg(long, env = "FOREBAY_OBJECT_STORE_SIGN_PAYLOADS", value_parser = clap::builder::BoolishValueParser::new())]
        sign_payloads: bool,
    },

    /// Open an inconsistent pool with the remaining metadata
    ///
    /// For a pool that the daemon refuses to open because metadata is missing or older than the segments.
    /// Without an option, the command only reports what is inconsistent, what the metadata still holds, and
    /// what would be lost, and exits with status 3. With --accept-loss, the pool is opened as the metadata
    /// describes it. Anything written after that state is lost, except that segments unknown to the metadata
    /// are kept in lost+found. First try to restore what is missing, and keep a copy of the pool's directory.
    /// The daemon must not be running.
    ///
    /// A pool in a database is named by the daemon's configuration file (--config), or by the options --pool-name, --pool-metadata and
    /// --pool-segments. No node may serve it meanwhile. First try to bring the database forward.
    Recover {
        /// Reset the pool to the state that the metadata describes
        #[arg(long)]
        accept_loss: bool,

        /// Where the pool is.
        #[command(flatten)]
        settings: PoolSettings,
    },

    /// Back up the pool into a directory, while it serves
    ///
    /// The backup shows one instant, and has everything that was written before. Only segments are copied that the directory does not have
    /// yet, and all that was copied is read back and verified before the backup counts. The daemon writes there, so the path is one on its
    /// machine, and its user must own the directory. It must be empty, or hold backups of this pool.
    ///
    /// Without DIRECTORY, the backup goes where the scheduled ones go (backup.directory). Waits until the backup is finished.
    Backup {
        /// The directory for backups, an absolute path on the daemon's machine [default: backup.directory]
        directory: Option<std::path::PathBuf>,

        /// The number of backups to keep there, the new one included [default: backup.keep in backup.directory, otherwise all]
        #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
        keep: Option<u32>,

        /// Accept an empty directory where the last backups should be, because it is on a new disk
        #[arg(long)]
        new: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show the last backup and the schedule, or the backups in a directory
    ///
    /// With DIRECTORY, the command reads that directory itself and needs no daemon.
    Backups {
        /// A directory with backups
        directory: Option<std::path::PathBuf>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Create a pool from a backup
    ///
    /// The pool is as it was at the instant of the backup, and every frame is verified. TARGET must be empty or not exist. The command
    /// needs no daemon. If it is interrupted, run it again. Then name TARGET as pool.directory, and start the daemon.
    ///
    /// Run it as the daemon's user (`runuser -u forebay -- forebay pool restore …`). The key file of S3, if there is one, is not in the backup.
    /// Exits with status 4 if frames in the backup are damaged; the files that use them cannot be read there.
    Restore {
        /// A directory with backups
        directory: std::path::PathBuf,

        /// The directory for the pool
        target: std::path::PathBuf,

        /// The backup's name, as `pool backups` prints it [default: the newest]
        #[arg(long, value_name = "NAME")]
        backup: Option<String>,

        /// How to print the result.
        #[command(flatten)]
        output: crate::arguments::Output,
    },

    /// Read and verify a whole backup
    ///
    /// Reads the metadata and every frame that it names, and compares them with their checksums and names. Needs no daemon. Exits with
    /// status 4 if anything is missing or damaged.
    VerifyBackup {
        /// A directory with backups
        directory: std::path::PathBuf,

        /// The backup's name, as `pool backups` prints it [default: the newest]
        #[arg(long, value_name = "NAME")]
        backup: Option<String>,

        /// How to print the result.
        #[command(flatten)]
        output: crate::arguments::Output,
    },

    /// Show how full the pool or a volume was each day, and a forecast of when it will be full
    Capacity {
        /// The volume [default: the pool]
        #[arg(long, value_name = "NAME")]
        volume: Option<String>,

        /// The number of days to show, the latest
        #[arg(long, value_name = "COUNT", default_value_t = 14)]
        days: usize,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Promote the second copy to be the pool, after the first copy is lost
    ///
    /// DIRECTORY is the one that pool.copies_directory named. The command makes it a pool of its own, in place; nothing is copied. Then
    /// name it as pool.directory, and a new directory, on a new disk, as pool.copies_directory.
    ///
    /// Without --first-is-lost, the command only says what the copy has and when the pool last wrote to it. That time matters: a copy
    /// that could not be reached when the pool went on without it does not know that. Everything acknowledged since is then only in
    /// the first copy. Where the copy itself knows that something is missing, the command refuses, and exits with status 3; with
    /// --accept-loss it goes on. The daemon must not be running, and the first copy must never be started again.
    Promote {
        /// The directory of the second copy
        directory: std::path::PathBuf,

        /// Confirm that the first copy is lost, and that the second copy was in use until then
        #[arg(long)]
        first_is_lost: bool,

        /// Continue although data is missing
        #[arg(long, requires = "first_is_lost")]
        accept_loss: bool,
    },

    /// Show the node that serves the pool, since when, and how it came to it
    ///
    /// For a pool that several nodes can serve (node.standby), or that lies in a database.
    Owner(Remote),

    /// Hand the pool over to another node
    ///
    /// For a planned move. The daemon makes everything durable, removes its addresses and stops; a standby takes the pool within about a
    /// second. Clients keep their open files and locks, and wait meanwhile.
    Release(Remote),

    /// List or delete segments that are unknown to the metadata
    ///
    /// When the daemon opens the pool, it moves segments that are unknown to the metadata to lost+found.
    /// After a crash such a segment usually holds only data that was never acknowledged.
    #[command(subcommand)]
    LostFound(LostFoundCommand),

    /// Show the pool's format, and finalize its upgrade
    ///
    /// A new release keeps the format of the former one, so that you can go back to it at any time without losing anything: stop the daemon,
    /// and start the former release. What only the new format has is switched off meanwhile. With --finalize the pool gets the new format, and
    /// older releases cannot open it any more. Before you install a release, its `forebay pool upgrade --check --pool-directory DIR` says what it
    /// would do to the pool, which may be in use.
    Upgrade {
        /// Only show the current format and what would change; this is the default
        #[arg(long, conflicts_with = "finalize")]
        check: bool,

        /// Switch the pool to the newest format; this cannot be undone
        #[arg(long)]
        finalize: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Verify all stored data in the background, at a limited rate
    #[command(subcommand)]
    Scrub(ScrubCommand),

    /// Show the pool's id, directory, sizes, and the state of the scrub
    Show {
        /// Also show the savings from deduplication and compression; this scans every extent
        #[arg(long)]
        efficiency: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Recover Kafka's records from the segments alone, when the metadata is lost
    ///
    /// For a pool that can no longer be opened and has no backup. Reads every segment, whatever its state,
    /// and writes the record batches that it finds into a new directory as Kafka log files. The command needs
    /// only the segments and does not change their directory. The daemon must be stopped.
    ///
    /// Every batch is verified by its checksum and written exactly once. Segments hold no names: only the
    /// records can tell which topic and partition a log belongs to. Directories, settings and the last bytes
    /// of files exist only in the metadata and are not recovered. Deleted records come back if their segment
    /// has not been cleaned yet. Where several partitions have the same offsets and nothing shows which part
    /// continues which, one log ends and another begins; report.json lists the possible continuations.
    ///
    /// Exits with status 0 if everything found was recovered, and with status 1 if something is damaged or
    /// incomplete; the report is written in both cases and lists the damage.
    #[command(after_long_help = salvage::EXAMPLES)]
    Salvage(SalvageArgs),
}

/// `forebay pool lost-found`.
#[derive(Debug, Subcommand)]
pub enum LostFoundCommand {
    /// List the segments in lost+found
    List(Remote),

    /// Delete segments from lost+found
    Delete {
        /// The segments' numbers, as `list` prints them
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        segments: Vec<String>,

        /// Delete all segments in lost+found
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
    /// Start a scrub from the beginning
    Start(Remote),

    /// Stop the running scrub
    Stop(Remote),

    /// Show the scrub's progress and results
    Status {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}
