//! `forebay lab`: everything but `reports` is done by the program `forebay-lab`, which this process becomes.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::{Arg, ArgAction, Command as Described, ValueHint};
use serde::Deserialize;

/// The lab's program.
const PROGRAM: &str = "forebay-lab";
/// Tells the lab which daemon to test, if the user has not named one.
const DAEMON_VARIABLE: &str = "FOREBAY_LAB_DAEMON";

/// The words after `forebay lab`, if the command line begins so and the lab's program is the one to understand them.
pub fn arguments() -> Option<Vec<OsString>> {
    let mut words = std::env::args_os().skip(1);
    let rest: Vec<_> = words.next().filter(|word| word == "lab").map(|_| words.collect())?;
    (rest.first().is_none_or(|word| word != "reports")).then_some(rest)
}

/// Replaces this process with the lab's program. Returns only if that fails.
pub fn run(arguments: &[OsString]) -> Result<Infallible> {
    let own = std::env::current_exe().context("find this program")?;
    let program = find(&own, std::env::var_os("PATH").as_deref()).with_context(|| missing(&own))?;
    let mut command = Command::new(&program);
    command.args(arguments);
    if std::env::var_os(DAEMON_VARIABLE).is_none() {
        command.env(DAEMON_VARIABLE, &own);
    }
    Err(command.exec()).with_context(|| format!("run {}", program.display()))
}

/// A command of the lab, as the lab's program describes it.
#[derive(Deserialize)]
struct LabCommand {
    name: String,
    about: Option<String>,
    arguments: Vec<LabArgument>,
    commands: Vec<Self>,
}

/// An argument of a command of the lab.
#[derive(Deserialize)]
struct LabArgument {
    id: String,
    long: Option<String>,
    short: Option<char>,
    help: Option<String>,
    takes_value: bool,
    is_path: bool,
    values: Vec<String>,
}

/// The command line with the lab's commands below `lab`, for scripts that complete it. Without the lab's program there are none.
pub fn completed(command: Described) -> Described {
    let Some(lab) = ask() else { return command };
    command.mut_subcommand("lab", |own| {
        let known: Vec<_> = own.get_subcommands().map(|child| child.get_name().to_owned()).collect();
        let others =
            lab.commands.into_iter().filter(|child| child.name != "help" && !known.contains(&child.name));
        own.subcommands(others.map(described))
    })
}

/// Asks the lab's program for its commands.
fn ask() -> Option<LabCommand> {
    let own = std::env::current_exe().ok()?;
    let program = find(&own, std::env::var_os("PATH").as_deref())?;
    let output = Command::new(program).arg("commands").output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn described(command: LabCommand) -> Described {
    let arguments =
        command.arguments.into_iter().filter(|argument| argument.id != "help").map(described_argument);
    let mut described = Described::new(command.name).args(arguments);
    if let Some(about) = command.about {
        described = described.about(about);
    }
    described
        .subcommands(command.commands.into_iter().filter(|child| child.name != "help").map(self::described))
}

fn described_argument(argument: LabArgument) -> Arg {
    let mut described = Arg::new(argument.id);
    if argument.takes_value {
        described = described.action(ArgAction::Append).value_hint(if argument.is_path {
            ValueHint::AnyPath
        } else {
            ValueHint::Unknown
        });
        if !argument.values.is_empty() {
            described = described.value_parser(argument.values);
        }
    } else {
        described = described.action(ArgAction::SetTrue);
    }
    if let Some(long) = argument.long {
        described = described.long(long);
    }
    if let Some(short) = argument.short {
        described = described.short(short);
    }
    described.help(argument.help.unwrap_or_default())
}

/// The lab's program: beside this one, else in a directory of PATH.
fn find(own: &Path, search_path: Option<&OsStr>) -> Option<PathBuf> {
    let beside = own.with_file_name(PROGRAM);
    let in_path = search_path.into_iter().flat_map(std::env::split_paths).map(|folder| folder.join(PROGRAM));
    std::iter::once(beside).chain(in_path).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|stat| stat.is_file() && stat.permissions().mode() & 0o111 != 0)
}

fn missing(own: &Path) -> String {
    let folder = own.parent().unwrap_or(own).display();
    format!(
        "`forebay lab` needs the program {PROGRAM}, which is neither in {folder}, where this program is, nor in PATH: the Debian package \
         `forebay` installs it, and `make build` builds it"
    )
}
