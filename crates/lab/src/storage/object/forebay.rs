//! `forebay`: the daemon under test with S3, on a pool in the scratch folder.

use std::ffi::OsString;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use super::{AccessKey, ObjectStore, PATIENCE, REGION, SharedPool, free_ports, run, words};
use crate::host::Environment;
use crate::request::StorageKind;

const POOL_SIZE_MAX: &str = "48GiB";

pub(super) fn start(environment: &Environment) -> Result<ObjectStore> {
    let pool = environment.fresh("forebay-data")?;
    let [nfs, s3] = free_ports()?;
    let mut command = Command::new(environment.daemon()?);
    command.arg("serve").arg("--pool-directory").arg(&pool).args(["--pool-size-max", POOL_SIZE_MAX]);
    command.args(["--nfs-listen", &format!("127.0.0.1:{nfs}"), "--s3-listen", &format!("127.0.0.1:{s3}")]);
    command.args(["--s3-region", REGION, "--api-listen", "off"]);
    let words = words(&command);
    let server = run("forebay", &mut command, environment, s3)?;
    Ok(ObjectStore {
        kind: StorageKind::Forebay,
        endpoint: format!("http://127.0.0.1:{s3}"),
        region: REGION.to_owned(),
        key: first_key(&beside(&pool, ".s3-admin"))?,
        versions: vec![("forebay".into(), env!("CARGO_PKG_VERSION").into())],
        command: Some(words),
        pool: Some(SharedPool {
            program: environment.daemon()?.to_owned(),
            folder: pool,
            nfs: (Ipv4Addr::LOCALHOST, nfs).into(),
        }),
        server: Some(server),
    })
}

fn beside(pool: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(pool);
    path.push(ending);
    path.into()
}

/// The first user's key, which the daemon writes at its first start.
fn first_key(file: &Path) -> Result<AccessKey> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Some(key) = key_in(&text) {
            return Ok(key);
        }
        if Instant::now() > deadline {
            bail!("the daemon wrote no access key to {}", file.display());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
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
