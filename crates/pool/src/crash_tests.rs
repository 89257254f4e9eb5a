//! Crash tests: the power fails at every single step of the I/O, and after it all that was acknowledged is there, and
//! nothing is half there.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::faulty::{FaultyDisk, Random, options};
use crate::*;

/// What one client believes, after each acknowledged step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Model {
    files: BTreeMap<String, File>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct File {
    /// What is durable.
    stable: Vec<u8>,
    /// What a reader sees.
    seen: Vec<u8>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{} {}", self.stable.len(), self.seen.len(), blake3::hash(&self.stable))
    }
}

impl Model {
    /// What a restart shows.
    fn durable(&self) -> BTreeMap<String, Vec<u8>> {
        self.files.iter().map(|(name, file)| (name.clone(), file.stable.clone())).collect()
    }
}

/// A client works alone in a directory of its own, one step after the other.
struct Client {
    pool: Pool,
    directory: Handle,
    random: Random,
    model: Model,
    /// What the model becomes if the step under way takes effect.
    next: Model,
}

impl Client {
    /// Steps until the disk fails.
    async fn run(mut self, steps: usize) -> (Model, Model) {
        for _ in 0..steps {
            self.next = self.model.clone();
            if self.step().await.is_err() {
                return (self.model, self.next);
            }
            self.model = self.next.clone();
        }
        (self.model.clone(), self.model)
    }

    async fn step(&mut self) -> Result<()> {
        let name = format!("f{}", self.random.below(4));
        let Some(file) = self.next.files.get_mut(&name) else { return self.create(name).await };
        let handle = self.pool.lookup(self.directory, name.as_bytes()).await?.handle;
        match self.random.below(10) {
            0..4 => {
                let (offset, bytes) = place(&mut self.random);
                let stable = self.random.below(2) == 0;
                write_over(&mut file.seen, offset, &bytes);
                let stability = if stable { Stability::FileSync } else { Stability::Unstable };
                if stable {
                    file.stable = file.seen.clone();
                }
                self.pool.write(handle, offset as u64, bytes, stability).await.map(|_| ())
            }
            4..7 => {
                file.stable = file.seen.clone();
                self.pool.commit(handle, 0, 0).await
            }
            7 => {
                let size = self.random.below(400_000) as usize;
                // Unstable bytes below the size stay unstable, and so stay out of what a restart shows.
                file.stable.resize(size, 0);
                file.seen.resize(size, 0);
                let set = SetAttributes { size: Some(size as u64), ..SetAttributes::default() };
                self.pool.setattr(handle, set).await.map(|_| ())
            }
            8 => {
                self.next.files.remove(&name);
                self.pool.remove(self.directory, name.as_bytes()).await.map(|_| ())
            }
            _ => {
                let to = format!("f{}", self.random.below(4));
                if let Some(file) = self.next.files.remove(&name) {
                    self.next.files.insert(to.clone(), file);
                }
                self.pool
                    .rename(self.directory, name.as_bytes(), self.directory, to.as_bytes())
                    .await
                    .map(|_| ())
            }
        }
    }

    async fn create(&mut self, name: String) -> Result<()> {
        self.next.files.insert(name.clone(), File::default());
        let new = NewInode {
            kind: Kind::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: 0,
            atime: None,
            mtime: None,
            create_verifier: None,
        };
        self.pool.create(self.directory, name.as_bytes(), new).await.map(|_| ())
    }
}

/// Small or large, aligned or not, sometimes bytes that are in the pool already, sometimes zeros.
fn place(random: &mut Random) -> (usize, Bytes) {
    let (offset, length) = match random.below(4) {
        0 => (random.below(90) as usize * 4096, 4096),
        1 => (random.below(3) as usize * 131_072, 131_072),
        2 => (random.below(300_000) as usize, random.below(5_000) as usize + 1),
        _ => (random.below(200_000) as usize, random.below(200_000) as usize + 1),
    };
    let seed = random.below(4) as u8;
    let mut bytes = vec![0; length];
    if seed > 0 {
        blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    }
    (offset, bytes.into())
}

fn write_over(file: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if file.len() < offset + bytes.len() {
        file.resize(offset + bytes.len(), 0);
    }
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// What is in a directory.
async fn content(pool: &Pool, directory: Handle) -> BTreeMap<String, Vec<u8>> {
    let page = pool.readdir(directory, 0, 1000).await.unwrap();
    let mut files = BTreeMap::new();
    for entry in page.entries {
        let data = pool.read(entry.attributes.handle, 0, u32::MAX).await.unwrap();
        assert_eq!(data.pieces.concat().len() as u64, entry.attributes.size);
        files.insert(String::from_utf8(entry.name.to_vec()).unwrap(), data.pieces.concat());
    }
    files
}

const CLIENTS: u64 = 3;

/// Runs clients until the disk fails at its step number `failing`; false if they ended before that.
async fn crash_at(seed: u64, failing: u64) -> bool {
    let disk = Arc::new(FaultyDisk::default());
    let pool = disk.open(options()).unwrap();
    let spec = VolumeSpec::new("kafka", "/kafka");
    let root = pool.volume_create(spec).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let mut directories = Vec::new();
    for n in 0..CLIENTS {
        let new = NewInode {
            kind: Kind::Directory,
            mode: 0o755,
            uid: 0,
            gid: 0,
            size: 0,
            atime: None,
            mtime: None,
            create_verifier: None,
        };
        let made = pool.create(root, format!("d{n}").as_bytes(), new).await.unwrap();
        directories.push(made.attributes.handle);
    }
    disk.fail_at(failing);
    let mut clients = tokio::task::JoinSet::new();
    for (n, directory) in directories.iter().enumerate() {
        let client = Client {
            pool: pool.clone(),
            directory: *directory,
            random: Random::new(seed * 100 + n as u64),
            model: Model::default(),
            next: Model::default(),
        };
        clients.spawn(async move { (n, client.run(25).await) });
    }
    let mut ends = BTreeMap::new();
    while let Some(end) = clients.join_next().await {
        let (n, models) = end.unwrap();
        ends.insert(n, models);
    }
    let failed = disk.has_failed();
    let _ = pool.close().await;
    drop(pool);
    disk.crash(seed ^ failing);
    let pool = disk.open(options()).unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "seed {seed}, failing at {failing}");
    for (n, (before, after)) in ends {
        let found = content(&pool, directories[n]).await;
        // A clean close makes unstable bytes durable; a failed one may have got some files that far.
        let (before, after) = (before.durable(), after.durable());
        if failed {
            assert!(
                found == before || found == after,
                "seed {seed}, failing at {failing}, client {n}: {:?}, not {:?} or {:?}",
                sizes(&found),
                sizes(&before),
                sizes(&after)
            );
        }
    }
    pool.reap_orphans().await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "seed {seed}, failing at {failing}, reaped");
    failed
}

fn sizes(files: &BTreeMap<String, Vec<u8>>) -> Vec<(&String, usize, String)> {
    files
        .iter()
        .map(|(name, bytes)| (name, bytes.len(), blake3::hash(bytes).to_hex()[..6].to_string()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_nothing_acknowledged_is_lost_and_nothing_is_half_there() {
    for seed in 0..3 {
        let mut failing = 0;
        while crash_at(seed, failing).await {
            // Every step at first, then fewer, so that the test stays short.
            failing += 1 + failing / 24;
        }
        assert!(failing > 40, "too few steps to mean anything: {failing}");
    }
}
