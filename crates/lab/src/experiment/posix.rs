//! `posix`: whether a mounted storage behaves as a file system must: random operations on a file, and a large tree.

use std::time::Duration;

use anyhow::{Context, Result};

use super::Experiment;
use crate::host::{Guest, GuestCommand, GuestSpec, Output, Site};
use crate::probe::{self, FsxDone, TreeDone};
use crate::report::{Recorder, Subject};
use crate::request::{Profile, Request};
use crate::storage::{self, StorageKind};

/// The experiment.
pub struct Posix;

const TARGET: &str = "/mnt/volume";
const PATIENCE: Duration = Duration::from_secs(1800);

/// Random operations on the file.
const OPERATIONS: u64 = 100_000;

impl Experiment for Posix {
    fn name(&self) -> &'static str {
        "posix"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A file system, as POSIX has it",
            question: "Does a Linux client that mounts the storage find every byte where it put it, and can it create, \
                       rename, list and remove many files without an error?",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn run(&self, site: &Site, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = *request.storages.first().context("no storage is named")?;
        let files: u64 = match request.profile {
            Profile::Laptop => 50_000,
            Profile::Full => 500_000,
        };
        recorder.setting("operations on the file", OPERATIONS);
        recorder.setting("files in the tree", files);
        recorder.stage("storage");
        let mut storage = storage::start(kind, site)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("guests");
        let mut specs = vec![GuestSpec::new("client", 512), GuestSpec::new("witness", 256)];
        for spec in &mut specs {
            storage.prepare(site, spec)?;
        }
        let guests = site.boot_all(&specs)?;
        for guest in &guests {
            storage.mount(guest, TARGET)?;
        }
        let [client, witness] = guests.as_slice() else { anyhow::bail!("two guests were asked for") };
        let before = client.list_tree(TARGET)?;
        recorder.stage("random operations on a file");
        random_operations(recorder, client)?;
        if kind != StorageKind::Local {
            compare_with_witness(recorder, client, witness)?;
        }
        client.run(&GuestCommand::new("rm").args(["-f", FILE]), PATIENCE)?;
        recorder.stage("a tree of files");
        tree(recorder, client, files)?;
        let left = client.list_tree(TARGET)?;
        let extra = left.iter().filter(|entry| !before.contains(entry)).count();
        recorder.check("empty", "Nothing is left", extra == 0, format_args!("{extra} objects are left"));
        recorder.stage("unmounting");
        for guest in &guests {
            guest.unmount(TARGET)?;
            guest.stop()?;
        }
        storage.stop()?;
        Ok(format!(
            "{OPERATIONS} operations on a file and a tree of {files} files went as they must on {kind}"
        ))
    }
}

const FILE: &str = "/mnt/volume/fsx";

fn random_operations(recorder: &Recorder, client: &Guest) -> Result<()> {
    let seed = u64::from(std::process::id()) ^ recorder.now_ms();
    recorder.setting("seed", seed);
    let words = ["fsx", FILE, &OPERATIONS.to_string(), &seed.to_string()];
    let output = client.exec(&probe::guest_command(&words)?, PATIENCE)?;
    let passed = output.exit.success();
    let detail = match serde_json::from_str::<FsxDone>(&output.stdout) {
        Ok(done) => format!(
            "{} operations, {} MB read and compared, seed {seed}",
            done.operations,
            done.compared_bytes / 1_000_000
        ),
        Err(_) => said(&output),
    };
    recorder.check("fsx", "Random reads, writes and truncations of a file", passed, detail);
    Ok(())
}

/// The other guest must read from the server what the first one wrote.
fn compare_with_witness(recorder: &Recorder, client: &Guest, witness: &Guest) -> Result<()> {
    let sum = |guest: &Guest| guest.run(&GuestCommand::new("sha256sum").arg(FILE), PATIENCE);
    let (written, read) = (sum(client)?, sum(witness)?);
    let detail = written.split_whitespace().next().unwrap_or_default().to_owned();
    recorder.check("witness", "Another guest reads the same file", written == read, detail);
    Ok(())
}

fn tree(recorder: &Recorder, client: &Guest, files: u64) -> Result<()> {
    let folder = format!("{TARGET}/tree");
    let output = client.exec(&probe::guest_command(&["tree", &folder, &files.to_string()])?, PATIENCE)?;
    let passed = output.exit.success();
    let detail = match serde_json::from_str::<TreeDone>(&output.stdout) {
        Ok(done) => {
            for (stage, ms) in &done.stages {
                let name = format!("tree_{}_s", stage.replace(' ', "_"));
                recorder.figure(&name, &format!("Tree: {stage}"), *ms as f64 / 1e3, "s");
            }
            format!("{} files", done.files)
        }
        Err(_) => said(&output),
    };
    recorder.check("tree", "Many files created, renamed, listed while deleted, removed", passed, detail);
    Ok(())
}

fn said(output: &Output) -> String {
    format!("{}: {}", output.exit, output.stderr.trim())
}
