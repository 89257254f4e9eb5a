//! A pool whose parts do not fit together: what the daemon, the check and the recovery make of it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use forebay_pool::{Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use tempfile::{TempDir, tempdir};

use crate::daemon::{Daemon, Finished, assert_refused, finish, forebay, run, wait_until};

const DATA_BYTES: usize = 6 << 20;

/// A pool with segments that was closed in order, and the same with more, from a later start.
struct Pools {
    scratch: TempDir,
}

impl Pools {
    fn new() -> Pools {
        let pools = Pools { scratch: tempdir().unwrap() };
        pools.write("one");
        copy(&pools.now(), &pools.older());
        pools.write("two");
        pools
    }

    fn now(&self) -> PathBuf {
        self.scratch.path().join("now")
    }
    fn older(&self) -> PathBuf {
        self.scratch.path().join("older")
    }
    /// A copy of the pool, to be damaged.
    fn damaged(&self, name: &str) -> PathBuf {
        let path = self.scratch.path().join(name);
        copy(&self.now(), &path);
        path
    }

    fn write(&self, name: &str) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let options = PoolOptions { segment_bytes: 2 << 20, ..PoolOptions::default() };
            let pool = Pool::open(&self.now(), options).await.unwrap();
            let root = match pool.volume("kafka") {
                Ok(volume) => volume.root,
                Err(_) => pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root,
            };
            let file = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o644)).await.unwrap();
            let content = random_bytes(name.len() as u64 + name.as_bytes()[0] as u64);
            pool.write(file.attributes.handle, 0, content.into(), Stability::FileSync).await.unwrap();
            pool.close().await.unwrap();
        });
    }
}

/// Bytes that do not compress.
fn random_bytes(seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..DATA_BYTES / 8).flat_map(|_| next()).collect()
}

/// Its name, what it does to a pool, and what the refusal says.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path), &'a [&'a str]);

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

fn segments(pool: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(pool.join("segments")).into_iter().flatten().map(Result::unwrap);
    let mut found: Vec<_> = entries.map(|entry| (entry.path(), entry.metadata().unwrap().len())).collect();
    found.sort();
    found
}

fn on(pool: &Path, arguments: &[&str]) -> Finished {
    finish(forebay().args(arguments).arg("--pool-directory").arg(pool))
}

fn serve(pool: &Path) -> Finished {
    on(pool, &["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off"])
}

#[test]
fn a_pool_that_does_not_fit_together_is_refused_by_the_daemon_and_by_the_check_and_left_as_it_is() {
    let pools = Pools::new();
    let damages: [Damage<'_>; 6] = [
        ("no-format", &|pool| fs::remove_file(pool.join("FORMAT")).unwrap(), &["FORMAT file is missing"]),
        ("no-meta", &|pool| fs::remove_dir_all(pool.join("meta")).unwrap(), &["meta", "missing"]),
        ("no-state", &|pool| fs::remove_file(pool.join("STATE")).unwrap(), &["STATE file is missing"]),
        (
            "no-keyspace",
            &|pool| fs::remove_dir_all(pool.join("meta/keyspaces/1")).unwrap(),
            &["keyspaces/1", "missing"],
        ),
        (
            "older-meta",
            &|pool| {
                fs::remove_dir_all(pool.join("meta")).unwrap();
                copy(&pools.older().join("meta"), &pool.join("meta"));
            },
            &["ends at batch", "STATE says"],
        ),
        ("no-segments", &|pool| fs::remove_dir_all(pool.join("segments")).unwrap(), &["is the disk mounted"]),
    ];
    for (name, damage, parts) in damages {
        let pool = pools.damaged(name);
        damage(&pool);
        let before = segments(&pool);
        let directory = pool.display().to_string();
        let common = [directory.as_str(), "nothing was changed", "forebay pool salvage"];
        let parts: Vec<&str> = parts.iter().copied().chain(common).collect();
        // Twice: a unit that restarts must not get any further.
        for _ in 0..2 {
            assert_refused(&serve(&pool), 3, &parts);
            assert_refused(&on(&pool, &["pool", "check"]), 3, &parts);
        }
        assert_refused(&on(&pool, &["pool", "check", "--read"]), 3, &parts);
        assert_eq!(segments(&pool), before, "{name}");
    }
    assert!(segments(&pools.now()).len() >= 6);
}

#[test]
fn a_check_without_a_daemon_changes_nothing() {
    let pools = Pools::new();
    let pool = pools.damaged("checked");
    let everything = || {
        let listed =
            finish(std::process::Command::new("find").arg(&pool).args(["-printf", "%p %s %T@ %m\n"]));
        listed.stdout
    };
    let before = everything();
    let checked = on(&pool, &["pool", "check", "--read"]);
    assert_eq!(checked.status, 0, "{checked:?}");
    assert!(checked.stdout.ends_with("the pool is consistent\n"));
    assert_eq!(everything(), before);
    let assessed = on(&pool, &["pool", "recover"]);
    assert_eq!(assessed.status, 0, "{assessed:?}");
    assert!(assessed.stdout.contains("the pool is consistent"), "{assessed:?}");
    assert_eq!(everything(), before);
}

#[test]
fn older_metadata_is_accepted_only_by_who_says_so_and_newer_segments_are_kept() {
    let pools = Pools::new();
    let pool = pools.damaged("pool");
    fs::remove_dir_all(pool.join("meta")).unwrap();
    copy(&pools.older().join("meta"), &pool.join("meta"));
    let count = segments(&pool).len();

    let assessed = on(&pool, &["pool", "recover"]);
    assert_refused(&assessed, 3, &["STATE says"]);
    for part in ["inconsistent: its metadata", "has volumes kafka", "kept in lost+found: 3"] {
        assert!(assessed.stdout.contains(part), "{part:?} is not in {}", assessed.stdout);
    }
    assert_eq!(segments(&pool).len(), count);

    let recovered = on(&pool, &["pool", "recover", "--accept-loss"]);
    assert_eq!(recovered.status, 0, "{recovered:?}");
    let aside = fs::read_dir(pool.join("segments/lost+found")).unwrap().count();
    assert_eq!(aside, 3, "{aside} segments in lost+found");
    let checked = on(&pool, &["pool", "check", "--read"]);
    assert_eq!(checked.status, 0, "{checked:?}");

    // From then on it is a pool like any other.
    let daemon = Daemon::start(pools.scratch.path());
    let listed = daemon.done(&["pool", "lost-found", "list"]);
    assert_eq!(listed.lines().count(), aside + 1, "{listed}");
    assert!(daemon.done(&["pool", "show"]).contains(&format!("{aside} segments")));
    wait_until("it is reported", || daemon.done(&["event", "list"]).contains("that no metadata names"));
    let deleted = daemon.done(&["pool", "lost-found", "delete", "--all"]);
    assert_eq!(deleted.lines().count(), aside, "{deleted}");
    assert!(daemon.done(&["pool", "lost-found", "delete", "--all"]).contains("lost+found is empty"));
    assert_eq!(fs::read_dir(pool.join("segments/lost+found")).unwrap().count(), 0);
    daemon.stop();
}

#[test]
fn a_directory_without_a_pool_is_nothing_to_check_or_recover() {
    let scratch = tempdir().unwrap();
    assert_refused(&on(scratch.path(), &["pool", "check"]), 1, &["there is no pool in it"]);
    assert_refused(&on(scratch.path(), &["pool", "recover"]), 1, &["there is no pool in it"]);
}

#[test]
fn a_release_says_what_it_would_do_to_a_pool_that_a_former_one_serves() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let pool = daemon.pool.clone();
    daemon.stop();
    std::fs::write(pool.join("FORMAT"), "forebay-pool 6\n").unwrap();
    // The former release's daemon says nothing of a format.
    let socket = std::os::unix::net::UnixListener::bind(pool.join("admin.sock")).unwrap();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        let mut request = [0; 4096];
        let read = stream.read(&mut request).unwrap();
        assert!(String::from_utf8_lossy(&request[..read]).starts_with("GET /api/v1/pool "));
        let body = r#"{"id":"25aff1df8541e378a70a7a0108359e54","release":"0.1.0"}"#;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    });
    let told = run(&["pool", "upgrade", "--check", "--pool-directory", pool.to_str().unwrap()]);
    assert!(told.status == 0 && told.stdout.contains("has format 6"), "{told:?}");
    assert!(told.stdout.contains("--finalize"), "{told:?}");
    serving.join().unwrap();
}
