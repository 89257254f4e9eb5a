//! Where an owner's clients are, for the next owner: the table `client`. Nothing depends on it but how soon clients notice a takeover.

use std::sync::Arc;

use forebay_pool::Result;
use forebay_pool::store::Connections;
use tokio::sync::Mutex;

use crate::database::Database;
use crate::rows::{NOTE_MAX, NOTES};
use crate::session::{Bare, Role, limited, refused};

/// Writes the list of an owner's clients.
pub struct Clients {
    database: Database,
    instance: String,
    session: Mutex<Option<Bare>>,
    connections: Connections,
}

impl Clients {
    pub(crate) fn of(database: &Database, instance: &str) -> Result<Arc<Clients>> {
        Ok(Arc::new(Clients {
            database: database.clone(),
            instance: instance.to_owned(),
            session: Mutex::default(),
            connections: Connections::start("pool-clients", 1)?,
        }))
    }

    /// Replaces the list, unless another process owns the pool. The change is not synced. Blocks.
    pub fn tell(self: &Arc<Self>, list: String) -> Result<()> {
        let clients = self.clone();
        let telling = async move {
            let failed = |error| refused(&clients.database, &error);
            let mut kept = clients.session.lock().await;
            let session = match kept.take() {
                Some(session) if !session.client.is_closed() => session,
                _ => {
                    let session = Bare::open(&clients.database, &clients.instance, Role::Lease).await?;
                    session.client.batch_execute(NOTES).await.map_err(failed)?;
                    session
                }
            };
            let statement =
                "update client set connections = $1 where exists (select from lease where instance = $2)";
            session.client.execute(statement, &[&list, &clients.instance]).await.map_err(failed)?;
            *kept = Some(session);
            Ok(())
        };
        let database = self.database.clone();
        self.connections.run(async move { limited(&database, NOTE_MAX, telling).await })
    }
}

/// The list of the owner before; empty if there is none, or if it cannot be read.
pub(crate) async fn told(session: &Bare) -> String {
    let row = session.client.query_opt("select connections from client", &[]).await;
    match row.and_then(|row| row.map_or(Ok(String::new()), |row| row.try_get(0))) {
        Ok(list) => list,
        Err(error) => {
            tracing::warn!(%error, "the clients of the last owner are not known, and will notice the takeover by themselves");
            String::new()
        }
    }
}
