//! Measures what [`Holder::confirm`] costs before each change of a pool's files, while the last look is young.
//!
//! `cargo run --release -p forebay-ownership --example confirm_cost [CALLS]`
#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that measures")]

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use forebay_ownership::{Node, Standby};

const CALLS: u32 = 20_000_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let calls = std::env::args().nth(1).and_then(|calls| calls.parse().ok()).unwrap_or(CALLS);
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 7\n").expect("a pool");
    let node = Node::here(Some("a")).expect("a node");
    let standby = Standby { directory: directory.path().to_owned(), node, witness: None };
    let claim = standby.wait(async |_| Ok::<(), Infallible>(())).await.expect("a claim");
    let holder = claim.hold(|_| ()).expect("an owner");
    let begun = Instant::now();
    for _ in 0..calls {
        black_box(holder.confirm()).expect("nobody else is there");
    }
    let elapsed = begun.elapsed();
    println!("{calls} calls in {elapsed:.2?}: {:.1} ns each", elapsed.as_nanos() as f64 / f64::from(calls));
}
