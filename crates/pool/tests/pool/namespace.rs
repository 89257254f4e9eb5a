//! Names: create, look up, list, link, rename, remove.

use forebay_pool::*;

use crate::common::*;

#[tokio::test]
async fn a_created_name_is_found_and_listed() {
    let (pool, root) = memory().await;
    let topic = directory(&pool, root, "topic-0").await;
    let log = file(&pool, topic, "0.log").await;
    assert_eq!(pool.lookup(topic, b"0.log").await.unwrap().handle, log);
    assert_eq!(names(&pool, root).await, ["topic-0"]);
    assert_eq!(names(&pool, topic).await, ["0.log"]);
    assert_eq!(pool.parent(topic).await.unwrap().unwrap().handle, root);
    assert!(pool.parent(root).await.unwrap().is_none());
    assert!(matches!(pool.lookup(topic, b"1.log").await, Err(Error::NotFound(_))));
    assert!(matches!(pool.lookup(log, b"x").await, Err(Error::NotDirectory)));
}

#[tokio::test]
async fn bad_names_are_refused() {
    let (pool, root) = memory().await;
    for name in [&b""[..], b".", b"..", b"a/b", b"a\0b"] {
        assert!(matches!(pool.create(root, name, new(Kind::File)).await, Err(Error::Invalid(_))));
    }
    let long = [b'x'; 256];
    assert!(matches!(pool.create(root, &long, new(Kind::File)).await, Err(Error::NameTooLong)));
    pool.create(root, &long[..255], new(Kind::File)).await.unwrap();
    assert!(matches!(pool.create(root, &long[..255], new(Kind::File)).await, Err(Error::Exists(_))));
}

#[tokio::test]
async fn links_count_names() {
    let (pool, root) = memory().await;
    let sub = directory(&pool, root, "sub").await;
    assert_eq!(pool.getattr(root).await.unwrap().nlink, 3);
    let log = file(&pool, root, "a").await;
    pool.link(log, sub, b"b").await.unwrap();
    assert_eq!(pool.getattr(log).await.unwrap().nlink, 2);
    pool.remove(root, b"a").await.unwrap();
    assert_eq!(pool.getattr(log).await.unwrap().nlink, 1);
    pool.remove(sub, b"b").await.unwrap();
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(log).await, Err(Error::Stale)));
    assert!(matches!(pool.link(sub, root, b"c").await, Err(Error::IsDirectory)));
}

#[tokio::test]
async fn a_directory_with_names_is_not_removed() {
    let (pool, root) = memory().await;
    let sub = directory(&pool, root, "sub").await;
    file(&pool, sub, "f").await;
    assert!(matches!(pool.remove(root, b"sub").await, Err(Error::NotEmpty)));
    pool.remove(sub, b"f").await.unwrap();
    pool.remove(root, b"sub").await.unwrap();
    assert_eq!(pool.getattr(root).await.unwrap().nlink, 2);
    assert!(names(&pool, root).await.is_empty());
}

#[tokio::test]
async fn rename_replaces_what_it_may() {
    let (pool, root) = memory().await;
    let (one, two) = (directory(&pool, root, "one").await, directory(&pool, root, "two").await);
    let a = file(&pool, one, "a").await;
    let b = file(&pool, two, "b").await;
    let renamed = pool.rename(one, b"a", two, b"b").await.unwrap();
    assert_eq!((renamed.handle, renamed.replaced), (a, Some(b)));
    assert!(renamed.to_directory.after > renamed.to_directory.before);
    assert_eq!(names(&pool, two).await, ["b"]);
    assert!(matches!(pool.rename(root, b"one", two, b"b").await, Err(Error::NotDirectory)));
    assert!(matches!(pool.rename(two, b"b", root, b"one").await, Err(Error::IsDirectory)));
    assert!(matches!(pool.rename(root, b"one", root, b"two").await, Err(Error::NotEmpty)));
    let renamed = pool.rename(root, b"two", root, b"one").await.unwrap();
    assert_eq!((renamed.handle, renamed.replaced), (two, Some(one)));
    assert_eq!(pool.getattr(root).await.unwrap().nlink, 3);
}

#[tokio::test]
async fn a_directory_does_not_go_below_itself() {
    let (pool, root) = memory().await;
    let one = directory(&pool, root, "one").await;
    let two = directory(&pool, one, "two").await;
    assert!(matches!(pool.rename(root, b"one", two, b"x").await, Err(Error::Invalid(_))));
    assert!(matches!(pool.rename(root, b"one", one, b"x").await, Err(Error::Invalid(_))));
    pool.rename(one, b"two", root, b"two").await.unwrap();
    assert_eq!(pool.parent(two).await.unwrap().unwrap().handle, root);
    assert_eq!(pool.getattr(one).await.unwrap().nlink, 2);
    assert_eq!(pool.getattr(root).await.unwrap().nlink, 4);
}

#[tokio::test]
async fn renaming_onto_another_name_of_the_same_inode_changes_nothing() {
    let (pool, root) = memory().await;
    let a = file(&pool, root, "a").await;
    pool.link(a, root, b"b").await.unwrap();
    let before = pool.getattr(root).await.unwrap();
    let renamed = pool.rename(root, b"a", root, b"b").await.unwrap();
    assert_eq!(renamed.replaced, None);
    assert_eq!(pool.getattr(root).await.unwrap(), before);
    assert_eq!(names(&pool, root).await, ["a", "b"]);
    pool.rename(root, b"a", root, b"a").await.unwrap();
    assert_eq!(names(&pool, root).await, ["a", "b"]);
}

#[tokio::test]
async fn removing_while_listing_skips_nothing() {
    let (pool, root) = memory().await;
    for n in 0..300 {
        file(&pool, root, &format!("f{n}")).await;
    }
    let (mut cookie, mut seen) = (0, std::collections::BTreeSet::new());
    loop {
        let page = pool.readdir(root, cookie, 10).await.unwrap();
        for entry in &page.entries {
            assert!(entry.cookie > 2 && entry.cookie <= i64::MAX as u64 && entry.cookie > cookie);
            cookie = entry.cookie;
            assert!(seen.insert(entry.name.clone()));
            pool.remove(root, &entry.name).await.unwrap();
        }
        if page.end {
            break;
        }
    }
    assert_eq!(seen.len(), 300);
    assert!(names(&pool, root).await.is_empty());
}

#[tokio::test]
async fn change_only_ever_increases() {
    let (directory_, pool, root) = disk().await;
    let log = file(&pool, root, "log").await;
    let mut last = 0;
    for n in 0..20u64 {
        let attributes = match n % 4 {
            0 => write(&pool, log, n * 10, b"x").await,
            1 => {
                pool.commit(log, 0, 0).await.unwrap();
                let mode = SetAttributes { mode: Some(0o600 + n as u32 % 8), ..SetAttributes::default() };
                pool.setattr(log, mode).await.unwrap()
            }
            2 => {
                let size = SetAttributes { size: Some(n), ..SetAttributes::default() };
                pool.setattr(log, size).await.unwrap()
            }
            _ => {
                pool.link(log, root, format!("l{n}").as_bytes()).await.unwrap();
                pool.getattr(log).await.unwrap()
            }
        };
        assert!(attributes.change > last, "step {n}");
        last = attributes.change;
    }
    pool.close().await.unwrap();
    let pool = Pool::open(directory_.path(), options()).await.unwrap();
    assert_eq!(pool.getattr(log).await.unwrap().change, last);
    assert!(write(&pool, log, 0, b"y").await.change > last);
}

#[tokio::test]
async fn symlinks_and_devices_keep_what_they_hold() {
    let (pool, root) = memory().await;
    let kinds = [
        Kind::Symlink("../x".into()),
        Kind::Fifo,
        Kind::Socket,
        Kind::CharacterDevice(1, 3),
        Kind::BlockDevice(8, 0),
    ];
    for (n, kind) in kinds.into_iter().enumerate() {
        let name = format!("n{n}");
        let made = pool.create(root, name.as_bytes(), new(kind.clone())).await.unwrap().attributes;
        assert_eq!(pool.lookup(root, name.as_bytes()).await.unwrap(), made);
        assert_eq!(made.kind, kind);
        assert!(pool.read(made.handle, 0, 1).await.is_err());
    }
    assert_eq!(pool.lookup(root, b"n0").await.unwrap().size, 4);
}
