//! A pool's metadata in PostgreSQL: an implementation of [`forebay_pool::store::MetaStore`].
//!
//! [`create`] makes the tables of a new pool. [`PostgresMeta::take`] makes this process the owner of a pool and opens its metadata. From then on
//! only this process can change it: each commit group ends with an update that no other owner's row matches.
//! `docs/decisions/0052-metadata-in-postgresql.md` has the design and its reasons.
//!
//! ```text
//!   database.rs   where the database is, and what it must be like
//!   session.rs    one connection, checked
//!   refusal.rs    errors of the database, and which of them are worth another try
//!   schema.rs     the tables, and what is read and written in them
//!   ownership.rs  the pool's row: who owns it, up to which batch
//!   lease.rs      who may answer clients, and how another process takes the pool
//!   tenure.rs     until when the owner may answer
//!   claim.rs      when another process may take the pool
//!   renewing.rs   the owner's loop
//!   waiting.rs    a candidate's loop
//!   rows.rs       the rows and the clock, as these loops see them
//!   candidates.rs the processes that wait for it
//!   clients.rs    where the owner's clients are, for the next owner
//!   cluster.rs    all pools of a database, for people
//!   group.rs      a commit group: one flight, and what becomes of it if the answer is lost
//!   cache.rs      what the owner keeps in memory
//!   vacuum.rs     removes replaced rows while the pool is in use
//!   scan.rs       long reads of one instant
//!   options.rs    the settings of a store, and what it has done
//!   meta.rs       all of it as a metadata store
//! ```
//! Open `meta.rs` first, then `group.rs`.

mod cache;
mod candidates;
mod claim;
mod clients;
mod cluster;
mod database;
mod group;
mod lease;
mod meta;
mod options;
mod ownership;
mod reach;
mod refusal;
mod renewing;
mod rows;
mod scan;
mod schema;
mod session;
#[cfg(test)]
mod sim;
mod tenure;
mod vacuum;
mod waiting;

pub use claim::name_of;
pub use clients::Clients;
pub use cluster::{
    Candidate, Cluster, ClusterState, PoolRow, PoolSeen, PoolState, Synchronous, TakeoverSeen, ask,
    withdraw_request,
};
pub use database::{Database, check_name};
pub use lease::{Candidacy, Lease, LeaseOptions, Leaving, Request, TakenFrom};
pub use meta::PostgresMeta;
pub use options::{Counts, PostgresOptions};
pub use ownership::{Owned, create};
pub use tenure::Tenure;
