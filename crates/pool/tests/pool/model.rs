//! Random operations, compared with a model in memory. Sometimes the pool is closed and opened again.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use forebay_pool::*;
use proptest::prelude::*;

use crate::common::*;

#[derive(Clone, Debug)]
enum Step {
    Create(u8),
    Write { name: u8, offset: u32, length: u32, seed: u8, stable: bool },
    Truncate { name: u8, size: u32 },
    Commit(u8),
    Remove(u8),
    Rename(u8, u8),
    Link(u8, u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let name = 0..5u8;
    let offset = prop_oneof![0..600_000u32, (0..5u32).prop_map(|block| block * 131_072)];
    let length = prop_oneof![Just(4096u32), Just(131_072), 1..300_000u32];
    prop_oneof![
        3 => name.clone().prop_map(Step::Create),
        8 => (name.clone(), offset, length, 0..4u8, any::<bool>()).prop_map(
            |(name, offset, length, seed, stable)| Step::Write { name, offset, length, seed, stable }),
        2 => (name.clone(), 0..600_000u32).prop_map(|(name, size)| Step::Truncate { name, size }),
        3 => name.clone().prop_map(Step::Commit),
        1 => name.clone().prop_map(Step::Remove),
        2 => (name.clone(), name.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (name.clone(), name).prop_map(|(from, to)| Step::Link(from, to)),
        1 => Just(Step::Reopen),
    ]
}

/// The files have numbers, so that several names can refer to one.
#[derive(Default)]
struct Model {
    names: BTreeMap<String, usize>,
    files: Vec<(Handle, Vec<u8>)>,
}

fn name(number: u8) -> String {
    format!("f{number}")
}

async fn apply(pool: &Pool, root: Handle, model: &mut Model, step: Step) {
    match step {
        Step::Create(number) => {
            let made = pool.create(root, name(number).as_bytes(), new(Kind::File)).await;
            if model.names.contains_key(&name(number)) {
                assert!(matches!(made, Err(Error::Exists(_))));
            } else {
                model.names.insert(name(number), model.files.len());
                model.files.push((made.unwrap().attributes.handle, Vec::new()));
            }
        }
        Step::Write { name: number, offset, length, seed, stable } => {
            let Some(file) = model.names.get(&name(number)).copied() else { return };
            let (handle, content) = &mut model.files[file];
            let bytes =
                if seed == 0 { vec![0; length as usize] } else { pattern(u64::from(seed), length as usize) };
            let (from, to) = (offset as usize, (offset + length) as usize);
            if content.len() < to {
                content.resize(to, 0);
            }
            content[from..to].copy_from_slice(&bytes);
            let stability = if stable { Stability::FileSync } else { Stability::Unstable };
            let attributes = pool.write(*handle, u64::from(offset), bytes.into(), stability).await.unwrap();
            assert_eq!(attributes.size, content.len() as u64);
        }
        Step::Truncate { name: number, size } => {
            let Some(file) = model.names.get(&name(number)).copied() else { return };
            let (handle, content) = &mut model.files[file];
            content.resize(size as usize, 0);
            let set = SetAttributes { size: Some(u64::from(size)), ..SetAttributes::default() };
            assert_eq!(pool.setattr(*handle, set).await.unwrap().size, u64::from(size));
        }
        Step::Commit(number) => {
            let Some(file) = model.names.get(&name(number)) else { return };
            pool.commit(model.files[*file].0, 0, 0).await.unwrap();
        }
        Step::Remove(number) => {
            let removed = pool.remove(root, name(number).as_bytes()).await;
            assert_eq!(removed.is_ok(), model.names.remove(&name(number)).is_some());
        }
        Step::Rename(from, to) => {
            let renamed = pool.rename(root, name(from).as_bytes(), root, name(to).as_bytes()).await;
            let Some(file) = model.names.get(&name(from)).copied() else {
                assert!(matches!(renamed, Err(Error::NotFound(_))));
                return;
            };
            renamed.unwrap();
            if model.names.get(&name(to)) != Some(&file) {
                model.names.remove(&name(from));
                model.names.insert(name(to), file);
            }
        }
        Step::Link(from, to) => {
            let Some(file) = model.names.get(&name(from)).copied() else { return };
            let linked = pool.link(model.files[file].0, root, name(to).as_bytes()).await;
            match model.names.entry(name(to)) {
                Entry::Occupied(_) => assert!(matches!(linked, Err(Error::Exists(_)))),
                Entry::Vacant(free) => {
                    linked.unwrap();
                    free.insert(file);
                }
            }
        }
        Step::Reopen => {}
    }
}

async fn compare(pool: &Pool, root: Handle, model: &Model) {
    assert_eq!(names(pool, root).await, model.names.keys().cloned().collect::<Vec<_>>());
    for (name, file) in &model.names {
        let (handle, content) = &model.files[*file];
        let found = pool.lookup(root, name.as_bytes()).await.unwrap();
        assert_eq!(found.handle, *handle);
        assert_eq!(found.nlink as usize, model.names.values().filter(|other| *other == file).count());
        assert_eq!(read_all(pool, *handle).await, *content, "{name}");
    }
}

async fn run(steps: Vec<Step>) {
    let (directory, mut pool, root) = disk().await;
    let mut model = Model::default();
    for step in steps {
        if matches!(step, Step::Reopen) {
            pool.close().await.unwrap();
            pool = Pool::open(directory.path(), options()).await.unwrap();
            pool.reap_orphans().await.unwrap();
            compare(&pool, root, &model).await;
        }
        apply(&pool, root, &mut model, step).await;
    }
    compare(&pool, root, &model).await;
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn the_pool_does_what_the_model_does(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(run(steps));
    }
}
