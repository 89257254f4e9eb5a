//! `cluster`: the pools of the database in which the daemon's pool lies.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_service::events::Kind;

use super::common::Shared;
use crate::api::{Api, Cluster, NodeControl};
use crate::error::{ApiError, Code, Result};
use crate::request::{Administer, Content, Read};
use crate::views::{ClusterMoveRequest, ClusterPoolView, ClusterReleaseRequest, ClusterView, NodeView};

/// Get the pools of the database
///
/// Shows each pool of the database in which the daemon's pool lies, the node that serves it, and the nodes that wait for it. The daemon looks at
/// the database every two seconds.
#[utoipa::path(
    get, path = "/cluster", tag = "node",
    responses(
        (status = 200, description = "The pools", body = ClusterView),
        (status = 404, description = "The pool does not lie in a database", body = crate::error::ErrorBody),
    ),
)]
pub async fn cluster_show(State(api): Shared, _: Read) -> Result<Json<ClusterView>> {
    Ok(Json(view(control(&api)?.1)?))
}

/// Move the pool to a node
///
/// The daemon closes the pool and stops, and the node takes the pool within about a second. If it does not do so within five seconds, any
/// waiting node may take it. Refused if the node does not wait for the pool.
#[utoipa::path(
    post, path = "/cluster/move", tag = "node",
    request_body = ClusterMoveRequest,
    responses(
        (status = 202, description = "The daemon stops", body = NodeView),
        (status = 404, description = "The pool does not lie in a database", body = crate::error::ErrorBody),
        (status = 409, description = "The node does not wait for the pool", body = crate::error::ErrorBody),
    ),
)]
pub async fn cluster_move(
    State(api): Shared,
    asked: Administer,
    Content(request): Content<ClusterMoveRequest>,
) -> Result<(StatusCode, Json<NodeView>)> {
    let (node, cluster) = control(&api)?;
    let seen = view(cluster)?;
    if !seen.own().is_some_and(|pool| pool.waiting().contains(&request.to.as_str())) {
        let waiting = waiting(seen.own());
        let message = format!("does not wait for the pool; {waiting}");
        return Err(ApiError::new(Code::NodeNotWaiting, format!("node {}", request.to), message)
            .with_remedy("name a node that waits, or start its daemon"));
    }
    Ok(hand_over(&api, node, &asked, Some(request.to)))
}

/// Release the pool
///
/// The daemon closes the pool and stops, and does not take the pool again for ten seconds. Any waiting node takes it within about a second. Refused if no
/// node waits, unless `force` is set.
#[utoipa::path(
    post, path = "/cluster/release", tag = "node",
    request_body = ClusterReleaseRequest,
    responses(
        (status = 202, description = "The daemon stops", body = NodeView),
        (status = 404, description = "The pool does not lie in a database", body = crate::error::ErrorBody),
        (status = 409, description = "No node waits for the pool", body = crate::error::ErrorBody),
    ),
)]
pub async fn cluster_release(
    State(api): Shared,
    asked: Administer,
    Content(request): Content<ClusterReleaseRequest>,
) -> Result<(StatusCode, Json<NodeView>)> {
    let (node, cluster) = control(&api)?;
    let is_waited_for =
        || Ok::<_, ApiError>(view(cluster)?.own().is_some_and(|pool| !pool.waiting().is_empty()));
    if !request.force && !is_waited_for()? {
        return Err(ApiError::new(Code::NodeNotWaiting, "pool", "no node waits for it")
            .with_remedy("start a daemon on another node, or set force"));
    }
    Ok(hand_over(&api, node, &asked, None))
}

fn hand_over(
    api: &Api,
    node: &NodeControl,
    asked: &Administer,
    to: Option<String>,
) -> (StatusCode, Json<NodeView>) {
    let beats = (node.beats)();
    let to_node = to.as_ref().map(|to| format!(" to node {to}")).unwrap_or_default();
    let said = format!("node {} hands the pool over{to_node}", beats.owner.node.name);
    api.service.events.note(Kind::PoolReleased, "pool", said, asked.caller.who());
    (node.release)(to);
    (StatusCode::ACCEPTED, Json(beats.into()))
}

/// The nodes that wait for the pool, in words.
fn waiting(pool: Option<&ClusterPoolView>) -> String {
    let names = pool.map(ClusterPoolView::waiting).unwrap_or_default();
    if names.is_empty() { "no node waits".to_owned() } else { format!("waiting: {}", names.join(", ")) }
}

fn view(cluster: &Cluster) -> Result<ClusterView> {
    let missing = || {
        ApiError::new(Code::Unavailable, "database", "has not been looked at yet")
            .with_remedy("ask again in some seconds")
    };
    cluster.seen().map(|seen| seen.view).ok_or_else(missing)
}

fn control(api: &Api) -> Result<(&NodeControl, &Cluster)> {
    let elsewhere = || {
        ApiError::new(Code::NodeNotFound, "cluster", "the pool does not lie in a database")
            .with_remedy("`forebay pool owner` shows the node of a pool in a shared directory")
    };
    let node = api.node.as_deref().ok_or_else(elsewhere)?;
    Ok((node, node.cluster.as_deref().ok_or_else(elsewhere)?))
}
