//! What an invalid command line is answered with.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use super::Cli;

/// Verbs, and the one that commands have for each.
const VERBS: [(&str, &str); 12] = [
    ("list", "list"),
    ("ls", "list"),
    ("show", "show"),
    ("get", "show"),
    ("describe", "show"),
    ("create", "create"),
    ("add", "create"),
    ("delete", "delete"),
    ("remove", "delete"),
    ("rm", "delete"),
    ("rename", "rename"),
    ("modify", "modify"),
];

/// The same error with a usage line that names only what was typed. clap counts a setting from the environment as typed.
pub fn without_settings_in_usage(error: clap::Error, words: &[OsString]) -> clap::Error {
    let typed = without_environment(Cli::command()).try_get_matches_from(words);
    match typed {
        // Another error means that the environment matters for this one.
        Err(other) if other.kind() == error.kind() => other,
        _ => error,
    }
}

fn without_environment(command: Command) -> Command {
    command.mut_args(|argument| argument.env(Resettable::Reset)).mut_subcommands(without_environment)
}

/// How to go on after a word that is no command.
pub fn hint(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let word = words.get(1)?.to_str()?;
    let (_, verb) = VERBS.iter().find(|(typed, _)| *typed == word)?;
    (error.kind() == ErrorKind::InvalidSubcommand).then(|| {
        format!(
            "A command begins with its object: `forebay volume {verb}`, `forebay snapshot {verb}`. `forebay status` shows the state of the daemon."
        )
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn refused(line: &str) -> (clap::Error, Vec<OsString>) {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        (Cli::try_parse_from(&words).unwrap_err(), words)
    }

    #[test]
    fn a_verb_without_an_object_leads_to_the_commands_that_have_it() {
        for typed in ["forebay list", "forebay ls"] {
            let (error, words) = refused(typed);
            assert!(hint(&error, &words).unwrap().contains("`forebay volume list`"), "{typed}");
        }
        for other in ["forebay lists", "forebay volume ls", "forebay volume create"] {
            let (error, words) = refused(other);
            assert_eq!(hint(&error, &words), None, "{other}");
        }
    }
}
