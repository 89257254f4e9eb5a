//! `sizing`: does the throughput of one node predict that of a cluster? The storage reports' rule (E7).
//!
//! The rule: a broker stores `factor / brokers` of the data that the cluster takes in, so a cluster takes in at most
//! `storage throughput of a node × brokers ÷ factor`. One node is measured, the rule then gives a table, and one of its rows is tested.
//!
//! All brokers of the lab share one machine, where three of them do not have three times the processors of one. So each broker's
//! volume has a limit that they can reach together. On storages without limits the result is shown, but not compared with the prediction.

use anyhow::{Context, Result};

use super::definition::Experiment;
use super::scaling::{Node, limit};
use super::throughput::reports_driver;
use crate::host::Environment;
use crate::report::{Better, Recorder, Subject, number};
use crate::request::{Profile, Request};
use crate::testbed::{Tally, Target as _, Testbed, Title, Trial};

/// The experiment.
pub struct Sizing;

const REPETITIONS: u32 = 3;
/// The tolerated deviation from the prediction, as a fraction.
const TOLERANCE: f64 = 0.15;
/// Replication factors of the table.
const FACTORS: [u32; 3] = [1, 2, 3];
/// The row that is run.
const BROKERS: u32 = 3;
const FACTOR: u32 = 2;

fn limit_of(profile: Profile) -> u64 {
    match profile {
        Profile::Laptop => 2_000_000,
        Profile::Full => 1_000_000_000,
    }
}

impl Experiment for Sizing {
    fn name(&self) -> &'static str {
        "sizing"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Sizing",
            question: "Does the throughput of one node's storage predict the throughput of a cluster?",
            method: "First, one broker alone on its volume takes in as much as its storage allows: every batch must be on the storage before it is \
                     acknowledged. The rule 'a cluster takes in the throughput of a node's storage, times the number of brokers, divided by the \
                     replication factor' then gives a table of predictions. One row is tested: three brokers, factor 2. If the storage \
                     can limit volumes, each broker's volume has a limit, because all brokers of the lab share one machine's processors.",
        }
    }

    fn needs_guests(&self) -> bool {
        false
    }

    fn disk_bytes(&self, profile: Profile) -> u64 {
        /// More than most storages take.
        const BYTES_PER_SECOND: u64 = 500_000_000;
        let Node { warmup, measured, .. } = Node::of(profile);
        (warmup + measured).as_secs().saturating_mul(u64::from(FACTOR) * BYTES_PER_SECOND)
    }

    fn is_of_reports(&self) -> bool {
        true
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let node = Node::of(request.profile);
        let bytes = limit_of(request.profile);
        let repetitions = request.repetitions.unwrap_or(REPETITIONS);
        let mut work =
            Work { environment, request, recorder, node, bytes, limited: false, tally: Tally::default() };
        recorder.setting("repetitions", repetitions);
        let storage = work.measure("node", 1, 1, repetitions)?;
        let of_node =
            work.tally.median("node_mb_per_s", &storage).context("the node could not be measured")?;
        tell_table(of_node, recorder);
        work.measure("cluster", BROKERS, FACTOR, repetitions)?;
        Ok(work.conclude(of_node, &storage))
    }
}

/// The throughput of a cluster, in the unit of the node's throughput.
fn predicted(of_node: f64, brokers: u32, factor: u32) -> f64 {
    of_node * f64::from(brokers) / f64::from(factor)
}

/// The rule's table, as figures.
fn tell_table(of_node: f64, recorder: &Recorder) {
    for brokers in [BROKERS, 2 * BROKERS, 4 * BROKERS] {
        for factor in FACTORS {
            recorder.figure(
                &format!("predicted_{brokers}_brokers_factor_{factor}_mb_per_s"),
                &format!("Predicted: {brokers} brokers, factor {factor}"),
                predicted(of_node, brokers, factor),
                "MB/s",
            );
        }
    }
}

struct Work<'a> {
    environment: &'a Environment,
    request: &'a Request,
    recorder: &'a Recorder,
    node: Node,
    bytes: u64,
    limited: bool,
    tally: Tally,
}

impl Work<'_> {
    /// Measures the throughput of this many brokers; returns the storage's name.
    fn measure(&mut self, what: &str, brokers: u32, factor: u32, repetitions: u32) -> Result<String> {
        let testbed =
            Testbed::start(self.environment, self.request, &self.node.testbed(brokers), self.recorder)?;
        self.limited = testbed.storage.volumes().is_ok();
        if self.limited {
            limit(&testbed, Some(self.bytes))?;
            self.recorder.setting("limit of each broker's volume, bytes/s", self.bytes);
        }
        let (load, clients) = (self.node.load("sizing"), reports_driver(true, factor));
        for repetition in 1..=repetitions {
            self.recorder.stage(&format!("{what}, {repetition} of {repetitions}"));
            let label = format!("{what}-{repetition}");
            let trial = Trial { target: &testbed, label, load: &load, clients: &clients };
            if let Some(outcome) = trial.run(self.recorder)? {
                let produced = outcome.result.phase("steady")?.publish_bytes_per_second / 1e6;
                self.tally.add(&format!("{what}_mb_per_s"), testbed.name(), produced);
            }
        }
        Ok(testbed.name().to_owned())
    }

    fn conclude(&self, of_node: f64, storage: &str) -> String {
        let recorder = self.recorder;
        for (name, title) in [
            ("node_mb_per_s", "One node takes in".to_owned()),
            ("cluster_mb_per_s", format!("{BROKERS} brokers with factor {FACTOR} take in")),
        ] {
            let title = Title { name, title: &title, unit: "MB/s", better: Better::Higher };
            self.tally.report(&title, &[storage.to_owned()], None, recorder);
        }
        let expected = predicted(of_node, BROKERS, FACTOR);
        let found = self.tally.median("cluster_mb_per_s", storage).unwrap_or(0.0);
        let detail = format!("{} MB/s, {} MB/s predicted", number(found), number(expected));
        let near = (found / expected - 1.0).abs() <= TOLERANCE;
        let title = if self.limited {
            format!("{BROKERS} brokers with factor {FACTOR} reach the predicted throughput")
        } else {
            format!(
                "{BROKERS} brokers with factor {FACTOR} accept data; not compared, because they share one machine's processors"
            )
        };
        recorder.check("predicted_row", &title, if self.limited { near } else { found > 0.0 }, detail);
        let judged = if self.limited {
            ""
        } else {
            ", which is not compared, because they share one machine's processors"
        };
        format!(
            "One node takes in {} MB/s, so {BROKERS} brokers with factor {FACTOR} should take in {}; they do {}{judged}.",
            number(of_node),
            number(expected),
            number(found)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_the_reports() {
        // A node of 10.2 GB/s, and as many brokers as controllers: factor 1, 2 and 3.
        let rows = FACTORS.map(|factor| predicted(10.2, 1, factor));
        assert!(
            (rows[0] - 10.2).abs() < 1e-9 && (rows[1] - 5.1).abs() < 1e-9 && (rows[2] - 3.4).abs() < 1e-9
        );
    }
}
