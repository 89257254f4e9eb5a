//! The Errors that were thrown inside the plugins, from the brokers' logs.

use std::collections::BTreeMap;
use std::fmt;

use crate::testbed::Testbed;

/// The classes in `kafka/lab/faults` log `thrown: ERROR in CALL` before they throw an Error.
const MARK: &str = "thrown: ";
const ERRORS: [&str; 3] = ["OutOfMemoryError", "StackOverflowError", "NoClassDefFoundError"];
const CALLS: [&str; 5] = ["copy-segment", "copy-indexes", "fetch-segment", "fetch-indexes", "delete"];

/// How often each Error was thrown in each call.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Thrown(BTreeMap<(String, String), u64>);

/// Counts what all brokers have thrown since the run began.
pub fn count(testbed: &Testbed) -> Thrown {
    let mut thrown = Thrown::default();
    for broker in testbed.cluster.brokers() {
        thrown.take(&std::fs::read_to_string(broker.log_file()).unwrap_or_default());
    }
    thrown
}

impl Thrown {
    fn take(&mut self, log: &str) {
        for line in log.lines() {
            let Some((_, said)) = line.split_once(MARK) else { continue };
            let Some((error, call)) = said.trim_end().split_once(" in ") else { continue };
            *self.0.entry((call.to_owned(), error.to_owned())).or_default() += 1;
        }
    }

    /// Whether each was thrown in each call.
    pub fn is_complete(&self) -> bool {
        CALLS.iter().all(|call| ERRORS.iter().all(|error| self.of(call, error) > 0))
    }

    fn of(&self, call: &str, error: &str) -> u64 {
        self.0.get(&(call.to_owned(), error.to_owned())).copied().unwrap_or(0)
    }
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, call) in CALLS.iter().enumerate() {
            let counts = ERRORS.map(|error| self.of(call, error).to_string()).join(" + ");
            write!(f, "{}{call} {counts}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_must_be_in_each_call() {
        let mut log = String::from("10:00:00.000 INFO kafka.Kafka - started\n");
        for call in CALLS {
            for error in ERRORS {
                log.push_str(&format!(
                    "10:00:00.000 INFO forebay.faults.Errors - thrown: {error} in {call}\n"
                ));
            }
        }
        let mut all = Thrown::default();
        all.take(&log);
        assert!(all.is_complete());
        assert!(all.to_string().starts_with("copy-segment 1 + 1 + 1, copy-indexes"));
        let mut most = Thrown::default();
        most.take(&log[..log.trim_end().rfind('\n').unwrap()]);
        assert!(!most.is_complete());
    }
}
