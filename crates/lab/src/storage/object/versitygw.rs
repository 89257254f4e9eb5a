//! `versitygw`: VersityGW with its POSIX back end on a folder of the host's disk. It never syncs what it writes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::{AccessKey, ObjectStore, REGION, free_ports, run, words};
use crate::host::Environment;
use crate::request::StorageKind;
use crate::toolbox::Toolset;

pub(super) fn start(environment: &Environment) -> Result<ObjectStore> {
    let tools = environment.tools_of(Toolset::Versitygw)?;
    let folder = environment.fresh("versitygw")?;
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let ([port], key) = (free_ports()?, AccessKey::own());
    let mut command = Command::new(tools.path("bin/versitygw"));
    command.args(["--port", &format!("127.0.0.1:{port}"), "--region", REGION]).arg("posix").arg(&folder);
    command.env("ROOT_ACCESS_KEY", &key.id).env("ROOT_SECRET_KEY", &key.secret);
    let words = words(&command);
    let server = run("versitygw", &mut command, environment, port)?;
    Ok(ObjectStore {
        kind: StorageKind::Versitygw,
        endpoint: format!("http://127.0.0.1:{port}"),
        region: REGION.to_owned(),
        key,
        versions: vec![("versitygw".into(), tools.version("versitygw")?)],
        command: Some(words),
        pool: None,
        bucket_folder: Some(folder),
        server: Some(server),
    })
}
