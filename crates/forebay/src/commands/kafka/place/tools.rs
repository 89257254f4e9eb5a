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

    /// Has Kafka's tool look at the replicas of a reassignment. With `unthrottle`, and if they are where they belong, it removes all throttles of
    /// replication from the brokers, also those that others have set. Returns what it prints.
    pub fn verify(&self, plan: &Path, unthrottle: bool) -> Result<String> {
        let mut words = vec!["--verify", "--reassignment-json-file"];
        let plan = plan.to_string_lossy();
        words.push(&plan);
        words.extend((!unthrottle).then_some(PRESERVE));
        self.run(REASSIGN, &words)
    }

    /// The command line that verifies a reassignment.
    pub fn verify_words(&self, plan: &Path, unthrottle: bool) -> String {
        let preserve = if unthrottle { String::new() } else { format!(" {PRESERVE}") };
        let file = plan.display();
        format!("{} --verify --reassignment-json-file {file}{preserve}", self.words(REASSIGN))
    }

    /// The command line that removes the throttle of a broker.
    pub fn unthrottle_words(&self, broker: u32) -> String {
        format!(
            "{} --alter --entity-type brokers --entity-name {broker} --delete-config {THROTTLE}",
            self.words("kafka-configs")
        )
    }

    /// The beginning of a tool's command line.
    fn words(&self, name: &str) -> String {
        let config = self.command_config.as_ref().map(|file| format!(" --command-config {}", file.display()));
        let program =
            self.program(name).map_or_else(|_| format!("{name}.sh"), |program| program.display().to_string());
        format!("{program} --bootstrap-server {}{}", self.bootstrap_server, config.unwrap_or_default())
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
const PRESERVE: &str = "--preserve-throttles";
/// The broker's configuration that `--replica-alter-log-dirs-throttle` sets.
const THROTTLE: &str = "replica.alter.log.dirs.io.max.bytes.per.second";
/// The number of lines that are quoted below one that ends with a colon.
const QUOTED_MAX: usize = 3;

/// Returns the description of the problem in a tool's output, as one line.
fn complaint(said: &str, errors: &str) -> String {
    let lines = || errors.lines().chain(said.lines()).map(str::trim).filter(|line| !line.is_empty());
    let telling =
        |line: &&str| ["Error", "Exception", "Timed out", "annot "].iter().any(|word| line.contains(word));
    let first = lines().find(telling).or_else(|| lines().next()).unwrap_or("it printed nothing");
    if !first.ends_with(':') {
        return first.to_owned();
    }
    let below: Vec<&str> = lines().skip_while(|line| *line != first).skip(1).take(QUOTED_MAX).collect();
    format!("{first} {}", below.join("; "))
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
    fn only_a_plan_with_a_throttle_has_throttles_removed() {
        let tools = Tools { directory: "/k".into(), bootstrap_server: "b:1".into(), command_config: None };
        let words = |unthrottle| tools.verify_words(Path::new("/p"), unthrottle);
        let verify =
            "kafka-reassign-partitions.sh --bootstrap-server b:1 --verify --reassignment-json-file /p";
        assert_eq!(
            (words(true), words(false)),
            (verify.to_owned(), format!("{verify} --preserve-throttles"))
        );
    }

    #[test]
    fn the_line_with_the_cause_is_found() {
        let errors =
            "[2026] WARN something\norg.apache.kafka.common.errors.TimeoutException: no node\n\tat x\n";
        assert_eq!(complaint("Querying brokers\n", errors), errors.lines().nth(1).unwrap());
        assert_eq!(complaint("\n", "Missing option\n"), "Missing option");
        assert_eq!(complaint("", ""), "it printed nothing");
        let listed = "Current partition replica assignment\n\nError reassigning partition(s):\nt-0: no such topic\nt-1: no such topic\n";
        assert_eq!(
            complaint(listed, ""),
            "Error reassigning partition(s): t-0: no such topic; t-1: no such topic"
        );
    }
}
