//! The program `forebay-lab`, which `forebay lab …` runs.

use std::process::ExitCode;

/// The allocator of the daemon, so that the load generators do not compete with it by other means.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    forebay_lab::main()
}
