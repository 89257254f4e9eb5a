//! Events.

use forebay_service::events::Event;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fields::time;
use super::words::words;

words! {
    /// The severity of an event.
    Severity for forebay_service::events::Severity {
        /// For information.
        Info = "info",
        /// An operator should look into it.
        Warning = "warning",
        /// An operator should look into it immediately.
        Error = "error",
    }
}

/// An event.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    /// Increases with every event, including across restarts.
    pub id: u64,
    /// When it happened.
    #[schema(format = DateTime)]
    pub time: String,
    /// The severity of the event.
    pub severity: Severity,
    /// The kind of event, such as `volume_created`.
    pub kind: String,
    /// The object it concerns, such as `volume kafka`.
    pub object: String,
    /// The event in a sentence.
    pub message: String,
    /// The user who caused it; null if the daemon did.
    pub user: Option<String>,
    /// The user's address, or `local` for the admin socket.
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
