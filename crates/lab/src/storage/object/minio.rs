//! `minio`: MinIO with one folder of the host's disk.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::{AccessKey, ObjectStore, REGION, free_ports, run, words};
use crate::host::Environment;
use crate::request::StorageKind;
use crate::toolbox::Toolset;

pub(super) fn start(environment: &Environment) -> Result<ObjectStore> {
    let tools = environment.tools_of(Toolset::Minio)?;
    let folder = environment.fresh("minio")?;
    let data = folder.join("data");
    fs::create_dir_all(&data).with_context(|| format!("make {}", data.display()))?;
    let ([port, console], key) = (free_ports()?, AccessKey::own());
    let mut command = Command::new(tools.path("bin/minio"));
    command.arg("--certs-dir").arg(folder.join("certs")).arg("server");
    command.args(["--address", &format!("127.0.0.1:{port}")]);
    command.args(["--console-address", &format!("127.0.0.1:{console}")]).arg(&data);
    command.env("MINIO_ROOT_USER", &key.id).env("MINIO_ROOT_PASSWORD", &key.secret);
    // It must not ask for updates.
    command.env("MINIO_UPDATE", "off").env("MINIO_BROWSER", "off").env("HOME", &folder);
    let words = words(&command);
    let server = run("minio", &mut command, environment, port)?;
    Ok(ObjectStore {
        kind: StorageKind::Minio,
        endpoint: format!("http://127.0.0.1:{port}"),
        region: REGION.to_owned(),
        key,
        versions: vec![("minio".into(), tools.version("minio")?)],
        command: Some(words),
        pool: None,
        bucket_folder: Some(data),
        server: Some(server),
    })
}
