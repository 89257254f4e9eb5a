//! The log directories of all brokers, and the pools in which they lie.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};

use super::arguments::{PoolPath, PoolPaths, trimmed};
use super::described::LogDirs;

/// A log directory.
#[derive(Debug, PartialEq, Eq)]
pub struct Directory {
    /// The broker that has it.
    pub broker: u32,
    /// The entry of `log.dirs`, as the broker writes it.
    pub path: String,
    /// The index of its pool.
    pub pool: usize,
}

/// The log directories of all brokers.
#[derive(Debug)]
pub struct Layout {
    /// The names of the pools.
    pub pools: Vec<String>,
    /// All log directories, by broker and path.
    pub directories: Vec<Directory>,
    /// The indices of the directories that a broker has in a pool; at least one.
    of: BTreeMap<(u32, usize), Vec<usize>>,
}

impl Layout {
    /// Finds the pool of each log directory. Each broker must have a directory in each pool, and none elsewhere but `others`.
    pub fn new(pools: &[PoolPaths], others: &[PoolPath], dirs: &LogDirs) -> Result<Self> {
        check_names(pools)?;
        let mut directories = Vec::new();
        let mut seen = BTreeSet::new();
        for broker in &dirs.brokers {
            let id = broker.broker;
            ensure!(
                seen.insert(id),
                "broker {id} is described twice: give the output of one run of kafka-log-dirs.sh"
            );
            for dir in &broker.log_dirs {
                let path = dir.log_dir.clone();
                if let Some(error) = dir.error.as_ref().filter(|error| !error.is_empty()) {
                    bail!(
                        "broker {id}: log directory {path} is offline ({error}), so the replicas in it are not known: bring it back, or \
                         remove it from the broker's log.dirs, then plan again"
                    );
                }
                if let Some(pool) = pool_of(pools, others, id, &path)? {
                    directories.push(Directory { broker: id, path, pool });
                }
            }
        }
        ensure!(!directories.is_empty(), "no broker has a log directory: check the address of the brokers");
        directories.sort_by(|one, other| (one.broker, &one.path).cmp(&(other.broker, &other.path)));
        let mut of: BTreeMap<(u32, usize), Vec<usize>> = BTreeMap::new();
        for (index, directory) in directories.iter().enumerate() {
            of.entry((directory.broker, directory.pool)).or_default().push(index);
        }
        let layout = Self { pools: pools.iter().map(|pool| pool.name.clone()).collect(), directories, of };
        check_paths(pools, others, dirs)?;
        for broker in &seen {
            if let Some(pool) = (0..pools.len()).find(|pool| !layout.of.contains_key(&(*broker, *pool))) {
                bail!(
                    "broker {broker} has no log directory in pool {}: add one to its log.dirs, or name it with --pool {}={broker}:PATH",
                    layout.pools[pool],
                    layout.pools[pool]
                );
            }
        }
        Ok(layout)
    }

    /// The indices of the directories that a broker has in a pool; none for a broker that is not described.
    pub fn of(&self, broker: u32, pool: usize) -> &[usize] {
        self.of.get(&(broker, pool)).map_or(&[], Vec::as_slice)
    }
}

/// Refuses paths of the command line that no broker has. Paths of a broker that did not answer are not checked.
fn check_paths(pools: &[PoolPaths], others: &[PoolPath], dirs: &LogDirs) -> Result<()> {
    let directories = || {
        dirs.brokers.iter().flat_map(|of| of.log_dirs.iter().map(|dir| (of.broker, trimmed(&dir.log_dir))))
    };
    let is_known =
        |path: &PoolPath| path.broker.is_none_or(|id| dirs.brokers.iter().any(|of| of.broker == id));
    let of_pools =
        pools.iter().flat_map(|pool| pool.paths.iter().map(|path| (format!(" of pool {}", pool.name), path)));
    for (of, path) in of_pools.chain(others.iter().map(|path| (String::new(), path))) {
        let is_meant = |(broker, directory): (u32, &str)| {
            directory == path.path && path.broker.is_none_or(|meant| meant == broker)
        };
        if is_known(path) && !directories().any(is_meant) {
            let who =
                path.broker.map_or("no broker has".to_owned(), |id| format!("broker {id} does not have"));
            let known: BTreeSet<&str> = directories().map(|(_, directory)| directory).collect();
            let known: Vec<&str> = known.into_iter().take(8).collect();
            bail!("{who} the log directory {}{of}; there are {}", path.path, known.join(", "));
        }
    }
    Ok(())
}

fn check_names(pools: &[PoolPaths]) -> Result<()> {
    for (index, pool) in pools.iter().enumerate() {
        if pools.iter().take(index).any(|other| other.name == pool.name) {
            bail!(
                "pool {} is given twice: write all its paths in one --pool, separated by commas",
                pool.name
            );
        }
    }
    Ok(())
}

/// The pool of a broker's log directory; `None` if it is one of the others. A path that names the broker goes before one that does not.
fn pool_of(pools: &[PoolPaths], others: &[PoolPath], broker: u32, path: &str) -> Result<Option<usize>> {
    let path = trimmed(path);
    for meant in [Some(broker), None] {
        let is_it = |given: &PoolPath| given.broker == meant && given.path == path;
        let has = |pool: &PoolPaths| pool.paths.iter().any(is_it);
        let is_other = others.iter().any(is_it);
        let found: Vec<usize> = (0..pools.len()).filter(|index| pools.get(*index).is_some_and(has)).collect();
        match found[..] {
            [] if is_other => return Ok(None),
            [] => {}
            [only] if is_other => {
                bail!(
                    "log directory {path} is in pool {} and in none (--other): name it once",
                    pools[only].name
                )
            }
            [only] => return Ok(Some(only)),
            [one, other, ..] => {
                bail!(
                    "broker {broker}: log directory {path} is in the pools {} and {}",
                    pools[one].name,
                    pools[other].name
                )
            }
        }
    }
    bail!(
        "broker {broker}: log directory {path} is in no pool: name it with --pool NAME={path}, or with --other {path} if it is not on Forebay"
    )
}
