//! The `forebay` binary: the command line, the configuration, and the wiring of the parts.
//!
//! Start reading at [`commands::serve`], which opens the pool and starts the servers on it. The modules are floors, the ground
//! first. Each uses only those above it in this list:
//!
//! | floor | purpose |
//! |---|---|
//! | [`config`] | the settings, and the sources of their values |
//! | [`arguments`] | arguments that several commands share |
//! | [`output`] | what commands print |
//! | [`lab`] | runs the lab, a program of its own |
//! | [`admin`] | the client of a daemon's API |
//! | [`traces`] | spans for a collector of OpenTelemetry |
//! | [`logging`] | the daemon's log |
//! | [`commands`] | the commands, a folder or file for each family |
//! | [`remote`] | the lab's command that asks a daemon |
//! | [`cli`] | the command line: all commands together |
//! | [`completion`] | completes words of the command line in a shell |
//! | [`reference`](mod@reference) | the pages that are generated from all of this |

mod admin;
mod arguments;
mod cli;
mod commands;
mod completion;
mod config;
mod lab;
mod logging;
mod output;
mod reference;
mod remote;
mod traces;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command, LabCommand};
use commands::cluster::ClusterCommand;
use commands::pool::{DamagedFrames, Differences};
use commands::{
    account, alert, bucket, cluster, config as config_command, event, export, init, job, kafka, nfs, object,
    pool, profile, s3, serve, setup, size, snapshot, status, support, volume,
};
use config::ConfigError;

/// Returns memory to the system soon after a load ends, which glibc's allocator does not. Its settings are in
/// .cargo/config.toml.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The command failed.
const STATUS_FAILED: u8 = 1;
/// The command line or the configuration is invalid. clap uses the same status.
const STATUS_USAGE: u8 = 2;
/// The pool was not opened because it is inconsistent. A restart does not change that.
const STATUS_REFUSED: u8 = 3;
/// A check found differences.
const STATUS_DIFFERENCES: u8 = 4;

fn main() -> ExitCode {
    completion::answer();
    if let Some(arguments) = lab::arguments() {
        return run_lab(&arguments);
    }
    let words = arguments::order::ordered(std::env::args_os());
    let command = match Cli::try_parse_from(&words) {
        Ok(Cli { command }) => command,
        Err(error) => return refuse(&cli::without_settings_in_usage(error, &words), &words),
    };
    let result = match command {
        Command::Serve(settings) => {
            settings.load().map_err(Into::into).and_then(|config| serve::run(&config))
        }
        Command::Setup(arguments) => setup::run(&arguments),
        Command::Status(arguments) => return status::run(&arguments),
        Command::Init(settings) => settings.load().map_err(Into::into).and_then(|config| init::run(&config)),
        Command::Config(command) => config_command::run(command),
        Command::Volume(command) => volume::run(command),
        Command::Bucket(command) => bucket::run(command),
        Command::Object(command) => object::run(command),
        Command::S3(command) => s3::run(command),
        Command::Snapshot(command) => snapshot::run(command),
        Command::Export(command) => export::run(command),
        Command::Nfs(command) => nfs::run(command),
        Command::Pool(command) => pool::run(command),
        Command::Cluster(ClusterCommand::Status { database, remote }) => {
            return cluster::status(&database, &remote);
        }
        Command::Cluster(command) => cluster::run(command),
        Command::User(command) => account::run_user(command),
        Command::Token(command) => account::run_token(command),
        Command::Whoami { remote } => account::whoami(&remote),
        Command::Alert(command) => alert::run(command),
        Command::Event(command) => event::run(command),
        Command::Job(command) => job::run(command),
        Command::Kafka(command) => kafka::run(command),
        Command::Profile(command) => profile::run(command),
        Command::Support(command) => support::run(command),
        Command::Completions { shell } => {
            completion::script(shell).and_then(|script| output::print_own(&script))
        }
        Command::Man { directory } => reference::manual(&directory),
        Command::Size(wanted) => size::run(&wanted),
        Command::Lab(LabCommand::Other(arguments)) => return run_lab(&arguments),
        Command::Lab(LabCommand::Reports { remote }) => remote::lab::reports(&remote),
        Command::Reference { page } => output::print_own(&reference::page(page)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(if error.is::<ConfigError>() {
                STATUS_USAGE
            } else if error.is::<Differences>() || error.is::<DamagedFrames>() {
                STATUS_DIFFERENCES
            } else if is_refusal(&error) {
                STATUS_REFUSED
            } else {
                STATUS_FAILED
            })
        }
    }
}

/// Returns only if the lab's program cannot be run.
fn run_lab(arguments: &[OsString]) -> ExitCode {
    let Err(error) = lab::run(arguments);
    output::complain(&format!("{error:#}"));
    ExitCode::from(STATUS_FAILED)
}

fn is_refusal(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(forebay_pool::Error::Refused { .. }))
}

/// Reports a usage error, or prints the requested help.
fn refuse(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let plain = error.to_string();
    let is_sound = |line: &str| line.chars().all(forebay_pool::is_printable);
    if plain.lines().all(is_sound) {
        // The reader may close the pipe before it has read all of the help.
        let _ = error.print();
    } else {
        // The message repeats what the user typed.
        plain.lines().for_each(output::complain);
    }
    if let Some(hint) = cli::hint(error, words) {
        eprintln!("\n{hint}");
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(STATUS_USAGE))
}
