//! `garage`: one node of Garage on a folder of the host's disk, which syncs data and metadata.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{AccessKey, ObjectStore, PATIENCE, free_ports, run, words};
use crate::exec;
use crate::host::Environment;
use crate::request::StorageKind;
use crate::toolbox::{Toolbox, Toolset};

const REGION: &str = "garage";
/// Garage's keys have a form of their own.
const KEY_ID: &str = "GK0123456789abcdef01234567";
/// 32 bytes in hexadecimal, for the secret of the key and of the node. Both are reached from this host only.
const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn start(environment: &Environment) -> Result<ObjectStore> {
    let tools = environment.tools_of(Toolset::Garage)?;
    let folder = environment.fresh("garage")?;
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let [s3, rpc] = free_ports()?;
    let file = folder.join("garage.toml");
    fs::write(&file, configuration(&folder, s3, rpc)).with_context(|| format!("write {}", file.display()))?;
    let mut command = garage(&tools, &file);
    command.arg("server");
    let words = words(&command);
    let server = run("garage", &mut command, environment, s3)?;
    prepare(&tools, &file)?;
    Ok(ObjectStore {
        kind: StorageKind::Garage,
        endpoint: format!("http://127.0.0.1:{s3}"),
        region: REGION.to_owned(),
        key: AccessKey { id: KEY_ID.to_owned(), secret: SECRET.to_owned() },
        versions: vec![("garage".into(), tools.version("garage")?)],
        command: Some(format!("{words}, with data_fsync and metadata_fsync")),
        pool: None,
        bucket_folder: None,
        server: Some(server),
    })
}

fn garage(tools: &Toolbox, configuration: &Path) -> Command {
    let mut command = Command::new(tools.path("bin/garage"));
    command.arg("-c").arg(configuration);
    command
}

fn configuration(folder: &Path, s3: u16, rpc: u16) -> String {
    let folder = folder.display();
    format!(
        "metadata_dir = \"{folder}/meta\"\ndata_dir = \"{folder}/data\"\ndb_engine = \"lmdb\"\n\
         data_fsync = true\nmetadata_fsync = true\nreplication_factor = 1\n\
         rpc_bind_addr = \"127.0.0.1:{rpc}\"\nrpc_public_addr = \"127.0.0.1:{rpc}\"\nrpc_secret = \"{SECRET}\"\n\
         [s3_api]\ns3_region = \"{REGION}\"\napi_bind_addr = \"127.0.0.1:{s3}\"\nroot_domain = \".s3.garage.localhost\"\n"
    )
}

/// Gives the node all data, and the lab a key that may create buckets.
fn prepare(tools: &Toolbox, configuration: &Path) -> Result<()> {
    let run = |words: &[&str]| exec::run(garage(tools, configuration).args(words));
    let node = node_id(tools, configuration)?;
    run(&["layout", "assign", "--zone", "lab", "--capacity", "48G", &node])?;
    run(&["layout", "apply", "--version", "1"])?;
    run(&["key", "import", "--yes", "-n", "lab", KEY_ID, SECRET])?;
    run(&["key", "allow", "--create-bucket", KEY_ID])
}

/// The node's id, without its address. The node answers the command line a moment after it listens.
fn node_id(tools: &Toolbox, configuration: &Path) -> Result<String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut command = garage(tools, configuration);
        let output = exec::output_within(command.args(["node", "id", "--quiet"]), ANSWER_PATIENCE)?;
        let said = String::from_utf8_lossy(&output.stdout);
        match said.trim().split('@').next() {
            Some(id) if output.status.success() && !id.is_empty() => return Ok(id.to_owned()),
            _ if Instant::now() > deadline => {
                bail!("garage does not say its node's id: {}", String::from_utf8_lossy(&output.stderr).trim())
            }
            _ => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garage_syncs_what_it_writes() {
        let text = configuration(Path::new("/srv/garage"), 1, 2);
        for line in ["data_fsync = true", "metadata_fsync = true", "data_dir = \"/srv/garage/data\""] {
            assert!(text.lines().any(|found| found == line), "{line}");
        }
    }
}
