//! Cases that use files as programs do, in the groups of the Connectathon test suite: basic, general, special, lock.
//!
//! A case is a function that gets an empty folder and returns an error if something is wrong. One line of JSON is printed for each
//! case, whether it passed or not. The program ends with status 0 if all cases could be run.

mod basic;
mod folder;
mod general;
mod limits;
mod listing;
mod lock;
mod names;
mod open;
mod two;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::peer::Peer;

/// The arguments.
#[derive(Debug, Args)]
pub struct CasesArgs {
    /// The group
    group: Group,
    /// A folder on the storage; the cases remove everything that they create in it
    folder: PathBuf,
    /// Address of a peer on another client
    #[arg(long)]
    peer: Option<SocketAddr>,
    /// Names of cases; all of the group if none is named
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Sizes for a run of a few seconds
    #[arg(long)]
    small: bool,
}

/// A group of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// Single operations and their effects.
    Basic,
    /// Loads such as a compiler's, which are timed.
    General,
    /// Rare operations that some programs rely on.
    Special,
    /// Byte-range locks.
    Lock,
}

impl Group {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::General => "general",
            Self::Special => "special",
            Self::Lock => "lock",
        }
    }

    fn cases(self) -> Vec<&'static Case> {
        let files: &[&'static [Case]] = match self {
            Self::Basic => &[basic::CASES],
            Self::General => &[general::CASES],
            Self::Special => &[open::CASES, names::CASES, limits::CASES, listing::CASES, two::CASES],
            Self::Lock => &[lock::CASES],
        };
        files.iter().copied().flatten().collect()
    }
}

/// A case: its name, which states the expected behaviour, and its function.
struct Case {
    name: &'static str,
    run: fn(&CaseContext) -> Result<()>,
}

/// The context of a case.
struct CaseContext {
    /// A folder that is empty when the case begins.
    folder: PathBuf,
    /// The address of a peer on another client.
    peer: Option<SocketAddr>,
    small: bool,
}

impl CaseContext {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A size that is smaller in a short run.
    fn size(&self, small: usize, full: usize) -> usize {
        if self.small { small } else { full }
    }

    /// The peers to run a case with, one after the other: a process on this client, and one on another client.
    fn peers(&self) -> Result<Vec<Peer>> {
        let mut peers = vec![Peer::start()?];
        if let Some(address) = self.peer {
            peers.push(Peer::connect(address)?);
        }
        Ok(peers)
    }
}

/// The line that is printed for a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseDone {
    /// Its name.
    pub name: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The problem, if there is one.
    pub wrong: Option<String>,
}

/// The cases that a run has printed.
pub fn parse(printed: &str) -> Vec<CaseDone> {
    printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Runs the cases.
pub fn run(args: &CasesArgs) -> Result<()> {
    for case in args.group.cases() {
        if !args.only.is_empty() && !args.only.iter().any(|name| name == case.name) {
            continue;
        }
        let folder = args.folder.join(format!("{}-{}", args.group.name(), case.name));
        let begun = Instant::now();
        let result =
            run_one(case, &CaseContext { folder: folder.clone(), peer: args.peer, small: args.small });
        let ms = u64::try_from(begun.elapsed().as_millis())?;
        // A failed case may leave any files, even some that cannot be removed.
        let cleaned = remove(&folder);
        let wrong = result.and(cleaned).err().map(|error| format!("{error:#}"));
        println!("{}", serde_json::to_string(&CaseDone { name: case.name.to_owned(), ms, wrong })?);
    }
    Ok(())
}

fn run_one(case: &Case, context: &CaseContext) -> Result<()> {
    remove(&context.folder)?;
    std::fs::create_dir_all(&context.folder).with_context(|| format!("make {}", context.folder.display()))?;
    (case.run)(context)
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {} at the end", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails_on_a_correct_file_system(group: Group) -> Vec<String> {
        let folder =
            std::env::temp_dir().join(format!("forebay-lab-cases-{}-{}", group.name(), std::process::id()));
        let mut wrong = Vec::new();
        for case in group.cases() {
            let context = CaseContext { folder: folder.clone(), peer: None, small: true };
            if let Err(error) = run_one(case, &context) {
                wrong.push(format!("{}: {error:#}", case.name));
            }
        }
        remove(&folder).unwrap();
        wrong
    }

    #[test]
    fn cases_without_a_peer_hold_on_a_correct_file_system() {
        for group in [Group::Basic, Group::General] {
            assert_eq!(fails_on_a_correct_file_system(group), [""; 0]);
        }
    }

    #[test]
    fn every_case_has_a_name_of_its_own() {
        for group in Group::value_variants() {
            let mut names: Vec<_> = group.cases().iter().map(|case| case.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{group:?}");
        }
    }
}
