//! Watches brokers, and describes how they ended and whether their records are intact.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Map, Value};

use super::own_cluster::{Testbed, figure};
use crate::cluster::{Broker, failure_excerpt};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Excerpt, Recorder, number};

/// The prefix of the name that a client's kernel gives to a file that was removed while it was open.
pub const SILLY: &str = ".nfs";
/// How many brokers' logs to quote.
const EXCERPTS_MAX: usize = 2;

/// The brokers whose process ended, and how.
#[derive(Debug, Default)]
pub struct Ended {
    how: BTreeMap<u32, String>,
}

impl Ended {
    /// The number of brokers that have ended so far.
    pub fn count(&self) -> usize {
        self.how.len()
    }

    /// Checks the brokers again. Returns true if another one has ended since.
    pub fn look(&mut self, testbed: &Testbed, recorder: &Recorder) -> Result<bool> {
        let before = self.count();
        for broker in testbed.cluster.brokers() {
            if let Some(exit) = broker.exit()?
                && !self.how.contains_key(&broker.id())
            {
                recorder.end(&testbed.actor(broker.id()), Tone::Bad);
                recorder.event(Tone::Bad, format_args!("broker {} shut down ({exit})", broker.id()));
                self.how.insert(broker.id(), exit.to_string());
            }
        }
        Ok(self.count() > before)
    }

    /// Waits a little for a broker to end. Returns true if one has ended.
    pub fn wait_for_one(&mut self, testbed: &Testbed, recorder: &Recorder) -> Result<bool> {
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.count() == 0 && Instant::now() < deadline {
            self.look(testbed, recorder)?;
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(self.count() > 0)
    }

    /// Checks that no broker ended, and quotes the logs of those that did.
    pub fn check(&self, testbed: &Testbed, environment: &Environment, recorder: &Recorder) {
        let all = testbed.cluster.brokers().len();
        let mut reason = None;
        for broker in testbed.cluster.brokers().iter().filter(|broker| self.how.contains_key(&broker.id())) {
            let lines = failure_excerpt(broker.log_file());
            reason = reason.or_else(|| explain(&lines));
            if self.how.keys().take(EXCERPTS_MAX).any(|id| *id == broker.id()) {
                recorder.excerpt(excerpt(broker, environment, lines));
            }
        }
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let detail = match (self.count(), self.how.first_key_value()) {
            (1, Some((id, how))) => format!("broker {id} shut down ({how}){reason}"),
            (count, Some((id, how))) => {
                format!("{count} of {all} brokers shut down, such as broker {id} ({how}){reason}")
            }
            (_, None) => format!("{all} of {all} run"),
        };
        recorder.check("processes", "No broker process ended", self.count() == 0, detail);
    }
}

/// The silly-renamed files that a broker's log names. The client removes the files themselves when the broker ends.
pub fn silly_files_in(log: &str) -> BTreeSet<String> {
    let words = log.split_whitespace().filter(|word| word.contains(&format!("/{SILLY}")));
    words.map(|word| word.trim_matches([':', ',', '\'', '"']).to_owned()).collect()
}

fn excerpt(broker: &Broker, environment: &Environment, lines: Vec<String>) -> Excerpt {
    let file = broker.log_file();
    Excerpt {
        title: format!("Log of broker {} before it ended", broker.id()),
        file: file.strip_prefix(environment.out()).unwrap_or(file).display().to_string(),
        lines,
        highlight: SILLY.to_owned(),
    }
}

/// The line that names the cause: the one with a silly-renamed file if there is one, otherwise the first.
fn explain(lines: &[String]) -> Option<String> {
    let line = lines.iter().find(|line| line.contains(SILLY)).or_else(|| lines.first())?;
    // The message of an exception is more informative than its class.
    let message = line.split_once("Exception: ").map_or(line.as_str(), |(_, message)| message);
    Some(message.trim().to_owned())
}

/// Whether a verification passed, and a description of its findings.
pub fn describe_verification(summary: &Map<String, Value>) -> (bool, String) {
    let passed = summary.get("passed").and_then(Value::as_bool).unwrap_or(false);
    let (verified, acknowledged) = (figure(summary, "verified"), figure(summary, "acknowledged"));
    let mut text = format!("{} of {}", number(verified), number(acknowledged));
    for (name, words) in [
        ("missing", "missing"),
        ("duplicates", "there twice"),
        ("corrupt", "corrupt"),
        ("moved", "at another place than acknowledged"),
        ("foreign", "of another run"),
    ] {
        let count = figure(summary, name);
        if count > 0.0 {
            text.push_str(&format!(", {count} {words}"));
        }
    }
    let problem = summary.get("problems").and_then(|problems| problems.get(0)).and_then(Value::as_str);
    if let Some(problem) = problem {
        text.push_str(&format!(" ({problem})"));
    }
    (passed, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_silly_renamed_file_is_the_reason_wherever_it_stands() {
        let lines = [
            "20:31:07.123 ERROR LogDirFailureChannel - Error while deleting dir for demo-0".to_owned(),
            "java.nio.file.FileSystemException: /mnt/demo-0.x-delete/.nfs01: Device or resource busy"
                .to_owned(),
        ];
        assert_eq!(explain(&lines).unwrap(), "/mnt/demo-0.x-delete/.nfs01: Device or resource busy");
        assert_eq!(explain(&[]), None);
    }

    #[test]
    fn silly_renamed_files_are_found_in_a_log() {
        let log = "INFO moved\njava.nio.file.FileSystemException: /mnt/b1/t-0-delete/.nfs01: Device or resource busy\n\
                   Caused by: java.nio.file.FileSystemException: /mnt/b1/t-0-delete/.nfs01: Device or resource busy\n";
        assert_eq!(silly_files_in(log), BTreeSet::from(["/mnt/b1/t-0-delete/.nfs01".to_owned()]));
        assert!(silly_files_in("nothing of the kind").is_empty());
    }

    #[test]
    fn a_verification_is_told_in_words() {
        let summary = serde_json::json!({
            "passed": false, "verified": 8, "acknowledged": 10, "missing": 2, "corrupt": 0,
            "problems": ["record 3, acknowledged at partition 0 offset 3, is missing"],
        });
        let (passed, text) = describe_verification(summary.as_object().unwrap());
        assert!(!passed);
        assert_eq!(text, "8 of 10, 2 missing (record 3, acknowledged at partition 0 offset 3, is missing)");
    }
}
