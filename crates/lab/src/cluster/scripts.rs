//! Kafka's tools as scripts, with the names that Kafka's packages give them, for programs that run them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};

use super::java::{self, Size};
use super::tools::Tools;

const SIZE: Size = Size { heap_mib: 256 };

/// The scripts, and the programs that they run.
const SCRIPTS: [(&str, &str); 3] = [
    ("kafka-log-dirs.sh", "org.apache.kafka.tools.LogDirsCommand"),
    ("kafka-reassign-partitions.sh", "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"),
    ("kafka-topics.sh", "org.apache.kafka.tools.TopicCommand"),
];

impl Tools {
    /// Writes the scripts into `bin` in a new folder, which then looks like Kafka's own.
    pub fn write_scripts(&self, folder: &Path) -> Result<()> {
        let bin = folder.join("bin");
        fs::create_dir_all(&bin).with_context(|| format!("create {}", bin.display()))?;
        for (name, main) in SCRIPTS {
            let words = java::words(self.distribution(), SIZE, "warn", main, &[]);
            let file = bin.join(name);
            fs::write(&file, script(&words)).with_context(|| format!("write {}", file.display()))?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))
                .with_context(|| format!("make {} executable", file.display()))?;
        }
        Ok(())
    }
}

/// A script that runs a program with its own arguments behind the given ones.
fn script(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_changes_no_word() {
        let words = ["printf".to_owned(), "%s|".to_owned(), "/a/*".to_owned(), "it's $HOME".to_owned()];
        let output =
            std::process::Command::new("sh").args(["-c", &script(&words), "sh", "its own"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "/a/*|it's $HOME|its own|");
    }
}
