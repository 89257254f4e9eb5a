//! `node`: the machine that serves the pool, if several can.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_service::events::Kind;

use super::common::Shared;
use crate::api::{Api, NodeControl};
use crate::error::{ApiError, Code, Result};
use crate::request::{Administer, Read};
use crate::views::NodeView;

/// Get the node that serves the pool
#[utoipa::path(
    get, path = "/node", tag = "node",
    responses(
        (status = 200, description = "The node", body = NodeView),
        (status = 404, description = "No other node can serve the pool", body = crate::error::ErrorBody),
    ),
)]
pub async fn node_show(State(api): Shared, _: Read) -> Result<Json<NodeView>> {
    Ok(Json((control(&api)?.beats)().into()))
}

/// Hand the pool over to another node
///
/// The daemon stops, and does not take the pool again for ten seconds. A standby takes the pool within about a
/// second. Without a standby, clients wait until this node serves the pool again.
#[utoipa::path(
    post, path = "/node/release", tag = "node",
    responses(
        (status = 202, description = "The daemon stops", body = NodeView),
        (status = 404, description = "No other node can serve the pool", body = crate::error::ErrorBody),
    ),
)]
pub async fn node_release(State(api): Shared, asked: Administer) -> Result<(StatusCode, Json<NodeView>)> {
    let control = control(&api)?;
    let beats = (control.beats)();
    let said = format!("node {} hands the pool over", beats.owner.node.name);
    api.service.events.note(Kind::PoolReleased, "pool", said, asked.caller.who());
    (control.release)(None);
    Ok((StatusCode::ACCEPTED, Json(beats.into())))
}

fn control(api: &Api) -> Result<&NodeControl> {
    let alone = || {
        ApiError::new(Code::NodeNotFound, "node", "no other node can serve the pool")
            .with_remedy("to let one, set node.standby on all nodes and restart them")
    };
    api.node.as_deref().ok_or_else(alone)
}
