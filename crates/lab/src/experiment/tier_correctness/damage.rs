//! A bit of a closed segment is flipped before the segment is copied. The copy must be refused, and the local segment must stay.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::faults::{Places, Strike};
use crate::cluster::TierReading;
use crate::host::GuestCommand;
use crate::progress::Tone;
use crate::storage::Disturbance;
use crate::testbed::{LocalSegments, Testbed};

/// Time limit for a segment to be closed while the tier refuses all requests.
const CLOSED_PATIENCE: Duration = Duration::from_secs(180);
/// Time limit for the first copy of the damaged segment to fail.
const REFUSED_PATIENCE: Duration = Duration::from_secs(120);
/// How long the damaged segment must stay local and out of the tier.
const WATCHED: Duration = Duration::from_secs(15);
const READ_PATIENCE: Duration = Duration::from_secs(120);
const COMMAND_PATIENCE: Duration = Duration::from_secs(120);
/// Bytes by which a segment is found in the pool's files. They are of random payloads.
const NEEDLE_BYTES: u64 = 64;
const PIECE_BYTES: usize = 4 << 20;

/// A closed segment that is not in the tier.
#[derive(Debug)]
struct Closed {
    broker: u32,
    partition: String,
    base: u64,
    file: PathBuf,
    /// Where a bit is flipped: in the middle.
    position: u64,
}

/// The bit is flipped in the leader's log directory, through its mount.
pub fn in_log_directory(strike: &Strike<'_>, testbed: &mut Testbed, places: &Places) -> Result<()> {
    let closed = find(strike, testbed, places)?;
    flip(testbed, &closed)?;
    tell(strike, &closed, "its log directory");
    strike.tier.relay()?.disturb(Disturbance::None);
    let refused = watch_refusal(strike, testbed, &closed, "DamagedSegments");
    flip(testbed, &closed)?;
    refused
}

/// The bit is flipped in the pool's files, while the daemon does not run.
pub fn in_pool(strike: &Strike<'_>, testbed: &mut Testbed, places: &Places) -> Result<()> {
    let closed = find(strike, testbed, places)?;
    testbed.sync()?;
    // The bytes must come from the server, not from the client's cache.
    testbed.drop_caches()?;
    let needle = bytes_of(testbed, &closed)?;
    let pool = testbed.storage.host_server().context("the storage has no server")?.data;
    testbed.storage.stop()?;
    // The metadata's journal can have them too, from when the file was short. The pool does not open with a damaged journal.
    let places = find_in(&pool.join("segments"), &needle)?;
    ensure!(!places.is_empty(), "no segment file of the pool has the bytes of {}", closed.file.display());
    flip_on_disk(&places)?;
    testbed.storage.restart()?;
    tell(strike, &closed, &format!("{} place(s) of the pool", places.len()));
    strike.tier.relay()?.disturb(Disturbance::None);
    let refused = watch_refusal(strike, testbed, &closed, "FailedCopies");
    testbed.storage.stop()?;
    flip_on_disk(&places)?;
    testbed.storage.restart()?;
    refused
}

fn tell(strike: &Strike<'_>, closed: &Closed, place: &str) {
    let Closed { broker, partition, base, .. } = closed;
    let words = format!("a bit of segment {base} of {partition} on broker {broker} is flipped in {place}");
    strike.recorder.event(Tone::Bad, words);
}

/// Makes the tier refuse all requests, and waits until a leader has a closed segment that no request can be about.
fn find(strike: &Strike<'_>, testbed: &Testbed, places: &Places) -> Result<Closed> {
    strike.tier.relay()?.disturb(Disturbance::Refused);
    let assignment = places.assignments.first().context("a round has topics")?;
    let deadline = Instant::now() + CLOSED_PATIENCE;
    loop {
        let reading = strike.watch()?.read(READ_PATIENCE)?;
        let local = LocalSegments::list(testbed, &[&assignment.topic])?;
        for (partition, brokers) in assignment.partitions.iter().enumerate() {
            let name = format!("{}-{partition}", assignment.topic);
            let Some(leader) = brokers.first() else { continue };
            if let Some(base) = untouched(local.bases(*leader, &name), &reading, &name) {
                return closed(testbed, *leader, name, base);
            }
        }
        ensure!(
            Instant::now() < deadline,
            "no segment of {} was closed within {} s",
            assignment.topic,
            CLOSED_PATIENCE.as_secs()
        );
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// The base offset of the second segment that is not in the tier, if it is closed. A request about the first may be on its way.
fn untouched(bases: &[u64], reading: &TierReading, partition: &str) -> Option<u64> {
    let next = reading.next.get(partition).copied().unwrap_or_default();
    let closed = bases.split_last().map(|(_, closed)| closed).unwrap_or_default();
    closed.iter().copied().filter(|base| *base >= next).nth(1)
}

fn closed(testbed: &Testbed, broker: u32, partition: String, base: u64) -> Result<Closed> {
    let name = Path::new(&partition).join(format!("{base:020}.log"));
    let folder = testbed.log_folder(broker)?;
    let tree = testbed.node(broker)?.list_tree(folder)?;
    let entry = tree.iter().find(|entry| entry.path == name);
    let bytes = entry.with_context(|| format!("{} is gone", name.display()))?.bytes;
    Ok(Closed { broker, partition, base, file: folder.join(name), position: bytes / 2 })
}

/// Flips a bit through the broker's mount.
fn flip(testbed: &Testbed, closed: &Closed) -> Result<()> {
    let (file, position) = (closed.file.display(), closed.position);
    // The lowest bit: odd bytes become one less, even ones one more.
    let script = format!(
        "set -e; byte=$(od -An -tu1 -j{position} -N1 '{file}' | tr -d ' '); \
         printf \"\\\\$(printf '%03o' $((byte ^ 1)))\" | dd of='{file}' bs=1 seek={position} conv=notrunc,fsync status=none"
    );
    let words = ["sh", "-c", &script].map(str::to_owned);
    testbed
        .node(closed.broker)?
        .run(&GuestCommand::from_words(words.to_vec()), COMMAND_PATIENCE)
        .map(drop)
        .with_context(|| format!("flip a bit of {file}"))
}

/// Bytes of a segment at the place that is to be damaged.
fn bytes_of(testbed: &Testbed, closed: &Closed) -> Result<Vec<u8>> {
    let (file, position) = (closed.file.display().to_string(), closed.position.to_string());
    let count = NEEDLE_BYTES.to_string();
    let words = ["od", "-An", "-v", "-tx1", "-j", &position, "-N", &count, &file].map(str::to_owned);
    let command = GuestCommand::from_words(words.to_vec());
    let said = testbed.node(closed.broker)?.run(&command, COMMAND_PATIENCE)?;
    let byte = |word: &str| u8::from_str_radix(word, 16).with_context(|| format!("{word:?} is not a byte"));
    let bytes = said.split_whitespace().map(byte).collect::<Result<Vec<u8>>>()?;
    ensure!(bytes.len() as u64 == NEEDLE_BYTES, "{file} ends within the bytes that were asked for");
    Ok(bytes)
}

/// Every place of these bytes in the files of a folder.
fn find_in(folder: &Path, needle: &[u8]) -> Result<Vec<(PathBuf, u64)>> {
    let mut places = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let path = entry.with_context(|| format!("list {}", folder.display()))?.path();
        if path.is_dir() {
            places.extend(find_in(&path, needle)?);
        } else if path.is_file() {
            let found = find_in_file(&path, needle).with_context(|| format!("read {}", path.display()))?;
            places.extend(found.into_iter().map(|position| (path.clone(), position)));
        }
    }
    Ok(places)
}

fn find_in_file(path: &Path, needle: &[u8]) -> Result<Vec<u64>> {
    let file = File::open(path)?;
    let (mut places, mut from) = (Vec::new(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = file.read_at(&mut piece, from)?;
        let bytes = piece.get(..count).unwrap_or_default();
        let found = bytes.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle);
        places.extend(found.map(|(index, _)| from + index as u64));
        if count < needle.len() {
            return Ok(places);
        }
        // Pieces overlap, so that nothing is missed between them, and nothing is found twice.
        from += (count - needle.len() + 1) as u64;
    }
}

fn flip_on_disk(places: &[(PathBuf, u64)]) -> Result<()> {
    for (path, position) in places {
        let file = File::options().read(true).write(true).open(path);
        let file = file.with_context(|| format!("open {}", path.display()))?;
        let mut byte = [0];
        file.read_exact_at(&mut byte, *position)
            .and_then(|()| file.write_all_at(&byte.map(|byte| byte ^ 1), *position))
            .and_then(|()| file.sync_all())
            .with_context(|| format!("flip a bit of {}", path.display()))?;
    }
    Ok(())
}

/// Waits until a copy fails, and then watches that the segment stays local and does not get into the tier.
fn watch_refusal(strike: &Strike<'_>, testbed: &Testbed, closed: &Closed, counter: &str) -> Result<()> {
    let count = || -> Result<f64> { Ok(strike.tier.counters(testbed)?.get(counter).copied().unwrap_or(0.0)) };
    let (before, begun) = (count()?, Instant::now());
    let mut after = before;
    // Copies of other segments may have failed just before.
    while after < before + 2.0 && begun.elapsed() < REFUSED_PATIENCE {
        std::thread::sleep(Duration::from_secs(1));
        after = count()?;
    }
    let first = strike.watch()?.read(READ_PATIENCE)?;
    std::thread::sleep(WATCHED);
    let last = strike.watch()?.read(READ_PATIENCE)?;
    let Closed { broker, partition, base, .. } = closed;
    let topic = partition.rsplit_once('-').map_or(partition.as_str(), |(topic, _)| topic);
    let is_local = LocalSegments::list(testbed, &[topic])?.bases(*broker, partition).contains(base);
    let next = last.next.get(partition).copied().unwrap_or_default();
    let others = |reading: &TierReading| {
        reading.tiered.saturating_sub(reading.next.get(partition).copied().unwrap_or(0))
    };
    let more = others(&last).saturating_sub(others(&first));
    let is_refused = after >= before + 2.0 && is_local && next <= *base;
    let detail = format!(
        "{counter} {before} to {after}; segment {base} of {partition} {} local, and the tier ends at {next}; {more} more offsets of others are in the tier",
        if is_local { "is" } else { "is not" }
    );
    let name = format!("refused_{}", strike.fault.name().replace('-', "_"));
    let title = format!("{}: the copy is refused, and the local segment stays", strike.fault);
    strike.recorder.check(&name, &title, is_refused, detail);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_second_closed_segment_behind_the_tier_is_damaged() {
        let reading =
            |next| TierReading { next: BTreeMap::from([("t-0".to_owned(), next)]), ..TierReading::default() };
        assert_eq!(untouched(&[0, 10, 20, 30], &reading(0), "t-0"), Some(10));
        assert_eq!(untouched(&[0, 10, 20, 30], &reading(10), "t-0"), Some(20));
        assert_eq!(untouched(&[0, 10, 20, 30], &reading(20), "t-0"), None);
        assert_eq!(untouched(&[30], &reading(20), "t-0"), None);
        assert_eq!(untouched(&[], &reading(0), "t-0"), None);
    }

    #[test]
    fn bytes_are_found_wherever_they_are_and_a_bit_is_flipped_and_flipped_back() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-damage-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        let needle = *b"a needle that is in no haystack but ours";
        let mut content = vec![7; 2 * PIECE_BYTES];
        // Across two pieces, and at the end.
        for position in [PIECE_BYTES - 5, content.len() - needle.len()] {
            content[position..position + needle.len()].copy_from_slice(&needle);
        }
        let file = folder.join("below/chunks");
        fs::write(&file, &content).unwrap();
        let places = find_in(&folder, &needle).unwrap();
        let expected = [PIECE_BYTES - 5, content.len() - needle.len()].map(|at| (file.clone(), at as u64));
        flip_on_disk(&places).unwrap();
        let damaged = fs::read(&file).unwrap();
        let flipped = find_in(&folder, &needle).unwrap();
        flip_on_disk(&places).unwrap();
        let restored = fs::read(&file).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(places, expected);
        assert_eq!((damaged[PIECE_BYTES - 5], flipped.len()), (b'a' ^ 1, 0));
        assert!(restored == content);
    }
}
