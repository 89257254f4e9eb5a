//! The command line: what can be typed, and its help.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::config::flags::{AdminSettings, AllSettings};
use crate::config::size;

const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  failed; one line on standard error says what, why and what to do
  2  the command line or the configuration is wrong; nothing was started
  4  only `forebay lab run`: the experiment ran, and its verdict is fail
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

    /// Print or check a configuration file
    #[command(subcommand)]
    Config(ConfigCommand),

    /// Create, list, show and delete volumes of a running daemon
    ///
    /// A volume is a directory tree that clients mount at its path. These commands talk to the daemon on this
    /// machine through its admin socket, which is in the pool's directory unless configured otherwise.
    #[command(subcommand)]
    Volume(VolumeCommand),

    /// Show or check the pool of a running daemon
    #[command(subcommand)]
    Pool(PoolCommand),

    /// Prove it: real Kafka brokers on real Linux NFS clients, on this machine
    #[command(subcommand)]
    Lab(forebay_lab::LabCommand),

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
    Init,

    /// Check a configuration file
    ///
    /// Says `FILE: ok` and exits with status 0, or names the line, the key and what would be right, and
    /// exits with status 2. Only the file is looked at, not the environment.
    Check {
        /// The configuration file.
        file: PathBuf,
    },
}

/// `forebay volume`.
#[derive(Debug, Subcommand)]
pub enum VolumeCommand {
    /// Create a volume
    #[command(after_long_help = CREATE_EXAMPLES)]
    Create {
        /// Its name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        name: String,

        /// The path that clients mount [default: / and the name]
        #[arg(long, value_name = "PATH")]
        path: Option<String>,

        /// Owner and group of its root directory, as numbers
        #[arg(long, value_name = "UID:GID", default_value = "0:0", value_parser = parse_owner)]
        owner: (u32, u32),

        /// Permission bits of its root directory, in octal
        #[arg(long, value_name = "MODE", default_value = "0755", value_parser = parse_mode)]
        mode: u32,

        /// Bytes that it may hold, such as 500GiB; may be more than the pool has room for [default: no limit]
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        size: Option<u64>,

        /// Do not tell clients that open files survive their unlink
        ///
        /// Linux clients then silly-rename an open file that is removed to `.nfs…`, which Kafka does not
        /// survive. Only for showing the difference.
        #[arg(long)]
        no_preserve_unlink: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// List all volumes
    List {
        /// Print a JSON array instead of a table
        #[arg(long)]
        json: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// Show one volume
    Show {
        /// Its name
        name: String,

        /// Print a JSON object instead of a table
        #[arg(long)]
        json: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// Give a volume another size
    ///
    /// Takes effect at once, for clients that have it mounted too. A size below what its files hold is
    /// refused.
    Resize {
        /// Its name
        name: String,

        /// Bytes that it may hold, such as 500GiB, or `none` for as many as the pool has room for
        #[arg(value_parser = parse_limit)]
        size: Limit,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// Delete a volume; its files too with --force
    ///
    /// Refused if the volume still has files, unless --force is given. Clients that have it mounted get
    /// "stale file handle" from then on.
    Delete {
        /// Its name
        name: String,

        /// Delete it with all its files; they cannot be had back
        #[arg(long)]
        force: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },
}

/// `forebay pool`.
#[derive(Debug, Subcommand)]
pub enum PoolCommand {
    /// Recount everything in the pool, and report what does not agree
    ///
    /// Counts names, links, sizes, references and space from the extents and directory entries, and compares
    /// them with what the pool keeps. Nothing can be changed while it runs: clients wait. Prints one line
    /// for each difference, and exits with status 1 if there is one.
    Check {
        /// Also read all data from disk and verify its checksums; takes as long as reading all of it
        #[arg(long)]
        read: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },

    /// Show the pool's id, directory and sizes
    Show {
        /// Print a JSON object instead of a table
        #[arg(long)]
        json: bool,

        /// Where the daemon is.
        #[command(flatten)]
        settings: AdminSettings,
    },
}

/// Pages of the reference documentation.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ReferencePage {
    /// docs/reference/configuration.md
    Configuration,
    /// docs/reference/command-line.md
    CommandLine,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  forebay serve
  forebay serve --pool-directory /srv/forebay --pool-size-max 500GiB
  forebay serve --config /etc/forebay.toml --log-format json

Then, on a client:
  mount -t nfs -o vers=4.2,hard,nconnect=4 SERVER:/kafka /var/lib/kafka
";

const CREATE_EXAMPLES: &str = "\
Examples:
  forebay volume create logs
  forebay volume create broker1 --path /clusters/a/broker1 --owner 1000:1000 --mode 0750
";

fn parse_owner(text: &str) -> Result<(u32, u32), String> {
    text.split_once(':')
        .and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)))
        .ok_or_else(|| "write UID:GID as numbers, such as 1000:1000; `id USER` shows them".to_owned())
}

/// A size, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

/// Bytes, written as in the configuration file.
fn parse_size(text: &str) -> Result<u64, String> {
    size::parse(text)
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    if text == "none" { Ok(Limit(None)) } else { parse_size(text).map(|size| Limit(Some(size))) }
}

fn parse_mode(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| *mode <= 0o7777)
        .ok_or_else(|| "write permission bits in octal, such as 0755".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn owners_and_modes_are_read_as_chown_and_chmod_read_them() {
        assert_eq!(parse_owner("1000:0"), Ok((1000, 0)));
        assert!(parse_owner("kafka:kafka").is_err());
        assert!(parse_owner("1000").is_err());
        assert_eq!(parse_mode("0755"), Ok(0o755));
        assert_eq!(parse_mode("1777"), Ok(0o1777));
        assert!(parse_mode("888").is_err());
        assert!(parse_mode("10000").is_err());
    }
}
