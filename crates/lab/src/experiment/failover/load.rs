//! The producers that write throughout.

use std::time::Duration;

use anyhow::Result;

use super::round::LOST_BROKER;
use crate::cluster::{Assignment, Production, RecordsPlan, Tools};
use crate::host::Environment;
use crate::report::Recorder;
use crate::testbed::{describe_verification, figure};

/// The topic with replicas on all brokers.
const WHOLE: &str = "load";
/// The topic without replicas on the broker that is lost together with a node.
const SPARED: &str = "spared";
/// Enough for hours.
const RECORDS_MAX: u64 = 8_000_000;
const RECORD_BYTES: u32 = 512;
const VERIFY_PATIENCE: Duration = Duration::from_secs(120);

/// A producer, with acks=all, and its topic.
pub struct Load {
    pub plan: RecordsPlan,
    pub production: Production,
    /// No broker that is lost has a replica of its partitions.
    pub is_spared: bool,
}

impl Load {
    /// The topics' partitions: each broker that has replicas leads one.
    pub fn topics(brokers: u32) -> [Assignment; 2] {
        let others: Vec<u32> = (1..=brokers).filter(|broker| *broker != LOST_BROKER).collect();
        let turned =
            |first: usize| (0..others.len()).map(|next| others[(first + next) % others.len()]).collect();
        let spared =
            Assignment { topic: SPARED.to_owned(), partitions: (0..others.len()).map(turned).collect() };
        [Assignment::even(WHOLE, brokers, brokers, brokers, 0), spared]
    }

    /// Starts both producers, which together write `rate` records each second.
    pub fn start(
        tools: &Tools,
        environment: &Environment,
        rate: u32,
        recorder: &Recorder,
    ) -> Result<Vec<Load>> {
        [
            (WHOLE, "Acknowledged records", 3, false),
            (SPARED, "Acknowledged records of the topic spared", 5, true),
        ]
        .into_iter()
        .map(|(topic, series, seed, is_spared)| {
            let acknowledged = environment.out().join(format!("acknowledged-{topic}.bin"));
            let plan = RecordsPlan {
                rate: Some(rate / 2),
                series,
                ..RecordsPlan::new(topic, RECORDS_MAX, RECORD_BYTES, seed, acknowledged)
            };
            let production = tools.produce(&plan, recorder)?;
            Ok(Load { plan, production, is_spared })
        })
        .collect()
    }

    /// Reads back all that was acknowledged so far. Returns whether it is right, and what was read.
    pub fn verify(&self, tools: &Tools, recorder: &Recorder) -> Result<(bool, String)> {
        // Those from which the last look at the log of acknowledgements is sure to know.
        let plan = RecordsPlan { first: Some(self.production.acknowledged()), ..self.plan.clone() };
        let summary = tools.verify(&plan, VERIFY_PATIENCE.as_secs() as u32, recorder)?;
        let (passed, detail) = describe_verification(&summary);
        Ok((passed, format!("{}: {detail}", self.plan.topic)))
    }

    /// Stops writing. Returns how many records were sent, acknowledged and refused.
    pub fn conclude(self) -> Result<[u64; 3]> {
        self.production.stop()?;
        let summary = self.production.wait()?;
        std::fs::remove_file(&self.plan.acknowledged)?;
        Ok(["sent", "acknowledged", "failed"].map(|name| figure(&summary, name) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_broker_leads_and_the_lost_one_has_nothing_of_the_second_topic() {
        let [whole, spared] = Load::topics(3);
        assert_eq!(whole.partitions, [[1, 2, 3], [2, 3, 1], [3, 1, 2]]);
        assert_eq!(spared.partitions, [[2, 3], [3, 2]]);
    }
}
