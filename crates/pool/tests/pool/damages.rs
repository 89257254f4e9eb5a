//! After any damage to a pool's files at rest, the pool is either refused and left unchanged, or opened with correct
//! content.
//!
//! The table has every file and directory of a pool, and every way to lose it: removed, emptied, cut at 16 places,
//! zeroed, or replaced by an older one. Then there are pairs of losses that once made a pool start anew over its own
//! data.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forebay_pool::*;

use crate::common::*;

/// The number of places at which a file is cut.
const CUTS: u64 = 16;
/// The size and number of records that fill the memory of the metadata store until it writes tables.
const RECORD_BYTES: usize = 1 << 20;
const RECORDS: usize = 40;

/// A pool at rest, in its state at an earlier time and in its current state.
struct Specimen {
    root: tempfile::TempDir,
    copies: bool,
    files: BTreeMap<String, Vec<u8>>,
}

/// The directories of a pool: its own, and that of the second copy.
#[derive(Clone)]
struct Place {
    root: PathBuf,
    copies: bool,
}

impl Place {
    fn pool(&self) -> PathBuf {
        self.root.join("pool")
    }
    fn copy(&self) -> PathBuf {
        self.root.join("copy")
    }
    fn options(&self) -> PoolOptions {
        let copies_directory = self.copies.then(|| self.copy());
        PoolOptions { copies_directory, scrub_period: None, dirty_age_ms_max: 3_600_000, ..options() }
    }
    async fn open(&self) -> Result<Pool> {
        Pool::open(&self.pool(), self.options()).await
    }

    /// Updates the path of the second copy that the pool has stored.
    fn moved(&self) {
        let file = self.pool().join("COPIES");
        if let Ok(text) = fs::read_to_string(&file) {
            let mark = text.split(' ').next().unwrap();
            fs::write(&file, format!("{mark} {}\n", self.copy().display())).unwrap();
        }
    }

    /// Every segment by name, in any directory.
    fn segments(&self) -> BTreeMap<PathBuf, u64> {
        let mut found = BTreeMap::new();
        for home in [self.pool(), self.copy()] {
            for directory in [home.join("segments"), home.join("segments/lost+found")] {
                for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                    if entry.path().extension().is_some_and(|extension| extension == "seg") {
                        let name = home.join(entry.file_name());
                        found.insert(name, entry.metadata().unwrap().len());
                    }
                }
            }
        }
        found
    }
}

impl Specimen {
    async fn new(copies: bool) -> Specimen {
        let root = tempfile::tempdir().unwrap();
        let mut specimen = Specimen { root, copies, files: BTreeMap::new() };
        specimen.live(1).await;
        copy(&specimen.now().root, &specimen.older().root, true);
        specimen.live(2).await;
        specimen
    }

    fn now(&self) -> Place {
        Place { root: self.root.path().join("now"), copies: self.copies }
    }
    fn older(&self) -> Place {
        Place { root: self.root.path().join("older"), copies: self.copies }
    }

    /// Runs one start of the pool, which creates, changes and removes files, and writes metadata to tables.
    async fn live(&mut self, number: u8) {
        fs::create_dir_all(&self.now().root).unwrap();
        let pool = self.now().open().await.unwrap();
        let root = match pool.volume("kafka") {
            Ok(volume) => volume.root,
            Err(_) => pool.volume_create(spec("kafka")).await.unwrap().root,
        };
        pool.reap_orphans().await.unwrap();
        for log in 0..4_u8 {
            let name = format!("log-{number}-{log}");
            let content = pattern(u64::from(number * 10 + log), 700_000);
            let handle = file(&pool, root, &name).await;
            write(&pool, handle, 0, &content).await;
            pool.commit(handle, 0, 0).await.unwrap();
            self.files.insert(name, content);
        }
        for record in 0..RECORDS {
            pool.record_put("filler", &[number, record as u8], &vec![record as u8; RECORD_BYTES])
                .await
                .unwrap();
        }
        if number > 1 {
            pool.remove(root, b"log-1-0").await.unwrap();
            self.files.remove("log-1-0");
        }
        pool.settle().await.unwrap();
        pool.close().await.unwrap();
        drop(pool);
        trim_journals(&self.now().pool().join("meta"));
    }

    /// Copies the current pool to a new place, where a test damages and opens it.
    fn place(&self, number: usize) -> Place {
        let root = self.root.path().join(format!("case-{number}"));
        copy(&self.now().root, &root, false);
        let place = Place { root, copies: self.copies };
        place.moved();
        place
    }

    /// Checks that the pool has its content. `Err` describes the first error; `Ok` is the number of files that cannot
    /// be read.
    async fn wrong(&self, pool: &Pool) -> std::result::Result<usize, String> {
        let root = pool.volume("kafka").map_err(|error| error.to_string())?.root;
        let mut errors = 0;
        for (name, content) in &self.files {
            let found =
                pool.lookup(root, name.as_bytes()).await.map_err(|error| format!("{name}: {error}"))?;
            match pool.read(found.handle, 0, u32::MAX).await {
                Ok(data) if data.pieces.concat() == *content => {}
                Ok(_) => return Err(format!("{name} has other content")),
                Err(Error::Damaged(_)) => errors += 1,
                Err(error) => return Err(format!("{name}: {error}")),
            }
        }
        match pool.lookup(root, b"log-1-0").await {
            Err(Error::NotFound(_)) => Ok(errors),
            _ => Err("a removed file is back".into()),
        }
    }
}

/// Copies a tree. Files that are written only once are linked, unless `apart` is set.
fn copy(from: &Path, to: &Path, apart: bool) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(std::result::Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target, apart);
        } else if !apart && path.extension().is_some_and(|extension| extension == "seg") {
            fs::hard_link(&path, &target).unwrap();
        } else {
            copy_file(&path, &target);
        }
    }
}

/// Removes the many zeros at the ends of journals, so that copies are quick.
fn trim_journals(meta: &Path) {
    for entry in fs::read_dir(meta).unwrap().map(std::result::Result::unwrap) {
        if entry.path().extension().is_some_and(|extension| extension == "jnl") {
            let used = used(&fs::read(entry.path()).unwrap());
            fs::OpenOptions::new().write(true).open(entry.path()).unwrap().set_len(used as u64).unwrap();
        }
    }
}

/// The number of bytes before the zeros at the end.
fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

fn copy_file(from: &Path, to: &Path) {
    let _ = fs::remove_file(to);
    fs::copy(from, to).unwrap();
}

#[derive(Clone, Debug)]
enum Way {
    Removed,
    Emptied,
    Cut(u64),
    Zeroed,
    Older,
}

#[derive(Clone, Debug)]
struct Damage {
    /// The path below the root, which contains the pool and the copy.
    path: PathBuf,
    way: Way,
}

impl Damage {
    fn new(path: &str, way: Way) -> Damage {
        Damage { path: path.into(), way }
    }

    /// Does the damage. Returns false if it changes nothing.
    fn do_to(&self, place: &Place, older: &Place) -> bool {
        let path = place.root.join(&self.path);
        let length = fs::metadata(&path).map_or(0, |metadata| metadata.size());
        let is_directory = path.is_dir();
        if !path.parent().unwrap().is_dir() {
            return false;
        }
        match self.way {
            Way::Removed => remove(&path),
            Way::Emptied if is_directory => {
                remove(&path);
                fs::create_dir(&path).unwrap();
            }
            Way::Emptied => replace(&path, &[]),
            Way::Cut(_) | Way::Zeroed if is_directory => return false,
            Way::Cut(sixteenth) => {
                let bytes = fs::read(&path).unwrap_or_default();
                let cut = used(&bytes) * sixteenth as usize / CUTS as usize;
                replace(&path, &bytes[..cut]);
            }
            Way::Zeroed => replace(&path, &vec![0; length as usize]),
            Way::Older => {
                let older = older.root.join(&self.path);
                if !older.exists() {
                    return false;
                }
                remove(&path);
                if older.is_dir() {
                    copy(&older, &path, true)
                } else {
                    copy_file(&older, &path)
                }
                place.moved();
            }
        }
        true
    }

    fn hits_segments(&self) -> bool {
        self.path.starts_with("pool/segments")
            || self.path.starts_with("copy") && self.path.ends_with("segments")
    }
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Creates a new file, because other files may be linked to the old one.
fn replace(path: &Path, bytes: &[u8]) {
    remove(path);
    fs::write(path, bytes).unwrap();
}

/// All files and directories below `root`, relative to it.
fn all(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap().map(std::result::Result::unwrap) {
            found.push(entry.path().strip_prefix(root).unwrap().to_path_buf());
            if entry.path().is_dir() {
                left.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// All parts of a pool except its directory as a whole: an empty directory does not show that there was a pool.
fn parts(specimen: &Specimen) -> Vec<PathBuf> {
    all(&specimen.now().root).into_iter().filter(|path| path.components().count() > 1).collect()
}

#[derive(Default, Debug)]
struct Outcome {
    refused: usize,
    right: usize,
    unreadable: usize,
}

/// Damages a pool, opens it twice and checks it. Asserts everything that must hold.
async fn try_damages(specimen: &Specimen, number: usize, damages: &[Damage], outcome: &mut Outcome) {
    let place = specimen.place(number);
    let mut changed = false;
    for damage in damages {
        changed |= damage.do_to(&place, &specimen.older());
    }
    if !changed {
        remove(&place.root);
        return;
    }
    let before = place.segments();
    let checked = Pool::check_unopened(&place.pool(), place.options(), false, Default::default()).await;
    assert_eq!(place.segments(), before, "{damages:?}: the check has changed something");
    let mut opened_before = None;
    for _ in 0..2 {
        let opened = match place.open().await {
            Ok(pool) => {
                let hit = damages.iter().any(Damage::hits_segments);
                match specimen.wrong(&pool).await {
                    Ok(0) => outcome.right += 1,
                    Ok(_) if hit => outcome.unreadable += 1,
                    Ok(count) => panic!("{damages:?}: {count} files cannot be read"),
                    Err(wrong) => panic!("{damages:?}: opened, and {wrong}"),
                }
                assert!(checked.is_ok(), "{damages:?}: opens, and the check says {:?}", checked.err());
                pool.close().await.unwrap();
                true
            }
            Err(error) => {
                let text = error.to_string();
                assert!(!text.contains("FjallError") && !text.contains("LsmTree"), "{damages:?}: {text}");
                assert!(text.contains(&place.root.display().to_string()), "{damages:?}: {text}");
                assert!(checked.is_err(), "{damages:?}: refused, and the check finds nothing");
                outcome.refused += 1;
                false
            }
        };
        assert!(*opened_before.get_or_insert(opened) == opened, "{damages:?}: once opened, once not");
        let kept = place.segments();
        for (segment, bytes) in &before {
            assert!(kept.contains_key(segment), "{damages:?}: {} ({bytes} bytes) is gone", segment.display());
        }
    }
    remove(&place.root);
}

/// Runs all cases in two tasks.
async fn try_all(specimen: Specimen, cases: Vec<Vec<Damage>>) -> Outcome {
    let specimen = std::sync::Arc::new(specimen);
    let cases = std::sync::Arc::new(cases);
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..2 {
        let (specimen, cases) = (specimen.clone(), cases.clone());
        workers.spawn(async move {
            let mut outcome = Outcome::default();
            for (number, damages) in cases.iter().enumerate().filter(|(number, _)| number % 2 == worker) {
                try_damages(&specimen, number, damages, &mut outcome).await;
            }
            outcome
        });
    }
    let mut sum = Outcome::default();
    while let Some(outcome) = workers.join_next().await {
        let outcome = outcome.unwrap();
        sum.refused += outcome.refused;
        sum.right += outcome.right;
        sum.unreadable += outcome.unreadable;
    }
    sum
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_of_a_pool_lost_in_every_way_is_a_refusal_or_no_loss() {
    let specimen = Specimen::new(false).await;
    let mut cases = Vec::new();
    for path in parts(&specimen) {
        let ways = [Way::Removed, Way::Emptied, Way::Zeroed, Way::Older].into_iter();
        let ways = ways.chain((0..CUTS).map(Way::Cut));
        cases.extend(ways.map(|way| vec![Damage { path: path.clone(), way }]));
    }
    assert!(cases.len() > 300, "{} cases", cases.len());
    let outcome = try_all(specimen, cases).await;
    println!("{outcome:?}");
    assert!(outcome.refused > 100 && outcome.right > 20 && outcome.unreadable > 20, "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_of_a_pool_with_a_second_copy_is_a_refusal_or_no_loss() {
    let specimen = Specimen::new(true).await;
    let mut cases = Vec::new();
    for path in parts(&specimen) {
        let ways = [Way::Removed, Way::Emptied, Way::Zeroed, Way::Older, Way::Cut(9)];
        cases.extend(ways.into_iter().map(|way| vec![Damage { path: path.clone(), way }]));
    }
    let outcome = try_all(specimen, cases).await;
    println!("{outcome:?}");
    assert!(outcome.refused > 50 && outcome.right > 50, "{outcome:?}");
}

/// The losses that once made a pool delete its segments.
fn grave(meta: &Path) -> Vec<Damage> {
    let mut journals: Vec<String> = fs::read_dir(meta)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.ends_with(".jnl"))
        .collect();
    journals.sort();
    let journal = format!("pool/meta/{}", journals.last().unwrap());
    vec![
        Damage::new("pool/FORMAT", Way::Removed),
        Damage::new("pool/meta", Way::Removed),
        Damage::new("pool/meta", Way::Emptied),
        Damage::new("pool/meta", Way::Older),
        Damage::new(&journal, Way::Removed),
        Damage::new(&journal, Way::Emptied),
        Damage::new(&journal, Way::Zeroed),
        Damage::new(&journal, Way::Cut(8)),
        Damage::new("pool/meta/keyspaces/0", Way::Removed),
        Damage::new("pool/meta/keyspaces/1", Way::Removed),
        Damage::new("pool/meta/keyspaces/0/current", Way::Removed),
        Damage::new("pool/meta/keyspaces/1/current", Way::Removed),
        Damage::new("pool/STATE", Way::Removed),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_pair_of_grave_losses_is_a_refusal() {
    for copies in [false, true] {
        let specimen = Specimen::new(copies).await;
        let grave = grave(&specimen.now().pool().join("meta"));
        let mut cases = Vec::new();
        for (at, one) in grave.iter().enumerate() {
            cases.push(vec![one.clone()]);
            cases.extend(grave.iter().skip(at + 1).map(|other| vec![one.clone(), other.clone()]));
        }
        let count = cases.len();
        let outcome = try_all(specimen, cases).await;
        assert_eq!((outcome.refused, outcome.right), (count * 2, 0), "{outcome:?}");
    }
}
