//! A process that is killed while it works: everything that it acknowledged as stable exists after the pool is opened
//! again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use forebay_pool::*;

use crate::common::*;

const DIRECTORY: &str = "FOREBAY_POOL_TEST_DIRECTORY";
const WRITERS: u64 = 4;

/// The length of the record with this number, small or large.
fn length(number: u64) -> usize {
    [100, 4096, 70_000, 200_000][(number % 4) as usize]
}

fn offset(number: u64) -> u64 {
    (0..number).map(|number| length(number) as u64).sum()
}

/// Not a separate test: this is the process to kill. It prints a line for each record that is stable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_that_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let pool = Pool::open(Path::new(&directory), options()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let pool = pool.clone();
        writers.spawn(async move {
            let log = file(&pool, root, &format!("log{writer}")).await;
            for number in 0u64.. {
                let bytes = pattern(writer * 1_000_000 + number, length(number)).into();
                pool.write(log, offset(number), bytes, Stability::Unstable).await.unwrap();
                pool.commit(log, 0, 0).await.unwrap();
                println!("stable {writer} {number}");
            }
        });
    }
    writers.join_all().await;
}

#[tokio::test]
async fn what_was_stable_before_kill_9_is_there_after() {
    for round in 0..3u64 {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::child_that_is_killed", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stable = [None; WRITERS as usize];
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(|line| line.ok());
        let mut parse = |line: String| {
            let mut words = line.split_once("stable ").map(|(_, rest)| rest.split(' '))?;
            let (writer, number) = (words.next()?.parse::<usize>().ok()?, words.next()?.parse::<u64>().ok()?);
            stable[writer] = Some(number);
            Some(())
        };
        let wanted = 40 + round * 37;
        let mut seen = 0;
        while seen < wanted {
            seen += u64::from(parse(lines.next().expect("the child ended by itself")).is_some());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Lines that it printed before it died count too.
        for line in lines {
            parse(line);
        }

        let pool = Pool::open(directory.path(), options()).await.unwrap();
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        let root = pool.volume("kafka").unwrap().root;
        for (writer, last) in stable.into_iter().enumerate() {
            let Some(last) = last else { continue };
            let log = pool.lookup(root, format!("log{writer}").as_bytes()).await.unwrap().handle;
            for number in 0..=last {
                let found = read(&pool, log, offset(number), length(number) as u32).await;
                assert!(
                    found == pattern(writer as u64 * 1_000_000 + number, length(number)),
                    "{writer} {number}"
                );
            }
        }
    }
}
