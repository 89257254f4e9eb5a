//! The lab's part of the command-line reference, its manual pages, and what `forebay completions` needs, made from the code.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Arg, Command, ValueHint};
use serde_json::{Value, json};

/// Columns that the help texts are wrapped at.
const COLUMNS: usize = 100;

/// The part of the page, in Markdown.
pub fn page(command: Command) -> String {
    let mut text = String::from("\n## The lab\n\n`forebay lab` runs the program `forebay-lab`.\n");
    let mut root = without_environment(command).term_width(COLUMNS);
    root.build();
    let name = root.get_name().to_owned();
    append(&mut text, &mut root, &name, 3);
    text.trim_end().to_owned()
}

/// Writes the manual pages of all commands.
pub fn manual(command: Command, directory: &Path) -> Result<()> {
    // The pages are named after the program: forebay-lab-run.1.
    let command = without_environment(command).bin_name("forebay-lab");
    clap_mangen::generate_to(command, directory)
        .with_context(|| format!("manual pages: cannot be written to {}; it must exist", directory.display()))
}

/// The commands and their options as JSON, from which `forebay completions` makes the part of its scripts about `forebay lab`.
pub fn commands(mut command: Command) -> Value {
    command.build();
    described(&command)
}

fn described(command: &Command) -> Value {
    let shown = command.get_subcommands().filter(|child| !child.is_hide_set());
    json!({
        "name": command.get_name(),
        "about": command.get_about().map(ToString::to_string),
        "arguments": command.get_arguments().filter(|argument| !argument.is_hide_set()).map(described_argument).collect::<Vec<_>>(),
        "commands": shown.map(described).collect::<Vec<_>>(),
    })
}

fn described_argument(argument: &Arg) -> Value {
    let values: Vec<_> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    json!({
        "id": argument.get_id().as_str(),
        "long": argument.get_long(),
        "short": argument.get_short(),
        "help": argument.get_help().map(ToString::to_string),
        "takes_value": argument.get_action().takes_values(),
        "is_path": matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath),
        "values": values,
    })
}

/// The command without the values that the environment happens to have.
fn without_environment(command: Command) -> Command {
    command.mut_args(|argument| argument.hide_env_values(true)).mut_subcommands(without_environment)
}

/// The help of a command, then of the commands below it.
fn append(text: &mut String, command: &mut Command, name: &str, depth: usize) {
    let help: Vec<_> =
        command.render_long_help().to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{} {name}\n\n```text\n{}\n```\n", "#".repeat(depth), help.join("\n").trim_end());
    for child in command.get_subcommands_mut() {
        // `reports` is a command of the daemon's program, and in its part of the page.
        if !["help", "reports"].contains(&child.get_name()) && !child.is_hide_set() {
            let name = child.get_bin_name().unwrap_or(child.get_name()).to_owned();
            append(text, child, &name, depth + 1);
        }
    }
}
