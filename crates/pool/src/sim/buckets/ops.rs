//! The operations on buckets, drawn at random from those that are possible at the moment.

use bytes::Bytes;

use super::super::content;
use super::super::model::{NodeId, World};
use super::super::ops::{Appetite, file_to_copy};
use super::super::random::Random;
use super::model::{Buckets, OBJECTS, PARTS};
use crate::{BucketSpec, Compression, Handle, VolumeId};

/// The bytes before those of a part that is not the first: a hole, so that the cutter looks for record batches.
pub(in crate::sim) const PART_HOLE: u64 = 4096;

/// What must hold for a change to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Condition {
    Nothing,
    /// The key has no version.
    IsAbsent,
    /// The newest version of the key has these facts.
    Matches(Bytes),
}

/// Where a new object comes from.
#[derive(Clone, Debug)]
pub(in crate::sim) enum Source {
    /// Written in pieces. `commit`: as it must be before an entry takes it.
    Pieces { bytes: Bytes, piece: usize, commit: bool },
    /// A range of a content of a bucket.
    Content { content: Handle, offset: u64, length: u64, hold: bool },
    /// A range of a file that no client changes meanwhile.
    File { node: NodeId, offset: u64, length: u64 },
}

/// How a draft shares the bytes of its source.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) enum Share {
    Copy,
    CloneRange,
    /// Two ranges that meet, of the same source.
    ConcatenateTwo,
}

#[derive(Clone, Debug)]
pub(in crate::sim) enum BucketOp {
    Create {
        spec: BucketSpec,
        entries: Vec<(Vec<u8>, Bytes)>,
    },
    /// `force`: with everything in it.
    Delete {
        id: VolumeId,
        force: bool,
    },
    /// Both at once: the second finds the bucket by the id that the first has given it.
    CreateAndDelete {
        spec: BucketSpec,
    },
    Modify {
        spec: BucketSpec,
    },
    /// A new object. `versioned`: beside the older ones. `abandon`: it is never published.
    Put {
        id: VolumeId,
        key: Vec<u8>,
        source: Source,
        share: Share,
        condition: Condition,
        versioned: bool,
        abandon: bool,
    },
    PutPart {
        id: VolumeId,
        upload: u64,
        part: u8,
        bytes: Bytes,
    },
    /// The parts of an upload become an object.
    Complete {
        id: VolumeId,
        upload: u64,
        key: Vec<u8>,
        condition: Condition,
    },
    /// Other facts for the newest version. Its content stays.
    Describe {
        id: VolumeId,
        key: Vec<u8>,
    },
    /// Removes the newest version of each of the keys, or all versions.
    Remove {
        id: VolumeId,
        keys: Vec<Vec<u8>>,
        all: bool,
        condition: Condition,
    },
    /// A marker: an entry without content, as the newest version.
    Mark {
        id: VolumeId,
        keys: Vec<Vec<u8>>,
    },
    /// A change that must be refused as a whole.
    Wrong {
        id: VolumeId,
        key: Vec<u8>,
        other: Option<VolumeId>,
    },
    Scan {
        id: VolumeId,
        prefix: Vec<u8>,
        seek: u8,
        key: Vec<u8>,
        version: u64,
        entries_max: usize,
    },
    Newest {
        id: VolumeId,
        key: Vec<u8>,
    },
    List,
    /// Begins to read an object.
    Open {
        id: VolumeId,
        key: Vec<u8>,
    },
    /// Reads on where it began, whatever happened to the entry.
    Read,
    Close,
}

/// Keys with bytes that the stored form escapes, and keys that are prefixes of others.
const KEYS: [&[u8]; 9] = [b"a", b"a\0", b"a\0\0b", b"a/", b"a/b", b"a/b/c", b"b\xff", b"b\xff\xff", b"c\x01"];

fn key(random: &mut Random, appetite: &Appetite) -> Vec<u8> {
    random.pick(&KEYS[..(appetite.names as usize).min(KEYS.len())]).unwrap_or(b"a").to_vec()
}

fn keys(random: &mut Random, appetite: &Appetite) -> Vec<Vec<u8>> {
    let mut keys: Vec<_> = (0..random.between(1, 4)).map(|_| key(random, appetite)).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// New facts.
pub(in crate::sim) fn facts(random: &mut Random) -> Bytes {
    let length = if random.permille(50) { 20_000 } else { random.between(1, 300) as usize };
    let mut facts = content::any(random, length).to_vec();
    facts.extend(random.next().to_le_bytes());
    facts.into()
}

fn spec(random: &mut Random, name: String) -> BucketSpec {
    BucketSpec {
        name,
        size: random.permille(250).then(|| random.between(20_000, 600_000)),
        max_bytes_per_second: random.permille(100).then(|| random.between(1 << 20, 1 << 30)),
        compression: random
            .pick(&[Compression::None, Compression::Lz4, Compression::Zstd])
            .unwrap_or_default(),
    }
}

fn condition(buckets: &Buckets, id: VolumeId, key: &[u8], random: &mut Random) -> Condition {
    match random.below(5) {
        0 => Condition::IsAbsent,
        1 => match buckets.get(&id).and_then(|bucket| bucket.entries.newest(OBJECTS, key)) {
            Some((_, entry)) => Condition::Matches(entry.facts.clone()),
            None => Condition::Matches(Bytes::from_static(b"nothing has these")),
        },
        _ => Condition::Nothing,
    }
}

/// Draws an operation. Returns `None` if the drawn operation is not possible at the moment.
pub(in crate::sim) fn draw(world: &World, random: &mut Random, appetite: &Appetite) -> Option<BucketOp> {
    let buckets = world.buckets.now();
    let ids: Vec<VolumeId> = buckets.keys().copied().collect();
    let what = random.below(100);
    if ids.is_empty() || what < 4 {
        return Some(create(&buckets, random));
    }
    let id = random.pick(&ids)?;
    let key = key(random, appetite);
    let condition = condition(&buckets, id, &key, random);
    Some(match what {
        4..6 => BucketOp::Delete { id, force: random.permille(400) },
        6..9 => modify(world, &buckets, id, random)?,
        9..40 => BucketOp::Put {
            id,
            key,
            source: source(world, &buckets, random, appetite)?,
            share: random.pick(&[Share::Copy, Share::CloneRange, Share::ConcatenateTwo])?,
            condition,
            versioned: random.permille(400),
            abandon: random.permille(100),
        },
        40..50 => {
            let (upload, part) = (random.below(2), random.below(5) as u8);
            BucketOp::PutPart { id, upload, part, bytes: bytes(random, appetite) }
        }
        50..55 => BucketOp::Complete { id, upload: random.below(2), key, condition },
        55..60 => BucketOp::Describe { id, key },
        60..68 => BucketOp::Remove { id, keys: keys(random, appetite), all: random.permille(300), condition },
        68..71 => BucketOp::Mark { id, keys: keys(random, appetite) },
        71..73 => BucketOp::Wrong { id, key, other: random.pick(&ids).filter(|other| *other != id) },
        73..79 => BucketOp::Scan {
            id,
            prefix: match random.below(3) {
                0 => key.clone(),
                1 => b"a".to_vec(),
                _ => Vec::new(),
            },
            seek: random.below(5) as u8,
            key,
            version: random.below(4),
            entries_max: random.pick(&[0, 1, 2, 5, 1000])?,
        },
        79..82 => BucketOp::Newest { id, key },
        82..84 => BucketOp::List,
        84..89 => BucketOp::Open { id, key },
        89..97 => BucketOp::Read,
        _ => BucketOp::Close,
    })
}

fn create(buckets: &Buckets, random: &mut Random) -> BucketOp {
    let name = format!("b{}", random.below(4));
    let is_there = buckets.values().any(|bucket| bucket.spec.name == name);
    let spec = spec(random, name);
    if random.permille(100) && !is_there {
        return BucketOp::CreateAndDelete { spec };
    }
    let entries = (0..random.below(3)).map(|index| (vec![b's', index as u8], facts(random)));
    BucketOp::Create { spec, entries: entries.collect() }
}

fn modify(world: &World, buckets: &Buckets, id: VolumeId, random: &mut Random) -> Option<BucketOp> {
    let name = buckets.get(&id)?.spec.name.clone();
    (!world.buckets.modifying.contains_key(&name)).then(|| BucketOp::Modify { spec: spec(random, name) })
}

/// The bytes of an object: random, a log as brokers append it, zeros, or nothing.
fn bytes(random: &mut Random, appetite: &Appetite) -> Bytes {
    let small = random.between(1, 6000) as usize;
    let large = random.between(1, appetite.write_bytes_max.min(300_000)) as usize;
    match random.below(12) {
        0 => Bytes::new(),
        1 => content::zeros(large.min(150_000)),
        2..5 => content::log(random.below(3) as usize * 50_000, large, random.permille(500)),
        5..9 => content::any(random, small),
        _ => content::any(random, large),
    }
}

fn source(world: &World, buckets: &Buckets, random: &mut Random, appetite: &Appetite) -> Option<Source> {
    match random.below(10) {
        0..6 => Some(Source::Pieces {
            bytes: bytes(random, appetite),
            piece: random.pick(&[1500, 20_000, 70_000, 1 << 20])?,
            commit: !random.permille(60),
        }),
        6..8 => {
            let all: Vec<Handle> = buckets.values().flat_map(|bucket| bucket.contents()).collect();
            let content = random.pick(&all)?;
            let size = world.buckets.contents.get(&content)?.len() as u64;
            let offset = if random.permille(600) { 0 } else { random.below(size + 1) };
            let length = if random.permille(600) { size - offset } else { random.below(size - offset + 1) };
            Some(Source::Content { content, offset, length, hold: random.permille(500) })
        }
        _ => {
            let (node, offset, length) = file_to_copy(world, random)?;
            Some(Source::File { node, offset, length: length.min(appetite.file_bytes_max) })
        }
    }
}

/// The key of a part, and those of all parts of an upload.
pub(in crate::sim) fn part_key(upload: u64, part: u8) -> Vec<u8> {
    vec![b'u', upload as u8, part]
}

/// The parts of an upload: their numbers and contents.
pub(in crate::sim) fn parts_of(buckets: &Buckets, id: VolumeId, upload: u64) -> Vec<(u8, Handle)> {
    let Some(bucket) = buckets.get(&id) else { return Vec::new() };
    let parts = bucket
        .entries
        .0
        .iter()
        .filter(|((table, key, _), _)| *table == PARTS.0 && key.starts_with(&[b'u', upload as u8]));
    parts.filter_map(|((_, key, _), entry)| Some((*key.last()?, entry.content?))).collect()
}
