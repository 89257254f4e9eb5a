//! The lab's part of the command-line reference, and its manual pages, made from the code.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;

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
