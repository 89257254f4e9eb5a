//! Every target takes every input of the corpus, and changed copies of it. That finds what is broken outright, in seconds;
//! `make fuzz` finds the rest, with coverage.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use forebay_fuzz::{TARGETS, Target};

/// Changed copies for each target; those of `execute` run a server each.
const COPIES: usize = 100_000;
const COPIES_EXECUTED: usize = 2_000;
/// Changes of a copy.
const CHANGES_MAX: usize = 8;

/// A sequence of numbers that follows from its seed (Marsaglia's xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % bound.max(1)
    }
}

/// A copy with bytes replaced, removed and repeated, perhaps with the end of another input.
fn changed(inputs: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut copy = inputs[numbers.below(inputs.len())].clone();
    for _ in 0..=numbers.below(CHANGES_MAX) {
        let at = numbers.below(copy.len());
        let some = 1 + numbers.below(8);
        match numbers.below(6) {
            _ if copy.is_empty() => copy.push(0),
            0 => copy[at] ^= 1 << numbers.below(8),
            1 => copy[at] = [0, 1, 0x7f, 0x80, 0xff][numbers.below(5)],
            2 => drop(copy.drain(at..(at + some).min(copy.len()))),
            3 => copy.truncate(at),
            4 => {
                let again = copy[at..(at + some).min(copy.len())].to_vec();
                copy.splice(at..at, again);
            }
            _ => {
                let other = &inputs[numbers.below(inputs.len())];
                copy.truncate(at);
                copy.extend_from_slice(&other[numbers.below(other.len()).min(other.len())..]);
            }
        }
    }
    copy
}

/// Prints the input if the target fails. A failure repeats, since the copies follow from the seed.
fn take(name: &str, target: Target, input: &[u8]) {
    if let Err(failure) = panic::catch_unwind(AssertUnwindSafe(|| target(input))) {
        println!("{name} failed with the input b\"{}\"", input.escape_ascii());
        panic::resume_unwind(failure);
    }
}

fn take_all(name: &str, target: Target, copies: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let inputs: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert!(inputs.len() > 1, "{name} has no corpus");
    for (input, file) in inputs.iter().zip(&files) {
        take(&file.display().to_string(), target, input);
    }
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..copies {
        take(name, target, &changed(&inputs, &mut numbers));
    }
}

#[test]
fn every_parser_takes_every_input() {
    for (name, target) in TARGETS.into_iter().filter(|(name, _)| *name != "execute") {
        take_all(name, target, COPIES);
    }
}

#[test]
fn the_server_executes_every_script() {
    let (name, target) = TARGETS.into_iter().find(|(name, _)| *name == "execute").unwrap();
    take_all(name, target, COPIES_EXECUTED);
}
