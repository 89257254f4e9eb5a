//! A cluster that the lab did not start, as a target of loads. The lab knows neither its storage nor its machines.

use std::time::Duration;

use anyhow::{Context, Result};

use super::target::{CpuTime, Target};
use crate::cluster::{Distribution, Tools};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::Recorder;
use crate::request::Request;

/// The cluster.
pub struct ExternalTarget {
    name: String,
    tools: Tools,
    brokers: u32,
}

impl ExternalTarget {
    /// Connects to the cluster of the request, and asks it for its brokers.
    pub fn reach(environment: &Environment, request: &Request, recorder: &Recorder) -> Result<Self> {
        let cluster = request.cluster.as_ref().context("no cluster is named")?;
        recorder.stage("cluster");
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.version("kafka's clients", kafka.version()?);
        let external = environment.external_cluster().context("the run is not on an existing cluster")?;
        let (tools, brokers) = external.begin(kafka, environment.logs())?;
        recorder.setting("cluster", cluster.bootstrap.as_str());
        recorder.setting("brokers", brokers);
        recorder.setting("not measured", "CPU of brokers and storage: the cluster was there before");
        recorder.event(Tone::Plain, format_args!("{} answers, with {brokers} broker(s)", cluster.name()));
        recorder.event(Tone::Plain, "the CPU use of the brokers and of their storage is not measured");
        Ok(Self { name: cluster.name(), tools, brokers })
    }
}

impl Target for ExternalTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> &Tools {
        &self.tools
    }

    fn brokers(&self) -> u32 {
        self.brokers
    }

    fn is_ours(&self) -> bool {
        false
    }

    fn keeps_topics(&self) -> bool {
        false
    }

    fn cpu(&self) -> Result<Option<Vec<CpuTime>>> {
        Ok(None)
    }

    fn server_cpu(&self) -> Result<Option<Duration>> {
        Ok(None)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn forget(&self) -> Result<()> {
        Ok(())
    }

    fn ended(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}
