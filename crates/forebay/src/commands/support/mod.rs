//! `forebay support bundle`: one file with diagnostics for support, without secrets.
//!
//! [`daemon`] queries the daemon, [`host`] inspects this machine and the pool's directory, [`redact`] removes
//! secrets from all text, and [`archive`] writes the file.
//!
//! What must hold: the command collects whatever is available, above all when the daemon is down or its
//! configuration is invalid; the bundle lists what is missing; and nothing is written into the pool.

mod archive;
mod arguments;
mod daemon;
mod host;
mod redact;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail};
use serde::Serialize;

use crate::arguments::Remote;
use crate::config::print;
use crate::output::{print_as, print_columns, print_line};
use archive::Archive;
pub use arguments::SupportCommand;
use daemon::Place;

/// The folder inside the bundle that holds all its files.
const FOLDER: &str = "forebay-support";

/// The contents of a bundle, and what is missing.
#[derive(Default)]
pub struct Contents {
    files: Vec<(String, Vec<u8>)>,
    missing: Vec<Missing>,
}

/// A part that could not be collected.
#[derive(Clone, Debug, Serialize)]
struct Missing {
    /// The name that the file would have had.
    name: String,
    reason: String,
}

/// A list of the bundle's contents, for programs.
#[derive(Debug, Serialize)]
struct Listing {
    file: PathBuf,
    entries: Vec<Entry>,
    missing: Vec<Missing>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    bytes: usize,
}

impl Contents {
    /// Adds a file without its secrets, or the reason why it is missing.
    pub fn add(&mut self, name: &str, found: Result<Vec<u8>>) {
        match found {
            Ok(bytes) => self.files.push((name.to_owned(), redact::secrets(&bytes))),
            Err(error) => {
                let reason =
                    String::from_utf8_lossy(&redact::secrets(format!("{error:#}").as_bytes())).into_owned();
                self.missing.push(Missing { name: name.to_owned(), reason });
            }
        }
    }
}

/// Carries out a `forebay support` command.
pub fn run(command: SupportCommand) -> Result<()> {
    let SupportCommand::Bundle { file, logs, remote } = command;
    let path = file.unwrap_or_else(default_path);
    // Created first, so that an unwritable path fails before anything is collected.
    let mut archive = Archive::create(&path, FOLDER).map_err(|error| refused(&path, &error))?;
    let contents = collect(&remote, logs);
    let listing = listing(&path, &contents);
    let written = (|| -> std::io::Result<()> {
        archive.add("README.txt", readme(&contents).as_bytes())?;
        for (name, bytes) in &contents.files {
            archive.add(name, bytes)?;
        }
        archive.finish()
    })();
    if let Err(error) = written {
        // A partial bundle could be mistaken for a complete one.
        let _ = std::fs::remove_file(&path);
        return Err(refused(&path, &error));
    }
    print_as(remote.format(), &listing, show)
}

fn refused(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let remedy = match error.kind() {
        ErrorKind::AlreadyExists => "remove it, or choose another name",
        _ => "choose another place",
    };
    anyhow!("{}: cannot be written: {error}; {remedy} with --file FILE", path.display())
}

fn default_path() -> PathBuf {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace([':', '-'], "");
    PathBuf::from(format!("forebay-support-{host}-{now}.tar.gz"))
}

fn collect(remote: &Remote, logs: bool) -> Contents {
    let mut contents = Contents::default();
    contents.add("version.txt", Ok(format!("forebay {}\n", forebay_admin::RELEASE).into_bytes()));
    let Place::Here(process) = daemon::ask(remote, &mut contents) else {
        let reason = "the daemon was reached over TCP and may be on another machine; run this command there as root to include it";
        contents.add("host/", Err(anyhow!(reason)));
        return contents;
    };
    let config = remote.settings.load();
    if let Some(file) = remote.settings.file() {
        contents.add("configuration-file.toml", read(&file));
    }
    contents.add(
        "configuration.toml",
        match &config {
            Ok(config) => Ok(print::effective(config).into_bytes()),
            Err(error) => Err(anyhow!("{error}")),
        },
    );
    host::look(&mut contents, config.as_ref().ok(), process, logs);
    contents
}

/// Reads a small file.
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// The output of a program, if it can be run and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = std::process::Command::new(program).args(arguments).output();
    let output = output.map_err(|error| anyhow!("{program}: cannot be run: {error}"))?;
    if !output.status.success() {
        bail!("{program}: {}; {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

fn listing(path: &Path, contents: &Contents) -> Listing {
    let entry = |(name, bytes): &(String, Vec<u8>)| Entry { name: name.clone(), bytes: bytes.len() };
    Listing {
        file: path.to_owned(),
        entries: contents.files.iter().map(entry).collect(),
        missing: contents.missing.clone(),
    }
}

fn show(listing: &Listing) -> Result<()> {
    let rows = listing.entries.iter().map(|entry| vec![entry.name.clone(), entry.bytes.to_string()]);
    print_columns(&["file", "bytes"], rows)?;
    for missing in &listing.missing {
        print_line(&format!("missing: {}: {}", missing.name, missing.reason))?;
    }
    print_line(&format!("written: {}; review it before you share it", listing.file.display()))
}

fn readme(contents: &Contents) -> String {
    let mut text = String::from(
        "Diagnostics bundle of Forebay.\n\n\
         It describes the daemon's configuration, state and activity, and the machine. It contains names of volumes, snapshots and\n\
         export policies, addresses and names of NFS clients, the daemon's log, and, in events, jobs and the log, names of API users and\n\
         ids of tokens.\n\n\
         It does not contain: tokens and their hashes, the list of users, private keys and certificates (only their paths from the\n\
         configuration), names of open files, or file contents. Everything that looked like a token or a private key was replaced\n\
         by [removed].\n\nContents:\n",
    );
    for (name, bytes) in &contents.files {
        text.push_str(&format!("  {name} ({} bytes)\n", bytes.len()));
    }
    if !contents.missing.is_empty() {
        text.push_str("\nCould not be collected:\n");
    }
    for missing in &contents.missing {
        text.push_str(&format!("  {}: {}\n", missing.name, missing.reason));
    }
    text
}
