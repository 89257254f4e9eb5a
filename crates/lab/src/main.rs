//! The program `forebay-lab`, which `forebay lab …` runs.

use std::process::ExitCode;

/// The same allocator as the daemon's, so that the load generators do not compete with it differently.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    forebay_lab::main()
}
