//! Events: what happened.

use forebay_service::events::Event;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time;
use super::words::words;

words! {
    /// How much an event matters.
    Severity for forebay_service::events::Severity {
        /// Good to know.
        Info = "info",
        /// Somebody should look at it.
        Warning = "warning",
        /// Somebody should look at it now.
        Error = "error",
    }
}

/// Something that happened.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Increases with every event, also through restarts.
    pub id: u64,
    /// When.
    #[schema(format = DateTime)]
    pub time: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it is, such as `volume_created`.
    pub kind: String,
    /// To what it happened, such as `volume kafka`.
    pub object: String,
    /// All of it in a sentence.
    pub message: String,
    /// The user who did it; null: the daemon by itself.
    pub user: Option<String>,
    /// Where the user was: an address, or `local` for the socket.
    pub address: Option<String>,
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        EventView {
            id: event.id,
            time: time(event.time),
            severity: event.kind.severity().into(),
            kind: event.kind.word().to_owned(),
            object: event.object,
            message: event.message,
            user: event.who.user,
            address: event.who.address,
        }
    }
}
