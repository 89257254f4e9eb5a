//! `forebay`: the daemon under test with S3, on a pool in the scratch folder.

use std::net::Ipv4Addr;
use std::process::Command;

use anyhow::Result;

use super::{Buckets, ObjectStore, REGION, SharedPool, free_ports, run, words};
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
        key: Buckets::new(environment.daemon()?.to_owned(), pool.clone()).first_key()?,
        versions: vec![("forebay".into(), env!("CARGO_PKG_VERSION").into())],
        command: Some(words),
        pool: Some(SharedPool {
            program: environment.daemon()?.to_owned(),
            folder: pool,
            nfs: (Ipv4Addr::LOCALHOST, nfs).into(),
        }),
        bucket_folder: None,
        server: Some(server),
    })
}
