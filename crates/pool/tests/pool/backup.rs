//! Backups: what a restored pool has, what is copied, and what is refused.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forebay_pool::*;

use crate::common::*;

async fn backup(pool: &Pool, to: &Path) -> BackupReport {
    pool.backup(to, BackupOptions::default(), Arc::default()).await.unwrap()
}

async fn restore(from: &Path, name: Option<&str>, to: &Path) -> VerifyReport {
    Pool::restore(from, name.map(str::to_owned), to, Arc::default()).await.unwrap()
}

async fn put(pool: &Pool, root: Handle, name: &str, bytes: &[u8]) -> Handle {
    let file = file(pool, root, name).await;
    write(pool, file, 0, bytes).await;
    file
}

/// Opens a restored pool, which must be whole.
async fn open_whole(directory: &Path) -> (Pool, Handle) {
    let pool = Pool::open(directory, options()).await.unwrap();
    let report = pool.check(true).await.unwrap();
    assert_eq!(report, Vec::<String>::new());
    let root = pool.volume("kafka").unwrap().root;
    pool.reap_orphans().await.unwrap();
    (pool, root)
}

async fn content(pool: &Pool, root: Handle, name: &str) -> Vec<u8> {
    let file = pool.lookup(root, name.as_bytes()).await.unwrap().handle;
    read_all(pool, file).await
}

/// The segments' files in a directory, with their lengths.
fn files(directory: &Path) -> Vec<(String, u64)> {
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "seg"))
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

struct Places(tempfile::TempDir);

impl Places {
    fn new() -> Places {
        Places(tempfile::tempdir().unwrap())
    }
    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

#[tokio::test]
async fn each_backup_restores_what_the_pool_had_at_its_instant() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    put(&pool, root, "first", &pattern(1, 3_000_000)).await;
    let changed = put(&pool, root, "changed", &pattern(2, 700_000)).await;
    pool.snapshot_create(&["kafka".into()], "nightly").await.unwrap();
    // The key of this record is as long as that of a chunk.
    pool.record_put("nfs-client", b"Linux NFSv4.2 broker1", b"its state").await.unwrap();
    // Nothing of this is committed: the backup flushes it.
    put(&pool, root, "unwritten", &pattern(3, 5_000)).await;
    let one = backup(&pool, &to).await;
    assert_eq!((one.backup.bytes, one.backup.damaged), (one.backup.bytes_copied, 0));

    write(&pool, changed, 0, &pattern(4, 700_000)).await;
    pool.remove(root, b"first").await.unwrap();
    put(&pool, root, "second", &pattern(5, 900_000)).await;
    let two = backup(&pool, &to).await;
    assert_ne!(one.backup.name, two.backup.name);
    assert!(two.backup.bytes_copied < one.backup.bytes_copied, "{two:?} {one:?}");
    assert_eq!(one.repository, two.repository);
    let three = backup(&pool, &to).await;
    assert_eq!(three.backup.bytes_copied, 0, "nothing has changed");

    let list = Pool::backups(&to).await.unwrap();
    let all = [one.backup.clone(), two.backup.clone(), three.backup.clone()];
    assert_eq!((list.backups.as_slice(), list.broken.as_slice()), (&all[..], &[][..]));
    assert_eq!(one.backup.volumes, ["kafka"]);

    let read = restore(&to, Some(&one.backup.name), &places.at("one")).await;
    assert_eq!((read.damaged, read.bytes > 3_500_000), (0, true), "{read:?}");
    let (old, root_then) = open_whole(&places.at("one")).await;
    assert_eq!(root_then, root, "clients know the handles");
    assert_eq!(names(&old, root_then).await, ["changed", "first", "unwritten"]);
    let record = old.record("nfs-client", b"Linux NFSv4.2 broker1").unwrap();
    assert_eq!(record.as_deref(), Some(&b"its state"[..]));
    assert_eq!(content(&old, root_then, "first").await, pattern(1, 3_000_000));
    assert_eq!(content(&old, root_then, "changed").await, pattern(2, 700_000));
    assert_eq!(content(&old, root_then, "unwritten").await, pattern(3, 5_000));
    assert!(old.boot() > pool.boot() + 1000, "numbers of the former pool come again");
    assert_eq!(old.id(), pool.id());

    restore(&to, None, &places.at("two")).await;
    let (new, root_now) = open_whole(&places.at("two")).await;
    assert_eq!(names(&new, root_now).await, ["changed", "second", "unwritten"]);
    assert_eq!(content(&new, root_now, "changed").await, pattern(4, 700_000));
    assert_eq!(content(&new, root_now, "second").await, pattern(5, 900_000));
    assert_eq!(new.snapshots(None).unwrap().len(), 1);
}

#[tokio::test]
async fn a_restored_pool_goes_on_with_the_backups_and_the_former_pool_does_not() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    put(&pool, root, "file", &pattern(1, 500_000)).await;
    let one = backup(&pool, &to).await;
    restore(&to, None, &places.at("restored")).await;
    let (restored, its_root) = open_whole(&places.at("restored")).await;
    put(&restored, its_root, "later", &pattern(2, 500_000)).await;
    let two = backup(&restored, &to).await;
    assert!(two.backup.bytes_copied < two.backup.bytes, "{two:?}");
    let error = pool.backup(&to, BackupOptions::default(), Arc::default()).await.unwrap_err();
    assert!(error.to_string().contains("different ways"), "{error}");
    // From an older backup than the newest: the other backups are not its own.
    restore(&to, Some(&one.backup.name), &places.at("older")).await;
    let (older, _) = open_whole(&places.at("older")).await;
    let error = older.backup(&to, BackupOptions::default(), Arc::default()).await.unwrap_err();
    assert!(error.to_string().contains("choose another directory"), "{error}");
}

#[tokio::test]
async fn a_directory_that_is_no_place_for_backups_is_left_alone() {
    let (places, (home, pool, root)) = (Places::new(), disk().await);
    put(&pool, root, "file", &pattern(1, 100_000)).await;
    let refused = async |to: &Path, options: BackupOptions, text: &str| {
        let error = pool.backup(to, options, Arc::default()).await.unwrap_err();
        assert!(matches!(error, Error::Unusable { .. }) && error.to_string().contains(text), "{error}");
    };
    refused(home.path(), BackupOptions::default(), "holds a pool").await;
    let full = places.at("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("notes.txt"), "mine").unwrap();
    refused(&full, BackupOptions::default(), "notes.txt").await;
    assert_eq!(std::fs::read_dir(&full).unwrap().count(), 1);

    let (_other_home, other, _) = disk().await;
    backup(&other, &places.at("other")).await;
    refused(&places.at("other"), BackupOptions::default(), "another pool").await;

    // The disk with the backups is not mounted: an empty directory is in its place.
    let to = places.at("backups");
    let known = BackupOptions { repository: Some(backup(&pool, &to).await.repository), ..Default::default() };
    pool.backup(&to, known.clone(), Arc::default()).await.unwrap();
    std::fs::create_dir(places.at("empty")).unwrap();
    refused(&places.at("empty"), known.clone(), "not mounted").await;
    assert_eq!(std::fs::read_dir(places.at("empty")).unwrap().count(), 0);
    backup(&pool, &places.at("second")).await;
    refused(&places.at("second"), known, "other backups of this pool").await;

    for (text, from, name, target) in [
        ("in use by another process", "backups", None, home.path().to_path_buf()),
        ("notes.txt", "backups", None, full.clone()),
        ("no backup \"nosuch\"", "backups", Some("nosuch"), places.at("new")),
        ("no backup \"../../x\"", "backups", Some("../../x"), places.at("new")),
        ("no FOREBAY-BACKUPS", "empty", None, places.at("new")),
    ] {
        let name = name.map(str::to_owned);
        let error = Pool::restore(&places.at(from), name, &target, Arc::default()).await.unwrap_err();
        assert!(error.to_string().contains(text), "{text}: {error}");
    }
    assert!(!places.at("new").exists());
}

#[tokio::test]
async fn segments_that_a_backup_needs_stay_until_they_are_copied() {
    let (places, (home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    for number in 0..6 {
        let name = format!("file-{number}");
        let file = put(&pool, root, &name, &pattern(number, 1_000_000)).await;
        pool.commit(file, 0, 0).await.unwrap();
    }
    let before = files(&home.path().join("segments")).len();
    let (slow, watch) = (pool.clone(), Arc::<BackupWatch>::default());
    let options = BackupOptions { bytes_per_second: Some(2_000_000), ..Default::default() };
    let (target, watched) = (to.clone(), watch.clone());
    let making = tokio::spawn(async move { slow.backup(&target, options, watched).await });
    while watch.bytes().0 == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Two at once would be too many.
    let error = pool.backup(&to, BackupOptions::default(), Arc::default()).await.unwrap_err();
    assert!(error.to_string().contains("another backup"), "{error}");
    for number in 0..6 {
        pool.remove(root, format!("file-{number}").as_bytes()).await.unwrap();
    }
    pool.settle().await.unwrap();
    put(&pool, root, "young", &pattern(9, 1_000_000)).await;
    let report = making.await.unwrap().unwrap();
    assert_eq!(report.backup.damaged, 0);
    assert!(files(&to.join("segments")).len() >= before - 1);
    restore(&to, None, &places.at("restored")).await;
    let (restored, its_root) = open_whole(&places.at("restored")).await;
    for number in 0..6 {
        assert_eq!(content(&restored, its_root, &format!("file-{number}")).await, pattern(number, 1_000_000));
    }
    // Afterwards they go.
    pool.settle().await.unwrap();
    assert!(files(&home.path().join("segments")).len() < before);
}

#[tokio::test]
async fn damage_of_a_backup_is_found_and_named_by_verifying_and_by_restoring() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    let file = put(&pool, root, "file", &pattern(1, 600_000)).await;
    pool.commit(file, 0, 0).await.unwrap();
    backup(&pool, &to).await;
    let whole = Pool::verify_backup(&to, None, Arc::default()).await.unwrap();
    assert_eq!((whole.damaged, whole.bytes > 500_000, whole.frames > 3), (0, true, true), "{whole:?}");
    let (name, _) = files(&to.join("segments")).pop().unwrap();
    let path = to.join("segments").join(name);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[200_000] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let found = Pool::verify_backup(&to, None, Arc::default()).await.unwrap();
    assert_eq!((found.damaged, found.damage.len()), (1, 1), "{found:?}");
    let restored = restore(&to, None, &places.at("restored")).await;
    assert_eq!(restored.damaged, 1);
    // What is damaged is an error for readers, and the rest is there.
    let again = Pool::open(&places.at("restored"), options()).await.unwrap();
    let root = again.volume("kafka").unwrap().root;
    let file = again.lookup(root, b"file").await.unwrap().handle;
    assert_eq!(read(&again, file, 0, 1000).await, pattern(1, 600_000)[..1000]);
    assert!(matches!(again.read(file, 0, u32::MAX).await, Err(Error::Damaged(_))));

    // A segment, a manifest, or metadata that is cut.
    std::fs::remove_file(&path).unwrap();
    let found = Pool::verify_backup(&to, None, Arc::default()).await.unwrap();
    assert_eq!(found.damaged, found.frames);
    for end in ["meta", "json"] {
        let entries = std::fs::read_dir(to.join("backups")).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        let path = paths.find(|path| path.extension().is_some_and(|there| there == end)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = Pool::verify_backup(&to, None, Arc::default()).await.unwrap_err();
        assert!(matches!(error, Error::Damaged(_)), "{error}");
        let error = Pool::restore(&to, None, &places.at(end), Arc::default()).await.unwrap_err();
        assert!(matches!(error, Error::Damaged(_)), "{error}");
    }
    let list = Pool::backups(&to).await.unwrap();
    assert_eq!((list.backups.len(), list.broken.len()), (0, 1));
}

#[tokio::test]
async fn a_frame_that_is_damaged_in_one_copy_of_the_pool_is_whole_in_the_backup() {
    let places = Places::new();
    let with_copy = PoolOptions { copies_directory: Some(places.at("copy")), ..options() };
    let pool = Pool::open(&places.at("home"), with_copy).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    let file = put(&pool, root, "file", &pattern(1, 600_000)).await;
    pool.commit(file, 0, 0).await.unwrap();
    let segments = places.at("home").join("segments");
    for (name, _) in files(&segments) {
        let path = segments.join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[300_000] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
    }
    let to = places.at("backups");
    assert_eq!(backup(&pool, &to).await.backup.damaged, 0);
    assert_eq!(Pool::verify_backup(&to, None, Arc::default()).await.unwrap().damaged, 0);
    restore(&to, None, &places.at("restored")).await;
    let (restored, its_root) = open_whole(&places.at("restored")).await;
    assert_eq!(content(&restored, its_root, "file").await, pattern(1, 600_000));
}

#[tokio::test]
async fn an_interrupted_restore_is_no_pool_and_can_be_repeated() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let (to, target) = (places.at("backups"), places.at("restored"));
    put(&pool, root, "file", &pattern(1, 2_600_000)).await;
    let name = backup(&pool, &to).await.backup.name;
    put(&pool, root, "later", &pattern(2, 100_000)).await;
    backup(&pool, &to).await;
    restore(&to, Some(&name), &target).await;
    // What is there after a crash at some point: FORMAT and STATE are last.
    let finished = std::fs::read_dir(&target).unwrap().count();
    for lost in [&["FORMAT"][..], &["FORMAT", "STATE"], &["FORMAT", "STATE", "meta/keyspaces"]] {
        for part in lost {
            let part = target.join(part);
            if part.is_dir() { std::fs::remove_dir_all(part) } else { std::fs::remove_file(part) }.unwrap();
        }
        let (segment, length) = files(&target.join("segments")).pop().unwrap();
        let segment = target.join("segments").join(segment);
        std::fs::rename(&segment, segment.with_extension("new")).unwrap();
        std::fs::write(target.join("RESTORING"), format!("forebay-restoring 1 {} {name}\n", pool.id()))
            .unwrap();
        let error = Pool::open(&target, options()).await.err().unwrap();
        assert!(error.to_string().contains("forebay pool restore"), "{error}");
        let error = Pool::restore(&to, None, &target, Arc::default()).await.unwrap_err();
        assert!(error.to_string().contains("another backup"), "{error}");
        restore(&to, Some(&name), &target).await;
        assert_eq!(std::fs::metadata(&segment).unwrap().len(), length);
        assert_eq!(std::fs::read_dir(&target).unwrap().count(), finished);
    }
    let (restored, its_root) = open_whole(&target).await;
    assert_eq!(names(&restored, its_root).await, ["file"]);
}

#[tokio::test]
async fn an_interrupted_backup_is_none_and_old_ones_are_removed() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    put(&pool, root, "file", &pattern(1, 2_000_000)).await;
    let watch = Arc::<BackupWatch>::default();
    watch.cancel();
    let error = pool.backup(&to, BackupOptions::default(), watch).await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    assert!(Pool::backups(&to).await.unwrap().backups.is_empty());
    assert!(matches!(Pool::verify_backup(&to, None, Arc::default()).await, Err(Error::Unusable { .. })));
    // What a crash leaves: a segment that is half copied, and metadata without a manifest.
    backup(&pool, &to).await;
    std::fs::write(to.join("incoming").join("0000000001000000.seg"), "half").unwrap();
    std::fs::write(to.join("backups").join("19700101T000000Z.meta"), "half").unwrap();
    pool.remove(root, b"file").await.unwrap();
    for number in 0..4 {
        put(&pool, root, &format!("file-{number}"), &pattern(number + 7, 800_000)).await;
        let keep = BackupOptions { keep: Some(2), ..Default::default() };
        let report = pool.backup(&to, keep, Arc::default()).await.unwrap();
        assert_eq!(report.removed, u64::from(number > 0));
    }
    assert_eq!(Pool::backups(&to).await.unwrap().backups.len(), 2);
    assert_eq!(std::fs::read_dir(to.join("backups")).unwrap().count(), 4);
    for backup in Pool::backups(&to).await.unwrap().backups {
        let read = Pool::verify_backup(&to, Some(backup.name), Arc::default()).await.unwrap();
        assert_eq!(read.damaged, 0);
    }
}

#[tokio::test]
async fn clients_that_write_meanwhile_are_in_the_backup_up_to_one_instant() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    let (first, second) = (file(&pool, root, "first").await, file(&pool, root, "second").await);
    let writer = pool.clone();
    // Each number goes to the first file, then to the second.
    let writing = tokio::spawn(async move {
        for number in 0_u64..6000 {
            for file in [first, second] {
                let bytes = number.to_le_bytes();
                let stability = if number % 50 == 0 { Stability::FileSync } else { Stability::Unstable };
                let written = writer.write(file, number * 8, bytes.to_vec().into(), stability).await;
                written.unwrap();
            }
            if number % 20 == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    for round in 0..6 {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let before = pool.getattr(first).await.unwrap().size;
        backup(&pool, &to).await;
        let target = places.at(&format!("restored-{round}"));
        restore(&to, None, &target).await;
        let (restored, its_root) = open_whole(&target).await;
        let (one, two) =
            (content(&restored, its_root, "first").await, content(&restored, its_root, "second").await);
        assert!(one.len() as u64 >= before, "{} of {before} bytes", one.len());
        assert!(one.len() == two.len() || one.len() == two.len() + 8, "{} and {}", one.len(), two.len());
        let expected: Vec<u8> = (0..one.len() as u64 / 8).flat_map(u64::to_le_bytes).collect();
        assert!(one == expected && two == expected[..two.len()]);
    }
    writing.await.unwrap();
}

/// Flips a bit in the middle of the only segment in a directory.
fn damage(segments: &Path) {
    let (name, _) = files(segments).pop().unwrap();
    let path = segments.join(name);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
}

#[tokio::test]
async fn what_an_interrupted_backup_has_copied_is_read_before_it_counts() {
    let (places, (_home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    let file = put(&pool, root, "file", &pattern(1, 600_000)).await;
    pool.commit(file, 0, 0).await.unwrap();
    backup(&pool, &to).await;
    // A crash before the manifest: segments are there, and nobody has read them.
    for entry in std::fs::read_dir(to.join("backups")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    damage(&to.join("segments"));
    let made = backup(&pool, &to).await.backup;
    assert_eq!((made.bytes_copied, made.damaged), (0, 0), "the frame is taken from the pool again");
    assert_eq!(Pool::verify_backup(&to, None, Arc::default()).await.unwrap().damaged, 0);
}

#[tokio::test]
async fn a_backup_that_shares_a_damaged_segment_with_an_earlier_one_says_so_too() {
    let (places, (home, pool, root)) = (Places::new(), disk().await);
    let to = places.at("backups");
    let file = put(&pool, root, "file", &pattern(1, 600_000)).await;
    pool.commit(file, 0, 0).await.unwrap();
    damage(&home.path().join("segments"));
    for copied in [true, false] {
        let made = backup(&pool, &to).await.backup;
        assert_eq!((made.bytes_copied > 0, made.damaged), (copied, 1), "{made:?}");
    }
}
