//! Chooses a pool for each partition, and a log directory in it for each replica.
//!
//! First, each partition goes to the pool that has most of its bytes. This moves as little as possible. Then the partitions that cost
//! least leave each pool that is above the limit, as long as that makes two pools more equal. So a second plan on the result of the first
//! moves nothing.

use std::cmp::Reverse;

use super::layout::Layout;
use super::survey::Partition;

/// Where everything goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// For each partition the log directory of each replica, as indices, in the order of the replicas.
    pub targets: Vec<Vec<usize>>,
    /// The limit of a pool's bytes; `None` without one.
    pub limit: Option<u64>,
}

impl Plan {
    /// Whether the plan moves a replica of the partition at this index.
    pub fn moves(&self, index: usize, partition: &Partition) -> bool {
        let targets = self.targets.get(index).map_or(&[][..], Vec::as_slice);
        partition.replicas.iter().zip(targets).any(|(replica, target)| replica.directory != *target)
    }
}

/// A partition's bytes and replicas in each pool.
type Weights = Vec<(u64, usize)>;

/// Plans. `balance` is how far a pool may be above its share, in percent; `None`: as far as it takes to move as little as possible.
pub fn plan(partitions: &[Partition], layout: &Layout, balance: Option<u32>) -> Plan {
    let pools = layout.pools.len();
    let weights: Vec<Weights> = partitions.iter().map(|partition| weights(partition, layout)).collect();
    let total: u64 = partitions.iter().map(Partition::bytes).sum();
    let limit = balance.map(|percent| {
        let limit = u128::from(total) * u128::from(percent + 100) / (100 * pools.max(1) as u128);
        u64::try_from(limit).unwrap_or(u64::MAX)
    });
    let mut filling =
        Filling { partitions, weights: &weights, pools: vec![(0, 0); pools], chosen: Vec::new() };
    filling.choose();
    if let Some(limit) = limit {
        filling.level(limit);
    }
    let chosen = filling.chosen;
    Plan { targets: targets(partitions, layout, &chosen), limit }
}

fn weights(partition: &Partition, layout: &Layout) -> Weights {
    let mut weights = vec![(0, 0); layout.pools.len()];
    for replica in &partition.replicas {
        let (bytes, replicas) = &mut weights[layout.directories[replica.directory].pool];
        *bytes += replica.bytes;
        *replicas += 1;
    }
    weights
}

/// The pools while partitions are put into them.
struct Filling<'a> {
    partitions: &'a [Partition],
    weights: &'a [Weights],
    /// Bytes and partitions in each pool.
    pools: Vec<(u64, u64)>,
    /// The pool of each partition; `None`: it stays as it is.
    chosen: Vec<Option<usize>>,
}

impl Filling<'_> {
    fn choose(&mut self) {
        self.chosen = vec![None; self.partitions.len()];
        let mut order = Vec::new();
        for (index, partition) in self.partitions.iter().enumerate() {
            if partition.is_free {
                order.push((Reverse(advantage(&self.weights[index])), Reverse(partition.bytes()), index));
            } else {
                let both = self.pools.iter_mut().zip(&self.weights[index]);
                both.for_each(|(pool, (bytes, _))| pool.0 += bytes);
            }
        }
        order.sort_unstable();
        // Those that are indifferent come last, and fill the pools with the fewest bytes.
        for (_, _, index) in order {
            let weights = &self.weights[index];
            let pools = 0..self.pools.len();
            let best = pools.min_by_key(|pool| (Reverse(weights[*pool]), self.pools[*pool], *pool));
            if let Some(pool) = best {
                self.put(index, pool);
            }
        }
    }

    fn put(&mut self, index: usize, pool: usize) {
        let bytes = self.partitions[index].bytes();
        if let Some(left) = self.chosen[index].replace(pool) {
            self.pools[left].0 -= bytes;
            self.pools[left].1 -= 1;
        }
        self.pools[pool].0 += bytes;
        self.pools[pool].1 += 1;
    }

    /// The pool to which a partition leaves another one: if possible, one that stays within the limit and has most of its bytes, else the
    /// one with the fewest bytes. `None` if no pool would become more equal to the other.
    fn refuge(&self, index: usize, over: usize, limit: u64) -> Option<usize> {
        let (weights, bytes) = (&self.weights[index], self.partitions[index].bytes());
        let others = || (0..self.pools.len()).filter(|pool| *pool != over);
        let fitting = others().filter(|pool| self.pools[*pool].0 + bytes <= limit);
        let best = fitting.min_by_key(|pool| (Reverse(weights[*pool]), self.pools[*pool], *pool));
        let to = best.or_else(|| others().min_by_key(|pool| (self.pools[*pool], *pool)))?;
        (bytes > 0 && self.pools[to].0 + bytes < self.pools[over].0).then_some(to)
    }

    /// Moves partitions out of pools that are above the limit. Each move makes two pools more equal, so this ends.
    fn level(&mut self, limit: u64) {
        let mut stuck = vec![false; self.pools.len()];
        loop {
            let over = (0..self.pools.len()).filter(|pool| !stuck[*pool] && self.pools[*pool].0 > limit);
            let Some(over) = over.max_by_key(|pool| (self.pools[*pool].0, Reverse(*pool))) else { return };
            if self.relieve(over, limit) {
                stuck.fill(false);
            } else {
                stuck[over] = true;
            }
        }
    }

    /// Moves partitions out of one pool. Returns whether it could.
    fn relieve(&mut self, over: usize, limit: u64) -> bool {
        let cost = |index: usize| {
            let weights = &self.weights[index];
            let others = weights.iter().enumerate().filter(|(pool, _)| *pool != over);
            let best = others.map(|(_, (bytes, _))| *bytes).max().unwrap_or(0);
            i128::from(weights[over].0) - i128::from(best)
        };
        let inside = (0..self.partitions.len()).filter(|index| self.chosen[*index] == Some(over));
        let mut inside: Vec<(i128, Reverse<u64>, usize)> =
            inside.map(|index| (cost(index), Reverse(self.partitions[index].bytes()), index)).collect();
        // The cost of each byte of relief, which is the same order as cost / bytes.
        inside.sort_by(|(cost, Reverse(bytes), index), (other_cost, Reverse(other_bytes), other_index)| {
            let (one, other) = (cost * i128::from(*other_bytes), other_cost * i128::from(*bytes));
            one.cmp(&other).then(other_bytes.cmp(bytes)).then(index.cmp(other_index))
        });
        let mut has_moved = false;
        for (_, _, index) in inside {
            if self.pools[over].0 <= limit {
                break;
            }
            if let Some(to) = self.refuge(index, over, limit) {
                self.put(index, to);
                has_moved = true;
            }
        }
        has_moved
    }
}

/// How many bytes more the best pool has than the second best.
fn advantage(weights: &Weights) -> u64 {
    let mut bytes: Vec<u64> = weights.iter().map(|(bytes, _)| *bytes).collect();
    bytes.sort_unstable_by_key(|bytes| Reverse(*bytes));
    bytes.first().unwrap_or(&0) - bytes.get(1).unwrap_or(&0)
}

/// The log directories: a replica stays in its own if that is in the chosen pool, else it goes to the emptiest that its broker has there.
fn targets(partitions: &[Partition], layout: &Layout, chosen: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut filled = vec![0_u64; layout.directories.len()];
    let stays = |directory: usize, pool: &Option<usize>| {
        pool.is_none_or(|pool| layout.directories[directory].pool == pool)
    };
    for (partition, pool) in partitions.iter().zip(chosen) {
        for replica in partition.replicas.iter().filter(|replica| stays(replica.directory, pool)) {
            filled[replica.directory] += replica.bytes;
        }
    }
    let mut target = |replica: &super::survey::Replica, pool: &Option<usize>| {
        let Some(pool) = pool.filter(|_| !stays(replica.directory, pool)) else { return replica.directory };
        let there = layout.of(replica.broker, pool).iter().copied();
        // The layout has a directory of each broker in each pool.
        let best =
            there.min_by_key(|directory| (filled[*directory], *directory)).unwrap_or(replica.directory);
        filled[best] += replica.bytes;
        best
    };
    let both = partitions.iter().zip(chosen);
    both.map(|(partition, pool)| partition.replicas.iter().map(|replica| target(replica, pool)).collect())
        .collect()
}
