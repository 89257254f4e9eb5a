//! The pool's row: who owns the pool, and up to which batch its metadata goes.

use std::time::Duration;

use forebay_pool::store::Connections;
use forebay_pool::{Error, Result};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::database::{Database, sentence};
use crate::refusal::{Attempt, Refusal};
use crate::schema;
use crate::session::{Bare, Role, refused};

/// How long ending a session may take. A look at the lease, which may take it as well, has more.
const END_SESSION_MS: i64 = 1000;
/// How often a takeover is tried, and the pause between.
const TAKE_TRIES: u32 = 20;
const TAKE_PAUSE: Duration = Duration::from_millis(200);
/// How long a takeover waits for an owner that was stopped in the middle of a group, before it ends its sessions.
const LOCK_WAIT: &str = "500ms";

/// Creates the tables of a new pool, with nothing in them.
pub fn create(database: &Database) -> Result<()> {
    let connections = Connections::start("pool-database", 1)?;
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
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => database
                .error(sentence(&error), "let the role create schemas: grant create on database … to …"),
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
    pub(crate) format: i32,
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

    fn require_known(&self, database: &Database) -> Result<()> {
        if self.format > schema::FORMAT {
            let cause =
                format!("its tables have version {}, and this release knows {}", self.format, schema::FORMAT);
            return Err(database.error(cause, "use the newer release"));
        }
        Ok(())
    }
}

/// A random name for this process.
pub(crate) fn new_instance() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Error::Meta(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Makes this process the owner, whatever the lease says. From then on no other process's group is committed.
pub(crate) async fn take(database: &Database) -> Result<Owned> {
    let instance = new_instance()?;
    let mut last = None;
    for _ in 0..TAKE_TRIES {
        let bare = Bare::open(database, &instance, Role::Lease).await?;
        schema::bring_up_to_date(database, &bare.client).await?;
        let seen = Seen::read(database, &bare).await?;
        match seen.take(database, &bare, &instance, &Takeover::of("unknown")).await {
            Ok(Some(owned)) => return Ok(owned),
            // Another process took it, or this one did, and its answer was lost: the next look shows that.
            Ok(None) => {}
            Err(error) => last = Some(error),
        }
        tokio::time::sleep(TAKE_PAUSE).await;
    }
    let others = || database.error("other processes keep taking the pool", "serve it from one machine only");
    Err(last.map_or_else(others, forebay_pool::Error::from))
}

/// What a look at the lease and the pool's row has shown.
pub(crate) struct Seen {
    pub(crate) instance: String,
    pub(crate) node: String,
    pub(crate) renewals: i64,
    pub(crate) released: bool,
    pub(crate) pool: PoolRow,
    /// The owner before, and whether it was silent.
    pub(crate) taken_from: String,
    pub(crate) was_silent: bool,
    /// How long ago the owner took the pool.
    pub(crate) since: Duration,
    /// Who alone may take the pool if it is released, and who may not; empty once that is over.
    pub(crate) reserved_for: String,
    pub(crate) avoided: String,
}

/// What is recorded about a takeover.
pub(crate) struct Takeover<'a> {
    /// The process that takes the pool, and its machine.
    pub(crate) node: &'a str,
    /// The owner before; empty if there was none.
    pub(crate) from: &'a str,
    /// [`SILENT`] if that one was silent.
    pub(crate) how: &'a str,
    pub(crate) silent_ms: i64,
}

/// The owner before was silent.
pub(crate) const SILENT: &str = "silent";

impl Takeover<'_> {
    fn of(node: &str) -> Takeover<'_> {
        Takeover { node, from: "", how: "", silent_ms: 0 }
    }
}

impl Seen {
    pub(crate) async fn read(database: &Database, bare: &Bare) -> Attempt<Seen> {
        let failed = |error| Refusal::of(database, &error);
        let question = "select epoch, batch, format, pool.owner, instance, node, renewals, released, \
                        case when taken_by = instance then taken_from else '' end, taken_by = instance and taken_how = 'silent', \
                        greatest(extract(epoch from clock_timestamp() - since), 0)::float8, \
                        case when reserved_until > clock_timestamp() then reserved_for else '' end, \
                        case when reserved_until > clock_timestamp() then avoided else '' end from pool, lease";
        let row = bare.client.query_opt(question, &[]).await.map_err(failed)?;
        let row = row
            .ok_or_else(|| database.error("its table `pool` or `lease` is empty", "restore the database"))?;
        let pool = PoolRow::of(&row).map_err(failed)?;
        pool.require_known(database)?;
        Ok(Seen {
            pool,
            instance: row.try_get(4).map_err(failed)?,
            node: row.try_get(5).map_err(failed)?,
            renewals: row.try_get(6).map_err(failed)?,
            released: row.try_get(7).map_err(failed)?,
            taken_from: row.try_get(8).map_err(failed)?,
            was_silent: row.try_get(9).map_err(failed)?,
            since: Duration::try_from_secs_f64(row.try_get(10).map_err(failed)?).unwrap_or_default(),
            reserved_for: row.try_get(11).map_err(failed)?,
            avoided: row.try_get(12).map_err(failed)?,
        })
    }

    /// Takes the pool and the lease, if both still are as they were seen. Returns nothing if they are not. After an error the pool may
    /// have been taken.
    pub(crate) async fn take(
        &self,
        database: &Database,
        bare: &Bare,
        instance: &str,
        takeover: &Takeover<'_>,
    ) -> Attempt<Option<Owned>> {
        bare.take_warnings();
        let taken = self.take_rows(&bare.client, instance, takeover).await;
        let epoch_and_batch = match taken {
            Ok(taken) => taken,
            Err(error) => {
                let is_locked = error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE);
                let error = Refusal::of(database, &error);
                // Nothing if the connection is lost, too.
                let _ = bare.client.batch_execute("rollback").await;
                if is_locked {
                    self.end_others(database, bare, instance).await?;
                }
                return Err(error);
            }
        };
        let Some((epoch, batch)) = epoch_and_batch else { return Ok(None) };
        // A cancelled wait for the synchronous standby is a warning, and then success.
        if let Some(warning) = bare.take_warnings().first() {
            return Err(database.error(warning.clone(), "see the database's log").into());
        }
        // What an owner that was stopped in the middle of a group has locked, and its reads.
        self.end_others(database, bare, instance).await?;
        Ok(Some(Owned { epoch, batch, instance: instance.to_owned() }))
    }

    async fn end_others(&self, database: &Database, bare: &Bare, instance: &str) -> Result<()> {
        let own = format!("forebay {} {instance} ", database.tag());
        end_sessions(database, &bare.client, &format!("forebay {} ", database.tag()), &own).await
    }

    /// The epoch and the last batch of what was taken.
    async fn take_rows(
        &self,
        client: &tokio_postgres::Client,
        instance: &str,
        takeover: &Takeover<'_>,
    ) -> std::result::Result<Option<(i64, i64)>, tokio_postgres::Error> {
        client.batch_execute(&format!("begin read write; set local lock_timeout = '{LOCK_WAIT}'")).await?;
        // If an earlier try succeeded and its answer was lost, this commits again, so that the standby has it for certain.
        let is_mine = self.instance == instance && self.pool.owner == instance;
        let raise = i64::from(!is_mine);
        // The pool's row first: the owner's renewals do not wait for it.
        let pool = "update pool set epoch = epoch + $3, owner = $1 where epoch = $2 returning epoch, batch, format, owner";
        // What an earlier try of this process has recorded about the takeover stays.
        let lease = "update lease set instance = $1, node = $2, renewals = renewals + 1, released = false, since = clock_timestamp(), \
                     renewed = clock_timestamp(), taken_by = $1, taken_from = case when taken_by = $1 then taken_from else $5 end, \
                     taken_how = case when taken_by = $1 then taken_how else $6 end, \
                     silent_ms = case when taken_by = $1 then silent_ms else $7 end, open_ms = null, address_ms = null, \
                     asked = null, asked_for = '', asked_by = '', reserved_for = '', avoided = '', reserved_until = null \
                     where renewals = $3 and instance = $4";
        let row = client.query_opt(pool, &[&instance, &self.pool.epoch, &raise]).await?;
        let Takeover { node, from, how, silent_ms } = takeover;
        let leased = client
            .execute(lease, &[&instance, node, &self.renewals, &self.instance, from, how, silent_ms])
            .await?;
        let Some(row) = row.filter(|_| leased == 1) else {
            client.batch_execute("rollback").await?;
            return Ok(None);
        };
        let row = PoolRow::of(&row)?;
        client.batch_execute("commit").await?;
        Ok(Some((row.epoch, row.batch)))
    }
}

/// Ends the sessions whose names begin with `prefix`, except those whose names begin with `except` and those that look at leases, and waits
/// until they are gone.
pub(crate) async fn end_sessions(
    database: &Database,
    client: &tokio_postgres::Client,
    prefix: &str,
    except: &str,
) -> Result<()> {
    let statement = "select count(*) filter (where not ended) from (
            select pg_terminate_backend(pid, $3) as ended from pg_stat_activity
            where datname = current_database() and starts_with(application_name, $1)
                and ($2 = '' or not starts_with(application_name, $2)) and application_name not like '% lease'
                and usename = current_user and pid <> pg_backend_pid()
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
