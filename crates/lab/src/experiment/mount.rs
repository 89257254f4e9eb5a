//! `mount`: two guests mount a storage and see each other's files. This is the shortest experiment. It shows that the lab and a
//! storage work at all.

use std::time::Duration;

use anyhow::Result;

use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec};
use crate::report::{Recorder, Subject};
use crate::request::Request;
use crate::request::StorageKind;
use crate::storage::{self, Volumes};

/// The experiment.
pub struct MountCheck;

const TARGET: &str = "/mnt/volume";
const CONTENT: &[u8] = b"from the first guest\n";

impl Experiment for MountCheck {
    fn name(&self) -> &'static str {
        "mount"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Mounting a storage",
            question: "Can two Linux clients mount the storage, and does each see the other's files?",
            method: "Two guests mount the storage. One writes a file, the other reads it, and a program lists the folder. If the \
                     storage has snapshots, a client finds one, copies a file from it, and cannot change it.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        recorder.stage("starting the storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("booting guests");
        let mut specs = vec![GuestSpec::new("first", 256), GuestSpec::new("second", 256)];
        for spec in &mut specs {
            storage.prepare(environment, spec)?;
        }
        let guests = environment.boot_all(&specs)?;
        recorder.stage("mounting");
        for guest in &guests {
            storage.mount(guest, TARGET)?;
            recorder
                .event(crate::progress::Tone::Good, format_args!("{} is mounted in {}", kind, guest.name()));
        }
        let [first, second] = guests.as_slice() else { anyhow::bail!("two guests were asked for") };
        write_and_read(recorder, kind, first, second)?;
        if let Ok(volumes) = storage.volumes() {
            look_into_snapshot(recorder, volumes, first)?;
        }
        recorder.stage("unmounting");
        for guest in &guests {
            guest.unmount(TARGET)?;
            guest.stop()?;
        }
        storage.stop()?;
        recorder.check("unmount", "Guests unmount and the storage stops", true, "done");
        Ok(format!("two guests shared files on {kind}"))
    }
}

fn write_and_read(recorder: &Recorder, kind: &StorageKind, first: &Guest, second: &Guest) -> Result<()> {
    recorder.stage("writing and reading");
    let path = format!("{TARGET}/hello");
    first.write_file(&path, CONTENT)?;
    // Local disks are not shared.
    let reader = if *kind == StorageKind::Local { first } else { second };
    let read = reader.read_file(&path);
    let same = read.as_deref().is_ok_and(|read| read == CONTENT);
    let detail = match &read {
        Ok(read) => format!("{} of {} bytes", read.len(), CONTENT.len()),
        Err(error) => format!("{error:#}"),
    };
    recorder.check("read_back", "A file reads back as written", same, detail);
    let listed = first.exec(&GuestCommand::new("ls").args(["-la", TARGET]), Duration::from_secs(30))?;
    recorder.check("list", "A program lists the folder", listed.stdout.contains("hello"), listed.exit);
    Ok(())
}

/// Checks a client's view of a snapshot: hidden in listings, complete under its name, and read-only.
const LOOK: &str = "set -e
ls -A /mnt/volume | grep -qxF .snapshot && exit 11
test \"$(ls /mnt/volume/.snapshot)\" = lab || exit 12
test \"$(cat /mnt/volume/.snapshot/lab/hello)\" = 'from the first guest' || exit 13
test \"$(find /mnt/volume/.snapshot/lab -type f -name hello | wc -l)\" = 1 || exit 14
cp -a /mnt/volume/.snapshot/lab /tmp/copy
cmp /tmp/copy/hello /mnt/volume/.snapshot/lab/hello || exit 15
touch /mnt/volume/.snapshot/lab/new 2>/tmp/refused && exit 16
grep -q 'Read-only' /tmp/refused || exit 17
mkdir /mnt/volume/.snapshot 2>/dev/null && exit 18
test \"$(cat /mnt/volume/hello)\" = changed || exit 19
test \"$(ls /mnt/volume/.snapshot/lab/..)\" = lab || exit 20
umount /mnt/volume/.snapshot/lab";

fn look_into_snapshot(recorder: &Recorder, volumes: &dyn Volumes, guest: &Guest) -> Result<()> {
    recorder.stage("looking into a snapshot");
    volumes.snapshot(&["kafka".to_owned()], "lab")?;
    guest.write_file(format!("{TARGET}/hello"), b"changed\n")?;
    let looked = guest.exec(&GuestCommand::new("sh").args(["-c", LOOK]), Duration::from_secs(60))?;
    let detail = format!("{} {}", looked.exit, looked.stderr.trim());
    recorder.check("snapshot", "A snapshot can be read but not changed", looked.exit.success(), detail);
    Ok(())
}
