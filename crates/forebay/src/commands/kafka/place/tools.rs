//! Runs Kafka's tools.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// How long a tool waits for brokers to accept a plan.
const ACCEPT_MS: &str = "120000";

/// The tools of one installation, for one cluster.
#[derive(Debug)]
pub struct Tools {
    /// Kafka's directory, or the one with its tools.
    pub directory: PathBuf,
    /// The brokers to ask.
    pub bootstrap_server: String,
    /// Properties of the tools' client.
    pub command_config: Option<PathBuf>,
}

impl Tools {
    /// Output of `kafka-log-dirs.sh --describe`.
    pub fn log_dirs(&self) -> Result<String> {
        self.run("kafka-log-dirs", &["--describe"])
    }

    /// Output of `kafka-topics.sh --describe`.
    pub fn topics(&self) -> Result<String> {
        self.run("kafka-topics", &["--describe"])
    }

    /// Gives Kafka a reassignment to carry out.
    pub fn execute(&self, plan: &Path, throttle: Option<u64>) -> Result<()> {
        let (plan, throttle) = (plan.to_string_lossy(), throttle.map(|rate| rate.to_string()));
        let mut words = vec!["--execute", "--reassignment-json-file", &plan, "--timeout", ACCEPT_MS];
        words.extend(throttle.iter().flat_map(|rate| ["--replica-alter-log-dirs-throttle", rate.as_str()]));
        self.run(REASSIGN, &words).map(drop)
    }

    /// Has Kafka's tool look at the replicas of a reassignment; if they are where they belong, it removes the throttle. Returns what it
    /// prints.
    pub fn verify(&self, plan: &Path) -> Result<String> {
        self.run(REASSIGN, &["--verify", "--reassignment-json-file", &plan.to_string_lossy()])
    }

    /// The command line that verifies a reassignment.
    pub fn verify_words(&self, plan: &Path) -> String {
        let config = self.command_config.as_ref().map(|file| format!(" --command-config {}", file.display()));
        format!(
            "{} --bootstrap-server {}{} --verify --reassignment-json-file {}",
            self.program(REASSIGN)
                .map_or_else(|_| format!("{REASSIGN}.sh"), |program| program.display().to_string()),
            self.bootstrap_server,
            config.unwrap_or_default(),
            plan.display()
        )
    }

    /// The file of a tool. Some packages leave out the ending.
    fn program(&self, name: &str) -> Result<PathBuf> {
        let inner = self.directory.join("bin");
        let files = [&inner, &self.directory]
            .map(|directory| [format!("{name}.sh"), name.to_owned()].map(|file| directory.join(file)));
        files.into_iter().flatten().find(|file| file.is_file()).with_context(|| {
            format!(
                "--kafka {}: there is no {name}.sh in it, nor in its folder bin",
                self.directory.display()
            )
        })
    }

    fn run(&self, name: &str, words: &[&str]) -> Result<String> {
        let program = self.program(name)?;
        let mut command = Command::new(&program);
        command.args(["--bootstrap-server", &self.bootstrap_server]);
        if let Some(file) = &self.command_config {
            command.arg("--command-config").arg(file);
        }
        // In a process group of its own, so that Ctrl-C does not end it in the middle of its requests.
        command.args(words).stdin(Stdio::null()).process_group(0);
        let output = command.output().with_context(|| format!("{} cannot be run", program.display()))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("{} failed ({}): {}", program.display(), output.status, complaint(&said, &errors));
        }
        Ok(said)
    }
}

const REASSIGN: &str = "kafka-reassign-partitions";

/// The line of a tool's output that describes the problem.
fn complaint<'a>(said: &'a str, errors: &'a str) -> &'a str {
    let lines = || errors.lines().chain(said.lines()).map(str::trim).filter(|line| !line.is_empty());
    let telling =
        |line: &&str| ["Error", "Exception", "Timed out", "annot "].iter().any(|word| line.contains(word));
    lines().find(telling).or_else(|| lines().next()).unwrap_or("it printed nothing")
}

/// The text of a file, or of standard input for `-`.
pub fn read(file: &Path) -> Result<String> {
    if file == Path::new("-") {
        return std::io::read_to_string(std::io::stdin()).context("standard input cannot be read");
    }
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Writes a plan to a new file that only this user can change.
pub fn keep(text: &str) -> Result<PathBuf> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let folder = std::env::temp_dir();
    for number in 1..=10_000_u32 {
        let file = folder.join(format!("forebay-place-{}-{number}.json", std::process::id()));
        match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
            Ok(mut open) => {
                open.write_all(text.as_bytes())
                    .with_context(|| format!("{} cannot be written", file.display()))?;
                return Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("{} cannot be created", file.display())),
        }
    }
    bail!("{} is full of files forebay-place-*.json: remove them", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_cause_is_found() {
        let errors =
            "[2026] WARN something\norg.apache.kafka.common.errors.TimeoutException: no node\n\tat x\n";
        assert_eq!(complaint("Querying brokers\n", errors), errors.lines().nth(1).unwrap());
        assert_eq!(complaint("\n", "Missing option\n"), "Missing option");
        assert_eq!(complaint("", ""), "it printed nothing");
    }
}
