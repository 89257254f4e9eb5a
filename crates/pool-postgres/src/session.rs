//! One connection, checked: the server keeps what it commits, it is the primary, and it has the pool's tables.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forebay_pool::Result;
use forebay_pool::store::Table;
use futures::future::try_join_all;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Statement};

use crate::database::{Database, sentence};
use crate::reach::{self, Wanted};
use crate::refusal::{Attempt, Refusal};
use crate::schema;

/// The oldest server that is known to work, as PostgreSQL numbers its versions.
const VERSION_MIN: i32 = 150_000;
/// How long the settings of a session may take, and how long the preparation of its statements, which waits for locks of tables.
const SET_UP_MAX: Duration = Duration::from_secs(5);
const PREPARE_MAX: Duration = Duration::from_secs(10);

/// What a connection is for. It is part of the session's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Commit groups, one after the other.
    Commit,
    /// Short reads.
    Read,
    /// Reads of one instant, in a transaction.
    Scan,
    /// Removes replaced rows.
    Vacuum,
    /// Creates a pool.
    Admin,
    /// Looks at the lease, takes it, and renews it. A takeover does not end these: those of other candidates must go on.
    Lease,
    /// Looks at all pools of the database, with whatever rights its role has.
    Look,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Commit => "commit",
            Role::Read => "read",
            Role::Scan => "scan",
            Role::Vacuum => "vacuum",
            Role::Admin => "admin",
            Role::Lease => "lease",
            Role::Look => "look",
        }
    }
}

/// The name of a session in `pg_stat_activity`: the pool, the process, and what the session is for.
pub(crate) fn session_name(database: &Database, instance: &str, role: Role) -> String {
    format!("forebay {} {instance} {}", database.tag(), role.name())
}

/// See the module.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) statements: Statements,
    warnings: Arc<Mutex<Vec<String>>>,
}

/// The statements, by table in the order of [`Table::ALL`].
pub(crate) struct Statements {
    upsert: Vec<Statement>,
    delete: Vec<Statement>,
    any: Vec<Statement>,
    range: Vec<Statement>,
    pub(crate) fence: Statement,
    pub(crate) row: Statement,
}

fn of(statements: &[Statement], table: Table) -> Option<&Statement> {
    let place = Table::ALL.iter().position(|known| *known == table)?;
    statements.get(place)
}

impl Statements {
    pub(crate) fn upsert(&self, table: Table) -> Option<&Statement> {
        of(&self.upsert, table)
    }
    pub(crate) fn delete(&self, table: Table) -> Option<&Statement> {
        of(&self.delete, table)
    }
    pub(crate) fn any(&self, table: Table) -> Option<&Statement> {
        of(&self.any, table)
    }
    pub(crate) fn range(&self, table: Table) -> Option<&Statement> {
        of(&self.range, table)
    }

    async fn prepare(client: &Client) -> std::result::Result<Statements, tokio_postgres::Error> {
        let all = |text: fn(Table) -> String| {
            try_join_all(Table::ALL.map(|table| async move { client.prepare(&text(table)).await }))
        };
        Ok(Statements {
            upsert: all(schema::upsert).await?,
            delete: all(schema::delete).await?,
            any: all(schema::any).await?,
            range: all(schema::range).await?,
            fence: client.prepare(schema::FENCE).await?,
            row: client.prepare(schema::ROW).await?,
        })
    }
}

/// A connection without statements: the pool's tables may be missing.
pub(crate) struct Bare {
    pub(crate) client: Client,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Bare {
    /// Connects and checks the server. Ends in any case, after 5 s for each host and 5 s more.
    pub(crate) async fn open(database: &Database, instance: &str, role: Role) -> Attempt<Bare> {
        let bare = Bare::connect(database, instance, role).await?;
        within(database, SET_UP_MAX, bare.set_up(database, role)).await?;
        Ok(bare)
    }

    /// Connects in order to look only. The server may be a standby, and its settings do not matter.
    pub(crate) async fn open_to_look(database: &Database) -> Result<Bare> {
        let bare = Bare::connect(database, "all", Role::Look).await?;
        let settings = "set default_transaction_read_only to on; set statement_timeout to '5s'; set lock_timeout to '2s'; \
                        set idle_in_transaction_session_timeout to '5s'; set client_min_messages to warning";
        let setting =
            async { bare.client.batch_execute(settings).await.map_err(|error| refused(database, &error)) };
        limited(database, SET_UP_MAX, setting).await?;
        Ok(bare)
    }

    async fn connect(database: &Database, instance: &str, role: Role) -> Attempt<Bare> {
        let wanted = if role == Role::Look { Wanted::Any } else { Wanted::Primary };
        let name = session_name(database, instance, role);
        let (client, mut connection) = reach::connect(database, &name, wanted).await?;
        let warnings = Arc::<Mutex<Vec<String>>>::default();
        let noted = warnings.clone();
        tokio::spawn(async move {
            let mut messages = futures::stream::poll_fn(move |context| connection.poll_message(context));
            while let Some(message) = futures::StreamExt::next(&mut messages).await {
                match message {
                    Ok(AsyncMessage::Notice(notice))
                        if is_about_exhaustion(notice.routine(), notice.message()) =>
                    {
                        tracing::warn!(warning = notice.message(), "the database needs its administrator");
                    }
                    Ok(AsyncMessage::Notice(notice)) if notice.code().code().starts_with("01") => {
                        noted
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(notice.message().to_owned());
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!(error = sentence(&error), "a connection to the database ended");
                        break;
                    }
                }
            }
        });
        Ok(Bare { client, warnings })
    }

    async fn set_up(&self, database: &Database, role: Role) -> Attempt<()> {
        // Whatever the server's and the role's defaults are. PostgreSQL before 17 has no `transaction_timeout`.
        let idle = if role == Role::Commit || role == Role::Lease { "5s" } else { "0" };
        // Whatever is not in a transaction that says that it writes, reads: if `begin` of a group fails, the rest of the flight does, too.
        let read_only = if role == Role::Admin { "off" } else { "on" };
        let settings = format!(
            "set search_path to {}; set statement_timeout to 0; set lock_timeout to 0;
             select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') <> 'remote_apply';
             set default_transaction_isolation to 'read committed'; set default_transaction_read_only to {read_only};
             select set_config('transaction_timeout', '0', false) where current_setting('transaction_timeout', true) is not null;
             set client_connection_check_interval to '1s'; set idle_in_transaction_session_timeout to '{idle}';
             set client_min_messages to warning",
            database.schema()
        );
        let failed = |error| Refusal::of(database, &error);
        self.client.batch_execute(&settings).await.map_err(failed)?;
        let question = "select current_setting('fsync'), current_setting('full_page_writes'), pg_is_in_recovery(), \
                        current_setting('server_version_num')::int, current_setting('synchronous_commit')";
        let row = self.client.query_one(question, &[]).await.map_err(failed)?;
        let get = |at: usize| row.try_get::<_, String>(at).map_err(failed);
        if row.try_get::<_, bool>(2).map_err(failed)? {
            return Err(database
                .error("the server is a standby, which only reads", "name the primary")
                .into());
        }
        for (at, setting) in [(0, "fsync"), (1, "full_page_writes"), (4, "synchronous_commit")] {
            if !["on", "remote_apply"].contains(&get(at)?.as_str()) {
                let cause = format!(
                    "the server's setting {setting} is {}: it may lose what it has committed",
                    get(at)?
                );
                return Err(database.error(cause, "switch it on").into());
            }
        }
        let version = row.try_get::<_, i32>(3).map_err(failed)?;
        if version < VERSION_MIN {
            let cause = format!("the server has version {}.{}", version / 10_000, version % 10_000);
            return Err(database.error(cause, "use PostgreSQL 15 or newer").into());
        }
        Ok(())
    }

    /// Takes the warnings that the server has sent so far.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Prepares the statements.
    pub(crate) async fn prepared(self, database: &Database) -> Attempt<Session> {
        let preparing =
            async { Statements::prepare(&self.client).await.map_err(|error| Refusal::of(database, &error)) };
        let statements = within(database, PREPARE_MAX, preparing).await?;
        Ok(Session { client: self.client, statements, warnings: self.warnings })
    }
}

/// Fails if the database does not answer in time.
pub(crate) async fn limited<T>(
    database: &Database,
    time: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(time, work).await.unwrap_or_else(|_| Err(reach::no_answer(database, time)))
}

/// Like [`limited`], with the cause of the failure.
async fn within<T>(
    database: &Database,
    time: Duration,
    work: impl Future<Output = Attempt<T>>,
) -> Attempt<T> {
    let silent = |_| Err(Refusal::silent(reach::no_answer(database, time)));
    tokio::time::timeout(time, work).await.unwrap_or_else(silent)
}

/// Whether a warning only says that the numbers of transactions will run out one day. It comes with every transaction then, which is carried out all
/// the same. Servers translate their warnings, but not the name of the function in the server that warns.
fn is_about_exhaustion(routine: Option<&str>, warning: &str) -> bool {
    routine == Some("GetNewTransactionId") || warning.contains("must be vacuumed within")
}

impl Session {
    pub(crate) async fn open(database: &Database, instance: &str, role: Role) -> Attempt<Session> {
        Bare::open(database, instance, role).await?.prepared(database).await
    }

    /// Takes the warnings that the server has sent so far.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

/// The error for what the server or the connection says, with what to do about it.
pub(crate) fn refused(database: &Database, error: &tokio_postgres::Error) -> forebay_pool::Error {
    let code = error.code();
    let remedy = match code {
        Some(code) if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::INVALID_SCHEMA_NAME => {
            return database.error("there is no such pool", "create it: `forebay pool create`");
        }
        Some(code)
            if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
        {
            "correct the user and the password"
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            "connect as the role that owns the schema of the pool"
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => "create the database",
        Some(code) if *code == SqlState::TOO_MANY_CONNECTIONS => {
            "raise max_connections; a pool takes about 12"
        }
        Some(code) if *code == SqlState::DISK_FULL => "make room on the database's disk, then restart",
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => "name the primary",
        Some(code) if *code == SqlState::INVALID_SQL_STATEMENT_NAME => {
            "connect to the server itself, not to a pooler in transaction mode"
        }
        Some(_) => "see the database's log",
        None => "see whether the database runs, and whether it can be reached",
    };
    database.error(sentence(error), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translated_warning_about_the_numbers_of_transactions_is_known() {
        let translated = "Datenbank »pools« muss innerhalb von 9 Transaktionen gevacuumt werden";
        assert!(is_about_exhaustion(Some("GetNewTransactionId"), translated));
        assert!(!is_about_exhaustion(Some("SyncRepWaitForLSN"), "canceling the wait for the standby"));
    }
}
