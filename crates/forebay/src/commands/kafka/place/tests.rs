//! Properties of every plan.

use super::arguments::{PoolPath, PoolPaths};
use super::described::{Assigned, Assignment, BrokerDirs, DirReplica, LogDir, LogDirs};
use super::layout::Layout;
use super::plan::{Plan, plan};
use super::report::{Figures, changed, moves, notes, reassignment};
use super::survey::{Partition, Reason, Survey};

/// Numbers that a seed determines.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn on(brokers: &[u32]) -> Assigned {
    Assigned { brokers: brokers.to_vec(), is_changing: false }
}

fn pool(name: usize) -> PoolPaths {
    PoolPaths {
        name: format!("pool{name}"),
        paths: vec![PoolPath { broker: None, path: format!("/p{name}") }],
    }
}

/// Brokers from 1, each with a directory `/p0`, `/p1` … in each pool, and replicas: topic, number, broker, pool, bytes.
fn described(brokers: u32, pools: usize, replicas: &[(&str, u32, u32, usize, i64)]) -> LogDirs {
    let dir = |broker: u32, pool: usize| LogDir {
        log_dir: format!("/p{pool}"),
        error: None,
        partitions: replicas
            .iter()
            .filter(|(_, _, of, at, _)| (*of, *at) == (broker, pool))
            .map(|(topic, number, _, _, size)| DirReplica {
                partition: format!("{topic}-{number}"),
                size: *size,
                is_future: false,
            })
            .collect(),
    };
    let broker = |broker| BrokerDirs { broker, log_dirs: (0..pools).map(|pool| dir(broker, pool)).collect() };
    LogDirs { brokers: (1..=brokers).map(broker).collect() }
}

/// A cluster with three replicas of each partition somewhere, of about the same size.
fn random(seed: u64, pools: usize, partitions: u32) -> LogDirs {
    let mut numbers = Numbers(seed * 2 + 1);
    let brokers = 3 + numbers.below(4) as u32;
    let mut replicas = Vec::new();
    for number in 0..partitions {
        let bytes = if numbers.below(5) == 0 { 0 } else { numbers.below(1 << 30) as i64 };
        let first = numbers.below(u64::from(brokers)) as u32;
        for replica in 0..3 {
            let broker = (first + replica) % brokers + 1;
            let size = (bytes - numbers.below(1 << 16) as i64).max(0);
            replicas.push(("t", number, broker, numbers.below(pools as u64) as usize, size));
        }
    }
    described(brokers, pools, &replicas)
}

fn survey(dirs: &LogDirs, pools: usize) -> (Layout, Survey) {
    let layout = Layout::new(&(0..pools).map(pool).collect::<Vec<_>>(), &[], dirs).unwrap();
    let survey = Survey::new(dirs, &layout, None, |_| true).unwrap();
    (layout, survey)
}

fn pool_of(layout: &Layout, plan: &Plan, index: usize) -> Option<usize> {
    let mut pools = plan.targets[index].iter().map(|target| layout.directories[*target].pool);
    let first = pools.next()?;
    pools.all(|pool| pool == first).then_some(first)
}

#[test]
fn every_partition_is_whole_afterwards_and_stays_on_its_brokers() {
    for seed in 0..200 {
        let pools = 1 + seed as usize % 5;
        let (layout, survey) = survey(&random(seed, pools, 60), pools);
        for balance in [Some(0), Some(10), Some(100), None] {
            let planned = plan(&survey.partitions, &layout, balance);
            for (index, partition) in survey.partitions.iter().enumerate() {
                assert!(pool_of(&layout, &planned, index).is_some(), "seed {seed}: {partition:?}");
                for (replica, target) in partition.replicas.iter().zip(&planned.targets[index]) {
                    assert_eq!(layout.directories[*target].broker, replica.broker, "seed {seed}");
                }
            }
            let figures = Figures::of(&survey, &planned, &layout);
            assert_eq!((figures.after.split, figures.after.logical), (0, figures.before.logical));
            assert!(figures.after.stored <= figures.before.stored);
        }
    }
}

#[test]
fn a_pool_is_above_the_limit_only_if_no_move_of_a_partition_makes_the_pools_more_equal() {
    for seed in 0..200 {
        let pools = 2 + seed as usize % 4;
        // Few partitions, so that some cannot be balanced.
        let (layout, survey) = survey(&random(seed, pools, 4 + seed as u32 % 40), pools);
        let planned = plan(&survey.partitions, &layout, Some(10));
        let figures = Figures::of(&survey, &planned, &layout);
        let limit = planned.limit.unwrap();
        let least = *figures.after.pools.iter().min().unwrap();
        let over: Vec<usize> = (0..pools).filter(|pool| figures.after.pools[*pool] > limit).collect();
        for pool in &over {
            let inside = (0..survey.partitions.len())
                .filter(|index| pool_of(&layout, &planned, *index) == Some(*pool));
            let sizes = inside.map(|index| survey.partitions[index].bytes()).filter(|bytes| *bytes > 0);
            assert!(sizes.min().unwrap() >= figures.after.pools[*pool] - least, "seed {seed}");
        }
        assert_eq!(notes(&survey, &planned, &figures, &layout).len(), over.len(), "each is explained");
    }
}

#[test]
fn many_partitions_are_balanced() {
    for seed in 0..20 {
        let (layout, survey) = survey(&random(seed, 4, 600), 4);
        let planned = plan(&survey.partitions, &layout, Some(10));
        let figures = Figures::of(&survey, &planned, &layout);
        assert!(figures.after.pools.iter().all(|bytes| *bytes <= planned.limit.unwrap()), "seed {seed}");
    }
}

#[test]
fn with_keep_no_plan_moves_fewer_bytes() {
    for seed in 0..100 {
        let pools = 2 + seed as usize % 4;
        let (layout, survey) = survey(&random(seed, pools, 50), pools);
        let moved = Figures::of(&survey, &plan(&survey.partitions, &layout, None), &layout).bytes;
        let least = |partition: &Partition| {
            let of = |pool: usize| {
                let there = partition
                    .replicas
                    .iter()
                    .filter(|replica| layout.directories[replica.directory].pool == pool);
                there.map(|replica| replica.bytes).sum::<u64>()
            };
            partition.bytes() - (0..pools).map(of).max().unwrap()
        };
        assert_eq!(moved, survey.partitions.iter().map(least).sum::<u64>(), "seed {seed}");
        let balanced = Figures::of(&survey, &plan(&survey.partitions, &layout, Some(10)), &layout).bytes;
        assert!(moved <= balanced);
    }
}

#[test]
fn a_plan_is_the_same_whatever_the_order_of_the_input_and_a_second_one_moves_nothing() {
    for seed in 0..50 {
        let mut dirs = random(seed, 3, 80);
        let (layout, survey_made) = survey(&dirs, 3);
        let first = plan(&survey_made.partitions, &layout, Some(10));
        dirs.brokers.reverse();
        for broker in &mut dirs.brokers {
            broker.log_dirs.reverse();
            broker.log_dirs.iter_mut().for_each(|dir| dir.partitions.reverse());
        }
        let (layout, mut again) = survey(&dirs, 3);
        assert_eq!(plan(&again.partitions, &layout, Some(10)), first, "seed {seed}");
        for (partition, targets) in again.partitions.iter_mut().zip(&first.targets) {
            let both = partition.replicas.iter_mut().zip(targets);
            both.for_each(|(replica, target)| replica.directory = *target);
        }
        let second = plan(&again.partitions, &layout, Some(10));
        assert_eq!(Figures::of(&again, &second, &layout).bytes, 0, "seed {seed}");
    }
}

#[test]
fn a_new_pool_gets_whole_partitions_and_no_more_than_balance_needs() {
    let replicas: Vec<_> =
        (0..100).flat_map(|number| (1..=3).map(move |broker| ("t", number, broker, 0, 100))).collect();
    let (layout, survey) = survey(&described(3, 2, &replicas), 2);
    let planned = plan(&survey.partitions, &layout, Some(10));
    let figures = Figures::of(&survey, &planned, &layout);
    assert_eq!(figures.after.pools, [16_500, 13_500]);
    assert_eq!((figures.partitions, figures.bytes, figures.after.split), (45, 13_500, 0));
    assert_eq!(Figures::of(&survey, &plan(&survey.partitions, &layout, None), &layout).bytes, 0);
}

#[test]
fn what_replicas_share_is_counted_once_in_each_pool() {
    let replicas = [("t", 0, 1, 0, 90), ("t", 0, 2, 0, 100), ("t", 0, 3, 1, 110)];
    let (layout, survey) = survey(&described(3, 2, &replicas), 2);
    let figures = Figures::of(&survey, &plan(&survey.partitions, &layout, None), &layout);
    assert_eq!((figures.before.logical, figures.before.stored, figures.before.split), (300, 210, 1));
    assert_eq!((figures.after.stored, figures.after.whole, figures.bytes), (110, 1, 110));
}

#[test]
fn the_preferred_leader_stays_first_and_each_replica_has_a_directory() {
    let dirs =
        described(3, 2, &[("t", 0, 1, 0, 9), ("t", 0, 2, 1, 9), ("t", 0, 3, 1, 9), ("whole", 0, 1, 0, 9)]);
    let layout = Layout::new(&[pool(0), pool(1)], &[], &dirs).unwrap();
    let assignment =
        Assignment::from([(("t".to_owned(), 0), on(&[3, 1, 2])), (("whole".to_owned(), 0), on(&[1]))]);
    let survey = Survey::new(&dirs, &layout, Some(&assignment), |_| true).unwrap();
    let planned = plan(&survey.partitions, &layout, None);
    assert_eq!(
        reassignment(&survey, &planned, &layout).to_string(),
        r#"{"partitions":[{"log_dirs":["/p1","/p1","/p1"],"partition":0,"replicas":[3,1,2],"topic":"t"}],"version":1}"#
    );
}

#[test]
fn what_cannot_be_planned_is_left_out_with_the_reason_and_counts_where_it_lies() {
    let mut dirs =
        described(2, 2, &[("a", 0, 1, 0, 5), ("a", 0, 2, 1, 5), ("b", 0, 1, 0, 7), ("c", 0, 1, 1, 1)]);
    // All its replicas answer, also the one that is being added, and yet it is not where Kafka wants it.
    let changing = |pool: usize| DirReplica { partition: "d-0".into(), size: pool as i64, is_future: false };
    dirs.brokers[0].log_dirs[0].partitions.push(changing(0));
    dirs.brokers[1].log_dirs[1].partitions.push(changing(1));
    let copy = DirReplica { partition: "a-0".into(), size: 2, is_future: true };
    dirs.brokers[0].log_dirs[1].partitions.push(copy);
    let layout = Layout::new(&[pool(0), pool(1)], &[], &dirs).unwrap();
    let assignment = Assignment::from([
        (("a".to_owned(), 0), on(&[1, 2])),
        (("b".to_owned(), 0), on(&[1, 2])),
        (("d".to_owned(), 0), Assigned { is_changing: true, ..on(&[1, 2]) }),
    ]);
    let survey = Survey::new(&dirs, &layout, Some(&assignment), |_| true).unwrap();
    let left: Vec<_> = survey.left_out.iter().map(|(reason, left)| (*reason, left.first.as_str())).collect();
    let expected = [
        (Reason::Moving, "a-0"),
        (Reason::Reassigned, "d-0"),
        (Reason::Elsewhere, "b-0"),
        (Reason::Unknown, "c-0"),
    ];
    assert_eq!(left, expected);
    let figures = Figures::of(&survey, &plan(&survey.partitions, &layout, Some(0)), &layout);
    assert_eq!((figures.replicas, &figures.after.pools[..]), (0, &[12, 7][..]));
    let other = Survey::new(&dirs, &layout, Some(&assignment), |topic| topic == "b").unwrap();
    assert_eq!(other.left_out.len(), 1);
}

#[test]
fn replicas_are_spread_over_the_directories_of_a_broker_in_one_pool() {
    let mut dirs =
        described(1, 3, &[("t", 0, 1, 2, 9), ("t", 1, 1, 2, 9), ("t", 2, 1, 2, 9), ("t", 3, 1, 2, 9)]);
    dirs.brokers.push(BrokerDirs {
        broker: 2,
        log_dirs: described(
            1,
            3,
            &[("t", 0, 1, 0, 9), ("t", 1, 1, 0, 9), ("t", 2, 1, 1, 9), ("t", 3, 1, 1, 9)],
        )
        .brokers
        .remove(0)
        .log_dirs,
    });
    let mut one = pool(0);
    one.paths.extend(pool(1).paths);
    let layout = Layout::new(&[one, pool(2)], &[], &dirs).unwrap();
    let survey = Survey::new(&dirs, &layout, None, |_| true).unwrap();
    let planned = plan(&survey.partitions, &layout, Some(10));
    let figures = Figures::of(&survey, &planned, &layout);
    assert_eq!(figures.after.split, 0);
    let of_first = planned.targets.iter().map(|targets| layout.directories[targets[0]].path.as_str());
    let mut used: Vec<&str> = of_first.filter(|path| *path != "/p2").collect();
    used.sort_unstable();
    assert_eq!(used, ["/p0", "/p1"]);
}

#[test]
fn a_layout_that_does_not_fit_is_refused_with_the_object() {
    let refused = |pools: &[PoolPaths], change: &dyn Fn(&mut LogDirs), parts: &[&str]| {
        let mut dirs = described(2, 2, &[]);
        change(&mut dirs);
        let error = Layout::new(pools, &[], &dirs).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)) && !error.contains('\n'), "{error}");
    };
    let both = [pool(0), pool(1)];
    refused(&both[..1], &|_| {}, &["broker 1", "/p1 is in no pool"]);
    refused(&[pool(0), pool(0)], &|_| {}, &["pool0 is given twice"]);
    refused(&[pool(0), pool(1), pool(7)], &|_| {}, &["no broker has", "/p7 of pool pool7"]);
    refused(
        &both,
        &|dirs| drop(dirs.brokers[1].log_dirs.pop()),
        &["broker 2 has no log directory in pool pool1"],
    );
    refused(&both, &|dirs| dirs.brokers[1].broker = 1, &["broker 1 is described twice"]);
    refused(&both, &|dirs| dirs.brokers.clear(), &["no broker"]);
    let offline = |dirs: &mut LogDirs| dirs.brokers[1].log_dirs[0].error = Some("KAFKA_STORAGE_ERROR".into());
    refused(&both, &offline, &["broker 2", "/p0 is offline", "KAFKA_STORAGE_ERROR"]);
    let mut twice = pool(1);
    twice.paths.extend(pool(0).paths);
    refused(&[pool(0), twice], &|_| {}, &["/p0 is in the pools pool0 and pool1"]);
    let own = |broker| PoolPaths {
        name: "x".into(),
        paths: vec![PoolPath { broker: Some(broker), path: "/p1".into() }],
    };
    refused(&[pool(0), own(2)], &|_| {}, &["broker 1", "/p1 is in no pool"]);
    let missing = PoolPaths { paths: vec![PoolPath { broker: Some(2), path: "/p7".into() }], ..own(2) };
    refused(&[pool(0), pool(1), missing], &|_| {}, &["broker 2 does not have", "/p7 of pool x"]);
    // A broker that did not answer.
    let mut absent = pool(1);
    absent.paths.extend(own(9).paths);
    assert_eq!(Layout::new(&[pool(0), absent], &[], &described(2, 2, &[])).unwrap().directories.len(), 4);
}

#[test]
fn partitions_with_a_replica_outside_of_all_pools_stay() {
    let dirs = described(2, 3, &[("a", 0, 1, 0, 5), ("a", 0, 2, 2, 5), ("b", 0, 1, 0, 7), ("b", 0, 2, 1, 7)]);
    let other = |path: &str| PoolPath { broker: None, path: path.to_owned() };
    let pools = [pool(0), pool(1)];
    let layout = Layout::new(&pools, &[other("/p2")], &dirs).unwrap();
    let survey = Survey::new(&dirs, &layout, None, |_| true).unwrap();
    assert_eq!(survey.left_out.keys().collect::<Vec<_>>(), [&Reason::Outside]);
    let planned = plan(&survey.partitions, &layout, None);
    assert_eq!(
        moves(&survey, &planned, &layout).iter().map(|it| it.partition.as_str()).collect::<Vec<_>>(),
        ["b-0"]
    );
    let refused = |others: &[PoolPath], part: &str| {
        let error = Layout::new(&pools, others, &dirs).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&[], "--other /p2");
    refused(&[other("/p2"), other("/p9")], "no broker has the log directory /p9");
    refused(&[other("/p2"), other("/p1")], "/p1 is in pool pool1 and in none");
}

#[test]
fn a_plan_is_out_of_date_when_its_partitions_have_other_brokers() {
    let dirs = described(2, 2, &[("t", 0, 1, 0, 9), ("t", 0, 2, 1, 9), ("u", 0, 1, 0, 9)]);
    let layout = Layout::new(&[pool(0), pool(1)], &[], &dirs).unwrap();
    let name = |topic: &str| (topic.to_owned(), 0);
    let at_first = Assignment::from([(name("t"), on(&[2, 1])), (name("u"), on(&[1]))]);
    let survey = Survey::new(&dirs, &layout, Some(&at_first), |_| true).unwrap();
    let planned = plan(&survey.partitions, &layout, None);
    let after = |topic: &str, assigned: Option<Assigned>| {
        let mut now = at_first.clone();
        now.remove(&name(topic));
        now.extend(assigned.map(|assigned| (name(topic), assigned)));
        changed(&survey, &planned, &now)
    };
    assert_eq!(after("t", Some(on(&[2, 1]))), None);
    // The plan does not move it.
    assert_eq!(after("u", None), None);
    for assigned in
        [None, Some(on(&[1, 2])), Some(on(&[2, 3])), Some(Assigned { is_changing: true, ..on(&[2, 1]) })]
    {
        assert_eq!(after("t", assigned.clone()).as_deref(), Some("t-0"), "{assigned:?}");
    }
}

#[test]
fn a_path_of_one_broker_goes_before_that_of_all() {
    let dirs = described(2, 2, &[]);
    let (mut one, mut two) = (pool(0), pool(1));
    one.paths.push(PoolPath { broker: Some(2), path: "/p1".into() });
    two.paths.push(PoolPath { broker: Some(2), path: "/p0".into() });
    let layout = Layout::new(&[one, two], &[], &dirs).unwrap();
    let pools: Vec<_> =
        layout.directories.iter().map(|dir| (dir.broker, dir.path.as_str(), dir.pool)).collect();
    assert_eq!(pools, [(1, "/p0", 0), (1, "/p1", 1), (2, "/p0", 1), (2, "/p1", 0)]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let dirs =
        described(3, 1, &[("t", 0, 1, 0, i64::MAX), ("t", 0, 2, 0, i64::MAX), ("t", 0, 3, 0, i64::MAX)]);
    let layout = Layout::new(&[pool(0)], &[], &dirs).unwrap();
    assert!(Survey::new(&dirs, &layout, None, |_| true).unwrap_err().to_string().contains("8 EiB"));
    let twice = described(1, 2, &[("t", 0, 1, 0, 5), ("t", 0, 1, 1, 5)]);
    let layout = Layout::new(&[pool(0), pool(1)], &[], &twice).unwrap();
    let survey = Survey::new(&twice, &layout, None, |_| true).unwrap();
    assert!(survey.left_out.contains_key(&Reason::Moving) && !survey.partitions[0].is_free);
    let unknown = described(1, 1, &[("t", 0, 1, 0, -1)]);
    let layout = Layout::new(&[pool(0)], &[], &unknown).unwrap();
    assert_eq!(Survey::new(&unknown, &layout, None, |_| true).unwrap().partitions[0].bytes(), 0);
}

#[test]
fn a_hundred_thousand_partitions_take_seconds() {
    let begun = std::time::Instant::now();
    let mut replicas = Vec::new();
    let mut numbers = Numbers(7);
    for number in 0..100_000 {
        let bytes = numbers.below(1 << 34) as i64;
        (1..=3).for_each(|broker| replicas.push(("t", number, broker, numbers.below(6) as usize, bytes)));
    }
    let (layout, survey) = survey(&described(3, 6, &replicas), 6);
    let figures = Figures::of(&survey, &plan(&survey.partitions, &layout, Some(1)), &layout);
    assert_eq!((figures.after.whole, figures.after.split), (100_000, 0));
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
