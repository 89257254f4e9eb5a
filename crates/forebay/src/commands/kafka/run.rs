//! Carries out `forebay kafka`.

use anyhow::{Result, anyhow, bail};
use forebay_admin::views::{
    KafkaAnswerView, KafkaBrokersView, KafkaChange, KafkaChangeKind, KafkaCleanupView, KafkaClustersView,
    KafkaCostView, KafkaHistoryView, KafkaQuestion, KafkaSharingView, KafkaSnapshotTopicDetailView,
    KafkaSnapshotView, KafkaTopicDetailView, KafkaTopicsView,
};

use super::arguments::{KafkaCommand, OfCluster};
use super::{history, place, snapshot, tables};
use crate::admin::client::{Client, part};
use crate::output::print_table_as;

/// Carries out a `forebay kafka` command.
pub fn run(command: KafkaCommand) -> Result<()> {
    match command {
        KafkaCommand::Clusters { remote } => {
            let found: KafkaClustersView = Client::new(&remote)?.get("kafka/clusters")?;
            print_table_as(remote.format(), &found, tables::clusters_csv, tables::clusters)
        }
        KafkaCommand::Brokers { cluster } => {
            let (client, path) = at(&cluster)?;
            let found: KafkaBrokersView = client.get(&format!("{path}/brokers"))?;
            print_table_as(cluster.remote.format(), &found, tables::brokers_csv, tables::brokers)
        }
        KafkaCommand::Topics { cluster, sort, top, filter } => {
            let (client, path) = at(&cluster)?;
            let filter = filter.map(|filter| format!("&filter={}", part(&filter))).unwrap_or_default();
            let query = format!("{path}/topics?sort={}&limit={top}{filter}", part(&sort));
            let found: KafkaTopicsView = client.get(&query)?;
            print_table_as(cluster.remote.format(), &found, tables::topics_csv, tables::topics)
        }
        KafkaCommand::Topic { topic, exact, cluster } => {
            let (client, path) = at(&cluster)?;
            let path = format!("{path}/topics/{}?exact={exact}", part(&topic));
            let found: KafkaTopicDetailView =
                if exact { client.get_patiently(&path)? } else { client.get(&path)? };
            print_table_as(cluster.remote.format(), &found, tables::topic_csv, tables::topic)
        }
        KafkaCommand::History { topic, days, cluster } => {
            let (client, path) = at(&cluster)?;
            let topic = topic.map(|topic| format!("/topics/{}", part(&topic))).unwrap_or_default();
            let mut found: KafkaHistoryView = client.get(&format!("{path}{topic}/history"))?;
            found.days.drain(..found.days.len().saturating_sub(days as usize));
            print_table_as(cluster.remote.format(), &found, history::csv, history::table)
        }
        KafkaCommand::Snapshot { snapshot, topic, remote } => {
            let path =
                format!("volumes/{}/snapshots/{}/topics", part(&snapshot.volume), part(&snapshot.name));
            let client = Client::new(&remote)?;
            let Some(topic) = topic else {
                let found: KafkaSnapshotView = client.get_patiently(&path)?;
                return print_table_as(remote.format(), &found, snapshot::topics_csv, snapshot::topics);
            };
            let found: KafkaSnapshotTopicDetailView =
                client.get_patiently(&format!("{path}/{}", part(&topic)))?;
            print_table_as(remote.format(), &found, snapshot::topic_csv, snapshot::topic)
        }
        KafkaCommand::Sharing { topic, cluster } => {
            let (client, path) = at(&cluster)?;
            let found: KafkaSharingView = client.get(&format!("{path}/topics/{}/sharing", part(&topic)))?;
            print_table_as(cluster.remote.format(), &found, tables::sharing_csv, tables::sharing)
        }
        KafkaCommand::Cost { price, group_by, cluster } => {
            let (client, path) = at(&cluster)?;
            let found: KafkaCostView =
                client.get(&format!("{path}/cost?price={price}&group_by={group_by}"))?;
            print_table_as(cluster.remote.format(), &found, tables::cost_csv, tables::cost)
        }
        KafkaCommand::WhatIf { delete, retain, factor, without_snapshot, cluster } => {
            let mut changes = Vec::new();
            changes.extend(
                delete
                    .into_iter()
                    .map(|topic| KafkaChange { topic: Some(topic), ..change(KafkaChangeKind::Delete) }),
            );
            changes.extend(retain.into_iter().map(|(topic, age)| KafkaChange {
                topic: Some(topic),
                seconds: Some(age.as_secs()),
                ..change(KafkaChangeKind::Retain)
            }));
            changes.extend(factor.into_iter().map(|(topic, replicas)| KafkaChange {
                topic: Some(topic),
                replicas: Some(replicas),
                ..change(KafkaChangeKind::Factor)
            }));
            changes.extend(without_snapshot.into_iter().map(|snapshot| KafkaChange {
                volume: Some(snapshot.volume),
                snapshot: Some(snapshot.name),
                ..change(KafkaChangeKind::Snapshot)
            }));
            if changes.is_empty() {
                bail!("no change is given: write --delete, --retain, --factor or --without-snapshot");
            }
            let (client, path) = at(&cluster)?;
            let question = KafkaQuestion { changes };
            let found: KafkaAnswerView = client.post_patiently(&format!("{path}/what-if"), &question)?;
            let rows = |found: &KafkaAnswerView| tables::what_if_csv(&question, found);
            print_table_as(cluster.remote.format(), &found, rows, |found| tables::what_if(&question, found))
        }
        KafkaCommand::Place(arguments) => place::run(&arguments),
        KafkaCommand::Cleanup { remote } => {
            let found: KafkaCleanupView = Client::new(&remote)?.get("kafka/cleanup")?;
            print_table_as(remote.format(), &found, tables::cleanup_csv, tables::cleanup)
        }
    }
}

fn change(kind: KafkaChangeKind) -> KafkaChange {
    KafkaChange { kind, topic: None, seconds: None, replicas: None, volume: None, snapshot: None }
}

/// The daemon, and the path of the cluster that is meant.
fn at(of: &OfCluster) -> Result<(Client, String)> {
    let client = Client::new(&of.remote)?;
    if let Some(cluster) = &of.cluster {
        return Ok((client, format!("kafka/clusters/{}", part(cluster))));
    }
    let found: KafkaClustersView = client.get("kafka/clusters")?;
    let own: Vec<_> = found.items.iter().filter(|cluster| cluster.clone.is_none()).collect();
    match &own[..] {
        [only] => Ok((client, format!("kafka/clusters/{}", part(&only.cluster)))),
        [] => Err(anyhow!(
            "the pool has no Kafka cluster: no directory with a file meta.properties was found; it is found with the next report, some \
             minutes after a broker has written it"
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|cluster| cluster.cluster.as_str()).collect();
            Err(anyhow!(
                "the pool has {} Kafka clusters: choose one with --cluster: {}",
                names.len(),
                names.join(", ")
            ))
        }
    }
}
