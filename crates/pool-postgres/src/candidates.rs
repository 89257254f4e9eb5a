//! The table of the candidates: the processes that wait for the pool. It is for people and for planned moves; nothing depends on it.
//!
//! A candidate writes its row with each look at the lease, in a transaction of its own that waits for no sync. Rows of candidates that are gone are
//! removed by the others, and by the owner.

use tokio_postgres::{Client, Error};

/// A row that was not written for this long is not shown.
pub(crate) const SEEN_MAX: &str = "5 s";
/// A row that was not written for this long is removed.
const KEPT: &str = "10 s";

/// A text as a literal of SQL.
fn literal(text: &str) -> String {
    // A quote ends it; a backslash means itself, since standard_conforming_strings is on.
    format!("'{}'", text.replace('\'', "''").replace('\0', ""))
}

/// Begins a transaction that writes, and that neither waits for a sync nor for a lock.
const BEGIN: &str = "begin read write; set local synchronous_commit to off; set local lock_timeout to '200ms'; \
                     set local statement_timeout to '1s'; set local standard_conforming_strings to on";

/// The statement that removes the rows of candidates that are gone. Two processes that do it do not wait for each other.
fn removal() -> String {
    format!(
        "delete from candidate where instance in (select instance from candidate \
         where seen < clock_timestamp() - interval '{KEPT}' for update skip locked)"
    )
}

/// Says that this process waits.
pub(crate) async fn note(client: &Client, instance: &str, node: &str, priority: u32) -> Result<(), Error> {
    let (instance, node, removal) = (literal(instance), literal(node), removal());
    let written = client
        .batch_execute(&format!(
            "{BEGIN}; insert into candidate (instance, node, priority, since, seen) \
             values ({instance}, {node}, {priority}, clock_timestamp(), clock_timestamp()) \
             on conflict (instance) do update set seen = excluded.seen, priority = excluded.priority; {removal}; commit"
        ))
        .await;
    or_rolled_back(client, written).await
}

/// Says that this process waits no more.
pub(crate) async fn withdraw(client: &Client, instance: &str) -> Result<(), Error> {
    let instance = literal(instance);
    let written = client
        .batch_execute(&format!("{BEGIN}; delete from candidate where instance = {instance}; commit"))
        .await;
    or_rolled_back(client, written).await
}

/// Removes the rows of candidates that are gone, for an owner without candidates.
pub(crate) async fn tidy(client: &Client) -> Result<(), Error> {
    let written = client.batch_execute(&format!("{BEGIN}; {}; commit", removal())).await;
    or_rolled_back(client, written).await
}

/// A transaction that failed is ended, so that the session can be used again.
async fn or_rolled_back(client: &Client, written: Result<(), Error>) -> Result<(), Error> {
    if written.is_err() {
        client.batch_execute("rollback").await?;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_does_not_end_a_literal() {
        assert_eq!(literal("a /var/o'clock \\"), "'a /var/o''clock \\'");
    }
}
