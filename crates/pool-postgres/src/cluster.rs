//! All pools of a database, for people: who serves each, who waits, and whether commits are guarded by a synchronous standby. Nothing here is needed
//! to serve a pool, and every look works with a role that may only read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use forebay_pool::{Error, Result};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row};

use crate::candidates::SEEN_MAX;
use crate::claim::name_of;
use crate::database::{Database, is_name, sentence};
use crate::ownership::SILENT;
use crate::schema::FORMAT;
use crate::session::{Bare, Role, refused};

/// An owner whose lease is older may not answer clients.
const LEASE_AGE_MAX: Duration = Duration::from_millis(2500);

/// The pools of a database.
#[derive(Clone, Debug)]
pub struct ClusterState {
    /// The database and its server.
    pub place: String,
    /// Whether another machine has what is committed.
    pub synchronous: Synchronous,
    /// The pools, by name.
    pub pools: Vec<PoolSeen>,
}

/// Whether a commit waits for another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Synchronous {
    /// It does: for these standbys.
    Guarded(Vec<String>),
    /// It does not: the server names no synchronous standby.
    Unguarded,
    /// The server names standbys, and none of them is connected: commits wait.
    Missing,
    /// The role may not see it.
    Unknown,
}

/// A pool.
#[derive(Clone, Debug)]
pub struct PoolSeen {
    /// Its name.
    pub name: String,
    /// Whether it is served.
    pub state: PoolState,
    /// The size of its tables; none if they could not be measured.
    pub bytes: Option<u64>,
    /// The content of its tables; none if they cannot be read.
    pub row: Option<PoolRow>,
    /// The nodes that wait for it, those first that take it first; none if this cannot be read.
    pub candidates: Option<Vec<Candidate>>,
}

/// Whether a pool is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolState {
    /// A node serves it.
    Serves,
    /// A node has it, and opens it.
    Opening,
    /// Its owner has not renewed the lease for at least this long.
    Silent(Duration),
    /// Its owner has released it.
    Released,
    /// No node has had it yet.
    NeverOpened,
    /// A newer release has changed its tables to this version.
    Newer(i32),
    /// The role may not read its tables.
    Unreadable,
}

/// The content of a pool's tables.
#[derive(Clone, Debug)]
pub struct PoolRow {
    /// The process that has it, or had it last.
    pub instance: String,
    /// The name of the process's node.
    pub node: String,
    /// When it took the pool, as RFC 3339; empty if no node has.
    pub since: String,
    /// Grows with each owner.
    pub epoch: i64,
    /// The last batch that was committed.
    pub batch: i64,
    /// How long ago the lease was renewed; none if that is not known.
    pub lease_age: Option<Duration>,
    /// How the pool came to the owner; none if an older release has it.
    pub takeover: Option<TakeoverSeen>,
}

/// How a pool came to its owner.
#[derive(Clone, Debug)]
pub struct TakeoverSeen {
    /// The node before; empty if there was none.
    pub from: String,
    /// Whether that one was silent.
    pub was_silent: bool,
    /// For how long.
    pub silent_ms: u64,
    /// How long opening the pool took; none if it is still being opened.
    pub open_ms: Option<u64>,
    /// How long it took to get the addresses.
    pub address_ms: Option<u64>,
}

/// A node that waits for a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The node's name.
    pub node: String,
    /// The process.
    pub instance: String,
    /// How many steps of 0.5 s later than others it takes the pool of a silent owner.
    pub priority: u32,
    /// Since when it waits, as RFC 3339.
    pub since: String,
    /// How long ago it was seen.
    pub age: Duration,
}

/// Looks at the pools of a database again and again.
pub struct Cluster {
    database: Database,
    session: Option<Bare>,
    looks: BTreeMap<String, Look>,
}

/// The result of the looks at one lease.
struct Look {
    instance: String,
    renewals: i64,
    /// Since when these were seen.
    since: Instant,
    /// Whether they have changed since the first look.
    has_changed: bool,
    /// Whether they changed with the last look.
    changes: bool,
}

impl Cluster {
    /// Of the database of this pool, or of [`Database::whole`].
    pub fn new(database: &Database) -> Cluster {
        Cluster { database: database.pool(""), session: None, looks: BTreeMap::new() }
    }

    /// Looks once. The state of an owner is certain from the second look on.
    pub async fn look(&mut self) -> Result<ClusterState> {
        let session = match self.session.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => Bare::open_to_look(&self.database).await?,
        };
        let state = self.read(&session.client).await?;
        self.session = Some(session);
        Ok(state)
    }

    async fn read(&mut self, client: &Client) -> Result<ClusterState> {
        let database = self.database.clone();
        let failed = |error| refused(&database, &error);
        let synchronous = synchronous(client).await.map_err(failed)?;
        let found = client.query(SCHEMAS, &[]).await.map_err(failed)?;
        let mut pools = Vec::with_capacity(found.len());
        for row in &found {
            let found = Found::of(row).map_err(failed)?;
            let Some(name) = found.schema.strip_prefix("forebay_").filter(|name| is_name(name)) else {
                continue;
            };
            pools.extend(self.pool(client, name, &found).await?);
        }
        self.looks.retain(|known, _| pools.iter().any(|pool| pool.name == *known));
        Ok(ClusterState { place: self.database.place(), synchronous, pools })
    }

    /// Nothing if the pool has just been removed.
    async fn pool(&mut self, client: &Client, name: &str, found: &Found) -> Result<Option<PoolSeen>> {
        let bytes = found.bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let seen = |state| PoolSeen { name: name.to_owned(), state, bytes, row: None, candidates: None };
        if !found.is_readable {
            return Ok(Some(seen(PoolState::Unreadable)));
        }
        let database = self.database.pool(name);
        let failed = |error| refused(&database, &error);
        let schema = &found.schema;
        let question = format!("select format from {schema}.pool");
        let asked = client.query_opt(&question, &[]).await;
        let Some(row) = unless_gone(asked).map_err(failed)? else { return Ok(None) };
        let Some(row) = row else {
            return Err(database.error("its table `pool` is empty", "restore the database"));
        };
        let format: i32 = row.try_get(0).map_err(failed)?;
        if format > FORMAT {
            return Ok(Some(seen(PoolState::Newer(format))));
        }
        let asked = client.query_opt(&question_of(schema, found.is_current), &[]).await;
        let Some(row) = unless_gone(asked).map_err(failed)? else { return Ok(None) };
        let Some(row) = row else {
            return Err(database.error("its table `lease` is empty", "restore the database"));
        };
        let (renewals, released): (i64, bool) =
            (row.try_get(2).map_err(failed)?, row.try_get(3).map_err(failed)?);
        let mut pool = pool_row(&row).map_err(failed)?;
        let look = self.saw(name, &pool.instance, renewals);
        let observed = look.since.elapsed();
        if look.has_changed && pool.lease_age.is_none() {
            pool.lease_age = Some(observed);
        }
        let is_fresh = look.changes || pool.lease_age.is_some_and(|age| age <= LEASE_AGE_MAX);
        let is_opening = pool.takeover.as_ref().is_some_and(|takeover| takeover.open_ms.is_none());
        let state = match (pool.instance.is_empty(), released, is_fresh, is_opening) {
            (true, ..) => PoolState::NeverOpened,
            (_, true, ..) => PoolState::Released,
            (_, _, false, _) => PoolState::Silent(pool.lease_age.unwrap_or(observed).max(observed)),
            (_, _, _, true) => PoolState::Opening,
            _ => PoolState::Serves,
        };
        let candidates = if found.has_candidates {
            unless_gone(candidates(client, schema, &pool.instance).await).map_err(failed)?
        } else {
            None
        };
        Ok(Some(PoolSeen { state, row: Some(pool), candidates, ..seen(state) }))
    }

    fn saw(&mut self, name: &str, instance: &str, renewals: i64) -> &Look {
        let now = Instant::now();
        let new = || Look {
            instance: instance.to_owned(),
            renewals,
            since: now,
            has_changed: false,
            changes: false,
        };
        let look = self.looks.entry(name.to_owned()).or_insert_with(new);
        let differs = look.instance != instance || look.renewals != renewals;
        if differs {
            *look = Look { has_changed: true, changes: true, ..new() };
        } else {
            look.changes = false;
        }
        look
    }
}

/// Nothing if a table was removed since the tables were listed.
fn unless_gone<T>(
    answer: std::result::Result<T, tokio_postgres::Error>,
) -> std::result::Result<Option<T>, tokio_postgres::Error> {
    const GONE: [SqlState; 3] =
        [SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN, SqlState::INVALID_SCHEMA_NAME];
    match answer {
        Err(error) if error.code().is_some_and(|code| GONE.contains(code)) => Ok(None),
        other => other.map(Some),
    }
}

/// The schemas of pools, and what the role may read in them.
const SCHEMAS: &str = "select n.nspname::text, \
    coalesce(has_schema_privilege(n.oid, 'usage') and has_table_privilege(p.oid, 'select') and has_table_privilege(l.oid, 'select'), false), \
    exists (select from pg_attribute a where a.attrelid = l.oid and a.attname = 'reserved_until' and not a.attisdropped), \
    coalesce(has_table_privilege(c.oid, 'select'), false), \
    (select sum(pg_total_relation_size(r.oid))::bigint from pg_class r where r.relnamespace = n.oid and r.relkind = 'r') \
    from pg_namespace n join pg_class p on p.relnamespace = n.oid and p.relname = 'pool' and p.relkind = 'r' \
    join pg_class l on l.relnamespace = n.oid and l.relname = 'lease' and l.relkind = 'r' \
    left join pg_class c on c.relnamespace = n.oid and c.relname = 'candidate' and c.relkind = 'r' \
    where starts_with(n.nspname::text, 'forebay_') order by 1";

/// A schema that looks like that of a pool.
struct Found {
    schema: String,
    is_readable: bool,
    /// Whether the lease has the columns of this release.
    is_current: bool,
    has_candidates: bool,
    bytes: Option<i64>,
}

impl Found {
    fn of(row: &Row) -> std::result::Result<Found, tokio_postgres::Error> {
        Ok(Found {
            schema: row.try_get(0)?,
            is_readable: row.try_get(1)?,
            is_current: row.try_get(2)?,
            has_candidates: row.try_get(3)?,
            bytes: row.try_get(4)?,
        })
    }
}

/// A time as RFC 3339.
const TIME: &str = "at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'";

fn question_of(schema: &str, is_current: bool) -> String {
    let current = "taken_by = instance and taken_by <> '', (extract(epoch from clock_timestamp() - renewed) * 1000)::bigint, \
                   taken_from, taken_how, silent_ms, open_ms, address_ms";
    let older = "false, null::bigint, '', '', 0::bigint, null::bigint, null::bigint";
    let more = if is_current { current } else { older };
    format!(
        "select instance, node, renewals, released, to_char(since {TIME}), epoch, batch, {more} from {schema}.lease, {schema}.pool"
    )
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

fn pool_row(row: &Row) -> std::result::Result<PoolRow, tokio_postgres::Error> {
    let (instance, node): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let is_current: bool = row.try_get(7)?;
    let age: Option<i64> = row.try_get(8)?;
    let from: String = row.try_get(9)?;
    let ms = |at: usize| Ok::<_, tokio_postgres::Error>(row.try_get::<_, Option<i64>>(at)?.map(unsigned));
    let takeover = TakeoverSeen {
        from: name_of(&from).to_owned(),
        was_silent: row.try_get::<_, String>(10)? == SILENT,
        silent_ms: unsigned(row.try_get(11)?),
        open_ms: ms(12)?,
        address_ms: ms(13)?,
    };
    Ok(PoolRow {
        since: if instance.is_empty() { String::new() } else { row.try_get(4)? },
        node: name_of(&node).to_owned(),
        epoch: row.try_get(5)?,
        batch: row.try_get(6)?,
        lease_age: age.filter(|_| is_current).map(|ms| Duration::from_millis(unsigned(ms))),
        takeover: is_current.then_some(takeover),
        instance,
    })
}

async fn candidates(
    client: &Client,
    schema: &str,
    owner: &str,
) -> std::result::Result<Vec<Candidate>, tokio_postgres::Error> {
    let question = format!(
        "select node, instance, priority, to_char(since {TIME}), (extract(epoch from clock_timestamp() - seen) * 1000)::bigint \
         from {schema}.candidate where seen > clock_timestamp() - interval '{SEEN_MAX}' and instance <> $1 \
         order by priority, since, instance limit 1000"
    );
    let rows = client.query(&question, &[&owner]).await?;
    let candidate = |row: &Row| {
        Ok(Candidate {
            node: name_of(row.try_get(0)?).to_owned(),
            instance: row.try_get(1)?,
            priority: u32::try_from(row.try_get::<_, i32>(2)?).unwrap_or_default(),
            since: row.try_get(3)?,
            age: Duration::from_millis(unsigned(row.try_get(4)?)),
        })
    };
    rows.iter().map(candidate).collect()
}

/// A role without the rights of `pg_read_all_stats` sees that there are standbys, and nothing else of them.
async fn synchronous(client: &Client) -> std::result::Result<Synchronous, tokio_postgres::Error> {
    let question = "select current_setting('synchronous_standby_names'), pg_is_in_recovery()";
    let row = client.query_one(question, &[]).await?;
    let (names, is_standby): (String, bool) = (row.try_get(0)?, row.try_get(1)?);
    if is_standby {
        return Ok(Synchronous::Unknown);
    }
    if names.trim().is_empty() {
        return Ok(Synchronous::Unguarded);
    }
    let rows =
        client.query("select application_name, state, sync_state from pg_stat_replication", &[]).await?;
    let mut guarding = Vec::new();
    let mut is_hidden = false;
    for row in &rows {
        let (name, state, sync): (Option<String>, Option<String>, Option<String>) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        is_hidden |= sync.is_none();
        let is_sync = sync.is_some_and(|sync| sync == "sync" || sync == "quorum");
        if is_sync && state.as_deref() == Some("streaming") {
            guarding.extend(name);
        }
    }
    guarding.sort();
    Ok(match (guarding.is_empty(), is_hidden) {
        (false, _) => Synchronous::Guarded(guarding),
        (true, true) => Synchronous::Unknown,
        (true, false) => Synchronous::Missing,
    })
}

/// Asks the owner of a pool to hand it over: to the node `to`, or to any other one. The owner sees this when it renews its lease the next time, and
/// forgets it after 30 s. Returns whether the pool still has this owner.
pub async fn ask(database: &Database, owner: &str, to: Option<&str>, by: &str) -> Result<bool> {
    let statement = "update lease set asked = clock_timestamp(), asked_for = $2, asked_by = $3 where instance = $1 and not released";
    write(database, statement, &[&owner, &to.unwrap_or_default(), &by]).await
}

/// Takes the request back that was made to this owner.
pub async fn withdraw_request(database: &Database, owner: &str) -> Result<()> {
    let statement = "update lease set asked = null, asked_for = '', asked_by = '' where instance = $1";
    write(database, statement, &[&owner]).await.map(drop)
}

async fn write(
    database: &Database,
    statement: &str,
    values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
) -> Result<bool> {
    let failed = |error: tokio_postgres::Error| -> Error {
        if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
            let cause = format!("the role may not write to its table `lease`: {}", sentence(&error));
            return database.error(cause, "connect as a role that may, or ask the daemon itself (--server)");
        }
        refused(database, &error)
    };
    let session = Bare::open(database, "request", Role::Lease).await?;
    session.client.batch_execute("set default_transaction_read_only to off").await.map_err(failed)?;
    Ok(session.client.execute(statement, values).await.map_err(failed)? == 1)
}
