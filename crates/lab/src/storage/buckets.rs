//! The buckets of a daemon under test, and the key of its first user.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::forebay::administer;
use super::object::AccessKey;

/// Time limit for the daemon to write its first user's key.
const PATIENCE: Duration = Duration::from_secs(60);

/// The buckets of one pool.
#[derive(Debug, Clone)]
pub struct Buckets {
    program: PathBuf,
    pool: PathBuf,
}

/// How often a bucket may grow before its size is limited.
const FILL_ATTEMPTS: u32 = 20;

/// The fields of `forebay bucket show --json` that the lab needs.
#[derive(Deserialize)]
struct BucketShown {
    bytes_logical: u64,
    objects: u64,
}

impl Buckets {
    pub(super) fn new(program: PathBuf, pool: PathBuf) -> Self {
        Self { program, pool }
    }

    /// Makes an empty bucket.
    pub fn create(&self, name: &str) -> Result<()> {
        administer(&self.program, &self.pool, &["bucket", "create", name]).map(drop)
    }

    /// Limits the size of a bucket to what it has, from now on. Clients may write to it at the same time.
    pub fn fill(&self, name: &str) -> Result<()> {
        let mut attempt = 0;
        loop {
            match self.limit(name, &self.show(name)?.bytes_logical.max(1).to_string()) {
                // It has grown.
                Err(_) if attempt < FILL_ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    /// The number of objects in a bucket.
    pub fn objects(&self, name: &str) -> Result<u64> {
        Ok(self.show(name)?.objects)
    }

    fn show(&self, name: &str) -> Result<BucketShown> {
        let (said, _) = administer(&self.program, &self.pool, &["bucket", "show", name, "--json"])?;
        serde_json::from_slice(&said).context("parse what bucket show says")
    }

    /// Removes the limit of a bucket's size.
    pub fn remove_limit(&self, name: &str) -> Result<()> {
        self.limit(name, "none")
    }

    fn limit(&self, name: &str, size: &str) -> Result<()> {
        administer(&self.program, &self.pool, &["bucket", "modify", name, "--size", size]).map(drop)
    }

    /// The first user's key, which the daemon writes at its first start.
    pub fn first_key(&self) -> Result<AccessKey> {
        let file = &beside(&self.pool, ".s3-admin");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = fs::read_to_string(file).unwrap_or_default();
            if let Some(key) = key_in(&text) {
                return Ok(key);
            }
            if Instant::now() > deadline {
                bail!("the daemon wrote no access key to {}", file.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn beside(pool: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(pool);
    path.push(ending);
    path.into()
}

/// The key in a file in the format of AWS's tools.
fn key_in(text: &str) -> Option<AccessKey> {
    // Without its end the last line may not be complete.
    let text = text.strip_suffix('\n')?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='));
        line.map(|value| value.trim().to_owned())
    };
    Some(AccessKey { id: value("aws_access_key_id")?, secret: value("aws_secret_access_key")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_when_the_file_is_complete() {
        let text = "[default]\naws_access_key_id = AK\naws_secret_access_key = a=b\n";
        let key = key_in(text).unwrap();
        assert_eq!((key.id.as_str(), key.secret.as_str()), ("AK", "a=b"));
        for end in 0..text.len() {
            assert_eq!(key_in(&text[..end]), None, "{end}");
        }
    }

    #[test]
    fn the_key_is_beside_the_pool() {
        assert_eq!(beside(Path::new("/srv/pool"), ".s3-admin"), Path::new("/srv/pool.s3-admin"));
    }
}
