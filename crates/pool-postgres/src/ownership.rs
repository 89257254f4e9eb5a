//! The pool's row: who owns the pool, and up to which batch its metadata goes.

use std::time::Duration;

use forebay_pool::{Error, Result};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::database::Database;
use crate::runtime::Connections;
use crate::schema;
use crate::session::{Bare, Role, refused, session_name};

/// How long ending a session may take.
const END_SESSION_MS: i64 = 5000;
/// How often a takeover that failed is tried again, if it is unknown what became of it.
const TAKE_TRIES: u32 = 10;

/// Creates the tables of a new pool, with nothing in them.
pub fn create(database: &Database) -> Result<()> {
    let connections = Connections::start()?;
    let database = database.clone();
    connections.run(async move {
        let bare = Bare::open(&database, "new", Role::Admin).await?;
        // Several statements without a transaction of their own are one transaction.
        let created = bare.client.batch_execute(&schema::creation(&database.schema())).await;
        created.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::DUPLICATE_SCHEMA => {
                let cause = format!("the database has a schema {} already", database.schema());
                database.error(cause, "choose another name, or serve the pool that is there")
            }
            _ => refused(&database, &error),
        })
    })
}

/// The pool's row, as its owner knows it.
#[derive(Clone, Debug)]
pub struct Owned {
    /// Grows with each owner.
    pub epoch: i64,
    /// The last batch when the pool was taken.
    pub batch: i64,
    /// The process, drawn at its start.
    pub(crate) instance: String,
}

/// The pool's row.
pub(crate) struct PoolRow {
    pub(crate) epoch: i64,
    pub(crate) batch: i64,
    format: i32,
    pub(crate) owner: String,
}

impl PoolRow {
    pub(crate) fn of(row: &Row) -> std::result::Result<PoolRow, tokio_postgres::Error> {
        Ok(PoolRow {
            epoch: row.try_get(0)?,
            batch: row.try_get(1)?,
            format: row.try_get(2)?,
            owner: row.try_get(3)?,
        })
    }

    pub(crate) async fn read(database: &Database, bare: &Bare) -> Result<PoolRow> {
        let failed = |error| refused(database, &error);
        let row = bare.client.query_opt(schema::ROW, &[]).await.map_err(failed)?;
        let row = row.ok_or_else(|| database.error("its table `pool` is empty", "restore the database"))?;
        let row = PoolRow::of(&row).map_err(failed)?;
        if row.format > schema::FORMAT {
            let cause =
                format!("its tables have version {}, and this release knows {}", row.format, schema::FORMAT);
            return Err(database.error(cause, "use the newer release"));
        }
        Ok(row)
    }
}

/// A random name for this process.
fn new_instance() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Error::Meta(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Makes this process the owner. From then on no other process's group is committed.
pub(crate) async fn take(database: &Database) -> Result<Owned> {
    let instance = new_instance()?;
    let mut last = None;
    for _ in 0..TAKE_TRIES {
        match take_once(database, &instance).await {
            Ok(owned) => return Ok(owned),
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Unknown(error)) => last = Some(error),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err(last.unwrap_or(Error::Closed))
}

enum Failure {
    Final(Error),
    /// The takeover may have happened.
    Unknown(Error),
}

async fn take_once(database: &Database, instance: &str) -> std::result::Result<Owned, Failure> {
    let bare = Bare::open(database, instance, Role::Admin).await.map_err(Failure::Final)?;
    let seen = PoolRow::read(database, &bare).await.map_err(Failure::Final)?;
    let unknown = |error| Failure::Unknown(refused(database, &error));
    let owned = if seen.owner == instance {
        // An earlier try succeeded, and its answer was lost.
        Owned { epoch: seen.epoch, batch: seen.batch, instance: instance.to_owned() }
    } else {
        let statement = "update pool set epoch = epoch + 1, owner = $1 where epoch = $2 returning epoch, batch, format, owner";
        let row = bare.client.query_opt(statement, &[&instance, &seen.epoch]).await.map_err(unknown)?;
        let Some(row) = row else {
            let error = database
                .error("another process took the pool at this moment", "serve it from one machine only");
            return Err(Failure::Final(error));
        };
        let row = PoolRow::of(&row).map_err(unknown)?;
        Owned { epoch: row.epoch, batch: row.batch, instance: instance.to_owned() }
    };
    // What an owner that was stopped in the middle of a group has locked, and its reads.
    let own = session_name(database, instance, Role::Admin);
    end_sessions(database, &bare.client, &format!("forebay {} ", database.tag()), &own)
        .await
        .map_err(Failure::Unknown)?;
    Ok(owned)
}

/// Ends the sessions whose names begin with `prefix`, except those with this name, and waits until they are gone.
pub(crate) async fn end_sessions(
    database: &Database,
    client: &tokio_postgres::Client,
    prefix: &str,
    except: &str,
) -> Result<()> {
    let statement = "select count(*) filter (where not ended) from (
            select pg_terminate_backend(pid, $3) as ended from pg_stat_activity
            where datname = current_database() and starts_with(application_name, $1) and application_name <> $2
                and pid <> pg_backend_pid()
        ) as sessions";
    let row = client.query_one(statement, &[&prefix, &except, &END_SESSION_MS]).await;
    let row = row.map_err(|error| refused(database, &error))?;
    let left: i64 = row.try_get(0).map_err(|error| refused(database, &error))?;
    if left > 0 {
        let cause = format!("{left} sessions of an earlier owner do not end");
        return Err(database.error(cause, "end them in the database: pg_terminate_backend"));
    }
    Ok(())
}
