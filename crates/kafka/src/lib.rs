//! What is in a pool, as Kafka sees it: clusters, brokers, topics, partitions and replicas, and what each of them stores.
//!
//! Everything is read from the pool. No broker is contacted, and nothing is written. [`scan`](scan::scan) takes a survey of the pool's
//! metadata, finds log directories (`find`) by the files that Kafka writes ([`layout`]), lists replicas (`replica`), and counts their
//! extents (`count`) one partition after the other. The result is a [`Report`]. Its rows of stored bytes add up to the pool's own figure
//! (`rows`). [`snapshot`] reads a snapshot's directories instead. Decision 45 says how, and why samples keep shares right. Start reading at [`scan`].

pub mod age;
pub mod cleanup;
pub mod cost;
pub mod exact;
pub mod layout;
pub mod report;
pub mod scan;
pub mod snapshot;
pub mod what_if;

mod count;
mod find;
mod replica;
mod rows;
mod sharing;

pub use report::Report;
