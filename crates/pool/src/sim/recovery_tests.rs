//! Histories in which volumes are deleted, recovered and purged all the time, with crashes in the middle.

use std::sync::Arc;

use super::history;
use super::random::Random;
use crate::sim::faulty::FaultyDisk;

/// How many histories run unless the environment says otherwise.
const HISTORIES: u64 = 150;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

#[test]
fn what_was_acknowledged_is_in_a_recovered_volume_whenever_the_power_fails() {
    let one = number("FOREBAY_SIM_SEED");
    let first = one.or(number("FOREBAY_SIM_FIRST")).unwrap_or(9_000_000);
    let count = if one.is_some() { 1 } else { number("FOREBAY_SIM_HISTORIES").unwrap_or(HISTORIES) };
    let mut operations = 0;
    for seed in first..first + count {
        let mut random = Random::new(seed).fork();
        let disk = if random.permille(250) { FaultyDisk::mirrored() } else { FaultyDisk::default() };
        let files = random.pick(&[0, 4, 5]).unwrap_or(4);
        match history::run_volumes_on(Arc::new(disk.with_log(files)), seed) {
            Ok(report) => operations += report.operations,
            Err(failure) => panic!("{failure}\n(of sim::recovery_tests)"),
        }
    }
    println!("{count} histories, {operations} operations");
}
