//! `referrals`: does a Linux client walk from one pool's tree to another pool, and mount it by itself?
//!
//! Two daemons serve a pool each. One has paths of the other as referrals. A guest mounts both, and walks from the tree of the one to
//! the other. The other is at the port of NFS, since Linux follows referrals to no other port.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Output};
use crate::report::{Recorder, Subject};
use crate::request::{Request, StorageKind};
use crate::storage::{Forebay, POOL_PORT, Storage as _, mount_nfs};

/// The experiment.
pub struct Referrals;

const PATIENCE: Duration = Duration::from_secs(120);
const CONTENT: &str = "from a direct mount";

/// The names of checks, what they show, and scripts. `$gateway` is the address of both pools.
const STEPS: &[(&str, &str, &str)] = &[
    (
        "listed",
        "A listing shows the referrals, and crosses none",
        "test \"$(ls /mnt/tree | xargs)\" = 'far kafka pools' && ! grep -q ' /mnt/tree/' /proc/mounts",
    ),
    (
        "volume",
        "A file of a volume of the other pool is read by the way of the tree",
        "test \"$(cat /mnt/tree/far/hello)\" = 'from a direct mount' && grep -q \"^$gateway:/kafka /mnt/tree/far nfs4 \" /proc/mounts",
    ),
    (
        "whole_pool",
        "The tree of the whole other pool is below a path of two names",
        "test \"$(cat /mnt/tree/pools/far/kafka/hello)\" = 'from a direct mount' && ls -l /mnt/tree/pools/far | grep -q kafka",
    ),
    (
        "written",
        "A file written by the way of the tree is there in the direct mount",
        "echo back > /mnt/tree/far/back && test \"$(cat /mnt/direct/back)\" = back && rm /mnt/direct/back",
    ),
    (
        "file_systems",
        "What is behind a referral is a file system of its own",
        "test \"$(stat -c %d /mnt/tree)\" != \"$(stat -c %d /mnt/tree/far/.)\" && ! ln /mnt/tree/far/hello /mnt/tree/kafka/hello && df /mnt/tree/far | grep -q /mnt/tree/far",
    ),
    (
        "opened",
        "A referral that is opened before anybody looked it up is crossed",
        "umount /mnt/tree/far; echo 2 > /proc/sys/vm/drop_caches; ls /mnt/tree/far/. | grep -q hello",
    ),
    (
        "again",
        "The directory above is listed after all of this, and its volume is still there",
        "ls -la /mnt/tree /mnt/tree/pools && touch /mnt/tree/kafka/alive",
    ),
];

impl Experiment for Referrals {
    fn name(&self) -> &'static str {
        "referrals"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "One tree of several pools",
            question: "Does a Linux client that walks to a path of another pool mount it from there by itself?",
            method: "Two daemons serve a pool each. One has paths of the other in nfs.referrals. A guest mounts a volume of the other pool directly \
                     and writes a file, mounts the root of the first, and walks from there to the file. Then it mounts a path that leads through a \
                     referral, and walks when the other pool is down.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, _request: &Request, recorder: &Recorder) -> Result<String> {
        recorder.stage("starting two pools");
        let gateway = environment.gateway();
        let near_paths = format!("/far={gateway}:/kafka,/pools/far={gateway}:/");
        let mut near = Forebay::start_pool(environment, 1, &["--nfs-referrals".to_owned(), near_paths])?;
        let mut far = Forebay::start(environment, &[])?;
        for (name, version) in near.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("booting a guest");
        let guests = environment.boot_all(&[GuestSpec::new("walker", 256)])?;
        let [guest] = guests.as_slice() else { bail!("one guest was asked for") };
        let kernel = run(guest, "uname -r")?;
        recorder.version("client's kernel", kernel.stdout.trim());
        far.mount(guest, "/mnt/direct")?;
        guest.write_file("/mnt/direct/hello", CONTENT.as_bytes())?;
        let near_options = format!("vers=4.2,port={POOL_PORT}");
        mount_nfs(guest, gateway, "/", &near_options, "/mnt/tree")?;

        recorder.stage("walking");
        for (name, title, script) in STEPS {
            let begun = Instant::now();
            let ended = run(guest, &format!("gateway={gateway}; {script}"))?;
            let took = begun.elapsed();
            let detail = if ended.exit.success() {
                format!("{} ms", took.as_millis())
            } else {
                let mounts = run(guest, "awk '$3 == \"nfs4\" {print $1, $2}' /proc/mounts")?;
                format!("{}: {} {}", ended.exit, ended.stderr.trim(), mounts.stdout.trim())
            };
            recorder.check(name, title, ended.exit.success(), detail);
        }
        let begun = Instant::now();
        let mounted = mount_nfs(guest, gateway, "/pools/far/kafka", &near_options, "/mnt/through");
        let read = mounted.and_then(|()| guest.read_file("/mnt/through/hello"));
        let same = read.as_deref().is_ok_and(|read| read == CONTENT.as_bytes());
        let detail =
            read.map_or_else(|error| format!("{error:#}"), |_| format!("{} ms", begun.elapsed().as_millis()));
        recorder.check("mounted", "A path that leads through a referral is mounted", same, detail);

        recorder.stage("unmounting");
        let unmounted = run(guest, "umount /mnt/through /mnt/tree && ! grep -q ' /mnt/tree' /proc/mounts")?;
        let detail = format!("{} {}", unmounted.exit, unmounted.stderr.trim());
        recorder.check(
            "unmounted",
            "The tree is unmounted with all that was crossed to",
            unmounted.exit.success(),
            detail,
        );
        guest.unmount("/mnt/direct")?;

        recorder.stage("without the other pool");
        far.stop()?;
        mount_nfs(guest, gateway, "/", &near_options, "/mnt/tree")?;
        let alone = "test \"$(ls /mnt/tree | xargs)\" = 'far kafka pools' && touch /mnt/tree/kafka/alone && ! timeout 20 ls /mnt/tree/far/. 2>/dev/null";
        let ended = run(guest, alone)?;
        let detail = format!("{} {}", ended.exit, ended.stderr.trim());
        recorder.check(
            "alone",
            "If the other pool is down, only the way to it is closed",
            ended.exit.success(),
            detail,
        );
        guest.stop()?;
        near.stop()?;
        Ok("a client walked from one pool to the other".to_owned())
    }
}

fn run(guest: &Guest, script: &str) -> Result<Output> {
    guest.exec(&GuestCommand::new("sh").args(["-c", script]), PATIENCE)
}
