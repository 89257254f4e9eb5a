//! Clusters that the lab did not start: checks whether they answer, provides tools for them, and removes the topics of a run.

use std::fs;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::distribution::Distribution;
use super::java::{self, Size};
use super::tools::{Tools, complaint};
use crate::exec::output_within;
use crate::progress::Progress;
use crate::request::{ExternalCluster, KafkaVersion};

const SIZE: Size = Size { heap_mib: 256 };
const CLUSTER_TOOL: &str = "org.apache.kafka.tools.ClusterTool";
const TOPIC_TOOL: &str = "org.apache.kafka.tools.TopicCommand";
/// Time limit for connections to all addresses together.
const CONNECT_PATIENCE: Duration = Duration::from_secs(6);
/// Time limit for the list of brokers. With the limit above, and the start of Java, it is less than half a minute.
const ANSWER_PATIENCE: Duration = Duration::from_secs(18);
const REMOVAL_PATIENCE: Duration = Duration::from_secs(90);

impl ExternalCluster {
    /// Asks the cluster for its brokers. Returns the tools for it and the number of its brokers.
    ///
    /// # Errors
    /// Within half a minute if there is no cluster, or it does not answer these clients.
    pub fn begin(&self, kafka: Distribution, logs: PathBuf) -> Result<(Tools, u32)> {
        let brokers = self.count_brokers(&kafka)?;
        fs::write(&self.mark, b"").with_context(|| format!("write {}", self.mark.display()))?;
        let config = self.cluster.client_config.clone();
        Ok((Tools::visiting(kafka, &self.cluster.bootstrap, config, &self.topic_prefix, logs), brokers))
    }

    /// Deletes the run's topics, if it created any.
    pub fn remove_topics(&self) -> Result<()> {
        if !self.mark.exists() {
            return Ok(());
        }
        // Kafka's tool takes a regular expression.
        let (cluster, ours) = (&self.cluster.bootstrap, format!("{}-.*", self.topic_prefix));
        let deleted = self.delete(&ours);
        deleted.with_context(|| {
            format!(
                "topics of the run may remain on {cluster}: delete them with kafka-topics --bootstrap-server {cluster} --delete \
                 --if-exists --topic '{ours}'"
            )
        })?;
        fs::remove_file(&self.mark).with_context(|| format!("remove {}", self.mark.display()))
    }

    fn delete(&self, topics: &str) -> Result<()> {
        self.require_listener()?;
        let kafka = Distribution::open(&self.cache, KafkaVersion::default(), &Progress::new())?;
        let arguments = ["--delete", "--if-exists", "--topic", topics];
        self.ask(&kafka, &[TOPIC_TOOL], "--command-config", &arguments, REMOVAL_PATIENCE).map(drop)
    }

    fn count_brokers(&self, kafka: &Distribution) -> Result<u32> {
        self.require_listener()?;
        let said = self
            .ask(kafka, &[CLUSTER_TOOL, "list-endpoints"], "--config", &[], ANSWER_PATIENCE)
            .with_context(|| {
                format!(
                    "the cluster at {} does not list its brokers: if it requires TLS or a password, set them in a file and name it with --client-config",
                    self.cluster.bootstrap
                )
            })?;
        match brokers_in(&said) {
            0 => bail!("the cluster at {} reports that it has no brokers", self.cluster.bootstrap),
            count => Ok(count),
        }
    }

    /// Fails unless one of the addresses accepts a connection: Kafka's clients would try for minutes.
    fn require_listener(&self) -> Result<()> {
        let addresses: Vec<&str> = self.cluster.bootstrap.split(',').collect();
        let share = u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
        let mut last = String::new();
        for address in addresses {
            match connect(address, CONNECT_PATIENCE / share) {
                Ok(()) => return Ok(()),
                Err(error) => last = format!("{address}: {error:#}"),
            }
        }
        bail!(
            "no Kafka cluster answers at {} ({last}): check that it runs, and that --bootstrap-server names its listeners",
            self.cluster.bootstrap
        )
    }

    /// Runs one of Kafka's tools against the cluster; returns its output.
    fn ask(
        &self,
        kafka: &Distribution,
        tool: &[&str],
        config_option: &str,
        more: &[&str],
        patience: Duration,
    ) -> Result<String> {
        let (main, first) = tool.split_first().context("a tool has a name")?;
        let config = self.cluster.client_config.as_deref().map(Path::to_string_lossy);
        let mut arguments = first.to_vec();
        arguments.extend(["--bootstrap-server", &self.cluster.bootstrap]);
        arguments.extend(config.iter().flat_map(|config| [config_option, config.as_ref()]));
        arguments.extend(more);
        let words = java::words(kafka, SIZE, "error", main, &arguments);
        let (program, rest) = words.split_first().context("a command line has a program")?;
        let mut command = Command::new(program);
        let output = output_within(command.args(rest).stdin(Stdio::null()), patience)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("{main} failed ({}): {}", output.status, complaint(&said, &errors));
        }
        Ok(said)
    }
}

fn connect(address: &str, patience: Duration) -> Result<()> {
    let mut found = address.to_socket_addrs().context("its name is not known")?;
    let socket = found.next().context("its name has no address")?;
    TcpStream::connect_timeout(&socket, patience)?;
    Ok(())
}

/// Counts the rows of the tool's table that begin with a broker's id.
fn brokers_in(said: &str) -> u32 {
    let ids = said.lines().filter_map(|line| line.split_whitespace().next()?.parse::<u32>().ok());
    u32::try_from(ids.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::request::ClusterAddress;

    fn external(bootstrap: &str) -> ExternalCluster {
        ExternalCluster {
            cluster: ClusterAddress { bootstrap: bootstrap.into(), client_config: None },
            topic_prefix: "forebay-lab-1".into(),
            cache: "/nowhere".into(),
            mark: std::env::temp_dir().join(format!("forebay-lab-external-{}", std::process::id())),
        }
    }

    #[test]
    fn a_cluster_that_is_not_there_is_told_at_once() {
        let begun = Instant::now();
        let error = external("127.0.0.1:1").require_listener().unwrap_err().to_string();
        assert!(error.contains("no Kafka cluster answers at 127.0.0.1:1"), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn topics_that_were_never_made_need_no_cluster_to_be_removed() {
        external("127.0.0.1:1").remove_topics().unwrap();
    }

    #[test]
    fn brokers_are_the_rows_with_an_id() {
        let said = "ID     HOST      PORT  RACK STATE ENDPOINT_TYPE\n1      kafka-1   9092  null unfenced broker\n\
                    2      kafka-2   9092  null unfenced broker\n";
        assert_eq!(brokers_in(said), 2);
        assert_eq!(brokers_in(""), 0);
    }
}
