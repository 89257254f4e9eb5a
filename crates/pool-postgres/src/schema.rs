//! The tables of a pool, and the statements that are used on them.

use std::time::Duration;

use forebay_pool::store::Table;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::database::{Database, sentence};
use crate::refusal::{Attempt, Refusal};

/// The version of the tables.
pub(crate) const FORMAT: i32 = 1;

/// The name of a table.
pub(crate) fn relation(table: Table) -> &'static str {
    match table {
        Table::Hot => "hot",
        Table::Extent => "extent",
        Table::Chunk => "chunk",
    }
}

/// Creates the schema and its tables. `schema` must be a plain name.
pub(crate) fn creation(schema: &str) -> String {
    // Pages that are not full let an update stay on its page, where it changes no index. Rows that are only inserted and deleted need less.
    let tables = [("hot", 60), ("extent", 85), ("chunk", 80)];
    let tables = tables.map(|(name, fill)| {
        format!(
            "create table {schema}.{name} (key bytea primary key, value bytea not null)
             with (fillfactor = {fill}, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
             alter table {schema}.{name} alter value set storage external;"
        )
    });
    format!(
        "create schema {schema};
         create table {schema}.pool (
             one boolean primary key default true check (one),
             format integer not null, epoch bigint not null, batch bigint not null, owner text not null
         ) with (fillfactor = 10);
         create table {schema}.lease (
             one boolean primary key default true check (one),
             instance text not null, node text not null, renewals bigint not null, released boolean not null, since timestamptz not null
         ) with (fillfactor = 10);
         insert into {schema}.lease (instance, node, renewals, released, since) values ('', '', 0, true, now());
         {}
         {}
         insert into {schema}.pool (format, epoch, batch, owner) values ({FORMAT}, 0, 0, '');",
        tables.concat(),
        additions(schema)
    )
}

/// What was added to the tables since they exist. Processes of older releases do not know it, and work with it. The table comes last: where it is, the
/// rest is as well.
///
/// `client` has the connections of the owner's clients. `taken_…`, `silent_ms`, `open_ms` and `address_ms` describe the takeover by `taken_by`, which may differ from the owner if an older release took the
/// pool. `asked…` is a request to hand the pool over. `reserved_…` and `avoided` say who may take a released pool.
fn additions(schema: &str) -> String {
    format!(
        "alter table {schema}.lease
             add column if not exists renewed timestamptz,
             add column if not exists taken_by text not null default '', add column if not exists taken_from text not null default '',
             add column if not exists taken_how text not null default '', add column if not exists silent_ms bigint not null default 0,
             add column if not exists open_ms bigint, add column if not exists address_ms bigint,
             add column if not exists asked timestamptz, add column if not exists asked_for text not null default '',
             add column if not exists asked_by text not null default '',
             add column if not exists reserved_for text not null default '', add column if not exists avoided text not null default '',
             add column if not exists reserved_until timestamptz;
         create table if not exists {schema}.client (
             one boolean primary key default true check (one), connections text not null
         ) with (fillfactor = 10);
         insert into {schema}.client (connections) values ('') on conflict do nothing;
         create table if not exists {schema}.candidate (
             instance text primary key, node text not null, priority integer not null, since timestamptz not null, seen timestamptz not null
         ) with (fillfactor = 10);"
    )
}

/// How often the tables are tried to be brought up to date, and the pause between.
const UPDATE_TRIES: u32 = 10;
const UPDATE_PAUSE: Duration = Duration::from_millis(200);

/// Adds to the tables of an older release what this one needs. Several processes may do this at a time.
pub(crate) async fn bring_up_to_date(database: &Database, client: &Client) -> Attempt<()> {
    let failed = |error| Refusal::of(database, &error);
    let mut last = None;
    for _ in 0..UPDATE_TRIES {
        let question = "select to_regclass('lease') is null or to_regclass('candidate') is not null";
        let row = client.query_one(question, &[]).await.map_err(failed)?;
        // A pool that is missing is reported by the statement that reads it.
        if row.try_get::<_, bool>(0).map_err(failed)? {
            return Ok(());
        }
        let additions = additions(&database.schema());
        let statements = format!("begin read write; set local lock_timeout to '2s'; {additions} commit");
        let Err(error) = client.batch_execute(&statements).await else { continue };
        let _ = client.batch_execute("rollback").await;
        if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
            let cause = format!("its tables cannot be brought up to date: {}", sentence(&error));
            return Err(database.error(cause, "connect once as the role that owns the schema").into());
        }
        // Another process does the same, or holds a lock.
        last = Some(failed(error));
        tokio::time::sleep(UPDATE_PAUSE).await;
    }
    match last {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Inserts or replaces rows: two arrays, of keys and of values.
pub(crate) fn upsert(table: Table) -> String {
    let table = relation(table);
    format!(
        "insert into {table} select * from unnest($1::bytea[], $2::bytea[]) \
         on conflict (key) do update set value = excluded.value"
    )
}

/// Deletes rows: an array of keys.
pub(crate) fn delete(table: Table) -> String {
    format!("delete from {} where key = any($1::bytea[])", relation(table))
}

/// Removes the replaced rows of a table, unless the database does so already. Its file is not made shorter: that would make commit groups wait.
pub(crate) fn vacuum(table: Table) -> String {
    format!("vacuum (skip_locked, truncate off) {}", relation(table))
}

/// The bytes of a table, with its index and what lies outside its rows.
pub(crate) fn size(table: Table) -> String {
    format!("select pg_total_relation_size('{}')", relation(table))
}

/// The rows with some keys, in any order.
pub(crate) fn any(table: Table) -> String {
    format!("select key, value from {} where key = any($1::bytea[])", relation(table))
}

/// Some rows of a range, in order: from, to, how many at most.
pub(crate) fn range(table: Table) -> String {
    format!(
        "select key, value from {} where key >= $1::bytea and key < $2::bytea order by key limit $3::bigint",
        relation(table)
    )
}

/// The end of a commit group: the new batch, the owner's epoch, the batch before, the owner. Fails with a division by zero if the pool's row is not that of
/// this owner.
pub(crate) const FENCE: &str = "with fence as (update pool set batch = $1 where epoch = $2 and batch = $3 and owner = $4 returning 1) \
                                select 1 / count(*)::int from fence";
/// The pool's row.
pub(crate) const ROW: &str = "select epoch, batch, format, owner from pool";
