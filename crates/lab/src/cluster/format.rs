//! Formats folders with Kafka's own tool. The tool runs on the host, where Java starts in a fraction of the time that it takes in a guest; its
//! files are then written to the node.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::config::CLUSTER_ID;
use super::distribution::Distribution;
use super::java::{self, Size};
use super::placement::Placement;
use crate::host::{GuestCommand, Node};

const SIZE: Size = Size { heap_mib: 256 };
const PATIENCE: Duration = Duration::from_secs(60);
/// The file that every formatted folder has.
const MARK: &str = "meta.properties";

/// Formats, on the host, the folders of a properties file that are not formatted. The tool's output is appended to `log`.
pub fn format(kafka: &Distribution, properties: &Path, log: &Path) -> Result<()> {
    let name = properties.to_string_lossy();
    let arguments = ["format", "--ignore-formatted", "--cluster-id", CLUSTER_ID, "--config", &name];
    let words = java::words(kafka, SIZE, "info", "kafka.tools.StorageTool", &arguments);
    let (program, rest) = words.split_first().context("a command line has a program")?;
    let said = File::options()
        .append(true)
        .create(true)
        .open(log)
        .with_context(|| format!("open {}", log.display()))?;
    let status = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(said.try_clone()?)
        .stderr(said)
        .status()
        .context("start java (Debian: apt-get install default-jre-headless)")?;
    if !status.success() {
        bail!("{name}: its folders could not be formatted ({status}); see {}", log.display());
    }
    Ok(())
}

/// Formats those folders of a broker's placement that are not formatted. `properties` are the broker's with other folders for its logs and
/// its metadata; these are made in `scratch`.
pub fn format_placement(
    kafka: &Distribution,
    placement: &Placement<'_>,
    metadata: &Path,
    scratch: &Path,
    log: &Path,
    properties: impl Fn(&[PathBuf], &Path) -> String,
) -> Result<()> {
    let work = scratch.join(format!("format-{}", placement.node.name()));
    // It belonged to an earlier node of that name.
    match fs::remove_dir_all(&work) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("remove {}", work.display()));
        }
        _ => fs::create_dir_all(&work).with_context(|| format!("make {}", work.display()))?,
    }
    let made_metadata = work.join("metadata");
    let made_logs: Vec<PathBuf> =
        (1..=placement.log_folders.len()).map(|number| work.join(number.to_string())).collect();
    let file = work.join("broker.properties");
    fs::write(&file, properties(&made_logs, &made_metadata))
        .with_context(|| format!("write {}", file.display()))?;
    format(kafka, &file, log)?;
    for (made, folder) in made_logs.iter().zip(&placement.log_folders) {
        put(placement.node, made, folder)?;
    }
    // A combined node has its metadata in its log directory.
    if made_metadata.exists() { put(placement.node, &made_metadata, metadata) } else { Ok(()) }
}

/// Puts the files of a formatted folder into a node's, unless that is formatted.
fn put(node: &Node, made: &Path, folder: &Path) -> Result<()> {
    let mark = folder.join(MARK);
    let there = GuestCommand::new("test").args(["-e", &mark.to_string_lossy()]);
    if node.exec(&there, PATIENCE)?.exit.success() {
        return Ok(());
    }
    copy(node, made, folder)
}

/// Copies a folder of this host into a node's. A node that is a controller too gets the folder of its first snapshot.
fn copy(node: &Node, from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("read {}", from.display()))? {
        let file = entry?.path();
        let target = to.join(file.file_name().context("a file has a name")?);
        if file.is_dir() {
            node.make_folder(&target)?;
            copy(node, &file, &target)?;
        } else {
            let content = fs::read(&file).with_context(|| format!("read {}", file.display()))?;
            node.write_file(target, &content)?;
        }
    }
    Ok(())
}
