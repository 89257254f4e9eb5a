//! The seam between the lease and the outside: the rows in the database, and the clock of the machine.
//!
//! The loops of the owner ([`crate::renewing`]) and of a candidate ([`crate::waiting`]) know the outside by the trait only, so that a simulation can take
//! its place.

use std::future::Future;
use std::time::Duration;

use forebay_pool::Result;

use crate::candidates;
use crate::clients;
use crate::database::Database;
use crate::lease::Request;
use crate::ownership::{Owned, Seen, Takeover};
use crate::refusal::Attempt;
use crate::schema;
use crate::session::{Bare, Role, refused};
use crate::tenure::{Exchange, boottime};

/// The settings of a session that notes what nothing depends on, each time in a transaction of its own.
pub(crate) const NOTES: &str = "set synchronous_commit to off; set default_transaction_read_only to off";
/// How long a note may take.
pub(crate) const NOTE_MAX: Duration = Duration::from_secs(10);

/// The answer to a renewal.
pub(crate) struct Renewed {
    /// The counter, which the renewal has raised by one.
    pub(crate) renewals: i64,
    /// The node that has the lease.
    pub(crate) node: String,
    /// Whether somebody asks for a move.
    pub(crate) request: Option<Request>,
}

/// One process's access to the lease. After an error of a call, what it was to change may have been changed.
pub(crate) trait LeaseStore: Send + Sync + 'static {
    /// A connection to the database.
    type Session: Send + Sync;

    /// The process, drawn at its start.
    fn instance(&self) -> &str;

    /// The time of the machine's clock, which also goes on while the process or the machine is suspended.
    fn now(&self) -> Duration;

    /// An exchange that began then and has just been answered.
    fn answered(&self, began: Duration) -> Exchange {
        Exchange { began, answered: self.now() }
    }

    /// Connects to look at the lease and to take it.
    fn connect_to_wait(&self) -> impl Future<Output = Attempt<Self::Session>> + Send;

    /// Connects to renew the lease.
    fn connect_to_renew(&self) -> impl Future<Output = Result<Self::Session>> + Send;

    /// Looks at the lease.
    fn look(&self, session: &Self::Session) -> impl Future<Output = Attempt<Seen>> + Send;

    /// Takes the pool and the lease for this process, if both still are as they were seen; otherwise returns nothing.
    fn take(
        &self,
        session: &Self::Session,
        seen: &Seen,
        takeover: &Takeover<'_>,
    ) -> impl Future<Output = Attempt<Option<Owned>>> + Send;

    /// Raises the counter, if this process has the lease and has not released it. Returns nothing if it has not.
    fn renew(&self, session: &Self::Session) -> impl Future<Output = Result<Option<Renewed>>> + Send;

    /// Shows that this process waits.
    fn note(
        &self,
        session: &Self::Session,
        node: &str,
        priority: u32,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Shows no longer that this process waits.
    fn withdraw(&self, session: &Self::Session) -> impl Future<Output = Result<()>> + Send;

    /// Removes what candidates have left that are gone.
    fn tidy(&self, session: &Self::Session) -> impl Future<Output = Result<()>> + Send;

    /// The list of clients that the owner before has left; empty if there is none.
    fn told(&self, session: &Self::Session) -> impl Future<Output = String> + Send;
}

/// The database, and the clock of this machine.
pub(crate) struct PostgresLease {
    pub(crate) database: Database,
    pub(crate) instance: String,
}

impl LeaseStore for PostgresLease {
    type Session = Bare;

    fn instance(&self) -> &str {
        &self.instance
    }

    fn now(&self) -> Duration {
        boottime()
    }

    async fn connect_to_wait(&self) -> Attempt<Bare> {
        let session = Bare::open(&self.database, &self.instance, Role::Lease).await?;
        schema::bring_up_to_date(&self.database, &session.client).await?;
        Ok(session)
    }

    async fn connect_to_renew(&self) -> Result<Bare> {
        let session = Bare::open(&self.database, &self.instance, Role::Lease).await?;
        let set = session.client.batch_execute("set default_transaction_read_only to off").await;
        set.map_err(|error| refused(&self.database, &error))?;
        Ok(session)
    }

    async fn look(&self, session: &Bare) -> Attempt<Seen> {
        Seen::read(&self.database, session).await
    }

    async fn take(&self, session: &Bare, seen: &Seen, takeover: &Takeover<'_>) -> Attempt<Option<Owned>> {
        seen.take(&self.database, session, &self.instance, takeover).await
    }

    /// The synchronous standby has it, too. Otherwise an owner that only reaches the database's former primary would go on to renew a lease there,
    /// while the standby was promoted and another process has the pool.
    async fn renew(&self, session: &Bare) -> Result<Option<Renewed>> {
        session.take_warnings();
        let failed = |error| refused(&self.database, &error);
        let statement = "update lease set renewals = renewals + 1, renewed = clock_timestamp() where instance = $1 and not released \
                         returning coalesce(asked > clock_timestamp() - interval '30 s', false), asked_for, asked_by, renewals, node";
        let row = session.client.query_opt(statement, &[&self.instance]).await.map_err(failed)?;
        // A cancelled wait for the synchronous standby is a warning, and then success.
        if let Some(warning) = session.take_warnings().first() {
            return Err(self.database.error(warning.clone(), "see the database's log"));
        }
        let Some(row) = row else { return Ok(None) };
        let (to, by): (String, String) = (row.try_get(1).map_err(failed)?, row.try_get(2).map_err(failed)?);
        let is_asked: bool = row.try_get(0).map_err(failed)?;
        Ok(Some(Renewed {
            renewals: row.try_get(3).map_err(failed)?,
            node: row.try_get(4).map_err(failed)?,
            request: is_asked.then(|| Request { to: (!to.is_empty()).then_some(to), by }),
        }))
    }

    async fn note(&self, session: &Bare, node: &str, priority: u32) -> Result<()> {
        let noted = candidates::note(&session.client, &self.instance, node, priority).await;
        noted.map_err(|error| refused(&self.database, &error))
    }

    async fn withdraw(&self, session: &Bare) -> Result<()> {
        let withdrawn = candidates::withdraw(&session.client, &self.instance).await;
        withdrawn.map_err(|error| refused(&self.database, &error))
    }

    async fn tidy(&self, session: &Bare) -> Result<()> {
        candidates::tidy(&session.client).await.map_err(|error| refused(&self.database, &error))
    }

    async fn told(&self, session: &Bare) -> String {
        clients::told(session).await
    }
}
