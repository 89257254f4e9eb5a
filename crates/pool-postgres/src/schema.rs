//! The tables of a pool, and the statements that are used on them.

use forebay_pool::store::Table;

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
         create table {schema}.client (
             one boolean primary key default true check (one),
             connections text not null
         ) with (fillfactor = 10);
         insert into {schema}.client (connections) values ('');
         {}
         insert into {schema}.pool (format, epoch, batch, owner) values ({FORMAT}, 0, 0, '');",
        tables.concat()
    )
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
