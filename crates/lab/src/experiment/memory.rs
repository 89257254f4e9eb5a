//! `memory`: does the server's memory stay constant while a client writes and reads back far more data than it may cache?

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::definition::Experiment;
use crate::host::{Environment, GuestSpec, Process};
use crate::probe::stream::{self, Streamed};
use crate::report::{Recorder, Subject, number};
use crate::request::StorageKind;
use crate::request::{Profile, Request};
use crate::storage::{self, Storage};

/// The experiment.
pub struct Memory;

const TARGET: &str = "/mnt/volume";
const FOLDER: &str = "/mnt/volume/stream";
const PATIENCE: Duration = Duration::from_secs(7200);
const PAUSE: Duration = Duration::from_millis(500);
/// The largest growth of the server's memory from the second third of the writes to the last: noise.
const GROWTH_MAX: f64 = 1.10;
/// The smallest ratio of the speed of the last third of the writes to that of the first.
const SPEED_MIN: f64 = 0.7;
/// The memory limit of the server at its default settings, in bytes.
const BUDGET: u64 = 512 << 20;

impl Experiment for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Memory under long writes",
            question: "A client writes segment after segment and reads all of them back. Do the server's memory and its speed stay \
                       constant?",
            method: "A client writes segment after segment, far more than the server may keep in memory, and reads all of them back, while \
                     the server's memory is sampled. The last third of the writes is compared with the earlier ones.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        let (files, file_mib): (u64, u64) = match request.profile {
            Profile::Laptop => (24, 256),
            Profile::Full => (20, 1024),
        };
        recorder.setting("files", files);
        recorder.setting("MiB per file", file_mib);
        recorder.stage("storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("guest");
        let guest = environment.boot(&GuestSpec::new("client", 768))?;
        storage.mount(&guest, TARGET)?;
        guest.make_folder(FOLDER)?;
        let words = ["stream", FOLDER, &files.to_string(), &file_mib.to_string(), "11"];
        let program =
            guest.spawn(&crate::probe::guest_command(&words)?.log(environment.logs().join("stream.log")))?;
        let samples = watch(recorder, storage.as_ref(), &program, (files * file_mib) << 20)?;
        conclude(recorder, &program, &samples, (files * file_mib) << 20)?;
        recorder.stage("unmounting");
        drop(program);
        guest.unmount(TARGET)?;
        guest.stop()?;
        storage.stop()?;
        let gigabytes = ((files * file_mib) << 20) as f64 / 1e9;
        Ok(format!("The server's memory and speed stayed constant while {gigabytes:.1} GB were written."))
    }
}

/// A sample of the client and the server.
struct Sample {
    at: Duration,
    streamed: Streamed,
    resident: u64,
}

fn watch(recorder: &Recorder, storage: &dyn Storage, program: &Process, total: u64) -> Result<Vec<Sample>> {
    recorder.stage("writing");
    let begun = Instant::now();
    let mut samples: Vec<Sample> = Vec::new();
    let mut reading = false;
    while program.exit()?.is_none() {
        ensure!(begun.elapsed() < PATIENCE, "not done after {} s", PATIENCE.as_secs());
        let streamed = stream::latest(&program.output().0);
        if streamed.written == total && !reading {
            reading = true;
            recorder.stage("reading back");
        }
        let resident = storage.usage()?.resident;
        let sample = Sample { at: begun.elapsed(), streamed, resident };
        recorder.point("Server's memory", "MB", resident as f64 / 1e6);
        if let Some(last) = samples.last() {
            let done = |sample: &Sample| sample.streamed.written + sample.streamed.compared;
            let bytes = done(&sample).saturating_sub(done(last)) as f64;
            recorder.point("Written, then read", "MB/s", bytes / 1e6 / (sample.at - last.at).as_secs_f64());
        }
        samples.push(sample);
        std::thread::sleep(PAUSE);
    }
    Ok(samples)
}

fn conclude(recorder: &Recorder, program: &Process, samples: &[Sample], total: u64) -> Result<()> {
    let exit = program.exit()?.context("the program still runs")?;
    let last = stream::latest(&program.output().0);
    let detail = format!(
        "{} of {} MB{}",
        number(last.compared as f64 / 1e6),
        number(total as f64 / 1e6),
        if exit.success() { String::new() } else { format!(" ({exit}: {})", program.output().1.trim()) }
    );
    let all = exit.success() && last.compared == total;
    recorder.check("bytes", "Every byte is read back as it was written", all, detail);
    let third = |part: u64| {
        let (from, to) = (total / 3 * part, total / 3 * (part + 1));
        let inside = move |sample: &&Sample| {
            (from..=to).contains(&sample.streamed.written) && sample.streamed.compared == 0
        };
        samples.iter().filter(inside)
    };
    let (Some(second), Some(end)) = (largest(third(1)), largest(third(2))) else {
        bail!("the writes ended before three samples were taken")
    };
    let growth = end as f64 / second as f64;
    let detail = format!("{:.0} MB, then {:.0} MB", second as f64 / 1e6, end as f64 / 1e6);
    let title = "The server's memory does not grow from the second third of the writes to the last";
    recorder.check("steady", title, growth <= GROWTH_MAX, detail);
    let most = samples.iter().map(|sample| sample.resident).max().unwrap_or(0);
    recorder.figure("memory_mb_max", "Server's memory, largest", most as f64 / 1e6, "MB");
    let detail = format!("{:.0} MB of {:.0} MB", most as f64 / 1e6, BUDGET as f64 / 1e6);
    recorder.check("budget", "The server never takes more than 512 MiB", most <= BUDGET, detail);
    let (begin, finish) = (speed(third(0)), speed(third(2)));
    recorder.figure("first_third_mb_per_s", "First third of the writes", begin, "MB/s");
    recorder.figure("last_third_mb_per_s", "Last third of the writes", finish, "MB/s");
    let detail = format!("{begin:.0} MB/s, then {finish:.0} MB/s");
    recorder.check(
        "speed",
        "The last third of the writes is as fast as the first",
        finish >= begin * SPEED_MIN,
        detail,
    );
    Ok(())
}

fn largest<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<u64> {
    samples.map(|sample| sample.resident).max()
}

/// MB/s from the first of these samples to the last; 0 if there are not two.
fn speed<'a>(samples: impl Iterator<Item = &'a Sample>) -> f64 {
    let samples: Vec<&Sample> = samples.collect();
    match samples.as_slice() {
        [first, .., last] if last.at > first.at => {
            (last.streamed.written - first.streamed.written) as f64 / 1e6 / (last.at - first.at).as_secs_f64()
        }
        _ => 0.0,
    }
}
