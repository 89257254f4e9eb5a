//! The `forebay` binary.
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
enum Cli {
    #[command(subcommand)]
    Lab(forebay_lab::LabCommand),
}

fn main() -> ExitCode {
    let Cli::Lab(command) = Cli::parse();
    forebay_lab::main(command)
}
