//! `forebay support bundle`: one file with what somebody needs who is to find out what is wrong, and nothing secret.
//!
//! [`daemon`] asks the daemon, [`host`] looks at this machine and at the pool's directory, [`redact`] takes secrets out of whatever text comes in, and
//! [`archive`] writes the file.
//!
//! What must hold: it works with what can be had, above all when the daemon is down or its configuration is wrong; what
//! could not be had is said in the bundle; and nothing is written into the pool.

mod archive;
mod daemon;
mod host;
mod redact;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail};
use serde::Serialize;

use crate::cli::{Remote, SupportCommand};
use crate::config::print;
use crate::output::{print_as, print_columns, print_line};
use archive::Archive;
use daemon::Place;

/// The folder that everything in a bundle is in.
const FOLDER: &str = "forebay-support";

/// What goes into a bundle, and what could not be had.
#[derive(Default)]
pub struct Contents {
    files: Vec<(String, Vec<u8>)>,
    missing: Vec<Missing>,
}

/// Something that could not be had.
#[derive(Clone, Debug, Serialize)]
struct Missing {
    /// What it would have been named.
    name: String,
    reason: String,
}

/// What a bundle has, for programs.
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
    /// Puts in what was found, less what is secret, or why it was not.
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
    // Before anything is asked, so that nobody waits for what cannot be written.
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
        // Half a bundle would be taken for a whole one.
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
        let reason = "the daemon was asked over TCP, and may be on another machine: run this there, as root, to have it";
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

/// A small file, whole.
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// A program's output, if it can be run and succeeds.
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
        print_line(&format!("not in it: {}: {}", missing.name, missing.reason))?;
    }
    print_line(&format!("written: {}; look through it before you pass it on", listing.file.display()))
}

fn readme(contents: &Contents) -> String {
    let mut text = String::from(
        "Support bundle of Forebay.\n\n\
         It says how the daemon is configured, what it has and does, and what machine it is on. It holds names of volumes, snapshots and\n\
         export policies, addresses and names of NFS clients, and what the daemon logged.\n\n\
         It does not hold: tokens and their hashes, users, private keys and certificates (only the paths that the configuration gives),\n\
         names of files that clients have open, and nothing of what is in files. Whatever looked like a token or a private key was replaced\n\
         by [removed].\n\nIn it:\n",
    );
    for (name, bytes) in &contents.files {
        text.push_str(&format!("  {name} ({} bytes)\n", bytes.len()));
    }
    if !contents.missing.is_empty() {
        text.push_str("\nCould not be had:\n");
    }
    for missing in &contents.missing {
        text.push_str(&format!("  {}: {}\n", missing.name, missing.reason));
    }
    text
}
