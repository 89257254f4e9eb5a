//! Completion of the command line in a shell. The script of [`script`] asks this program at each key, with the environment variable
//! `COMPLETE`, and [`answer`] replies: with commands and options, and with names that the running daemon has.
//!
//! The daemon that is asked is the one that the words so far are about. Without one, without a token, or if it does not answer at once,
//! there are no names, and no message that would spoil the line.

use std::ffi::{OsStr, OsString};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use serde_json::Value;

use crate::admin::client::{Client, part};
use crate::admin::profiles;
use crate::arguments::{Remote, order};
use crate::cli::Cli;
use crate::lab;

/// The shell's script sets it to its name.
const VARIABLE: &str = "COMPLETE";
/// Someone waits for the key that was pressed.
const WAIT_MAX: Duration = Duration::from_millis(700);

/// The kind of name that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Volumes,
    DeletedVolumes,
    /// `VOLUME@SNAPSHOT`
    Snapshots,
    /// Volumes, and `VOLUME@SNAPSHOT`.
    Sources,
    /// Without their volumes.
    SnapshotsAlone,
    Policies,
    Users,
    Tokens,
    Buckets,
    S3Users,
    S3Groups,
    Clusters,
    Topics,
    Clients,
    Profiles,
}

/// Answers the script of a shell, if it asks; then this does not return.
pub fn answer() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(|| with_names(lab::completed(Cli::command()), &[]))
            .var(VARIABLE)
            .complete();
    }
}

/// The script that makes a shell ask.
pub fn script(shell: Shell) -> Result<String> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let completer = shells.completer(&name).with_context(|| format!("no completion for {name}"))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "forebay", "forebay", "forebay", &mut script)?;
    let mut script = String::from_utf8(script)?;
    if shell == Shell::Zsh {
        // A shell that loads the file as a function wants an answer at once.
        script
            .push_str("if [ \"$funcstack[1]\" = \"_forebay\" ]; then _clap_dynamic_completer_forebay; fi\n");
    }
    Ok(script)
}

/// The command line with completers for names.
fn with_names(command: Command, path: &[String]) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let mut command = command.mut_args(|arg| match names_of(&words, &arg) {
        Some(names) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| candidates(names, typed))),
        None => arg,
    });
    for name in names {
        let below = [path, std::slice::from_ref(&name)].concat();
        command = command.mut_subcommand(&name, |child| with_names(child, &below));
    }
    command
}

fn names_of(path: &[&str], arg: &Arg) -> Option<Names> {
    if !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        return None;
    }
    let is_new = matches!(path.last(), Some(&("create" | "new")));
    Some(match (path, arg.get_id().as_str()) {
        // The lab's own arguments.
        (["lab", command, ..], _) if *command != "reports" => return None,
        (_, "export") => Names::Policies,
        (["profile", "use" | "remove"], "name") | (_, "profile") => Names::Profiles,
        (["volume", "recover" | "purge"], "name") => Names::DeletedVolumes,
        (["volume", "clone"], "source") => Names::Sources,
        (["volume", "clone"], _) => return None,
        (["volume", ..], "name") if !is_new => Names::Volumes,
        (["volume", "rollback"], "to") => Names::SnapshotsAlone,
        (["snapshot", ..], "volume" | "volumes") | (["export", "check"], "volume") => Names::Volumes,
        (["pool", "capacity"], "volume") => Names::Volumes,
        (["snapshot" | "kafka", ..], "snapshot") | (["kafka", ..], "without_snapshot") => Names::Snapshots,
        (["export", ..], "policy") => Names::Policies,
        (["export", ..], "name") if !is_new => Names::Policies,
        (["user", "show" | "set" | "delete"], "name") | (["token", ..], "user") => Names::Users,
        (["token", "delete"], "id") => Names::Tokens,
        (["bucket", ..], "name") if !is_new => Names::Buckets,
        (["bucket", ..], "owner") | (["s3", ..], "user") => Names::S3Users,
        (["s3", "user", ..], "name") if !is_new => Names::S3Users,
        (["s3", "group", ..], "name") if !is_new => Names::S3Groups,
        (["s3", ..], "group" | "groups") => Names::S3Groups,
        (["kafka", ..], "cluster") => Names::Clusters,
        (["kafka", ..], "topic" | "delete") => Names::Topics,
        (["nfs", ..], "client") => Names::Clients,
        _ => return None,
    })
}

fn candidates(names: Names, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    // Several volumes are separated by commas.
    let (before, last) = typed.rsplit_once(',').map_or(("", typed), |(before, last)| (before, last));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(known(names)));
    let known = receiver.recv_timeout(WAIT_MAX).ok().and_then(Result::ok).unwrap_or_default();
    let whole = |name: String| if before.is_empty() { name } else { format!("{before},{name}") };
    known.into_iter().filter(|name| name.starts_with(last)).map(whole).map(CompletionCandidate::new).collect()
}

/// Only the daemon's options.
#[derive(Parser)]
#[command(ignore_errors = true)]
struct OnlyRemote {
    #[command(flatten)]
    remote: Remote,
}

/// The names that are known.
fn known(names: Names) -> Result<Vec<String>> {
    if names == Names::Profiles {
        return Ok(profiles::load()?.list().map(|(name, _, _)| name.to_owned()).collect());
    }
    // The arguments from the shell: the program, `--`, and the words of the line.
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let OnlyRemote { remote } = OnlyRemote::try_parse_from(order::daemon_options(&words))?;
    let client = Client::new(&remote)?;
    let get = |path: &str| -> Result<Vec<Value>> {
        let answer: Value = client.get(path)?;
        answer["items"].as_array().cloned().ok_or_else(|| anyhow!("not a list"))
    };
    let field = |items: Vec<Value>, field: &str| -> Vec<String> {
        items.iter().filter_map(|item| item[field].as_str().map(str::to_owned)).collect()
    };
    let snapshots = || -> Result<Vec<String>> {
        let full = |item: &Value| Some(format!("{}@{}", item["volume"].as_str()?, item["name"].as_str()?));
        Ok(get("snapshots")?.iter().filter_map(full).collect())
    };
    Ok(match names {
        Names::Volumes => field(get("volumes")?, "name"),
        Names::DeletedVolumes => field(get("deleted-volumes")?, "name"),
        Names::Snapshots => snapshots()?,
        Names::Sources => [field(get("volumes")?, "name"), snapshots()?].concat(),
        Names::SnapshotsAlone => field(get("snapshots")?, "name"),
        Names::Policies => field(get("export-policies")?, "name"),
        Names::Users => field(get("users")?, "name"),
        Names::Tokens => field(get("tokens")?, "id"),
        Names::Buckets => field(get("buckets")?, "name"),
        Names::S3Users => field(get("s3/users")?, "name"),
        Names::S3Groups => field(get("s3/groups")?, "name"),
        Names::Clients => field(get("nfs/clients")?, "client"),
        Names::Clusters => field(get("kafka/clusters")?, "cluster"),
        Names::Topics => {
            let mut topics = Vec::new();
            for cluster in field(get("kafka/clusters")?, "cluster") {
                topics.extend(field(get(&format!("kafka/clusters/{}/topics", part(&cluster)))?, "topic"));
            }
            topics
        }
        Names::Profiles => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str], id: &str) -> Option<Names> {
        let mut command = Cli::command();
        for word in words {
            command = command.find_subcommand(word).unwrap_or_else(|| panic!("no {word}")).clone();
        }
        let arg = command.get_arguments().find(|arg| arg.get_id() == id);
        names_of(words, arg.unwrap_or_else(|| panic!("{words:?} has no {id}")))
    }

    #[test]
    fn arguments_that_name_something_take_its_names_and_new_names_are_free() {
        for (words, id, wanted) in [
            (&["volume", "show"][..], "name", Some(Names::Volumes)),
            (&["volume", "create"], "name", None),
            (&["volume", "create"], "export", Some(Names::Policies)),
            (&["volume", "clone"], "source", Some(Names::Sources)),
            (&["volume", "clone"], "name", None),
            (&["volume", "rename"], "new", None),
            (&["volume", "recover"], "name", Some(Names::DeletedVolumes)),
            (&["snapshot", "create"], "volumes", Some(Names::Volumes)),
            (&["snapshot", "create"], "name", None),
            (&["snapshot", "delete"], "snapshot", Some(Names::Snapshots)),
            (&["export", "rule", "add"], "policy", Some(Names::Policies)),
            (&["user", "delete"], "name", Some(Names::Users)),
            (&["token", "create"], "user", Some(Names::Users)),
            (&["bucket", "policy", "show"], "name", Some(Names::Buckets)),
            (&["kafka", "topic"], "topic", Some(Names::Topics)),
            (&["kafka", "history"], "topic", Some(Names::Topics)),
            (&["kafka", "snapshot"], "snapshot", Some(Names::Snapshots)),
            (&["volume", "list"], "profile", Some(Names::Profiles)),
            (&["volume", "delete"], "force", None),
        ] {
            assert_eq!(names(words, id), wanted, "{words:?} {id}");
        }
    }

    #[test]
    fn every_shell_has_a_script_that_asks_this_program() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = script(shell).unwrap();
            assert!(script.contains(VARIABLE) && script.contains("forebay"), "{shell}: {script}");
        }
    }
}
