//! Extended attributes: set, listed, kept by every operation that keeps the file, and removed with it.

use bytes::Bytes;
use forebay_pool::*;

use crate::common::*;

async fn set(pool: &Pool, handle: Handle, name: &str, value: &[u8]) {
    let value = Bytes::copy_from_slice(value);
    pool.xattr_set(handle, name.as_bytes(), value, SetXattr::Either).await.unwrap();
}

async fn get(pool: &Pool, handle: Handle, name: &str) -> Option<Bytes> {
    match pool.xattr_get(handle, name.as_bytes()).await {
        Ok(value) => Some(value),
        Err(Error::NotFound(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The sorted names, listed `count` at a time.
async fn listed(pool: &Pool, handle: Handle, count: usize) -> Vec<String> {
    let (mut names, mut cookie) = (Vec::new(), 0);
    loop {
        let page = pool.xattr_list(handle, cookie, count).await.unwrap();
        for (at, name) in page.names {
            assert!(at > cookie);
            cookie = at;
            names.push(String::from_utf8(name.to_vec()).unwrap());
        }
        if page.end {
            names.sort();
            return names;
        }
    }
}

#[tokio::test]
async fn what_is_set_is_there_also_after_reopening() {
    let (folder, pool, root) = disk().await;
    let file = file(&pool, root, "f").await;
    let before = pool.getattr(file).await.unwrap();
    let change = pool.xattr_set(file, b"a", Bytes::from_static(b"1"), SetXattr::Create).await.unwrap();
    let after = pool.getattr(file).await.unwrap();
    assert_eq!((change.before, change.after), (before.change, after.change));
    assert!(after.change > before.change && after.ctime >= before.ctime);
    assert_eq!(after.mtime, before.mtime);
    set(&pool, file, "b", b"").await;
    set(&pool, file, "a", &pattern(1, XATTR_BYTES_MAX)).await;
    set(&pool, root, "of the root", b"x").await;
    pool.close().await.unwrap();
    let pool = Pool::open(folder.path(), options()).await.unwrap();
    assert_eq!(get(&pool, file, "a").await.unwrap(), pattern(1, XATTR_BYTES_MAX));
    assert_eq!(get(&pool, file, "b").await.unwrap(), "");
    assert_eq!(get(&pool, file, "c").await, None);
    assert_eq!(listed(&pool, root, 10).await, ["of the root"]);
    pool.xattr_remove(file, b"a").await.unwrap();
    assert_eq!(listed(&pool, file, 10).await, ["b"]);
    assert!(matches!(pool.xattr_remove(file, b"a").await, Err(Error::NotFound(_))));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_caller_can_insist_on_creating_or_replacing() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let value = || Bytes::from_static(b"v");
    assert!(matches!(pool.xattr_set(file, b"a", value(), SetXattr::Replace).await, Err(Error::NotFound(_))));
    pool.xattr_set(file, b"a", value(), SetXattr::Create).await.unwrap();
    assert!(matches!(pool.xattr_set(file, b"a", value(), SetXattr::Create).await, Err(Error::Exists(_))));
    pool.xattr_set(file, b"a", value(), SetXattr::Replace).await.unwrap();
}

#[tokio::test]
async fn names_and_values_have_limits_each_and_together() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let tried = async |name: &[u8], bytes: usize| {
        pool.xattr_set(file, name, Bytes::from(vec![1; bytes]), SetXattr::Either).await.map(|_| ())
    };
    assert!(matches!(tried(b"a", XATTR_BYTES_MAX + 1).await, Err(Error::XattrTooLarge)));
    assert!(matches!(tried(&[b'n'; 256], 1).await, Err(Error::NameTooLong)));
    assert!(matches!(tried(b"", 1).await, Err(Error::Invalid(_))));
    assert!(matches!(tried(b"a\0b", 1).await, Err(Error::Invalid(_))));
    tried(&[b'n'; 255], 1).await.unwrap();
    tried("ein Name/mit Schräge".as_bytes(), 1).await.unwrap();
    let mut count = 0;
    while tried(format!("large {count}").as_bytes(), XATTR_BYTES_MAX).await.is_ok() {
        count += 1;
    }
    assert_eq!(count as u64, XATTRS_BYTES_MAX / XATTR_BYTES_MAX as u64 - 1);
    // Replacing needs only the room for the difference.
    tried(b"large 0", XATTR_BYTES_MAX).await.unwrap();
    pool.xattr_remove(file, b"large 0").await.unwrap();
    tried(b"another", XATTR_BYTES_MAX).await.unwrap();
    let fifo = pool.create(root, b"fifo", new(Kind::Fifo)).await.unwrap().attributes.handle;
    assert!(matches!(pool.xattr_list(fifo, 0, 10).await, Err(Error::NotFile)));
}

#[tokio::test]
async fn many_are_listed_in_pages_whatever_is_removed_meanwhile() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let mut names: Vec<String> = (0..100).map(|number| format!("name{number:03}")).collect();
    for name in &names {
        set(&pool, file, name, b"v").await;
    }
    assert_eq!(listed(&pool, file, 7).await, names);
    assert_eq!(listed(&pool, file, 1).await, names);
    assert_eq!(listed(&pool, file, 1000).await, names);
    let page = pool.xattr_list(file, 0, 10).await.unwrap();
    let (cookie, last) = page.names.last().unwrap().clone();
    for (_, name) in &page.names {
        pool.xattr_remove(file, name).await.unwrap();
        names.retain(|known| known.as_bytes() != name);
    }
    assert!(last.len() > 4);
    let rest = pool.xattr_list(file, cookie, 1000).await.unwrap();
    let mut rest: Vec<String> =
        rest.names.iter().map(|(_, name)| String::from_utf8(name.to_vec()).unwrap()).collect();
    rest.sort();
    assert_eq!(rest, names);
}

#[tokio::test]
async fn snapshots_keep_them_clones_change_their_own_and_rollbacks_bring_them_back() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    set(&pool, file, "a", b"old").await;
    set(&pool, file, "b", b"stays").await;
    pool.snapshot_create(&["kafka".into()], "s").await.unwrap();
    set(&pool, file, "a", b"newer").await;
    pool.xattr_remove(file, b"b").await.unwrap();
    let shown = Handle { volume: pool.snapshot("kafka", "s").unwrap().id, ..file };
    assert_eq!(get(&pool, shown, "a").await.unwrap(), "old");
    assert_eq!(listed(&pool, shown, 1).await, ["a", "b"]);
    assert_eq!(listed(&pool, file, 1).await, ["a"]);
    let refused = pool.xattr_set(shown, b"a", Bytes::new(), SetXattr::Either).await;
    assert!(matches!(refused, Err(Error::ReadOnly)));
    let clone = CloneSpec { name: "c".into(), junction_path: "/c".into() };
    let cloned = Handle { volume: pool.volume_clone("kafka", "s", clone).await.unwrap().id, ..file };
    pool.xattr_remove(cloned, b"a").await.unwrap();
    assert_eq!(listed(&pool, cloned, 1).await, ["b"]);
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    pool.volume_delete("c", true).await.unwrap();
    pool.volume_rollback("kafka", "s", false).await.unwrap();
    assert_eq!(get(&pool, file, "a").await.unwrap(), "old");
    assert_eq!(listed(&pool, file, 1).await, ["a", "b"]);
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn they_are_freed_with_their_inode() {
    let (pool, root) = memory().await;
    let (one, folder) = (file(&pool, root, "f").await, directory(&pool, root, "d").await);
    let before = pool.stored().unwrap().bytes_inline;
    for number in 0..3000 {
        set(&pool, one, &format!("{number}"), b"value").await;
    }
    set(&pool, folder, "a", b"value").await;
    assert_eq!(pool.stored().unwrap().bytes_inline, before + 3001 * 5);
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    // While the inodes are held, their attributes stay after the names are removed.
    pool.hold(one).unwrap();
    pool.remove(root, b"f").await.unwrap();
    pool.remove(root, b"d").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(get(&pool, one, "17").await.unwrap(), "value");
    pool.release(one);
    pool.settle().await.unwrap();
    assert_eq!(pool.stored().unwrap().bytes_inline, before);
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}
