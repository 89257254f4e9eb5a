//! The command line: `forebay lab …`, which is the program `forebay-lab`.

mod all;
mod args;
mod compare;
mod guest;
mod list;
mod reference;
mod run;
mod setup;
mod status;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Error, Result};
use clap::{CommandFactory, Parser, Subcommand};

use crate::agent;
use crate::executable;
use crate::output::{escaped, print};
use crate::probe::{self, ProbeCommand};
use crate::run::worker;
use args::{CacheArgs, GuestArgs, RunArgs};
use compare::CompareArgs;
use status::{STATUS_COULD_NOT_RUN, STATUS_USAGE};

/// Prove it: real Kafka brokers on real Linux NFS clients, on this machine
#[derive(Debug, Parser)]
#[command(name = "forebay-lab", bin_name = "forebay lab", version, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: LabCommand,
}

/// The commands of the lab.
#[derive(Debug, Subcommand)]
enum LabCommand {
    /// List the experiments, and the storages they run on
    List,
    /// Run an experiment, and write result.json and report.html
    ///
    /// Exit status: 0 if the verdict is pass, 1 if the experiment could not be run, 2 if the command line is wrong, 4 if the
    /// verdict is fail. Of several storages the worst counts: 1 before 4 before 0.
    Run(RunArgs),
    /// Compare the results of runs with each other and with the technical reports
    ///
    /// Exit status: 0 if the page was written, 1 if a folder holds no results or a result cannot be read.
    Compare(CompareArgs),
    /// Boot a Linux guest, mount NFS volumes in it, and run a program there, to try a server with a real client
    ///
    /// Without a program, the guest runs a shell that reads commands from standard input. The guest stops when the program ends. The program
    /// sees the files of this host, and the mounts below /mnt. The exit status is that of the program, 128 plus the signal number if a signal
    /// ended it, 125 if the guest could not be started, or 130 if the command was interrupted.
    Guest(guest::ClientArgs),
    /// Check that this machine can run the lab, and fetch what it needs
    Setup(CacheArgs),
    /// List the reports that a daemon shows
    #[command(disable_help_flag = true)]
    Reports {
        /// Options of `forebay lab reports`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print the lab's part of the reference page of the command line
    #[command(hide = true)]
    Reference,
    /// Print the commands and their options as JSON, for `forebay completions`
    #[command(hide = true)]
    Commands,
    /// Write manual pages, one for each command, into a directory
    #[command(hide = true)]
    Man {
        /// The directory; it must exist
        directory: PathBuf,
    },
    /// The first process of a guest
    #[command(hide = true)]
    Init(GuestArgs),
    /// The agent, which serves the worker's requests on a node
    #[command(hide = true)]
    Agent(GuestArgs),
    /// A program that experiments run on a client
    #[command(hide = true, subcommand)]
    Probe(ProbeCommand),
    /// The worker, which does a run in namespaces of its own
    #[command(hide = true)]
    Worker {
        /// The file with its task
        task: PathBuf,
    },
    /// Remove what a killed run left behind
    #[command(hide = true)]
    Clean {
        /// The file with the run's task
        task: PathBuf,
    },
}

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(Cli { command }) => command,
        Err(error) => return refuse(&error),
    };
    let status = match command {
        LabCommand::List => list::run(),
        LabCommand::Run(args) => run(args),
        LabCommand::Compare(args) => compare::run(&args).map(|()| 0),
        LabCommand::Guest(args) => Ok(guest::run(args)),
        LabCommand::Setup(cache) => setup::run(cache),
        LabCommand::Reports { arguments } => Err(reports(&arguments)),
        LabCommand::Reference => print(&reference::page(Cli::command())).map(|()| 0),
        LabCommand::Commands => print(&reference::commands(Cli::command()).to_string()).map(|()| 0),
        LabCommand::Man { directory } => reference::manual(Cli::command(), &directory).map(|()| 0),
        LabCommand::Init(guest) => return agent::init(&guest.config),
        LabCommand::Agent(guest) => agent::serve(&guest.config).map(|()| 0),
        LabCommand::Probe(command) => probe::main(command).map(|()| 0),
        LabCommand::Worker { task } => worker::run(&task),
        LabCommand::Clean { task } => worker::clean(&task).map(|()| 0),
    };
    match status {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("forebay lab: {error:#}");
            ExitCode::from(STATUS_COULD_NOT_RUN)
        }
    }
}

/// Prints what is wrong with the command line, or the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    let plain = error.to_string();
    if escaped(&plain) == plain {
        // A reader that closes the pipe has seen enough.
        let _ = error.print();
    } else {
        // The message repeats the arguments, which a terminal could obey.
        eprintln!("{}", escaped(&plain).trim_end());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(STATUS_USAGE))
}

fn run(args: RunArgs) -> Result<u8> {
    if let Some(kind) = args.storage_named_twice() {
        eprintln!("forebay lab: storage {kind} is named twice");
        return Ok(STATUS_USAGE);
    }
    if args.experiment == all::NAME { all::run(args) } else { run::run(args) }
}

/// Replaces this process with the daemon's program, which can ask a daemon. Returns only if that fails.
fn reports(arguments: &[OsString]) -> Error {
    let named = std::env::var_os(executable::DAEMON_VARIABLE).map(PathBuf::from);
    match executable::daemon(named) {
        Ok(program) => {
            let mut command = std::process::Command::new(&program);
            let error = command.args(["lab", "reports"]).args(arguments).exec();
            Error::new(error).context(format!("run {}", program.display()))
        }
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
