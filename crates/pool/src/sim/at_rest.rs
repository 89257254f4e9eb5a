//! Damage to a pool at rest: whole files are lost, or those of an earlier time.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::client::Shared;
use super::history::{End, Failure, Setting, appetite, finish, live, simulated, work};
use super::random::Random;
use super::verify;
use crate::Error;
use crate::sim::faulty::{Damage, FaultyDisk, Plan};

/// The results of damage to a pool at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtRest {
    /// How often the pool was refused.
    pub(crate) refused: u64,
    /// How often it was opened and its content was correct.
    pub(crate) opened: u64,
}

/// Uses a pool in two lives, each closed cleanly. Then repeatedly loses or rolls back one or two whole files of it.
/// Each time, either the pool is refused twice and nothing is changed, or its content is correct.
pub(crate) fn run(seed: u64, rounds: u64) -> Result<AtRest, Failure> {
    let mut random = Random::new(seed);
    let setting = Setting::draw(&mut random);
    let disk = Arc::new(FaultyDisk::default().with_log(4));
    let shared = Shared::new(disk.clone(), appetite(&mut random), setting.options.bytes_max.is_some());
    let mut older = Vec::new();
    for _ in 0..2 {
        live(&setting, &shared, &mut random.fork(), false, |pool, random| {
            let (shared, setting) = (shared.clone(), &setting);
            async move { work(pool, &shared, random, setting, End::Close, Plan::default()).await }
        });
        disk.crash(random.next());
        older.push(disk.copy());
    }
    let mut at_rest = AtRest::default();
    for _ in 0..rounds {
        if shared.has_failed() {
            break;
        }
        damage_at_rest(&setting, &shared, &older[0], &mut random, &mut at_rest);
    }
    finish(seed, &shared).map(|()| at_rest)
}

fn damage_at_rest(
    setting: &Setting,
    shared: &Rc<Shared>,
    older: &FaultyDisk,
    random: &mut Random,
    at_rest: &mut AtRest,
) {
    let disk = Arc::new(shared.disk.copy());
    shared.disk.arm(Plan::default());
    let mut damages = Vec::new();
    for _ in 0..random.between(1, 2) {
        damages.extend(random.pick(&Damage::ALL));
    }
    // Metadata and state from the same moment are like a restored backup: only segments could show that more was
    // written later.
    if damages.contains(&Damage::OlderMetadata) && damages.contains(&Damage::OlderState) {
        return;
    }
    damages.iter().for_each(|damage| disk.damage_at_rest(*damage, older, random.next()));
    shared.note(format!("at rest: {damages:?}"));
    let before = disk.segments_at_rest();
    let opened = Cell::new(false);
    for again in [false, true] {
        simulated(setting, shared, &mut random.fork(), async {
            match disk.open(setting.options.clone()) {
                Ok(pool) => {
                    opened.set(true);
                    let errors = verify::verify_damaged(&pool, shared).await?;
                    let lossy = damages.iter().any(|damage| damage.hits_segments());
                    let volumes = shared.world.borrow().volumes.len();
                    match (errors, pool.volumes().map_or(0, |volumes| volumes.len())) {
                        (_, found) if found != volumes => Err(format!("{found} volumes of {volumes}")),
                        (1.., _) if !lossy => Err(format!("{errors} errors, and no segment was hit")),
                        _ => pool.close().await.map_err(|error| format!("close: {error}")),
                    }
                }
                Err(Error::Refused { .. }) if !opened.get() => Ok(()),
                Err(error) if again && opened.get() => Err(format!("opened once, and then: {error}")),
                Err(error) => Err(format!("open: {error}")),
            }
        });
        if !opened.get() && disk.segments_at_rest() != before {
            shared.fail(format!("a refused opening has changed the segments: {damages:?}"));
        }
    }
    let count = if opened.get() { &mut at_rest.opened } else { &mut at_rest.refused };
    *count += 1;
}
