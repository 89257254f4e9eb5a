//! The database of the pool, while the pool is served: looks at it every two seconds, for the API, metrics and alerts, and obeys requests in
//! it to hand the pool over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use forebay_admin::Api;
use forebay_admin::views::ClusterView;
use forebay_ownership::TakeoverKind;
use forebay_pool_postgres::{Cluster, Database, Request};
use forebay_service::events::{Kind, Who};
use tokio::sync::watch::Receiver;
use tokio::task::JoinHandle;

use super::database::Leased;
use crate::commands::cluster::view_of;

/// How often the database is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long a look may take.
const LOOK_MAX: Duration = Duration::from_secs(10);

/// Starts both, until the tasks are ended. Nothing for a pool that does not lie in a database.
pub fn start(leased: Option<&Leased>, api: &Arc<Api>) -> Vec<JoinHandle<()>> {
    let Some(leased) = leased else { return Vec::new() };
    let looking = tokio::spawn(look(leased.database(), api.clone()));
    let obeying = tokio::spawn(obey(leased.requests(), api.clone()));
    vec![looking, obeying]
}

async fn look(database: Database, api: Arc<Api>) {
    let Some((node, kept)) = api.node.as_ref().and_then(|node| Some((node, node.cluster.as_ref()?))) else {
        return;
    };
    let kind = (node.beats)().owner.takeover_kind();
    let came_from_another = matches!(kind, TakeoverKind::Moved | TakeoverKind::Fenced);
    let mut cluster = Cluster::new(&database);
    let mut waiting = None;
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let state = match tokio::time::timeout(LOOK_MAX, cluster.look()).await {
            Ok(Ok(state)) => state,
            // What was seen last stays; that the lease is not renewed is an alert.
            Ok(Err(error)) => {
                tracing::debug!(%error, "the pools of the database cannot be looked at");
                continue;
            }
            Err(_) => {
                tracing::debug!("the database does not answer a look at its pools");
                cluster = Cluster::new(&database);
                continue;
            }
        };
        let view = view_of(&state, Some(database.name()));
        kept.saw(view.clone(), came_from_another);
        note_candidates(&api, &view, &mut waiting);
    }
}

/// Notes who has come to wait for the pool, and who has gone. Those that the first look finds have been there before.
fn note_candidates(api: &Api, view: &ClusterView, known: &mut Option<BTreeMap<String, String>>) {
    let Some(candidates) = view.own().and_then(|pool| pool.candidates.as_ref()) else { return };
    let now: BTreeMap<String, String> =
        candidates.iter().map(|one| (one.instance.clone(), one.node.clone())).collect();
    let Some(before) = known.replace(now.clone()) else { return };
    for (_, node) in now.iter().filter(|(instance, _)| !before.contains_key(*instance)) {
        let said = format!("node {node} waits for the pool");
        api.service.events.note(Kind::CandidateCame, format!("node {node}"), said, Who::default());
    }
    for (_, node) in before.iter().filter(|(instance, _)| !now.contains_key(*instance)) {
        let said = format!("node {node} no longer waits for the pool");
        api.service.events.note(Kind::CandidateWent, format!("node {node}"), said, Who::default());
    }
}

/// Hands the pool over when somebody asks for it in the database. Whoever can write there has the right to.
async fn obey(mut requests: Receiver<Option<Request>>, api: Arc<Api>) {
    let Some(node) = &api.node else { return };
    let Ok(request) = requests.wait_for(Option::is_some).await.map(|request| request.clone()) else { return };
    let Some(Request { to, by }) = request else { return };
    let to_node = to.as_ref().map(|to| format!(" to node {to}")).unwrap_or_default();
    let name = (node.beats)().owner.node.name;
    let said = format!("node {name} hands the pool over{to_node}, as {by} asked in the database");
    api.service.events.note(Kind::PoolReleased, "pool", said, Who::default());
    (node.release)(to);
}
