//! Histories in which bits of segments flip at rest.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::client::Shared;
use super::history::{End, Failure, Setting, appetite, finish, live, simulated, work};
use super::random::Random;
use super::verify;
use crate::sim::faulty::{FaultyDisk, Plan};

/// Creates a pool without failures. Then flips one bit of its segments at a time, and reads everything after each flip.
/// Returns the number of flips that a reader noticed.
pub(crate) fn run_flips(seed: u64, flips: u64) -> Result<u64, Failure> {
    let mut random = Random::new(seed);
    let setting = Setting::draw(&mut random);
    let disk = Arc::new(FaultyDisk::default().with_log(4));
    let shared = Shared::new(disk.clone(), appetite(&mut random), setting.options.bytes_max.is_some());
    live(&setting, &shared, &mut random.fork(), false, |pool, random| {
        let (shared, setting) = (shared.clone(), &setting);
        async move { work(pool, &shared, random, setting, End::Close, Plan::default()).await }
    });
    disk.crash(random.next());
    let met = Cell::new(0);
    for _ in 0..flips {
        if shared.has_failed() {
            break;
        }
        flip(&setting, &shared, &mut random, &met);
    }
    finish(seed, &shared).map(|()| met.get())
}

fn flip(setting: &Setting, shared: &Rc<Shared>, random: &mut Random, met: &Cell<u64>) {
    let disk = Arc::new(shared.disk.copy());
    // The previous simulation cut the power at its end.
    shared.disk.arm(Plan::default());
    let (byte, bit) = (random.below(disk.bytes_at_rest()), random.below(8) as u8);
    let Some(place) = disk.flip_in_segments(byte, bit) else { return };
    shared.note(format!("flipped a bit of {place:?}"));
    simulated(setting, shared, &mut random.fork(), async {
        let pool = disk.open(setting.options.clone()).map_err(|error| format!("open: {error}"))?;
        let errors = verify::verify_damaged(&pool, shared).await?;
        met.set(met.get() + u64::from(errors > 0));
        let differences = pool.check(true).await.map_err(|error| format!("check: {error}"))?;
        if errors > 0 && differences.is_empty() { Err("the check finds no damage".into()) } else { Ok(()) }
    });
}
